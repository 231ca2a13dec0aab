"""Ridge regression with an intercept from sums over the rows, which are read once, in blocks."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

GRID = 33  # the penalties among which generalised cross-validation chooses
# Share of the rows that must be left as degrees of freedom: with fewer the score is rounding
SPARE = 1e-3


@dataclass(frozen=True)
class RidgeSolution:
    """The f(z) = w'z + b of least sum of squared errors plus alpha |w|^2."""

    weights: NDArray[np.float64]
    """The weights w, shape (r,)."""
    intercept: float
    """The constant b, which is not penalised."""
    alpha: float


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

    def add(self, features: NDArray[Any], target: NDArray[np.float64]) -> None:
        """Add k rows: `features` has shape (r, k), and products are computed in its precision."""
        self._products += features @ features.T
        self._sum += features.sum(axis=1, dtype=np.float64)
        self._with_target += features @ target.astype(features.dtype)
        self._rows += target.size
        self._target += float(target.sum())
        self._square += float(np.square(target).sum())
        self._rounding = float(np.finfo(features.dtype).eps)

    def solve(self, alpha: float | None = None) -> RidgeSolution:
        """Return the solution; None for alpha is that of least generalised cross-validation."""
        m = self._rows
        means, mean = self._sum / m, self._target / m
        values, vectors = linalg.eigh(self._products - m * np.outer(means, means))
        values = np.maximum(values, 0.0)
        along = vectors.T @ (self._with_target - self._target * means)
        if alpha is None:
            alpha = self._chosen(values, along, self._square - m * mean**2)
        weights = vectors @ (along / (values + alpha))
        return RidgeSolution(weights, float(mean - means @ weights), float(alpha))

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
