"""The loop over rounds: attempts, what is kept, and when its caller is told."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ensvm.solvers.boosting import Round, Step, boost

UNIFORM = np.full(4, 0.25)


class Halving:
    """A rule whose weights are 1, 1/2, 1/4, ...; a vote below 0 ends boosting."""

    def __init__(self, *, keep_the_last: bool) -> None:
        self.total = np.zeros(4)
        self.keep_the_last = keep_the_last

    def step(self, current: Round, learner: Any, vote: NDArray[np.float64]) -> Step:
        weight = 0.5 ** len(current.weights)
        if vote.min() < 0.0:
            return Step(weight, 1.0, 1.0, UNIFORM, "no_better_than_random", kept=self.keep_the_last)
        return Step(weight, 0.0, 1.0, UNIFORM)

    def add(self, weight: float, vote: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
        self.total = self.total + weight * vote
        return self.total, float((self.total <= 0.0).mean())


def test_every_kept_round_is_told_of_and_counted() -> None:
    ends: list[int] = []
    votes = np.ones((3, 4))
    votes[1, 0] = 0.0
    result = boost(
        Halving(keep_the_last=True),
        lambda current: ("learner", votes[len(current.weights)]),
        UNIFORM,
        3,
        after_round=lambda: ends.append(len(ends)),
    )
    assert len(ends) == result.n_iter == len(result.min_margins) == 3
    np.testing.assert_allclose(result.margins, [1.25 / 1.75, 1.0, 1.0, 1.0])
    np.testing.assert_allclose(result.min_margins, [1.0, 1.0 / 1.5, 1.25 / 1.75])


@pytest.mark.parametrize("keep_the_last", [False, True])
def test_a_refused_learner_is_made_again_until_the_attempts_are_used_up(
    keep_the_last: bool,
) -> None:
    asked: list[tuple[int, int]] = []

    def learn(current: Round) -> tuple[str, NDArray[np.float64]]:
        asked.append((len(current.weights), current.attempt))
        good = asked[-1] in [(0, 1), (1, 0)]
        return f"{asked[-1]}", np.full(4, 1.0 if good else -1.0)

    result = boost(Halving(keep_the_last=keep_the_last), learn, UNIFORM, 9, max_attempts=2)
    assert asked == [(0, 0), (0, 1), (1, 0), (2, 0), (2, 1)]
    kept = ["(0, 1)", "(1, 0)", "(2, 1)"]
    assert result.learners == (kept if keep_the_last else kept[:2])
    assert (result.stop_reason, result.converged) == ("no_better_than_random", False)


def test_no_learner_ends_boosting() -> None:
    result = boost(Halving(keep_the_last=True), lambda current: None, UNIFORM, 9)
    assert (result.stop_reason, result.n_iter, result.converged) == ("one_class_left", 0, False)
    np.testing.assert_array_equal(result.sample_weight, UNIFORM)
