"""The rounds of boosting, written once: a learner on weighted rows, its vote, new weights.

A rule says what a vote is worth, how the row weights change, and when boosting ends. The rules are
in `discrete`, `multiclass` and `kernel_expansions`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ensvm.solvers.boosting.result import BoostingResult, StopReason, Vector


@dataclass(frozen=True, eq=False)
class Round:
    """What a learner is made from.

    Attributes
    ----------
    sample_weight : ndarray of shape (m,)
        The row weights of this round, of sum 1.
    weights : list of float
        The weights alpha of the learners before it, so that their number is the round's.
    last : object or None
        The learner of the round before; None in the first round.
    attempt : int
        How many learners of this round were refused before, 0 at first.
    """

    sample_weight: Vector
    weights: list[float]
    last: Any | None
    attempt: int = 0


@dataclass(frozen=True, eq=False)
class Step:
    """What a rule makes of a learner's vote.

    Attributes
    ----------
    weight : float
        Alpha, the learner's weight in the vote.
    error : float
        The learner's training error under the round's row weights.
    normalizer : float
        The sum by which the new row weights were divided.
    sample_weight : ndarray of shape (m,)
        The row weights of the next round, of sum 1.
    stop_reason : str or None
        Why this round is the last; None if it need not be.
    kept : bool
        Whether the learner takes part in the vote.
    """

    weight: float
    error: float
    normalizer: float
    sample_weight: Vector
    stop_reason: StopReason | None = None
    kept: bool = True


class Rule(Protocol):
    """The part of boosting in which its kinds differ; it holds the running vote of one run."""

    def step(self, current: Round, learner: Any, vote: NDArray[Any]) -> Step:
        """Return the weight of a learner that says `vote` of the m rows, and the new weights."""

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
    """Return the learners of at most `n_rounds` rounds, each made on the weights the last one left.

    Parameters
    ----------
    rule : Rule
        Weighs the votes; one object for one run.
    learn : callable
        Takes a `Round` and returns a learner and its vote on the m rows, as the rule reads it;
        None where no learner can be made because the rows it keeps are all of one class.
    sample_weight : ndarray of shape (m,)
        The row weights of the first round, >= 0 and of sum 1.
    n_rounds : int
        The largest number of learners, >= 1.
    max_attempts : int, default 1
        How many learners of a round may be refused before boosting ends with the last of them.
    after_round : callable, default None
        Called without arguments when a round whose learner is kept is over.

    Returns
    -------
    BoostingResult
        With `certificate` None: the bounds are the rule's.
    """
    history = _History(margins=np.zeros(sample_weight.size))
    reason: StopReason = "n_rounds"
    while len(history.learners) < n_rounds and reason == "n_rounds":
        last = history.learners[-1] if history.learners else None
        current = Round(sample_weight, history.weights, last)
        attempted = _attempt(rule, learn, current, max_attempts)
        if attempted is None:
            reason = "one_class_left"
            break
        learner, vote, step = attempted
        reason = step.stop_reason or "n_rounds"
        if not step.kept:
            break
        sample_weight = step.sample_weight
        history.note(learner, step, *rule.add(step.weight, vote))
        if after_round is not None:
            after_round()
    return BoostingResult(
        learners=history.learners,
        weights=np.array(history.weights),
        errors=np.array(history.errors),
        normalizers=np.array(history.normalizers),
        train_errors=np.array(history.train_errors),
        margins=history.margins,
        min_margins=np.array(history.min_margins),
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


@dataclass
class _History:
    """The learners kept so far and what their rounds left."""

    margins: Vector
    learners: list[Any] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    normalizers: list[float] = field(default_factory=list)
    train_errors: list[float] = field(default_factory=list)
    min_margins: list[float] = field(default_factory=list)

    def note(self, learner: Any, step: Step, totals: Vector, train_error: float) -> None:
        self.learners.append(learner)
        self.weights.append(step.weight)
        self.errors.append(step.error)
        self.normalizers.append(step.normalizer)
        self.train_errors.append(train_error)
        self.margins = totals / sum(self.weights)
        self.min_margins.append(float(self.margins.min()))
