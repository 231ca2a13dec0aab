"""Ensembles of support vector machines as scikit-learn classifiers, and the runner that reproduces their papers."""

from importlib.metadata import version

__version__ = version("ensvm")
