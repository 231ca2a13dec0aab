"""Mid-ranks: the empirical distribution, weights, and what transformations leave as it is."""

import numpy as np
import pytest
from scipy.stats import rankdata

from ensvm.solvers.midranks import mid_ranks


@pytest.fixture
def X():
    return np.random.default_rng(0).integers(0, 9, size=(40, 3)).astype(float)


def test_they_are_average_ranks(X):
    expected = (rankdata(X, axis=0) - 0.5) / len(X)
    np.testing.assert_allclose(mid_ranks(X, np.ones(40)).of(X), expected)


def test_a_weight_is_a_repetition(X):
    counts = np.random.default_rng(1).integers(1, 4, size=40)
    weighted = mid_ranks(X, counts.astype(float))
    repeated = mid_ranks(np.repeat(X, counts, axis=0), np.ones(counts.sum()))
    new = np.random.default_rng(2).normal(4.0, 4.0, size=(50, 3))
    np.testing.assert_allclose(weighted.of(new), repeated.of(new))


def test_increasing_transformations_change_nothing(X):
    new = np.random.default_rng(2).normal(4.0, 4.0, size=(50, 3))
    ranks = mid_ranks(X, np.ones(40)).of(new)
    np.testing.assert_array_equal(mid_ranks(np.exp(X), np.ones(40)).of(np.exp(new)), ranks)
    assert ranks.min() >= 0.0
    assert ranks.max() <= 1.0
