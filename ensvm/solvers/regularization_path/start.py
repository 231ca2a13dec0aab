"""Where the regularization path starts: the solution for all lambda from some lambda_1 upwards.

Without an intercept it is alpha = 1. With one, the smaller class has alpha = 1 and the larger class
the nearest combination of as many points (Hastie et al. 2004, sections 3.1 and 3.2): a quadratic
program of its own if the classes differ in size. The event loop solves it exactly, so that no
second solver is needed: alpha in {0, 1} is optimal once the margins that it violates are shifted
out of the way, and following the solution while they return leads to the start.
"""

import numpy as np
from numpy.typing import NDArray

from ensvm.solvers.regularization_path.events import (
    FIXED,
    LEFT,
    RIGHT,
    PathState,
    enter,
)
from ensvm.solvers.regularization_path.journal import PathJournal
from ensvm.solvers.regularization_path.state import free_points, products, refresh

# Margins are shifted further than needed by up to this part of the spread, each by another, so that
# none tie
SLACK = 1e-3


def start_without_intercept(state: PathState) -> None:
    """Put the state at lambda_1: alpha = 1, one point at its margin; margins are not refreshed."""
    state.sets[:] = LEFT
    state.coef[:] = state.labels
    state.theta[0] = max(float((state.labels * products(state, state.coef)).max()), 0.0)


def start_with_intercept(state: PathState, limit: int) -> tuple[float, int]:
    """Put the state at lambda_1, where the classes' margins meet; margins are not refreshed.

    Return d(lambda b) / d lambda above it and the number of events that were needed. Raises
    RuntimeError if more than `limit` would be.
    """
    positive = state.labels > 0
    larger = np.flatnonzero(positive if 2 * positive.sum() >= positive.size else ~positive)
    sign, quota = float(state.labels[larger[0]]), state.labels.size - larger.size
    _choose_whole_points(state, larger, sign, quota)
    journal = PathJournal()
    if larger.size > quota and not journal.follow(state, 0.0, limit):
        raise RuntimeError(
            f"the start of the regularization path was not found within {limit} events"
        )
    _meet_other_class(state, sign)
    return (sign if larger.size > quota else 0.0), journal.n_events


def _choose_whole_points(
    state: PathState, larger: NDArray[np.int64], sign: float, quota: int
) -> None:
    """Start from whole points of the larger class, and margins with which they are optimal."""
    shares = np.where(state.labels == sign, quota / larger.size, 1.0)
    margins = sign * products(state, shares * state.labels)[larger]
    lagging = larger[np.argsort(margins, kind="stable")]
    chosen, left_out = lagging[:quota], lagging[quota:]
    state.sets[:] = FIXED
    state.sets[chosen], state.sets[left_out] = LEFT, RIGHT
    state.coef[:] = state.labels
    state.coef[left_out] = 0.0
    values = sign * products(state, state.coef)
    free = chosen[np.argmax(values[chosen])]
    behind = values - values[free]
    violators = left_out[behind[left_out] < 0.0]  # those that would rather be among the chosen
    slack = SLACK * np.ptp(values[larger]) * np.arange(1, violators.size + 1) / larger.size
    state.slope[:] = 0.0
    state.slope[violators] = behind[violators] - slack
    state.theta[0], state.intercept[0] = 1.0, -sign * values[free]
    enter(state, free)
    refresh(state)


def _meet_other_class(state: PathState, sign: float) -> None:
    """Set lambda_1 and the intercept so that the other class just reaches its margin."""
    values = sign * products(state, state.coef)
    free = free_points(state)
    level, other = float(values[free].mean()), float(values[state.sets == FIXED].min())
    state.theta[0] = max(0.5 * (level - other), 0.0)
    state.intercept[0] = sign * (state.theta[0] - level)
    state.sets[state.sets == FIXED] = LEFT
    state.slope[:] = 1.0
    state.n_free[0] = 0
    for point in free:  # anew, since the factor carries solutions with the slopes
        enter(state, point)
