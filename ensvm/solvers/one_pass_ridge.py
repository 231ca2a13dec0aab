"""Ridge regression with an intercept from sums over the rows, which are read in blocks."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

GRID = 33  # the penalties among which generalised cross-validation chooses
# Share of the rows that must be left as degrees of freedom: with fewer the score is rounding
SPARE = 1e-3
# Times the largest eigenvalue: the least penalty that leave-one-out tries, and as roundings
SMALLEST, ROUNDINGS = 1e-10, 10.0


@dataclass(frozen=True)
class RidgeSolution:
    """The f(z) = w'z + b of least sum of squared errors plus alpha |w|^2."""

    weights: NDArray[np.float64]
    """The weights w, shape (r,)."""
    intercept: float
    """The constant b, which is not penalised."""
    alpha: float


class _Spectrum(NamedTuple):
    """The centred products of the features, decomposed; `along` is X'y in their basis."""

    means: NDArray[np.float64]
    values: NDArray[np.float64]
    vectors: NDArray[np.float64]
    along: NDArray[np.float64]


class RidgeSums:
    """The sums over rows that a ridge regression on r features needs: O(r^2) memory."""

    def __init__(self, features: int) -> None:
        self._products = np.zeros((features, features))
        self._sum = np.zeros(features)
        self._with_target = np.zeros(features)
        self._rows = 0
        self._target = 0.0
        self._square = 0.0
        self._rounding = 0.0
        self._decomposed: _Spectrum | None = None

    def add(self, features: NDArray[Any], target: NDArray[np.float64]) -> None:
        """Add k rows: `features` has shape (r, k), and products are computed in its precision."""
        self._products += features @ features.T
        self._sum += features.sum(axis=1, dtype=np.float64)
        self._with_target += features @ target.astype(features.dtype)
        self._rows += target.size
        self._target += float(target.sum())
        self._square += float(np.square(target).sum())
        self._rounding = float(np.finfo(features.dtype).eps)
        self._decomposed = None

    def solve(self, alpha: float | None = None) -> RidgeSolution:
        """Return the solution; None for alpha is that of least generalised cross-validation."""
        means, values, vectors, along = self._spectrum()
        mean = self._target / self._rows
        if alpha is None:
            alpha = self._chosen(values, along, self._square - self._rows * mean**2)
        weights = vectors @ (along / (values + alpha))
        return RidgeSolution(weights, float(mean - means @ weights), float(alpha))

    def left_out_penalty(self, blocks: Iterable[tuple[NDArray[Any], NDArray[np.float64]]]) -> float:
        """Return the penalty of least squared error at rows that are left out, one at a time.

        Generalised cross-validation gives every row the mean leverage, which misleads if there are
        about as many features as rows; here each row has its own.

        Parameters
        ----------
        blocks : iterable of (ndarray of shape (r, k), ndarray of shape (k,))
            All rows again: their features and targets, as `add` got them.

        Returns
        -------
        float
            The penalty, the larger of equal ones.
        """
        means, values, vectors, along = self._spectrum()
        top = values.max(initial=0.0)
        if not top > 0.0:
            return 1.0
        least = max(SMALLEST, ROUNDINGS * self._rounding) * top
        penalties = np.geomspace(10.0 * top, least, GRID)
        inverses = 1.0 / (values[:, None] + penalties)
        losses = np.zeros(GRID)
        for features, target in blocks:
            inner = (features.T - means) @ vectors
            fits = self._target / self._rows + inner @ (along[:, None] * inverses)
            leverages = 1.0 / self._rows + np.square(inner) @ inverses
            losses += np.square((target[:, None] - fits) / (1.0 - leverages)).sum(axis=0)
        return float(penalties[np.argmin(losses)])

    def _spectrum(self) -> _Spectrum:
        if self._decomposed is None:
            means = self._sum / self._rows
            values, vectors = linalg.eigh(self._products - self._rows * np.outer(means, means))
            along = vectors.T @ (self._with_target - self._target * means)
            self._decomposed = _Spectrum(means, np.maximum(values, 0.0), vectors, along)
        return self._decomposed

    def _chosen(
        self, values: NDArray[np.float64], along: NDArray[np.float64], square: float
    ) -> float:
        """Return the penalty of least m |y - f|^2 / (m - trace)^2, the larger of equal ones."""
        # Smaller ones count less than the rounding of the sums, larger ones leave no weights.
        top = values.max(initial=0.0)
        if not top > 0.0:
            return 1.0
        penalties = np.geomspace(10.0 * top, self._rounding * top, GRID)[:, None]
        fitted = along / (values + penalties)
        errors = square - 2.0 * fitted @ along + np.square(fitted) @ values
        free = self._rows - 1.0 - (values / (values + penalties)).sum(axis=1)
        spare = free > SPARE * self._rows  # never none: the largest leaves about m - 1 of them
        scores = np.full(GRID, np.inf)
        scores[spare] = np.maximum(errors[spare], 0.0) / free[spare] ** 2
        return float(penalties[np.argmin(scores), 0])
