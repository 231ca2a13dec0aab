"""The descent on the dual of the nu-SVM, by steps in three coefficients. Compiled.

In coefficients u_i = y_i alpha_i and targets beta_i = y_i D_i the dual (5)-(6) is min u'Ku / 2
subject to sum u = 0, sum beta u = nu and 0 <= y_i u_i <= 1. With the values g = Ku, a point u is
optimal iff for some rho and b

    rho beta_i - g_i <= b where u_i can grow,    rho beta_i - g_i >= b where u_i can shrink.

The largest violation v(rho) = max_{can grow} (rho beta_i - g_i) - min_{can shrink} (rho beta_i -
g_i) is convex and piecewise linear. Each pair (i, j) is a line c + s rho below it, c = g_j - g_i, s
= beta_i - beta_j. Where a falling and a rising line meet, the mixture of both pairs that has s = 0
is a feasible direction, along which the objective falls at the rate of the height there: the
steepest one if both lines support v at its minimum. It has three nonzeros, at most four; two where
s = 0, as in pairs within a class for equal D.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ensvm.array_types import Vector
from ensvm.compiled import compiled

Integers: TypeAlias = NDArray[np.int64]

FALLING, RISING = 0, 1  # the two rows of `lines`

EPS = float(np.finfo(np.float64).eps)
# A direction is taken from this part of the largest violation on: finding the steepest one costs
# more than it saves (`constants` in benchmarks/weighted_nu_svm.py)
NEAR_STEEPEST = 0.3
MOST_LINES = 50  # looked at in one step; two or three are the rule
# Slopes below this part of the mean target count as 0: what the second equality loses is rounding
FLAT = 1e-15
# Of the terms of a violation: a smaller one is none, and would send rho anywhere along a nearly
# flat line
PAIR_ROUNDING = 2 * EPS
AT_BOUND = 8 * EPS  # multipliers this near to their bound are on it
# Dividing by it gives a step to the bound, as duplicates and matrices that are not semidefinite
# need
LEAST_CURVATURE = 1e-300
CHECK_EVERY = 32  # steps from one look at the gap to the next, which costs about as much as a step


class DescentState(NamedTuple):
    """Where the descent is, at n points; the arrays are changed in place."""

    gram: NDArray[Any]  # (m, m), the whole Gram matrix, for reading only
    members: Integers  # (n,), the rows of it that take part
    # (n, at least n), rows of it among the members, in the order of their first use, for reading
    # only
    rows: NDArray[Any]
    buffer: NDArray[Any]  # the same memory as `rows`; empty where that is the Gram matrix itself
    slots: Integers  # (n,), where in `rows` a member's row is, -1 where it is not filled in
    n_filled: Integers  # (1,)
    labels: Vector  # (n,)
    targets: Vector  # (n,) beta, its absolute values 1 on average
    coef: Vector  # (n,) u
    values: Vector  # (n,) g = Ku, the ridge included
    ridge: float  # a number >= 0 added to the diagonal of the Gram matrix
    no_growth: Vector  # (n,) 0, or -inf where u is at its upper bound
    no_shrinking: Vector  # (n,) 0, or inf where u is at its lower bound
    lines: Integers  # (2, 2), the pairs of the falling and the rising line; -1 where there is none
    rho: Vector  # (1,)
    intercept: Vector  # (1,) b
    gap: Vector  # (1,), the duality gap when last certified
    objective: Vector  # (1,), u'Ku / 2 then, the ridge included
    size: Vector  # (1,), sum |u| then
    points: Integers  # (4,), those of a step's direction
    direction: Vector  # (4,), how fast their coefficients change


@compiled
def descend(state: DescentState, tol: float, floor: float, most: int) -> int:
    """Take `most` steps, or fewer if the gap falls to tol objective or to floor (sum |u|)^2.

    Return the steps taken; fewer than `most`, too, where rounding leaves no direction.
    """
    for step in range(most):
        violation, rate = find_direction(state)
        if violation <= 0.0 or step % CHECK_EVERY == 0:
            certify(state)
            size = state.size[0]
            closed = state.gap[0] <= max(tol * state.objective[0], floor * size * size)
            if violation <= 0.0 or closed:
                return step
        if rate <= 0.0:
            return step
        take_step(state, mix_pairs(state), rate)
    return most


@compiled
def find_direction(state: DescentState) -> tuple[float, float]:
    """Set rho to where v is nearly least; return v there, and the height where two lines meet.

    The pairs are left in `state.points`: one of slope 0 (then the last two are -1), or those of
    both lines.
    """
    targets, values, lines = state.targets, state.values, state.lines
    rho, intercept, points = state.rho, state.intercept, state.points
    drop_blocked_lines(state)
    violation = height = 0.0
    for _ in range(MOST_LINES):
        violation, i, j = largest_violation(state, rho[0])
        intercept[0] = rho[0] * targets[i] - values[i] - 0.5 * violation
        if violation <= PAIR_ROUNDING * (
            abs(rho[0]) * (abs(targets[i]) + abs(targets[j])) + abs(values[i]) + abs(values[j])
        ):
            return 0.0, 0.0
        slope = targets[i] - targets[j]
        if abs(slope) <= FLAT:
            points[0], points[1], points[2], points[3] = i, j, -1, -1
            return violation, violation
        kind = FALLING if slope < 0.0 else RISING
        lines[kind, 0], lines[kind, 1] = i, j
        if lines[1 - kind, 0] < 0:
            rho[0] -= violation / slope  # to where this line is 0
            continue
        crossing, height = meeting_point(state)
        if height >= NEAR_STEEPEST * violation or crossing == rho[0]:
            break
        rho[0] = crossing
    points[0], points[1], points[2], points[3] = lines[0, 0], lines[0, 1], lines[1, 0], lines[1, 1]
    return violation, height if lines[FALLING, 0] >= 0 and lines[RISING, 0] >= 0 else 0.0


@compiled(inline=True)
def drop_blocked_lines(state: DescentState) -> None:
    """Forget the lines of the last step whose pair has no room for another step."""
    for kind in range(2):
        i, j = state.lines[kind, 0], state.lines[kind, 1]
        if i >= 0 and (state.no_growth[i] != 0.0 or state.no_shrinking[j] != 0.0):
            state.lines[kind, 0] = -1


@compiled(inline=True)
def meeting_point(state: DescentState) -> tuple[float, float]:
    """Return the rho at which the two lines meet, and their height there."""
    a, b = state.lines[FALLING, 0], state.lines[FALLING, 1]
    c, d = state.lines[RISING, 0], state.lines[RISING, 1]
    falling, rising = state.targets[a] - state.targets[b], state.targets[c] - state.targets[d]
    first, second = state.values[b] - state.values[a], state.values[d] - state.values[c]
    crossing = (first - second) / (rising - falling)
    return crossing, first + falling * crossing


@compiled(inline=True)
def largest_violation(state: DescentState, rho: float) -> tuple[float, int, int]:
    """Return v(rho) and its pair, the smallest index among ties."""
    top, bottom, i, j = -np.inf, np.inf, 0, 0
    for k in range(state.targets.size):
        score = rho * state.targets[k] - state.values[k]
        if score + state.no_growth[k] > top:
            top, i = score + state.no_growth[k], k
        if score + state.no_shrinking[k] < bottom:
            bottom, j = score + state.no_shrinking[k], k
    return top - bottom, i, j


@compiled(inline=True)
def mix_pairs(state: DescentState) -> int:
    """Write the feasible direction that mixes the pairs, each point once; return its size."""
    points, direction = state.points, state.direction
    direction[0], direction[1] = 1.0, -1.0
    if points[2] < 0:
        return 2
    falling = state.targets[points[0]] - state.targets[points[1]]
    rising = state.targets[points[2]] - state.targets[points[3]]
    share = rising / (rising - falling)
    direction[0], direction[1], direction[2], direction[3] = share, -share, 1.0 - share, share - 1.0
    n = 2
    for index in range(2, 4):
        twin = -1
        for before in range(n):
            if points[before] == points[index]:
                twin = before
        if twin >= 0:
            direction[twin] += direction[index]
        else:
            points[n], direction[n] = points[index], direction[index]
            n += 1
    return n


@compiled(inline=True)
def take_step(state: DescentState, n: int, rate: float) -> None:
    """Step to the least objective or the first bound; the objective falls at `rate` at first."""
    points, direction = state.points, state.direction
    curvature = 0.0
    for a in range(n):
        for b in range(n):
            curvature += direction[a] * direction[b] * row_of(state, points[a])[points[b]]
        curvature += state.ridge * direction[a] * direction[a]
    length, first = rate / max(curvature, LEAST_CURVATURE), -1
    for a in range(n):
        room = room_for(state, points[a], direction[a])
        if room < length:
            length, first = room, a
    for a in range(n):
        change = length * direction[a]
        coef = state.coef[points[a]] + change
        set_coef(state, points[a], coef if a != first else beyond(direction[a]))
        state.values[points[a]] += state.ridge * change
    add_two_rows(state, points[0], points[1], length * direction[0], length * direction[1])
    if n == 3:
        add_two_rows(state, points[2], points[2], length * direction[2], 0.0)
    elif n == 4:
        add_two_rows(state, points[2], points[3], length * direction[2], length * direction[3])


@compiled(inline=True)
def room_for(state: DescentState, point: int, speed: float) -> float:
    """Return the step after which a coefficient, changing at `speed`, meets its bound."""
    if speed == 0.0:
        return np.inf
    low = min(state.labels[point], 0.0)
    return (
        (low + 1.0 - state.coef[point]) / speed
        if speed > 0.0
        else (low - state.coef[point]) / speed
    )


@compiled(inline=True)
def beyond(speed: float) -> float:
    """Return a coefficient beyond the bound that one changing at `speed` meets."""
    return np.inf if speed > 0.0 else -np.inf


@compiled
def set_coef(state: DescentState, point: int, coef: float) -> None:
    """Set a coefficient, no further than to its bounds, and note where it can go from there."""
    low = min(state.labels[point], 0.0)
    high = low + 1.0
    if coef >= high - AT_BOUND:
        coef = high
    elif coef <= low + AT_BOUND:
        coef = low
    state.coef[point] = coef
    state.no_growth[point] = -np.inf if coef == high else 0.0
    state.no_shrinking[point] = np.inf if coef == low else 0.0


@compiled
def add_two_rows(state: DescentState, i: int, j: int, weight: float, other: float) -> None:
    """Add weight K_i + other K_j to the values."""
    first, second, values = row_of(state, i), row_of(state, j), state.values
    for k in range(values.size):
        values[k] += weight * first[k] + other * second[k]


@compiled
def row_of(state: DescentState, point: int) -> NDArray[Any]:
    """Return a member's kernel values with all members, copied once: most are never needed."""
    slot = state.slots[point]
    if slot < 0:
        slot = state.n_filled[0]  # one after another: pages of memory never reached cost nothing
        source, target, members = (
            state.gram[state.members[point]],
            state.buffer[slot],
            state.members,
        )
        for k in range(members.size):
            target[k] = source[members[k]]
        state.slots[point] = slot
        state.n_filled[0] += 1
    return state.rows[slot]


@compiled
def certify(state: DescentState) -> None:
    """Compute objective, sum |u| and the duality gap at the present rho and b.

    The gap is a sum of terms >= 0, one a point: 0 where that is optimal.
    """
    objective = gap = size = 0.0
    rho, intercept = state.rho[0], state.intercept[0]
    for k in range(state.coef.size):
        label, coef, value = state.labels[k], state.coef[k], state.values[k]
        surplus = label * (value + intercept - rho * state.targets[k])  # y f - D rho
        alpha = label * coef
        gap += alpha * surplus if surplus > 0.0 else (alpha - 1.0) * surplus
        objective += 0.5 * coef * value
        size += alpha
    state.objective[0], state.gap[0], state.size[0] = objective, gap, size
