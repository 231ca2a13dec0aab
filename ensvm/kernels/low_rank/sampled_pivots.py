"""Low-rank factors of the Gram matrices of many rows: pivots of a sample, L in blocks of rows."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from ensvm.kernels.blocks import slices
from ensvm.kernels.gram_matrix import gram
from ensvm.kernels.low_rank.factors import (
    LowRankGram,
    incomplete_cholesky,
    kernel_columns,
    randomly_pivoted_cholesky,
)

# Entries of L that are computed at once: 32 MiB of float64
BLOCK_ENTRIES = 1 << 22
# Draws the sample of rows with another stream of numbers than the pivots
SAMPLE_STREAM = 1


def low_rank_gram(
    X: Any,
    kernel: Mapping[str, Any],
    limit: float,
    *,
    method: Literal["random", "greedy"] = "random",
    pivot_rows: int | None = None,
    seed: int = 0,
) -> LowRankGram:
    """Factorise the Gram matrix of rows, K ~ LL', never forming it.

    With more than `pivot_rows` rows the pivots are those of a random sample of as many; then L =
    K(X, P) L_P^-T, with P the pivots and L_P their rows of L, is computed for blocks of rows. K and
    LL' agree in the pivots' columns as before, and the residual stays positive semidefinite.

    Parameters
    ----------
    X : array or scipy sparse matrix of shape (m, d)
        The rows.
    kernel : mapping
        The kernel, its parameters and dtype, as `ensvm.kernels.gram` takes them.
    limit : float
        A whole number >= 1 is the largest rank; a share in (0, 1) is that of the trace to leave
        out, of the sample's trace where there is one.
    method : {'random', 'greedy'}, default 'random'
        How pivots are chosen, see `ensvm.kernels.low_rank`.
    pivot_rows : int, default None
        The rows of the sample, at least 1; None for all rows.
    seed : int, default 0
        Draws the sample and, with 'random', the pivots.

    Returns
    -------
    LowRankGram
        The factor and what is proved about it, of all rows.

    Raises
    ------
    ValueError
        As `incomplete_cholesky` does.
    """
    m = X.shape[0]
    settings = {"tol": limit} if 0.0 < limit < 1.0 else {"rank": limit}
    if pivot_rows is None or m <= pivot_rows:
        return _chosen(X, kernel, settings, method, seed)
    generator = np.random.default_rng([SAMPLE_STREAM, seed])
    rows = np.sort(generator.choice(m, pivot_rows, replace=False))
    part = _chosen(X[rows], kernel, settings, method, seed)
    return _extended(X, kernel, rows, part)


def _chosen(
    X: Any, kernel: Mapping[str, Any], settings: dict[str, Any], method: str, seed: int
) -> LowRankGram:
    columns, diagonal = kernel_columns(X, **kernel)
    if method == "greedy":
        return incomplete_cholesky(columns, diagonal, **settings)
    return randomly_pivoted_cholesky(columns, diagonal, **settings, rng=seed)


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
