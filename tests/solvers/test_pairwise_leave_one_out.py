"""Values of all pairs at once: by the span rule as LAPACK has it, and followed as it follows."""

from itertools import combinations

import numpy as np
import pytest

from ensvm.kernels import gram
from ensvm.solvers.one_vs_one import pairwise_machines
from ensvm.solvers.pairwise_leave_one_out import small_pairs_leave_one_out
from ensvm.solvers.regularization_path.leave_one_out import machine_leave_one_out

CODES = np.repeat(np.arange(4), [25, 10, 30, 15])
STARTS = np.searchsorted(CODES, np.arange(5))
COUNTS = 1.0 + (np.arange(CODES.size) % 5 == 0)


def machines(C):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(CODES.size, 2)) + 1.5 * rng.normal(size=(4, 2))[CODES]
    K = gram(X, kernel="rbf", gamma=0.5)
    return K, pairwise_machines(K, STARTS, C * COUNTS, 1e-8, 10**6)


@pytest.mark.parametrize("C", [0.01, 0.1, 1.0, 30.0, 1000.0])
def test_values_are_those_of_one_pair_after_the_other(C):
    """The span rule's, or, of rows that it alone makes errors, those of the followed row."""
    K, found = machines(C)
    upper, kept, values = C * COUNTS, C * (COUNTS - 1.0), np.zeros((6, CODES.size))
    small_pairs_leave_one_out(K, STARTS, found, upper, kept, 1000, values)
    n_mended = 0
    for number, pair in enumerate(combinations(range(4), 2)):
        rows = np.flatnonzero(np.isin(CODES, pair))
        labels = np.where(CODES[rows] == pair[0], 1.0, -1.0)
        coef = found.coefficients[number, rows]
        own, intercept = K[np.ix_(rows, rows)], found.intercepts[number]
        by_rule, followed = (
            machine_leave_one_out(
                own, labels, labels * coef, intercept, upper[rows], kept=kept[rows], exact=exact
            )
            for exact in (False, True)
        )
        fitted = own @ coef + intercept
        mended = (labels * fitted > 0.0) & (labels * by_rule <= 0.0)
        n_mended += mended.sum()
        expected = np.where(mended, followed, by_rule)
        np.testing.assert_allclose(values[number, rows], expected, rtol=1e-6, atol=1e-6)
        assert not values[number, ~np.isin(CODES, pair)].any()
    assert n_mended > 0 or C < 30.0


def test_large_pairs_are_left_alone():
    K, found = machines(1.0)
    values = np.zeros((6, CODES.size))
    small_pairs_leave_one_out(K, STARTS, found, COUNTS, COUNTS - 1.0, 40, values)
    sizes = np.array([25 + 10, 25 + 30, 25 + 15, 10 + 30, 10 + 15, 30 + 15])
    np.testing.assert_array_equal(values.any(axis=1), sizes <= 40)


def test_a_row_at_the_border_is_not_an_error_if_its_twin_stays():
    X = np.repeat(np.arange(6.0), 2)[:, None]  # each row twice
    K, starts = gram(X, kernel="rbf", gamma=0.5), np.array([0, 6, 12])
    upper, none, values = np.full(12, 1e4), np.zeros(12), np.zeros((1, 12))
    found = pairwise_machines(K, starts, upper, 1e-8, 10**6)
    small_pairs_leave_one_out(K, starts, found, upper, none, 1000, values)
    np.testing.assert_allclose(values[0, 4:8], [1.0, 1.0, -1.0, -1.0], atol=1e-5)
