"""Weights of rows and classes: LIBSVM's costs, duplicated rows, proportions of a distribution."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.svm import SVC
from sklearn.utils import get_tags

import ensvm
from ensvm import (
    BoostedSVM,
    LinearSMO,
    MixedKernelAdaBoost,
    MixedKernelBagging,
    SVMPathClassifier,
)
from ensvm.classifiers import CLASSIFIERS

CLASS_WEIGHTS = pytest.mark.parametrize(
    "class_weight", [{"b": 5.0}, {"a": 0.2, "b": 2}, "balanced"]
)


SMALL: dict[str, dict[str, Any]] = {
    "AdaBoost": {"n_estimators": 5},
    "BoostedSVM": {"n_estimators": 4},
    "LeveragedVectorMachine": {"n_estimators": 20},
}
PRICED = {"LinearSMO"}  # weights multiply the C that is given
TAKING_WEIGHTS = [
    name
    for name in CLASSIFIERS
    if "sample_weight" in inspect.signature(getattr(ensvm, name).fit).parameters
]
RELATIVE = [name for name in TAKING_WEIGHTS if name not in PRICED]
# Of the others weights are margins asked for: rows of weight 0 must lie on their side, too.
WEIGHTED = [name for name in TAKING_WEIGHTS if name not in ("BoostedSVM", "WeightedNuSVC")]


def uneven(m: int = 90) -> tuple[NDArray[np.float64], NDArray[Any]]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(m, 3))
    return X, np.where(X[:, 0] + 0.8 * rng.normal(size=m) > 0.7, "b", "a")


def counted(m: int = 90) -> NDArray[np.int64]:
    return np.random.default_rng(4).integers(0, 4, size=m)


@CLASS_WEIGHTS
@pytest.mark.parametrize("weighted", [False, True])
def test_costs_of_the_linear_machine_are_those_of_libsvm(class_weight: Any, weighted: bool) -> None:
    X, y = uneven()
    given = {"sample_weight": 0.3 + counted()} if weighted else {}
    settings = {"C": 0.7, "tol": 1e-7, "class_weight": class_weight}
    ours, libsvm = LinearSMO(**settings), SVC(kernel="linear", **settings)
    ours.fit(X, y, **given), libsvm.fit(X, y, **given)
    np.testing.assert_allclose(ours.decision_function(X), libsvm.decision_function(X), atol=1e-5)
    assert set(ours.support_) == set(libsvm.support_)


@CLASS_WEIGHTS
@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_costs_of_the_ensembles_machines_are_those_of_libsvm(
    class_weight: Any, kernel: str
) -> None:
    X, y = uneven()
    settings = {"C": 3.0, "tol": 1e-6, "degree": 3, "coef0": 1.0, "class_weight": class_weight}
    whole = MixedKernelBagging(
        [kernel],
        voting="majority",
        n_estimators=1,
        max_samples=None,
        bootstrap=False,
        gamma=0.4,
        poly_gamma=0.4,
        **settings,
    ).fit(X, y)
    libsvm = SVC(kernel=kernel, gamma=0.4, **settings).fit(X, y)
    clear = np.abs(libsvm.decision_function(X)) > 1e-3
    np.testing.assert_array_equal(whole.predict(X)[clear], libsvm.predict(X)[clear])
    (machine,) = whole.estimators_
    assert abs(machine.intercept[0]) == pytest.approx(abs(libsvm.intercept_[0]), abs=2e-3)
    np.testing.assert_allclose(
        np.sort(np.abs(machine.dual_coef[0])), np.sort(np.abs(libsvm.dual_coef_[0])), atol=2e-2
    )


@pytest.mark.parametrize("make", [MixedKernelBagging, MixedKernelAdaBoost, LinearSMO])
def test_balanced_is_a_dict_and_equal_weights_are_none(make: Callable[..., Any]) -> None:
    X, y = uneven()
    sizes: dict[str, Any] = {}
    if make is not LinearSMO:
        sizes = {"n_estimators": 3, "max_samples": 40, "random_state": 0}
    of = {name: 90 / (2 * int((y == name).sum())) for name in ("a", "b")}

    def decided(class_weight: Any) -> NDArray[Any]:
        fitted = make(class_weight=class_weight, **sizes).fit(X, y)
        method = "predict_proba" if make is MixedKernelBagging else "decision_function"
        return getattr(fitted, method)(X)

    np.testing.assert_array_equal(decided("balanced"), decided(of))
    np.testing.assert_array_equal(decided({"a": 1, "b": 1}), decided(None))
    assert np.abs(decided(of) - decided(None)).max() > 0.01


@pytest.mark.parametrize("make", [LinearSMO, MixedKernelBagging, MixedKernelAdaBoost])
@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ({"a": 0.0}, "class_weight must give every class a positive number"),
        ({"b": -1.0}, "class_weight must give every class a positive number"),
        ({"c": 2.0}, r"classes, \['a', 'b'\], are not in class_weight"),
        ("even", "'class_weight' parameter"),
    ],
)
def test_class_weights_out_of_range(
    make: Callable[..., Any], class_weight: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        make(class_weight=class_weight).fit(*uneven())


def test_a_row_of_weight_2_is_two_rows_and_one_of_weight_0_none() -> None:
    """The others hold to scikit-learn's check of it; this machine is exact to tol only."""
    X, y = uneven()
    count = counted()
    weighted = LinearSMO(tol=1e-7).fit(X, y, sample_weight=count)
    repeated = LinearSMO(tol=1e-7).fit(np.repeat(X, count, axis=0), np.repeat(y, count))
    np.testing.assert_allclose(
        weighted.decision_function(X), repeated.decision_function(X), atol=1e-5
    )


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", WEIGHTED)
def test_weights_that_drop_a_class_are_refused_by_its_name(name: str, n_classes: int) -> None:
    X, y = uneven()
    classifier = getattr(ensvm, name)(**SMALL.get(name, {}))
    if n_classes == 3:
        if not get_tags(classifier).classifier_tags.multi_class:
            pytest.skip("two classes only")
        y = np.where(X[:, 1] > 0.9, "c", y)
    with pytest.raises(ValueError, match=f"{name} needs .* in every class, but class 'b' has none"):
        classifier.fit(X, y, sample_weight=(y != "b").astype(float))
    with pytest.raises(ValueError, match=r"[Nn]egative"):
        classifier.fit(X, y, sample_weight=np.full(90, -1.0))


def test_boosting_starts_from_the_proportions_of_the_weights() -> None:
    X, y = uneven()
    settings: dict[str, Any] = {"gamma": 1.0, "n_estimators": 4, "random_state": 0}
    plain = BoostedSVM(**settings).fit(X, y)
    even = BoostedSVM(**settings).fit(X, y, sample_weight=np.ones(90))
    np.testing.assert_array_equal(even.member_coefs_, plain.member_coefs_)
    weight = 1e-6 * (1.0 + counted())
    weighted = BoostedSVM(**settings).fit(X, y, sample_weight=weight)
    for t, labels in enumerate(weighted.staged_predict(X)):
        error = weight[labels != y].sum() / weight.sum()
        assert weighted.train_errors_[t] == pytest.approx(error, abs=1e-12)
        assert error <= weighted.normalizers_[: t + 1].prod() + 1e-12


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("even", [True, False])
@pytest.mark.parametrize("name", RELATIVE)
def test_only_the_proportions_of_weights_matter(name: str, even: bool) -> None:
    X, y = uneven()
    weight = np.ones(90) if even else 1.0 + counted()

    def labels(sample_weight: Any) -> NDArray[Any]:
        machine = getattr(ensvm, name)(**SMALL.get(name, {}))
        if "random_state" in machine.get_params():
            machine.set_params(random_state=0)
        return machine.fit(X, y, sample_weight=sample_weight).predict(X)

    expected = labels(weight)
    for factor in (2.0**-664, 2.0**-10, 2.0, 2.0**530, 2.0**963):  # 1e-200 ... 1e290
        np.testing.assert_array_equal(labels(factor * weight), expected)
    # Other factors round, which may move a value next to 0 to the other side.
    for others in [1e-3 * weight, *([None] if even else [])]:
        assert np.count_nonzero(labels(others) != expected) <= 1


@pytest.mark.parametrize("machine", [LinearSMO(C=1e4), SVMPathClassifier(select=1.0)])
def test_prices_beyond_the_range_of_floats_are_refused(machine: Any) -> None:
    X, y = uneven()
    with pytest.raises(ValueError, match=r"sample_weight multiplies C, .* beyond the range"):
        machine.fit(X, y, sample_weight=np.full(90, 1e305))


@pytest.mark.parametrize("tol", [0.0, 0.1])
def test_a_C_that_is_given_is_multiplied_by_the_weights_as_they_are(tol: float) -> None:
    X, y = uneven()
    one = SVMPathClassifier(select=3.0, tol=tol).fit(X, y)
    other = SVMPathClassifier(select=1.0, C_max=1e4 / 3.0, tol=tol)
    other.fit(X, y, sample_weight=np.full(90, 3.0))
    tolerance = 1e-8 if tol == 0.0 else 0.5
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), atol=tolerance)
