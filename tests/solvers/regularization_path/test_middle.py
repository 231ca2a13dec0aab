"""With all multipliers on bounds the intercept is the middle, whatever the order of the points."""

import numpy as np
import pytest

from ensvm.kernels import gram
from ensvm.solvers.regularization_path.path import regularization_path

SEEDS = pytest.mark.parametrize("seed", range(12))


def data(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(14, 2))
    y = np.where(np.arange(14) < 4 + seed % 4, 1.0, -1.0)
    return gram(X + 0.5 * y[:, None], kernel="linear"), y


def grid(path):
    return np.concatenate([np.geomspace(0.01, 5.0, 40) / path.lambdas[0], 1.0 / path.lambdas[1:]])


def optimal_intercepts(K, y, alpha, C):
    values, out, on = K @ (y * alpha), alpha < 0.5 * C, alpha > 0.5 * C
    at_least = (on & (y < 0.0)) | (out & (y > 0.0))
    return (y - values)[at_least].max(), (y - values)[~at_least].min()


def test_it_is_the_middle():
    wide = 0
    for seed in range(12):
        K, y = data(seed)
        path = regularization_path(K, y)
        for C in grid(path):
            alpha = path.coef_at(C)
            if np.minimum(alpha, C - alpha).max() <= 1e-12 * C:
                low, high = optimal_intercepts(K, y, alpha, C)
                wide += high - low > 1e-3
                assert path.intercept_at(C) == pytest.approx(0.5 * (low + high), abs=1e-6)
    assert wide >= 50


@SEEDS
def test_the_order_of_the_points_does_not_choose_it(seed):
    K, y = data(seed)
    order = np.random.default_rng(seed).permutation(y.size)
    path, other = regularization_path(K, y), regularization_path(K[np.ix_(order, order)], y[order])
    for C in grid(path)[:40]:
        assert other.intercept_at(C) == pytest.approx(path.intercept_at(C), abs=1e-6)


@SEEDS
def test_exchanging_the_labels_changes_its_sign(seed):
    K, y = data(seed)
    path, other = regularization_path(K, y), regularization_path(K, -y)
    for C in grid(path)[:40]:
        assert other.intercept_at(C) == pytest.approx(-path.intercept_at(C), abs=1e-6)
