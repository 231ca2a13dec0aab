"""Optimisation on plain arrays: no input or output, no scikit-learn, no names of data sets."""
