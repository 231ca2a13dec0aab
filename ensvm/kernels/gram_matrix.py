"""Gram matrices at the speed of one matrix product, block by block."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import scipy  # loads `scipy.sparse` on first use: names of kernels are known without it
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ensvm.kernels.blocks import DENSE_COLUMNS, KernelBlocks, KernelColumns, slices

KernelFunction: TypeAlias = Callable[[Any, Any], ArrayLike]

# Entries that one product makes: enough rows for BLAS to run at full speed.
PRODUCT_ENTRIES = 1 << 19


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
    if Y is not None and X.shape[1] > DENSE_COLUMNS and scipy.sparse.issparse(X):
        Y = scipy.sparse.csr_array(Y)  # so wide that a dense copy of X might not fit
    columns = KernelColumns(
        X if Y is None else Y, kernel=kernel, gamma=gamma, degree=degree, coef0=coef0, dtype=dtype
    )
    return _blockwise(columns.between(None if Y is None else X))


def _called(kernel: KernelFunction, X: Any, Y: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    Y = X if Y is None else Y
    values = np.ascontiguousarray(kernel(X, Y), dtype=dtype)
    expected = (X.shape[0], Y.shape[0])
    if values.shape != expected:
        raise ValueError(
            f"the kernel function returned an array of shape {values.shape}, expected {expected}"
        )
    return values


def _blockwise(blocks: KernelBlocks) -> NDArray[Any]:
    """Return the whole matrix by blocks of rows; of a symmetric one half is mirrored."""
    n, k = blocks.shape
    result = np.empty((n, k), dtype=blocks.dtype)
    for rows in slices(n, PRODUCT_ENTRIES // max(k, 1)):
        columns = slice(rows.start if blocks.symmetric else 0, k)
        block = result[rows, columns]
        blocks.fill(block, rows, columns)
        if blocks.symmetric:
            blocks.settle(block[:, : block.shape[0]])
            result[columns, rows] = block.T
    return result
