"""One triangle of a Gram matrix in tiles: half the memory, each entry read once a product."""

import math
from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ensvm.kernels.bit_rows import CountPairs
from ensvm.kernels.gram_matrix import KernelBlocks, slices
from ensvm.kernels.threads import each

GramDtype: TypeAlias = Literal["float64", "float32"]

# Rows and columns of a tile: 1 MiB of float32, which a core's second cache holds.
TILE = 512


def narrow_error(X: Any, *, packed: bool, **kernel: Any) -> float | None:
    """Return how far float32 entries of a Gram matrix can move a product, at most.

    It is a bound of each entry of (K' - K) v, where K' v is the product with these entries, in
    float32, and the sizes of the entries of v have the sum 1; None without a finite bound. The
    entries are in a `PackedGram` if `packed`, else in a whole matrix. `kernel` is a named one with
    its parameters, as `ensvm.kernels.gram` takes them.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # of rows that float32 cannot hold
        of_entry = KernelBlocks(None, X, dtype=np.float32, **kernel).rounding()
    if of_entry is None or not np.isfinite(of_entry):
        return None
    terms = TILE if packed else X.shape[0]  # added up in float32, one after the other
    of_sum = 1.01 * (terms + 2) * float(np.finfo(np.float32).eps) / 2.0
    return of_entry + of_sum


class PackedGram:
    """The Gram matrix of rows as an operator for the solvers; only one triangle is in memory.

    BLAS multiplies each tile twice, for its rows and its columns, while a core's cache holds it.
    These products are in `dtype`, the precision of the entries, and their sum is in float64 and in
    one order: a product is the same on any number of threads. (LAPACK's packed storage is as small,
    but adds up all m terms in float32, so that `narrow_error` is too large from 16,000 rows on.)
    `kernel` is a named one with its parameters, as `ensvm.kernels.gram` takes them.
    `before_allocation` is called with the bytes that the tiles will take, and may raise.

    For rows of two numbers (`ensvm.kernels.bit_rows`) a tile in float32 is kept by codes of counts
    of bits, in a quarter of the memory, and products look the kernel values up.
    """

    def __init__(
        self,
        X: Any,
        *,
        dtype: GramDtype = "float64",
        before_allocation: Callable[[int], None] = lambda n_bytes: None,
        **kernel: Any,
    ) -> None:
        blocks = KernelBlocks(None, X, dtype=dtype, **kernel)
        self.dtype = blocks.dtype
        self.shape = blocks.shape
        cuts = list(slices(self.shape[0], TILE))
        k = len(cuts)
        # Tiles of one row lie one after the other, from the diagonal on; the last is padded.
        self._starts = np.concatenate([[0], np.cumsum(np.arange(k, 0, -1))])
        bits = blocks.bits if self.dtype == np.float32 else None
        if bits is not None and bits.largest_count > CountPairs.LARGEST:
            bits = None
        self._pairs = pairs = None if bits is None else CountPairs(bits)
        width, entry = (TILE, self.dtype) if pairs is None else (TILE // 2, np.dtype(np.uint16))
        shape_of_tiles = int(self._starts[-1]), TILE, width
        before_allocation(math.prod(shape_of_tiles) * entry.itemsize)
        self._tiles = np.empty(shape_of_tiles, entry)

        def make(i: int) -> None:
            """Compute a row of tiles."""
            rows = cuts[i]
            for tile, columns in zip(self._row(i), cuts[i:], strict=True):
                shape = rows.stop - rows.start, columns.stop - columns.start
                block = np.empty(shape, self.dtype if bits is None else np.float64)
                if bits is not None:
                    bits.count(block, rows.start, columns.start)
                else:
                    blocks.fill(block, rows, columns)
                    if columns is rows:
                        blocks.settle(block)
                padded = np.zeros((TILE, TILE), block.dtype)
                padded[: shape[0], : shape[1]] = block
                tile[...] = padded if pairs is None else pairs.codes(padded)

        each(make, range(k))

    def matvec(self, vector: ArrayLike) -> NDArray[np.float64]:
        """Return the product with a vector of shape (m,), in float64."""
        k = self._starts.size - 1
        right = np.zeros((k, TILE), self.dtype)
        right.reshape(-1)[: self.shape[0]] = vector
        product = np.empty((k, TILE))
        below = np.zeros((k, k, TILE), self.dtype)  # what a row of tiles adds to the rows after it

        def multiply(pair: tuple[int, ...]) -> None:
            """Multiply some rows of tiles, and what lies below the diagonal by symmetry."""
            for i in pair:
                diagonal, *others = self._row(i)
                product[i] = self._on_diagonal(diagonal, right[i])
                for j, tile in enumerate(others, i + 1):
                    product[i] += self._products(tile, right[i], right[j], below[i, j])

        # The longest row of tiles with the shortest, and so on: pieces of one length
        each(multiply, [tuple({i, k - 1 - i}) for i in range((k + 1) // 2)])
        product += below.sum(axis=0, dtype=np.float64)
        return product.reshape(-1)[: self.shape[0]]

    def _on_diagonal(self, tile: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
        """Return a tile on the diagonal, which is whole, times `right`."""
        if self._pairs is not None:
            nothing = np.zeros_like(right)
            return self._pairs.products(tile, nothing, right, np.empty_like(right))
        return np.asarray(tile @ right)

    def _products(
        self, tile: NDArray[Any], left: NDArray[Any], right: NDArray[Any], out: NDArray[Any]
    ) -> NDArray[Any]:
        """Return the tile times `right`; write `left` times the tile to `out`."""
        if self._pairs is not None:
            return self._pairs.products(tile, left, right, out)
        np.matmul(left, tile, out=out)
        return np.asarray(tile @ right)

    def _row(self, i: int) -> NDArray[Any]:
        """Return the tiles of a row of them, from the diagonal on, shape (k - i, TILE, TILE)."""
        return self._tiles[self._starts[i] : self._starts[i + 1]]
