"""The two parts of the variance: their definition, their sum, and where one of them is nothing."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import ExtraTreeClassifier

from ensvm.experiments.bias_variance import BiasVariance, VarianceComponents


def problem(m: int = 60) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(m, 3))
    return X, (X[:, 0] + generator.normal(size=m) > 0.0).astype(int)


class Coin(ClassifierMixin, BaseEstimator):
    """A classifier that learns nothing: its answer to every row is one draw of its own."""

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> "Coin":
        self.classes_ = np.unique(y)
        self.answer_ = self.classes_[np.random.RandomState(self.random_state).randint(2)]
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        return np.full(X.shape[0], self.answer_)


def test_a_rule_without_draws_has_the_variance_of_the_training_rows_alone() -> None:
    X, y = problem()
    parts = VarianceComponents(GaussianNB(), n_replicates=40, random_state=1).fit(X, y)
    whole = BiasVariance(GaussianNB(), n_replicates=40, random_state=1).fit(X, y)
    assert parts.own_variance_ == 0.0
    assert parts.set_variance_ == parts.variance_ == pytest.approx(whole.variance_)
    assert parts.squared_bias_ == pytest.approx(whole.squared_bias_)
    assert parts.error_ == pytest.approx(whole.error_)


def test_a_coin_has_a_variance_of_its_own_alone() -> None:
    X, y = problem()
    parts = VarianceComponents(Coin(), n_replicates=400, random_state=1).fit(X, y)
    assert parts.own_variance_ == pytest.approx(1.0, abs=0.1)
    assert parts.set_variance_ == pytest.approx(0.0, abs=0.1)


@pytest.mark.parametrize("n_copies", [2, 5])
def test_the_parts_are_those_of_the_formulas(n_copies: int) -> None:
    X, y = problem(25)
    parts = VarianceComponents(
        ExtraTreeClassifier(max_features=1), n_replicates=7, n_copies=n_copies, random_state=2
    ).fit(X, y)
    draws = np.random.RandomState(2)
    votes: dict[int, list[NDArray[np.float64]]] = {}
    copies = iter(parts.estimators_)
    for _ in range(7):
        drawn = draws.randint(25, size=25)
        draws.randint(np.iinfo(np.int32).max, size=n_copies)
        answers = np.array([2.0 * next(copies).predict(X) - 1.0 for _ in range(n_copies)])
        for row in np.setdiff1d(np.arange(25), drawn):
            votes.setdefault(int(row), []).append(answers[:, row])
    own, between = [], []
    for told in votes.values():
        if len(told) > 1:
            own.append(np.mean([np.var(of_set, ddof=1) for of_set in told]))
            between.append(np.var([of_set.mean() for of_set in told], ddof=1) - own[-1] / n_copies)
    assert parts.own_variance_ == pytest.approx(np.mean(own))
    assert parts.set_variance_ == pytest.approx(np.mean(between))
    assert parts.variance_ == parts.own_variance_ + parts.set_variance_
    assert parts.variance_ == pytest.approx(np.nanmean(parts.estimate_.variance))
