"""Low-rank factors of Gram matrices: K ~ LL' from r columns of K, which itself is never formed.

The columns are those of r rows, the pivots. With many rows the pivots are chosen among a sample of
them, and L is computed for blocks of rows.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg, sparse

from ensvm.kernels import DENSE_COLUMNS, gram
from ensvm.kernels.gram_matrix import slices

Columns: TypeAlias = Callable[[NDArray[np.intp]], ArrayLike]
PivotStop: TypeAlias = Literal["rank_reached", "tolerance_met", "exhausted"]

# Columns fetched at once; more only widen what each pivot has to update.
FIRST_BLOCK, LARGEST_BLOCK = 8, 64
FIRST_CAPACITY = 128  # columns allocated where a tolerance may stop it early; doubled as needed
RESIDUAL_ROUNDING = 100.0  # roundings of the largest K_ii: a residual below them counts as 0
# Times the square root of a rounding: a residual this far below 0 is not a rounding error.
INDEFINITE_ROUNDING = 100.0
DIAGONAL_BLOCK = 64  # rows whose kernel values are computed for the sake of their diagonal
# Entries of L that are computed at once: 32 MiB of float64
BLOCK_ENTRIES = 1 << 22
PIVOT_ROWS = 100_000  # among which pivots are chosen, at most
# Draws the sample of rows with another stream of numbers than the pivots
SAMPLE_STREAM = 1


class _PartialFactor:
    """L so far, the residual diagonal, and the columns fetched last: all but the choice of pivots.

    `residual`, shape (m,), is the diagonal of K - LL' in float64, exactly 0 where only rounding
    remains.
    """

    def __init__(
        self, columns: Columns, diagonal: ArrayLike, rank: int | None, tol: float | None
    ) -> None:
        values = np.asarray(diagonal)
        values = values if values.dtype == np.float32 else values.astype(np.float64)
        if not (np.isfinite(values).all() and values.min() >= 0.0):
            raise ValueError(
                "the diagonal of a positive semidefinite matrix has finite entries >= 0 only"
            )
        self.residual = values.astype(np.float64)
        self._columns = columns
        self._rank = values.size if rank is None else min(int(rank), values.size)
        self._traces = [float(self.residual.sum())]
        self._goal = -1.0 if tol is None else tol * self._traces[0]
        rounding, largest = np.finfo(values.dtype).eps, float(self.residual.max())
        self._floor = RESIDUAL_ROUNDING * rounding * largest
        self._depth = -INDEFINITE_ROUNDING * np.sqrt(rounding) * largest
        capacity = self._rank if tol is None else min(self._rank, FIRST_CAPACITY)
        self._factor = np.empty((values.size, capacity), values.dtype, order="F")
        self._pivots: list[int] = []
        self._fetched_at = -FIRST_BLOCK // 2  # as if half a block had been of use

    @property
    def stop_reason(self) -> PivotStop | None:
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
        done = len(self._pivots)
        block = np.array(self._columns(proposals), dtype=self._factor.dtype, order="F")
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


@dataclass(frozen=True, eq=False)
class LowRankGram:
    """The matrix LL' near a Gram matrix K, an operator for the solvers, and what is proved of it.

    With `own_diagonal` the operator is LL' + diag(K - LL'), which has the diagonal of K (Snelson &
    Ghahramani, Sparse Gaussian processes using pseudo-inputs, NIPS 2005, where it is a covariance).
    It is positive semidefinite and has full rank where LL' has not: a hard margin exists, which m
    points in r < m dimensions rarely have.

    Attributes
    ----------
    factor : ndarray of shape (m, r)
        The factor L, float32 or float64, columns contiguous.
    pivots : array of shape (r,)
        Distinct rows of K in the order chosen; K and LL' agree in these columns.
    trace_residuals : float64 array of shape (r + 1,)
        The traces of K - LL' with the first 0, ..., r columns of L, never rising; the first is
        trace(K), the last bounds the largest eigenvalue of K - LL'.
    residual_diagonal : array of shape (m,)
        The differences K_ii - |L_i|^2 >= 0; an entry i, j of K - LL' is at most
        sqrt(residual_diagonal_i residual_diagonal_j) in size.
    stop_reason : str
        'rank_reached', 'tolerance_met' or 'exhausted' (K has no higher rank up to rounding).
    own_diagonal : bool
        Whether products are those of LL' + diag(K - LL').
    """

    factor: NDArray[Any]
    pivots: NDArray[np.intp]
    trace_residuals: NDArray[np.float64]
    residual_diagonal: NDArray[Any]
    stop_reason: PivotStop
    own_diagonal: bool = False

    @property
    def rank(self) -> int:
        """The number of columns of L."""
        return self.pivots.size

    @property
    def dtype(self) -> np.dtype[Any]:
        """The precision of L, in which products run."""
        return self.factor.dtype

    @property
    def relative_residual(self) -> float:
        """trace(K - LL') / trace(K), in [0, 1]; 0 for K = 0."""
        whole = self.trace_residuals[0]
        return float(self.trace_residuals[-1] / whole) if whole > 0.0 else 0.0

    def matvec(self, vector: ArrayLike) -> NDArray[Any]:
        """Return the operator times a vector of shape (m,), in the precision of L."""
        # Cast first: a product of mixed precisions would copy L.
        right = np.asarray(vector, dtype=self.dtype)
        product = self.factor @ (self.factor.T @ right)
        return product + self.residual_diagonal * right if self.own_diagonal else product

    def at_pivots(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the coefficients at the pivots of the expansion that LL' makes of others.

        The kernel between a row x and the training rows is replaced by k(x, P) L_P^-T L', with P
        the pivots and L_P their rows of L: sum_i v_i k(x_i, x) becomes sum_j c_j k(p_j, x), with
        c = L_P^-T L'v in the order of `pivots`. `values` are the v of one expansion, shape (m,), or
        of several, (t, m).
        """
        values = np.asarray(values, dtype=self.dtype)
        corner = self.factor[self.pivots].astype(np.float64)
        projected = (values @ self.factor).T.astype(np.float64)
        return linalg.solve_triangular(corner, projected, lower=True, trans="T").T


def kernel_columns(X: Any, **kernel: Any) -> tuple[Columns, NDArray[Any]]:
    """Return the Gram matrix of rows X as `partial_cholesky` reads it: columns and diagonal.

    `kernel` has the kernel, its parameters and dtype, as `ensvm.kernels.gram` takes them.
    """
    if isinstance(kernel["kernel"], str) and sparse.issparse(X) and X.shape[1] <= DENSE_COLUMNS:
        X = X.toarray()  # once, not for every block of columns

    def columns(indices: NDArray[np.intp]) -> NDArray[Any]:
        """Return some columns of the Gram matrix."""
        # Rows of the symmetric K: their transpose is contiguous by column.
        return gram(X[indices], X, **kernel).T

    blocks = slices(X.shape[0], DIAGONAL_BLOCK)
    return columns, np.concatenate([gram(X[block], **kernel).diagonal() for block in blocks])


def partial_cholesky(
    columns: Columns,
    diagonal: ArrayLike,
    *,
    method: Literal["greedy", "random"] = "greedy",
    rank: int | None = None,
    tol: float | None = None,
    rng: np.random.Generator | int | None = None,
) -> LowRankGram:
    """Factorise K by Cholesky's method, stopped after r pivots.

    The methods differ in how they choose a pivot from the residual diagonal K_ii - |L_i|^2:
    'greedy' takes its largest entry, the first of equal ones; 'random' draws in proportion to it,
    which bounds the expected error and does not chase outliers. K - LL' is positive semidefinite,
    so that its trace, known at every step, bounds all of it: the certificate. This takes O(m r^2)
    time and O(m r) memory.

    `columns` maps an array of k row numbers to these columns of K, shape (m, k). `diagonal`, shape
    (m,), is that of K, at least 0; float32 makes a float32 factor, all else a float64 one. It stops
    at `rank` columns of L (None: m), or at a residual of the share `tol`, in (0, 1), of trace(K).
    `rng` draws for 'random', or is its seed.

    Raises ValueError if the diagonal has entries that are not finite or below 0, or K proves to be
    not positive semidefinite.

    References
    ----------
    Fine & Scheinberg, Efficient SVM training using low-rank kernel representations, JMLR 2, 2001
    (greedy); Chen, Epperly, Tropp & Webber, Randomly pivoted Cholesky, 2022; Epperly, Tropp &
    Webber, Embrace rejection: kernel matrix approximation by accelerated randomly pivoted Cholesky,
    2024.
    """
    work = _PartialFactor(columns, diagonal, rank, tol)
    generator = np.random.default_rng(rng)
    # Columns are fetched in blocks of proposed pivots, for the speed of matrix products.
    while (reason := work.stop_reason) is None:
        if method == "greedy":
            _take_largest(work)
        else:
            _take_drawn(work, generator)
    factor = work.factor
    return LowRankGram(
        factor, work.pivots, work.trace_residuals, work.residual.astype(factor.dtype), reason
    )


def _take_largest(work: _PartialFactor) -> None:
    """Propose rows of large residual, and take them as long as the largest one is among them."""
    proposals = _largest(work.residual, work.block_size)
    block = work.fetch(proposals)
    positions = {int(row): position for position, row in enumerate(proposals)}
    while work.stop_reason is None and (pivot := int(work.residual.argmax())) in positions:
        work.take(pivot, block[:, positions[pivot]])


def _take_drawn(work: _PartialFactor, generator: np.random.Generator) -> None:
    """Propose rows drawn by their residual now, and take those that pass rejection sampling."""
    shares = work.residual / work.residual.sum()
    proposals = generator.choice(shares.size, size=work.block_size, p=shares)
    thresholds = work.residual[proposals] * generator.random(proposals.size)
    block = work.fetch(proposals)
    for pivot, threshold, column in zip(proposals, thresholds, block.T, strict=True):
        # The share of its residual that the pivots before it have left is the probability of
        # taking it: the law of the pivots is then the same as without blocks.
        if threshold < work.residual[pivot] and work.stop_reason is None:
            work.take(int(pivot), column)


def _largest(residual: NDArray[np.float64], count: int) -> NDArray[np.intp]:
    """Return `count` rows of large residual, the first of the largest among them."""
    rows = np.argpartition(residual, -count)[-count:]
    top = residual.argmax()
    if top not in rows:
        rows[0] = top
    return rows


@dataclass(frozen=True, eq=False)
class PivotFeatures:
    """The rows of L, a few at a time: features whose products are the low-rank kernel's values."""

    rows: Any
    """The pivots' rows p_j, shape (r, d)."""
    pivots: NDArray[np.intp]
    """Their numbers, shape (r,)."""
    corner: NDArray[np.float64]
    """The lower triangle L_P, the pivots' rows of L, shape (r, r)."""
    kernel: Mapping[str, Any]
    """The kernel, its parameters and dtype, as `ensvm.kernels.gram` takes them."""
    residual: float
    """The share of the trace that L leaves out, over the rows among which pivots were chosen."""

    def blocks(
        self, X: Any, most_rows: int = BLOCK_ENTRIES
    ) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield slices of the rows of X with their features k(x, P) L_P^-T, shape (r, rows).

        Features have the kernel's dtype; a block takes 32 MiB or less, and has at most `most_rows`.
        """
        for block in slices(X.shape[0], min(BLOCK_ENTRIES // max(self.pivots.size, 1), most_rows)):
            values = gram(X[block], self.rows, **self.kernel)
            corner = self.corner.astype(values.dtype, copy=False)
            yield (
                block,
                linalg.solve_triangular(
                    corner, values.T, lower=True, overwrite_b=True, check_finite=False
                ),
            )

    def at_pivots(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the coefficients c = L_P^-T w of the k(p_j, x) for weights w of the features."""
        return linalg.solve_triangular(self.corner, weights, lower=True, trans="T")


@dataclass(frozen=True)
class PivotChoice:
    """How many rows become pivots, how they are chosen, and among which rows."""

    limit: float
    """The largest rank, or, in (0, 1), the share of the (sample's) trace to leave out."""
    method: Literal["random", "greedy"] = "random"
    """How pivots are chosen, see `partial_cholesky`."""
    most_rows: int = PIVOT_ROWS
    """The largest number of rows to choose among; if there are more, a random sample of them."""
    seed: int = 0
    """Draws the sample and, with 'random', the pivots."""

    def sample(self, m: int) -> NDArray[np.intp] | None:
        """Return the numbers of the rows among which pivots are chosen; None for all m rows."""
        if m <= self.most_rows:
            return None
        generator = np.random.default_rng([SAMPLE_STREAM, self.seed])
        return np.sort(generator.choice(m, self.most_rows, replace=False))

    def factor(self, X: Any, kernel: Mapping[str, Any]) -> LowRankGram:
        """Return the factor of the rows X whose pivots are chosen among all of them."""
        columns, diagonal = kernel_columns(X, **kernel)
        end: dict[str, Any] = {"tol" if 0.0 < self.limit < 1.0 else "rank": self.limit}
        return partial_cholesky(columns, diagonal, method=self.method, **end, rng=self.seed)


def pivot_features(X: Any, kernel: Mapping[str, Any], choice: PivotChoice) -> PivotFeatures:
    """Choose pivots as `low_rank_gram` does, but keep nothing as large as the rows."""
    rows = choice.sample(X.shape[0])
    part = choice.factor(X if rows is None else X[rows], kernel)
    corner = part.factor[part.pivots].astype(np.float64)
    pivots = part.pivots if rows is None else rows[part.pivots]
    return PivotFeatures(X[pivots], pivots, corner, kernel, part.relative_residual)


def low_rank_gram(X: Any, kernel: Mapping[str, Any], choice: PivotChoice) -> LowRankGram:
    """Factorise the Gram matrix of rows, K ~ LL', without forming it.

    With more than `choice.most_rows` rows the pivots are those of a random sample of as many; then
    L = K(X, P) L_P^-T, with P the pivots and L_P their rows of L, is computed for blocks of rows. K
    and LL' agree in the pivots' columns as before, and the residual stays positive semidefinite.
    """
    rows = choice.sample(X.shape[0])
    if rows is None:
        return choice.factor(X, kernel)
    return _extended(X, kernel, rows, choice.factor(X[rows], kernel))


def _extended(
    X: Any, kernel: Mapping[str, Any], rows: NDArray[np.intp], part: LowRankGram
) -> LowRankGram:
    """Return the factor of all rows with the pivots of some."""
    m, rank = X.shape[0], part.rank
    corner = part.factor[part.pivots].astype(np.float64)
    pivots = rows[part.pivots]
    at_pivots = X[pivots]
    factor = np.empty((m, rank), part.dtype, order="F")
    residual = np.empty(m)
    squares, trace = np.zeros(rank), 0.0
    for block in slices(m, BLOCK_ENTRIES // rank):
        values = gram(X[block], at_pivots, **kernel)
        part_of_factor = linalg.solve_triangular(
            corner, values.T.astype(np.float64), lower=True, check_finite=False
        ).T
        factor[block] = part_of_factor
        _, diagonal = kernel_columns(X[block], **kernel)
        entries = part_of_factor**2
        residual[block] = np.maximum(diagonal - entries.sum(axis=1), 0.0)
        squares += entries.sum(axis=0)
        trace += float(diagonal.sum(dtype=np.float64))
    residual[pivots] = 0.0
    traces = np.maximum(trace - np.concatenate([[0.0], np.cumsum(squares)]), 0.0)
    return LowRankGram(factor, pivots, traces, residual.astype(part.dtype), part.stop_reason)
