"""Linear machines by interior points are those of sequential minimal optimization and of LIBSVM."""

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.svm import SVC

from ensvm.array_types import Vector
from ensvm.solvers.interior_point import minimise_linear
from ensvm.solvers.linear_pairs import linear_cross_validated_values, linear_pairs
from ensvm.solvers.one_vs_one import cross_validated_values, pairwise_machines
from ensvm.solvers.sequential_minimal_optimization import Machine, minimise

TOL = 1e-6


def problem(seed: int, m: int = 150, d: int = 6) -> tuple[NDArray[np.float64], Vector, Vector]:
    """Rows of mixed scales, a constant column and repeated rows, noisy labels, drawn bounds."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, d)) * np.exp(rng.normal(size=d)) + rng.normal(size=d)
    X[:, 0] = 2.5
    X[m // 2 : m // 2 + 10] = X[:10]
    values = (X - X.mean(axis=0)) @ rng.normal(size=d)
    labels = np.where(values + 0.5 * values.std() * rng.normal(size=m) > 0.0, 1.0, -1.0)
    return X, labels, 10.0 ** rng.uniform(-2, 2) * rng.integers(1, 4, size=m)


def violation(X: NDArray[np.float64], labels: Vector, upper: Vector, signed: Vector) -> float:
    """By the definition: who may rise and gains most, who may fall and gains least."""
    gains = labels - X @ (X.T @ signed)
    alpha = labels * signed
    rising = [g for g, a, y, c in zip(gains, alpha, labels, upper, strict=True)
              if (a < c if y > 0 else a > 0.0)]  # fmt: skip
    falling = [g for g, a, y, c in zip(gains, alpha, labels, upper, strict=True)
               if (a > 0.0 if y > 0 else a < c)]  # fmt: skip
    return max(rising) - min(falling)


@pytest.mark.parametrize("seed", range(12))
def test_the_machine_is_that_of_smo_and_of_libsvm(seed: int) -> None:
    X, labels, upper = problem(seed)
    machine = minimise_linear(X, labels, upper, TOL)
    values = X @ (machine.signed @ X) + machine.intercept
    centred = X - X.mean(axis=0)
    peer = minimise(centred @ centred.T, labels, upper, 0.1 * TOL, 10**7)
    np.testing.assert_allclose(
        values, centred @ (peer.signed @ centred) + peer.intercept, atol=10 * TOL
    )
    # LIBSVM's matrix is float32.
    libsvm = SVC(kernel="linear", tol=1e-8).fit(X, labels, sample_weight=upper)
    np.testing.assert_allclose(values, libsvm.decision_function(X), atol=1e-2)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e4])
def test_the_certificate_is_what_the_conditions_give(seed: int, scale: float) -> None:
    X, labels, upper = problem(seed)
    X *= scale
    machine = minimise_linear(X, labels, upper, 1e-3)
    alpha = labels * machine.signed
    assert (alpha >= 0.0).all()
    assert (alpha <= upper).all()
    assert abs(machine.signed.sum()) <= 1e-9 * alpha.sum()
    centred = X - X.mean(axis=0)
    found = violation(centred, labels, upper, machine.signed)
    assert machine.violation <= 1e-3
    assert found == pytest.approx(machine.violation, abs=1e-4)


def test_unscaled_columns_and_a_large_c_converge() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 30)) * 10.0 ** rng.uniform(-2, 4, size=30)
    labels = np.where(rng.normal(size=800) > 0.0, 1.0, -1.0)  # no plane is of use
    machine = minimise_linear(X, labels, np.full(800, 100.0), 1e-3)
    assert machine.violation <= 1e-3
    assert machine.n_iter < 100


@pytest.mark.parametrize("distance", [0.0, 1.0])
def test_two_rows(distance: float) -> None:
    X, labels = np.array([[0.0], [distance]]), np.array([-1.0, 1.0])
    machine = minimise_linear(X, labels, np.full(2, 10.0), TOL)
    # Two rows at a distance r need alpha = 2 / r^2; two equal ones are paid for in full.
    expected = 2.0 / distance**2 if distance else 10.0
    np.testing.assert_allclose(machine.signed, expected * labels, rtol=1e-5)


def test_steps_that_are_not_enough_are_said() -> None:
    X, labels, upper = problem(0)
    early = minimise_linear(X, labels, upper, TOL, max_iter=2)
    assert isinstance(early, Machine)
    assert early.violation > TOL


STARTS = np.array([0, 40, 90, 160])


def three_classes() -> tuple[NDArray[np.float64], Vector]:
    rng = np.random.default_rng(3)
    centres = 1.5 * np.eye(3, 4)
    X = rng.normal(size=(160, 4)) + np.repeat(centres, np.diff(STARTS), axis=0)
    return X, rng.integers(1, 3, size=160).astype(float)


def test_pairs_are_those_of_one_against_one() -> None:
    X, upper = three_classes()
    ours = linear_pairs(X, STARTS, upper, TOL)
    peers = pairwise_machines(X @ X.T, STARTS, upper, TOL, 10**6)
    assert ours.violations.max() <= TOL
    for mine, b, theirs, c in zip(
        ours.coefficients, ours.intercepts, peers.coefficients, peers.intercepts, strict=True
    ):
        np.testing.assert_allclose(X @ (mine @ X) + b, X @ (theirs @ X) + c, atol=1e-4)
        np.testing.assert_array_equal(mine[theirs == 0.0], 0.0)


def test_values_of_rows_left_out_are_those_of_one_against_one() -> None:
    X, upper = three_classes()
    order = np.random.default_rng(1).permutation(160)
    ours = linear_cross_validated_values(X, STARTS, upper, order, TOL)
    peers = cross_validated_values(X @ X.T, STARTS, upper, order, TOL, 10**6)
    np.testing.assert_allclose(ours, peers, atol=1e-4)


def test_a_fold_without_the_other_class_has_its_sign() -> None:
    X = np.arange(10.0)[:, None]
    starts, order = np.array([0, 2, 10]), np.arange(10)
    ours = linear_cross_validated_values(X, starts, np.ones(10), order, TOL)
    np.testing.assert_array_equal(ours[0, :2], -1.0)
