"""Laws of accelerated entropic descent: the optimum of Algorithm 1, certificate, soft margins."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import nnls
from small_problems import noisy_gram, noisy_rows, simplex_optimum

from ensvm.kernels import gram
from ensvm.kernels.gram_matrix import distinct_rows
from ensvm.solvers.entropy_projection.accelerated import accelerated_descent
from ensvm.solvers.entropy_projection.simplex import merge_identical
from ensvm.solvers.entropy_projection.tsang_kwok import entropy_projection

SEEDS = pytest.mark.parametrize("seed", range(2))


def bounds(nu: float, m: int) -> NDArray[np.float64]:
    return np.full(m, 1.0 / (nu * m))


@SEEDS
@pytest.mark.parametrize("nu", [1.0 / 60, 0.1, 0.5, 0.9])
def test_the_optimum_is_that_of_libsvm(seed: int, nu: float) -> None:
    K, y = noisy_gram(seed)
    result = accelerated_descent(K, y, tol=1e-4, upper=bounds(nu, 60))
    optimum, _ = simplex_optimum(K * np.outer(y, y), nu)
    assert result.stop_reason == "gap_below_tol"
    assert result.objective == pytest.approx(optimum, rel=1.1e-4)
    assert result.lower_bound <= optimum * (1.0 + 1e-6)
    assert result.weights.max() <= (1.0 + 1e-12) / (nu * 60)
    assert result.weights.sum() == pytest.approx(1.0, abs=1e-12)


# With seed 6, rounding makes the relative entropy of a short step negative, which no step passed.
@pytest.mark.parametrize("seed", [0, 6])
def test_the_hard_margin_is_that_of_non_negative_least_squares(seed: int) -> None:
    K, y = noisy_gram(seed, 100)
    K += 1e-3 * np.eye(100)
    factor = np.linalg.cholesky(K * np.outer(y, y))
    exact, _ = nnls(factor.T, np.linalg.solve(factor, np.ones(100)))  # 1 / sum is the optimum
    result = accelerated_descent(K, y, tol=1e-9, max_iter=6000)
    assert result.objective == pytest.approx(1.0 / exact.sum(), rel=1e-6)
    assert result.lower_bound == pytest.approx(1.0 / exact.sum(), rel=1e-4)
    np.testing.assert_allclose(result.weights, exact / exact.sum(), atol=1e-4)


@SEEDS
def test_without_bounds_it_is_the_problem_of_algorithm_1(seed: int) -> None:
    K, y = noisy_gram(seed)
    paper = entropy_projection(K, y, tol=1e-6, max_iter=5000)
    result = accelerated_descent(K, y, tol=0.01)
    assert result.certificate <= 0.01 * result.lower_bound
    assert result.lower_bound <= paper.objective
    assert paper.lower_bound <= result.objective
    # Algorithm 1 needs more products for the same proof
    proved = paper.objectives <= 1.01 * paper.lower_bounds
    assert result.n_matvec < (paper.products[proved.argmax()] if proved.any() else 5000)


@given(
    seed=st.integers(0, 2**32 - 1),
    m=st.integers(2, 40),
    d=st.integers(1, 6),
    nu=st.floats(0.01, 1.0),
)
def test_descent_bracket_and_bounds_at_every_step(seed: int, m: int, d: int, nu: float) -> None:
    K, y = noisy_gram(seed, m, d)
    settings: dict[str, Any] = {"upper": bounds(nu, m), "max_iter": 200}
    result = accelerated_descent(K, y, **settings)
    assert result.objectives.size == result.lower_bounds.size == result.n_iter + 1
    assert np.all(np.diff(result.objectives) <= 0.0)
    # a proved bound is only ever cut to the objective, which may be below it by a rounding
    assert np.all(np.diff(result.lower_bounds) >= -1e-15)
    assert np.all((result.lower_bounds >= 0.0) & (result.lower_bounds <= result.objectives))
    for steps in (1, 2, 5, 20, 200):
        cut_short = accelerated_descent(K, y, **settings | {"max_iter": steps})
        weights = cut_short.weights
        assert weights.min() >= 0.0
        assert weights.max() <= (1.0 + 1e-9) / (nu * m)
        assert weights.sum() == pytest.approx(1.0, abs=1e-9)
        exact = (y * weights) @ K @ (y * weights)
        assert cut_short.objective == pytest.approx(exact, rel=1e-8, abs=1e-15)


def test_identical_rows_taken_as_one_are_the_same_problem() -> None:
    X, y = noisy_rows(4, m=40)
    X, y = np.vstack([X, X[:15]]), np.concatenate([y, y[:15]])
    merged = merge_identical(distinct_rows(X), y)
    K = gram(X, kernel="rbf", gamma=0.2)
    whole = accelerated_descent(K, y, tol=1e-5, upper=bounds(0.1, 55))
    parted = accelerated_descent(
        K[:40, :40],
        merged.labels,
        tol=1e-5,
        upper=merged.start / 0.1,
        start=merged.start,
    )
    assert parted.objective == pytest.approx(whole.objective, rel=2e-5)


def test_two_identical_rows_of_both_labels_end_at_0_and_soften() -> None:
    K = np.ones((2, 2))
    y = np.array([-1.0, 1.0])
    assert accelerated_descent(K, y).stop_reason == "zero_objective"
    K, y = noisy_gram(5)
    K[1], K[:, 1], y[:2] = K[0], K[:, 0], (-1.0, 1.0)
    K[1, 1] = K[0, 0]
    hard = accelerated_descent(K, y, max_iter=3000)
    soft = accelerated_descent(K, y, upper=bounds(0.5, 60), max_iter=3000)
    assert hard.lower_bound == 0.0
    assert not hard.separated
    assert soft.separated
    assert soft.stop_reason == "gap_below_tol"
