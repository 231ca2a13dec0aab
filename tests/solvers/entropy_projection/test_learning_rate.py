"""Laws of one entropy projection: the rate solves its problem, the weights their constraint."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import logsumexp, softmax

from ensvm.solvers.entropy_projection.tsang_kwok import project


def updated(log_weights: NDArray[Any], gradient: NDArray[Any], eta: float) -> NDArray[Any]:
    return softmax(log_weights - eta * gradient)


def problems(seed: int, spread: float, skew: float) -> tuple[NDArray[Any], NDArray[Any], float]:
    generator = np.random.default_rng(seed)
    gradient = spread * generator.normal(size=50) + generator.normal()
    log_weights = skew * generator.normal(size=50)
    log_weights -= logsumexp(log_weights)
    mean = float(np.exp(log_weights) @ gradient)
    fraction = generator.uniform(0.05, 0.9)
    return log_weights, gradient, mean + fraction * (float(gradient.min()) - mean)


@pytest.mark.parametrize("spread", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("skew", [0.0, 3.0, 100.0])
@pytest.mark.parametrize("seed", range(10))
def test_rate_equals_an_independent_root(seed: int, spread: float, skew: float) -> None:
    log_weights, gradient, target = problems(seed, spread, skew)
    found = project(log_weights, gradient, target)
    assert found is not None

    def violation(eta: float) -> float:
        return float(updated(log_weights, gradient, eta) @ (gradient - target))

    high = 1e-6 / spread
    while violation(high) > 0.0:
        high *= 2.0
    expected = brentq(violation, 0.0, high, xtol=1e-300, rtol=1e-14, maxiter=1000)
    rounding = (
        1e-14 * float(np.abs(gradient).max()) / spread
    )  # of the gradient itself, in units of its spread
    assert found.learning_rate == pytest.approx(expected, rel=1e-10 + 100 * rounding)


@given(
    gradient=arrays(np.int64, st.integers(2, 30), elements=st.integers(-(10**6), 10**6)),
    fraction=st.floats(0.001, 0.999),
    skew=st.floats(0.0, 500.0),
)
@settings(deadline=None, max_examples=60)
def test_weights_stay_on_the_simplex_and_meet_the_constraint(
    gradient: NDArray[Any], fraction: float, skew: float
) -> None:
    log_weights = -skew * np.linspace(0.0, 1.0, gradient.size)
    log_weights -= logsumexp(log_weights)
    mean, least = float(np.exp(log_weights) @ gradient), float(gradient.min())
    scale = float(np.abs(gradient).max())
    if mean - least <= 1e-9 * scale:  # nothing to gain but rounding
        return
    target = mean + fraction * (least - mean)
    found = project(log_weights, gradient, target)
    assert found is not None
    assert found.learning_rate > 0.0
    assert found.weights.min() >= 0.0
    assert found.weights.sum() == pytest.approx(1.0, abs=1e-12)
    assert float(found.weights @ gradient) == pytest.approx(target, abs=1e-8 * scale)
    np.testing.assert_allclose(np.exp(found.log_weights), found.weights, rtol=1e-9, atol=1e-300)


def test_projection_is_the_nearest_point_in_relative_entropy() -> None:
    log_weights, gradient, target = problems(seed=3, spread=1.0, skew=1.0)
    found = project(log_weights, gradient, target)
    assert found is not None
    nearest = float(found.weights @ (found.log_weights - log_weights))
    generator = np.random.default_rng(0)
    for _ in range(50):
        other = generator.dirichlet(np.ones(50))
        low = np.zeros(50)
        low[gradient.argmin()] = 1.0
        share = max(0.0, (other @ gradient - target) / ((other - low) @ gradient))
        feasible = (1.0 - share) * other + share * low
        distance = float(
            np.sum(np.where(feasible > 0, feasible * (np.log(feasible) - log_weights), 0.0))
        )
        assert nearest <= distance + 1e-12


@pytest.mark.parametrize("target", [-1.0, 0.0])
def test_constraint_out_of_reach_gives_none(target: float) -> None:
    assert project(np.log([0.5, 0.5]), np.array([0.0, 1.0]), target) is None


def test_weight_lost_to_underflow_comes_back() -> None:
    log_weights = np.array([0.0, -2000.0])
    assert np.exp(log_weights[1]) == 0.0
    found = project(log_weights, np.array([1.0, 0.0]), 0.5)
    assert found is not None
    assert found.learning_rate == pytest.approx(2000.0, rel=1e-10)
    np.testing.assert_allclose(found.weights, 0.5, rtol=1e-9)
