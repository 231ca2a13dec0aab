"""Data that several tests of classifiers are fitted to."""

import pytest
from sklearn.datasets import load_iris


@pytest.fixture(scope="module")
def iris():
    """The rows of iris, with the names of their classes."""
    X, y = load_iris(return_X_y=True)
    return X, load_iris().target_names[y]
