"""The simplex problem: identical inputs as one unknown, and inputs with both labels."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ensvm.kernels import gram
from ensvm.kernels.gram_matrix import distinct_rows
from ensvm.solvers.entropy_projection.simplex import identical_inputs, merge_identical
from ensvm.solvers.entropy_projection.tsang_kwok import entropy_projection


def repeated(seed: int, both_labels: bool) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return 200 rows, of about 80 distinct inputs, some of them with both labels if asked."""
    generator = np.random.default_rng(seed)
    inputs = generator.normal(size=(80, 3))
    chosen = generator.integers(80, size=200)
    y = np.where(inputs[chosen, 0] > 0.0, 1.0, -1.0)
    if both_labels:
        y[generator.random(200) < 0.2] *= -1.0
    return inputs[chosen], y


@pytest.mark.parametrize("both_labels", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_the_first_forty_steps_are_those_of_all_rows(both_labels: bool, seed: int) -> None:
    X, y = repeated(seed, both_labels)
    merged = merge_identical(distinct_rows(X), y)
    settings: dict[str, Any] = {"max_iter": 40, "keep_members": True}
    whole = entropy_projection(gram(X, kernel="rbf", gamma=0.5), y, **settings)
    fewer = entropy_projection(
        gram(X[merged.first], kernel="rbf", gamma=0.5),
        merged.labels,
        **settings,
        start=merged.start,
    ).spread(merged)
    np.testing.assert_allclose(fewer.objectives, whole.objectives, rtol=0.0, atol=1e-8)
    np.testing.assert_allclose(fewer.average_weights, whole.average_weights, atol=1e-8)
    np.testing.assert_allclose(fewer.members, whole.members, atol=1e-8)
    np.testing.assert_allclose(fewer.weights.sum(), 1.0)
    assert fewer.lower_bound == pytest.approx(whole.lower_bound, rel=1e-4)


def test_counts_make_the_start() -> None:
    X, y = np.array([[0.0], [1.0], [0.0], [0.0], [1.0]]), np.array([1.0, 1.0, 1.0, -1.0, 1.0])
    merged = merge_identical(distinct_rows(X), y)
    assert merged.labels.tolist() == [1.0, 1.0, -1.0]
    assert merged.first.tolist() == [0, 1, 3]
    assert merged.inputs.tolist() == [0, 1, 0]
    assert merged.start.tolist() == [0.4, 0.4, 0.2]
    np.testing.assert_allclose(merged.spread(merged.start), np.full(5, 0.2))
    assert merged.both_labels() == (3, 0)
    assert merge_identical(distinct_rows(X), np.ones(5)).both_labels() is None


KERNELS = pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
DTYPES = pytest.mark.parametrize("dtype", [np.float64, np.float32])


def halves_of_space(seed: int, m: int = 80):
    """Return distinct rows in which another label is another half of the space, and the labels."""
    X = np.random.default_rng(seed).normal(size=(m, 5)) + 3.0
    return X, np.where(X[:, 0] > 3.0, 1.0, -1.0)


@KERNELS
@DTYPES
@pytest.mark.parametrize("seed", range(3))
def test_only_identical_rows_of_opposite_labels_are_found(kernel, dtype, seed) -> None:
    X, y = halves_of_space(seed)

    def pair_of(X, y):
        return identical_inputs(gram(X, kernel=kernel, gamma=0.5, dtype=dtype), y)

    assert pair_of(X, y) is None
    first, second = np.flatnonzero(y < 0.0)[[2, 5]]
    X[second] = X[first]
    assert pair_of(X, y) is None  # the same input with the same label is no contradiction
    y[second] = 1.0
    assert pair_of(X, y) == (first, second)
    X[second] += 0.1
    assert pair_of(X, y) is None


def test_separated_says_that_some_weights_have_a_positive_margin() -> None:
    verdicts = set()
    for seed in range(5):
        X, y = halves_of_space(seed)
        for K in (gram(X - 3.0, kernel="linear"), gram(X[:, 1:], kernel="linear")):
            result = entropy_projection(K, y)
            assert result.separated == (result.lower_bound > 0.0)
            verdicts.add(result.separated)
    assert verdicts == {False, True}
