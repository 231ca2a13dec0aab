"""Providers: where the bytes of a data set come from, verified at every read."""
