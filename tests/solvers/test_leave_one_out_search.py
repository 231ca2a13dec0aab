"""The search over C and gamma: what a candidate is, and which one is best."""

import numpy as np
import pytest

from ensvm.kernels import gram
from ensvm.solvers import leave_one_out_search
from ensvm.solvers.leave_one_out_search import (
    SortedRows,
    best_candidate,
    candidates,
    fitted_candidate,
)
from ensvm.solvers.one_vs_one import winners

LIMITS = {"tol": 1e-8, "max_iter": 10**6}


def problem(n_classes, m=60):
    rng = np.random.default_rng(0)
    codes = np.arange(m) * n_classes // m
    X = rng.normal(size=(m, 2)) + 1.5 * np.eye(n_classes, 2)[codes]
    distances = ((X[:, None] - X) ** 2).sum(axis=2)
    starts = np.searchsorted(codes, np.arange(n_classes + 1))
    return X, codes, SortedRows(distances, starts, np.ones(m), np.ones(m), np.zeros(m))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_small_and_large_pairs_have_the_same_values(
    n_classes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, codes, rows = problem(n_classes)
    by_compiled_sums = fitted_candidate(rows, 0.5, 0.5, **LIMITS).values
    for limit in ("SMALL_PAIR", "SMALL_PAIR_OF_MANY"):
        monkeypatch.setattr(leave_one_out_search, limit, 0)
    by_lapack = fitted_candidate(rows, 0.5, 0.5, **LIMITS).values
    first, second = np.triu_indices(n_classes, 1)
    labels = 1.0 * (codes == first[:, None]) - (codes == second[:, None])
    # Of small pairs alone rows are followed that only the span rule makes errors.
    agree = np.isclose(by_lapack, by_compiled_sums, rtol=1e-6, atol=1e-6)
    assert (agree | (labels * by_lapack <= 0.0)).all()
    assert agree.mean() > 0.9
    np.testing.assert_array_equal(by_lapack != 0.0, labels != 0.0)


def test_a_row_that_counts_twice_is_two_rows():
    _, codes, rows = problem(2)
    counts = 1 + np.arange(60) % 2
    repeated = np.repeat(np.arange(60), counts)
    starts = np.searchsorted(codes[repeated], [0, 1, 2])
    ones = np.ones(repeated.size)
    many = SortedRows(rows.values[np.ix_(repeated, repeated)], starts, ones, ones, 0.0 * ones)
    few = SortedRows(rows.values, rows.starts, np.ones(60), counts.astype(float), counts - 1.0)
    for C in (0.5, 20.0):
        one, other = (fitted_candidate(r, 0.5, C, **LIMITS) for r in (few, many))
        together = np.bincount(repeated, other.machines.coefficients[0])
        np.testing.assert_allclose(one.machines.coefficients[0], together, atol=1e-5 * C)
        assert one.error == pytest.approx(other.error, abs=0.05)


def test_the_best_has_the_least_error_and_loss():
    _, _, rows = problem(3)
    found = candidates(rows, [0.1, 1.0], [0.1, 1.0, 10.0], **LIMITS)
    assert [(c.gamma, c.C) for c in found] == [(g, C) for g in (0.1, 1.0) for C in (0.1, 1.0, 10.0)]
    best = found[best_candidate(found)]
    assert best.error + best.loss == min(c.error + c.loss for c in found)


def test_the_error_is_that_of_the_vote():
    X, codes, rows = problem(3)
    found = fitted_candidate(rows, 0.5, 3.0, **LIMITS)
    everywhere = found.machines.coefficients @ gram(X, kernel="rbf", gamma=0.5)
    everywhere += found.machines.intercepts[:, None]
    values = np.where(found.values == 0.0, everywhere, found.values)
    exponents = found.sigmoids[:, :1] * values + found.sigmoids[:, 1:]
    assert found.error == pytest.approx(np.mean(winners(-exponents, 3) != codes))


def test_values_that_contradict_the_labels_keep_the_sign_of_f():
    """Balanced classes and a tiny C: each row that is left out is given to the other class."""
    _, _, rows = problem(2)
    found = fitted_candidate(rows, 0.5, 1e-6, **LIMITS)
    assert found.sigmoids[0, 0] < 0.0
    assert found.error > 0.5
