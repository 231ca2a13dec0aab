"""Kernel matrices at the speed of one matrix product, whole or in blocks; rows that are equal.

Every kernel is one product of the rows followed by in-place transforms on pieces that stay in the
processor's cache, so that nothing but the result is as large as the result.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import scipy  # loads `scipy.sparse` on first use: names of kernels are known without it
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ensvm.kernels.bit_rows import BitValues, bit_rows, bit_values
from ensvm.kernels.named_kernels import Kernel, kernel_row

# Entries transformed at once: 256 KiB of float64, which stays in a core's own cache.
CACHED_ENTRIES = 1 << 15
# Sparse rows up to this wide are made dense: BLAS beats sparse products there.
DENSE_COLUMNS = 2048
# Times sqrt(d) roundings: norms shrink by so much, so that equal rows have distance 0.
NORM_SHRINKAGE = 2.0


def dense_rows(X: Any) -> NDArray[Any]:
    """Return rows as an array: X itself, or a dense copy of a sparse matrix."""
    return X.toarray() if scipy.sparse.issparse(X) else np.asarray(X)


def slices(n: int, length: int) -> Iterator[slice]:
    """Yield 0, ..., n - 1 in slices of at most `length`, or of 1 if that is less."""
    length = max(length, 1)
    for start in range(0, n, length):
        yield slice(start, min(start + length, n))


class KernelBlocks:
    """A kernel matrix between rows X and Y, or of Y if X is None, whose blocks are made on request.

    Rows of two numbers are kept as bits (`ensvm.kernels.bit_rows`). Others are prepared once: minus
    the mean of Y (centring cancels fewer digits of a distance), in the precision of the products,
    with their squared norms. The parameters and the errors are those of `gram` with a named kernel.

    Attributes
    ----------
    bits : BitValues or None
        The same values by counts of bits, if the rows have only two numbers.
    symmetric : bool
        Whether X is None.
    shape : tuple of int
        The numbers of rows of X and of Y.
    """

    def __init__(
        self,
        X: Any,
        Y: Any,
        *,
        kernel: str,
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 0.0,
        dtype: DTypeLike = np.float64,
    ) -> None:
        self._row = kernel_row(kernel)
        read = self._row.parameters
        if "gamma" in read and (gamma is None or not 0 < gamma < np.inf):
            raise ValueError(f"gamma must be a positive number, got {gamma!r}")
        if "degree" in read and (degree < 0 or degree != int(degree)):
            raise ValueError(f"degree must be a whole number >= 0, got {degree!r}")
        if X is not None and X.shape[1] != Y.shape[1]:
            raise ValueError(f"X has {X.shape[1]} columns and Y has {Y.shape[1]}")
        self._gamma = 0.0 if gamma is None else float(gamma)  # None only where no width is read
        self._degree = int(degree)
        self._coef0 = coef0
        self.dtype = np.dtype(dtype)
        self._width = Y.shape[1]
        self._of_squares = self._row.argument == "distance"
        self._sparse = self._width > DENSE_COLUMNS and scipy.sparse.issparse(Y)
        self._mean: NDArray[np.float64] | None = None
        self.symmetric = X is None
        self.bits: BitValues | None = None
        if not self._sparse:
            Y = dense_rows(Y)
            self.bits = self._of_bits(X, Y, kernel)
            if self.bits is not None:
                self.shape = self.bits.shape
                return
            if self._of_squares:
                self._mean = Y.mean(axis=0, dtype=np.float64)
        self._right, self._right_norms = self._prepared(Y)
        left, self._left_norms = (
            (self._right, self._right_norms) if X is None else self._prepared(X)
        )
        self._left = self._scaled(left)
        self.shape = left.shape[0], self._right.shape[0]

    def fill(self, block: NDArray[Any], rows: slice, columns: slice) -> None:
        """Write the values of rows and columns, slices with both ends, into a contiguous array."""
        if self.bits is not None:
            self._fill_from_bits(self.bits, block, rows.start, columns.start)
            return
        if self._row.argument == "cityblock":
            fill_cityblock(self._left[rows], self._right[columns], -self._gamma, block)
        elif scipy.sparse.issparse(self._left):
            block[...] = (self._left[rows] @ self._right[columns].T).toarray()
        else:
            np.matmul(self._left[rows], self._right[columns].T, out=block)
        for piece in slices(block.shape[0], CACHED_ENTRIES // max(block.shape[1], 1)):
            part = block[piece]
            if self._of_squares:
                # The norms are added first: their sum is the same number for (x, y) and (y, x).
                norms = self._left_norms[rows][piece]
                part -= np.add.outer(norms, self._right_norms[columns])
            elif "coef0" in self._row.parameters:
                part += part.dtype.type(self._coef0)
            self._row.transform(part, self._degree)

    def settle(self, corner: NDArray[Any]) -> None:
        """Make the square block of some rows among themselves exactly symmetric.

        A kernel of distances gets its exact diagonal too.
        """
        corner[...] = np.triu(corner) + np.triu(corner, 1).T
        if self._row.argument != "product":
            at_itself = np.zeros(1, self.dtype)
            self._row.transform(at_itself, self._degree)
            np.fill_diagonal(corner, at_itself)

    def rounding(self) -> float | None:
        """Return a bound of the error of a value between two rows of Y; None without a bound.

        It is the rounding of `dtype`; a value is at most 1.
        """
        if not self._of_squares or self._row.relative_slope is None:
            return None
        # Roundings of an argument -gamma |x - z|^2, in units of the largest gamma |x|^2: of the
        # product, of the two norms and what they shrink by, of their sum and of the difference.
        shrunk = 2.0 * NORM_SHRINKAGE * np.sqrt(self._width)
        roundings = 2.0 * (self._width + 4) + 2.0 * (shrunk + 3) + 6.0
        # Bits count without rounding.
        largest = 0.0 if self.bits is not None else float(self._right_norms.max(initial=0.0))
        slope = self._row.relative_slope
        unit = 1.01 * float(np.finfo(self.dtype).eps) / 2.0
        with np.errstate(over="ignore"):
            return float(np.expm1(unit * (slope * roundings * largest + 8.0)))  # 8 of exp

    def _of_bits(self, X: Any, Y: NDArray[Any], kernel: str) -> BitValues | None:
        """Return the values of rows of two numbers; None for other rows."""
        right = bit_rows(Y)
        left = right if X is None or right is None else right.alike(dense_rows(X))
        return bit_values(left, right, Kernel(kernel, self._gamma, self._degree, self._coef0))

    @staticmethod
    def _fill_from_bits(bits: BitValues, block: NDArray[Any], row: int, column: int) -> None:
        """Write a block in pieces that stay in the processor's cache, each first in float64."""
        buffer = np.empty(min(block.size, max(CACHED_ENTRIES, block.shape[1])))
        for piece in slices(block.shape[0], CACHED_ENTRIES // max(block.shape[1], 1)):
            part = block[piece]
            values = buffer[: part.size].reshape(part.shape)
            bits.fill(values, row + piece.start, column)
            part[...] = values

    def _prepared(self, X: Any) -> tuple[Any, NDArray[Any]]:
        """Return rows as the products take them, and their norms; none for kernels of products."""
        if self._sparse:
            rows = scipy.sparse.csr_array(X, dtype=self.dtype)
        elif self._mean is None:
            rows = np.ascontiguousarray(dense_rows(X), dtype=self.dtype)
        else:
            rows = np.subtract(dense_rows(X), self._mean, dtype=np.float64)
            rows = rows.astype(self.dtype, copy=False)
        if not self._of_squares:
            return rows, np.empty(0, self.dtype)
        shrinkage = 1.0 - NORM_SHRINKAGE * np.sqrt(self._width) * np.finfo(self.dtype).eps
        return rows, (self._gamma * shrinkage * _squared_norms(rows)).astype(self.dtype)

    def _scaled(self, rows: Any) -> Any:
        """Return prepared rows times the factor of the product in the kernel's argument."""
        if self._of_squares:
            return rows * rows.dtype.type(2.0 * self._gamma)
        if self._row.argument == "product" and "gamma" in self._row.parameters:
            return rows * rows.dtype.type(self._gamma)
        return rows


def _squared_norms(X: Any) -> NDArray[np.float64]:
    if scipy.sparse.issparse(X):
        X = X.astype(np.float64)
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X, dtype=np.float64)


def fill_cityblock(left: Any, right: Any, factor: float, out: NDArray[Any]) -> None:
    """Write factor |x - z|_1 of the rows x of `left` and z of `right`, dense or sparse."""
    from ensvm.kernels.cityblock import cityblock_distances  # loads numba: on first use

    if scipy.sparse.issparse(left):
        length = CACHED_ENTRIES * 32 // left.shape[1]  # 8 MiB of rows made dense at once
        for rows in slices(left.shape[0], length):
            these = left[rows].toarray()
            for columns in slices(right.shape[0], length):
                out[rows, columns] = cityblock_distances(these, right[columns].toarray())
    else:
        out[...] = cityblock_distances(left, right)
    out *= out.dtype.type(factor)


def distances(X: Any, *, kernel: str) -> NDArray[np.float64]:
    """Return the distances of rows that a kernel is a function of: |x - z|^2 or |x - z|_1.

    The matrix, shape (n, n), is symmetric with zeros on its diagonal and between equal rows.
    """
    rows = dense_rows(X)
    if kernel_row(kernel).argument == "cityblock":
        from ensvm.kernels.cityblock import cityblock_distances  # loads numba: on first use

        return cityblock_distances(rows, rows)
    return scipy.spatial.distance.cdist(rows, rows, "sqeuclidean")


def gram_at(
    distances: NDArray[np.float64],
    *,
    kernel: str,
    gamma: float,
    out: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return the kernel values at what `distances` returns, written to `out` if it is given."""
    values = np.multiply(distances, -gamma, out=out)
    for piece in slices(len(values), CACHED_ENTRIES // max(values.shape[1], 1)):
        kernel_row(kernel).transform(values[piece], 0)
    return values


KernelFunction: TypeAlias = Callable[[Any, Any], ArrayLike]

# Entries that one product makes: enough rows for BLAS to run at full speed.
PRODUCT_ENTRIES = 1 << 19
# Rows that are mirrored at once: a page of memory is written to for each of their columns, which
# costs as much for a few rows as for many.
MIRRORED_ROWS = 128


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
        A name in `ensvm.kernels.KERNELS`, which has the formulas and says which of the next three
        parameters a kernel reads. A callable is called as kernel(X, Y).
    gamma : float, default None
        The width, positive.
    degree : int, default 3
        The power, at least 0.
    coef0 : float, default 0.0
        The constant.
    dtype : dtype, default np.float64
        The precision of the products and of the result, float64 or float32; squared norms are
        summed in float64.

    Returns
    -------
    array of shape (n, k)
        The values, C-contiguous. With a named kernel and Y = None it is exactly symmetric. The
        Gaussian and the Laplacian kernel lie in [0, 1], their diagonal for Y = None is exactly 1,
        and so are the entries between identical rows: squared distances below the rounding of
        |x - mean(Y)|^2 + |y - mean(Y)|^2 count as 0.

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
    left, right = (None, X) if Y is None else (X, Y)
    blocks = KernelBlocks(
        left, right, kernel=kernel, gamma=gamma, degree=degree, coef0=coef0, dtype=dtype
    )
    n, k = blocks.shape
    result = np.empty((n, k), dtype=blocks.dtype)
    first = 0  # of the rows that are not mirrored yet
    for rows in slices(n, PRODUCT_ENTRIES // max(k, 1)):
        # Of a symmetric matrix the part from the diagonal on is computed, and mirrored.
        right = slice(rows.start if blocks.symmetric else 0, k)
        blocks.fill(result[rows, right], rows, right)
        if blocks.symmetric and (rows.stop == n or rows.stop - first >= MIRRORED_ROWS):
            blocks.settle(result[first : rows.stop, first : rows.stop])
            result[rows.stop :, first : rows.stop] = result[first : rows.stop, rows.stop :].T
            first = rows.stop
    return result


def _called(kernel: KernelFunction, X: Any, Y: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    Y = X if Y is None else Y
    values = np.ascontiguousarray(kernel(X, Y), dtype=dtype)
    expected = (X.shape[0], Y.shape[0])
    if values.shape != expected:
        raise ValueError(
            f"the kernel function returned an array of shape {values.shape}, expected {expected}"
        )
    return values


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """Which of n rows are equal.

    Attributes
    ----------
    first : ndarray of int, shape (k,)
        The number of the first row of each group of equal rows, ascending.
    index : ndarray of int, shape (n,)
        The position in `first` that each row belongs to.
    """

    first: NDArray[np.intp]
    index: NDArray[np.intp]

    def summed(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sums of values, shape (n,) or (n, s), over equal rows."""
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
    """Return a key of each row; equal rows have equal keys."""
    if not scipy.sparse.issparse(X):
        return (row.tobytes() for row in np.asarray(X) + 0.0)
    rows = scipy.sparse.csr_array(X, copy=True)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    ends = zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
    return (rows.indices[a:b].tobytes() + rows.data[a:b].tobytes() for a, b in ends)
