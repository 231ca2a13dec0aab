"""Cholesky factor of a Gram matrix, kept up to date while points come and go one at a time; stored by rows. Compiled.

numba's cache notices changes in the file of the calling function only: whoever changes this one
touches `path_events` too.
"""

import numpy as np

from ensvm.compiled import njit

# A pivot is lifted to this part of its diagonal entry, so that the factor is never singular: above
# what rounding leaves of a pivot that is 0, below what a solution shows. Free points that depend
# linearly on each other then merely move fast, until one of them meets a bound and leaves, while
# their margins drift by no more than this part.
PIVOT_FLOOR = 1e-13
SMALLEST_PIVOT = (
    1e-200  # where the diagonal entry is 0, which takes a matrix that is not positive semidefinite
)

_REDUCTION = {
    "reassoc",
    "contract",
    "nsz",
}  # lets the compiler vectorise sums; NaN and infinity keep their meaning


@njit(fastmath=_REDUCTION)
def dot(a, b, n):  # type: ignore[no-untyped-def]
    """Return the inner product of the first n entries."""
    total = 0.0
    for k in range(n):
        total += a[k] * b[k]
    return total


@njit
def solve_forward(lower, x, n, known=0):  # type: ignore[no-untyped-def]
    """Overwrite x with L^{-1} x; its first `known` entries are that already."""
    for i in range(known, n):
        x[i] = (x[i] - dot(lower[i], x, i)) / lower[i, i]


@njit
def solve_backward(lower, x, n):  # type: ignore[no-untyped-def]
    """Overwrite x with L^{-T} x."""
    for i in range(n - 1, -1, -1):
        x[i] /= lower[i, i]
        scale, row = x[i], lower[i]
        for k in range(i):
            x[k] -= scale * row[k]


@njit
def append_row(lower, column, diagonal, n):  # type: ignore[no-untyped-def]
    """Extend the factor by a point with kernel values `column` (length n) and `diagonal`."""
    lower[n, :n] = column[:n]
    lower[n, n] = diagonal
    finish_row(lower, n)


@njit
def finish_row(lower, n, known=0):  # type: ignore[no-untyped-def]
    """Turn row n from the matrix's into the factor's, which its first `known` entries are already."""
    row = lower[n]
    solve_forward(lower, row, n, known)
    row[n] = np.sqrt(max(row[n] - dot(row, row, n), PIVOT_FLOOR * row[n], SMALLEST_PIVOT))


@njit
def delete_row(lower, vectors, place, n):  # type: ignore[no-untyped-def]
    """Take row `place` out of the factor and turn the solutions L^{-1} v in the rows of `vectors` along.

    Plane rotations on neighbouring columns, applied row by row, since rows are what lies together
    in memory.
    """
    cosines = np.empty(n - place - 1)
    sines = np.empty(n - place - 1)
    for i in range(place + 1, n):
        row, target = lower[i], lower[i - 1]
        target[:place] = row[:place]
        known = i - place - 1
        carry = _rotate(row, target, cosines, sines, place, known)
        length = np.hypot(carry, row[i])
        cosines[known], sines[known] = carry / length, row[i] / length
        target[i - 1] = length
    for vector in vectors:
        _rotate(vector, vector, cosines, sines, place, n - place - 1)


@njit
def _rotate(row, target, cosines, sines, place, count):  # type: ignore[no-untyped-def]
    """Apply the first `count` rotations to a row and return what is left for the next column."""
    carry = row[place]
    for k in range(count):
        following = row[place + k + 1]
        target[place + k] = cosines[k] * carry + sines[k] * following
        carry = cosines[k] * following - sines[k] * carry
    return carry
