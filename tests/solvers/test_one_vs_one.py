"""Pairs of classes: each machine is that of its two classes, votes are counted as in LIBSVM."""

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from ensvm.kernels import gram
from ensvm.solvers.one_vs_one import (
    FOLDS,
    cross_validated_values,
    machines_of_pairs,
    one_hot,
    pairwise_machines,
    weighted_sums,
    winners,
)
from ensvm.solvers.sequential_minimal_optimization import minimise

STARTS = np.array([0, 12, 30, 50])
PAIRS = [(0, 1), (0, 2), (1, 2)]


def sorted_rows() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    rng = np.random.default_rng(0)
    classes = np.repeat(np.arange(3), np.diff(STARTS))
    X = rng.normal(size=(50, 2)) + classes[:, None]
    return gram(X, kernel="rbf", gamma=1.0), rng.integers(1, 3, size=50).astype(float)


def members(pair: tuple[int, int]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    rows = np.concatenate([np.arange(STARTS[c], STARTS[c + 1]) for c in pair])
    return rows, np.where(rows < STARTS[pair[0] + 1], 1.0, -1.0)


def test_every_pair_has_the_machine_of_its_two_classes() -> None:
    K, upper = sorted_rows()
    machines = pairwise_machines(K, STARTS, upper, 1e-5, 10_000)
    for index, pair in enumerate(PAIRS):
        rows, labels = members(pair)
        alone = minimise(K[np.ix_(rows, rows)], labels, upper[rows], 1e-5, 10_000)
        np.testing.assert_array_equal(machines.coefficients[index, rows], alone[0])
        assert not np.delete(machines.coefficients[index], rows).any()
        assert (
            machines.intercepts[index],
            machines.violations[index],
            machines.steps[index],
        ) == alone[1:4]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_loop_over_few_pairs_gives_the_values_of_the_compiled_one(dtype: type) -> None:
    K, upper = sorted_rows()
    limits = 1e-5, 10_000
    for found, compiled in zip(
        pairwise_machines(K.astype(dtype), STARTS, upper, *limits),
        machines_of_pairs(K.astype(dtype), STARTS, upper, *limits),
        strict=True,
    ):
        assert found.dtype == compiled.dtype
        np.testing.assert_array_equal(found, compiled)


def test_cross_validated_values_come_from_machines_without_the_row() -> None:
    K, upper = sorted_rows()
    order = np.random.default_rng(1).permutation(50)
    values = cross_validated_values(K, STARTS, upper, order, 1e-6, 10_000)
    for index, pair in enumerate(PAIRS):
        rows, _ = members(pair)
        dealt = order[np.isin(order, rows)]
        folds = np.arange(dealt.size) * FOLDS // dealt.size
        row, fold = dealt[4], folds[4]
        others = dealt[(np.arange(dealt.size) < fold * dealt.size // FOLDS)
                       | (np.arange(dealt.size) >= (fold + 1) * dealt.size // FOLDS)]  # fmt: skip
        assert row not in others
        labels = np.where(others < STARTS[pair[0] + 1], 1.0, -1.0)
        u, intercept, *_ = minimise(K[np.ix_(others, others)], labels, upper[others], 1e-6, 10_000)
        expected = K[row, others] @ u + intercept
        assert values[index, row] == pytest.approx(expected, abs=1e-4)
        assert not np.delete(values[index], rows).any()


def test_a_fold_whose_others_hold_one_class_gets_its_sign() -> None:
    K = gram(np.arange(4.0)[:, None], kernel="rbf", gamma=1.0)
    values = cross_validated_values(K, np.array([0, 1, 4]), np.ones(4), np.arange(4), 1e-3, 100)
    assert values[0, 0] == -1.0  # the only row of the first class is held out
    alone = cross_validated_values(
        K[:2, :2].copy(), np.array([0, 1, 2]), np.ones(2), np.arange(2), 1e-3, 100
    )
    assert alone.tolist() == [[-1.0, 1.0]]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_sums_are_the_dense_product(dtype: type[np.floating]) -> None:
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(4, 9)) * (rng.random((4, 9)) < 0.4)
    dense[2] = 0.0
    pairs, columns = np.nonzero(dense)
    starts = np.searchsorted(pairs, np.arange(5))
    intercepts, values = rng.normal(size=4).astype(dtype), rng.normal(size=(9, 70)).astype(dtype)
    result = weighted_sums(starts, columns, dense[pairs, columns].astype(dtype), intercepts, values)
    assert result.dtype == dtype
    np.testing.assert_allclose(result, dense @ values + intercepts[:, None], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_the_class_with_most_votes_wins_and_the_first_among_equals(n_classes: int) -> None:
    rng = np.random.default_rng(n_classes)
    values = rng.integers(-1, 2, size=(n_classes * (n_classes - 1) // 2, 200)).astype(float)
    votes = np.zeros((n_classes, 200))
    for (a, b), row in zip(combinations(range(n_classes), 2), values, strict=True):
        votes[a] += row > 0.0
        votes[b] += row <= 0.0
    result = winners(values, n_classes)
    np.testing.assert_array_equal(result, votes.argmax(axis=0))
    np.testing.assert_array_equal(one_hot(result, n_classes).argmax(axis=0), result)
    np.testing.assert_array_equal(one_hot(result, n_classes).sum(axis=0), 1.0)
