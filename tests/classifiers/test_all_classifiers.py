"""What every classifier keeps: scikit-learn's contract, frames, sparse rows, either precision."""

import copy
import inspect
import io
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.datasets import make_moons
from sklearn.model_selection import cross_validate
from sklearn.svm import SVC
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_param_validation, parametrize_with_checks
from sklearn.utils.validation import check_is_fitted

import ensvm
from ensvm import (
    KernelRidgeClassifierCV,
    LeveragedVectorMachine,
    PartiallyTrainedEnsemble,
    SVMPathClassifier,
    WeightedNuSVC,
)
from ensvm.classifiers import CLASSIFIERS, ESTIMATORS, EXPERIMENTS
from ensvm.experiments import DecisionMap, NoisyLabels
from ensvm.kernels import gram

OURS = [*CLASSIFIERS, *EXPERIMENTS]
FEW: dict[str, dict[str, Any]] = {
    "AdaBoost": {"n_estimators": 3},
    "BiasVariance": {"n_replicates": 4},
    "BoostedSVM": {"n_estimators": 4},
    "DecisionMap": {"n_grid": 3},
    "MixedKernelAdaBoost": {"n_estimators": 2, "max_samples": 40, "random_state": 0},
    "MixedKernelBagging": {"n_estimators": 2, "max_samples": 25, "scale": "machine"},
    "VarianceComponents": {"n_replicates": 3},
}
WEIGHTS: dict[str, str] = {
    "LeveragedVectorMachine": "a row is not chosen in two rounds running, its copy may be",
    "LinearSMO": "the optimum is found to tol, so weights are repeated rows to tol",
    **dict.fromkeys(
        ("BoostedSVM", "WeightedNuSVC"),
        "weights are margins asked for: weight 0 still acts, weight 2 is not a repetition",
    ),
}


# With their defaults these go on until they separate the training rows, whatever a class weighs.
SEPARATING = {"LeveragedVectorMachine": "n_estimators", "SVMPathClassifier": "select"}


def made(name: str, **parameters: Any) -> Any:
    """Return a small estimator with a fixed seed, and those of the parameters that it knows."""
    module, _, attribute = ESTIMATORS[name].partition(":")
    make = getattr(import_module(module), attribute)
    chosen = {"random_state": 0, **FEW.get(name, {}), **parameters}
    parameter_names = inspect.signature(make).parameters
    return make(**{key: value for key, value in chosen.items() if key in parameter_names})


def expected_failures(estimator: Any) -> dict[str, str]:
    """Return the checks that ask for what the method does not promise, each with the reason."""
    name = type(estimator).__name__
    reason = WEIGHTS.get(name)
    if name == "KernelRidgeClassifierCV" and estimator.low_rank is not None:
        reason = "pivots are drawn among the rows, so that rounding decides nearly equal ones"
    if isinstance(getattr(estimator, "select", None), str):
        reason = "C is chosen by leaving out a row with all of its weight"
    kinds = ("dense", "sparse") if reason else ()
    failures = {f"check_sample_weight_equivalence_on_{kind}_data": str(reason) for kind in kinds}
    if name in SEPARATING and getattr(estimator, SEPARATING[name]) in (500, "span"):
        failures["check_class_weight_classifiers"] = "the training rows are separated in the end"
    return failures


CHECKS = parametrize_with_checks(
    [
        *map(made, OURS),
        # What changes how the input is handled: a Gram matrix, a low-rank factor, another solver.
        KernelRidgeClassifierCV(low_rank=12, random_state=0),
        PartiallyTrainedEnsemble(low_rank=12, random_state=0),
        # where a machine ends with errors, weights of classes move it
        SVMPathClassifier(select=1.0),
        LeveragedVectorMachine(n_estimators=4),
        SVMPathClassifier(tol=0.1),
        # without probabilities: scikit-learn's check of them gives a Gram matrix that is not square
        LeveragedVectorMachine("precomputed", loss="exponential", n_estimators=20),
        WeightedNuSVC("precomputed", max_iter=20_000),
    ],
    expected_failed_checks=expected_failures,
)


# Checks that allow few steps, or rows that no machine of a method separates, make it warn.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
# a list, because pytest 9 does not take the generator of scikit-learn 1.8
@pytest.mark.parametrize(CHECKS.args[0], list(CHECKS.args[1]), **CHECKS.kwargs)
def test_estimator_check(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", OURS)
def test_parameters_out_of_range_are_refused_by_name(name: str) -> None:
    check_param_validation(name, made(name))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_name_leads_to_its_class(name: str) -> None:
    estimator = made(name)
    assert type(estimator).__name__ == name
    with pytest.raises(ValueError, match="not fitted"):
        check_is_fitted(estimator)


def test_the_package_exports_its_classifiers() -> None:
    namespace: dict[str, Any] = {}
    exec("from ensvm import *", namespace)
    assert {*CLASSIFIERS} <= {*ensvm.__all__} <= {*namespace}
    for name in CLASSIFIERS:
        assert getattr(ensvm, name).__name__ == name
        assert name in dir(ensvm)
    with pytest.raises(AttributeError, match="no attribute 'Boosting'"):
        ensvm.Boosting  # noqa: B018


def test_importing_the_package_imports_no_numerics() -> None:
    code = (
        "import sys, ensvm; "
        "sys.exit(any(name in sys.modules for name in ('numpy', 'scipy', 'sklearn')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("make", [NoisyLabels, DecisionMap])
def test_a_fitted_copy_decides_for_the_whole_and_no_more(make: Any) -> None:
    X, y = make_moons(50, noise=0.2, random_state=0)
    machine, alone = make(SVC()), SVC().fit(X, y)
    np.testing.assert_array_equal(
        machine.fit(X, y).decision_function(X), alone.decision_function(X)
    )
    assert not hasattr(machine, "predict_proba")
    tree = make(random_state=0)
    assert not hasattr(tree, "decision_function")
    np.testing.assert_array_equal(tree.fit(X, y).predict_proba(X).argmax(axis=1), tree.predict(X))


def takes_gram(name: str) -> bool:
    return bool(get_tags(made(name, kernel="precomputed")).input_tags.pairwise)


TAKING_GRAM = [name for name in CLASSIFIERS if takes_gram(name)]


def moons(noise: float, m: int = 150) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    X, y = make_moons(m, noise=noise, random_state=0)
    return X.astype(np.float32), y


# Methods that count their rounds or steps say so where they end, in either precision.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("noise", [0.1, 0.3])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_rows_of_either_precision_make_the_same_machine(
    name: str, container: Any, noise: float
) -> None:
    assert get_tags(made(name)).input_tags.sparse
    X, y = moons(noise)
    single, double = (made(name).fit(container(X.astype(t)), y) for t in ("f4", "f8"))
    np.testing.assert_array_equal(single.predict(container(X)), double.predict(container(X)))
    for attribute in ("converged_", "stop_reason_", "n_iter_", "objective_", "certificate_"):
        assert getattr(single, attribute, None) == getattr(double, attribute, None)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", TAKING_GRAM)
def test_a_gram_matrix_of_either_precision_predicts_the_same_where_classes_are_apart(
    name: str,
) -> None:
    X, y = moons(0.1)
    K = gram(X, kernel="rbf", gamma=2.0)
    double, single = (made(name, kernel="precomputed").fit(K.astype(t), y) for t in ("f8", "f4"))
    np.testing.assert_array_equal(single.predict(K), double.predict(K))
    assert getattr(single, "converged_", True) == getattr(double, "converged_", True)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("noise", [0.1, 0.3])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_the_layout_of_rows_in_memory_does_not_change_the_machine(name: str, noise: float) -> None:
    X, y = make_moons(150, noise=noise, random_state=0)
    X = np.column_stack([X, np.random.default_rng(0).integers(0, 3, size=(150, 4))])
    plain, *others = (
        made(name).fit(rows, y)
        for rows in (X, np.asfortranarray(X), sparse.csr_array(X), np.repeat(X, 2, axis=0)[::2])
    )
    values = decided(plain, X)
    for other in others:
        np.testing.assert_array_equal(decided(other, X), values)
    for thin in (sparse.csr_array(X), sparse.coo_array(X)):
        np.testing.assert_allclose(decided(plain, thin), values, rtol=1e-5, atol=1e-8)
        np.testing.assert_array_equal(plain.predict(thin), plain.predict(X))


def decided(machine: Any, X: Any) -> Any:
    return (
        machine.decision_function(X)
        if hasattr(machine, "decision_function")
        else machine.predict_proba(X)
    )


EVERY_KERNEL: dict[str, Any] = {
    "rbf": {"kernel": "rbf", "gamma": 2.0},
    "poly": {"kernel": "poly", "gamma": 0.5, "degree": 2, "coef0": 1.0},
    "linear": {"kernel": "linear"},
    "laplacian": {"kernel": "laplacian", "gamma": 1.0},
    "called": {"kernel": lambda X, Y: np.exp(-np.abs(X[:, None] - Y[None]).sum(axis=2))},
}
CHOOSING = {"SVMPathClassifier"}
# Rounding decides which of nearly equal steps a machine takes.
LOOSE = {"LeveragedVectorMachine": 0.02}
# TunedSVC chooses its width; BoostedSVM rejects rows whose weights are equal up to rounding.
WITH_A_KERNEL = [name for name in TAKING_GRAM if name not in ("BoostedSVM", "TunedSVC")]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kernel", EVERY_KERNEL)
@pytest.mark.parametrize("name", WITH_A_KERNEL)
def test_a_gram_matrix_makes_the_machine_of_its_kernel(
    name: str, kernel: str, n_classes: int
) -> None:
    if n_classes > 2 and not get_tags(made(name)).classifier_tags.multi_class:
        pytest.skip("two classes only")
    settings = EVERY_KERNEL[kernel]
    rng, y = np.random.default_rng(0), np.arange(90) % n_classes
    X = rng.normal(size=(90, 3)) + 2.0 * np.eye(3)[y] - 1.0
    new = 2.0 * rng.normal(size=(30, 3))
    K, cross = gram(X, **settings), gram(new, X, **settings)
    named, given = made(name, **settings).fit(X, y), made(name, kernel="precomputed").fit(K, y)
    thin = made(name, kernel="precomputed").fit(sparse.csr_array(K), y)
    values = decided(named, new)
    atol = LOOSE.get(name, 1e-6) * np.abs(values).max() + 1e-12
    np.testing.assert_allclose(decided(given, cross), values, atol=atol)
    np.testing.assert_allclose(decided(thin, sparse.csr_array(cross)), values, atol=atol)
    if n_classes == 2 and hasattr(named, "staged_predict") and name not in CHOOSING:
        *_, last = given.staged_decision_function(cross)
        np.testing.assert_allclose(last, values, atol=atol)
    with pytest.raises(ValueError, match="must be square, got 90 x 80"):
        made(name, kernel="precomputed").fit(K[:, :80], y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_stages_end_with_the_whole(name: str) -> None:
    X, y = make_moons(90, noise=0.3, random_state=0)
    fitted = made(name).fit(X, y)
    if not hasattr(fitted, "staged_predict") or name in CHOOSING:
        pytest.skip("no stages, or the machine is chosen among them")
    labels = list(fitted.staged_predict(X))
    np.testing.assert_array_equal(labels[-1], fitted.predict(X))
    if hasattr(fitted, "staged_decision_function"):
        stages = list(fitted.staged_decision_function(X))
        assert len(stages) == len(labels)
        np.testing.assert_allclose(stages[-1], decided(fitted, X), rtol=1e-9, atol=1e-9)


def through_a_file(fitted: Any) -> Any:
    file = io.BytesIO()
    joblib.dump(fitted, file)
    file.seek(0)
    return joblib.load(file)


COPIES: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda fitted: pickle.loads(pickle.dumps(fitted)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "joblib": through_a_file,
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("name", OURS)
def test_a_fitted_object_does_not_depend_on_how_it_travelled(name: str, way: str) -> None:
    X, y = moons(0.2, 60)
    fitted = made(name).fit(X, y)
    other = COPIES[way](fitted)
    assert vars(other).keys() == vars(fitted).keys()
    for method in ("predict", "decision_function", "predict_proba"):
        if hasattr(fitted, method):
            values = (getattr(machine, method)(X) for machine in (fitted, other))
            np.testing.assert_array_equal(*values)
    if hasattr(fitted, "staged_predict"):
        stages = (list(machine.staged_predict(X)) for machine in (fitted, other))
        np.testing.assert_array_equal(*stages)


def test_the_number_of_jobs_does_not_decide_what_is_kept() -> None:
    X, y = moons(0.2, 60)
    folds = cross_validate(SVMPathClassifier(), X, y, cv=2, n_jobs=2, return_estimator=True)
    assert all(machine.path_.lambdas.size > 2 for machine in folds["estimator"])


@pytest.mark.parametrize(
    ("machine", "attribute"),
    [
        (SVMPathClassifier(keep_path=False), "path_"),
        (PartiallyTrainedEnsemble(keep_members=False), "member_weights_"),
    ],
)
def test_what_only_stages_need_may_be_left_out(machine: Any, attribute: str) -> None:
    X, y = moons(0.3, 200)
    machine.fit(X, y)
    assert getattr(machine, attribute, None) is None
    assert len(pickle.dumps(machine)) < 20_000
    with pytest.raises(AttributeError, match="needs keep_"):
        next(machine.staged_predict(X))


def test_private_names_of_scikit_learn_stand_in_one_file() -> None:
    private = re.compile(r"from sklearn(\S*\._\S+ import |\S* import .*\b_[a-z])")
    using = {
        file.name
        for file in Path(ensvm.__file__).parent.glob("**/*.py")
        if any(map(private.match, file.read_text(encoding="utf-8").splitlines()))
    }
    assert using == {"sklearn_private.py"}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", OURS)
def test_masked_values_are_refused(name: str) -> None:
    """scikit-learn reads the numbers below a mask."""
    X, y = make_moons(60, noise=0.2, random_state=0)
    rows, labels = np.ma.array(X, mask=False), np.ma.array(y, mask=False)
    rows[3, 0] = labels[3] = np.ma.masked
    for pair, what in (((rows, y), "X"), ((X, labels), "y")):
        with pytest.raises(ValueError, match=f"^{what} is a masked array with masked values"):
            made(name).fit(*pair)
    fitted = made(name).fit(np.ma.array(X), np.ma.array(y))
    if hasattr(fitted, "predict"):
        with pytest.raises(ValueError, match=r"^X is a masked array with masked values"):
            fitted.predict(rows)
