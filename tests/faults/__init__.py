"""Faults made on purpose, at random from a seed: nothing a cell or a user does may hurt the rest.

One file is one class of fault. `make faults N=500` tries many and prints a table of how they ended;
`test_short_form.py` tries a few of every class.
"""
