"""Multi-class AdaBoost as Stork, Ramos, Koch & Konen print it (ECDA-13, Algorithm 1).

A learner's weight is alpha = (ln((1 - e) / e) + ln(K - 1)) / 2, half of SAMME's, and only the rows
that it gets wrong change theirs, by exp(alpha): scikit-learn's
`AdaBoostClassifier(learning_rate=0.5)`. After the update its weighted error is sqrt(e (K - 1)) /
(sqrt(1 - e) + sqrt(e (K - 1))), which is no longer chance as in AdaBoost itself; so no bound on the
training error is known.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.solvers.boosting.result import BoostingResult, Vector
from ensvm.solvers.boosting.rounds import Round, Step, boost

LEAST_ERROR = 1e-10  # an error of 0 counts as this: alpha stays finite, below 12 + ln(K - 1) / 2


def multiclass_adaboost(
    codes: NDArray[Any],
    n_classes: int,
    n_rounds: int,
    learn: Callable[[Round], tuple[Any, NDArray[Any]]],
    *,
    start: Vector | None = None,
    max_attempts: int = 1,
) -> BoostingResult:
    """Boost classifiers of two classes or more, from equal row weights unless others are given.

    A learner whose weighted error is not below 1 - 1/K is refused and made again from the same
    weights; when `max_attempts` of a round were refused, boosting ends there. If that is the first
    round, its last learner is kept with the weight 1. A learner without error leaves the row
    weights as they are, and boosting goes on.

    Parameters
    ----------
    codes : ndarray of shape (m,)
        The classes of the training rows, 0, ..., n_classes - 1.
    n_classes : int
        K, >= 2.
    n_rounds : int
        The largest number of learners, >= 1.
    learn : callable
        Takes a `Round` and returns a learner and the classes that it predicts for the m rows.
    start : ndarray of shape (m,), default None
        The row weights of the first round, positive and of sum 1, by which training errors are
        weighted too; None for equal ones.
    max_attempts : int, default 1
        The learners made for one round before boosting ends, >= 1.

    Returns
    -------
    BoostingResult
        Its certificate is None.
    """
    first = np.full(codes.size, 1.0 / codes.size) if start is None else start
    rule = _Multiclass(codes, n_classes, start)
    return boost(rule, learn, first, n_rounds, max_attempts=max_attempts)


def learner_weight(error: float, n_classes: int) -> float:
    """Return alpha, step 7, for a weighted error in [0, 1)."""
    error = max(error, LEAST_ERROR)
    return 0.5 * float(np.log((1.0 - error) / error) + np.log(n_classes - 1.0))


def updated(sample_weight: Vector, wrong: NDArray[np.bool_], weight: float) -> tuple[Vector, float]:
    """Return the next row weights, step 8, and the sum by which they were divided."""
    raised = np.where(wrong, sample_weight * np.exp(weight), sample_weight)
    normalizer = raised.sum()
    return raised / normalizer, float(normalizer)


class _Multiclass:
    """The rule of this file."""

    def __init__(self, codes: NDArray[Any], n_classes: int, start: Vector | None) -> None:
        self._codes = codes
        self._start = start
        self._places = np.arange(codes.size)
        self._votes = np.zeros((n_classes, codes.size))

    def step(self, current: Round, learner: Any, vote: NDArray[Any]) -> Step:
        before = current.sample_weight
        wrong = vote != self._codes
        n_classes = len(self._votes)
        error = float(before[wrong].sum())  # step 6
        if error >= 1.0 - 1.0 / n_classes:
            first = not current.weights
            return Step(1.0, error, 1.0, before, "no_better_than_random", kept=first)
        weight = learner_weight(error, n_classes)
        after, normalizer = updated(before, wrong, weight)
        return Step(weight, error, normalizer, after)

    def add(self, weight: float, vote: NDArray[Any]) -> tuple[Vector, float]:
        self._votes[vote, self._places] += weight
        own = self._votes[self._codes, self._places]
        others = self._votes.copy()
        others[self._codes, self._places] = -np.inf
        wrong = self._votes.argmax(axis=0) != self._codes  # the first class wins among equals
        return own - others.max(axis=0), float(np.average(wrong, weights=self._start))
