"""The state of the regularization path between events: made, checked and kept from drifting."""

import numpy as np
from numpy.typing import NDArray

from ensvm.solvers.cholesky_update import solve_backward, solve_forward
from ensvm.solvers.regularization_path.events import (
    EPS,
    FREE,
    LEFT,
    RIGHT,
    PathState,
    add_products,
    step_to_bound,
)

Vector = NDArray[np.float64]

DRIFT = 1e-9  # points further off their margin than this part of theta are put back on it
ROUNDINGS = 16  # what g may be off by, in units of eps max K_ii sum |u|


def new_state(gram: Vector, labels: Vector, *, fit_intercept: bool) -> PathState:
    """Return a state with all points on the right, none free and theta = 0."""
    m = labels.size
    diagonal = float(gram.diagonal().max())
    constant = (diagonal if diagonal > 0.0 else 1.0) if fit_intercept else 0.0
    return PathState(
        gram=gram,
        labels=labels,
        slope=np.ones(m),
        sets=np.full(m, RIGHT, dtype=np.int8),
        coef=np.zeros(m),
        margin=np.zeros(m),
        free=np.zeros(m, dtype=np.int64),
        n_free=np.zeros(1, dtype=np.int64),
        lower=np.empty((m, m)),  # rows that are never free are never touched, and so take no memory
        halves=np.empty((2, m)),
        rotations=np.empty((2, m)),
        theta=np.zeros(1),
        intercept=np.zeros(1),
        constant=constant,
        largest_entry=diagonal,
        rounding=np.zeros(1),
    )


def free_points(state: PathState) -> NDArray[np.int64]:
    """Return the free points, in the order of the factor."""
    points: NDArray[np.int64] = state.free[: state.n_free[0]].copy()
    return points


def products(state: PathState, coef: Vector) -> Vector:
    """Return K coef, summed in one order whatever the number of threads, so that ties stay."""
    points = np.flatnonzero(coef)
    values = np.zeros(coef.size)
    add_products(state.gram, points, coef[points], values)
    return values


def refresh(state: PathState) -> float:
    """Recompute the margins, put free points that drifted back on theirs; return the violation.

    The largest one is that of the conditions on g, found before the correction, in units of y f(x).
    """
    _recompute_margins(state)
    margin, sets, theta = state.margin, state.sets, state.theta[0]
    off = np.where(sets == FREE, np.abs(margin), 0.0)
    off = np.where(sets == LEFT, margin, np.where(sets == RIGHT, -margin, off))
    violation = max(float(off.max()), 0.0)
    scale = state.largest_entry * np.abs(state.coef).sum()
    state.rounding[0] = ROUNDINGS * EPS * scale
    if violation > max(DRIFT * theta, state.rounding[0]):
        _correct(state)
    return violation / theta if theta > 0.0 else 0.0


def _recompute_margins(state: PathState) -> None:
    values = products(state, state.coef) + state.intercept[0]
    state.margin[:] = state.labels * values - state.theta[0] * state.slope


def _correct(state: PathState) -> None:
    """Refine the free coefficients by one step, which puts g back to 0 on F and sum u to 0."""
    points, constant = free_points(state), state.constant
    n = points.size
    if n == 0:
        return
    excess = state.coef.sum() if constant > 0.0 else 0.0
    x = -state.labels[points] * state.margin[points] - constant * excess
    solve_forward(state.lower, x, n, 0)
    shift = 0.0
    if constant > 0.0:
        ones = state.halves[1, :n]
        shift = (np.sum(x * ones) + excess) / np.sum(ones * ones)
        x -= shift * ones
    solve_backward(state.lower, x, n)
    # No further than the bounds, which points that nearly depend on each other would leave far
    # behind.
    part = min(
        1.0,
        min(step_to_bound(state, rate, point, EPS) for rate, point in zip(x, points, strict=True)),
    )
    state.coef[points] += part * x
    state.intercept[0] += part * shift
    _recompute_margins(state)
