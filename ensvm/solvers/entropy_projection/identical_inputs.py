"""Inputs that no plane separates: the same one with both labels, for which rho* = 0."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ensvm.kernels.labels import checked_signs

# Of K_ii + K_jj: kernel values of identical inputs, each computed by itself, may differ as much
DISTANCE_ROUNDINGS = 16.0
BLOCK_ENTRIES = 1 << 20  # kernel values compared at once


def identical_inputs(gram: NDArray[Any], y: ArrayLike) -> tuple[int, int] | None:
    """Return two rows of opposite labels that the kernel does not tell apart; None without any.

    Their squared distance K_ii + K_jj - 2 K_ij is 0 up to the rounding of the kernel values. Half
    of all weight on each of the two gives the objective a quarter of it, so that rho* is 0 to the
    precision of the Gram matrix.

    Parameters
    ----------
    gram : array of shape (m, m)
        The positive semidefinite Gram matrix K, float32 or float64.
    y : array of shape (m,)
        The labels, -1 and +1.

    Returns
    -------
    tuple of two ints, or None
        The first such row of label -1, and the first of label +1 that is identical to it.
    """
    signs = checked_signs(y)
    negative, positive = np.flatnonzero(signs < 0.0), np.flatnonzero(signs > 0.0)
    diagonal = np.asarray(gram.diagonal(), dtype=np.float64)
    precision = np.finfo(gram.dtype if gram.dtype == np.float32 else np.float64).eps
    share = 1.0 - DISTANCE_ROUNDINGS * precision
    length = max(BLOCK_ENTRIES // max(positive.size, 1), 1)
    for start in range(0, negative.size, length):
        rows = negative[start : start + length]
        sums = np.add.outer(diagonal[rows], diagonal[positive])
        found = np.argwhere(2.0 * gram[np.ix_(rows, positive)] >= share * sums)
        if found.size:
            return int(rows[found[0, 0]]), int(positive[found[0, 1]])
    return None
