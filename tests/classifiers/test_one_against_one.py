"""Kernel expansions of many classes are their pairs' machines; weights are rows, or prices."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.multiclass import OneVsOneClassifier
from sklearn.svm import SVC

from ensvm import LeveragedVectorMachine, PartiallyTrainedEnsemble, SVMPathClassifier

MACHINES = [
    SVMPathClassifier(gamma=0.5),
    PartiallyTrainedEnsemble(gamma=0.5, tol=0.05),
    PartiallyTrainedEnsemble(gamma=0.5, low_rank=20, predict_with="pivots", random_state=0),
    LeveragedVectorMachine(gamma=0.5, n_estimators=30),
]
ANY_MACHINE = pytest.mark.parametrize("machine", MACHINES)


def flowers() -> tuple[NDArray[np.float64], NDArray[Any]]:
    X, codes = load_iris(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    shuffled = np.random.default_rng(0).permutation(150)
    return X[shuffled], np.array(["setosa", "versicolor", "virginica"])[codes[shuffled]]


@ANY_MACHINE
def test_many_classes_are_the_machines_of_all_pairs(machine: Any) -> None:
    X, y = flowers()
    fitted, pairs = clone(machine).fit(X, y), OneVsOneClassifier(machine).fit(X, y)
    np.testing.assert_allclose(
        fitted.decision_function(X), pairs.decision_function(X), rtol=1e-8, atol=1e-8
    )
    np.testing.assert_array_equal(fitted.predict(X), pairs.predict(X))
    assert fitted.n_iter_ == sum(pair.n_iter_ for pair in pairs.estimators_)
    assert fitted.intercept_.shape == (3,)
    assert fitted.certificate_.tolist() == [pair.certificate_ for pair in pairs.estimators_]


@ANY_MACHINE
def test_stages_of_many_classes_are_refused(machine: Any) -> None:
    X, y = flowers()
    fitted = clone(machine).fit(X, y)
    with pytest.raises(AttributeError, match=r"by stages needs two classes, and .* fitted to 3"):
        next(fitted.staged_predict(X))


def test_coupled_probabilities_are_a_distribution_that_agrees_with_the_votes() -> None:
    X, y = flowers()
    machine = LeveragedVectorMachine(n_estimators=20).fit(X, y)
    probabilities = machine.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    sure = probabilities.max(axis=1) > 0.9
    np.testing.assert_array_equal(
        machine.classes_[probabilities.argmax(axis=1)][sure], machine.predict(X)[sure]
    )
    assert sure.mean() > 0.5


@pytest.mark.parametrize("class_weight", [None, "balanced", {"setosa": 3.0, "virginica": 0.2}])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
def test_prices_on_the_path_are_those_of_libsvm(
    classes: int, weighted: bool, class_weight: Any
) -> None:
    X, y = flowers()
    if classes == 2:
        X, y = X[y != "versicolor"] * 0.3, y[y != "versicolor"]
    weight = np.random.default_rng(1).integers(0, 4, size=len(y)) if weighted else None
    ours = SVMPathClassifier(gamma=0.5, select=0.7, class_weight=class_weight)
    ours.fit(X, y, sample_weight=weight)
    libsvm = SVC(
        C=0.7, gamma=0.5, tol=1e-9, class_weight=class_weight, decision_function_shape="ovo"
    )
    # scikit-learn's 'balanced' does not count rows by their weights
    if class_weight == "balanced" and weighted:
        names = ours.classes_
        sizes = np.array([weight[y == name].sum() for name in names])
        libsvm.set_params(
            class_weight=dict(zip(names, sizes.sum() / (sizes.size * sizes), strict=True))
        )
    libsvm.fit(X, y, sample_weight=weight)
    expected = libsvm.decision_function(X)
    values = ours._expand(X, ours.dual_coef_) + ours.intercept_
    sign = 1.0 if classes == 2 else -1.0  # LIBSVM's pairs are positive for their first class
    np.testing.assert_allclose(values, sign * expected, atol=1e-6)


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_the_leveraged_machine_lowers_the_weighted_loss(loss: str) -> None:
    X, y = flowers()
    X, y = X[y != "setosa"], y[y != "setosa"]
    weight = 0.2 + np.random.default_rng(3).random(len(y))
    machine = LeveragedVectorMachine(loss=loss, n_estimators=12).fit(X, y, sample_weight=weight)
    margins = np.where(y == "virginica", 1.0, -1.0) * machine.decision_function(X)
    losses = np.exp(-margins) if loss == "exponential" else np.logaddexp(0.0, -2.0 * margins)
    assert machine.train_loss_[-1] == pytest.approx(np.average(losses, weights=weight), rel=1e-9)


@ANY_MACHINE
def test_a_class_without_weight_is_refused_by_name(machine: Any) -> None:
    X, y = flowers()
    with pytest.raises(ValueError, match="but class 'versicolor' has none"):
        clone(machine).fit(X, y, sample_weight=(y != "versicolor").astype(float))
    with pytest.raises(ValueError, match="holds only one class: 'setosa'"):
        clone(machine).fit(X, np.full(150, "setosa"))
