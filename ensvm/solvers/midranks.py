"""Columns as mid-ranks: the share of training rows below a value, plus half of those equal to it.

A strictly increasing transformation of a column, the same in training and afterwards, does not
change its mid-ranks.
"""

from dataclasses import dataclass

import numpy as np

from ensvm.array_types import Vector


@dataclass(frozen=True, eq=False)
class MidRanks:
    """The values of training rows, column by column, with the weight below each."""

    values: tuple[Vector, ...]  # of each column the distinct values, ascending
    below: tuple[Vector, ...]  # of each column the shares below 0, 1, ... of these values

    def of(self, X: Vector) -> Vector:
        """Return the mid-ranks of rows, shape (n, d), from 0 to 1."""
        ranks = np.empty(X.shape)
        for j, (values, below) in enumerate(zip(self.values, self.below, strict=True)):
            left = below[np.searchsorted(values, X[:, j], side="left")]
            right = below[np.searchsorted(values, X[:, j], side="right")]
            ranks[:, j] = (left + right) / 2.0
        return ranks


def mid_ranks(X: Vector, counts: Vector) -> MidRanks:
    """Return the mid-ranks among training rows, shape (m, d), of weights `counts`, shape (m,)."""
    values, below = [], []
    for column in X.T:
        distinct, index = np.unique(column, return_inverse=True)
        shares = np.bincount(index, counts) / counts.sum()
        values.append(distinct)
        below.append(np.append(0.0, np.cumsum(shares)))
    return MidRanks(tuple(values), tuple(below))
