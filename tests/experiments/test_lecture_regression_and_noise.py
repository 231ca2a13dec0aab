"""Statements of COMP 6321 that no cell shows: the noise at repeated inputs, SVM regression."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVR
from sklearn.tree import DecisionTreeClassifier

from ensvm.data import find_card, load

EPSILON, C = 0.2, 5.0


def test_points_of_equal_inputs_give_the_noise() -> None:
    # "If we had multiple points with the same x value, we can estimate the noise": titanic has
    # 2201 points and 14 inputs.
    titanic = load(find_card("titanic"))
    inputs, point_of = np.unique(titanic.X, axis=0, return_inverse=True)
    assert len(inputs) == 14
    count = np.bincount(point_of.ravel())
    mean = np.bincount(point_of.ravel(), weights=titanic.y) / count
    noise = np.sum((titanic.y - mean[point_of.ravel()]) ** 2) / (len(titanic.y) - len(inputs))
    assert noise == pytest.approx(0.620, abs=5e-4)
    # No classifier errs on fewer of these points than the majority at each input does.
    least = np.sum(count * (1.0 - np.abs(mean)) / 2.0) / len(titanic.y)
    tree = DecisionTreeClassifier(random_state=0).fit(titanic.X, titanic.y)
    assert 1.0 - tree.score(titanic.X, titanic.y) == pytest.approx(least)
    assert least == pytest.approx(0.2095, abs=5e-5)


@pytest.fixture
def regression() -> tuple[SVR, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = np.sort(rng.uniform(-3.0, 3.0, size=(80, 1)), axis=0)
    y = np.sinc(X[:, 0]) + 0.2 * rng.normal(size=80)
    return SVR(kernel="rbf", gamma=1.0, C=C, epsilon=EPSILON, tol=1e-9).fit(X, y), X, y


def test_the_solution_of_svm_regression_is_an_expansion(
    regression: tuple[SVR, np.ndarray, np.ndarray],
) -> None:
    # y(x) = sum_i (a_i - â_i) k(x, x_i) + b with 0 <= a_i, â_i <= C
    machine, X, _ = regression
    assert np.abs(machine.dual_coef_).max() <= C
    values = rbf_kernel(X, machine.support_vectors_, gamma=1.0) @ machine.dual_coef_[0]
    np.testing.assert_allclose(values + machine.intercept_, machine.predict(X), atol=1e-12)


def test_only_points_on_or_beyond_the_tube_are_support_vectors(
    regression: tuple[SVR, np.ndarray, np.ndarray],
) -> None:
    machine, X, y = regression
    coefficients = np.zeros(len(y))
    coefficients[machine.support_] = machine.dual_coef_[0]
    residual = y - machine.predict(X)
    inside = np.abs(residual) < EPSILON - 1e-6
    assert inside.any()
    assert not coefficients[inside].any()
    assert (coefficients[residual > EPSILON + 1e-6] == C).all()  # above the tube: a_i = C
    assert (coefficients[residual < -EPSILON - 1e-6] == -C).all()  # below it: â_i = C
    free = (np.abs(coefficients) > 1e-6) & (np.abs(coefficients) < C - 1e-6)
    np.testing.assert_allclose(np.abs(residual[free]), EPSILON, atol=1e-6)
