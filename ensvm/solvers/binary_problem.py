"""What solvers of binary problems are given: labels, the matrix K~ = diag(y) K diag(y), limits."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import blas


def checked_signs(y: ArrayLike) -> NDArray[np.float64]:
    """Return the labels -1 and +1 of a binary problem as floats.

    Parameters
    ----------
    y : array of shape (m,)
        The labels, m >= 1.

    Returns
    -------
    float64 array of shape (m,)
        The same labels.

    Raises
    ------
    ValueError
        If y is no vector, has no entry, or holds anything but -1 and +1.
    """
    labels = np.asarray(y, dtype=np.float64)
    if labels.ndim != 1 or labels.size == 0:
        raise ValueError(
            f"labels must be a vector with at least one entry, got shape {labels.shape}"
        )
    if not np.all(np.abs(labels) == 1.0):
        raise ValueError("labels must be -1 or +1")
    return labels


def check_stopping(tol: float, max_iter: int) -> None:
    """Raise ValueError unless `tol` is a positive number and `max_iter` at least 0.

    Parameters
    ----------
    tol : float
        The tolerance at which a solver stops.
    max_iter : int
        The most steps that it takes.

    Raises
    ------
    ValueError
        If one of them is out of range.
    """
    if not 0.0 < tol < np.inf:
        raise ValueError(f"tol must be a positive number, got {tol!r}")
    if max_iter < 0:
        raise ValueError(f"max_iter must be at least 0, got {max_iter!r}")


_SYMMETRIC_PRODUCT = {np.dtype(np.float32): blas.ssymv, np.dtype(np.float64): blas.dsymv}


class SignedGram:
    """K~ = diag(y) K diag(y), with K a symmetric matrix or operator that is never copied.

    Parameters
    ----------
    operator : array of shape (m, m) or operator
        The Gram matrix K, or an object with `matvec` or `@` (a LinearOperator, a low-rank factor).
        An array's products run in its own precision, float32 or float64, and read one triangle of
        it, which halves the memory traffic that bounds them; symmetry is trusted. Other numbers
        become float64.
    y : array of shape (m,)
        The labels, -1 and +1.
    rows : array of int, shape (m,), default None
        Where inputs occur several times, which row of K each label belongs to: K is then the k x k
        Gram matrix of the distinct ones, and takes the place of the m x m matrix K[rows][:, rows].

    Attributes
    ----------
    size : int
        m.
    labels : float64 array of shape (m,)
        The labels.
    rounding : float
        What a value a'K~a with weights on the simplex may be off by for rounding alone.

    Raises
    ------
    ValueError
        If the shapes do not fit, m = 0, a label is not -1 or +1, or the operator cannot be
        multiplied with.
    """

    def __init__(self, operator: Any, y: ArrayLike, rows: ArrayLike | None = None) -> None:
        self.labels = checked_signs(y)
        self.size = m = self.labels.size
        self._rows = None if rows is None else np.asarray(rows, dtype=np.intp)
        self._distinct = k = m if self._rows is None else int(self._rows.max()) + 1
        shape = getattr(operator, "shape", (k, k))
        if tuple(shape) != (k, k) or (self._rows is not None and self._rows.shape != (m,)):
            raise ValueError(
                f"the Gram matrix has shape {tuple(shape)}, but there are {m} labels"
                + (f" of {k} distinct rows" if k != m else "")
            )
        self._product = _product_with(operator)
        self.rounding = self._rounding_of(operator)

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
        product = np.asarray(self._product(signed), dtype=np.float64).reshape(self._distinct)
        return self.labels * (product if self._rows is None else product[self._rows])

    def _rounding_of(self, operator: Any) -> float:
        if isinstance(operator, np.ndarray):
            precision = operator.dtype if operator.dtype in _SYMMETRIC_PRODUCT else np.float64
            return float(np.finfo(precision).eps * np.abs(operator.diagonal()).max())
        row_means = np.abs(self._product(np.full(self._distinct, 1.0 / self._distinct))).max()
        precision = getattr(operator, "dtype", None)
        return float(
            np.finfo(precision if precision in _SYMMETRIC_PRODUCT else np.float64).eps * row_means
        )


def _product_with(operator: Any) -> Callable[[NDArray[np.float64]], Any]:
    if isinstance(operator, np.ndarray):
        return _dense_product(operator)
    if hasattr(operator, "matvec"):
        return operator.matvec
    if hasattr(operator, "__matmul__"):
        return operator.__matmul__
    raise ValueError(
        f"a Gram matrix must be an array or have `matvec` or `@`, got {type(operator).__name__}"
    )


def _dense_product(gram: NDArray[Any]) -> Callable[[NDArray[np.float64]], NDArray[Any]]:
    matrix = gram if gram.dtype in _SYMMETRIC_PRODUCT else gram.astype(np.float64)
    if not (matrix.flags.c_contiguous or matrix.flags.f_contiguous):
        matrix = np.ascontiguousarray(matrix)
    # BLAS wants columns contiguous; the transpose of a symmetric matrix is the same matrix, at no
    # copy.
    columns = matrix if matrix.flags.f_contiguous else matrix.T
    symmetric_product = _SYMMETRIC_PRODUCT[columns.dtype]
    return lambda vector: symmetric_product(1.0, columns, vector)
