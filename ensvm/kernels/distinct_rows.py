"""Rows that are the same: kernel values with them are computed once."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """Which of n rows are the same.

    Attributes
    ----------
    first : ndarray of int, shape (k,)
        The first row of each distinct one, rising.
    index : ndarray of int, shape (n,)
        Which of them each row is.
    """

    first: NDArray[np.intp]
    index: NDArray[np.intp]

    def summed(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sums of values over rows that are the same.

        Parameters
        ----------
        values : ndarray of shape (n,) or (n, s)
            The values of the rows.

        Returns
        -------
        ndarray of shape (k,) or (k, s)
            Their sums; the values themselves where all rows are distinct.
        """
        if self.first.size == self.index.size:
            return values
        sums = np.zeros((self.first.size, *values.shape[1:]))
        np.add.at(sums, self.index, values)
        return sums


def distinct_rows(X: Any) -> DistinctRows:
    """Return which rows have the same entries, to the last bit; 0.0 and -0.0 are the same.

    Parameters
    ----------
    X : array or scipy sparse matrix of shape (n, d)
        The rows.

    Returns
    -------
    DistinctRows
        The first of each distinct one, and which one each row is, in O(n d) time.
    """
    numbers: dict[bytes, int] = {}
    index = np.fromiter(
        (numbers.setdefault(key, len(numbers)) for key in _keys(X)), np.intp, X.shape[0]
    )
    _, first = np.unique(index, return_index=True)
    return DistinctRows(first, index)


def _keys(X: Any) -> Any:
    """Return what is equal where rows are."""
    if not sparse.issparse(X):
        return (row.tobytes() for row in np.asarray(X) + 0.0)
    rows = sparse.csr_array(X, copy=True)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    ends = zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
    return (rows.indices[a:b].tobytes() + rows.data[a:b].tobytes() for a, b in ends)
