"""The middle of the multipliers (rho, b), where the weights of the nu-SVM leave them open.

Weights are optimal with every (rho, b) for which rho beta_i - g_i <= b where u_i can grow and
>= b where u_i can shrink: a convex set. A point strictly between its bounds meets both with
equality. Two of them with different targets beta make the set a point. Where all of them share one
target, as where they lie in one class and weigh the same, it is a segment, and where there is none
a polygon. What bounds those are points that take no part in the optimum's value, so that rounding
would choose among their corners.

The convention: rho is the middle of its interval, then b the middle of its own at that rho. For
equal weights it is LIBSVM's. Where nu is the largest feasible, rho has no upper end, and the lower
one is taken.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ensvm.solvers.weighted_nu_svm.steps import (
    DescentState,
    certify,
)

Vector = NDArray[np.float64]

# Weights this near to a bound count as on it: what a run leaves of them depends on where it stopped
NEAR_BOUND = 1e-8
# Targets, 1 on average, that differ by less count as one: rho would be a quotient of roundings
SAME_TARGET = 1e-9
# Multipliers are as good as the middle where that changes margins by this part of the largest value
WIDTH_ROUNDING = 1e-9


def take_middle(state: DescentState, tol: float) -> None:
    """Set rho and b to the middle of their optimal set where it is more than a point, and certify.

    They stay as they are where the middle differs by no more than rounding or the violation left,
    and where the gap there were more than it is and more than tol times the objective.
    """
    multipliers = _optimal_multipliers(state)
    rho = None if multipliers is None else multipliers.middle_rho()
    if multipliers is None or rho is None:
        return
    rho_before, intercept_before = state.rho[0], state.intercept[0]
    low, high = multipliers.interval(rho_before)
    rounding = max(low - high, WIDTH_ROUNDING * np.abs(state.values).max())
    intercept = 0.5 * sum(multipliers.interval(rho))
    change = (rho - rho_before) * state.targets - (intercept - intercept_before)
    if not np.abs(change).max() > rounding:
        return
    allowed = max(state.gap[0], tol * state.objective[0])
    state.rho[0], state.intercept[0] = rho, intercept
    certify(state)
    if not state.gap[0] <= allowed:
        state.rho[0], state.intercept[0] = rho_before, intercept_before
        certify(state)


@dataclass(frozen=True)
class _OptimalMultipliers:
    """The (rho, b) above all lines rho beta - g of `lower` and below all those of `upper`."""

    lower: tuple[Vector, Vector]  # beta and g of the points that can grow
    upper: tuple[Vector, Vector]  # and of those that can shrink

    def interval(self, rho: float) -> tuple[float, float]:
        """Return the least and the largest b at a rho; the former is larger where there is none."""
        (lower, below), (upper, above) = self.lower, self.upper
        return float((rho * lower - below).max()), float((rho * upper - above).min())

    def middle_rho(self) -> float | None:
        """Return the middle of the interval of rho >= 0, its one end, or None if it is empty."""
        least, largest = max(-self._farthest(-1.0), 0.0), self._farthest(1.0)
        if least > largest:
            return None
        return 0.5 * (least + largest) if np.isfinite(largest) else least

    def _farthest(self, side: float) -> float:
        """Return the largest side * rho, infinite if there is none, by Newton's method."""
        (lower, below), (upper, above) = self.lower, self.upper
        lower, upper = side * lower, side * upper
        i, j = int(np.argmax(lower)), int(np.argmin(upper))
        rho = np.inf
        while lower[i] - upper[j] > SAME_TARGET:
            crossing = (below[i] - above[j]) / (lower[i] - upper[j])
            if not crossing < rho:
                break
            rho = float(crossing)
            i, j = int(np.argmax(rho * lower - below)), int(np.argmin(rho * upper - above))
        return rho


def _optimal_multipliers(state: DescentState) -> _OptimalMultipliers | None:
    """Return the set of optimal multipliers; None if two free points make it one."""
    targets, values = state.targets, state.values.copy()
    least = np.minimum(state.labels, 0.0)
    grow = state.coef < least + 1.0 - NEAR_BOUND
    shrink = state.coef > least + NEAR_BOUND
    free = grow & shrink
    if free.any():
        if np.ptp(targets[free]) > SAME_TARGET:
            return None
        values[free] = values[free].mean()  # one line, up to the violation left
        targets = np.where(free, targets[free].mean(), targets)
    if not (grow.any() and shrink.any()):
        return None
    return _OptimalMultipliers((targets[grow], values[grow]), (targets[shrink], values[shrink]))
