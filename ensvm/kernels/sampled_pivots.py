"""Low-rank factors of the Gram matrices of many rows: pivots of a sample, L in blocks of rows."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from ensvm.kernels.gram_matrix import gram, slices
from ensvm.kernels.low_rank import LowRankGram, kernel_columns, partial_cholesky

# Entries of L that are computed at once: 32 MiB of float64
BLOCK_ENTRIES = 1 << 22
# Draws the sample of rows with another stream of numbers than the pivots
SAMPLE_STREAM = 1


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
        coefficients: NDArray[np.float64] = linalg.solve_triangular(
            self.corner, weights, lower=True, trans="T"
        )
        return coefficients


@dataclass(frozen=True)
class PivotChoice:
    """How many rows become pivots, how they are chosen, and among which rows."""

    limit: float
    """The largest rank, or, in (0, 1), the share of the (sample's) trace to leave out."""
    method: Literal["random", "greedy"] = "random"
    """How pivots are chosen, see `partial_cholesky`."""
    pivot_rows: int | None = None
    """The size of the sample of rows, at least 1; None for all rows."""
    seed: int = 0
    """Draws the sample and, with 'random', the pivots."""

    def sample(self, m: int) -> NDArray[np.intp] | None:
        """Return the numbers of the rows among which pivots are chosen; None for all m rows."""
        if self.pivot_rows is None or m <= self.pivot_rows:
            return None
        generator = np.random.default_rng([SAMPLE_STREAM, self.seed])
        return np.sort(generator.choice(m, self.pivot_rows, replace=False))

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

    With more than `choice.pivot_rows` rows the pivots are those of a random sample of as many; then
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
