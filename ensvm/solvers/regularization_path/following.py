"""Following the regularization path: its start, and stretches of events between two checks.

Without an intercept the path starts from alpha = 1. With one, the smaller class has alpha = 1 and
the larger class the nearest combination of as many points (Hastie et al. 2004, sections 3.1 and
3.2): a quadratic program of its own if the classes differ in size. The event loop solves it
exactly: alpha in {0, 1} is optimal once the margins that it violates are shifted out of the way,
and following the solution while they return leads to the start.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.array_types import Vector
from ensvm.solvers.cholesky_update import add_products, solve_backward, solve_forward
from ensvm.solvers.regularization_path.events import (
    EPS,
    FIXED,
    FREE,
    LEFT,
    LOST,
    NOTHING,
    PAUSED,
    REACHED_END,
    RIGHT,
    ROUNDINGS,
    BreakpointHistory,
    PathState,
    enter,
    follow_for_a_while,
    note,
    step_to_bound,
)

DRIFT = 1e-9  # points further off their margin than this part of theta are put back on it


def new_state(gram: Vector, labels: Vector, upper: Vector, *, fit_intercept: bool) -> PathState:
    """Return a state with all points on the right, none free and theta = 0."""
    m = labels.size
    diagonal = float(gram.diagonal().max())
    constant = (diagonal if diagonal > 0.0 else 1.0) if fit_intercept else 0.0
    return PathState(
        gram=gram,
        labels=labels,
        upper=upper,
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
        balance=np.zeros(1),
        largest_entry=diagonal,
        rounding=np.zeros(1),
    )


def free_points(state: PathState) -> NDArray[np.int64]:
    """Return the free points, in the order of the factor."""
    return state.free[: state.n_free[0]].copy()


def gram_times(state: PathState, coef: Vector) -> Vector:
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
    values = gram_times(state, state.coef) + state.intercept[0]
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
    labels = state.labels[points]
    changing = zip(state.coef[points] * labels, state.upper[points], x * labels, strict=True)
    part = min(1.0, min(step_to_bound(*each, EPS) for each in changing))
    state.coef[points] += part * x
    state.intercept[0] += part * shift
    _recompute_margins(state)


REFRESH_EVENTS = 64  # between two checks of the margins, so that rounding does not add up


class PathJournal:
    """The breakpoints so far, and the largest violation of optimality at the checks."""

    def __init__(self) -> None:
        self._stretches: list[BreakpointHistory] = []
        self.n_events = 0
        self.largest_violation = 0.0

    def follow(self, state: PathState, end: float, limit: int) -> bool:
        """Follow the solution down to `end`; return whether it took no more than `limit` events.

        Raises ValueError if the direction overflows, which takes a Gram matrix that is indefinite
        far beyond its rounding.
        """
        status = PAUSED
        while status == PAUSED and self.n_events < limit:
            record = _new_record(min(REFRESH_EVENTS, limit - self.n_events), state.labels.size)
            step_coef, speed = np.zeros((2, state.labels.size))
            status = follow_for_a_while(state, record, end, step_coef, speed)
            if status == LOST:
                raise ValueError(
                    "the Gram matrix is not positive semidefinite: its path cannot be followed"
                )
            self.n_events += int(record.n_breakpoints[0])
            self._stretches.append(_trimmed(record))
            self.check(state)
        return bool(status == REACHED_END)

    def check(self, state: PathState) -> None:
        """Recompute the state's margins and note the largest violation."""
        self.largest_violation = max(self.largest_violation, refresh(state))

    def mark(self, state: PathState) -> None:
        """Write the present solution down as a breakpoint at which no point changes its set."""
        record = _new_record(1, state.labels.size)
        note(state, record, NOTHING)
        self._stretches.append(_trimmed(record))

    def column(self, name: str) -> NDArray[Any]:
        """Return a field of `BreakpointHistory` over all breakpoints."""
        return np.concatenate([getattr(record, name) for record in self._stretches])


def _new_record(breakpoints: int, m: int) -> BreakpointHistory:
    return BreakpointHistory(
        theta=np.empty(breakpoints),
        intercept=np.empty(breakpoints),
        point=np.empty(breakpoints, dtype=np.int64),
        destination=np.empty(breakpoints, dtype=np.int8),
        n_free=np.empty(breakpoints, dtype=np.int64),
        extremes=np.empty((breakpoints, 4)),
        free_alpha=np.empty(breakpoints * m),
        n_breakpoints=np.zeros(1, dtype=np.int64),
        n_free_alphas=np.zeros(1, dtype=np.int64),
    )


def _trimmed(record: BreakpointHistory) -> BreakpointHistory:
    """Return a copy without what was left empty."""
    breakpoints, free_alphas = int(record.n_breakpoints[0]), int(record.n_free_alphas[0])
    columns = {name: column[:breakpoints].copy() for name, column in record._asdict().items()}
    kept = {
        "free_alpha": record.free_alpha[:free_alphas].copy(),
        "n_breakpoints": record.n_breakpoints,
        "n_free_alphas": record.n_free_alphas,
    }
    return BreakpointHistory(**columns | kept)


# Margins are shifted further than needed by up to this part of the spread, each by another, so that
# none tie
SLACK = 1e-3
WEIGHT_ROUNDING = 1e-12  # classes whose weights differ by less than this part weigh the same


def start_without_intercept(state: PathState) -> None:
    """Put the state at lambda_1: alpha = upper, one point at its margin.

    Margins are not refreshed.
    """
    state.sets[:] = LEFT
    state.coef[:] = state.labels * state.upper
    state.theta[0] = max(float((state.labels * gram_times(state, state.coef)).max()), 0.0)


def start_with_intercept(state: PathState, limit: int) -> tuple[float, int]:
    """Put the state at lambda_1, where the classes' margins meet; margins are not refreshed.

    Return d(lambda b) / d lambda above it and the number of events that were needed. Raises
    RuntimeError if more than `limit` would be.
    """
    positive = state.labels > 0
    weights = float(state.upper[positive].sum()), float(state.upper[~positive].sum())
    larger, quota = np.flatnonzero(positive == (weights[0] >= weights[1])), min(weights)
    sign, differ = float(state.labels[larger[0]]), max(weights) > quota * (1.0 + WEIGHT_ROUNDING)
    _choose_whole_points(state, larger, sign, quota)
    journal = PathJournal()
    if differ and not journal.follow(state, 0.0, limit):
        raise RuntimeError(
            f"the start of the regularization path was not found within {limit} events"
        )
    _meet_other_class(state, sign)
    return (sign if differ else 0.0), journal.n_events


def _choose_whole_points(
    state: PathState, larger: NDArray[np.int64], sign: float, quota: float
) -> None:
    """Start from whole points of the larger class, and margins with which they are optimal.

    If whole points do not weigh exactly as much as the smaller class, a part of one more makes up
    the difference.
    """
    upper = state.upper
    share = quota / upper[larger].sum()
    shares = np.where(state.labels == sign, share, 1.0) * upper
    margins = sign * gram_times(state, shares * state.labels)[larger]
    lagging = larger[np.argsort(margins, kind="stable")]
    weights = np.cumsum(upper[lagging])
    whole = int(np.count_nonzero(weights <= quota * (1.0 + WEIGHT_ROUNDING)))
    rest = quota - (weights[whole - 1] if whole else 0.0)
    chosen, left_out = lagging[:whole], lagging[whole:]
    state.sets[:] = FIXED
    state.sets[chosen], state.sets[left_out] = LEFT, RIGHT
    state.coef[:] = state.labels * upper
    state.coef[left_out] = 0.0
    in_part = whole < larger.size and rest > WEIGHT_ROUNDING * quota
    if in_part:
        state.coef[left_out[0]] = sign * rest
    values = sign * gram_times(state, state.coef)
    free = left_out[0] if in_part else chosen[np.argmax(values[chosen])]
    behind = values - values[free]
    # Those that would rather be among the chosen, and those that would rather not
    too_low, too_high = left_out[behind[left_out] < 0.0], chosen[behind[chosen] > 0.0]
    slack = SLACK * np.ptp(values[larger]) * np.arange(1, larger.size + 1) / larger.size
    state.slope[:] = 0.0
    state.slope[too_low] = behind[too_low] - slack[: too_low.size]
    state.slope[too_high] = behind[too_high] + slack[: too_high.size]
    state.theta[0], state.intercept[0] = 1.0, -sign * values[free]
    enter(state, free)
    refresh(state)


def _meet_other_class(state: PathState, sign: float) -> None:
    """Set lambda_1 and the intercept so that the other class just reaches its margin."""
    values = sign * gram_times(state, state.coef)
    free = free_points(state)
    level, other = float(values[free].mean()), float(values[state.sets == FIXED].min())
    state.theta[0] = max(0.5 * (level - other), 0.0)
    state.intercept[0] = sign * (state.theta[0] - level)
    state.sets[state.sets == FIXED] = LEFT
    state.slope[:] = 1.0
    state.n_free[0] = 0
    for point in free:  # anew, since the factor carries solutions with the slopes
        enter(state, point)
