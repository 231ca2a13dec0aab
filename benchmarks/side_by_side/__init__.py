"""Ours and a peer on the same task, by turns: `make bench`."""
