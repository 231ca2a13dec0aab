"""Minimise exactly over the face of the feasible set that the descent has reached. Compiled.

The steps of `descent` need millions of repetitions where the kernel is smooth and the optimum
small. There the descent is interrupted by Newton's step on the free coefficients, with a Cholesky
factor of their Gram matrix; whenever it meets a bound, that coefficient leaves the face and the
factor. The steps in between free some coefficients and bind hardly any, so that the factor is kept
and grows by rows.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ensvm.array_types import Vector
from ensvm.compiled import compiled
from ensvm.solvers.cholesky_update import (
    Count,
    add_products,
    append_rows,
    append_rows_in_blocks,
    delete_row,
    dot,
    solve_backward,
    solve_forward,
)
from ensvm.solvers.weighted_nu_svm.descent import (
    DescentState,
    Integers,
    beyond,
    room_for,
    row_of,
    set_coef,
)

# Free coefficients beyond which the factor, of cubic cost, takes longer than the steps that it
# saves
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

    points: Integers  # (c,), the first `size`: the free coefficients in the order of the factor
    # (c, at least c), the first `size` rows and columns: the Cholesky factor L of their Gram matrix
    lower: Vector
    rotated: Vector  # (3, c): L^{-1} times ones, targets and gradient
    size: Integers  # (1,)
    rotations: Vector  # (2, c), worked on where a point leaves the factor
    ones: Vector  # (c,)
    # (c,) each, in the order of the factor: targets, a step, and, of the points that were free at
    # the beginning, the coefficients then and what has changed since
    targets: Vector
    step: Vector
    before: Vector
    changes: Vector
    moved: Integers  # (c,), those points
    slots: Integers  # (c,), where their rows are
    # (n,), of all coefficients: False but while the face is brought up to date
    listed: NDArray[np.bool_]


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


@compiled
def newton_steps(state: DescentState, face: Face, n: Count) -> None:
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


@compiled
def add_changes(state: DescentState, face: Face, n: Count) -> None:
    """Bring the values up to changes of the coefficients of the first n points moved."""
    for k in range(n):
        face.slots[k] = state.slots[face.moved[k]]
    add_products(state.rows, face.slots[:n], face.changes, state.values)
    for k in range(n):
        state.values[face.moved[k]] += state.ridge * face.changes[k]


@compiled(inline=True)
def is_free(state: DescentState, point: int) -> bool:
    """Return whether a coefficient is on neither of its bounds."""
    return state.no_growth[point] == 0.0 and state.no_shrinking[point] == 0.0


@compiled
def gather_face(state: DescentState, face: Face, ridge: float) -> tuple[Count, Count]:
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


@compiled
def rotate_gradient(state: DescentState, face: Face, n: Count) -> None:
    """Write L^{-1} times the gradient at the points of the face."""
    none = np.int64(0)
    for a in range(n):
        face.rotated[2, a] = state.values[face.points[a]]
    solve_forward(face.lower, face.rotated[2], n, none)


@compiled(inline=True)
def add_to_face(state: DescentState, face: Face, n_kept: Count) -> None:
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


@compiled(inline=True)
def find_newton_step(state: DescentState, face: Face, n: Count) -> None:
    """Write the step of n points to the least objective that keeps both equalities."""
    for k in range(n):
        face.step[k], face.targets[k] = -face.rotated[2, k], state.targets[face.points[k]]
    take_part_out(face.rotated[0], face.rotated[1], face.step, n)
    solve_backward(face.lower, face.step, n)
    # Once more, since an ill-conditioned factor makes steps so long that their roundings would
    # break the equalities.
    take_part_out(face.ones, face.targets, face.step, n)


@compiled
def take_part_out(first: Vector, second: Vector, vector: Vector, n: Count) -> None:
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


@compiled
def drop_bound(state: DescentState, face: Face, n: Count) -> Count:
    """Take the points on a bound out of the first n of the factor, and return how many are left."""
    for k in range(n - 1, -1, -1):
        point = face.points[k]
        if state.no_growth[point] != 0.0 or state.no_shrinking[point] != 0.0:
            delete_row(face.lower, face.rotated, k, n, face.rotations)
            for j in range(k, n - 1):
                face.points[j] = face.points[j + 1]
            n -= 1
    return n
