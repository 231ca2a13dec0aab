"""The rounds of boosting, and the rules of AdaBoost for two and for more classes.

The rule for machines that are kernel expansions is in `ensvm.solvers.boosted_expansions`.

Row weights decide ties between the splits of a tree, so that their last bit may change an ensemble.
Exponentials and logarithms are those of `math`: NumPy's have other bits on other processors.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ensvm.array_types import Vector

__all__ = ["discrete_adaboost", "multiclass_adaboost"]

BoostingStop: TypeAlias = Literal[
    "n_rounds", "no_better_than_random", "perfect", "vanishing_margin", "one_class_left"
]


@dataclass(frozen=True, eq=False)
class BoostingResult:
    """The T learners that boosting kept, their weights in the vote, and what each round left.

    T = 0 if the first learner was refused.
    """

    learners: list[Any]  # in the order of their rounds, as `learn` made them
    weights: Vector  # (T,) the weight alpha of each learner in the vote
    errors: Vector  # (T,) their training errors under the weights they were trained with
    normalizers: Vector  # (T,) Z, the sum of a round's row weights before they are divided by it
    # (T,) the share of training rows that the vote of the first t learners gets wrong, by the
    # weights that the first round starts from
    train_errors: Vector
    # (m,) the margin of each training row after the last round, in [-1, 1]: the share of the vote
    # for its class less the largest share for another class
    margins: Vector
    min_margins: Vector  # (T,) the smallest margin after each round
    sample_weight: Vector  # (m,) of the round that would follow; their sum is 1
    # 'perfect': a learner without error ends the formula; 'vanishing_margin': the margin of a
    # machine is 0 up to rounding; 'one_class_left': the weak learner rejected a whole class
    stop_reason: BoostingStop
    # The least slack in the rule's bounds on `train_errors`, not negative, rounding aside; None for
    # a rule without a bound
    certificate: float | None = None

    @property
    def n_iter(self) -> int:
        """The number T of learners kept."""
        return len(self.learners)

    @property
    def converged(self) -> bool:
        """Whether all rounds were made, or none was needed any more."""
        return self.stop_reason in ("n_rounds", "perfect")

    @property
    def error_bound(self) -> Vector:
        """The product of the first t normalizers, shape (T,): where y f <= 0 costs at least 1."""
        return np.cumprod(self.normalizers, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Round:
    """What a learner is made from."""

    sample_weight: Vector  # (m,) of sum 1
    weights: list[float]  # alpha of each earlier learner, so that their number is the round's
    last: Any | None  # the learner of the round before; None in the first round
    attempt: int = 0  # how many learners of this round were refused before


@dataclass(frozen=True, eq=False)
class Step:
    """What a rule makes of a learner's vote."""

    weight: float  # alpha, the learner's weight in the vote
    error: float  # under the round's row weights
    normalizer: float  # the sum by which the new row weights were divided
    sample_weight: Vector  # (m,) of the next round, of sum 1
    stop_reason: BoostingStop | None = None  # None if boosting may go on
    kept: bool = True  # whether the learner takes part in the vote


class Rule(Protocol):
    """What differs between kinds of boosting; an object holds the running vote of one run."""

    def step(self, current: Round, learner: Any, vote: NDArray[Any]) -> Step:
        """Return the weight of a learner whose predictions are `vote`, and the new row weights."""

    def add(self, weight: float, vote: NDArray[Any]) -> tuple[Vector, float]:
        """Add to the running vote; return each row's margin times the total weight, and the error.

        The error is the share of training rows that the running vote gets wrong.
        """


Learn: TypeAlias = Callable[[Round], tuple[Any, NDArray[Any]] | None]


def boost(
    rule: Rule,
    learn: Learn,
    sample_weight: Vector,
    n_rounds: int,
    *,
    max_attempts: int = 1,
    after_round: Callable[[], None] | None = None,
) -> BoostingResult:
    """Return the learners of at most `n_rounds` rounds; the caller adds the certificate.

    `learn` returns a learner and its vote on the m rows, as `rule` reads it; None if the rows that
    it keeps are all of one class. `sample_weight`, of sum 1, is that of the first round. Boosting
    ends with the last learner of a round if `max_attempts` of them were refused. `after_round` is
    called after each round whose learner is kept.
    """
    learners: list[Any] = []
    steps: list[Step] = []
    weights: list[float] = []
    train_errors: list[float] = []
    min_margins: list[float] = []
    margins = np.zeros(sample_weight.size)
    reason: BoostingStop = "n_rounds"
    while len(learners) < n_rounds and reason == "n_rounds":
        last = learners[-1] if learners else None
        attempted = _attempt(rule, learn, Round(sample_weight, weights, last), max_attempts)
        if attempted is None:
            reason = "one_class_left"
            break
        learner, vote, step = attempted
        reason = step.stop_reason or "n_rounds"
        if not step.kept:
            break
        sample_weight = step.sample_weight
        learners.append(learner)
        steps.append(step)
        weights.append(step.weight)
        totals, train_error = rule.add(step.weight, vote)
        margins = totals / sum(weights)
        train_errors.append(train_error)
        min_margins.append(float(margins.min()))
        if after_round is not None:
            after_round()
    return BoostingResult(
        learners=learners,
        weights=np.array(weights),
        errors=np.array([step.error for step in steps]),
        normalizers=np.array([step.normalizer for step in steps]),
        train_errors=np.array(train_errors),
        margins=margins,
        min_margins=np.array(min_margins),
        sample_weight=sample_weight,
        stop_reason=reason,
    )


def _attempt(
    rule: Rule, learn: Learn, current: Round, max_attempts: int
) -> tuple[Any, NDArray[Any], Step] | None:
    """Return the first learner after which boosting may go on, else the last; with its vote."""
    for attempt in range(max_attempts):
        learned = learn(replace(current, attempt=attempt))
        if learned is None:
            return None
        learner, vote = learned
        step = rule.step(current, learner, vote)
        if step.stop_reason is None:
            break
    return learner, vote, step


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

    Discrete AdaBoost (Freund & Schapire, 1995): with epsilon the weight of a learner's mistakes,
    its weight is alpha = log((1 - epsilon) / epsilon) / 2, and the weight of row i is multiplied by
    exp(-alpha y_i h(x_i)) and divided by Z = 2 sqrt(epsilon (1 - epsilon)).

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
        the least slack in train_errors <= error_bound <= exponential bound; None if the first
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
    """Return exp(-2 sum_{s<=t} (1/2 - epsilon_s)^2), shape (T,): it bounds the product of Z_s."""
    return np.exp(-2.0 * np.cumsum((0.5 - errors) ** 2))


class _Discrete:
    """The rule of `discrete_adaboost`."""

    def __init__(self, signs: Vector, start: Vector | None) -> None:
        self._signs = signs
        self._start = start
        self._totals = np.zeros(signs.size)  # y_i f(x_i)

    def step(self, current: Round, learner: Any, vote: Vector) -> Step:
        """Return a learner's weight, the new distribution, and why boosting ends if it does."""
        agreement = self._signs * vote
        before = current.sample_weight
        error = float(before[agreement < 0.0].sum())
        normalizer = 2.0 * float(np.sqrt(error * (1.0 - error)))
        if error >= 0.5:
            return Step(0.0, error, normalizer, before, "no_better_than_random", kept=False)
        if error == 0.0:
            return Step(1.0 + sum(current.weights), error, normalizer, before, "perfect")
        alpha = 0.5 * math.log((1.0 - error) / error)
        factors = np.where(agreement < 0.0, math.exp(alpha), math.exp(-alpha))
        tilted = np.maximum(before * factors, LEAST_WEIGHT)
        return Step(alpha, error, normalizer, tilted / tilted.sum())

    def add(self, weight: float, vote: Vector) -> tuple[Vector, float]:
        self._totals += weight * (self._signs * vote)
        return self._totals, float(np.average(self._totals <= 0.0, weights=self._start))


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

    This is AdaBoost as Stork, Ramos, Koch & Konen print it (ECDA-13, Algorithm 1): alpha =
    (ln((1 - e) / e) + ln(K - 1)) / 2, half of SAMME's, and only the rows that a learner gets wrong
    change their weight, by exp(alpha): scikit-learn's `AdaBoostClassifier(learning_rate=0.5)`.
    Under the new weights the learner's error is not that of chance, as it is in AdaBoost, so no
    bound on the training error is known.

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
    return 0.5 * (math.log((1.0 - error) / error) + math.log(n_classes - 1.0))


def updated(sample_weight: Vector, wrong: NDArray[np.bool_], weight: float) -> tuple[Vector, float]:
    """Return the next row weights, step 8, and the sum by which they were divided."""
    raised = np.where(wrong, sample_weight * math.exp(weight), sample_weight)
    normalizer = raised.sum()
    return raised / normalizer, float(normalizer)


class _Multiclass:
    """The rule of `multiclass_adaboost`."""

    def __init__(self, codes: NDArray[Any], n_classes: int, start: Vector | None) -> None:
        self._codes = codes
        self._start = start
        self._columns = np.arange(codes.size)
        self._votes = np.zeros((n_classes, codes.size))

    def step(self, current: Round, learner: Any, vote: NDArray[Any]) -> Step:
        """Return a learner's weight, the new distribution, and why boosting ends if it does."""
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
        self._votes[vote, self._columns] += weight
        own_votes = self._votes[self._codes, self._columns]
        other_votes = self._votes.copy()
        other_votes[self._codes, self._columns] = -np.inf
        wrong = self._votes.argmax(axis=0) != self._codes  # the first class wins among equals
        return own_votes - other_votes.max(axis=0), float(np.average(wrong, weights=self._start))
