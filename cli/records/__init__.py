"""Verbs about the records themselves: what they say of a cell, and how they travel."""
