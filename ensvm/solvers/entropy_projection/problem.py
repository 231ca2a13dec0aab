"""The problem min a'K~a over the simplex, and what products with K~ have proved of it.

Weights a whose products g = K~a are all at least v > 0 prove that rho* >= v^2 / a'K~a: every b on
the simplex has b'K~a >= v, and the bound follows by Cauchy and Schwarz.
"""

import numpy as np
from numpy.typing import ArrayLike

from ensvm.kernels.signed_gram import SignedGram
from ensvm.solvers.entropy_projection.trajectory import StopReason, Vector

START_SUM = 1e-9  # what sums of weights may differ from 1


class SimplexProblem:
    """min a'K~a over the simplex, with the best lower bound that was proved of it."""

    def __init__(self, gram: SignedGram) -> None:
        self._gram = gram
        self._bound = 0.0
        self.rounding = gram.rounding
        self.separated = False
        self.n_matvec = 0

    def lower_bound(self, objective: float) -> float:
        """Return the bound within [0, objective], where rounding may not have left it."""
        return max(min(self._bound, objective), 0.0)

    def gap_is_below(self, tol: float, objective: float) -> bool:
        """Return whether the objective is proved to be within a factor 1 + tol of rho*."""
        return objective <= (1.0 + tol) * self.lower_bound(objective)

    def verdict_on(self, objective: float) -> StopReason | None:
        """Return why no step can follow weights of this objective, None when one can."""
        if objective < -self._gram.size * self.rounding:
            return "not_positive_semidefinite"
        return "zero_objective" if objective <= self.rounding else None

    def _first_weights(self, given: ArrayLike | None) -> Vector:
        """Return the weights given, or the centre of the simplex."""
        m = self._gram.size
        weights = np.full(m, 1.0 / m) if given is None else np.array(given, dtype=np.float64)
        if weights.shape != (m,) or not (weights > 0.0).all() or abs(weights.sum() - 1) > START_SUM:
            raise ValueError(f"start must be {m} positive weights of sum 1")
        return weights

    def _product(self, weights: Vector) -> Vector:
        """Return K~ weights, the one product that a step costs."""
        self.n_matvec += 1
        return self._gram.matvec(weights)

    def _prove(self, margin: float, objective: float) -> None:
        """Raise the lower bound by what the least product of weights with this objective proves."""
        if margin > 0.0 and objective > 0.0:
            self._bound = max(self._bound, margin**2 / objective)
        # A margin is a sum of m kernel values, and rounds like one.
        self.separated |= margin > np.sqrt(self._gram.size) * self.rounding
