"""Boosted trees of other packages: they learn and repeat, and say which package is missing."""

import sys

import numpy as np
import pytest
from sklearn.datasets import load_iris

from ensvm.errors import UserError
from ensvm.experiments.boosted_trees import SEARCHED, CatBoost, TunedLightGBM

MADE = {
    "lightgbm": TunedLightGBM(n_candidates=2, random_state=0),
    "catboost": CatBoost(n_estimators=20, random_state=0),
}


@pytest.fixture(scope="module")
def flowers():
    X, y = load_iris(return_X_y=True)
    return X, np.array(["setosa", "versicolor", "virginica"])[y]


@pytest.mark.parametrize("package", MADE)
def test_the_trees_learn_and_repeat(package, flowers):
    pytest.importorskip(package)
    X, y = flowers
    fitted = MADE[package].fit(X[::2], y[::2])
    assert fitted.score(X[1::2], y[1::2]) > 0.9
    probabilities = fitted.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    np.testing.assert_array_equal(fitted.predict(X), fitted.classes_[probabilities.argmax(axis=1)])
    again = MADE[package].fit(X[::2], y[::2]).predict_proba(X)
    np.testing.assert_array_equal(again, probabilities)


def test_the_search_is_among_what_is_searched(flowers):
    pytest.importorskip("lightgbm")
    chosen = MADE["lightgbm"].fit(*flowers).estimator_.best_params_
    assert all(chosen[name] in values for name, values in SEARCHED.items())


@pytest.mark.parametrize("package", MADE)
def test_a_missing_package_is_named_with_what_installs_it(package, flowers, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(UserError, match=rf"needs the package {package}, .* 'ensvm\[rivals\]'"):
        MADE[package].fit(*flowers)
