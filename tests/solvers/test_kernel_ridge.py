"""Kernel ridge regression: its optimum, and leave-one-out values that are those of refits."""

import numpy as np
import pytest
from numpy.typing import NDArray

from ensvm.kernels import gram
from ensvm.solvers.kernel_ridge import KernelRidge

Matrix = NDArray[np.float64]


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


def direct(K: Matrix, targets: Matrix, weight: Matrix, alpha: float) -> tuple[Matrix, Matrix]:
    """Solve (K + alpha W^-1) c + b 1 = y, 1'c = 0: the definition."""
    m = len(K)
    ones = np.ones((m, 1))
    system = np.block([[K + alpha * np.diag(1.0 / weight), ones], [ones.T, np.zeros((1, 1))]])
    solution = np.linalg.solve(system, np.vstack([targets, np.zeros((1, targets.shape[1]))]))
    return solution[:m], solution[m]


@pytest.mark.parametrize("alpha", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_it_solves_the_equations_of_the_optimum(alpha: float, weighted: bool) -> None:
    K, targets, weight = problem(0)
    solution = KernelRidge(K, targets, weight if weighted else None).solve(alpha)
    expected = direct(K, targets, weight if weighted else np.ones(len(K)), alpha)
    for array, same in zip(solution, expected, strict=True):
        np.testing.assert_allclose(array, same, atol=1e-9)


@pytest.mark.parametrize("alpha", [1e-5, 1e-3, 1.0, 100.0])
@pytest.mark.parametrize("weighted", [False, True])
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


def test_rows_that_are_all_equal_get_the_mean_of_the_others() -> None:
    targets = np.array([[1.0], [1.0], [1.0], [-1.0]])
    ridge = KernelRidge(np.ones((4, 4)), targets)
    for values in ridge.leave_one_out(ridge.penalties()):
        np.testing.assert_allclose(values[:, 0], [1 / 3, 1 / 3, 1 / 3, 1.0])
