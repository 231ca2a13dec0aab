"""Compiled operations on rows of matrices: their sums, and a Cholesky factor kept up to date.

The factor of a Gram matrix is stored by rows and updated while points come and go.
"""

import math
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dpotrf, dtrtrs

from ensvm.array_types import Vector
from ensvm.compiled import compiled

Count: TypeAlias = int | np.int64

# A pivot is lifted to this part of its diagonal entry, so that the factor is never singular: above
# what rounding leaves of a pivot that is 0, below what a solution shows. Free points that depend
# linearly on each other then merely change fast, until one of them meets a bound and leaves, while
# their margins drift by no more than this part.
PIVOT_FLOOR = 1e-13
# Where the diagonal entry is 0, which takes a matrix that is not positive semidefinite
SMALLEST_PIVOT = 1e-200

# Lets the compiler vectorise sums; NaN and infinity keep their meaning
_REDUCTION = {"reassoc", "contract", "nsz"}


@compiled(at_once=True, fastmath=_REDUCTION)
def dot(a: Vector, b: Vector, n: Count) -> float:
    """Return the inner product of the first n entries."""
    total = 0.0
    for k in range(n):
        total += a[k] * b[k]
    return total


@compiled(at_once=True)
def add_products(
    gram: NDArray[Any], points: NDArray[np.integer], weights: Vector, out: Vector
) -> None:
    """Add sum_j weights_j gram[points_j] to out.

    Four rows of the Gram matrix at a time, so that `out` is read and written less often.
    """
    whole = points.size - points.size % 4
    for j in range(0, whole, 4):
        a, b, c, d = gram[points[j]], gram[points[j + 1]], gram[points[j + 2]], gram[points[j + 3]]
        wa, wb, wc, wd = weights[j], weights[j + 1], weights[j + 2], weights[j + 3]
        for k in range(out.size):
            out[k] += (wa * a[k] + wb * b[k]) + (wc * c[k] + wd * d[k])
    for j in range(whole, points.size):
        row, weight = gram[points[j]], weights[j]
        for k in range(out.size):
            out[k] += weight * row[k]


@compiled(at_once=True)
def solve_forward(lower: Vector, x: Vector, n: Count, n_done: Count) -> None:
    """Overwrite x with L^{-1} x; its first `n_done` entries are that already."""
    for i in range(n_done, n):
        x[i] = (x[i] - dot(lower[i], x, i)) / lower[i, i]


@compiled(at_once=True)
def solve_backward(lower: Vector, x: Vector, n: Count) -> None:
    """Overwrite x with L^{-T} x."""
    for i in range(n - 1, -1, -1):
        x[i] /= lower[i, i]
        scale, row = x[i], lower[i]
        for k in range(i):
            x[k] -= scale * row[k]


@compiled(inline=True)
def finish_row(lower: Vector, n: Count, n_done: Count) -> None:
    """Turn row n of the matrix into the factor's; its first `n_done` entries are done."""
    row = lower[n]
    solve_forward(lower, row, n, n_done)
    least = max(PIVOT_FLOOR * row[n], SMALLEST_PIVOT)
    row[n] = math.sqrt(max(row[n] - dot(row, row, n), least))


@compiled(at_once=True)
def append_rows(lower: Vector, vectors: Vector, n_done: Count, n: Count) -> None:
    """Turn rows `n_done` to n - 1 of a matrix's lower triangle into its Cholesky factor's.

    The rows above are the factor's already. The rows of `vectors`, solutions L^{-1} v up to
    `n_done`, go on from there. Pivots are lifted as by `finish_row`.
    """
    none = np.int64(0)  # for a literal 0 all that it is handed to would be compiled once more
    for k in range(n_done, n):
        finish_row(lower, k, none)
    for vector in vectors:
        solve_forward(lower, vector, n, n_done)


def append_rows_in_blocks(lower: Vector, vectors: Vector, n_done: Count, n: Count) -> bool:
    """Do what `append_rows` does by LAPACK; return False, with nothing changed, if it cannot.

    It cannot where a pivot would have to be lifted. `lower` is C-contiguous.
    """
    if n_done == n:
        return True
    # LAPACK reads a row as a column: what is lower by rows is upper by columns.
    new, corner = lower[n_done:n, :n_done].T, lower[n_done:n, n_done:n].T
    diagonal = corner.diagonal().copy()
    solved, remainder = new, np.array(corner, order="F")
    if n_done:
        solved, _ = dtrtrs(lower[:n_done].T, new, trans=1)
        remainder = dsyrk(-1.0, solved, 1.0, remainder, trans=1, overwrite_c=1)
    factor, failed = dpotrf(remainder, clean=0, overwrite_a=1)
    if failed or not (factor.diagonal() ** 2 > 2.0 * PIVOT_FLOOR * diagonal).all():
        return False
    new[:], corner[:] = solved, factor
    for vector in vectors:
        right = vector[n_done:n] - solved.T @ vector[:n_done]
        vector[n_done:n] = solve_triangular(factor, right, trans="T", check_finite=False)
    return True


@compiled(at_once=True)
def delete_row(lower: Vector, vectors: Vector, deleted: Count, n: Count, rotations: Vector) -> None:
    """Take row `deleted` out of the first n of the factor, and of solutions L^{-1} v.

    Those are the rows of `vectors`. Plane rotations on neighbouring columns are applied row by row,
    since rows are what lies together in memory; `rotations`, shape (2, at least n), is worked on.
    """
    cosines, sines = rotations[0], rotations[1]
    for i in range(deleted + 1, n):
        row, target = lower[i], lower[i - 1]
        for k in range(deleted):
            target[k] = row[k]
        carry, n_done = row[deleted], i - deleted - 1
        for k in range(n_done):
            following = row[deleted + k + 1]
            target[deleted + k] = cosines[k] * carry + sines[k] * following
            carry = cosines[k] * following - sines[k] * carry
        # The next rotation makes the last entry 0.
        last = row[i]
        length = math.hypot(carry, last)
        cosines[n_done], sines[n_done] = carry / length, last / length
        target[i - 1] = length
    for v in range(vectors.shape[0]):
        vector = vectors[v]
        carry = vector[deleted]
        for k in range(n - deleted - 1):
            following = vector[deleted + k + 1]
            vector[deleted + k] = cosines[k] * carry + sines[k] * following
            carry = cosines[k] * following - sines[k] * carry
