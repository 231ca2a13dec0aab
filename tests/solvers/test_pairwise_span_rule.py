"""The span rule of all pairs at once gives what the rule by LAPACK gives for each pair."""

from itertools import combinations

import numpy as np
import pytest

from ensvm.kernels import gram
from ensvm.solvers.one_vs_one import pairwise_machines
from ensvm.solvers.pairwise_span_rule import apply_span_rule
from ensvm.solvers.regularization_path import machine_leave_one_out
from ensvm.solvers.regularization_path.leave_one_out import CANCELLED, DEPENDENT

ROUNDINGS = DEPENDENT, CANCELLED
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
    K, found = machines(C)
    upper, kept, values = C * COUNTS, C * (COUNTS - 1.0), np.zeros((6, CODES.size))
    done = apply_span_rule(K, STARTS, found, upper, kept, 1000, ROUNDINGS, values)
    followed = []
    for number, pair in enumerate(combinations(range(4), 2)):
        rows = np.flatnonzero(np.isin(CODES, pair))
        labels = np.where(CODES[rows] == pair[0], 1.0, -1.0)
        expected = machine_leave_one_out(
            K[np.ix_(rows, rows)],
            labels,
            labels * found.coefficients[number, rows],
            found.intercepts[number],
            upper[rows],
            kept=kept[rows],
        )
        loses = np.abs(found.coefficients[number, rows]) > kept[rows]
        followed.append((expected.n_events[loses] >= 0).any())
        if done[number]:
            np.testing.assert_allclose(values[number, rows], expected.values, atol=1e-8 * C)
            assert not values[number, ~np.isin(CODES, pair)].any()
    np.testing.assert_array_equal(done, ~np.array(followed))
    assert done.all() == (C > 0.01)


def test_large_pairs_are_left_to_lapack():
    K, found = machines(1.0)
    values, arguments = np.zeros((6, CODES.size)), (COUNTS, COUNTS - 1.0)
    done = apply_span_rule(K, STARTS, found, *arguments, 40, ROUNDINGS, values)
    sizes = [25 + 10, 25 + 30, 25 + 15, 10 + 30, 10 + 15, 30 + 15]
    np.testing.assert_array_equal(done, np.array(sizes) <= 40)


def test_rows_that_depend_on_each_other_are_not_decided_by_rounding():
    X = np.repeat(np.arange(6.0), 2)[:, None] * [1.0, 0.0]  # each row twice
    K, starts = gram(X, kernel="rbf", gamma=0.5), np.array([0, 6, 12])
    ones, values = np.ones(12), np.zeros((1, 12))
    found = pairwise_machines(K, starts, 1e6 * ones, 1e-8, 10**6)
    arguments = (1e6 * ones, 0.0 * ones, 1000, ROUNDINGS, values)
    done = apply_span_rule(K, starts, found, *arguments)
    free = np.flatnonzero(found.coefficients[0])
    depends = np.linalg.matrix_rank(K[np.ix_(free, free)]) < free.size
    assert done[0] == (not depends)
