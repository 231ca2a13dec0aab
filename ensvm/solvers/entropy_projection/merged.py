"""Identical inputs as one unknown: the same problem, steps and ensemble with fewer of them.

Rows of equal input and label have equal entries g_i = (K~a)_i, so that their weights, equal at the
start, stay equal in every update (8). With A the sum of their weights and A_1 = count / m, the
objective a'K~a, the sums sum_i a_i exp(-eta g_i) of the line search, min_i g_i and hence every rate
eta_t are those of all rows. Where the same input has both labels, they stay two unknowns that share
a row of the Gram matrix.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ensvm.kernels.distinct_rows import DistinctRows


@dataclass(frozen=True, eq=False)
class MergedRows:
    """The unknowns of a problem whose identical rows are taken as one.

    Attributes
    ----------
    labels : ndarray of shape (p,)
        The label of each unknown, -1 or +1.
    rows : ndarray of int, shape (p,)
        Which distinct input it belongs to.
    counts : ndarray of shape (p,)
        How many of the m training rows it stands for.
    unknown : ndarray of int, shape (m,)
        Which unknown each training row belongs to.
    """

    labels: NDArray[np.float64]
    rows: NDArray[np.intp]
    counts: NDArray[np.float64]
    unknown: NDArray[np.intp]

    @property
    def start(self) -> NDArray[np.float64]:
        """The weights of the unknowns where every training row has 1 / m."""
        return self.counts / self.counts.sum()

    def spread(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weights of the training rows.

        Parameters
        ----------
        weights : ndarray of shape (p,) or (t, p)
            The weights of the unknowns.

        Returns
        -------
        ndarray of shape (m,) or (t, m)
            Each unknown's weight in equal shares.
        """
        shares: NDArray[np.float64] = (weights / self.counts)[..., self.unknown]
        return shares

    def both_labels(self) -> tuple[int, int] | None:
        """Return two training rows of one input, the first of label -1; None without any.

        Returns
        -------
        tuple of two ints, or None
            The first of them in the order of the training rows. With such a pair rho* = 0.
        """
        _, inverse, occurrences = np.unique(self.rows, return_inverse=True, return_counts=True)
        twice = np.flatnonzero((occurrences[inverse] > 1) & (self.labels < 0.0))
        if not twice.size:
            return None
        negative = twice[0]
        [positive] = np.flatnonzero((self.rows == self.rows[negative]) & (self.labels > 0.0))
        first = [int(np.argmax(self.unknown == number)) for number in (negative, positive)]
        return first[0], first[1]


def merge_identical(distinct: DistinctRows, y: NDArray[np.float64]) -> MergedRows:
    """Return the unknowns of a problem: its distinct pairs of input and label.

    Parameters
    ----------
    distinct : DistinctRows
        Which of the m training rows are the same.
    y : ndarray of shape (m,)
        The labels, -1 and +1.

    Returns
    -------
    MergedRows
        One unknown a pair, in the order of their first training rows.
    """
    _, first, unknown, counts = np.unique(
        2 * distinct.index + (y > 0.0), return_index=True, return_inverse=True, return_counts=True
    )
    order = np.argsort(first)
    places = np.empty_like(order)
    places[order] = np.arange(order.size)
    first = first[order]
    return MergedRows(
        y[first], distinct.index[first], counts[order].astype(np.float64), places[unknown]
    )
