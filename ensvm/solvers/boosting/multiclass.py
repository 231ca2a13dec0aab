"""Multi-class AdaBoost as Stork, Ramos, Koch & Konen print it (ECDA-13, Algorithm 1), for any learner.

A learner's weight is alpha = (ln((1 - e) / e) + ln(K - 1)) / 2, half of SAMME's, and only the rows
that it gets wrong change theirs, by exp(alpha): scikit-learn's
`AdaBoostClassifier(learning_rate=0.5)`. After the update its weighted error is sqrt(e (K - 1)) /
(sqrt(1 - e) + sqrt(e (K - 1))), which is no longer chance as in AdaBoost itself.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

LEAST_ERROR = 1e-10  # an error of 0 counts as this: alpha stays finite, below 12 + ln(K - 1) / 2

StopReason: TypeAlias = Literal["n_rounds", "no_better_than_chance"]
Learn: TypeAlias = Callable[[NDArray[np.float64], int, int], tuple[Any, NDArray[Any]]]


@dataclass(frozen=True)
class BoostingResult:
    """The learners that boosting kept, in the order of their rounds."""

    learners: list[Any]
    weights: NDArray[np.float64]
    """shape (T,), alpha > 0"""
    errors: NDArray[np.float64]
    """shape (T,), the weighted errors e in [0, 1 - 1/K) when the learner was made"""
    sample_weight: NDArray[np.float64]
    """shape (n,), after the last round, sum 1"""
    stop_reason: StopReason


def multiclass_adaboost(
    codes: NDArray[Any], n_classes: int, n_rounds: int, learn: Learn, *, max_attempts: int = 1
) -> BoostingResult:
    """Boost `n_rounds` learners on n rows of the classes `codes`, shape (n,), in 0, ..., n_classes - 1.

    `learn(sample_weight, round, attempt)` makes a learner from row weights of sum 1 and returns it
    with the classes that it predicts for all n rows. One whose weighted error is not below 1 - 1/K
    is dropped and made again, attempt 1, 2, ..., from the same weights; when `max_attempts` of a
    round were no better, boosting ends there. If that is the first round, its last learner is kept
    with the weight 1. A learner without error leaves the weights as they are, and boosting goes on.
    """
    sample_weight = np.full(codes.size, 1.0 / codes.size)
    learners: list[Any] = []
    weights: list[float] = []
    errors: list[float] = []
    reason: StopReason = "n_rounds"
    for t in range(n_rounds):
        learner, wrong, error = _better_than_chance(
            codes, n_classes, sample_weight, learn, t, max_attempts
        )
        if error >= 1.0 - 1.0 / n_classes:
            reason = "no_better_than_chance"
            if not learners:
                learners, weights, errors = [learner], [1.0], [error]
            break
        weight = learner_weight(error, n_classes)
        sample_weight = updated(sample_weight, wrong, weight)
        learners.append(learner)
        weights.append(weight)
        errors.append(error)
    return BoostingResult(learners, np.array(weights), np.array(errors), sample_weight, reason)


def learner_weight(error: float, n_classes: int) -> float:
    """Return alpha, step 7, for a weighted error in [0, 1)."""
    error = max(error, LEAST_ERROR)
    return 0.5 * float(np.log((1.0 - error) / error) + np.log(n_classes - 1.0))


def updated(
    sample_weight: NDArray[np.float64], wrong: NDArray[np.bool_], weight: float
) -> NDArray[np.float64]:
    """Return the next row weights, step 8."""
    raised = np.where(wrong, sample_weight * np.exp(weight), sample_weight)
    return raised / raised.sum()


def _better_than_chance(
    codes: NDArray[Any],
    n_classes: int,
    sample_weight: NDArray[np.float64],
    learn: Learn,
    t: int,
    max_attempts: int,
) -> tuple[Any, NDArray[np.bool_], float]:
    """Return the first learner better than chance, else the last, with what it gets wrong and its error, step 6."""
    for attempt in range(max_attempts):
        learner, predicted = learn(sample_weight, t, attempt)
        wrong = predicted != codes
        error = float(sample_weight[wrong].sum())
        if error < 1.0 - 1.0 / n_classes:
            break
    return learner, wrong, error
