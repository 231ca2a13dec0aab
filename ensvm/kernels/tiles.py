"""Products with tiles of a symmetric matrix, each entry read once for its row and its column.

Compiled, because BLAS would read every tile twice and has no 16-bit entries.
"""

from typing import Any

from numpy.typing import NDArray

from ensvm.compiled import njit


# Sums may be taken in any order: the loop over columns then runs in vector registers.
@njit(nogil=True, fastmath={"reassoc", "contract", "nsz"})
def multiply_tiles(
    tiles: NDArray[Any], vector: NDArray[Any], rows: NDArray[Any], columns: NDArray[Any]
) -> None:
    """Multiply a row of tiles with a vector; its first tile lies on the diagonal.

    `tiles`, shape (k, t, t), t a multiple of 4, may hold whole numbers, which are used as they are.
    `vector`, shape (k, t), float32 or float64, holds the entries of the tiles' columns; the first t
    belong to the rows too. The products of the rows are written to `rows`, shape (t,), and those of
    the columns to `columns`, shape (k, t), zero for the tile on the diagonal.
    """
    zero = vector.dtype.type(0)
    real = vector.dtype.type
    rows[:] = zero
    columns[:] = zero
    for k in range(tiles.shape[0]):
        right, below = vector[k], columns[k]
        for r in range(0, tiles.shape[1], 4):  # four rows at once read and write `below` once
            a, b, c, d = tiles[k, r], tiles[k, r + 1], tiles[k, r + 2], tiles[k, r + 3]
            at_a, at_b, at_c, at_d = (
                vector[0, r], vector[0, r + 1], vector[0, r + 2], vector[0, r + 3],
            )  # fmt: skip
            of_a, of_b, of_c, of_d = zero, zero, zero, zero
            for i in range(tiles.shape[2]):
                value_a, value_b, value_c, value_d = real(a[i]), real(b[i]), real(c[i]), real(d[i])
                of_a += value_a * right[i]
                of_b += value_b * right[i]
                of_c += value_c * right[i]
                of_d += value_d * right[i]
                below[i] += value_a * at_a + value_b * at_b + value_c * at_c + value_d * at_d
            rows[r] += of_a
            rows[r + 1] += of_b
            rows[r + 2] += of_c
            rows[r + 3] += of_d
    columns[0] = zero
