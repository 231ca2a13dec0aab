"""Rows of inputs: as dense arrays, in slices, and which of them are the same."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy  # loads `scipy.sparse` on first use: names of kernels are known without it
from numpy.typing import NDArray


def dense_rows(X: Any) -> NDArray[Any]:
    """Return rows as an array: X itself, or a dense copy of a sparse matrix."""
    return X.toarray() if scipy.sparse.issparse(X) else np.asarray(X)


def slices(n: int, length: int) -> Iterator[slice]:
    """Yield 0, ..., n - 1 in slices of at most `length`, or of 1 if that is less."""
    length = max(length, 1)
    for start in range(0, n, length):
        yield slice(start, min(start + length, n))


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
        """Return the sums of values, shape (n,) or (n, s), over rows that are the same."""
        if self.first.size == self.index.size:
            return values
        sums = np.zeros((self.first.size, *values.shape[1:]))
        np.add.at(sums, self.index, values)
        return sums


def distinct_rows(X: Any) -> DistinctRows:
    """Return which rows have the same entries, to the last bit; 0.0 and -0.0 are the same."""
    numbers: dict[bytes, int] = {}
    index = np.fromiter(
        (numbers.setdefault(key, len(numbers)) for key in _keys(X)), np.intp, X.shape[0]
    )
    _, first = np.unique(index, return_index=True)
    return DistinctRows(first, index)


def _keys(X: Any) -> Any:
    """Return what is equal where rows are."""
    if not scipy.sparse.issparse(X):
        return (row.tobytes() for row in np.asarray(X) + 0.0)
    rows = scipy.sparse.csr_array(X, copy=True)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    ends = zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
    return (rows.indices[a:b].tobytes() + rows.data[a:b].tobytes() for a, b in ends)
