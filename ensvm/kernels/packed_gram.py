"""One triangle of a Gram matrix in tiles: half the memory, each entry read once a product."""

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ensvm.kernels.gram_matrix import KernelColumns, slices
from ensvm.kernels.named_kernels import row_of
from ensvm.kernels.threads import each

GramDtype: TypeAlias = Literal["float64", "float32", "uint16"]

# Rows and columns of a tile: 1 MiB of float32, which a core's second cache holds.
TILE = 512
# What 16-bit entries count: kernel values of [0, 1] in steps of 1 / 65,535
STEPS = float(np.iinfo(np.uint16).max)


def narrow_error(X: Any, *, dtype: GramDtype, packed: bool, **kernel: Any) -> float | None:
    """Return how far narrow entries of a Gram matrix can move a product, at most.

    It is a bound of each entry of (K' - K) v, where K' v is the product with the entries of this
    `dtype`, in their precision, and the sizes of the entries of v have the sum 1: 0.0 for
    'float64', whose rounding is not counted, None where there is no finite bound. The entries are
    in a `PackedGram` if `packed`, else in a whole matrix. `kernel` is a named one with its
    parameters, as `ensvm.kernels.gram` takes them.
    """
    if dtype == "float64":
        return 0.0
    with np.errstate(over="ignore", invalid="ignore"):  # of rows that float32 cannot hold
        of_entry = KernelColumns(X, dtype=np.float32, **kernel).rounding()
    if of_entry is None or not np.isfinite(of_entry):
        return None
    m = X.shape[0]
    terms = TILE + -(-m // TILE) if packed else m  # added up in float32, one after the other
    of_sum = 1.01 * (terms + 2) * float(np.finfo(np.float32).eps) / 2.0
    return of_entry + of_sum + (0.5 / STEPS if dtype == "uint16" else 0.0)


class PackedGram:
    """The Gram matrix of rows as an operator for the solvers; only one triangle is in memory.

    Each entry is read from memory once a product. The partial sums of the tiles are added in
    float64 and in one order, so that products are the same on any number of threads.

    The named kernel and its parameters are as `ensvm.kernels.gram` takes them, which raises the
    same errors. Products within a tile run in `dtype`, the precision of the entries. 'uint16' keeps
    multiples of 1 / 65,535 and multiplies in float32; it is refused for a kernel whose values do
    not lie in [0, 1].
    """

    def __init__(
        self,
        X: Any,
        *,
        kernel: str,
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 0.0,
        dtype: GramDtype = "float64",
    ) -> None:
        narrow = dtype == "uint16"
        if narrow and row_of(kernel).argument != "distance":
            raise ValueError(
                f"16-bit entries need a kernel with values in [0, 1], which {kernel!r} is not"
            )
        self.dtype = np.dtype(np.float32 if narrow else dtype)
        kernel_columns = KernelColumns(
            X, kernel=kernel, gamma=gamma, degree=degree, coef0=coef0, dtype=self.dtype
        )
        blocks = kernel_columns.between()
        self.shape = blocks.shape
        cuts = list(slices(kernel_columns.size, TILE))
        k = len(cuts)
        # Tiles of one row lie one after the other, from the diagonal on; the last is padded.
        self._starts = np.concatenate([[0], np.cumsum(np.arange(k, 0, -1))])
        self._tiles = np.empty((self._starts[-1], TILE, TILE), np.uint16 if narrow else self.dtype)
        self._step = 1.0 / STEPS if narrow else 1.0

        def make(i: int) -> None:
            """Compute a row of tiles."""
            rows = cuts[i]
            for j in range(i, k):
                columns = cuts[j]
                shape = rows.stop - rows.start, columns.stop - columns.start
                block = np.empty(shape, self.dtype)
                blocks.fill(block, rows, columns)
                if i == j:
                    blocks.settle(block)
                if narrow:
                    np.rint(np.multiply(block, STEPS, out=block), out=block)
                tile = self._tiles[self._starts[i] + j - i]
                tile[: block.shape[0], : block.shape[1]] = block
                tile[block.shape[0] :], tile[:, block.shape[1] :] = 0, 0

        each(make, range(k))

    @property
    def nbytes(self) -> int:
        """The bytes that the entries take."""
        return self._tiles.nbytes

    def matvec(self, vector: ArrayLike) -> NDArray[np.float64]:
        """Return the product with a vector of shape (m,), in float64."""
        # Imported here: numba takes half a second to load, and few fits have so many rows.
        from ensvm.kernels.tiles import multiply_tiles

        k = self._starts.size - 1
        right = np.zeros((k, TILE), self.dtype)
        right.reshape(-1)[: self.shape[0]] = np.multiply(vector, self._step)
        of_rows = np.empty((k, TILE), self.dtype)
        of_columns = np.zeros((k, k, TILE), self.dtype)

        def multiply(pair: tuple[int, ...]) -> None:
            for i in pair:
                tiles = self._tiles[self._starts[i] : self._starts[i + 1]]
                multiply_tiles(tiles, right[i:], of_rows[i], of_columns[i, i:])

        # The longest row of tiles with the shortest, and so on: pieces of one length
        each(multiply, [tuple({i, k - 1 - i}) for i in range((k + 1) // 2)])
        product = of_columns.sum(axis=0, dtype=np.float64) + of_rows
        return product.reshape(-1)[: self.shape[0]]

    __matmul__ = matvec
