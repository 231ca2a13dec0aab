"""Inputs with both labels: found whatever the kernel, its precision and the order of the rows."""

import numpy as np
import pytest

from ensvm.kernels import gram
from ensvm.solvers.entropy_projection import entropy_projection, identical_inputs

KERNELS = pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
DTYPES = pytest.mark.parametrize("dtype", [np.float64, np.float32])


def problem(seed: int, m: int = 80):
    """Return distinct rows in which another label is another half of the space, and the labels."""
    X = np.random.default_rng(seed).normal(size=(m, 5)) + 3.0
    return X, np.where(X[:, 0] > 3.0, 1.0, -1.0)


@KERNELS
@DTYPES
@pytest.mark.parametrize("seed", range(3))
def test_only_identical_rows_of_opposite_labels_are_found(kernel, dtype, seed) -> None:
    X, y = problem(seed)

    def found(X, y):
        return identical_inputs(gram(X, kernel=kernel, gamma=0.5, dtype=dtype), y)

    assert found(X, y) is None
    first, second = np.flatnonzero(y < 0.0)[[2, 5]]
    X[second] = X[first]
    assert found(X, y) is None  # the same input with the same label is no contradiction
    y[second] = 1.0
    assert found(X, y) == (first, second)
    X[second] += 0.1
    assert found(X, y) is None


@DTYPES
def test_nothing_separates_what_is_found(dtype) -> None:
    for seed in range(5):
        X, y = problem(seed)
        X[0], y[0] = X[1], -y[1]
        K = gram(X, kernel="rbf", gamma=0.5, dtype=dtype)
        i, j = identical_inputs(K, y)
        half = np.zeros(y.size)
        half[[i, j]] = 0.5 * y[[i, j]]
        assert half @ K @ half <= 20.0 * np.finfo(dtype).eps
        assert not entropy_projection(K, y).separated


def test_separated_says_that_some_weights_have_a_positive_margin() -> None:
    verdicts = set()
    for seed in range(5):
        X, y = problem(seed)
        for K in (gram(X - 3.0, kernel="linear"), gram(X[:, 1:], kernel="linear")):
            result = entropy_projection(K, y)
            assert result.separated == (result.lower_bound > 0.0)
            verdicts.add(result.separated)
    assert verdicts == {False, True}
