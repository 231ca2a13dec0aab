"""The state of a Cholesky factorisation that stops early.

Columns are fetched in blocks, pivots are taken one by one.
"""

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Columns: TypeAlias = Callable[[NDArray[np.intp]], ArrayLike]
StopReason: TypeAlias = Literal["rank_reached", "tolerance_met", "exhausted"]

# Columns fetched at once; more only widen what each pivot has to update.
FIRST_BLOCK, LARGEST_BLOCK = 8, 64
FIRST_CAPACITY = 128  # columns allocated where a tolerance may stop it early; doubled as needed
RESIDUAL_ROUNDING = 100.0  # roundings of the largest K_ii: a residual below them is none
# Square roots of a rounding of it: a residual this far below 0 is no rounding.
INDEFINITE_ROUNDING = 100.0


class PartialCholesky:
    """L so far, the residual diagonal, and the columns fetched last: all but the choice of pivots.

    Parameters are those of `ensvm.kernels.low_rank.incomplete_cholesky`; so are the errors raised.

    Attributes
    ----------
    residual : ndarray of shape (m,)
        The diagonal of K - LL' in float64, exactly 0 where only rounding is left.
    """

    def __init__(
        self, columns: Columns, diagonal: ArrayLike, rank: int | None, tol: float | None
    ) -> None:
        given = _checked_diagonal(diagonal)
        _check(rank, tol)
        self.residual = given.astype(np.float64)
        self._columns = columns
        self._rank = given.size if rank is None else min(int(rank), given.size)
        self._traces = [float(self.residual.sum())]
        self._goal = -1.0 if tol is None else tol * self._traces[0]
        rounding, largest = np.finfo(given.dtype).eps, float(self.residual.max())
        self._floor = RESIDUAL_ROUNDING * rounding * largest
        self._depth = -INDEFINITE_ROUNDING * np.sqrt(rounding) * largest
        capacity = self._rank if tol is None else min(self._rank, FIRST_CAPACITY)
        self._factor = np.empty((given.size, capacity), given.dtype, order="F")
        self._pivots: list[int] = []
        self._fetched_at = -FIRST_BLOCK // 2  # as if half a block had been of use

    @property
    def stop_reason(self) -> StopReason | None:
        """Why no more pivots are taken; None while they are."""
        if self._traces[-1] <= self._goal:
            return "tolerance_met"
        if len(self._pivots) == self._rank:
            return "rank_reached"
        return None if self.residual.any() else "exhausted"

    @property
    def block_size(self) -> int:
        """How many pivots to propose: twice as many as were of use the last time."""
        used = len(self._pivots) - self._fetched_at
        return min(2 * used, LARGEST_BLOCK, self._rank - len(self._pivots))

    def fetch(self, proposals: NDArray[np.intp]) -> NDArray[Any]:
        """Return the columns of K - LL' of the proposed rows, shape (m, k), as of now."""
        m, done = self.residual.size, len(self._pivots)
        block = np.array(self._columns(proposals), dtype=self._factor.dtype, order="F")
        if block.shape != (m, proposals.size):
            raise ValueError(
                f"the columns have shape {block.shape}, expected {(m, proposals.size)}"
            )
        block -= self._factor[:, :done] @ self._factor[proposals, :done].T
        self._fetched_at = done
        return block

    def take(self, pivot: int, column: NDArray[Any]) -> None:
        """Add a pivot's column of L; `column` is the pivot's in the block fetched last."""
        done = len(self._pivots)
        self._make_room(done)
        since = slice(self._fetched_at, done)
        column -= self._factor[:, since] @ self._factor[pivot, since]
        column *= 1.0 / np.sqrt(self.residual[pivot])
        # A positive semidefinite matrix with a zero on the diagonal has zeros all along that row.
        column[self.residual == 0.0] = 0.0
        squares = np.square(column, dtype=np.float64)
        squares[pivot] = self.residual[pivot]
        column[pivot] = np.sqrt(squares[pivot])
        self._factor[:, done] = column
        self._pivots.append(pivot)
        self._traces.append(max(self._traces[-1] - float(squares.sum()), 0.0))
        self.residual -= squares
        if not self.residual.min() >= self._depth:  # nor if it is not a number
            raise ValueError(
                "the Gram matrix is not positive semidefinite: a residual of its "
                "diagonal is negative"
            )
        self.residual[self.residual <= self._floor] = 0.0

    @property
    def factor(self) -> NDArray[Any]:
        """L, of shape (m, r), columns contiguous, with no larger array behind it."""
        rank = len(self._pivots)
        return (
            self._factor
            if self._factor.shape[1] == rank
            else self._factor[:, :rank].copy(order="F")
        )

    @property
    def pivots(self) -> NDArray[np.intp]:
        """The pivots in the order taken, shape (r,)."""
        return np.array(self._pivots, dtype=np.intp)

    @property
    def trace_residuals(self) -> NDArray[np.float64]:
        """trace(K - LL') after 0, ..., r pivots, shape (r + 1,)."""
        return np.array(self._traces)

    def _make_room(self, done: int) -> None:
        if done == self._factor.shape[1]:
            larger = np.empty(
                (self.residual.size, min(2 * done, self._rank)), self._factor.dtype, order="F"
            )
            larger[:, :done] = self._factor
            self._factor = larger


def _checked_diagonal(diagonal: ArrayLike) -> NDArray[Any]:
    given = np.asarray(diagonal)
    given = given if given.dtype == np.float32 else given.astype(np.float64)
    if given.ndim != 1 or given.size == 0:
        raise ValueError(
            f"the diagonal must be a vector with at least one entry, got shape {given.shape}"
        )
    if not (np.isfinite(given).all() and given.min() >= 0.0):
        raise ValueError(
            "the diagonal of a positive semidefinite matrix has finite entries >= 0 only"
        )
    return given


def _check(rank: int | None, tol: float | None) -> None:
    if rank is not None and (rank < 1 or rank != int(rank)):
        raise ValueError(f"rank must be a whole number >= 1, got {rank!r}")
    if tol is not None and not 0.0 < tol < 1.0:
        raise ValueError(f"tol must lie between 0 and 1, got {tol!r}")
