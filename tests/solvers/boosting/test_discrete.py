"""Discrete AdaBoost: the theorem on arbitrary votes, and how it ends."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ensvm.solvers.boosting import Round, discrete_adaboost, exponential_bound


def votes_of(seed: int, m: int, T: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return labels and T votes, each right on about two thirds of the rows."""
    rng = np.random.default_rng(seed)
    signs = rng.choice([-1.0, 1.0], size=m)
    return signs, signs * np.where(rng.random((T, m)) < 1.0 / 3.0, -1.0, 1.0)


@given(seed=st.integers(0, 2**32 - 1), m=st.integers(3, 60), T=st.integers(1, 12))
@settings(deadline=None, max_examples=50)
def test_the_theorem_holds_and_the_weights_are_those_of_the_proof(
    seed: int, m: int, T: int
) -> None:
    signs, votes = votes_of(seed, m, T)
    result = discrete_adaboost(signs, lambda now: (None, votes[len(now.weights)]), T)
    if not result.learners:
        assert (votes[0] != signs).mean() >= 0.5
        assert result.certificate is None
        return
    assert np.all(result.train_errors <= result.error_bound + 1e-12)
    assert np.all(result.error_bound <= exponential_bound(result.errors) + 1e-12)
    assert result.certificate >= -1e-12
    f = result.weights @ votes[: result.n_iter]
    np.testing.assert_allclose(result.margins, signs * f / result.weights.sum(), atol=1e-12)
    if result.stop_reason != "perfect":
        unrolled = np.exp(-signs * f) / (m * result.error_bound[-1])
        np.testing.assert_allclose(result.sample_weight, unrolled, rtol=1e-9)


def test_each_round_is_told_the_weights_and_the_learner_before_it() -> None:
    signs, votes = votes_of(0, 50, 4)
    told: list[Round] = []

    def learn(current: Round) -> tuple[Any, NDArray[np.float64]]:
        told.append(current)
        return len(told), votes[len(told) - 1]

    result = discrete_adaboost(signs, learn, 4)
    assert [current.last for current in told] == [None, 1, 2, 3]
    for t in range(4):
        weight = told[t].sample_weight
        assert weight.sum() == pytest.approx(1.0)
        assert weight[votes[t] != signs].sum() == pytest.approx(result.errors[t])
    assert result.learners == [1, 2, 3, 4]


def test_a_vote_without_error_decides_alone_and_ends_it() -> None:
    signs, votes = votes_of(1, 30, 2)
    votes[1] = signs
    result = discrete_adaboost(signs, lambda now: (None, votes[len(now.weights)]), 9)
    assert (result.stop_reason, result.n_iter, result.converged) == ("perfect", 2, True)
    assert np.all(result.margins > 0.0)
    assert result.weights[1] > result.weights[0]
