"""Faults made on purpose: every call of a command that writes fails in turn, in several ways.

`make faults` tries all of them and prints how the commands ended; `test_faults.py` tries a few of
each command, always the same ones. Afterwards no record may be lost, and the same command must do
the rest.
"""
