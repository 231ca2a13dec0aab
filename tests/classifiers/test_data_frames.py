"""A DataFrame of pandas is taken by every class, which keeps the names and checks them."""

import inspect
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs, make_moons
from sklearn.svm import SVC
from sklearn.utils import get_tags

import ensvm
from ensvm import LinearSMO
from ensvm.classifiers import CLASSIFIERS
from ensvm.experiments import DecisionMap, NoisyLabels

FEW = {"random_state": 0, "n_estimators": 3, "n_replicates": 3, "n_rounds": 3, "max_samples": 30}
NAMES = ["left", "right"]


def made(name: str) -> Any:
    make = getattr(ensvm, name)
    known = set(inspect.signature(make).parameters) - (
        set() if name.startswith("Mixed") else {"max_samples"}
    )
    return make(**{key: value for key, value in FEW.items() if key in known})


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_frame_is_its_array_and_its_names_are_checked(name: str) -> None:
    X, codes = make_blobs(50, centers=[(-2.0, -2.0), (2.0, 2.0)], random_state=0)
    frame, y = pd.DataFrame(X, columns=NAMES), pd.Series(np.array(["no", "yes"])[codes])
    fitted = made(name).fit(frame, y)
    assert fitted.feature_names_in_.tolist() == NAMES
    labels = fitted.predict(frame)
    np.testing.assert_array_equal(labels, made(name).fit(X, y.to_numpy()).predict(X))
    assert set(labels) <= {"no", "yes"}
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.predict(frame[NAMES[::-1]])
    assert pickle.loads(pickle.dumps(fitted)).feature_names_in_.tolist() == NAMES
    assert not hasattr(clone(fitted).fit(X, y), "feature_names_in_")


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_every_class_says_that_it_takes_sparse_rows(name: str) -> None:
    assert get_tags(made(name)).input_tags.sparse


# Where kernels of sparse rows are made without making them dense, see test_kernel_expansion.py.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "name", ["LinearSMO", "MixedKernelAdaBoost", "MixedKernelBagging", "Perceptron"]
)
def test_sparse_rows_are_the_dense_ones(name: str) -> None:
    X, y = make_moons(50, noise=0.2, random_state=0)
    X[::3, 0] = 0.0
    dense, thin = made(name).fit(X, y), made(name).fit(sparse.csc_array(X), y)
    np.testing.assert_array_equal(thin.predict(sparse.coo_array(X)), dense.predict(X))
    for method in ("decision_function", "predict_proba"):
        if hasattr(dense, method):
            values = [getattr(dense, method)(X), getattr(thin, method)(sparse.csr_array(X))]
            np.testing.assert_allclose(*values, rtol=1e-6, atol=1e-9)


def test_the_axes_of_a_map_may_be_names() -> None:
    X, y = make_moons(50, noise=0.2, random_state=0)
    frame = pd.DataFrame(np.column_stack([X, X[:, 0]]), columns=[*NAMES, "third"])
    shown = DecisionMap(LinearSMO(), inputs=("right", "left"), n_grid=3).fit(frame, y)
    np.testing.assert_array_equal(shown.points_, X[:, ::-1])
    with pytest.raises(ValueError, match="0 to 2 or names left, right, third, got"):
        DecisionMap(LinearSMO(), inputs=("right", "up")).fit(frame, y)
    with pytest.raises(ValueError, match="0 to 1, got"):
        DecisionMap(LinearSMO(), inputs=("right", "left")).fit(X, y)


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
