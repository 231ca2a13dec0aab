"""Taking a row out of a support vector machine, event by event. Compiled.

With theta = 1 ... 0, the part of the row's coefficient that is left, the margins g = y f - 1 change
as on the regularization path: u, b and g are linear in theta until another row changes its set. The
slope of g is -y_k K_ki u_i, and the free coefficients' sum rises by u_i (`PathState.balance`). If
no row is free, b moves alone until a row meets its margin that can take over.

Reference: Cauwenberghs & Poggio, Incremental and decremental support vector machine learning, NIPS
13, 2001.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.array_types import Indices, Vector
from ensvm.compiled import compiled
from ensvm.solvers.cholesky_update import solve_forward
from ensvm.solvers.regularization_path.events import (
    EPS,
    FIXED,
    FREE,
    LEFT,
    LOST,
    REACHED_END,
    RIGHT,
    ROUNDINGS,
    PathState,
    Sets,
    add_multiple,
    direction,
    enter,
    follow_direction,
    is_lost,
    leave,
    nearer_bound,
    next_event,
    speeds,
    step_to_margin,
)

AT_BOUND = 1e-9  # alpha within this part of its bounds counts as there
EVENTS_PER_ROW = 20  # times m, a limit on the events of one row: far above the 1 to 50 measured


@compiled
def sets_of(labels: Vector, coef: Vector, upper: Vector, kept: Vector) -> tuple[Sets, Vector]:
    """Return the set of each row by its coefficient, and what its removal takes from that.

    `kept` are the bounds of the multipliers without the row, `upper` those with it.
    """
    sets, parts = np.full(coef.size, RIGHT), np.zeros(coef.size)
    for k in range(coef.size):
        alpha = labels[k] * coef[k]
        if alpha > AT_BOUND * upper[k]:
            sets[k] = FREE if alpha < (1.0 - AT_BOUND) * upper[k] else LEFT
            parts[k] = labels[k] * max(alpha - kept[k], 0.0)
    return sets, parts


@compiled
def can_be_taken_over(
    labels: Vector, coef: Vector, upper: Vector, sets: Sets, parts: Vector
) -> NDArray[np.bool_]:
    """Return for each row whether other free rows could take over its part, if it has one.

    Room that is just enough does not count: all bounds equal, the room of all free rows is a
    multiple of a row at its bound, and rounding would decide. Without a free row no row can: any
    may bound the interval of the intercept.
    """
    rise, fall, any_free = np.zeros(coef.size), np.zeros(coef.size), False
    all_rise = all_fall = 0.0
    for k in range(coef.size):
        if sets[k] == FREE:
            any_free = True
            rise[k] = (upper[k] if labels[k] > 0.0 else 0.0) - coef[k]
            fall[k] = coef[k] + (upper[k] if labels[k] < 0.0 else 0.0)
            all_rise += rise[k]
            all_fall += fall[k]
    possible = np.empty(coef.size, np.bool_)
    for k in range(coef.size):
        room = all_rise - rise[k] if labels[k] > 0.0 else all_fall - fall[k]
        needed = (1.0 + AT_BOUND) * abs(parts[k])
        possible[k] = any_free and (needed == 0.0 or room > needed)
    return possible


@compiled
def followed_values(
    gram: NDArray[Any],
    labels: Vector,
    coef: Vector,
    intercept: float,
    upper: Vector,
    parts: Vector,
    fitted: Vector,
    rows: Indices,
    fit_intercept: bool,
) -> Vector:
    """Return the values of some rows by following them until they are out.

    `fitted` are the machine's values at all rows, `parts` those of `sets_of`. Free rows that depend
    on each other (many rows, one column) can make the direction overflow. The row's own term is
    then taken from f, and no other row takes its part over (Jaakkola & Haussler 1999, whose bound
    it is).
    """
    scale = greatest(upper)  # the path's multipliers are alpha / C
    state = state_of(gram, labels, coef, intercept, upper, fitted, fit_intercept)
    work = state_of(gram, labels, coef, intercept, upper, fitted, fit_intercept)
    for k in range(labels.size):
        if 0.0 < state.coef[k] * labels[k] < state.upper[k]:
            enter(state, k)
    step_coef, speed = np.empty(labels.size), np.empty(labels.size)
    values = np.empty(rows.size)
    for r in range(rows.size):
        row, status = rows[r], REACHED_END
        begin_removal(state, work, row, parts[row] / scale)
        if parts[row] != 0.0:
            status = follow_removal(work, step_coef, speed, EVENTS_PER_ROW * labels.size)
        if status == LOST:
            values[r] = fitted[row] - parts[row] * gram[row, row]
        else:
            margin = work.margin[row] + labels[row] * shift_to_middle(work)
            values[r] = labels[row] * (margin * scale + 1.0)
    return values


@compiled
def state_of(
    gram: NDArray[Any],
    labels: Vector,
    coef: Vector,
    intercept: float,
    upper: Vector,
    fitted: Vector,
    fit_intercept: bool,
) -> PathState:
    """Return the state of a machine on its path, whose multipliers are alpha / C; none is free."""
    m, scale, largest, size = labels.size, greatest(upper), 0.0, 0.0
    own, bounds, sets, margin = np.empty(m), np.empty(m), np.empty(m, np.int8), np.empty(m)
    for k in range(m):
        alpha = labels[k] * coef[k]
        full, zero = alpha >= (1.0 - AT_BOUND) * upper[k], alpha <= AT_BOUND * upper[k]
        own[k] = 0.0 if zero else labels[k] * upper[k] / scale if full else coef[k] / scale
        bounds[k] = upper[k] / scale
        sets[k] = LEFT if full else RIGHT
        margin[k] = (labels[k] * fitted[k] - 1.0) / scale
        largest = max(largest, gram[k, k])
        size += abs(own[k])
    constant = largest if largest > 0.0 else 1.0
    return PathState(
        gram,
        labels,
        bounds,
        np.ones(m),
        sets,
        own,
        margin,
        np.zeros(m, np.int64),
        np.zeros(1, np.int64),
        np.empty((m, m)),
        np.empty((2, m)),
        np.empty((2, m)),
        np.zeros(1),
        np.full(1, intercept / scale),
        constant if fit_intercept else 0.0,
        np.zeros(1),
        largest,
        np.full(1, ROUNDINGS * EPS * largest * size),
    )


@compiled(inline=True)
def greatest(values: Vector) -> float:
    """Return the largest of positive values; NumPy's own compiles ten times as long."""
    largest = 0.0
    for k in range(values.size):
        largest = max(largest, values[k])
    return largest


@compiled
def begin_removal(state: PathState, work: PathState, row: int, part: float) -> None:
    """Copy the machine, and fix a row in it."""
    n = state.n_free[0]
    for k in range(state.labels.size):
        work.coef[k], work.margin[k] = state.coef[k], state.margin[k]
        work.sets[k] = state.sets[k]
        work.slope[k] = -work.labels[k] * part * work.gram[row, k]
    for k in range(n):
        work.free[k], work.halves[1, k] = state.free[k], state.halves[1, k]
    copy_triangle(state.lower, work.lower, n)
    work.n_free[0], work.intercept[0], work.theta[0] = n, state.intercept[0], 1.0
    work.balance[0] = part if work.constant > 0.0 else 0.0
    if work.sets[row] == FREE:
        leave(work, row, RIGHT)
    work.sets[row], work.coef[row] = FIXED, 0.0
    for k in range(work.n_free[0]):
        point = work.free[k]
        work.halves[0, k] = work.labels[point] * work.slope[point]
    solve_forward(work.lower, work.halves[0], work.n_free[0], 0)


@compiled(at_once=True)
def copy_triangle(source: Vector, target: Vector, n: int) -> None:
    """Copy the lower triangle of the first n rows."""
    for k in range(n):
        for j in range(k + 1):
            target[k, j] = source[k, j]


@compiled
def follow_removal(work: PathState, step_coef: Vector, speed: Vector, limit: int) -> int:
    """Take the fixed row's part to 0, in at most `limit` events; return LOST or REACHED_END."""
    theta, sets, n_free, has_intercept = work.theta, work.sets, work.n_free, work.constant > 0.0
    count = 0
    while True:
        if n_free[0] == 0 and has_intercept:
            index = move_intercept(work, speed)
            if index < 0:
                return REACHED_END
        else:
            step_intercept = direction(work, step_coef)
            if is_lost(work, step_coef, step_intercept):
                return LOST
            speeds(work, step_coef, step_intercept, speed)
            length, index = next_event(work, step_coef, speed)
            is_last = length >= theta[0] or count >= limit
            step = theta[0] if is_last else length
            follow_direction(work, step_coef, step_intercept, speed, step)
            if is_last:
                return REACHED_END
        if sets[index] == FREE:
            leave(work, index, nearer_bound(work, index))
        else:
            enter(work, index)
        count += 1


@compiled(inline=True)
def move_intercept(work: PathState, speed: Vector) -> int:
    """Move b until a row meets its margin that can take over the fixed row's part.

    Return that row, or -1 if there is none.
    """
    sign = 1.0 if work.balance[0] > 0.0 else -1.0
    length, index = np.inf, -1
    for k in range(speed.size):
        speed[k] = -sign * work.labels[k]
        step = step_to_margin(work.sets[k], work.margin[k], speed[k], 0.0)
        if step < length:
            length, index = step, k
    if index >= 0:
        work.intercept[0] -= sign * length
        add_multiple(work.margin, length, speed)
    return index


@compiled(inline=True)
def shift_to_middle(work: PathState) -> float:
    """Return how far b is from the middle of its interval; 0 if a multiplier determines it."""
    low, high = -np.inf, np.inf
    if work.constant == 0.0:
        return 0.0
    for k in range(work.labels.size):
        label, upper = work.labels[k], work.upper[k]
        alpha = work.coef[k] * label
        if work.sets[k] == FREE and AT_BOUND * upper < alpha < (1.0 - AT_BOUND) * upper:
            return 0.0
        if work.sets[k] != FIXED:
            if (alpha < 0.5 * upper) == (label > 0.0):
                low = max(low, -label * work.margin[k])
            else:
                high = min(high, -label * work.margin[k])
    return 0.5 * (low + high) if -np.inf < low < high < np.inf else 0.0
