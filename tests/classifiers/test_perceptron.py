"""The perceptron: scikit-learn's contract, the bound, inseparable data."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from ensvm.classifiers.linear_smo import LinearSMO
from ensvm.classifiers.perceptron import Perceptron
from ensvm.solvers.perceptron_rule import perceptron

XOR = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])


def separable(seed: int) -> tuple[NDArray[np.float64], NDArray[Any]]:
    X = np.random.default_rng(seed).normal(size=(50, 3))
    y = np.where(X[:, 0] - X[:, 1] > 0.0, "up", "down")
    X[:, 0] += np.where(y == "up", 0.1, -0.1)
    return X, y


@pytest.mark.parametrize("start_scale", [0.0, 1.0])
def test_the_margin_is_twice_the_least_distance_and_no_plane_has_a_larger_one_than_the_svm(
    start_scale: float,
) -> None:
    X, y = separable(3)
    fitted = Perceptron(start_scale=start_scale, random_state=0, max_iter=100_000).fit(X, y)
    signs = np.where(y == "up", 1.0, -1.0)
    distances = signs * fitted.decision_function(X) / np.linalg.norm(fitted.coef_)
    assert fitted.margin_ == pytest.approx(2.0 * distances.min())
    assert 0.0 < fitted.margin_ <= LinearSMO(C=np.inf, tol=1e-6).fit(X, y).margin_
    np.testing.assert_array_equal(fitted.support_, np.unique(fitted.mistake_path_))


@given(
    seed=st.integers(0, 2**32 - 1),
    step=st.sampled_from([0.01, 1.0, 100.0]),
    start_scale=st.sampled_from([0.0, 1.0]),
    shuffle=st.booleans(),
)
def test_mistakes_stay_within_the_bound_and_the_bound_is_that_of_its_plane(
    seed: int, step: float, start_scale: float, shuffle: bool
) -> None:
    X, y = separable(seed)
    settings = {"step": step, "start_scale": start_scale, "shuffle": shuffle}
    fitted, dual = (
        Perceptron(dual=form, random_state=seed, max_iter=1_000_000, **settings).fit(X, y)
        for form in (False, True)
    )
    assert fitted.score(X, y) == 1.0
    np.testing.assert_array_equal(dual.mistake_path_, fitted.mistake_path_)
    assert fitted.mistakes_ <= fitted.mistake_bound_ == np.floor(fitted.mistake_bound_)
    if start_scale == 0.0:
        # The plane found separates too, and its bound cannot be below that of the best one.
        points = np.column_stack([np.ones(50), X])
        w = np.append(fitted.intercept_, fitted.coef_)
        bound = (points**2).sum(axis=1).max() * (w @ w) / np.min((points @ w) ** 2)
        assert fitted.mistake_bound_ <= bound * (1.0 + 1e-9)


def test_fit_is_the_rule_and_keeps_its_record() -> None:
    X, y = separable(0)
    fitted = Perceptron(dual=True).fit(X, y)
    result = perceptron(X, np.where(y == "up", 1.0, -1.0))
    np.testing.assert_array_equal(fitted.mistake_path_, result.mistake_path)
    np.testing.assert_array_equal(fitted.alpha_, result.alpha)
    np.testing.assert_array_equal(fitted.errors_, result.errors)
    np.testing.assert_allclose(fitted.coef_, result.weights[None, :], rtol=1e-12)
    assert (fitted.mistakes_, fitted.n_iter_) == (result.errors.sum(), result.errors.size)
    assert (fitted.separable_, fitted.converged_, fitted.certificate_, fitted.objective_) == (
        True,
        True,
        0,
        0.0,
    )


def test_on_the_plane_the_class_is_the_first_one() -> None:
    fitted = Perceptron().fit([[-1.0], [1.0]], [0, 1])
    on_plane = -fitted.intercept_[0] / fitted.coef_[0, 0]
    assert fitted.decision_function([[on_plane]]) == 0.0
    assert fitted.predict([[on_plane]]) == [0]


@pytest.mark.parametrize("dual", [False, True])
def test_data_without_a_separating_plane_warn_and_stop(dual: bool) -> None:
    with pytest.warns(
        ConvergenceWarning, match="no plane separates the classes.*stopped after 30 passes"
    ):
        fitted = Perceptron(dual=dual, max_iter=30).fit(XOR, [0, 0, 1, 1])
    assert (fitted.separable_, fitted.converged_, fitted.n_iter_) == (False, False, 30)
    assert fitted.mistake_bound_ == np.inf
    assert fitted.certificate_ >= 1


def test_too_few_passes_over_separable_data_say_how_many_updates_are_enough() -> None:
    X, y = separable(0)
    with pytest.warns(
        ConvergenceWarning,
        match="the data are separable, and it would end after at most .* raise max_iter",
    ):
        fitted = Perceptron(max_iter=1).fit(X, y)
    assert (fitted.separable_, fitted.converged_) == (True, False)
