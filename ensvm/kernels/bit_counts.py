"""The compiled loops over rows of bits and over codes of their counts, with tables of values."""

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from ensvm.compiled import REASSOCIATED, compiled


def _typed(_context: Any, word: Any) -> Any:
    """Return how numba compiles the count of the 1s in a word of 64 bits: as one instruction."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        """Return the instruction."""
        return builder.ctpop(arguments[0])

    return types.uint64(word), generate


_count_of_bits: Any = intrinsic(_typed)


@compiled(at_once=True, nogil=True)
def look_up(
    left: NDArray[np.uint64],
    right: NDArray[np.uint64],
    first_row: int,
    first_column: int,
    table: NDArray[np.float64],
    of_products: bool,
    out: NDArray[np.float64],
) -> None:
    """Write table[count of bits] for a block of rows x and z, which begins at the first ones.

    The bits are those of x AND z if they are `of_products`, else those of x XOR z. `left` has the
    words of rows x, shape (n, w), and `right` those of rows z, shape (w, k): the inner loops run
    over neighbours in memory, several at once.
    """
    columns = out.shape[1]
    counts = np.empty(columns, np.uint32)
    for i in range(out.shape[0]):
        for j in range(columns):
            counts[j] = 0
        for word in range(left.shape[1]):
            bits = left[first_row + i, word]
            others = right[word, first_column : first_column + columns]
            if of_products:
                for j in range(columns):
                    counts[j] += np.uint32(_count_of_bits(bits & others[j]))
            else:
                for j in range(columns):
                    counts[j] += np.uint32(_count_of_bits(bits ^ others[j]))
        for j in range(columns):
            out[i, j] = table[counts[j]]


@compiled(at_once=True, nogil=True, fastmath=REASSOCIATED)
def products(
    codes: NDArray[np.uint16],
    pairs: NDArray[np.float64],
    left: NDArray[np.float32],
    right: NDArray[np.float32],
    row_sums: NDArray[np.float32],
    column_sums: NDArray[np.float32],
) -> None:
    """Write K right to the row sums and left'K to the column sums, for K by codes of its entries.

    A number of `pairs` is made of the bytes of two entries: one instruction moves both to the row
    of K that stays in the first cache for the two products.
    """
    row_of_pairs = np.empty(codes.shape[1])
    values = row_of_pairs.view(np.float32)
    for j in range(right.size):
        column_sums[j] = 0.0
    for i in range(codes.shape[0]):
        codes_of_row = codes[i]
        for j in range(codes_of_row.size):
            row_of_pairs[j] = pairs[codes_of_row[j]]
        total = values[0] * right[0]
        for j in range(1, right.size):
            total += values[j] * right[j]
        row_sums[i] = total
        factor = left[i]
        for j in range(right.size):
            column_sums[j] += factor * values[j]
