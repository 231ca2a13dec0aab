"""Candidates of the leveraging algorithm screened by 16-bit kernel values, with a proof.

A round takes the candidate of the largest gain slope^2 / curvature (see `leverage_rounds`). Let w
be the row weights with sum W, g the pulls with sum G, and h_i = g_i - G w_i / W. Slope and
curvature come from the candidate's kernel row k: slope = sum h_i k_i, and the root of the curvature
is a seminorm of k (its weighted spread). If each kernel value is wrong by at most delta, the slope
is wrong by at most delta sum |h_i|, and the root of the curvature by at most delta sqrt(W). A
candidate cannot win if the upper bound of its gain lies below another's lower bound; the few that
are left are compared by their float64 kernel values. A round then reads 2 bytes an entry instead of
8.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.compiled import internal, njit
from ensvm.solvers.leverage_rounds import CandidateBlock, find_centres_and_floors, plus_products

STEPS = float(np.iinfo(np.uint16).max)  # 16-bit entries count kernel values in 1 / 65,535
ROUNDED = 0.5000001 / STEPS  # the most by which an entry is wrong
CHUNK = 512  # entries summed in float32 before they are added in float64
# Relative error of such a sum of products: a rounding for each addition, four for the factors.
SUMMED = 1.01 * (CHUNK + 4) * float(np.finfo(np.float32).eps) / 2.0
TINY = float(np.finfo(np.float64).tiny)
BLOCK_ROWS = 256  # rows of kernel values made at once
# Float64 rows that are kept, unless one round needs more
KEPT_ROWS = 1024


class ScreenedCandidates:
    """The kernel rows of all m candidates in 16 bits, and in float64 of those asked for.

    Parameters
    ----------
    rows : callable
        Maps k instance numbers to their kernel values with all instances, shape (k, m), float64,
        all in [0, 1].
    m : int
        The number of instances.
    """

    def __init__(self, rows: Callable[[NDArray[np.intp]], NDArray[Any]], m: int) -> None:
        self._make = rows
        self._steps = np.zeros((m + -m % 4, m), dtype=np.uint16)  # rows in fours
        for start in range(0, m, BLOCK_ROWS):
            values = rows(np.arange(start, min(start + BLOCK_ROWS, m)))
            np.rint(values * STEPS, out=values)
            self._steps[start : start + values.shape[0]] = values
        self._sums = np.empty((m + -m % 4, 3))
        self._exact: dict[int, tuple[NDArray[np.float64], float, float]] = {}

    def of_largest_gain(
        self, weights: NDArray[np.float64], pulls: NDArray[np.float64], last_chosen: int
    ) -> CandidateBlock:
        """Return the candidates that may have the largest gain, `last_chosen` left out."""
        total = max(float(weights.sum()), TINY)
        slopes, error, curvatures, slack = self._bounds(
            weights, pulls - (pulls.sum() / total) * weights, total
        )
        largest = np.sqrt(curvatures + slack) + ROUNDED * np.sqrt(total)
        least = np.sqrt(np.maximum(curvatures - slack, 0.0)) - ROUNDED * np.sqrt(total)
        lower = np.maximum(slopes - error, 0.0) / largest
        # A row of almost equal values has no upper bound, so it is always compared.
        upper = np.full(lower.size, np.inf)
        np.divide(slopes + error, least, out=upper, where=least > 0.0)
        if last_chosen >= 0:
            lower[last_chosen], upper[last_chosen] = 0.0, -1.0
        return self._block(np.flatnonzero(upper >= lower.max()))

    def of_largest_slope(self, pulls: NDArray[np.float64]) -> CandidateBlock:
        """Return the candidates that may have the largest |sum g K_j|."""
        slopes, error, *_ = self._bounds(np.abs(pulls), pulls, 1.0)
        return self._block(np.flatnonzero(slopes + error >= slopes.max() - error))

    def _bounds(
        self, weights: NDArray[np.float64], direction: NDArray[np.float64], total: float
    ) -> tuple[NDArray[np.float64], float, NDArray[np.float64], NDArray[np.float64]]:
        """Return |slope| and its error, curvature and its error, of the 16-bit rows."""
        scale = max(float(np.abs(direction).max()), TINY)
        heaviest = max(float(weights.max()), TINY)
        _find_sums(
            self._steps,
            (weights / heaviest).astype(np.float32),
            (direction / scale).astype(np.float32),
            self._sums,
        )
        squares, firsts, slopes = self._sums[: weights.size].T
        squares, firsts = squares * (heaviest / STEPS**2), firsts * (heaviest / STEPS)
        error = (ROUNDED + SUMMED) * float(np.abs(direction).sum())
        curvatures = np.maximum(squares - firsts**2 / total, 0.0)
        # The error has two parts: of `squares`, and twice that of `firsts`, because the square of a
        # first sum is at most `squares * total`.
        return np.abs(slopes) * (scale / STEPS), error, curvatures, 4.0 * SUMMED * squares

    def _block(self, indices: NDArray[np.intp]) -> CandidateBlock:
        """Return these candidates with their float64 rows, which are kept for later rounds."""
        missing = np.array([j for j in indices if j not in self._exact], dtype=np.intp)
        if missing.size and len(self._exact) + missing.size > KEPT_ROWS:
            self._exact.clear()
            missing = indices
        if missing.size:
            rows = self._make(missing)
            centres, floors = np.empty((2, missing.size))
            find_centres_and_floors(rows, float(np.finfo(rows.dtype).eps), centres, floors)
            made = zip(rows, centres, floors, strict=True)
            self._exact |= dict(zip(missing.tolist(), made, strict=True))
        kept = [self._exact[int(j)] for j in indices]
        rows = np.array([row for row, _, _ in kept])
        rows.flags.writeable = False
        centres = np.array([centre for _, centre, _ in kept])
        floors = np.array([floor for _, _, floor in kept])
        return CandidateBlock(rows, indices, centres, floors, sums=np.empty((indices.size, 3)))


@njit
def _find_sums(rows, weights, direction, sums):  # type: ignore[no-untyped-def]
    """Write sum w q^2, sum w q and sum h q of each row q.

    Four rows at a time, so that weights and direction are read less often.
    """
    n, m = rows.shape
    sums[:] = 0.0
    for j in range(0, n, 4):
        for start in range(0, m, CHUNK):
            end = min(start + CHUNK, m)
            _add_chunk(
                rows[j, start:end],
                rows[j + 1, start:end],
                rows[j + 2, start:end],
                rows[j + 3, start:end],
                weights[start:end],
                direction[start:end],
                sums[j : j + 4],
            )


@internal(fastmath={"reassoc", "contract"})
def _add_chunk(one, two, three, four, weights, direction, sums):  # type: ignore[no-untyped-def]
    """Add the sums of a chunk of four rows, which are added up in float32."""
    a = b = c = np.float32(0.0)
    d = e = f = np.float32(0.0)
    g = h = k = np.float32(0.0)
    x = y = z = np.float32(0.0)
    for i in range(weights.size):
        w, pull = weights[i], direction[i]
        a, b, c = plus_products(np.float32(one[i]), w, pull, a, b, c)
        d, e, f = plus_products(np.float32(two[i]), w, pull, d, e, f)
        g, h, k = plus_products(np.float32(three[i]), w, pull, g, h, k)
        x, y, z = plus_products(np.float32(four[i]), w, pull, x, y, z)
    for row, of_row in enumerate(((a, b, c), (d, e, f), (g, h, k), (x, y, z))):
        for column in range(3):
            sums[row, column] += of_row[column]
