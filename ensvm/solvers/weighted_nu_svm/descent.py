"""The descent on the dual of the nu-SVM: steps in three coefficients, and faces. Compiled.

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

Such steps need millions of repetitions where the kernel is smooth and the optimum small. There the
descent is interrupted to minimise exactly over the face of the feasible set that it has reached:
Newton's step on the free coefficients, by a Cholesky factor of their Gram matrix; whenever it meets
a bound, that coefficient leaves the face and the factor. The steps in between free some
coefficients and bind hardly any, so that the factor is kept and grows by rows.
"""

from typing import Any, NamedTuple

import numpy as np

from ensvm.compiled import inlined, internal, njit
from ensvm.solvers.cholesky_update import (
    add_products,
    append_rows,
    append_rows_in_blocks,
    delete_row,
    dot,
    solve_backward,
    solve_forward,
)

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

    gram: Any  # (m, m), the whole Gram matrix, for reading only
    members: Any  # (n,), the rows of it that take part
    # (n, at least n), rows of it among the members, in the order of their first use, for reading
    # only
    rows: Any
    buffer: Any  # the same memory as `rows`; empty where that is the Gram matrix itself
    slots: Any  # (n,), where in `rows` a member's row is, -1 where it is not filled in
    n_filled: Any  # (1,)
    labels: Any  # (n,)
    targets: Any  # (n,) beta, its absolute values 1 on average
    coef: Any  # (n,) u
    values: Any  # (n,) g = Ku, the ridge included
    ridge: Any  # a number >= 0 added to the diagonal of the Gram matrix
    no_growth: Any  # (n,) 0, or -inf where u is at its upper bound
    no_shrinking: Any  # (n,) 0, or inf where u is at its lower bound
    lines: Any  # (2, 2), the pairs of the falling and the rising line; -1 where there is none
    rho: Any  # (1,)
    intercept: Any  # (1,) b
    gap: Any  # (1,), the duality gap when last certified
    objective: Any  # (1,), u'Ku / 2 then, the ridge included
    size: Any  # (1,), sum |u| then
    points: Any  # (4,), those of a step's direction
    direction: Any  # (4,), how fast their coefficients change


@njit
def descend(state, tol, floor, most):  # type: ignore[no-untyped-def]
    """Take `most` steps, or fewer if the gap falls to tol objective or to floor (sum |u|)^2.

    Return the steps taken; fewer than `most`, too, where rounding leaves no direction.
    """
    for step in range(most):
        violation, rate = find_direction(state)
        if violation <= 0.0 or step % CHECK_EVERY == 0:
            certify(state)
            if violation <= 0.0 or gap_closed(state, tol, floor):
                return step
        if rate <= 0.0:
            return step
        take_step(state, combine(state), rate)
    return most


@inlined
def gap_closed(state, tol, floor):  # type: ignore[no-untyped-def]
    """Return whether the gap last found is within the tolerance or within rounding."""
    size = state.size[0]
    return state.gap[0] <= max(tol * state.objective[0], floor * size * size)


@njit
def find_direction(state):  # type: ignore[no-untyped-def]
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


@inlined
def drop_blocked_lines(state):  # type: ignore[no-untyped-def]
    """Forget the lines of the last step whose pair has no room for another step."""
    for kind in range(2):
        i, j = state.lines[kind, 0], state.lines[kind, 1]
        if i >= 0 and (state.no_growth[i] != 0.0 or state.no_shrinking[j] != 0.0):
            state.lines[kind, 0] = -1


@inlined
def meeting_point(state):  # type: ignore[no-untyped-def]
    """Return the rho at which the two lines meet, and their height there."""
    a, b = state.lines[FALLING, 0], state.lines[FALLING, 1]
    c, d = state.lines[RISING, 0], state.lines[RISING, 1]
    falling, rising = state.targets[a] - state.targets[b], state.targets[c] - state.targets[d]
    first, second = state.values[b] - state.values[a], state.values[d] - state.values[c]
    crossing = (first - second) / (rising - falling)
    return crossing, first + falling * crossing


@inlined
def largest_violation(state, rho):  # type: ignore[no-untyped-def]
    """Return v(rho) and its pair, the smallest index among ties."""
    top, bottom, i, j = -np.inf, np.inf, 0, 0
    for k in range(state.targets.size):
        score = rho * state.targets[k] - state.values[k]
        if score + state.no_growth[k] > top:
            top, i = score + state.no_growth[k], k
        if score + state.no_shrinking[k] < bottom:
            bottom, j = score + state.no_shrinking[k], k
    return top - bottom, i, j


@inlined
def combine(state):  # type: ignore[no-untyped-def]
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


@inlined
def take_step(state, n, rate):  # type: ignore[no-untyped-def]
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


@inlined
def room_for(state, point, speed):  # type: ignore[no-untyped-def]
    """Return the step after which a coefficient, changing at `speed`, meets its bound."""
    if speed == 0.0:
        return np.inf
    low = min(state.labels[point], 0.0)
    return (
        (low + 1.0 - state.coef[point]) / speed
        if speed > 0.0
        else (low - state.coef[point]) / speed
    )


@inlined
def beyond(speed):  # type: ignore[no-untyped-def]
    """Return a coefficient beyond the bound that one changing at `speed` meets."""
    return np.inf if speed > 0.0 else -np.inf


@internal
def set_coef(state, point, coef):  # type: ignore[no-untyped-def]
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


@internal
def add_two_rows(state, i, j, weight, other):  # type: ignore[no-untyped-def]
    """Add weight K_i + other K_j to the values."""
    first, second, values = row_of(state, i), row_of(state, j), state.values
    for k in range(values.size):
        values[k] += weight * first[k] + other * second[k]


@internal
def row_of(state, point):  # type: ignore[no-untyped-def]
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


@njit
def certify(state):  # type: ignore[no-untyped-def]
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


# Free coefficients beyond which the factor, of cubic cost, takes longer than the steps that it
# saves. At 12,800 rows of waveform boosting meets 3,100 of them; steps alone then take ten times
# as long as a face.
LARGEST_FACE = 6000
# From so many free coefficients on, and so many new ones, LAPACK extends the factor: several times
# faster, but its sums are added in another order.
BLOCKED_FACE = 1024
BLOCKED_ROWS = 16
# Roundings of the matrix's own precision, added to its diagonal: it may be indefinite by as much
RIDGE = 16.0
# Where more than one in so many of the factor's points has gone, it is made anew: that takes less
# time than to take them out (`constants` in benchmarks/weighted_nu_svm.py)
MOST_DELETED = 16
# Relative determinant below which the two equalities are one on the face, as where it has one class
# and equal D
SAME_TARGETS = 1e-12


class Face(NamedTuple):
    """The free coefficients of the last minimisation and their factor, for the next one."""

    points: Any  # (c,), the first `size`: the free coefficients in the order of the factor
    # (c, at least c), the first `size` rows and columns: the Cholesky factor L of their Gram matrix
    lower: Any
    rotated: Any  # (3, c): L^{-1} times ones, targets and gradient
    size: Any  # (1,)
    rotations: Any  # (2, c), worked on where a point leaves the factor
    ones: Any  # (c,)
    # (c,) each, in the order of the factor: targets, a step, and, of the points that were free at
    # the beginning, the coefficients then and what has changed since
    targets: Any
    step: Any
    before: Any
    changes: Any
    moved: Any  # (c,), those points
    slots: Any  # (c,), where their rows are
    listed: Any  # (n,), of all coefficients: False but while the face is brought up to date


def new_face(n: int) -> Face:
    """Return an empty face of n points at most, `LARGEST_FACE` if n is more."""
    most = min(n, LARGEST_FACE)
    # An odd number of cache lines: rows a power of 2 apart would displace each other.
    width = 8 * ((most + 7) // 8 | 1)
    targets, step, before, changes = np.empty((4, most))
    moved, slots = np.empty((2, most), np.int64)
    return Face(
        points=np.empty(most, np.int64),
        lower=np.empty((most, width)),
        rotated=np.empty((3, most)),
        size=np.zeros(1, np.int64),
        rotations=np.empty((2, most)),
        ones=np.ones(most),
        targets=targets,
        step=step,
        before=before,
        changes=changes,
        moved=moved,
        slots=slots,
        listed=np.zeros(n, np.bool_),
    )


def minimise_over_face(state: DescentState, face: Face, ridge: float) -> None:
    """Minimise over the free coefficients with all others fixed; `ridge` makes their factor exist.

    Nothing is done if they are fewer than two or more than `LARGEST_FACE`, or if rounding made the
    objective rise.
    """
    n = update_face(state, face, ridge)
    if n >= 2:
        newton_steps(state, face, n)


def update_face(state: DescentState, face: Face, ridge: float) -> int:
    """Bring the face up to the present free coefficients; return their number, 0 if too many."""
    n_kept, n = gather_face(state, face, ridge)
    blocked = n >= BLOCKED_FACE and n - n_kept >= BLOCKED_ROWS
    if not blocked or not append_rows_in_blocks(face.lower, face.rotated[:2], n_kept, n):
        append_rows(face.lower, face.rotated[:2], n_kept, n)
    rotate_gradient(state, face, n)
    return int(n)


@njit
def newton_steps(state, face, n):  # type: ignore[no-untyped-def]
    """Minimise over the n points of the face, whose factor is up to date."""
    points, moved, step, n_moved = face.points, face.moved, face.step, n
    for k in range(n):
        moved[k], face.before[k] = points[k], state.coef[points[k]]
    objective = dot(state.coef, state.values, state.coef.size)
    while n >= 2:
        find_newton_step(state, face, n)
        total = 0.0
        for k in range(n):
            total += step[k]
        if not abs(total) < np.inf:  # the matrix is too far from positive semidefinite
            n = 0
            break
        length, first = 1.0, -1
        for k in range(n):
            room = room_for(state, points[k], step[k])
            if room < length:
                length, first = room, k
        for k in range(n):
            coef = state.coef[points[k]] + length * step[k]
            set_coef(state, points[k], coef if k != first else beyond(step[k]))
        if first < 0:
            break
        # What the step has left of the gradient; the part that the equalities take up plays no
        # role.
        for k in range(n):
            face.rotated[2, k] *= 1.0 - length
        n = drop_bound(state, face, n)
    face.size[0] = n
    for k in range(n_moved):
        face.changes[k] = state.coef[moved[k]] - face.before[k]
    add_changes(state, face, n_moved)
    if not dot(state.coef, state.values, state.coef.size) <= objective:
        for k in range(n_moved):
            face.changes[k] = face.before[k] - state.coef[moved[k]]
            set_coef(state, moved[k], face.before[k])
        add_changes(state, face, n_moved)
        face.size[0] = 0


@internal
def add_changes(state, face, n):  # type: ignore[no-untyped-def]
    """Bring the values up to changes of the coefficients of the first n points moved."""
    for k in range(n):
        face.slots[k] = state.slots[face.moved[k]]
    add_products(state.rows, face.slots[:n], face.changes, state.values)
    for k in range(n):
        state.values[face.moved[k]] += state.ridge * face.changes[k]


@inlined
def is_free(state, point):  # type: ignore[no-untyped-def]
    """Return whether a coefficient is on neither of its bounds."""
    return state.no_growth[point] == 0.0 and state.no_shrinking[point] == 0.0


@njit
def gather_face(state, face, ridge):  # type: ignore[no-untyped-def]
    """Write the rows of newly free coefficients below the factor of those that stay.

    Return how many stay and the number of all, 0 if they are too many for a face.
    """
    points, lower, rotated = face.points, face.lower, face.rotated
    none = np.int64(0)  # for a literal 0 all that it is handed to would be compiled once more
    n = n_stay = none
    for point in range(state.coef.size):
        n += is_free(state, point)
    if n > points.size:
        face.size[0] = 0
        return none, none
    n_kept = face.size[0]
    for k in range(n_kept):
        n_stay += is_free(state, points[k])
    n_kept = none if MOST_DELETED * (n_kept - n_stay) > n_kept else drop_bound(state, face, n_kept)
    add_to_face(state, face, n_kept)
    for a in range(n_kept, n):
        row = row_of(state, points[a])
        for b in range(a + 1):
            lower[a, b] = row[points[b]]
        lower[a, a] += ridge + state.ridge
        rotated[0, a], rotated[1, a] = 1.0, state.targets[points[a]]
    face.size[0] = n
    return n_kept, n


@njit
def rotate_gradient(state, face, n):  # type: ignore[no-untyped-def]
    """Write L^{-1} times the gradient at the points of the face."""
    none = np.int64(0)
    for a in range(n):
        face.rotated[2, a] = state.values[face.points[a]]
    solve_forward(face.lower, face.rotated[2], n, none)


@inlined
def add_to_face(state, face, n_kept):  # type: ignore[no-untyped-def]
    """Write the free coefficients that are not among the first `n_kept` after these, ascending."""
    n = n_kept
    for k in range(n_kept):
        face.listed[face.points[k]] = True
    for point in range(state.coef.size):
        if is_free(state, point) and not face.listed[point]:
            face.points[n] = point
            n += 1
    for k in range(n_kept):
        face.listed[face.points[k]] = False


@inlined
def find_newton_step(state, face, n):  # type: ignore[no-untyped-def]
    """Write the step of n points to the least objective that keeps both equalities."""
    for k in range(n):
        face.step[k], face.targets[k] = -face.rotated[2, k], state.targets[face.points[k]]
    take_part_out(face.rotated[0], face.rotated[1], face.step, n)
    solve_backward(face.lower, face.step, n)
    # Once more, since an ill-conditioned factor makes steps so long that their roundings would
    # break the equalities.
    take_part_out(face.ones, face.targets, face.step, n)


@internal
def take_part_out(first, second, vector, n):  # type: ignore[no-untyped-def]
    """Leave of the first n entries of a vector what is orthogonal to those of two others."""
    a, b, c = dot(first, first, n), dot(first, second, n), dot(second, second, n)
    p, q = dot(first, vector, n), dot(second, vector, n)
    determinant = a * c - b * b
    if determinant > SAME_TARGETS * a * c:
        first_part, second_part = (c * p - b * q) / determinant, (a * q - b * p) / determinant
        for k in range(n):
            vector[k] = vector[k] - first_part * first[k] - second_part * second[k]
    else:
        part = p / a
        for k in range(n):
            vector[k] -= part * first[k]


@internal
def drop_bound(state, face, n):  # type: ignore[no-untyped-def]
    """Take the points on a bound out of the first n of the factor, and return how many are left."""
    for k in range(n - 1, -1, -1):
        point = face.points[k]
        if state.no_growth[point] != 0.0 or state.no_shrinking[point] != 0.0:
            delete_row(face.lower, face.rotated, k, n, face.rotations)
            for j in range(k, n - 1):
                face.points[j] = face.points[j + 1]
            n -= 1
    return n
