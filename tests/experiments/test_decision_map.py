"""The map is the classifier's own decision function, and predictions stay the classifier's."""

from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from ensvm.classifiers.adaboost import AdaBoost
from ensvm.classifiers.linear_smo import LinearSMO
from ensvm.experiments.decision_map import DecisionMap
from ensvm.experiments.noisy_labels import NoisyLabels


def problem(d: int = 2) -> tuple[Any, Any]:
    generator = np.random.default_rng(4)
    X = generator.normal(size=(40, d))
    return X, np.where(X[:, 0] * X[:, -1] > 0.0, "up", "down")


@pytest.mark.parametrize("base", [SVC(), AdaBoost(n_estimators=3), GaussianNB()])
def test_each_value_is_the_decision_at_its_point_of_the_grid(base: Any) -> None:
    X, y = problem()
    shown = DecisionMap(base, n_grid=7, border=0.5, random_state=0).fit(X, y)
    low, high = X.min(axis=0), X.max(axis=0)
    np.testing.assert_allclose(shown.grid_[:, 0], low - 0.5 * (high - low))
    np.testing.assert_allclose(shown.grid_[:, -1], high + 0.5 * (high - low))
    for line, vertical in enumerate(shown.grid_[1]):
        for column, horizontal in enumerate(shown.grid_[0]):
            value = shown.values_[line, column]
            label = shown.predict([[horizontal, vertical]])[0]
            assert (value > 0.0) == (label == "up")
    np.testing.assert_array_equal(shown.predict(X), shown.estimator_.predict(X))
    np.testing.assert_array_equal(shown.points_, X)
    np.testing.assert_array_equal(shown.classes_[(shown.signs_ > 0).astype(int)], y)


def test_inputs_that_are_not_shown_stand_at_their_means() -> None:
    X, y = problem(4)
    shown = DecisionMap(LinearSMO(), n_grid=2, border=0.0).fit(X, y)
    corner = X.mean(axis=0)
    corner[0], corner[1] = X[:, 0].max(), X[:, 1].min()
    assert shown.values_[0, 1] == pytest.approx(shown.estimator_.decision_function([corner])[0])
    np.testing.assert_array_equal(shown.points_, X[:, :2])


def test_what_is_kept_is_the_fitted_copy_s() -> None:
    X, y = problem()
    shown = DecisionMap(LinearSMO(), keep=["support_", "alpha_"]).fit(X, y)
    np.testing.assert_array_equal(shown.support_, shown.estimator_.support_)
    np.testing.assert_array_equal(shown.alpha_, shown.estimator_.alpha_)
    with pytest.raises(ValueError, match="keep: LinearSMO leaves no 'errors_'"):
        DecisionMap(LinearSMO(), keep=["errors_"]).fit(X, y)


def test_a_seed_that_the_classifier_has_is_kept() -> None:
    X, y = problem()
    shown = [
        DecisionMap(DecisionTreeClassifier(random_state=seed), random_state=0).fit(X, y)
        for seed in (1, 2, None)
    ]
    assert [each.estimator_.random_state for each in shown[:2]] == [1, 2]
    assert shown[2].estimator_.random_state is not None
    noisy = NoisyLabels(DecisionTreeClassifier(random_state=3), random_state=0).fit(X, y)
    assert noisy.estimator_.random_state == 3
