"""The weighted nu-SVM against a general QP solver; rho and b where the optimum leaves them open."""

from typing import Any

import clarabel
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog
from sklearn.svm import NuSVC

from ensvm.kernels import gram
from ensvm.solvers.weighted_nu_svm.solver import nu_max, weighted_nu_svm

Problem = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], float]
KINDS = (
    "uniform",
    "exponential",
    "zero weights",
    "tiny weights",
    "duplicates",
    "lone example",
    "nu_max",
    "polynomial",
    "linear",
    "smooth",
)
PROBLEMS_A_KIND = 15
SEEDS = pytest.mark.parametrize("seed", range(4))


def problem(kind: str, seed: int) -> Problem:
    """Return K, signs, a distribution and a feasible nu."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    m, d = int(rng.integers(6, 50)), int(rng.integers(1, 6))
    X = rng.normal(size=(m, d))
    y = np.where(X[:, 0] + rng.choice([0.1, 1.0]) * rng.normal(size=m) > 0.0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    D = rng.exponential(size=m) ** rng.choice([1, 2, 4])
    kernel: dict[str, Any] = {"kernel": "rbf", "gamma": float(rng.choice([0.1, 1.0, 5.0]))}
    if kind == "uniform":
        D = np.ones(m)
    elif kind == "zero weights":
        D[2:][rng.random(m - 2) < 0.4] = 0.0
    elif kind == "tiny weights":
        D = 10.0 ** rng.uniform(-14.0, 0.0, size=m)
    elif kind == "duplicates":
        X[m // 2 :] = X[rng.integers(0, m // 2, size=m - m // 2)]
    elif kind == "lone example":
        y = np.where(np.arange(m) == rng.integers(m), -1.0, 1.0)
    elif kind == "polynomial":
        kernel = {"kernel": "poly", "gamma": 1.0, "degree": 3, "coef0": float(rng.choice([0, 1]))}
    elif kind == "linear":
        kernel = {"kernel": "linear"}
    elif kind == "smooth":
        kernel = {"kernel": "rbf", "gamma": 0.003}
    D = D / D.sum()
    nu = nu_max(y, D) * (1.0 if kind == "nu_max" else float(rng.uniform(0.02, 0.98)))
    return gram(X, **kernel), y, D, nu


def certified(K: Any, y: Any, D: Any, nu: float, result: Any) -> tuple[float, float]:
    """Return the objective and the duality gap, computed anew from the definitions."""
    coef = y * result.weights
    values = K @ coef
    objective = 0.5 * coef @ values
    shortfall = np.maximum(D * result.rho - y * (values + result.intercept), 0.0)
    return objective, 2.0 * objective - nu * result.rho + shortfall.sum()


def by_interior_points(K: Any, y: Any, D: Any, nu: float, scale: float) -> float | None:
    """Return the optimum of a general QP solver, None where it misses its own tolerances."""
    m = y.size
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_rel, settings.tol_gap_abs, settings.tol_feas = 1e-10, 1e-12, 1e-11
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix(np.triu(K * np.outer(y, y)) / scale),
        np.zeros(m),
        sparse.csc_matrix(np.vstack([y, m * D, np.eye(m), -np.eye(m)])),
        np.concatenate([[0.0, m * nu], np.ones(m), np.zeros(m)]),
        [clarabel.ZeroConeT(2), clarabel.NonnegativeConeT(2 * m)],
        settings,
    )
    solution = solver.solve()
    return scale * solution.obj_val if solution.status == clarabel.SolverStatus.Solved else None


@pytest.mark.parametrize("kind", KINDS)
def test_objective_feasibility_and_optimality_against_a_general_solver(kind: str) -> None:
    compared = 0
    for seed in range(PROBLEMS_A_KIND):
        K, y, D, nu = problem(kind, seed)
        result = weighted_nu_svm(K, y, D, nu, tol=1e-8)
        objective, gap = certified(K, y, D, nu, result)
        assert result.weights.min() >= 0.0
        assert result.weights.max() <= 1.0
        assert y @ result.weights == pytest.approx(0.0, abs=1e-11)
        assert D @ result.weights == pytest.approx(nu, rel=1e-11)
        assert result.rho >= -1e-9 * np.abs(K).max()
        rounding = 1e-12 * np.abs(K).max() * result.weights.sum() ** 2 + 1e-11 * nu * result.rho
        assert result.objective == pytest.approx(objective, rel=1e-9, abs=rounding)
        assert result.certificate == pytest.approx(gap, rel=1e-9, abs=rounding)
        assert gap <= (1e-6 * objective if objective > 1e-9 else rounding)
        if objective > 1e-9:
            optimum = by_interior_points(K, y, D, nu, objective)
            if optimum is not None:
                assert objective == pytest.approx(optimum, rel=1e-6)
                compared += 1
    assert compared >= PROBLEMS_A_KIND // 3  # linear classes mostly overlap: then the optimum is 0


@pytest.mark.parametrize("nu", [0.1, 0.3, 0.55])
@SEEDS
def test_equal_weights_give_the_nu_svm_up_to_scale(seed: int, nu: float) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 3))
    y = np.where(X[:, 0] + 0.8 * rng.normal(size=80) > 0.0, 1.0, -1.0)
    K = gram(X, kernel="rbf", gamma=0.5)
    theirs = NuSVC(nu=nu, kernel="precomputed", tol=1e-8).fit(K, y)
    ours = weighted_nu_svm(K, y, np.full(80, 1 / 80), nu, tol=1e-9)
    scale = np.abs(
        theirs.dual_coef_
    ).max()  # LIBSVM divides by rho, ours keeps the largest multiplier at 1
    f = K @ (y * ours.weights) + ours.intercept
    np.testing.assert_allclose(f, theirs.decision_function(K) / scale, atol=2e-4 * np.abs(f).max())


@pytest.mark.parametrize("kind", ["exponential", "zero weights", "lone example"])
@SEEDS
def test_rho_is_the_derivative_of_the_objective(kind: str, seed: int) -> None:
    K, y, D, _ = problem(kind, seed)
    nu, h = 0.6 * nu_max(y, D), 1e-5
    here, below, above = results = [
        weighted_nu_svm(K, y, D, nu * (1.0 + e), tol=1e-12) for e in (0.0, -h, h)
    ]
    slopes = [
        (here.objective - below.objective) / (nu * h),
        (above.objective - here.objective) / (nu * h),
    ]
    unproved = sum(result.certificate for result in results) / (
        nu * h
    )  # all there is where the optimum is 0
    assert slopes[0] <= slopes[1] * (1.0 + 1e-6) + unproved  # convex in nu
    assert (
        slopes[0] - 1e-4 * slopes[1] - unproved <= here.rho <= slopes[1] * (1.0 + 1e-4) + unproved
    )


@SEEDS
@pytest.mark.parametrize("in_place", [False, True])
def test_members_alone_are_the_problem_of_the_submatrix(seed: int, in_place: bool) -> None:
    K, y, D, nu = problem("uniform", seed)
    # The first rows are read where they lie, others are copied.
    members = np.arange(2 * y.size // 3) if in_place else np.flatnonzero(np.arange(y.size) % 3 != 2)
    result = weighted_nu_svm(K, y, D, 0.2 * nu, members=members)
    alone = weighted_nu_svm(K[np.ix_(members, members)], y[members], D[members], 0.2 * nu)
    np.testing.assert_array_equal(result.weights[members], alone.weights)
    assert not np.delete(result.weights, members).any()
    assert (result.rho, result.certificate, result.nu_max) == (
        alone.rho,
        alone.certificate,
        alone.nu_max,
    )


@SEEDS
def test_another_start_leads_to_the_same_optimum(seed: int) -> None:
    K, y, D, nu = problem("exponential", seed)
    cold = weighted_nu_svm(K, y, D, nu, tol=1e-12)
    again = weighted_nu_svm(K, y, D, nu, tol=1e-12, start=cold.weights)
    assert again.n_iter <= cold.n_iter + 32
    for start in (np.ones(y.size), np.zeros(y.size), np.linspace(-1.0, 2.0, y.size)):
        warm = weighted_nu_svm(K, y, D, nu, tol=1e-12, start=start)
        assert warm.objective == pytest.approx(cold.objective, rel=1e-9)
        np.testing.assert_allclose(warm.weights, cold.weights, atol=1e-5)


@SEEDS
def test_errors_weigh_at_most_nu(seed: int) -> None:  # Lemma 1
    for kind in ("exponential", "zero weights", "tiny weights", "polynomial"):
        K, y, D, nu = problem(kind, seed)
        result = weighted_nu_svm(K, y, D, nu, tol=1e-10)
        values = K @ (y * result.weights) + result.intercept
        if result.stop_reason == "gap_below_tol":
            wrong = y * values < -1e-6 * np.abs(values).max()
            assert D[wrong].sum() <= nu * (1.0 + 1e-9)


@SEEDS
def test_nu_max_is_the_largest_feasible(seed: int) -> None:
    for kind in ("exponential", "lone example", "zero weights"):
        _, y, D, _ = problem(kind, seed)
        programme = linprog(-D, A_eq=y[None, :], b_eq=[0.0], bounds=(0.0, 1.0))
        assert nu_max(y, D) == pytest.approx(-programme.fun, rel=1e-6)
        with pytest.raises(ValueError, match=r"at most nu_max = \d\.\d+ .* got"):
            weighted_nu_svm(np.eye(y.size), y, D, nu_max(y, D) * 1.001)
    assert nu_max(np.ones(3), np.array([0.2, 0.3, 0.5])) == 0.0


def test_overlapping_classes_are_found_out_and_not_worked_on_forever() -> None:
    X = np.array([[0.0], [1.0], [0.0], [1.0]])
    result = weighted_nu_svm(gram(X, kernel="linear"), [1, 1, -1, -1], [1, 3, 2, 1], 1.1)
    assert (result.stop_reason, result.converged) == ("gap_below_rounding", True)
    assert result.objective == pytest.approx(0.0, abs=1e-12)
    assert result.rho == pytest.approx(0.0, abs=1e-9)


def test_a_run_cut_short_says_so_and_still_brackets_the_optimum() -> None:
    K, y, D, nu = problem("exponential", 0)
    optimum = weighted_nu_svm(K, y, D, nu, tol=1e-10).objective
    for steps in (0, 1, 5):
        result = weighted_nu_svm(K, y, D, nu, tol=1e-10, max_iter=steps)
        assert (result.n_iter, result.stop_reason, result.converged) == (steps, "max_iter", False)
        assert D @ result.weights == pytest.approx(nu, rel=1e-12)
        assert result.objective - result.certificate <= optimum <= result.objective


def test_a_matrix_that_is_not_positive_semidefinite_is_named_so() -> None:
    K = np.array([[1.0, 3.0], [3.0, 1.0]])
    result = weighted_nu_svm(K, [1, -1], [0.5, 0.5], 0.5)
    assert (result.stop_reason, result.converged) == ("not_positive_semidefinite", False)
    wild = np.random.default_rng(0).normal(size=(40, 40))
    assert not weighted_nu_svm(wild + wild.T, np.tile([1, -1], 20), np.ones(40), 20).converged


@pytest.mark.parametrize("nu", [0.0, np.nan])
def test_nu_must_be_positive(nu: float) -> None:
    with pytest.raises(ValueError, match="nu must be positive"):
        weighted_nu_svm(np.eye(3), [1, -1, 1], [1, 1, 1], nu)


@pytest.mark.parametrize("kind", KINDS)
@SEEDS
def test_a_float32_matrix_is_solved_with_the_ridge_that_makes_it_definite(
    kind: str, seed: int
) -> None:
    K, y, D, nu = problem(kind, seed)
    single = K.astype(np.float32)
    result = weighted_nu_svm(single, y, D, nu, tol=1e-6)
    ridge = np.finfo(np.float32).eps * np.sqrt(y.size) * np.abs(single.diagonal()).max()
    solved = single.astype(np.float64) + ridge * np.eye(y.size)
    objective, gap = certified(solved, y, D, nu, result)
    slack = 1e-12 * np.abs(K).max() * result.weights.sum() ** 2
    assert result.objective == pytest.approx(objective, rel=1e-9, abs=slack)
    # At the largest nu, rho may be so large that its products cancel to their rounding alone.
    slack += 4 * np.finfo(float).eps * abs(result.rho) * (nu + np.abs(D).sum())
    assert result.certificate == pytest.approx(gap, rel=1e-6, abs=slack + 1e-9 * objective)
