"""Sigmoids of greatest likelihood, and probabilities that a coupling of them minimises."""

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from ensvm.solvers.platt_scaling import (
    LEAST_PROBABILITY,
    class_probabilities,
    couple,
    fit_sigmoid,
    fit_sigmoids,
    losses,
    sigmoids_of_pairs,
)


def scores(seed: int, m: int = 80) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    rng = np.random.default_rng(seed)
    labels = np.where(rng.random(m) < 0.6, 1.0, -1.0)
    return labels + rng.normal(scale=1.5, size=m), labels


@pytest.mark.parametrize("seed", range(3))
def test_the_sigmoid_is_the_most_likely(seed: int) -> None:
    values, labels = scores(seed)
    n_positive, n_negative = (labels > 0).sum(), (labels < 0).sum()
    targets = np.where(labels > 0, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))

    def loss(z: NDArray[np.float64]) -> float:
        z = z[0] * values + z[1]
        return float(np.sum(targets * np.logaddexp(0.0, z) + (1 - targets) * np.logaddexp(0.0, -z)))

    expected = minimize(loss, [0.0, 0.0], method="BFGS", options={"gtol": 1e-8}).x
    np.testing.assert_allclose(
        fit_sigmoid(values, labels, np.ones(80)), expected, rtol=1e-4, atol=1e-5
    )
    assert expected[0] < 0.0


def test_counts_are_repeated_rows() -> None:
    values, labels = scores(0)
    counts = np.random.default_rng(0).integers(1, 4, size=80)
    repeated = fit_sigmoid(
        np.repeat(values, counts), np.repeat(labels, counts), np.ones(counts.sum())
    )
    np.testing.assert_allclose(
        fit_sigmoid(values, labels, counts.astype(float)), repeated, rtol=1e-9
    )


def test_separated_values_give_a_finite_sigmoid() -> None:
    sigmoid = fit_sigmoid(
        np.array([-1e3, -1.0, 1.0, 1e3]), np.array([-1.0, -1.0, 1.0, 1.0]), np.ones(4)
    )
    assert np.isfinite(sigmoid).all()
    assert sigmoid[0] < 0.0


def test_every_pair_has_its_own_sigmoid() -> None:
    starts = np.array([0, 10, 25, 40])
    values = np.random.default_rng(0).normal(size=(3, 40))
    result = fit_sigmoids(values, starts, np.ones(40))
    rows = np.r_[0:10, 25:40]
    expected = fit_sigmoid(values[1, rows], np.where(rows < 10, 1.0, -1.0), np.ones(25))
    np.testing.assert_array_equal(result[1], expected)
    np.testing.assert_array_equal(result, sigmoids_of_pairs(values, starts, np.ones(40)))


@pytest.mark.parametrize("k", [3, 6, 10])
def test_consistent_pairs_give_back_their_probabilities(k: int) -> None:
    p = np.random.default_rng(k).dirichlet(np.ones(k), size=50).T + 1e-3
    p /= p.sum(axis=0)
    pairwise = np.array([p[a] / (p[a] + p[b]) for a, b in combinations(range(k), 2)])
    np.testing.assert_allclose(couple(pairwise), p, rtol=1e-8)


@pytest.mark.parametrize("k", [3, 6])
def test_the_coupling_satisfies_its_optimality_conditions(k: int) -> None:
    pairwise = np.clip(
        np.random.default_rng(k).random((k * (k - 1) // 2, 40)),
        LEAST_PROBABILITY,
        1 - LEAST_PROBABILITY,
    )
    p = couple(pairwise)
    assert (p >= 0.0).all()
    np.testing.assert_allclose(p.sum(axis=0), 1.0, rtol=1e-12)
    gradient = np.zeros_like(p)
    for (a, b), r in zip(combinations(range(k), 2), pairwise, strict=True):
        difference = (1 - r) * p[a] - r * p[b]
        gradient[a] += (1 - r) * difference
        gradient[b] -= r * difference
    # Lagrange: the gradient of the squares is the same for all classes.
    np.testing.assert_allclose(gradient, gradient[:1].repeat(k, axis=0), atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_two_classes_need_no_coupling(dtype: type[np.floating]) -> None:
    values = np.array([[-2.0, 0.0, 1e6, -1e6]], dtype=dtype)
    result = class_probabilities(values, np.array([[-1.5, 0.2]]))
    sigmoid = 1.0 / (1.0 + np.exp(np.array([3.2, 0.2])))
    np.testing.assert_allclose(result[0, :2], sigmoid, rtol=1e-6)
    np.testing.assert_allclose(result[0, 2:], [1.0, LEAST_PROBABILITY], rtol=1e-6)
    np.testing.assert_allclose(result.sum(axis=0), 1.0, rtol=1e-6)


def test_the_loss_is_the_mean_over_the_rows_of_all_pairs() -> None:
    codes, counts = np.repeat([0, 1, 2], [5, 3, 4]), np.arange(1.0, 13.0)
    values = np.random.default_rng(0).normal(scale=40.0, size=(3, 12))
    sigmoids = np.array([[-1.0, 0.2], [-0.3, 0.0], [-20.0, 1.0]])
    loss, lost = losses(values, sigmoids, np.array([0, 5, 8, 12]), counts)
    total = weight = 0.0
    expected = np.zeros(12, bool)
    for f, (slope, offset), pair in zip(values, sigmoids, combinations(range(3), 2), strict=True):
        own = np.isin(codes, pair)
        signs = np.where(codes == pair[0], 1.0, -1.0)[own]
        exponents = signs * (slope * f[own] + offset)
        total += counts[own] @ np.logaddexp(0.0, exponents)
        weight += counts[own].sum()
        expected[own] |= exponents >= 0.0
    assert loss == pytest.approx(total / weight, rel=1e-12)
    np.testing.assert_array_equal(lost, expected)
