"""Slopes of machines: the derivative by differences, columns that do not matter."""

import numpy as np
import pytest

from ensvm.kernels import gram
from ensvm.solvers.kernel_slopes import mean_square_slopes
from ensvm.solvers.one_vs_one import pairwise_machines

STEP = 1e-6


def machines_of(X, starts, kernel):
    K = gram(X, kernel=kernel, gamma=0.4)
    return pairwise_machines(K, starts, np.full(len(X), 3.0), 1e-6, 10**6)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_they_are_derivatives_at_the_rows_of_each_pair(kernel):
    rng = np.random.default_rng(0)
    X, starts = rng.normal(size=(30, 3)), np.array([0, 8, 20, 30])
    counts, slopes = rng.uniform(0.5, 2.0, 30), np.array([1.0, -2.0, 0.5])
    machines = machines_of(X, starts, kernel)
    total, weight = np.zeros(3), 0.0
    for pair, classes in enumerate([(0, 1), (0, 2), (1, 2)]):
        for i in np.concatenate([np.arange(starts[c], starts[c + 1]) for c in classes]):
            for j, step in enumerate(STEP * np.eye(3)):
                # the Laplacian kernel has no derivative at a support vector: the mean of both sides
                high, low = (gram(X[[i]] + s, X, kernel=kernel, gamma=0.4) for s in (step, -step))
                change = float((high - low)[0] @ machines.coefficients[pair]) / (2.0 * STEP)
                total[j] += counts[i] * (slopes[pair] * change) ** 2
            weight += counts[i]
    found = mean_square_slopes(X, starts, counts, machines, slopes, kernel=kernel, gamma=0.4)
    np.testing.assert_allclose(found, total / weight, rtol=1e-4)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_a_column_without_differences_has_no_slope(kernel):
    rng = np.random.default_rng(0)
    X, starts = np.column_stack([rng.normal(size=20), np.ones(20)]), np.array([0, 10, 20])
    machines = machines_of(X, starts, kernel)
    slopes = mean_square_slopes(
        X, starts, np.ones(20), machines, np.ones(1), kernel=kernel, gamma=0.4
    )
    assert slopes[0] > 0.0
    assert slopes[1] == pytest.approx(0.0, abs=1e-20)
