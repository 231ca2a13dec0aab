"""Rows of two numbers as bits: counts of bits give their kernel values.

Entries are two numbers in tables of categories (one column for each level), texts (a column for
each word) and yes or no answers. If the rows x and z differ in c columns, and their two numbers by
h, then |x - z|^2 = c h^2 and |x - z|_1 = c h. The number c is the count of bits in x XOR z. If the
lower number is 0, the count of bits in x AND z gives <x, z> = c h^2. The counts are exact, so
kernel values are the same on every processor, and there are so few counts that their kernel values
fit into a table.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.kernels.named_kernels import Kernel, kernel_row

WORD = 64  # bits
# Rows looked at first: among a few rows of measured numbers more than two differ
FIRST_ROWS = 64


@dataclass(frozen=True, eq=False)
class BitRows:
    """Rows whose entries are `low` or `high`, as bits: 1 stands for `high`.

    Attributes
    ----------
    words : ndarray of uint64, shape (n, w)
        The bits of each row, 64 to a word; the last word is filled up with 0.
    width : int
        The number d of columns.
    low, high : float
        The two numbers, low < high.
    """

    words: NDArray[np.uint64]
    width: int
    low: float
    high: float

    def __len__(self) -> int:
        return len(self.words)

    def alike(self, X: NDArray[Any]) -> "BitRows | None":
        """Return other rows, shape (n, d), with the same two numbers; None if they have others."""
        bits = np.equal(X, self.high)
        if not (bits | np.equal(X, self.low)).all():
            return None
        return BitRows(_words(bits), self.width, self.low, self.high)


def bit_rows(X: NDArray[Any]) -> BitRows | None:
    """Return rows, shape (n, d), as bits; None if their entries are not exactly two numbers."""
    if not X.size:
        return None
    for rows in (X[:FIRST_ROWS], X):
        low, high = float(rows.min()), float(rows.max())
        bits = rows == high
        if not (bits | (rows == low)).all():
            return None
    return BitRows(_words(bits), X.shape[1], low, high) if low < high else None


def _words(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    n, d = bits.shape
    padded = np.zeros((n, -(-d // WORD) * WORD), dtype=bool)
    padded[:, :d] = bits
    return np.packbits(padded, axis=1).view(np.uint64)


class BitValues:
    """The kernel values between rows x of `left` and rows z of `right`, made block by block.

    The two have the same two numbers, and the lower is 0 for a kernel of products: see
    `bit_values`.

    Attributes
    ----------
    shape : tuple of int
        The numbers of rows x and z.
    table : ndarray of shape (d + 1,)
        The kernel value of each count of bits.
    largest_count : int
        No count is larger.
    """

    def __init__(self, left: BitRows, right: BitRows, kernel: Kernel) -> None:
        self.shape = len(left), len(right)
        self.table = _values_of_counts(kernel, right.high - right.low, right.width)
        ones = [
            int(np.bitwise_count(rows.words).sum(axis=1).max(initial=0)) for rows in (left, right)
        ]
        self.largest_count = min(sum(ones), right.width)
        self._of_products = kernel_row(kernel.name).argument == "product"
        self._left = left.words
        self._right = np.ascontiguousarray(right.words.T)

    def fill(self, out: NDArray[np.float64], row: int, column: int) -> None:
        """Write the block of values that begins at a row and a column into a contiguous array."""
        self._look_up(self.table, out, row, column)

    def count(self, out: NDArray[np.float64], row: int, column: int) -> None:
        """Write a block of counts, as `fill` does the values."""
        self._look_up(np.arange(self.table.size, dtype=np.float64), out, row, column)

    def _look_up(
        self, table: NDArray[np.float64], out: NDArray[np.float64], row: int, column: int
    ) -> None:
        from ensvm.kernels.bit_counts import look_up  # loads numba: on first use

        look_up(self._left, self._right, row, column, table, self._of_products, out)


class CountPairs:
    """Kernel values in float32 by codes of 16 bits, one for two neighbouring entries of a matrix.

    A product with such a matrix reads a quarter of the memory, and takes half the look-ups that
    one with a code for each entry takes. No count is above `LARGEST`.
    """

    LARGEST = 255

    def __init__(self, bits: BitValues) -> None:
        self._base = bits.largest_count + 1
        values = bits.table[: self._base].astype(np.float32)
        pairs = np.stack(np.broadcast_arrays(values[:, None], values), axis=-1)
        self._pairs = pairs.reshape(-1).view(np.float64)

    def codes(self, counts: NDArray[np.float64]) -> NDArray[np.uint16]:
        """Return the codes of counts, shape (n, 2 c): first * base + second, shape (n, c)."""
        return (counts[:, ::2] * self._base + counts[:, 1::2]).astype(np.uint16)

    def products(
        self,
        codes: NDArray[np.uint16],
        left: NDArray[np.float32],
        right: NDArray[np.float32],
        out: NDArray[np.float32],
    ) -> NDArray[np.float32]:
        """Return the matrix times `right`; write `left` times the matrix to `out`."""
        from ensvm.kernels.bit_counts import products

        sums = np.empty(len(codes), np.float32)
        products(codes, self._pairs, left, right, sums, out)
        return sums


def _values_of_counts(kernel: Kernel, step: float, width: int) -> NDArray[np.float64]:
    """Return the kernel values of the counts 0, ..., width; the two numbers differ by `step`."""
    row = kernel_row(kernel.name)
    factor = kernel.gamma if "gamma" in row.parameters else 1.0
    factor *= step if row.argument == "cityblock" else step**2
    arguments = np.arange(width + 1.0) * (factor if row.argument == "product" else -factor)
    if "coef0" in row.parameters:
        arguments += kernel.coef0
    row.transform(arguments, kernel.degree)
    return arguments


def bit_values(left: BitRows | None, right: BitRows | None, kernel: Kernel) -> BitValues | None:
    """Return the kernel values between two kinds of rows; None if bits do not give them."""
    if left is None or right is None:
        return None
    if kernel_row(kernel.name).argument == "product" and right.low != 0.0:
        return None
    return BitValues(left, right, kernel)
