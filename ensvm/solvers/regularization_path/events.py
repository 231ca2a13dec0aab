"""The event loop of the regularization path: exactly one point changes sides at a breakpoint.

In coefficients u = y alpha and h = K u + b a solution at the parameter theta satisfies, with the
margins g = y h - theta slope: g <= 0 on the left (alpha = 1), g >= 0 on the right (alpha = 0), g =
0 on the free set F (0 <= alpha <= 1), and sum u = 0 if there is an intercept. Slope 1 and theta =
lambda is the path itself; other slopes lead to its start (`following`). As theta falls, u, b and g
are linear in theta until a free point meets a bound and leaves F, or another point meets its margin
and enters F.

Points on their margin that are not needed to determine the others stay left or right, so F is never
singular; steps of length 0 are events like others; the smallest index goes first among ties
(Sentelle, Anagnostopoulos & Georgiopoulos, A simple method for solving the SVM regularization path
for semidefinite kernels, IEEE TNNLS 27, 2016). As sum u = 0, a constant added to all kernel values
changes nothing, but makes K_FF positive definite where it is so under that constraint: one Cholesky
factor serves with and without an intercept.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ensvm.array_types import Indices, Vector
from ensvm.compiled import compiled
from ensvm.solvers.cholesky_update import add_products, delete_row, finish_row, solve_backward

Sets = NDArray[np.int8]  # RIGHT | LEFT | FREE | FIXED

# FIXED: alpha = 1 whatever its margin, while the start is sought
RIGHT, LEFT, FREE, FIXED = 0, 1, 2, 3
NOTHING = -1  # no point changed its set: the start and the end of the path
REACHED_END, PAUSED, LOST = 0, 1, 2

EPS = float(np.finfo(np.float64).eps)
# A margin or multiplier counts as changing from this part of the largest possible speed on
SPEED_ROUNDING = 1e-12
ROUNDINGS = 16  # what g may be off by, in units of eps max K_ii sum |u|
TIE_AT_BOUND = 64 * EPS  # multipliers this near to their bound meet it together


class PathState(NamedTuple):
    """Where the path is, at m points; the arrays are changed in place."""

    gram: NDArray[Any]  # (m, m)
    labels: Vector  # (m,)
    upper: Vector  # (m,) the largest alpha of each point
    slope: Vector  # (m,)
    sets: Sets  # (m,)
    coef: Vector  # (m,) u
    margin: Vector  # (m,) g
    free: Indices  # (m,), the first n_free: F in the order of the factor
    n_free: Indices  # (1,)
    lower: Vector  # (m, m), the first n_free rows and columns: the factor L
    halves: Vector  # (2, m): L^{-1} (y slope)_F and L^{-1} 1
    rotations: Vector  # (2, m), worked on where a point leaves F
    theta: Vector  # (1,)
    intercept: Vector  # (1,) b
    constant: float  # added to all kernel values; 0: no intercept
    balance: Vector  # (1,) d sum(u_F) / d(-theta), 0 on the path; with an intercept only
    largest_entry: float  # max K_ii
    rounding: Vector  # (1,), what g may be off by


class BreakpointHistory(NamedTuple):
    """What happened, one entry a breakpoint, and the free multipliers right after it."""

    theta: Vector
    intercept: Vector
    point: NDArray[np.int64]  # the one that changed its set, or NOTHING
    destination: Sets  # the set that it entered
    n_free: Indices
    # The largest v = Ku with y = 1, alpha = 1, the least with y = 1, alpha = 0, the largest with
    # y = -1, alpha = 0, the least with y = -1, alpha = 1; NaN where multipliers determine b
    extremes: Vector
    free_alpha: Vector
    n_breakpoints: Indices  # (1,), how many are written down
    n_free_alphas: Indices  # (1,)


@compiled
def follow_for_a_while(
    state: PathState, record: BreakpointHistory, end: float, step_coef: Vector, speed: Vector
) -> int:
    """Follow the solution down to `end`, or until the record is full or the direction overflows.

    `step_coef`, zeros, and `speed` have shape (m,) and are worked on.
    """
    while True:
        step_intercept = direction(state, step_coef)
        if is_lost(state, step_coef, step_intercept):
            return LOST
        speeds(state, step_coef, step_intercept, speed)
        length, index = next_event(state, step_coef, speed)
        left_over = state.theta[0] - end
        if length >= left_over:
            follow_direction(state, step_coef, step_intercept, speed, left_over)
            state.theta[0] = end
            return REACHED_END
        if record.n_breakpoints[0] == record.theta.size:
            return PAUSED
        follow_direction(state, step_coef, step_intercept, speed, length)
        note(state, record, index)


@compiled(inline=True)
def direction(state: PathState, step_coef: Vector) -> float:
    """Write du / d(-theta) of the free points, in the factor's order; return db / d(-theta)."""
    n, lower, constant, balance = state.n_free[0], state.lower, state.constant, state.balance[0]
    if n == 0:
        return 0.0
    slopes, ones, step_intercept = state.halves[0], state.halves[1], 0.0
    for k in range(n):
        step_coef[k] = -slopes[k]
    if constant > 0.0:
        total, weight = 0.0, 0.0
        for k in range(n):
            total += ones[k] * step_coef[k]
            weight += ones[k] * ones[k]
        step_intercept = (total - balance) / weight
        for k in range(n):
            step_coef[k] -= step_intercept * ones[k]
        if n == 1:
            # the constraint leaves no other, whatever rounding says
            step_coef[0] = balance * lower[0, 0]
    solve_backward(lower, step_coef, n)
    return step_intercept + constant * balance


@compiled(inline=True)
def is_lost(state: PathState, step_coef: Vector, step_intercept: float) -> bool:
    """Return whether the direction overflows or is not a number."""
    total = step_intercept
    for k in range(state.n_free[0]):
        total += step_coef[k]
    return not abs(total) < np.inf


@compiled(inline=True)
def speeds(state: PathState, step_coef: Vector, step_intercept: float, speed: Vector) -> None:
    """Write dg / d(-theta) of all points."""
    speed[:] = step_intercept
    add_products(state.gram, state.free[: state.n_free[0]], step_coef, speed)
    turn_to_margins(speed, state.labels, state.slope)


@compiled(at_once=True)
def turn_to_margins(speed: Vector, labels: Vector, slope: Vector) -> None:
    """Overwrite dh / d(-theta) with dg / d(-theta)."""
    for k in range(speed.size):
        speed[k] = labels[k] * speed[k] + slope[k]


@compiled(inline=True)
def next_event(state: PathState, step_coef: Vector, speed: Vector) -> tuple[float, int]:
    """Return the step to the next event (infinite: none) and its point, the first among ties."""
    n, free, sets, margin = state.n_free[0], state.free, state.sets, state.margin
    labels, coef, upper = state.labels, state.coef, state.upper
    largest = total = 0.0
    for j in range(n):
        largest = max(largest, abs(step_coef[j]))
        total += abs(step_coef[j])
    still, slow = SPEED_ROUNDING * largest, SPEED_ROUNDING * (1.0 + total * state.largest_entry)
    to_bound = least_step_to_bound(free[:n], labels, coef, upper, step_coef, still)
    length = min(to_bound, least_step_to_margin(sets, margin, speed, slow))
    if length == np.inf:
        return length, speed.size
    # A tie is what is as good as there after the shortest step, in its own units: steps themselves
    # differ by orders of magnitude.
    index = first_at_bound(free[:n], labels, coef, upper, step_coef, still, length)
    return length, first_at_margin(sets, margin, speed, slow, length, state.rounding[0], index)


@compiled(at_once=True)
def least_step_to_bound(
    free: Indices, labels: Vector, coef: Vector, upper: Vector, step_coef: Vector, still: float
) -> float:
    """Return the least step at which a free multiplier meets a bound; infinite if none does."""
    length = np.inf
    for j in range(free.size):
        k = free[j]
        step = step_to_bound(coef[k] * labels[k], upper[k], step_coef[j] * labels[k], still)
        length = min(length, step)
    return length


@compiled(at_once=True)
def first_at_bound(
    free: Indices,
    labels: Vector,
    coef: Vector,
    upper: Vector,
    step_coef: Vector,
    still: float,
    length: float,
) -> int:
    """Return the first free point that meets a bound after `length`; the number of points if none.

    `step_coef` is in the order of `free`.
    """
    index = labels.size
    for j in range(free.size):
        k = free[j]
        step = step_to_bound(coef[k] * labels[k], upper[k], step_coef[j] * labels[k], still)
        if (step - length) * abs(step_coef[j]) <= TIE_AT_BOUND:
            index = min(index, k)
    return index


@compiled(at_once=True)
def least_step_to_margin(sets: Sets, margin: Vector, speed: Vector, slow: float) -> float:
    """Return the least step at which a margin is met; infinite if none is."""
    length = np.inf
    for k in range(speed.size):
        length = min(length, step_to_margin(sets[k], margin[k], speed[k], slow))
    return length


@compiled(at_once=True)
def first_at_margin(
    sets: Sets,
    margin: Vector,
    speed: Vector,
    slow: float,
    length: float,
    rounding: float,
    end: int,
) -> int:
    """Return the first point before `end` that meets its margin after `length`, or `end`."""
    for k in range(end):
        excess = step_to_margin(sets[k], margin[k], speed[k], slow) - length
        if excess * abs(speed[k]) <= rounding:
            return k
    return end


@compiled(inline=True)
def step_to_bound(alpha: float, upper: float, rate: float, slowest: float) -> float:
    """Return the step at which alpha, changing at `rate`, meets 0 or its upper bound.

    It is infinite if the rate is at most `slowest`.
    """
    if abs(rate) <= slowest:
        return np.inf
    return max(upper - alpha, 0.0) / rate if rate > 0.0 else max(alpha, 0.0) / -rate


@compiled(inline=True)
def step_to_margin(point_set: int, margin: float, speed: float, slow: float) -> float:
    """Return the step at which a margin that changes at `speed` is met; infinite if it is not."""
    # A point beyond its margin by rounding enters at once if it gets further beyond, and is left
    # alone if it returns.
    if point_set == LEFT and speed > slow:
        return max(-margin, 0.0) / speed
    if point_set == RIGHT and speed < -slow:
        return max(margin, 0.0) / -speed
    return np.inf


@compiled(inline=True)
def follow_direction(
    state: PathState, step_coef: Vector, step_intercept: float, speed: Vector, length: float
) -> None:
    """Step along the direction."""
    for j in range(state.n_free[0]):
        state.coef[state.free[j]] += length * step_coef[j]
    add_multiple(state.margin, length, speed)
    state.theta[0] -= length
    state.intercept[0] += length * step_intercept


@compiled(at_once=True)
def add_multiple(target: Vector, factor: float, vector: Vector) -> None:
    """Add factor * vector."""
    for k in range(vector.size):
        target[k] += factor * vector[k]


@compiled
def note(state: PathState, record: BreakpointHistory, index: int) -> None:
    """Take a point (or none) to its other side and write the breakpoint down."""
    at, start = record.n_breakpoints[0], record.n_free_alphas[0]
    record.destination[at] = NOTHING
    if index != NOTHING:
        if state.sets[index] == FREE:
            leave(state, index, nearer_bound(state, index))
        else:
            enter(state, index)
        record.destination[at] = state.sets[index]
    record.point[at] = index
    record.theta[at], record.intercept[at] = state.theta[0], state.intercept[0]
    for j in range(state.n_free[0]):
        point = state.free[j]
        alpha = state.coef[point] * state.labels[point]
        record.free_alpha[start + j] = min(max(alpha, 0.0), state.upper[point])
    record.n_free[at] = state.n_free[0]
    find_extremes(state, record.extremes[at])
    record.n_breakpoints[0], record.n_free_alphas[0] = at + 1, start + state.n_free[0]


@compiled(inline=True)
def find_extremes(state: PathState, out: Vector) -> None:
    """Write down the extremes of v that bound the intercept, NaN if a multiplier determines it."""
    out[0] = out[1] = out[2] = out[3] = np.nan
    if state.constant == 0.0:
        return
    for j in range(state.n_free[0]):
        point = state.free[j]
        alpha, upper = state.coef[point] * state.labels[point], state.upper[point]
        if TIE_AT_BOUND * upper < alpha < (1.0 - TIE_AT_BOUND) * upper:
            return
    out[0], out[1], out[2], out[3] = -np.inf, np.inf, -np.inf, np.inf
    for k in range(state.coef.size):
        label = state.labels[k]
        value = label * (state.margin[k] + state.theta[0] * state.slope[k]) - state.intercept[0]
        if state.coef[k] * label > 0.5 * state.upper[k]:
            if label > 0.0:
                out[0] = max(out[0], value)
            else:
                out[3] = min(out[3], value)
        elif label > 0.0:
            out[1] = min(out[1], value)
        else:
            out[2] = max(out[2], value)


@compiled
def enter(state: PathState, point: int) -> None:
    """Make a point free."""
    n, constant, gram, free = state.n_free[0], state.constant, state.gram, state.free
    lower, halves = state.lower, state.halves
    row = lower[n]
    for j in range(n):
        row[j] = gram[free[j], point] + constant
    row[n] = gram[point, point] + constant
    finish_row(lower, n, 0)
    for v in range(2):
        rest = state.labels[point] * state.slope[point] if v == 0 else 1.0
        for k in range(n):
            rest -= row[k] * halves[v, k]
        halves[v, n] = rest / row[n]
    free[n] = point
    state.sets[point] = FREE
    state.n_free[0] = n + 1


@compiled(inline=True)
def nearer_bound(state: PathState, point: int) -> int:
    """Return the bound that a free point's alpha is nearer to, LEFT or RIGHT."""
    alpha = state.coef[point] * state.labels[point]
    return LEFT if alpha > 0.5 * state.upper[point] else RIGHT


@compiled(inline=True)
def leave(state: PathState, point: int, destination: int) -> None:
    """Put a free point to its bound, LEFT or RIGHT."""
    n, free, position = state.n_free[0], state.free, 0
    while free[position] != point:
        position += 1
    delete_row(state.lower, state.halves, position, n, state.rotations)
    for j in range(position, n - 1):
        free[j] = free[j + 1]
    state.sets[point] = destination
    state.coef[point] = state.labels[point] * state.upper[point] if destination == LEFT else 0.0
    state.n_free[0] = n - 1
