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
    """The rows of L, a few at a time: features whose products are the low-rank kernel's values.

    Attributes
    ----------
    rows : array or sparse matrix of shape (r, d)
        The rows p_j behind the columns of L.
    pivots : ndarray of int, shape (r,)
        Their numbers among the rows that they were chosen from.
    corner : ndarray of shape (r, r)
        The lower triangle L_P, the pivots' rows of L.
    kernel : mapping
        The kernel, its parameters and dtype, as `ensvm.kernels.gram` takes them.
    residual : float
        The share of the trace that L leaves out, of the rows that pivots were chosen among.
    """

    rows: Any
    pivots: NDArray[np.intp]
    corner: NDArray[np.float64]
    kernel: Mapping[str, Any]
    residual: float

    def blocks(self, X: Any) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Compute the features k(x, P) L_P^-T of rows, in blocks that take 32 MiB or less.

        Parameters
        ----------
        X : array or scipy sparse matrix of shape (m, d)
            The rows.

        Yields
        ------
        rows : slice
            Which rows they are.
        features : ndarray of shape (r, rows)
            Their features, in the kernel's dtype, a column a row.
        """
        for block in slices(X.shape[0], BLOCK_ENTRIES // max(self.pivots.size, 1)):
            values = gram(X[block], self.rows, **self.kernel)
            corner = self.corner.astype(values.dtype, copy=False)
            yield (
                block,
                linalg.solve_triangular(
                    corner, values.T, lower=True, overwrite_b=True, check_finite=False
                ),
            )

    def at_pivots(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the coefficients c = L_P^-T w of the expansion that weights of features make.

        Parameters
        ----------
        weights : ndarray of shape (r,)
            The weights w of the features.

        Returns
        -------
        ndarray of shape (r,)
            The coefficients of k(p_j, x), in the order of `pivots`.
        """
        coefficients: NDArray[np.float64] = linalg.solve_triangular(
            self.corner, weights, lower=True, trans="T"
        )
        return coefficients


@dataclass(frozen=True)
class PivotChoice:
    """How many rows become pivots, how they are chosen, and among which rows.

    Attributes
    ----------
    limit : float
        A whole number >= 1 is the largest rank; a share in (0, 1) is that of the trace to leave
        out, of the sample's trace where there is one.
    method : {'random', 'greedy'}, default 'random'
        How pivots are chosen, see `partial_cholesky`.
    pivot_rows : int, default None
        The rows of the sample, at least 1; None for all rows.
    seed : int, default 0
        Draws the sample and, with 'random', the pivots.
    """

    limit: float
    method: Literal["random", "greedy"] = "random"
    pivot_rows: int | None = None
    seed: int = 0

    def sample(self, m: int) -> NDArray[np.intp] | None:
        """Return the rows among which pivots are chosen, rising; None for all m.

        Parameters
        ----------
        m : int
            The number of rows.

        Returns
        -------
        ndarray of int, shape (pivot_rows,), or None
            The numbers of the rows.
        """
        if self.pivot_rows is None or m <= self.pivot_rows:
            return None
        generator = np.random.default_rng([SAMPLE_STREAM, self.seed])
        return np.sort(generator.choice(m, self.pivot_rows, replace=False))

    def factor(self, X: Any, kernel: Mapping[str, Any]) -> LowRankGram:
        """Return the factor that the pivots chosen among all of these rows make of them.

        Parameters
        ----------
        X : array or scipy sparse matrix of shape (m, d)
            The rows.
        kernel : mapping
            The kernel, its parameters and dtype, as `ensvm.kernels.gram` takes them.

        Returns
        -------
        LowRankGram
            The factor.

        Raises
        ------
        ValueError
            As `partial_cholesky` does.
        """
        columns, diagonal = kernel_columns(X, **kernel)
        end: dict[str, Any] = {"tol" if 0.0 < self.limit < 1.0 else "rank": self.limit}
        return partial_cholesky(columns, diagonal, method=self.method, **end, rng=self.seed)


def pivot_features(X: Any, kernel: Mapping[str, Any], choice: PivotChoice) -> PivotFeatures:
    """Choose pivots as `low_rank_gram` does, keeping nothing as large as the rows.

    Parameters
    ----------
    X : array or scipy sparse matrix of shape (m, d)
        The rows.
    kernel : mapping
        The kernel, its parameters and dtype, as `ensvm.kernels.gram` takes them.
    choice : PivotChoice
        Which rows become pivots.

    Returns
    -------
    PivotFeatures
        The pivots, and the features that they make of rows.

    Raises
    ------
    ValueError
        As `partial_cholesky` does.
    """
    rows = choice.sample(X.shape[0])
    part = choice.factor(X if rows is None else X[rows], kernel)
    corner = part.factor[part.pivots].astype(np.float64)
    pivots = part.pivots if rows is None else rows[part.pivots]
    return PivotFeatures(X[pivots], pivots, corner, kernel, part.relative_residual)


def low_rank_gram(X: Any, kernel: Mapping[str, Any], choice: PivotChoice) -> LowRankGram:
    """Factorise the Gram matrix of rows, K ~ LL', never forming it.

    With more than `choice.pivot_rows` rows the pivots are those of a random sample of as many; then
    L = K(X, P) L_P^-T, with P the pivots and L_P their rows of L, is computed for blocks of rows. K
    and LL' agree in the pivots' columns as before, and the residual stays positive semidefinite.

    Parameters
    ----------
    X : array or scipy sparse matrix of shape (m, d)
        The rows.
    kernel : mapping
        The kernel, its parameters and dtype, as `ensvm.kernels.gram` takes them.
    choice : PivotChoice
        Which rows become pivots.

    Returns
    -------
    LowRankGram
        The factor and what is proved about it, of all rows.

    Raises
    ------
    ValueError
        As `partial_cholesky` does.
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
