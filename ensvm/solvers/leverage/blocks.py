"""The chunks of the leveraging algorithm (Singer, NIPS-99, section 3): one block at a time."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.solvers.leverage.candidates import LARGEST_VALUE, Block, find_centres_and_floors

Indices = NDArray[np.intp]
Rows = Callable[[Indices], NDArray[Any]]


class BlockSource:
    """The blocks of candidates of m instances, of which one exists at a time.

    Parameters
    ----------
    gram : ndarray of shape (m, m) or callable
        The symmetric Gram matrix, or a function of k instance numbers that returns these rows,
        shape (k, m).
    m : int
        The number of instances.
    blocks : sequence of ndarray of int
        The instance numbers of each block.

    Raises
    ------
    ValueError
        If the blocks are no partition of the instances, or the Gram matrix has another shape.
    """

    def __init__(self, gram: NDArray[Any] | Rows, m: int, blocks: Sequence[Indices]) -> None:
        self._blocks = [np.asarray(block, dtype=np.intp) for block in blocks]
        self._m = m
        self.n_blocks = len(self._blocks)
        if not np.array_equal(np.sort(np.concatenate(self._blocks)), np.arange(m)) or not min(
            map(len, self._blocks)
        ):
            raise ValueError(f"blocks must name each of the {m} instances once and not be empty")
        if not callable(gram) and np.shape(gram) != (m, m):
            raise ValueError(
                f"the Gram matrix has shape {np.shape(gram)}, but there are {m} labels"
            )
        self._gram = gram if callable(gram) else np.asarray(gram)
        self._current: int | None = None
        self._block: Block | None = None

    def block(self, k: int) -> Block:
        """Return block k, made anew unless it is the one at hand.

        Raises ValueError for kernel values out of range.
        """
        if self._block is None or k != self._current:
            self._block = None
            self._block, self._current = self._made(self._blocks[k]), k
        return self._block

    def last_first(self) -> list[int]:
        """Return the numbers of all blocks, the one at hand first."""
        return sorted(range(self.n_blocks), key=lambda k: k != self._current)

    def _made(self, indices: Indices) -> Block:
        rows = self._rows(indices)
        centres, floors = np.empty((2, indices.size))
        find_centres_and_floors(rows, float(np.finfo(rows.dtype).eps), centres, floors)
        bad = ~np.isfinite(centres)
        if bad.any():
            raise ValueError(
                f"kernel values must be finite and smaller than {LARGEST_VALUE:g}, "
                f"but not all are with instance {indices[bad][0]}"
            )
        return Block(rows, indices, centres, floors, sums=np.empty((indices.size, 3)))

    def _rows(self, indices: Indices) -> NDArray[Any]:
        if callable(self._gram):
            rows = np.asarray(self._gram(indices))
            if rows.shape != (indices.size, self._m):
                raise ValueError(
                    f"gram returned rows of shape {rows.shape}, expected {(indices.size, self._m)}"
                )
        elif self.n_blocks == 1 and np.array_equal(indices, np.arange(self._m)):
            rows = self._gram.T if self._gram.flags.f_contiguous else self._gram  # symmetric
        else:
            rows = self._gram[indices]
        rows = np.ascontiguousarray(
            rows, dtype=rows.dtype if rows.dtype == np.float32 else np.float64
        ).view()
        # What is compiled for a matrix that may be written to serves no other.
        rows.flags.writeable = False
        return rows
