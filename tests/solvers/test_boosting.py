"""The loop over boosting rounds, discrete AdaBoost, and Algorithm 1 of ECDA-13."""

from typing import Any

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
    Step,
    boost,
    discrete_adaboost,
    exponential_bound,
    learner_weight,
    multiclass_adaboost,
    updated,
)

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


def test_every_kept_round_is_reported_and_counted() -> None:
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


def votes_of(seed: int, m: int, T: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return labels and T votes, each right on about two thirds of the rows."""
    rng = np.random.default_rng(seed)
    signs = rng.choice([-1.0, 1.0], size=m)
    return signs, signs * np.where(rng.random((T, m)) < 1.0 / 3.0, -1.0, 1.0)


@given(seed=st.integers(0, 2**32 - 1), m=st.integers(3, 60), T=st.integers(1, 12))
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


def test_weights_do_not_come_from_functions_of_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their last bit differs between processors, and decides ties between the splits of a tree."""
    X, y = make_classification(60, random_state=0)

    def learn(current: Round) -> tuple[Any, NDArray[np.float64]]:
        tree = DecisionTreeClassifier(max_depth=1).fit(X, y, sample_weight=current.sample_weight)
        return tree, tree.predict(X)

    def refuse(*_: Any) -> None:
        raise AssertionError

    with monkeypatch.context() as patched:
        for name in ("exp", "log", "power", "tanh"):
            patched.setattr(np, name, refuse)
        multiclass_adaboost(y, 2, 5, learn)
        patched.setattr("ensvm.solvers.boosting.exponential_bound", lambda errors: 1.0)
        discrete_adaboost(2.0 * y - 1.0, lambda now: (None, 2.0 * learn(now)[1] - 1.0), 5)
