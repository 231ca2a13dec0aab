"""Minimising the weighted nu-SVM's dual over the coefficients strictly between their bounds, all at once. Compiled.

Steps in three coefficients need millions of repetitions where the kernel is smooth and the optimum small. There the descent is
interrupted for exact minimisation over the face of the feasible set that it has reached: Newton's step on the free coefficients, by a
Cholesky factor of their Gram matrix; whenever it meets a bound, that coefficient leaves the face and the factor.

numba's cache notices changes in the file of the calling function only: whoever changes `path_factor` or
`weighted_nu_svm_factor` touches this one too.
"""

import numpy as np
from numba import njit

from ensvm.solvers.path_factor import dot, solve_backward, solve_forward
from ensvm.solvers.weighted_nu_svm_factor import delete_point, factorise
from ensvm.solvers.weighted_nu_svm_steps import place, room_for, row_of

# Free coefficients beyond which the factor, of cubic cost, takes longer than the steps that it saves
LARGEST_FACE = 3000
RIDGE = 16.0  # roundings of the matrix's own precision, added to its diagonal: it may be indefinite by as much
SAME_TARGETS = 1e-12  # relative determinant below which the two equalities are one on the face, as where it has one class and equal D


@njit(cache=True)
def minimise_over_face(state, ridge):  # type: ignore[no-untyped-def]
    """Minimise over the free coefficients with all others fixed; `ridge` is added to the diagonal.

    Nothing is done if they are fewer than two or more than `LARGEST_FACE`, or if rounding made the objective rise.
    """
    face = np.flatnonzero((state.no_growth == 0.0) & (state.no_shrinking == 0.0))
    n = face.size
    if n < 2 or n > LARGEST_FACE:
        return
    before, objective = state.coef[face].copy(), dot(state.coef, state.values, state.coef.size)
    lower, rotated = factor_of(state, face, ridge)
    points = face.copy()
    while n >= 2:
        step = newton_step(state, lower, rotated, points[:n])
        if not np.isfinite(step.sum()):  # the matrix is too far from positive semidefinite
            break
        length, first = 1.0, -1
        for k in range(n):
            room = room_for(state, points[k], step[k])
            if room < length:
                length, first = room, k
        for k in range(n):
            place(state, points[k], state.coef[points[k]] + length * step[k], k == first, step[k])
        if first < 0:
            break
        # What the step has left of the gradient; the part that the equalities take up plays no role.
        rotated[2, :n] *= 1.0 - length
        n = drop_bound(state, lower, rotated, points, n)
    add_changes(state, face, state.coef[face] - before)
    if not dot(state.coef, state.values, state.coef.size) <= objective:
        changes = before - state.coef[face]
        for k in range(face.size):
            place(state, face[k], before[k], False, 0.0)
        add_changes(state, face, changes)


@njit(cache=True)
def factor_of(state, face, ridge):  # type: ignore[no-untyped-def]
    """Return the Cholesky factor L of the face's Gram matrix, and L^{-1} times ones, targets and gradient, one a row."""
    n = face.size
    lower, rotated = np.empty((n, n)), np.empty((3, n))
    for a in range(n):
        row = row_of(state, face[a])
        for b in range(a + 1):
            lower[a, b] = row[face[b]]
        lower[a, a] += ridge
        rotated[0, a], rotated[1, a], rotated[2, a] = 1.0, state.targets[face[a]], state.values[face[a]]
    factorise(lower)
    for vector in rotated:
        solve_forward(lower, vector, n)
    return lower, rotated


@njit(cache=True)
def newton_step(state, lower, rotated, points):  # type: ignore[no-untyped-def]
    """Return the step of the points to the least objective on the face on which both equalities stay as they are."""
    n = points.size
    step = without_part_in(rotated[0, :n], rotated[1, :n], -rotated[2, :n])
    solve_backward(lower, step, n)
    # Once more, since an ill-conditioned factor makes steps so long that their roundings would break the equalities.
    return without_part_in(np.ones(n), state.targets[points], step)


@njit(cache=True)
def without_part_in(first, second, vector):  # type: ignore[no-untyped-def]
    """Return the part of a vector that is orthogonal to two others."""
    n = vector.size
    a, b, c = dot(first, first, n), dot(first, second, n), dot(second, second, n)
    p, q = dot(first, vector, n), dot(second, vector, n)
    determinant = a * c - b * b
    if determinant > SAME_TARGETS * a * c:
        return vector - (c * p - b * q) / determinant * first - (a * q - b * p) / determinant * second
    return vector - p / a * first


@njit(cache=True)
def drop_bound(state, lower, rotated, points, n):  # type: ignore[no-untyped-def]
    """Take the coefficients that met a bound out of the factor and return how many are left."""
    for k in range(n - 1, -1, -1):
        point = points[k]
        if state.no_growth[point] != 0.0 or state.no_shrinking[point] != 0.0:
            delete_point(lower, rotated, k, n)
            for j in range(k, n - 1):
                points[j] = points[j + 1]
            n -= 1
    return n


@njit(cache=True)
def add_changes(state, face, changes):  # type: ignore[no-untyped-def]
    """Bring the values up to date with changes of the coefficients of the face."""
    for k in range(face.size):
        if changes[k] != 0.0:
            row = row_of(state, face[k])
            for j in range(state.values.size):
                state.values[j] += changes[k] * row[j]
