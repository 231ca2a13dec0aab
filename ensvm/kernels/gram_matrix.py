"""Gram matrices at the speed of one matrix product.

Every kernel is one product of the rows followed by in-place transforms on pieces that stay in the
processor's cache, so that nothing but the result is as large as the result.
"""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
import scipy  # loads `scipy.sparse` on first use: names of kernels are known without it
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ensvm.kernels.table import KernelRow, row_of

KernelFunction: TypeAlias = Callable[[Any, Any], ArrayLike]
BlockTransform: TypeAlias = Callable[[NDArray[Any], slice, slice], None]

# Entries that one product makes: enough rows for BLAS to run at full speed.
PRODUCT_ENTRIES = 1 << 19
# Entries transformed at once: 256 KiB of float64, which stays in a core's own cache.
CACHED_ENTRIES = 1 << 15
# Sparse rows up to this wide are made dense: BLAS beats sparse products there.
DENSE_COLUMNS = 2048
# Times sqrt(d) roundings: what keeps equal rows from coming out slightly distant.
NORM_SHRINKAGE = 2.0


def gram(
    X: Any,
    Y: Any = None,
    *,
    kernel: str | KernelFunction,
    gamma: float | None = None,
    degree: int = 3,
    coef0: float = 0.0,
    dtype: DTypeLike = np.float64,
) -> NDArray[Any]:
    """Return the kernel values between the rows of X and of Y, as scikit-learn defines them.

    Parameters
    ----------
    X : array or scipy sparse matrix of shape (n, d)
        The rows on the left.
    Y : array or scipy sparse matrix of shape (k, d), default None
        The rows on the right; None for those of X.
    kernel : str or callable
        'linear' is <x, y>, 'poly' (gamma <x, y> + coef0)^degree, 'rbf' exp(-gamma |x - y|^2); see
        `ensvm.kernels.table`. A callable is called as kernel(X, Y).
    gamma : float, default None
        The width, positive; 'linear' does not read it.
    degree : int, default 3
        The power, at least 0; only 'poly' reads it.
    coef0 : float, default 0.0
        The constant; only 'poly' reads it.
    dtype : dtype, default np.float64
        The precision of the products and of the result, float64 or float32; squared norms are
        summed in float64.

    Returns
    -------
    array of shape (n, k)
        The values, C-contiguous. With a named kernel and Y = None it is exactly symmetric. The
        Gaussian kernel lies in [0, 1], its diagonal for Y = None is exactly 1, and so are the
        entries between identical rows: squared distances below the rounding of |x - mean(Y)|^2 +
        |y - mean(Y)|^2 count as 0.

    Raises
    ------
    ValueError
        If the kernel is unknown, gamma is not positive, degree is not a whole number >= 0, the
        widths of X and Y differ, or a callable returns another shape than (n, k).
    """
    if callable(kernel):
        return _called(kernel, X, Y, np.dtype(dtype))
    row = row_of(kernel)
    _check(row, gamma, degree, X, Y)
    distance = row.argument == "distance"
    left, right = _prepared(X, Y, np.dtype(dtype), centred=distance)
    width = 0.0 if gamma is None else float(gamma)  # None only where the kernel reads no width
    if distance:
        transform = _of_distances(row, left, right, width, int(degree))
        left = left * left.dtype.type(2.0 * width)
    else:
        transform = _of_products(row, int(degree), coef0)
        left = left * left.dtype.type(width) if "gamma" in row.parameters else left
    result = _blockwise(left, right, transform, symmetric=Y is None)
    if distance and Y is None:
        at_itself = np.zeros(1, result.dtype)
        row.transform(at_itself, int(degree))
        np.fill_diagonal(result, at_itself[0])
    return result


def _check(row: KernelRow, gamma: float | None, degree: int, X: Any, Y: Any) -> None:
    if "gamma" in row.parameters and (gamma is None or not 0 < gamma < np.inf):
        raise ValueError(f"gamma must be a positive number, got {gamma!r}")
    if "degree" in row.parameters and (degree < 0 or degree != int(degree)):
        raise ValueError(f"degree must be a whole number >= 0, got {degree!r}")
    if Y is not None and X.shape[1] != Y.shape[1]:
        raise ValueError(f"X has {X.shape[1]} columns and Y has {Y.shape[1]}")


def _called(kernel: KernelFunction, X: Any, Y: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    Y = X if Y is None else Y
    values = np.ascontiguousarray(kernel(X, Y), dtype=dtype)
    expected = (X.shape[0], Y.shape[0])
    if values.shape != expected:
        raise ValueError(
            f"the kernel function returned an array of shape {values.shape}, expected {expected}"
        )
    return values


def _prepared(X: Any, Y: Any, dtype: np.dtype[Any], *, centred: bool) -> tuple[Any, Any]:
    """Return both sides ready for the product.

    Centring on Y's mean cancels fewer digits of a distance.
    """
    if X.shape[1] > DENSE_COLUMNS and (scipy.sparse.issparse(X) or scipy.sparse.issparse(Y)):
        left = scipy.sparse.csr_array(X, dtype=dtype)
        return left, left if Y is None else scipy.sparse.csr_array(Y, dtype=dtype)
    right = _dense(X if Y is None else Y)
    if not centred:
        right = np.ascontiguousarray(right, dtype=dtype)
        return (
            (right, right) if Y is None else (np.ascontiguousarray(_dense(X), dtype=dtype), right)
        )
    mean = right.mean(axis=0, dtype=np.float64)
    right = np.subtract(right, mean, dtype=np.float64).astype(dtype, copy=False)
    if Y is None:
        return right, right
    return np.subtract(_dense(X), mean, dtype=np.float64).astype(dtype, copy=False), right


def _dense(X: Any) -> NDArray[Any]:
    return X.toarray() if scipy.sparse.issparse(X) else np.asarray(X)


def _of_distances(
    row: KernelRow, left: Any, right: Any, gamma: float, degree: int
) -> BlockTransform:
    """Return the transform of blocks of 2 gamma <x, y> into values at -gamma |x - y|^2."""
    shrinkage = 1.0 - NORM_SHRINKAGE * np.sqrt(right.shape[1]) * np.finfo(right.dtype).eps
    rows_norms = (gamma * shrinkage * _squared_norms(left)).astype(left.dtype)
    columns_norms = (gamma * shrinkage * _squared_norms(right)).astype(left.dtype)

    def transform(block: NDArray[Any], rows: slice, columns: slice) -> None:
        # The norms are added first: their sum is the same number for (x, y) and (y, x).
        block -= np.add.outer(rows_norms[rows], columns_norms[columns])
        row.transform(block, degree)

    return transform


def _squared_norms(X: Any) -> NDArray[np.float64]:
    if scipy.sparse.issparse(X):
        X = X.astype(np.float64)
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X, dtype=np.float64)


def _of_products(row: KernelRow, degree: int, coef0: float) -> BlockTransform:
    """Return the transform of blocks of gamma <x, y> into values at gamma <x, y> + coef0."""

    def transform(block: NDArray[Any], rows: slice, columns: slice) -> None:
        if "coef0" in row.parameters:
            block += block.dtype.type(coef0)
        row.transform(block, degree)

    return transform


def _blockwise(
    left: Any, right: Any, transform: BlockTransform, *, symmetric: bool
) -> NDArray[Any]:
    """Return transform(left right') by blocks of rows; if symmetric, half of it is mirrored."""
    n, k = left.shape[0], right.shape[0]
    result = np.empty((n, k), dtype=right.dtype)
    for rows in _slices(n, PRODUCT_ENTRIES // max(k, 1)):
        columns = slice(rows.start if symmetric else 0, k)
        block = result[rows, columns]
        if scipy.sparse.issparse(left):
            block[...] = (left[rows] @ right[columns].T).toarray()
        else:
            np.matmul(left[rows], right[columns].T, out=block)
        for piece in _slices(block.shape[0], CACHED_ENTRIES // max(block.shape[1], 1)):
            transform(
                block[piece], slice(rows.start + piece.start, rows.start + piece.stop), columns
            )
        if symmetric:
            result[columns, rows] = _mirrored(block)
    return result


def _mirrored(block: NDArray[Any]) -> NDArray[Any]:
    """Return the transpose of a block that starts on the diagonal, its corner made symmetric."""
    corner = block[:, : block.shape[0]]
    corner[...] = np.triu(corner) + np.triu(corner, 1).T
    return block.T


def _slices(n: int, length: int) -> Iterator[slice]:
    length = max(length, 1)
    for start in range(0, n, length):
        yield slice(start, min(start + length, n))
