"""Optimisation on plain arrays, one file an algorithm: no files, no scikit-learn, no data sets."""
