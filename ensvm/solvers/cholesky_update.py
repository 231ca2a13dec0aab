"""Compiled operations on rows of matrices: their sums, and a Cholesky factor kept up to date.

The factor of a Gram matrix is stored by rows and updated while points come and go. Sums and
rotations of one row wait for each other. Where several rows are worked on, four at a time fill the
gaps, and what they share is read once; to the last bit it is what one at a time gives.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dpotrf, dtrtrs

from ensvm.compiled import inlined, internal, njit

# A pivot is lifted to this part of its diagonal entry, so that the factor is never singular: above
# what rounding leaves of a pivot that is 0, below what a solution shows. Free points that depend
# linearly on each other then merely change fast, until one of them meets a bound and leaves, while
# their margins drift by no more than this part.
PIVOT_FLOOR = 1e-13
# Where the diagonal entry is 0, which takes a matrix that is not positive semidefinite
SMALLEST_PIVOT = 1e-200

# Lets the compiler vectorise sums; NaN and infinity keep their meaning
_REDUCTION = {"reassoc", "contract", "nsz"}


@internal(fastmath=_REDUCTION)
def dot(a, b, n):  # type: ignore[no-untyped-def]
    """Return the inner product of the first n entries."""
    total = 0.0
    for k in range(n):
        total += a[k] * b[k]
    return total


@njit
def add_products(gram, points, weights, out):  # type: ignore[no-untyped-def]
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


@njit
def solve_forward(lower, x, n, n_done):  # type: ignore[no-untyped-def]
    """Overwrite x with L^{-1} x; its first `n_done` entries are that already."""
    for i in range(n_done, n):
        x[i] = (x[i] - dot(lower[i], x, i)) / lower[i, i]


@njit
def solve_backward(lower, x, n):  # type: ignore[no-untyped-def]
    """Overwrite x with L^{-T} x."""
    for i in range(n - 1, -1, -1):
        x[i] /= lower[i, i]
        scale, row = x[i], lower[i]
        for k in range(i):
            x[k] -= scale * row[k]


@inlined
def finish_row(lower, n, n_done):  # type: ignore[no-untyped-def]
    """Turn row n of the matrix into the factor's; its first `n_done` entries are done."""
    row = lower[n]
    solve_forward(lower, row, n, n_done)
    least = max(PIVOT_FLOOR * row[n], SMALLEST_PIVOT)
    row[n] = math.sqrt(max(row[n] - dot(row, row, n), least))


@njit
def append_rows(lower, vectors, n_done, n):  # type: ignore[no-untyped-def]
    """Turn rows `n_done` to n - 1 of a matrix's lower triangle into its Cholesky factor's.

    The rows above are the factor's already. The rows of `vectors`, solutions L^{-1} v up to
    `n_done`, go on from there. Pivots are lifted as by `finish_row`.
    """
    whole = n - (n - n_done) % 4
    none = np.int64(0)  # for a literal 0 all that it is handed to would be compiled once more
    for start in range(n_done, whole, 4):
        a, b, c, d = lower[start], lower[start + 1], lower[start + 2], lower[start + 3]
        for i in range(start):
            first, second, third, fourth = _four_dots(lower[i], a, b, c, d, i)
            scale = 1.0 / lower[i, i]
            a[i] = (a[i] - first) * scale
            b[i] = (b[i] - second) * scale
            c[i] = (c[i] - third) * scale
            d[i] = (d[i] - fourth) * scale
        for k in range(start, start + 4):
            finish_row(lower, k, start)
    for k in range(whole, n):
        finish_row(lower, k, none)
    for vector in vectors:
        solve_forward(lower, vector, n, n_done)


def append_rows_in_blocks(
    lower: NDArray[np.float64], vectors: NDArray[np.float64], n_done: int, n: int
) -> bool:
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


@internal(fastmath=_REDUCTION)
def _four_dots(row, a, b, c, d, n):  # type: ignore[no-untyped-def]
    """Return the inner products of the first n entries of a row with those of four others."""
    first = second = third = fourth = 0.0
    for k in range(n):
        value = row[k]
        first += value * a[k]
        second += value * b[k]
        third += value * c[k]
        fourth += value * d[k]
    return first, second, third, fourth


@njit
def delete_row(lower, vectors, deleted, n, rotations):  # type: ignore[no-untyped-def]
    """Take row `deleted` out of the first n of the factor, and of solutions L^{-1} v.

    Those are the rows of `vectors`. Plane rotations on neighbouring columns are applied row by row,
    since rows are what lies together in memory; `rotations`, shape (2, at least n), is worked on.
    """
    cosines, sines = rotations[0], rotations[1]
    i = deleted + 1
    while i + 3 < n:
        n_done = i - deleted - 1
        carries = _rotate_four(lower, i, cosines, sines, deleted, n_done)
        for k in range(4):
            _rotate_rest(
                lower[i + k],
                lower[i + k - 1],
                carries[k],
                cosines,
                sines,
                deleted,
                n_done,
                n_done + k,
            )
        i += 4
    while i < n:
        row, target = lower[i], lower[i - 1]
        for k in range(deleted):
            target[k] = row[k]
        _rotate_rest(row, target, row[deleted], cosines, sines, deleted, 0, i - deleted - 1)
        i += 1
    for v in range(vectors.shape[0]):
        vector = vectors[v]
        carry = vector[deleted]
        for k in range(n - deleted - 1):
            following = vector[deleted + k + 1]
            vector[deleted + k] = cosines[k] * carry + sines[k] * following
            carry = cosines[k] * following - sines[k] * carry


@inlined
def _rotate_four(lower, i, cosines, sines, deleted, count):  # type: ignore[no-untyped-def]
    """Copy rows i to i + 3 up by one, the first `count` rotations applied.

    Return what is left of each for the next column.
    """
    target, a, b, c, d = lower[i - 1], lower[i], lower[i + 1], lower[i + 2], lower[i + 3]
    for k in range(deleted):
        target[k], a[k], b[k], c[k] = a[k], b[k], c[k], d[k]
    p, q, r, s = a[deleted], b[deleted], c[deleted], d[deleted]
    for j in range(count):
        cosine, sine, k = cosines[j], sines[j], deleted + j
        next_a, next_b, next_c, next_d = a[k + 1], b[k + 1], c[k + 1], d[k + 1]
        target[k], p = cosine * p + sine * next_a, cosine * next_a - sine * p
        a[k], q = cosine * q + sine * next_b, cosine * next_b - sine * q
        b[k], r = cosine * r + sine * next_c, cosine * next_c - sine * r
        c[k], s = cosine * s + sine * next_d, cosine * next_d - sine * s
    return p, q, r, s


@inlined
def _rotate_rest(  # type: ignore[no-untyped-def]
    row, target, carry, cosines, sines, deleted, first, n_done
):
    """Apply rotations `first` to `n_done` - 1 to a row; find one that makes its last entry 0."""
    for k in range(first, n_done):
        following = row[deleted + k + 1]
        target[deleted + k] = cosines[k] * carry + sines[k] * following
        carry = cosines[k] * following - sines[k] * carry
    last = row[deleted + n_done + 1]
    length = math.hypot(carry, last)
    cosines[n_done], sines[n_done] = carry / length, last / length
    target[deleted + n_done] = length
