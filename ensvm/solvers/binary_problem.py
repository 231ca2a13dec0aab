"""The matrix K~ = diag(y) K diag(y) of a binary problem, known through its products alone."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import blas

_SYMMETRIC_PRODUCT = {np.dtype(np.float32): blas.ssymv, np.dtype(np.float64): blas.dsymv}


class SignedGram:
    """K~ = diag(y) K diag(y), with K a symmetric matrix or operator that is never copied.

    Parameters
    ----------
    operator : array of shape (m, m) or operator
        The Gram matrix K, or an object with `matvec` (a LinearOperator, a low-rank factor). An
        array's products run in its own precision, float32 or float64, and read one triangle of it,
        which halves the memory traffic that bounds them; symmetry is trusted. Other numbers become
        float64.
    y : array of shape (m,)
        The labels, -1 and +1.
    rows : array of int, shape (m,), default None
        Where inputs occur several times, which row of K each label belongs to: K is then the k x k
        Gram matrix of the distinct ones, and takes the place of the m x m matrix K[rows][:, rows].

    Attributes
    ----------
    size : int
        The number m of labels.
    labels : float64 array of shape (m,)
        The labels.
    rounding : float
        What a value a'K~a with weights on the simplex may be off by for rounding alone.
    """

    def __init__(self, operator: Any, y: ArrayLike, rows: NDArray[np.intp] | None = None) -> None:
        self.labels = np.asarray(y, dtype=np.float64)
        self.size = self.labels.size
        self._rows = rows
        self._distinct = self.size if rows is None else int(rows.max()) + 1
        is_array = isinstance(operator, np.ndarray)
        self._product = _dense_product(operator) if is_array else operator.matvec
        largest = operator.diagonal() if is_array else self._row_means()
        dtype = operator.dtype if operator.dtype in _SYMMETRIC_PRODUCT else np.float64
        self.rounding = float(np.finfo(dtype).eps * np.abs(largest).max())

    def matvec(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the product of K~ with a vector.

        Parameters
        ----------
        weights : ndarray of shape (m,)
            The vector.

        Returns
        -------
        ndarray of float64, shape (m,)
            The product K~ weights.
        """
        signed: Any = self.labels * weights
        if self._rows is not None:
            signed = np.bincount(self._rows, signed, self._distinct)
        product = np.asarray(self._product(signed), dtype=np.float64)
        return self.labels * (product if self._rows is None else product[self._rows])

    def _row_means(self) -> Any:
        return self._product(np.full(self._distinct, 1.0 / self._distinct))


def _dense_product(gram: NDArray[Any]) -> Callable[[NDArray[np.float64]], NDArray[Any]]:
    matrix = gram if gram.dtype in _SYMMETRIC_PRODUCT else gram.astype(np.float64)
    if not (matrix.flags.c_contiguous or matrix.flags.f_contiguous):
        matrix = np.ascontiguousarray(matrix)
    # BLAS reads columns; the transpose of a symmetric matrix is the same matrix, without a copy.
    columns = matrix if matrix.flags.f_contiguous else matrix.T
    symmetric_product = _SYMMETRIC_PRODUCT[columns.dtype]
    return lambda vector: symmetric_product(1.0, columns, vector)
