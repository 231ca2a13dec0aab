"""The search over C and gamma: what a candidate is, and which one is best."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.svm import SVC
from small_problems import left_out_values

from ensvm.kernels import gram
from ensvm.solvers.leave_one_out_search import (
    SortedRows,
    candidates,
    leave_one_out_of_pairs,
)
from ensvm.solvers.one_vs_one import pairwise_machines, winners

LIMITS = {"tol": 1e-8, "max_iter": 10**6}


def problem(n_classes, m=60):
    rng = np.random.default_rng(0)
    codes = np.arange(m) * n_classes // m
    X = rng.normal(size=(m, 2)) + 1.5 * np.eye(n_classes, 2)[codes]
    starts = np.searchsorted(codes, np.arange(n_classes + 1))
    return X, codes, SortedRows(X, starts, np.ones(m), np.ones(m), np.zeros(m))


PAIR_CODES = np.repeat(np.arange(4), [25, 10, 30, 15])
STARTS = np.searchsorted(PAIR_CODES, np.arange(5))
COUNTS = 1.0 + (np.arange(PAIR_CODES.size) % 5 == 0)


@pytest.mark.parametrize("most_mended", [0, 40, 1000])
@pytest.mark.parametrize("C", [0.01, 0.1, 1.0, 30.0, 1000.0])
def test_values_of_all_pairs_are_those_of_one_after_the_other(C, most_mended):
    """The span rule's, or, of rows that it alone makes errors, those of the followed row."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(PAIR_CODES.size, 2)) + 1.5 * rng.normal(size=(4, 2))[PAIR_CODES]
    K = gram(X, kernel="rbf", gamma=0.5)
    found = pairwise_machines(K, STARTS, C * COUNTS, 1e-8, 10**6)
    upper, kept = C * COUNTS, C * (COUNTS - 1.0)
    values = leave_one_out_of_pairs(K, STARTS, found, upper, kept, most_mended)
    n_mended = 0
    for number, pair in enumerate(combinations(range(4), 2)):
        rows = np.flatnonzero(np.isin(PAIR_CODES, pair))
        labels = np.where(PAIR_CODES[rows] == pair[0], 1.0, -1.0)
        coef = found.coefficients[number, rows]
        own, intercept = K[np.ix_(rows, rows)], found.intercepts[number]
        by_rule, followed = (
            left_out_values(
                own, labels, labels * coef, intercept, upper[rows], kept=kept[rows], exact=exact
            )
            for exact in (False, True)
        )
        fitted = own @ coef + intercept
        mended = (labels * fitted > 0.0) & (labels * by_rule <= 0.0) & (rows.size <= most_mended)
        n_mended += mended.sum()
        expected = np.where(mended, followed, by_rule)
        np.testing.assert_allclose(values[number, rows], expected, rtol=1e-6, atol=1e-6)
        assert not values[number, ~np.isin(PAIR_CODES, pair)].any()
    assert (n_mended > 0) == (most_mended > 0) or C < 30.0


def test_a_row_at_the_border_is_not_an_error_if_its_twin_stays():
    X = np.repeat(np.arange(6.0), 2)[:, None]  # each row twice
    K, starts = gram(X, kernel="rbf", gamma=0.5), np.array([0, 6, 12])
    upper, none = np.full(12, 1e4), np.zeros(12)
    found = pairwise_machines(K, starts, upper, 1e-8, 10**6)
    values = leave_one_out_of_pairs(K, starts, found, upper, none, 1000)
    np.testing.assert_allclose(values[0, 4:8], [1.0, 1.0, -1.0, -1.0], atol=1e-5)


def test_with_a_small_C_the_more_probable_class_is_not_that_of_the_sign():
    """f lies on the side of the larger class; refits have the same signs as the rule's values."""
    rng, codes = np.random.default_rng(0), np.repeat([0, 1], [20, 50])
    X, m = rng.normal(size=(70, 2)) + 2.0 * np.eye(2)[codes], codes.size
    rows = SortedRows(X, np.array([0, 20, 70]), np.ones(m), np.ones(m), np.zeros(m))
    [found] = candidates(rows, [2.0], [0.1], **LIMITS)
    K, labels = gram(X, kernel="rbf", gamma=2.0), np.where(codes == 0, 1.0, -1.0)
    refits = np.empty(m)
    for row in range(m):
        others = np.delete(np.arange(m), row)
        svc = SVC(C=0.1, kernel="precomputed", tol=1e-8)
        svc.fit(K[np.ix_(others, others)], labels[others])
        refits[row] = svc.decision_function(K[[row]][:, others])[0]
    np.testing.assert_allclose(found.values[0], refits, atol=0.05)
    slope, offset = found.sigmoids[0]
    for values in (found.values[0], refits):
        by_sign = np.mean(labels * values <= 0.0)
        by_probability = np.mean(labels * (slope * values + offset) >= 0.0)
        assert by_sign > by_probability + 0.1
        assert by_probability == pytest.approx(found.error, abs=0.02)


def test_a_row_that_counts_twice_is_two_rows():
    _, codes, rows = problem(2)
    counts = 1 + np.arange(60) % 2
    repeated = np.repeat(np.arange(60), counts)
    starts = np.searchsorted(codes[repeated], [0, 1, 2])
    ones = np.ones(repeated.size)
    many = SortedRows(rows.values[repeated], starts, ones, ones, 0.0 * ones)
    few = SortedRows(rows.values, rows.starts, np.ones(60), counts.astype(float), counts - 1.0)
    for C in (0.5, 20.0):
        one, other = (candidates(r, [0.5], [C], **LIMITS)[0] for r in (few, many))
        together = np.bincount(repeated, other.machines.coefficients[0])
        np.testing.assert_allclose(one.machines.coefficients[0], together, atol=1e-5 * C)
        assert one.error == pytest.approx(other.error, abs=0.05)


def test_every_gamma_and_C_is_tried_gamma_by_gamma():
    _, _, rows = problem(3)
    found = candidates(rows, [0.1, 1.0], [0.1, 1.0, 10.0], **LIMITS)
    assert [(c.gamma, c.C) for c in found] == [(g, C) for g in (0.1, 1.0) for C in (0.1, 1.0, 10.0)]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_larger_C_that_bounds_no_multiplier_gives_the_same_machines(n_classes):
    _, _, rows = problem(n_classes)
    Cs = [3.0, 300.0, 1e6, 1e7]
    found = candidates(rows, [5.0], Cs, probabilities=True, **LIMITS)
    largest = np.abs(found[-1].machines.coefficients).max()
    unbounded = [c for c in found if largest < c.C]
    assert len(unbounded) >= 2
    for candidate in unbounded:
        assert candidate.machines is unbounded[0].machines
        assert candidate.error == unbounded[0].error
        [alone] = candidates(rows, [5.0], [candidate.C], probabilities=True, **LIMITS)
        np.testing.assert_allclose(alone.values, candidate.values, atol=1e-5)
    bounded = found[: -len(unbounded)]
    assert all(c.machines is not unbounded[0].machines for c in bounded)


def test_the_error_is_that_of_the_vote():
    X, codes, rows = problem(3)
    [found] = candidates(rows, [0.5], [3.0], **LIMITS)
    everywhere = found.machines.coefficients @ gram(X, kernel="rbf", gamma=0.5)
    everywhere += found.machines.intercepts[:, None]
    values = np.where(found.values == 0.0, everywhere, found.values)
    exponents = found.sigmoids[:, :1] * values + found.sigmoids[:, 1:]
    assert found.error == pytest.approx(np.mean(winners(-exponents, 3) != codes))


def test_values_that_contradict_the_labels_keep_the_sign_of_f():
    """Balanced classes and a tiny C: each row that is left out is given to the other class."""
    _, _, rows = problem(2)
    [found] = candidates(rows, [0.5], [1e-6], **LIMITS)
    assert found.sigmoids[0, 0] < 0.0
    assert found.error > 0.5
