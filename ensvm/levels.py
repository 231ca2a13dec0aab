"""How many values of a text an input may have, for files and DataFrames alike."""

MOST_LEVELS = 30
"""Values of a text that become a column of 0 and 1 each, unless a config lists them."""
