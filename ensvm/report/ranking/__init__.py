"""Rank the algorithms of a table over its data sets, or compare them on one data set."""
