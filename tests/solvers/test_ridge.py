"""Ridge regression: its optimum, leave-one-out values of refits, degrees of freedom, blocks."""

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import Ridge

from ensvm.kernels import gram
from ensvm.solvers.ridge import KernelRidge, RidgeSums

Matrix = NDArray[np.float64]
ALPHAS = pytest.mark.parametrize("alpha", [1e-5, 1e-3, 1.0, 100.0])
WEIGHTED = pytest.mark.parametrize("weighted", [False, True])


def problem(seed: int, m: int = 30) -> tuple[Matrix, Matrix, Matrix]:
    """Return a Gram matrix with two equal rows, two targets, and weights."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(m, 3))
    X[1] = X[0]
    return (
        gram(X, kernel="rbf", gamma=0.3),
        np.sign(generator.normal(size=(m, 2))),
        generator.uniform(0.2, 3.0, m),
    )


def rows(seed: int, m: int = 60, r: int = 7) -> tuple[Matrix, Matrix, Matrix]:
    """Return features of shape (m, r), two targets, and weights."""
    generator = np.random.default_rng(seed)
    features = generator.normal(loc=1.0, size=(m, r))
    targets = features @ generator.normal(size=(r, 2)) + generator.normal(size=(m, 2)) + 3.0
    return features, targets, generator.uniform(0.2, 3.0, m)


def direct(K: Matrix, targets: Matrix, weight: Matrix, alpha: float) -> tuple[Matrix, Matrix]:
    """Solve (K + alpha W^-1) c + b 1 = y, 1'c = 0: the definition."""
    m = len(K)
    ones = np.ones((m, 1))
    system = np.block([[K + alpha * np.diag(1.0 / weight), ones], [ones.T, np.zeros((1, 1))]])
    solution = np.linalg.solve(system, np.vstack([targets, np.zeros((1, targets.shape[1]))]))
    return solution[:m], solution[m]


def blocks(m: int, length: int) -> Iterator[slice]:
    return (slice(start, start + length) for start in range(0, m, length))


def summed(features: Matrix, targets: Matrix, weight: Matrix, length: int = 17) -> RidgeSums:
    sums = RidgeSums(features.shape[1], targets.shape[1])
    for part in blocks(len(targets), length):
        sums.add(features[part].T, targets[part], weight[part])
    return sums


@ALPHAS
@WEIGHTED
def test_it_solves_the_equations_of_the_optimum(alpha: float, weighted: bool) -> None:
    K, targets, weight = problem(0)
    solution = KernelRidge(K, targets, weight if weighted else None).solve(alpha)
    expected = direct(K, targets, weight if weighted else np.ones(len(K)), alpha)
    for array, same in zip(solution, expected, strict=True):
        np.testing.assert_allclose(array, same, rtol=1e-8, atol=1e-8)


@ALPHAS
@pytest.mark.parametrize("length", [1, 64, 200])
def test_the_ridge_of_sums_is_scikit_learns(alpha: float, length: int) -> None:
    features, targets, weight = rows(0)
    weights, intercepts = summed(features, targets, weight, length).solve(alpha)
    peer = Ridge(alpha=alpha).fit(features, targets, weight)
    np.testing.assert_allclose(weights.T, peer.coef_, rtol=1e-9)
    np.testing.assert_allclose(intercepts, peer.intercept_, rtol=1e-9)


@ALPHAS
@WEIGHTED
def test_leave_one_out_values_are_those_of_refits(alpha: float, weighted: bool) -> None:
    K, targets, weight = problem(2)
    weight = weight if weighted else np.ones(len(K))
    values = KernelRidge(K, targets, weight).leave_one_out(np.array([alpha]))[0]
    for row in range(len(K)):
        others = np.arange(len(K)) != row
        coefficients, intercepts = direct(
            K[np.ix_(others, others)], targets[others], weight[others], alpha
        )
        expected = K[row, others] @ coefficients + intercepts
        np.testing.assert_allclose(values[row], expected, atol=1e-8)


@ALPHAS
@pytest.mark.parametrize("r", [7, 55])
def test_left_out_errors_of_sums_are_those_of_refits(alpha: float, r: int) -> None:
    features, targets, weight = rows(1, r=r)
    sums = summed(features, targets, weight)
    for part in blocks(60, 17):
        errors = sums.left_out_errors(
            features[part].T, targets[part], weight[part], np.array([alpha, 1.0])
        )
        for row, error in zip(range(60)[part], errors[..., 0], strict=True):
            others = np.arange(60) != row
            refit = Ridge(alpha=alpha).fit(features[others], targets[others], weight[others])
            expected = targets[row] - refit.predict(features[[row]])[0]
            np.testing.assert_allclose(error, expected, rtol=1e-5, atol=1e-8)


@ALPHAS
def test_the_leverages_sum_to_the_degrees_of_freedom(alpha: float) -> None:
    """1 + trace of (Z'Z + alpha)^-1 Z'Z for centred features Z; not one more or less."""
    features, targets, _ = rows(2)
    ones, alphas = np.ones(60), np.array([alpha])
    centred = features - features.mean(axis=0)
    product = centred.T @ centred
    freedom = 1.0 + np.trace(np.linalg.solve(product + alpha * np.eye(7), product))
    sums = summed(features, targets, ones)
    weights, intercepts = sums.solve(alpha)
    residuals = targets - features @ weights - intercepts
    left_out = sums.left_out_errors(features.T, targets, ones, alphas)[..., 0]
    by_kernel = targets - KernelRidge(features @ features.T, targets).leave_one_out(alphas)[0]
    for errors in (left_out, by_kernel):
        leverages = 1.0 - residuals / errors
        np.testing.assert_allclose(leverages.sum(axis=0), freedom, rtol=1e-6)


def test_the_penalties_tried_reach_from_no_weights_to_interpolation() -> None:
    features, targets, weight = rows(3)
    alphas = summed(features, targets, weight).penalties()
    assert (np.diff(alphas) < 0.0).all()
    for alpha, share in ((alphas[0], 0.2), (alphas[-1], 1.0)):
        weights, _ = summed(features, targets, weight).solve(alpha)
        least_squares = Ridge(alpha=1e-12).fit(features, targets, weight).coef_.T
        size = np.linalg.norm(weights) / np.linalg.norm(least_squares)
        assert size <= share + 1e-6
        assert share < 1.0 or size == pytest.approx(1.0, abs=1e-6)


def test_rows_that_are_all_equal_get_the_mean_of_the_others() -> None:
    targets = np.array([[1.0], [1.0], [1.0], [-1.0]])
    ridge = KernelRidge(np.ones((4, 4)), targets)
    for values in ridge.leave_one_out(ridge.penalties()):
        np.testing.assert_allclose(values[:, 0], [1 / 3, 1 / 3, 1 / 3, 1.0])


def test_features_without_spread_leave_the_mean() -> None:
    sums = RidgeSums(2, 1)
    sums.add(np.ones((2, 5)), np.array([[1.0], [1.0], [1.0], [-1.0], [-1.0]]), np.ones(5))
    weights, intercepts = sums.solve(float(sums.penalties()[0]))
    assert intercepts[0] == pytest.approx(0.2)
    np.testing.assert_allclose(weights, 0.0, atol=1e-12)
