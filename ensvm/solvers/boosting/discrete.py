"""Discrete AdaBoost for two classes (Freund & Schapire, 1995).

With epsilon the weight of a learner's mistakes, its weight is alpha = log((1 - epsilon) / epsilon)
/ 2, and row i's is multiplied by exp(-alpha y_i h(x_i)) and divided by the normalizer Z = 2
sqrt(epsilon (1 - epsilon)).

The formula ends where epsilon = 0, for alpha would be infinite: the round is the last, and alpha is
1 more than all before it together, so that this learner decides alone. One with epsilon >= 1/2 is
no weak learner: it is left out and boosting ends.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ensvm.solvers.boosting.result import BoostingResult, Vector
from ensvm.solvers.boosting.rounds import Round, Step, boost

# A weight that rounding makes 0 stays 0, and a mistake on its row would count for nothing.
LEAST_WEIGHT = float(np.finfo(np.float64).tiny)


def discrete_adaboost(
    signs: Vector,
    learn: Callable[[Round], tuple[Any, Vector]],
    n_rounds: int,
    *,
    start: Vector | None = None,
) -> BoostingResult:
    """Boost learners h_t(x) in {-1, +1}, starting from equal row weights unless others are given.

    Parameters
    ----------
    signs : ndarray of shape (m,)
        The labels of the training rows, -1 and +1.
    learn : callable
        Takes a `Round` and returns a learner and its vote h_t on the m rows, shape (m,), each
        -1 or +1.
    n_rounds : int
        The largest number of learners, >= 1.
    start : ndarray of shape (m,), default None
        The row weights of the first round, positive and of sum 1, by which training errors are
        weighted too; None for equal ones.

    Returns
    -------
    BoostingResult
        `train_errors` counts the rows with y f(x) <= 0, as the theorem does. The certificate is
        the least slack in train_errors <= error_bound <= exponential bound; None where the first
        learner was refused.
    """
    first = np.full(signs.size, 1.0 / signs.size) if start is None else start
    result = boost(_Discrete(signs, start), learn, first, n_rounds)
    if not result.learners:
        return result
    slack = np.minimum(
        result.error_bound - result.train_errors,
        exponential_bound(result.errors) - result.error_bound,
    )
    return replace(result, certificate=float(slack.min()))


def exponential_bound(errors: Vector) -> Vector:
    """Return exp(-2 sum_{s<=t} (1/2 - epsilon_s)^2), shape (T,): it bounds the product of Z_s.

    Parameters
    ----------
    errors : ndarray of shape (T,)
        The weighted errors epsilon_t.

    Returns
    -------
    ndarray of shape (T,)
        The theorem's bound on the training error after each round.
    """
    bound: Vector = np.exp(-2.0 * np.cumsum((0.5 - errors) ** 2))
    return bound


class _Discrete:
    """The rule of this file."""

    def __init__(self, signs: Vector, start: Vector | None) -> None:
        self._signs = signs
        self._start = start
        self._totals = np.zeros(signs.size)  # y_i f(x_i)

    def step(self, current: Round, learner: Any, vote: Vector) -> Step:
        agreement = self._signs * vote
        before = current.sample_weight
        error = float(before[agreement < 0.0].sum())
        normalizer = 2.0 * float(np.sqrt(error * (1.0 - error)))
        if error >= 0.5:
            return Step(0.0, error, normalizer, before, "no_better_than_random", kept=False)
        if error == 0.0:
            return Step(1.0 + sum(current.weights), error, normalizer, before, "perfect")
        alpha = 0.5 * float(np.log((1.0 - error) / error))
        tilted = np.maximum(before * np.exp(-alpha * agreement), LEAST_WEIGHT)
        return Step(alpha, error, normalizer, tilted / tilted.sum())

    def add(self, weight: float, vote: Vector) -> tuple[Vector, float]:
        self._totals += weight * (self._signs * vote)
        return self._totals, float(np.average(self._totals <= 0.0, weights=self._start))
