"""The approximate path: its gap at every C, its limits, weights, and how it ends."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from small_problems import left_out_values

from ensvm.data.generators import Waveform
from ensvm.kernels import gram
from ensvm.solvers.regularization_path.approximate_path import approximate_regularization_path
from ensvm.solvers.regularization_path.leave_one_out import leave_one_out_values
from ensvm.solvers.regularization_path.path import regularization_path


def problem(m=120, seed=1, noise=0.1):
    X, classes = Waveform(rows=m, seed=seed).draw()
    y = np.where(classes == 0, 1.0, -1.0)
    flipped = np.random.default_rng(seed).random(m) < noise
    return gram((X - X.mean(0)) / X.std(0), kernel="rbf", gamma=0.05), np.where(flipped, -y, y)


def primal(K, y, coef, intercept, C, weights):
    """Return |f|^2 / 2 + C sum w hinge, from nothing but coefficients."""
    u = y * coef
    f = K @ u + intercept
    return 0.5 * u @ K @ u + C * weights @ np.maximum(0.0, 1.0 - y * f)


def optimum(exact, K, C):
    """Return the dual objective of the exact path, which no primal value can be below."""
    u = exact.labels * exact.coef_at(C)
    return exact.coef_at(C).sum() - 0.5 * u @ K @ u


@pytest.mark.parametrize("tol", [0.3, 0.1, 0.01])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_every_C_has_a_machine_within_tol_of_the_optimum(tol, weighted, seed):
    K, y = problem(seed=seed)
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.2, 3.0, y.size) if weighted else np.ones(y.size)
    path = approximate_regularization_path(K, y, tol=tol, sample_weight=weights, C_max=1e3)
    exact = regularization_path(K, y, sample_weight=weights, C_max=1e3)
    assert path.converged
    assert path.certificate <= tol * (1.0 + 1e-9)
    borders = np.concatenate([path.ends, path.ends[:-1] * (1.0 + 1e-9), path.Cs])
    inside = 10.0 ** rng.uniform(-6.0, 3.0, 100)
    for C in np.minimum(np.concatenate([borders, inside]), 1e3):
        value = primal(K, y, path.coef_at(C), path.intercept_at(C), C, weights)
        best = optimum(exact, K, C)
        assert best * (1.0 - 1e-9) <= value
        assert value - best <= tol * value * (1.0 + 1e-6)


def test_the_proof_is_the_gap_of_multipliers_that_anyone_can_scale():
    K, y = problem()
    path = approximate_regularization_path(K, y, tol=0.1)
    largest = 0.0
    for k in range(1, path.Cs.size):
        for C in np.geomspace(path.ends[k - 1] * (1.0 + 1e-12), path.ends[k], 9):
            scaled = C / path.Cs[k] * path.coefficients[k]
            assert scaled.max() <= C * (1.0 + 1e-12)
            assert abs(y @ scaled) <= 1e-9 * C
            value = primal(K, y, path.coefficients[k], path.intercepts[k], C, path.upper)
            dual = scaled.sum() - 0.5 * (y * scaled) @ K @ (y * scaled)
            largest = max(largest, (value - dual) / value)
    assert largest <= path.certificate + 1e-9


def test_the_machine_without_support_vectors_is_within_tol_up_to_its_C():
    K, y = problem(60)
    path = approximate_regularization_path(K, y, tol=0.2)
    C = path.ends[0]
    best = minimize_scalar(
        lambda b: primal(K, y, 0.0 * y, b, C, path.upper), bounds=(-2, 2), method="bounded"
    ).fun
    value = primal(K, y, path.coef_at(C), path.intercept_at(C), C, path.upper)
    assert not path.coef_at(C).any()
    assert value == pytest.approx(best, rel=1e-4)


def test_the_number_of_machines_hardly_depends_on_the_rows_and_grows_as_tol_falls():
    sizes = [
        approximate_regularization_path(*problem(m), tol=0.1).Cs.size for m in (100, 400, 1200)
    ]
    assert max(sizes) <= min(sizes) + 6
    fine = approximate_regularization_path(*problem(100), tol=0.001).Cs.size
    assert 4 * sizes[0] < fine < 20 * sizes[0]  # about 1 / sqrt(tol): ten times


def test_the_stages_and_leave_one_out_values_are_those_of_the_machines():
    K, y = problem()
    path = approximate_regularization_path(K, y, tol=0.1)
    stages = np.array(list(path.staged_decision_function(K)))
    assert stages.shape == path.coefficients.shape
    for k in (0, 3, path.Cs.size - 1):
        np.testing.assert_array_equal(path.coef_at(path.Cs[k]), path.coefficients[k])
        expected = K @ (y * path.coef_at(path.Cs[k])) + path.intercept_at(path.Cs[k])
        np.testing.assert_allclose(stages[k], expected, atol=1e-9)
    C = path.Cs[3]
    np.testing.assert_array_equal(
        leave_one_out_values(path, K, C),
        left_out_values(K, y, path.coefficients[3], path.intercepts[3], np.full(y.size, C)),
    )


def test_float32_values_give_the_proof_of_their_matrix():
    K, y = problem()
    narrow = K.astype(np.float32)
    path = approximate_regularization_path(narrow, y, tol=0.05)
    wide = narrow.astype(np.float64)
    exact = regularization_path(wide, y)
    assert path.converged
    for C in (0.01, 1.0, 100.0):
        value = primal(wide, y, path.coef_at(C), path.intercept_at(C), C, path.upper)
        assert value - optimum(exact, wide, C) <= 0.0501 * value


def test_rows_that_are_all_equal_need_no_support_vector():
    y = np.array([1.0, -1.0, 1.0, 1.0])
    path = approximate_regularization_path(np.ones((4, 4)), y, tol=0.1)
    assert path.converged
    for C in (1e-3, 1.0, 1e4):
        values = np.ones((4, 4)) @ (y * path.coef_at(C)) + path.intercept_at(C)
        np.testing.assert_allclose(values, 1.0, atol=0.3)


def test_too_few_steps_are_said_with_the_gap_that_is_left():
    K, y = problem()
    path = approximate_regularization_path(K, y, tol=0.01, max_iter=3)
    assert not path.converged
    assert path.certificate > 0.01
    assert path.Cs.size >= 2
    with pytest.raises(ValueError, match="at most"):
        path.coef_at(path.ends[-1] * 1.1)


def test_a_small_C_max_is_reached_with_a_trained_machine():
    K, y = problem()
    path = approximate_regularization_path(K, y, tol=0.5, C_max=1e-4)
    assert path.converged
    assert path.coefficients[-1].any()
    assert path.ends[-1] == 1e-4
