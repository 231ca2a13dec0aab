"""Algorithm 1 of ECDA-13: its update's law, SAMME at half the rate, rounds out of the ordinary."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.datasets import make_classification
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from ensvm.solvers.boosting import (
    LEAST_ERROR,
    Round,
    learner_weight,
    multiclass_adaboost,
    updated,
)


@given(st.integers(2, 20), st.floats(0.0, 1.0), st.integers(0, 1000))
def test_the_learners_error_after_the_update(n_classes: int, share: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.ones(30))
    wrong = np.zeros(30, dtype=bool)
    wrong[: 1 + int(share * 28)] = True
    e = weights[wrong].sum()
    after, normalizer = updated(weights, wrong, learner_weight(e, n_classes))
    expected = np.sqrt(e * (n_classes - 1)) / (np.sqrt(1 - e) + np.sqrt(e * (n_classes - 1)))
    assert after.sum() == pytest.approx(1.0)
    assert after[~wrong].sum() * normalizer == pytest.approx(1.0 - e)
    assert after[wrong].sum() == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("n_classes", [2, 5])
def test_it_is_samme_at_half_the_rate(n_classes: int) -> None:
    X, y = make_classification(300, 8, n_informative=5, n_classes=n_classes, random_state=0)

    def learn(current: Round) -> tuple[object, NDArray[np.intp]]:
        learner = DecisionTreeClassifier(max_depth=2, random_state=0).fit(
            X, y, sample_weight=current.sample_weight
        )
        return learner, learner.predict(X)

    # Ties between splits are decided by the seed, which AdaBoostClassifier deals anew: the peer
    # gets trees without ties.
    class FixedSeed(DecisionTreeClassifier):
        def fit(self, X: object, y: object, sample_weight: object = None) -> "FixedSeed":
            self.random_state = 0
            return super().fit(X, y, sample_weight=sample_weight)  # type: ignore[return-value]

    peer = AdaBoostClassifier(FixedSeed(max_depth=2), n_estimators=12, learning_rate=0.5).fit(X, y)
    ours = multiclass_adaboost(y, n_classes, 12, learn)
    assert len(ours.learners) == len(peer.estimators_) == 12
    np.testing.assert_allclose(ours.errors, peer.estimator_errors_, rtol=0.0, atol=1e-10)
    np.testing.assert_allclose(ours.weights, peer.estimator_weights_, rtol=0.0, atol=1e-10)
    assert ours.stop_reason == "n_rounds"
    assert ours.converged
    staged = [np.mean(predicted != y) for predicted in peer.staged_predict(X)]
    np.testing.assert_allclose(ours.train_errors, staged)
    assert (ours.margins < 0.0).mean() <= staged[-1] <= (ours.margins <= 0.0).mean()
    assert ours.min_margins[-1] == ours.margins.min() >= -1.0


def test_a_learner_without_error_gets_a_finite_weight_and_boosting_goes_on() -> None:
    codes = np.array([0, 1, 2, 0])
    result = multiclass_adaboost(codes, 3, 4, lambda current: (len(current.weights), codes))
    assert result.learners == [0, 1, 2, 3]
    assert result.errors.tolist() == [0.0] * 4
    np.testing.assert_allclose(
        result.weights, 0.5 * np.log(2.0 * (1.0 - LEAST_ERROR) / LEAST_ERROR)
    )
    np.testing.assert_allclose(result.sample_weight, 0.25)


def test_a_learner_no_better_than_chance_is_made_again_from_the_same_weights() -> None:
    codes = np.array([0, 1, 0, 1])
    asked: list[tuple[int, int, list[float]]] = []

    def learn(current: Round) -> tuple[str, NDArray[np.intp]]:
        place = len(current.weights), current.attempt
        asked.append((*place, current.sample_weight.tolist()))
        good = current.attempt == 2
        return ("good" if good else "bad"), (np.array([0, 1, 0, 0]) if good else 1 - codes)

    result = multiclass_adaboost(codes, 2, 1, learn, max_attempts=5)
    assert result.learners == ["good"]
    assert result.errors.tolist() == [0.25]
    assert [(t, attempt) for t, attempt, _ in asked] == [(0, 0), (0, 1), (0, 2)]
    assert asked[0][2] == asked[2][2]


def test_boosting_ends_where_every_attempt_is_no_better_than_chance() -> None:
    codes = np.array([0, 1, 0, 1])
    half_wrong = np.array([0, 1, 1, 0])

    def learn(current: Round) -> tuple[int, NDArray[np.intp]]:
        t = len(current.weights)
        return t, (
            half_wrong if t == 2 else np.array([0, 1, 0, 0]) if t == 0 else np.array([0, 1, 1, 1])
        )

    result = multiclass_adaboost(codes, 2, 5, learn, max_attempts=3)
    assert result.stop_reason == "no_better_than_random"
    assert result.learners == [0, 1]
    assert result.weights.shape == result.errors.shape == (2,)


def test_a_first_round_no_better_than_chance_leaves_one_learner() -> None:
    codes = np.array([0, 1])
    result = multiclass_adaboost(
        codes, 2, 5, lambda current: (current.attempt, 1 - codes), max_attempts=3
    )
    assert (result.learners, result.weights.tolist(), result.errors.tolist()) == ([2], [1.0], [1.0])
    assert result.stop_reason == "no_better_than_random"
