"""Bias and variance over bootstrap replicates: the notes' formulas, the identity with the error."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import ExtraTreeClassifier
from small_problems import noisy_rows

from ensvm.experiments.bias_variance import BiasVariance, VarianceComponents, bias_variance


def noisy(seed: int, m: int = 60) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return noisy_rows(seed, m, d=3)


@given(seed=st.integers(0, 2**32 - 1), m=st.integers(1, 8), B=st.integers(1, 12))
def test_the_formulas_are_those_of_the_notes(seed: int, m: int, B: int) -> None:
    generator = np.random.default_rng(seed)
    labels = generator.choice([-1.0, 1.0], size=m)
    predictions, left_out = (
        generator.choice([-1.0, 1.0], size=(B, m)),
        generator.random((B, m)) < 0.5,
    )
    count = left_out.sum(axis=0)
    estimate = bias_variance(labels, (predictions * left_out).sum(axis=0), count)
    for x in range(m):
        h, K = predictions[left_out[:, x], x], count[x]
        assert estimate.n_replicates[x] == K
        if K == 0:
            assert np.isnan(estimate.bias[x])
            continue
        assert estimate.bias[x] == pytest.approx(labels[x] - h.mean())
        assert estimate.error[x] == pytest.approx((h != labels[x]).mean())
        spread = estimate.variance[x] * (1.0 - 1.0 / K) if K > 1 else 0.0
        assert estimate.error[x] == pytest.approx((estimate.bias[x] ** 2 + spread) / 4.0)
        if K > 1:
            assert estimate.variance[x] == pytest.approx(h.var(ddof=1))
        else:
            assert np.isnan(estimate.variance[x])


def test_only_replicates_that_lack_a_row_judge_it() -> None:
    # The nearest neighbour of a row in its own replicate is itself: any error comes from rows left
    # out.
    X, y = (
        np.random.default_rng(0).normal(size=(80, 2)),
        np.random.default_rng(1).choice([-1, 1], size=80),
    )
    fitted = BiasVariance(KNeighborsClassifier(1), n_replicates=60, random_state=0).fit(X, y)
    assert 0.4 < fitted.error_ < 0.6
    share = fitted.estimate_.n_replicates.mean() / 60
    assert share == pytest.approx((1.0 - 1.0 / 80) ** 80, abs=0.02)
    assert fitted.score(X, y) > 0.9


def test_a_rule_that_learns_nothing_has_bias_alone() -> None:
    X, y = noisy(0)
    y[:40] = 1
    fitted = BiasVariance(
        DummyClassifier(strategy="most_frequent"), n_replicates=40, random_state=0
    ).fit(X, y)
    assert fitted.variance_ == 0.0
    np.testing.assert_array_equal(fitted.estimate_.bias, y - 1.0)
    assert (
        fitted.squared_bias_
        == pytest.approx(4.0 * fitted.error_)
        == pytest.approx(4.0 * (y == -1).mean())
    )


class Coin(ClassifierMixin, BaseEstimator):
    """Predicts a class at random, one for all rows, in each copy."""

    def __init__(self, random_state: Any = None) -> None:
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> "Coin":
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(X.shape[0], np.random.RandomState(self.random_state).choice(self.classes_))


def test_a_coin_has_the_variance_of_a_coin_and_copies_differ() -> None:
    fitted = BiasVariance(Coin(), n_replicates=400, random_state=0).fit(*noisy(0))
    assert fitted.variance_ == pytest.approx(1.0, abs=0.05)
    assert fitted.squared_bias_ == pytest.approx(1.0, abs=0.25)
    assert fitted.error_ == pytest.approx(0.5, abs=0.05)


def test_the_class_predicted_is_that_of_most_replicates() -> None:
    X, y = noisy(2)
    fitted = BiasVariance(n_replicates=21, random_state=0).fit(X, np.where(y > 0, "yes", "no"))
    votes = np.mean([copy.predict(X) == "yes" for copy in fitted.estimators_], axis=0)
    np.testing.assert_array_equal(fitted.predict(X), np.where(votes > 0.5, "yes", "no"))
    np.testing.assert_allclose(fitted.decision_function(X), 2.0 * votes - 1.0)


def test_replicates_of_one_class_predict_it() -> None:
    X, y = noisy(4, m=12)
    y[:] = -1
    y[0] = 1
    fitted = BiasVariance(SVC(), n_replicates=30, random_state=0).fit(X, y)
    assert any(isinstance(copy, DummyClassifier) for copy in fitted.estimators_)
    assert fitted.error_ <= 0.2


def test_too_few_replicates_are_refused() -> None:
    with pytest.raises(
        ValueError, match="no row is left out by two of n_replicates = 2 replicates of 2 rows"
    ):
        BiasVariance(n_replicates=2, random_state=1).fit([[0.0], [1.0]], [0, 1])


def test_a_rule_without_draws_has_the_variance_of_the_training_rows_alone() -> None:
    X, y = noisy(0)
    parts = VarianceComponents(GaussianNB(), n_replicates=40, random_state=1).fit(X, y)
    whole = BiasVariance(GaussianNB(), n_replicates=40, random_state=1).fit(X, y)
    assert parts.own_variance_ == 0.0
    assert parts.set_variance_ == parts.variance_ == pytest.approx(whole.variance_)
    assert parts.squared_bias_ == pytest.approx(whole.squared_bias_)
    assert parts.error_ == pytest.approx(whole.error_)


def test_a_coin_has_a_variance_of_its_own_alone() -> None:
    X, y = noisy(0)
    parts = VarianceComponents(Coin(), n_replicates=400, random_state=1).fit(X, y)
    assert parts.own_variance_ == pytest.approx(1.0, abs=0.1)
    assert parts.set_variance_ == pytest.approx(0.0, abs=0.1)


@pytest.mark.parametrize("n_copies", [2, 5])
def test_the_parts_are_those_of_the_formulas(n_copies: int) -> None:
    X, y = noisy(0, m=25)
    parts = VarianceComponents(
        ExtraTreeClassifier(max_features=1), n_replicates=7, n_copies=n_copies, random_state=2
    ).fit(X, y)
    draws = np.random.RandomState(2)
    votes: dict[int, list[NDArray[np.float64]]] = {}
    copies = iter(parts.estimators_)
    for _ in range(7):
        drawn = draws.randint(25, size=25)
        draws.randint(np.iinfo(np.int32).max, size=n_copies)
        answers = np.array([next(copies).predict(X) for _ in range(n_copies)], float)
        for row in np.setdiff1d(np.arange(25), drawn):
            votes.setdefault(int(row), []).append(answers[:, row])
    own, between = [], []
    for row_votes in votes.values():
        if len(row_votes) > 1:
            own.append(np.mean([np.var(of_set, ddof=1) for of_set in row_votes]))
            between.append(
                np.var([of_set.mean() for of_set in row_votes], ddof=1) - own[-1] / n_copies
            )
    assert parts.own_variance_ == pytest.approx(np.mean(own))
    assert parts.set_variance_ == pytest.approx(np.mean(between))
    assert parts.variance_ == parts.own_variance_ + parts.set_variance_
    assert parts.variance_ == pytest.approx(np.nanmean(parts.estimate_.variance))
