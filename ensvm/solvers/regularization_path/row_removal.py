"""Taking a row out of a support vector machine, event by event. Compiled.

With theta = 1 ... 0, the part of the row's coefficient that is left, the margins g = y f - 1 change
as on the regularization path: u, b and g are linear in theta until another row changes its set. The
slope of g is -y_k K_ki u_i, and the free coefficients' sum rises by u_i (`PathState.balance`). If
no row is free, b moves alone until a row meets its margin that can take over.

Reference: Cauwenberghs & Poggio, Incremental and decremental support vector machine learning, NIPS
13, 2001.
"""

import numpy as np

from ensvm.compiled import inlined, njit
from ensvm.solvers.cholesky_update import solve_forward
from ensvm.solvers.regularization_path.events import (
    FIXED,
    FREE,
    RIGHT,
    direction,
    enter,
    leave,
    nearer_bound,
    next_event,
    speeds,
    step_to_margin,
    take_step,
)

AT_BOUND = 1e-9  # alpha within this part of its bounds counts as there


@njit
def remove_each(state, work, rows, parts, limit, margins, n_events):  # type: ignore[no-untyped-def]
    """Write the margins of rows without their parts of the coefficients, and their events.

    `state` holds the machine; `work`, another state, is worked on.
    """
    step_coef, speed = np.empty(state.labels.size), np.empty(state.labels.size)
    for r in range(rows.size):
        row = rows[r]
        begin_removal(state, work, row, parts[r])
        n_events[r] = follow_removal(work, step_coef, speed, limit) if parts[r] != 0.0 else 0
        margins[r] = work.margin[row] + work.labels[row] * shift_to_middle(work)


@inlined
def begin_removal(state, work, row, part):  # type: ignore[no-untyped-def]
    """Copy the machine, and fix a row in it."""
    n = state.n_free[0]
    for k in range(state.labels.size):
        work.coef[k], work.margin[k] = state.coef[k], state.margin[k]
        work.sets[k] = state.sets[k]
        work.slope[k] = -work.labels[k] * part * work.gram[row, k]
    for k in range(n):
        work.free[k], work.halves[1, k] = state.free[k], state.halves[1, k]
        for j in range(k + 1):
            work.lower[k, j] = state.lower[k, j]
    work.n_free[0], work.intercept[0], work.theta[0] = n, state.intercept[0], 1.0
    work.balance[0] = part if work.constant > 0.0 else 0.0
    if work.sets[row] == FREE:
        leave(work, row, RIGHT)
    work.sets[row], work.coef[row] = FIXED, 0.0
    for k in range(work.n_free[0]):
        point = work.free[k]
        work.halves[0, k] = work.labels[point] * work.slope[point]
    solve_forward(work.lower, work.halves[0], work.n_free[0], 0)


@inlined
def follow_removal(work, step_coef, speed, limit):  # type: ignore[no-untyped-def]
    """Take the fixed row's part to 0; return the number of events, at most `limit`."""
    count = 0
    while True:
        if work.n_free[0] == 0 and work.constant > 0.0:
            index = move_intercept(work, speed)
            if index < 0:
                return count
            enter(work, index)
            count += 1
        step_intercept = direction(work, step_coef)
        speeds(work, step_coef, step_intercept, speed)
        length, index = next_event(work, step_coef, speed)
        if length >= work.theta[0] or count >= limit:
            take_step(work, step_coef, step_intercept, speed, work.theta[0])
            return count
        take_step(work, step_coef, step_intercept, speed, length)
        if work.sets[index] == FREE:
            leave(work, index, nearer_bound(work, index))
        else:
            enter(work, index)
        count += 1


@inlined
def move_intercept(work, speed):  # type: ignore[no-untyped-def]
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
        for k in range(speed.size):
            work.margin[k] += length * speed[k]
    return index


@inlined
def shift_to_middle(work):  # type: ignore[no-untyped-def]
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
