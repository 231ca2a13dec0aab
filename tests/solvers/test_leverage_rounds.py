"""Losses and penalty of leveraged machines: finite differences, and margins of any size."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from ensvm.solvers.leverage_rounds import (
    EXPONENTIAL,
    L1,
    L2,
    LARGE,
    LOGISTIC,
    NEARLY,
    loss_after,
    loss_near,
    newton_increment,
    penalty_growth,
    shift_of,
    weigh,
)

BOTH = pytest.mark.parametrize("loss", [EXPONENTIAL, LOGISTIC])
LOSS: dict[int, Callable[[float], float]] = {
    EXPONENTIAL: lambda v: math.exp(-v),
    LOGISTIC: lambda v: math.log1p(math.exp(-2.0 * v)),
}
STEP = 1e-4


def weighed(
    loss: int, margins: NDArray[np.float64], labels: NDArray[np.float64]
) -> tuple[float, ...]:
    """Return total, weights, pulls and the factor exp(shift) that they all have."""
    weights, pulls = np.empty((2, margins.size))
    shift = shift_of(loss, margins)
    total = weigh(loss, margins, labels, np.ones(margins.size), shift, weights, pulls)
    return total, weights, pulls, math.exp(shift)


@BOTH
@pytest.mark.parametrize("margin", [-3.0, -0.4, 0.0, 1e-9, 0.7, 4.0])
@pytest.mark.parametrize("label", [-1.0, 1.0])
def test_derivatives_by_f_are_finite_differences(loss: int, margin: float, label: float) -> None:
    def value(f: float) -> float:
        return LOSS[loss](label * f)

    f = label * margin
    total, weights, pulls, factor = weighed(
        loss, np.array([margin, margin + 2.0]), np.array([label, label])
    )
    slope = (value(f + STEP) - value(f - STEP)) / (2.0 * STEP)
    curvature = (value(f + STEP) - 2.0 * value(f) + value(f - STEP)) / STEP**2
    assert total == pytest.approx(factor * (value(f) + LOSS[loss](margin + 2.0)), rel=1e-14)
    assert pulls[0] == pytest.approx(-factor * slope, rel=1e-6)
    assert weights[0] == pytest.approx(factor * curvature, rel=1e-4)


@BOTH
@given(seed=st.integers(0, 2**32 - 1), spread=st.floats(0.0, 30.0), length=st.floats(-2.0, 2.0))
def test_loss_after_a_step_is_the_loss_there(
    loss: int, seed: int, spread: float, length: float
) -> None:
    margins, direction = spread * np.random.default_rng(seed).normal(size=(2, 20))
    shift = shift_of(loss, margins)
    expected = math.exp(shift) * math.fsum(LOSS[loss](v) for v in margins + length * direction)
    assert loss_after(
        loss, margins, np.ones(margins.size), direction, length, shift
    ) == pytest.approx(expected, rel=1e-11)


@given(
    seed=st.integers(0, 2**32 - 1),
    largest=st.floats(0.0, 1e3),
    alpha=st.sampled_from([-2.0, 0.0, 0.3]),
)
def test_a_near_loss_is_as_near_as_it_says(seed: int, largest: float, alpha: float) -> None:
    rng = np.random.default_rng(seed)
    row, weights = rng.normal(size=33), rng.exponential(size=33)
    labels = np.where(rng.random(33) < 0.5, -1.0, 1.0)
    beta = float(rng.normal())
    scale = largest / np.abs(alpha * (row - 0.1) + beta).max()
    change = scale * labels * (alpha * (row - 0.1) + beta)
    total, spread = loss_near(row, 0.1, labels, weights, scale * alpha, scale * beta)
    assert spread > 1.0 or largest <= LARGE * (1.0 + 1e-12)
    if spread <= 1.0:
        exact = math.fsum(weights * np.exp(-change))
        assert abs(total - exact) <= 0.5 * NEARLY * exact


@pytest.mark.parametrize("power", [L1, L2])
@pytest.mark.parametrize("alpha", [-1.3, -0.2, 0.4, 1.1])
def test_penalty_derivatives_in_the_increment_are_finite_differences(
    power: int, alpha: float
) -> None:
    """Where the increment does not cross 0 it is Newton's: -gradient / Hessian."""
    penalty, curvature = 0.3, 40.0
    for slope in (0.0, 0.1 * alpha):

        def value(d: float, slope: float = slope) -> float:
            return -slope * d + 0.5 * curvature * d * d + penalty * penalty_growth(power, alpha + d)

        gradient = (value(STEP) - value(-STEP)) / (2.0 * STEP)
        hessian = (value(STEP) - 2.0 * value(0.0) + value(-STEP)) / STEP**2
        increment, model_curvature = newton_increment(curvature, slope, power, penalty, alpha)
        assert model_curvature == pytest.approx(hessian, rel=1e-6)
        assert increment == pytest.approx(-gradient / hessian, rel=1e-6)


@pytest.mark.parametrize("slope", [-3.0, -0.31, -0.29, 0.0, 0.29, 0.31, 3.0])
@pytest.mark.parametrize("alpha", [0.0, 0.5, -0.001])
def test_l1_increment_minimises_the_model_in_the_absolute_value(slope: float, alpha: float) -> None:
    curvature, penalty = 2.0, 0.3

    def model(d: float) -> float:
        pressure = penalty * math.exp(abs(alpha))
        return -slope * d + 0.5 * (curvature + pressure) * d * d + pressure * abs(alpha + d)

    increment, _ = newton_increment(curvature, slope, L1, penalty, alpha)
    best = minimize_scalar(model, bounds=(-5.0, 5.0), method="bounded", options={"xatol": 1e-10})
    assert model(increment) <= best.fun + 1e-14
    pressure = penalty * math.exp(abs(alpha))
    assert (increment == -alpha) == (abs(slope + curvature * alpha + pressure * alpha) <= pressure)
