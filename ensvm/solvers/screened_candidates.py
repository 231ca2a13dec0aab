"""Candidates of the leveraging algorithm screened by 16-bit kernel values, with a proof.

A round takes the candidate of the largest gain slope^2 / curvature (see `leverage_rounds`). Let w
be the row weights with sum W, g the pulls with sum G, and h_i = g_i - G w_i / W. Slope and
curvature come from the candidate's kernel row k: slope = sum h_i k_i, and the root of the curvature
is a seminorm of k (its weighted spread). If each kernel value is wrong by at most delta, the slope
is wrong by at most delta sum |h_i|, and the root of the curvature by at most delta sqrt(W). A
candidate cannot win if the upper bound of its gain lies below another's lower bound; the few that
are left are compared by their float64 kernel values.

Most rounds read only the upper 8 bits of all candidates, for the change of h since a round that
read all 16: the change is small, and so is its error. Curvature min_b sum w_i (k_i - b)^2 changed
by a factor between the least and the largest change of a weight. The 16 bits of the few candidates
that are left then leave fewer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ensvm.compiled import inlined, internal, njit
from ensvm.solvers.leverage_rounds import (
    CandidateBlock,
    find_centres_and_floors,
    largest_slope,
    plus_products,
)

STEPS = float(np.iinfo(np.uint16).max)  # 16-bit entries count kernel values in 1 / 65,535
ROUNDED = 0.5000001 / STEPS  # the most by which an entry is wrong
CHUNK = 512  # entries summed in float32 before they are added in float64
# Relative error of such a sum of products: a rounding for each addition, four for the factors.
SUMMED = 1.01 * (CHUNK + 4) * float(np.finfo(np.float32).eps) / 2.0
TINY = float(np.finfo(np.float64).tiny)
MIDDLE = 127.5  # of the lower 8 bits: they are wrong by at most as much
BLOCK_ROWS = 256  # rows of kernel values made at once
# Bounds of curvatures are used until weights changed by factors this far apart, ...
MOST_CHANGE = 4.0
# ... and until they leave more than 1 / FEW of the candidates
FEW = 6
# Float64 rows that are kept, unless one round needs more
KEPT_ROWS = 1024


class GainBounds(NamedTuple):
    """Slopes of candidates, how wrong one may be, and bounds of the roots of curvatures."""

    slopes: NDArray[np.float64]
    error: float
    at_least: NDArray[np.float64]
    at_most: NDArray[np.float64]


class Base(NamedTuple):
    """The bounds of all candidates by 16 bits, with the weights and the direction they are of."""

    weights: NDArray[np.float64]
    direction: NDArray[np.float64]
    bounds: GainBounds


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
        # The upper and the lower 8 bits of each entry; rows in fours
        self._upper, self._lower = np.zeros((2, m + -m % 4, m), dtype=np.uint8)
        for start in range(0, m, BLOCK_ROWS):
            these = slice(start, min(start + BLOCK_ROWS, m))
            values = rows(np.arange(these.start, these.stop))
            steps = np.rint(values * STEPS, out=values).astype(np.uint16)
            self._upper[these], self._lower[these] = steps >> 8, steps & 255
        self._exact: dict[int, tuple[NDArray[np.float64], float, float]] = {}
        self._base: Base | None = None

    def of_largest_gain(
        self, weights: NDArray[np.float64], pulls: NDArray[np.float64], last_chosen: int
    ) -> CandidateBlock:
        """Return the candidates that may have the largest gain, `last_chosen` left out."""
        everyone = np.arange(weights.size)
        total = max(float(weights.sum()), TINY)
        direction = pulls - (pulls.sum() / total) * weights
        few = self._few(weights, direction, last_chosen)
        candidates = everyone if few is None else few
        bounds = self._bounds(candidates, weights, direction, total)
        if few is None:
            self._base = Base(weights.copy(), direction, bounds)
        return self._block(_may_win(candidates, bounds, last_chosen))

    def largest_slope(
        self, weights: NDArray[np.float64], pulls: NDArray[np.float64], held: float
    ) -> float:
        """Return the largest |sum g K_j| of all candidates, less what holds against it."""
        return float(largest_slope(self.of_largest_slope(pulls), weights, pulls, held))

    def of_largest_slope(self, pulls: NDArray[np.float64]) -> CandidateBlock:
        """Return the candidates that may have the largest |sum g K_j|."""
        bounds = self._bounds(np.arange(pulls.size), np.abs(pulls), pulls, 1.0)
        slopes, error = np.abs(bounds.slopes), bounds.error
        return self._block(np.flatnonzero(slopes + error >= slopes.max() - error))

    def _few(
        self, weights: NDArray[np.float64], direction: NDArray[np.float64], last_chosen: int
    ) -> NDArray[np.intp] | None:
        """Return the candidates that may win by the last bounds and 8 bits; None for too many."""
        base = self._base
        if base is None or not base.weights.min() > TINY:
            return None
        factors = weights / base.weights
        least, most = float(factors.min()), float(factors.max())
        if most > MOST_CHANGE * least:
            return None
        change = direction - base.direction
        size = float(np.abs(change).sum())
        scale = max(float(np.abs(change).max()), TINY)
        sums = np.empty(self._upper.shape[0])
        _find_slopes(self._upper, (change / scale).astype(np.float32), sums)
        # The lower bits count as the middle of what they may be.
        slopes = (256.0 * scale * sums[: weights.size] + MIDDLE * change.sum()) / STEPS
        slopes += base.bounds.slopes
        bounds = GainBounds(
            slopes,
            base.bounds.error + (MIDDLE / STEPS + ROUNDED + SUMMED) * size,
            np.sqrt(least) * base.bounds.at_least,
            np.sqrt(most) * base.bounds.at_most,
        )
        few = _may_win(np.arange(weights.size), bounds, last_chosen)
        return few if few.size <= weights.size // FEW else None

    def _bounds(
        self,
        candidates: NDArray[np.intp],
        weights: NDArray[np.float64],
        direction: NDArray[np.float64],
        total: float,
    ) -> GainBounds:
        """Return slopes and curvatures of some candidates by 16 bits, and how wrong they may be."""
        scale = max(float(np.abs(direction).max()), TINY)
        heaviest = max(float(weights.max()), TINY)
        singles = (weights / heaviest).astype(np.float32), (direction / scale).astype(np.float32)
        fours = np.append(candidates, np.repeat(candidates[-1:], -candidates.size % 4))
        sums = np.empty((fours.size, 3))
        _find_sums(self._upper, self._lower, fours, *singles, sums)
        squares, firsts, slopes = sums[: candidates.size].T
        squares, firsts = squares * (heaviest / STEPS**2), firsts * (heaviest / STEPS)
        error = (ROUNDED + SUMMED) * float(np.abs(direction).sum())
        curvatures = np.maximum(squares - firsts**2 / total, 0.0)
        # The error has two parts: of `squares`, and twice that of `firsts`, because the square of a
        # first sum is at most `squares * total`.
        slack = 4.0 * SUMMED * squares
        rounded = ROUNDED * np.sqrt(total)
        at_least = np.sqrt(np.maximum(curvatures - slack, 0.0)) - rounded
        return GainBounds(
            slopes * (scale / STEPS), error, at_least, np.sqrt(curvatures + slack) + rounded
        )

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


def _may_win(
    candidates: NDArray[np.intp], bounds: GainBounds, last_chosen: int
) -> NDArray[np.intp]:
    """Return the candidates that may have the largest gain, `last_chosen` left out."""
    slopes = np.abs(bounds.slopes)
    lower = np.maximum(slopes - bounds.error, 0.0) / bounds.at_most
    # A row of almost equal values has no upper bound, so it is always compared.
    upper = np.full(lower.size, np.inf)
    np.divide(slopes + bounds.error, bounds.at_least, out=upper, where=bounds.at_least > 0.0)
    last = candidates == last_chosen
    lower[last], upper[last] = 0.0, -1.0
    return candidates[upper >= lower.max()]


@njit
def _find_slopes(rows, direction, slopes):  # type: ignore[no-untyped-def]
    """Write sum h q of each row q, four rows at a time, so that h is read less often."""
    n, m = rows.shape
    slopes[:] = 0.0
    for j in range(0, n, 4):
        for start in range(0, m, CHUNK):
            end = min(start + CHUNK, m)
            a, b, c, d = _slopes_of_chunk(
                rows[j, start:end],
                rows[j + 1, start:end],
                rows[j + 2, start:end],
                rows[j + 3, start:end],
                direction[start:end],
            )
            slopes[j] += a
            slopes[j + 1] += b
            slopes[j + 2] += c
            slopes[j + 3] += d


@internal(fastmath={"reassoc", "contract"})
def _slopes_of_chunk(one, two, three, four, direction):  # type: ignore[no-untyped-def]
    """Return the sums of a chunk of four rows, which are added up in float32."""
    a = b = c = d = np.float32(0.0)
    for i in range(direction.size):
        pull = direction[i]
        a += np.float32(one[i]) * pull
        b += np.float32(two[i]) * pull
        c += np.float32(three[i]) * pull
        d += np.float32(four[i]) * pull
    return a, b, c, d


@njit
def _find_sums(upper, lower, chosen, weights, direction, sums):  # type: ignore[no-untyped-def]
    """Write sum w q^2, sum w q and sum h q of each of the chosen rows q, a multiple of four.

    Four rows at a time, so that weights and direction are read less often.
    """
    sums[:] = 0.0
    for j in range(0, chosen.size, 4):
        i, k, p, q = chosen[j], chosen[j + 1], chosen[j + 2], chosen[j + 3]
        for start in range(0, weights.size, CHUNK):
            end = min(start + CHUNK, weights.size)
            _add_chunk(
                (
                    upper[i, start:end],
                    upper[k, start:end],
                    upper[p, start:end],
                    upper[q, start:end],
                ),
                (
                    lower[i, start:end],
                    lower[k, start:end],
                    lower[p, start:end],
                    lower[q, start:end],
                ),
                weights[start:end],
                direction[start:end],
                sums[j : j + 4],
            )


@inlined
def _joined(upper, lower):  # type: ignore[no-untyped-def]
    """Return an entry of 16 bits from its halves."""
    return np.float32(256.0) * np.float32(upper) + np.float32(lower)


@internal(fastmath={"reassoc", "contract"})
def _add_chunk(upper, lower, weights, direction, sums):  # type: ignore[no-untyped-def]
    """Add the sums of a chunk of four rows, which are added up in float32."""
    one, two, three, four = upper
    under_one, under_two, under_three, under_four = lower
    a = b = c = np.float32(0.0)
    d = e = f = np.float32(0.0)
    g = h = k = np.float32(0.0)
    x = y = z = np.float32(0.0)
    for i in range(weights.size):
        w, pull = weights[i], direction[i]
        a, b, c = plus_products(_joined(one[i], under_one[i]), w, pull, a, b, c)
        d, e, f = plus_products(_joined(two[i], under_two[i]), w, pull, d, e, f)
        g, h, k = plus_products(_joined(three[i], under_three[i]), w, pull, g, h, k)
        x, y, z = plus_products(_joined(four[i], under_four[i]), w, pull, x, y, z)
    for row, of_row in enumerate(((a, b, c), (d, e, f), (g, h, k), (x, y, z))):
        for column in range(3):
            sums[row, column] += of_row[column]
