"""Synthetic data sets, drawn from a fixed seed."""
