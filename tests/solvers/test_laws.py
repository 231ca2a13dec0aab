"""What every solver satisfies: true certificates, honest endings, invariances, intact inputs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from small_problems import noisy_rows

from ensvm.array_types import Vector
from ensvm.kernels import gram
from ensvm.solvers.entropy_projection.accelerated import accelerated_descent
from ensvm.solvers.entropy_projection.tsang_kwok import entropy_projection
from ensvm.solvers.leverage import leverage
from ensvm.solvers.multiplicative_update import multiplicative_update
from ensvm.solvers.perceptron_rule import perceptron
from ensvm.solvers.regularization_path.path import regularization_path
from ensvm.solvers.sequential_minimal_optimization import minimise
from ensvm.solvers.weighted_nu_svm.solver import weighted_nu_svm


@dataclass(frozen=True)
class Outcome:
    """The values f(x_i) at the training rows, and how the solver ended."""

    f: Vector
    certificate: float
    allowed: float
    """What the certificate is at most after convergence."""
    converged: bool
    n_iter: int


def on_the_simplex(solve: Any, tol: float) -> Callable[..., Outcome]:
    def run(X: Vector, K: NDArray[Any], y: Vector, max_iter: int = 50_000) -> Outcome:
        result = solve(K, y, tol=tol, max_iter=max_iter)
        f, allowed = K @ (y * result.weights), tol * result.objective
        return Outcome(f, result.certificate, allowed, result.converged, result.n_iter)

    return run


def entropy(X: Vector, K: NDArray[Any], y: Vector, max_iter: int = 50_000) -> Outcome:
    result = entropy_projection(K, y, tol=1e-4, max_iter=max_iter)
    f, allowed = K @ (y * result.weights), 0.1 * result.objective  # epsilon < tol proves no gap
    return Outcome(f, result.certificate, allowed, result.converged, result.n_iter)


def multiplicative(X: Vector, K: NDArray[Any], y: Vector, max_iter: int = 50_000) -> Outcome:
    result = multiplicative_update(K, y, learning_rate=0.02, tol=0.01, max_iter=max_iter)
    f, allowed = K @ (y * result.weights), 0.01 * result.objective
    return Outcome(f, result.certificate, allowed, result.converged, result.n_iter)


def nu_svm(X: Vector, K: NDArray[Any], y: Vector, max_iter: int = 50_000) -> Outcome:
    result = weighted_nu_svm(K, y, np.full(y.size, 1.0 / y.size), 0.2, tol=1e-9, max_iter=max_iter)
    f, allowed = K @ (y * result.weights) + result.intercept, 1e-9 * result.objective
    return Outcome(f, result.certificate, allowed, result.converged, result.n_iter)


def smo(X: Vector, K: NDArray[Any], y: Vector, max_iter: int = 50_000) -> Outcome:
    u, intercept, violation, n_iter, _ = minimise(K, y, np.ones(y.size), 1e-8, max_iter)
    return Outcome(K @ u + intercept, violation, 1e-8, violation <= 1e-8, n_iter)


def on_the_path(X: Vector, K: NDArray[Any], y: Vector) -> Outcome:
    path = regularization_path(K, y, C_max=10.0)
    f = K @ (y * path.coef_at(1.0)) + path.intercept_at(1.0)
    return Outcome(f, path.certificate, 1e-7, path.converged, path.n_events)


def leveraged(X: Vector, K: NDArray[Any], y: Vector, max_iter: int = 1000) -> Outcome:
    result = leverage(K, y, loss="logistic", tol=1e-3, tol_scale="absolute", n_rounds=max_iter)
    f = K @ (y * result.weights) + result.intercept
    return Outcome(f, result.certificate, 0.1, result.converged, result.n_iter)


def by_the_rule(X: Vector, K: NDArray[Any], y: Vector, max_iter: int = 1000) -> Outcome:
    result = perceptron(X, y, max_iter=max_iter)
    f = X @ result.weights + result.offset
    return Outcome(f, float(result.certificate), 0.0, result.converged, result.n_iter)


# The solver, and how far f may move relative to its largest value where only rounding differs.
SOLVERS: dict[str, tuple[Callable[..., Outcome], float]] = {
    "entropy projection": (entropy, 0.05),
    "accelerated descent": (on_the_simplex(accelerated_descent, 1e-4), 0.02),
    "multiplicative update": (multiplicative, 1e-6),
    "weighted nu-SVM": (nu_svm, 1e-4),
    "sequential minimal optimization": (smo, 1e-5),
    "regularization path": (on_the_path, 1e-6),
    "leveraging": (leveraged, 1e-6),
    "perceptron": (by_the_rule, 0.0),
}
ALL = pytest.mark.parametrize("name", SOLVERS)
LIMITED = pytest.mark.parametrize("name", [name for name in SOLVERS if "path" not in name])
ON_A_GRAM_MATRIX = pytest.mark.parametrize(
    "name", [name for name in SOLVERS if name != "perceptron"]
)


def problem() -> tuple[Vector, Vector, Vector]:
    """Return rows that a plane separates, their Gaussian Gram matrix, and labels -1, +1."""
    X, y = noisy_rows(d=4, noise=0.0)
    return X, gram(X, kernel="rbf", gamma=0.25), y


def assert_near(name: str, f: Vector, expected: Vector, tolerance: float | None = None) -> None:
    allowed = SOLVERS[name][1] if tolerance is None else tolerance
    np.testing.assert_allclose(f, expected, rtol=0.0, atol=allowed * np.abs(expected).max())


@ALL
def test_it_converges_and_proves_it(name: str) -> None:
    outcome = SOLVERS[name][0](*problem())
    assert outcome.converged
    assert -1e-12 <= outcome.certificate <= outcome.allowed
    assert outcome.n_iter > 0


@LIMITED
def test_a_run_cut_short_says_so(name: str) -> None:
    outcome = SOLVERS[name][0](*problem(), max_iter=1)
    assert not outcome.converged
    assert outcome.n_iter <= 1
    assert outcome.certificate > 0.0


@ALL
def test_other_labels_give_the_other_sign(name: str) -> None:
    X, K, y = problem()
    solve = SOLVERS[name][0]
    assert_near(name, -solve(X, K, -y).f, solve(X, K, y).f)


@ON_A_GRAM_MATRIX
def test_the_order_of_the_rows_does_not_matter(name: str) -> None:
    X, K, y = problem()
    order = np.random.default_rng(1).permutation(y.size)
    solve = SOLVERS[name][0]
    permuted = solve(X[order], K[np.ix_(order, order)], y[order]).f
    assert_near(name, permuted, solve(X, K, y).f[order])


@ALL
def test_the_inputs_stay_as_they_are(name: str) -> None:
    inputs = problem()
    SOLVERS[name][0](*inputs)
    for after, before in zip(inputs, problem(), strict=True):
        np.testing.assert_array_equal(after, before)


@ON_A_GRAM_MATRIX
def test_a_float32_gram_matrix_gives_nearly_the_same(name: str) -> None:
    X, K, y = problem()
    solve = SOLVERS[name][0]
    assert_near(name, solve(X, K.astype(np.float32), y).f, solve(X, K, y).f, tolerance=0.05)
