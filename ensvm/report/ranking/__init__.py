"""Algorithms ranked over the data sets of a table, or compared over the realizations of one."""
