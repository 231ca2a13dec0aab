"""Optimisation on plain arrays, one file an algorithm: no I/O, no scikit-learn, no names of data sets."""
