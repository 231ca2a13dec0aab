"""scikit-learn's SVR has the solution that COMP 6321, lecture 5 gives: its form, its conditions, its optimum."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.svm import SVR

from ensvm.kernels import gram

C, EPSILON = 2.0, 0.15
NEAR = 1e-4  # LIBSVM at tol = 1e-8 is nearer


def fitted(
    seed: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], float]:
    """Return K, y, the coefficients a - a^ of all rows, and b."""
    generator = np.random.default_rng(seed)
    X = generator.uniform(-3.0, 3.0, size=(25, 1))
    y = np.sinc(X[:, 0]) + 0.3 * generator.normal(size=25)
    machine = SVR(gamma=0.5, C=C, epsilon=EPSILON, tol=1e-8).fit(X, y)
    coefficients = np.zeros(25)
    coefficients[machine.support_] = machine.dual_coef_[0]
    K = gram(X, None, kernel="rbf", gamma=0.5)
    # y(x) = sum_i (a_i - a^_i) k(x, x_i) + b
    np.testing.assert_allclose(
        machine.predict(X), K @ coefficients + machine.intercept_[0], atol=1e-9
    )
    return K, y, coefficients, float(machine.intercept_[0])


def dual_objective(
    K: NDArray[np.float64],
    y: NDArray[np.float64],
    a: NDArray[np.float64],
    below: NDArray[np.float64],
) -> float:
    """Return -|w|^2 / 2 - epsilon sum(a + a^) + sum (a - a^) y, which the dual form maximises."""
    difference = a - below
    return float(-0.5 * difference @ K @ difference - EPSILON * (a + below).sum() + difference @ y)


@pytest.mark.parametrize("seed", range(3))
def test_multipliers_are_nonzero_exactly_on_or_outside_the_tube(seed: int) -> None:
    K, y, coefficients, b = fitted(seed)
    above, below = np.maximum(coefficients, 0.0), np.maximum(-coefficients, 0.0)
    excess = y - (K @ coefficients + b)
    assert max(above.max(), below.max()) <= C
    assert coefficients.sum() == pytest.approx(0.0, abs=1e-9)
    assert (excess[above > 0.0] >= EPSILON - NEAR).all()
    assert (excess[below > 0.0] <= -EPSILON + NEAR).all()
    assert (np.abs(excess[coefficients == 0.0]) <= EPSILON + NEAR).all()
    np.testing.assert_allclose(np.abs(coefficients[np.abs(excess) > EPSILON + NEAR]), C)
    # b = y_n - epsilon - w.phi(x_n) at any row with 0 < a_n < C
    free = (above > 0.0) & (above < C)
    assert free.any()
    np.testing.assert_allclose((y - EPSILON - K @ coefficients)[free], b, atol=NEAR)


@pytest.mark.parametrize("seed", range(3))
def test_no_multipliers_are_better_and_the_gap_to_the_error_function_is_closed(seed: int) -> None:
    K, y, coefficients, b = fitted(seed)
    above, below = np.maximum(coefficients, 0.0), np.maximum(-coefficients, 0.0)
    reached = dual_objective(K, y, above, below)
    excess = np.abs(K @ coefficients + b - y)
    primal = (
        C * np.maximum(excess - EPSILON, 0.0).sum() + 0.5 * coefficients @ K @ coefficients
    )  # lambda = 1
    assert primal == pytest.approx(reached, rel=1e-5)
    general = minimize(
        lambda both: -dual_objective(K, y, both[:25], both[25:]),
        np.zeros(50),
        jac=lambda both: np.concatenate(
            [
                K @ (both[:25] - both[25:]) + EPSILON - y,
                -K @ (both[:25] - both[25:]) + EPSILON + y,
            ]
        ),
        bounds=[(0.0, C)] * 50,
        constraints={"type": "eq", "fun": lambda both: both[:25].sum() - both[25:].sum()},
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    )
    assert general.success
    assert -general.fun == pytest.approx(reached, rel=1e-5)
