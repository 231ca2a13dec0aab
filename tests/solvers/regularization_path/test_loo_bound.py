"""The leave-one-out bound bounds, counts what it says, and is least where it is said to be."""

import numpy as np
import pytest

from ensvm.kernels import gram
from ensvm.solvers.regularization_path.loo_bound import leave_one_out_bound
from ensvm.solvers.regularization_path.path import regularization_path


def problem(seed, m=30):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, 2))
    y = np.where(X[:, 0] + rng.normal(size=m) > 0.3, 1.0, -1.0)
    return gram(X, kernel="rbf", gamma=0.5), y


def count(path, K, y, C):
    alpha = path.coef_at(C)
    return np.count_nonzero(
        alpha * K.diagonal() - y * (K @ (y * alpha) + path.intercept_at(C)) > 0.0
    )


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_count_at_every_breakpoint(seed, fit_intercept):
    K, y = problem(seed)
    path = regularization_path(K, y, fit_intercept=fit_intercept, C_max=100.0)
    bound = leave_one_out_bound(path, K)
    assert bound.bounds.shape == path.lambdas.shape
    for at in range(0, path.lambdas.size, 5):
        C = 1.0 / path.lambdas[at]
        nearby = {
            count(path, K, y, C * (1.0 + shift))
            for shift in (-1e-9, 0.0, 1e-9)
            if shift <= 0.0 or C < 100.0
        }
        assert round(bound.bounds[at] * y.size) in nearby


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_no_C_has_a_smaller_bound_and_no_smaller_C_the_same(seed, fit_intercept):
    K, y = problem(seed)
    path = regularization_path(K, y, fit_intercept=fit_intercept, C_max=100.0)
    best = leave_one_out_bound(path, K)
    least = round(best.best_bound * y.size)
    assert least == count(path, K, y, best.best_C * (1.0 + 1e-9))
    grid = np.geomspace(1.0 / path.lambdas[0], 99.0, 800)
    counts = np.array([count(path, K, y, C) for C in grid])
    assert counts.min() >= least
    assert np.all(counts[grid < best.best_C * (1.0 - 1e-9)] > least)


@pytest.mark.parametrize(("seed", "fit_intercept"), [(17, True), (3, False)])
def test_the_least_bound_may_lie_between_breakpoints(seed, fit_intercept):
    K, y = problem(seed, 60)
    path = regularization_path(K, y, fit_intercept=fit_intercept, C_max=100.0)
    best = leave_one_out_bound(path, K)
    assert best.best_bound < best.bounds.min()
    assert round(best.best_bound * y.size) == count(path, K, y, best.best_C * (1.0 + 1e-9))


@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
def test_without_intercept_it_bounds_the_leave_one_out_errors(C):
    K, y = problem(7)
    path = regularization_path(K, y, fit_intercept=False, C_max=100.0)
    wrong = 0
    for i in range(y.size):
        kept = np.delete(np.arange(y.size), i)
        alpha = regularization_path(
            K[np.ix_(kept, kept)], y[kept], fit_intercept=False, C_max=100.0
        ).coef_at(C)
        wrong += y[i] * (K[i, kept] @ (y[kept] * alpha)) <= 0.0
    assert 0 < wrong <= count(path, K, y, C)
