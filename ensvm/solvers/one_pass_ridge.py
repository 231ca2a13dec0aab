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
    """The f(z) = w'z + b of least sum of squared errors plus alpha |w|^2, for k targets."""

    weights: NDArray[np.float64]
    """The weights w, shape (r, k), or (r,) for one target of shape (n,)."""
    intercept: Any
    """The constants b, which are not penalised: shape (k,), or a float for one target."""
    alpha: float


class _Spectrum(NamedTuple):
    """The centred products of the features, decomposed; `along` is X'y in their basis."""

    means: NDArray[np.float64]
    values: NDArray[np.float64]
    vectors: NDArray[np.float64]
    along: NDArray[np.float64]


class RidgeSums:
    """The sums over rows that a ridge regression on r features needs: O(r^2) memory.

    `targets` is the number k of targets, whose arrays have shape (n, k); None for one of shape
    (n,).
    """

    def __init__(self, features: int, targets: int | None = None) -> None:
        shape = () if targets is None else (targets,)
        self._products = np.zeros((features, features))
        self._sum = np.zeros(features)
        self._with_target = np.zeros((features, *shape))
        self._rows = 0.0
        self._target = np.zeros(shape)
        self._square = 0.0
        self._rounding = 0.0
        self._decomposed: _Spectrum | None = None

    def add(
        self,
        features: NDArray[Any],
        target: NDArray[np.float64],
        weight: NDArray[np.float64] | None = None,
    ) -> None:
        """Add n rows: `features` has shape (r, n), and products are computed in its precision.

        `weight`, shape (n,), is what the squared error of each row counts; None for 1.
        """
        if weight is None:
            self._rows += len(target)
            self._sum += features.sum(axis=1, dtype=np.float64)
            self._target = self._target + target.sum(axis=0)
        else:
            roots = np.sqrt(weight)
            self._rows += float(weight.sum())
            self._sum += features @ weight.astype(features.dtype)
            self._target = self._target + weight @ target
            features, target = features * roots.astype(features.dtype), (roots * target.T).T
        self._products += features @ features.T
        self._with_target += features @ target.astype(features.dtype)
        self._square += float(np.square(target).sum())
        self._rounding = float(np.finfo(features.dtype).eps)
        self._decomposed = None

    def solve(self, alpha: float | None = None) -> RidgeSolution:
        """Return the solution.

        None for alpha is that of least generalised cross-validation; only for one target.
        """
        means, values, vectors, along = self._spectrum()
        mean = self._target / self._rows
        if alpha is None:
            alpha = self._chosen(values, along, float(self._square - self._rows * mean**2))
        weights = vectors @ (along.T / (values + alpha)).T
        intercept = mean - means @ weights
        return RidgeSolution(
            weights, float(intercept) if weights.ndim == 1 else intercept, float(alpha)
        )

    def left_out_penalty(self, blocks: Iterable[tuple[NDArray[Any], NDArray[np.float64]]]) -> float:
        """Return the penalty of least squared error at rows that are left out, one at a time.

        Generalised cross-validation gives every row the mean leverage, which misleads if there are
        about as many features as rows; here each row has its own. The blocks are all rows again,
        their features and targets as `add` got them. Of equal penalties the larger is returned.
        """
        penalties = self.penalties()
        losses = np.zeros(penalties.size)
        for features, target in blocks:
            losses += np.square(self.left_out_errors(features, target, penalties)).sum(axis=0)
        return float(penalties[np.argmin(losses)])

    def penalties(self) -> NDArray[np.float64]:
        """Return the penalties worth trying, the largest first."""
        values = self._spectrum().values
        top = values.max(initial=0.0)
        if not top > 0.0:
            return np.ones(1)
        least = max(SMALLEST, ROUNDINGS * self._rounding) * top
        return np.geomspace(10.0 * top, least, GRID)

    def left_out_errors(
        self,
        features: NDArray[Any],
        target: NDArray[np.float64],
        penalties: NDArray[np.float64],
        left_out: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """Return the targets of n rows less f fitted without each row at that row.

        The result has the shape of `target` with an axis more, for the penalties. `left_out`, shape
        (n,), is how much of each row's weight is left out; None for 1.
        """
        means, values, vectors, along = self._spectrum()
        inverses = 1.0 / (values[:, None] + penalties)
        inner = (features.T - means) @ vectors
        leverages = 1.0 / self._rows + np.square(inner) @ inverses
        if left_out is not None:
            leverages *= left_out[:, None]
        if target.ndim == 2:
            leverages, inverses = leverages[:, None], inverses[:, None]
        weights = (along[..., None] * inverses).reshape(len(along), -1)
        fits = (inner @ weights).reshape(*target.shape, penalties.size)
        fits += (self._target / self._rows)[..., None]
        return (target[..., None] - fits) / (1.0 - leverages)

    def _spectrum(self) -> _Spectrum:
        if self._decomposed is None:
            means = self._sum / self._rows
            values, vectors = linalg.eigh(self._products - self._rows * np.outer(means, means))
            along = vectors.T @ (self._with_target - np.multiply.outer(means, self._target))
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
