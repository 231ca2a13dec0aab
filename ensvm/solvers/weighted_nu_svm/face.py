"""Minimising the nu-SVM's dual over the coefficients between their bounds, all at once.

Steps in three coefficients need millions of repetitions where the kernel is smooth and the optimum
small. There the descent is interrupted for exact minimisation over the face of the feasible set
that it has reached: Newton's step on the free coefficients, by a Cholesky factor of their Gram
matrix; whenever it meets a bound, that coefficient leaves the face and the factor. The steps in
between free some and bind hardly any, so that the factor is kept and grows by rows.
"""

from typing import Any, NamedTuple

import numpy as np

from ensvm.compiled import njit
from ensvm.solvers.cholesky_update import (
    append_rows,
    delete_row,
    dot,
    solve_backward,
    solve_forward,
)
from ensvm.solvers.regularization_path.events import add_products
from ensvm.solvers.weighted_nu_svm.steps import room_for, row_of, set_coef

# Free coefficients beyond which the factor, of cubic cost, takes longer than the steps that it
# saves (`constants` in benchmarks/weighted_nu_svm.py, at m = 5000)
LARGEST_FACE = 3000
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


def new_face(n: int) -> Face:
    """Return an empty face of n points at most, `LARGEST_FACE` if n is more."""
    most = min(n, LARGEST_FACE)
    width = 8 * (
        (most + 7) // 8 | 1
    )  # an odd number of cache lines: rows a power of 2 apart would displace each other
    return Face(
        np.empty(most, np.int64),
        np.empty((most, width)),
        np.empty((3, most)),
        np.zeros(1, np.int64),
    )


@njit
def minimise_over_face(state, face, ridge):  # type: ignore[no-untyped-def]
    """Minimise over the free coefficients with all others fixed; `ridge` makes their factor exist.

    Nothing is done if they are fewer than two or more than `LARGEST_FACE`, or if rounding made the
    objective rise.
    """
    n = update_face(state, face, ridge)
    if n < 2:
        return
    lower, rotated, points = face.lower, face.rotated, face.points
    moved = points[:n].copy()
    before, objective = state.coef[moved], dot(state.coef, state.values, state.coef.size)
    while n >= 2:
        step = newton_step(state, lower, rotated, points[:n])
        if not np.isfinite(step.sum()):  # the matrix is too far from positive semidefinite
            n = 0
            break
        length, first = 1.0, -1
        for k in range(n):
            room = room_for(state, points[k], step[k])
            if room < length:
                length, first = room, k
        for k in range(n):
            set_coef(
                state, points[k], state.coef[points[k]] + length * step[k], k == first, step[k]
            )
        if first < 0:
            break
        # What the step has left of the gradient; the part that the equalities take up plays no
        # role.
        rotated[2, :n] *= 1.0 - length
        n = drop_bound(state, face, n)
    face.size[0] = n
    add_changes(state, moved, state.coef[moved] - before)
    if not dot(state.coef, state.values, state.coef.size) <= objective:
        changes = before - state.coef[moved]
        for k in range(moved.size):
            set_coef(state, moved[k], before[k], False, 0.0)
        add_changes(state, moved, changes)
        face.size[0] = 0


@njit
def add_changes(state, points, changes):  # type: ignore[no-untyped-def]
    """Bring the values up to changes of the coefficients of some points."""
    add_products(state.rows, state.places[points], changes, state.values)
    for k in range(points.size):
        state.values[points[k]] += state.ridge * changes[k]


@njit
def update_face(state, face, ridge):  # type: ignore[no-untyped-def]
    """Bring the face up to the present free coefficients; return their number, 0 if too many."""
    free = (state.no_growth == 0.0) & (state.no_shrinking == 0.0)
    points, lower, rotated = face.points, face.lower, face.rotated
    n = free.sum()
    if n > points.size:
        face.size[0] = 0
        return 0
    known = face.size[0]
    stay = free[points[:known]].sum()
    known = 0 if MOST_DELETED * (known - stay) > known else drop_bound(state, face, known)
    free[points[:known]] = False
    points[known:n] = np.flatnonzero(free)
    for a in range(known, n):
        row = row_of(state, points[a])
        for b in range(a + 1):
            lower[a, b] = row[points[b]]
        lower[a, a] += ridge + state.ridge
        rotated[0, a], rotated[1, a] = 1.0, state.targets[points[a]]
    append_rows(lower, rotated[:2], known, n)
    rotated[2, :n] = state.values[points[:n]]
    solve_forward(lower, rotated[2], n)
    face.size[0] = n
    return n


@njit
def newton_step(state, lower, rotated, points):  # type: ignore[no-untyped-def]
    """Return the step of the points to the least objective that keeps both equalities."""
    n = points.size
    step = without_part_in(rotated[0, :n], rotated[1, :n], -rotated[2, :n])
    solve_backward(lower, step, n)
    # Once more, since an ill-conditioned factor makes steps so long that their roundings would
    # break the equalities.
    return without_part_in(np.ones(n), state.targets[points], step)


@njit
def without_part_in(first, second, vector):  # type: ignore[no-untyped-def]
    """Return the part of a vector that is orthogonal to two others."""
    n = vector.size
    a, b, c = dot(first, first, n), dot(first, second, n), dot(second, second, n)
    p, q = dot(first, vector, n), dot(second, vector, n)
    determinant = a * c - b * b
    if determinant > SAME_TARGETS * a * c:
        return (
            vector - (c * p - b * q) / determinant * first - (a * q - b * p) / determinant * second
        )
    return vector - p / a * first


@njit
def drop_bound(state, face, n):  # type: ignore[no-untyped-def]
    """Take the points on a bound out of the first n of the factor, and return how many are left."""
    for k in range(n - 1, -1, -1):
        point = face.points[k]
        if state.no_growth[point] != 0.0 or state.no_shrinking[point] != 0.0:
            delete_row(face.lower, face.rotated, k, n)
            for j in range(k, n - 1):
                face.points[j] = face.points[j + 1]
            n -= 1
    return n
