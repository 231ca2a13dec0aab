"""Expansions in fewer points: exact for dependent points, within what is allowed otherwise."""

import numpy as np
import pytest

from ensvm.kernels import gram
from ensvm.solvers.boosted_expansions import reduce_expansion


def test_dependent_points_go_and_nothing_changes() -> None:
    rng = np.random.default_rng(0)
    X, others = rng.normal(size=(40, 3)), rng.normal(size=(25, 3))
    coefs = rng.normal(size=(40, 2))
    reduced = reduce_expansion(gram(X, kernel="linear"), coefs, 1e-9)
    assert reduced.points.size == 3  # as many as there are dimensions
    before, after = (
        gram(others, X, kernel="linear") @ coefs,
        gram(others, X[reduced.points], kernel="linear") @ reduced.coefs,
    )
    np.testing.assert_allclose(after, before, atol=1e-9)


@pytest.mark.parametrize("allowed", [1e-1, 1e-3, 1e-6])
def test_the_error_stays_within_what_is_allowed_at_any_point(allowed: float) -> None:
    rng = np.random.default_rng(1)
    X, others = rng.uniform(size=(80, 2)), rng.uniform(-0.5, 1.5, size=(500, 2))
    coefs = rng.normal(size=(80, 1))
    parameters = {"kernel": "rbf", "gamma": 1.0}
    reduced = reduce_expansion(gram(X, **parameters), coefs, allowed)
    difference = (
        gram(others, X, **parameters) @ coefs
        - gram(others, X[reduced.points], **parameters) @ reduced.coefs
    )
    assert np.abs(difference).max() <= reduced.error * (1.0 + 1e-6) + 1e-9
    assert reduced.error <= allowed
    assert 0 < reduced.points.size < 60
    assert np.all(np.diff(reduced.points) > 0)


def test_independent_points_all_stay_as_they_are() -> None:
    coefs = np.random.default_rng(2).normal(size=(10, 3))
    reduced = reduce_expansion(np.diag(np.arange(1.0, 11.0)), coefs, 1e-9)
    np.testing.assert_array_equal(reduced.points, np.arange(10))
    np.testing.assert_allclose(reduced.coefs, coefs, rtol=1e-12)
    assert reduced.error == 0.0


def test_the_largest_allowance_leaves_nothing() -> None:
    reduced = reduce_expansion(np.eye(4), np.ones((4, 1)), 10.0)
    assert (reduced.points.size, reduced.coefs.shape) == (0, (0, 1))
    assert reduced.error == pytest.approx(2.0)
