"""Seconds for the weighted nu-SVM against LIBSVM's NuSVC and a general QP solver, and for boosting.

NuSVC has equal weights, the QP solver unequal ones. A table shows what the tuned constants do.

One thread. All get the same Gram matrix, and every gap is the duality gap of problem (5)-(6)
relative to its optimum, computed here from the definition. Ours is stopped at the gap that the
other reached. NuSVC runs at its default tolerance (1e-3 on the KKT conditions) and at 1e-5.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import clarabel
import numpy as np
from _stopwatch import best_of
from scipy import sparse
from sklearn.svm import NuSVC
from tabulate import tabulate
from threadpoolctl import threadpool_limits

from ensvm.classifiers.boosted_svm import BoostedSVM
from ensvm.data import DataError, find_card, load
from ensvm.kernels import gram
from ensvm.solvers.weighted_nu_svm import descent, solver
from ensvm.solvers.weighted_nu_svm.solver import weighted_nu_svm

REPEATS = 5
NUS = (0.1, 0.3, 0.6)
KERNELS = {"rbf 0.1": 0.1, "rbf 0.02": 0.02}
# The constants tuned by measurement, and the factor by which each is varied
TUNED = (
    (descent, "NEAR_STEEPEST", 3.0),
    (solver, "PHASE_SHARE", 4),
    (solver, "LEAST_PHASE", 4),
    (descent, "MOST_DELETED", 4),
    (descent, "LARGEST_FACE", 10),
)


def noisy(m: int) -> tuple[Any, Any]:
    """Return two overlapping classes in ten dimensions with a curved boundary."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(m, 10))
    return X, np.where(
        np.sin(2 * X[:, 0]) + X[:, 1] ** 2 - 1 + 0.5 * rng.normal(size=m) > 0, 1.0, -1.0
    )


def skewed(m: int) -> Any:
    """Return a distribution as of a late boosting round: the heaviest has 50 times the mean."""
    D = np.random.default_rng(1).exponential(size=m) ** 2
    return D / D.sum()


def gap_of(K: Any, y: Any, D: Any, nu: float, coef: Any, rho: float, intercept: float) -> float:
    """Return the duality gap relative to the objective."""
    values = K @ coef
    objective = 0.5 * coef @ values
    return (
        2 * objective - nu * rho + np.maximum(D * rho - y * (values + intercept), 0).sum()
    ) / objective


def ours(K: Any, y: Any, D: Any, nu: float, tol: float) -> tuple[float, float, int]:
    """Return seconds, gap and steps."""
    seconds, result = best_of(REPEATS, lambda: weighted_nu_svm(K, y, D, nu, tol=tol))
    return (
        seconds,
        gap_of(K, y, D, nu, y * result.weights, result.rho, result.intercept),
        result.n_iter,
    )


def libsvm(K: Any, y: Any, nu: float, tol: float) -> tuple[float, float]:
    """Return seconds and gap; LIBSVM divides by rho, which the largest multiplier shows."""
    seconds, machine = best_of(
        REPEATS, lambda: NuSVC(nu=nu, kernel="precomputed", tol=tol, cache_size=2000).fit(K, y)
    )
    coef = np.zeros(y.size)
    coef[machine.support_] = machine.dual_coef_[0]
    scale = np.abs(coef).max()
    D = np.full(y.size, 1 / y.size)
    return seconds, gap_of(K, y, D, nu, coef / scale, y.size / scale, machine.intercept_[0] / scale)


def interior_points(K: Any, y: Any, D: Any, nu: float) -> tuple[float, float]:
    """Return seconds and gap."""
    m = y.size
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_threads = False, 1
    matrices = (
        sparse.csc_matrix(np.triu(K * np.outer(y, y))),
        sparse.vstack(
            [sparse.csc_matrix(np.vstack([y, m * D])), sparse.eye(m), -sparse.eye(m)], format="csc"
        ),
    )
    right = np.concatenate([[0.0, m * nu], np.ones(m), np.zeros(m)])
    cones = [clarabel.ZeroConeT(2), clarabel.NonnegativeConeT(2 * m)]
    seconds, solution = best_of(
        1,
        lambda: clarabel.DefaultSolver(
            matrices[0], np.zeros(m), matrices[1], right, cones, settings
        ).solve(),
    )
    multipliers = np.array(solution.z)
    return seconds, gap_of(
        K, y, D, nu, y * np.array(solution.x), -multipliers[1] * m, multipliers[0]
    )


def equal_weights(m: int) -> list[list[object]]:
    """Return rows against LIBSVM."""
    X, y = noisy(m)
    rows: list[list[object]] = []
    for name, gamma in KERNELS.items():
        K = gram(X, kernel="rbf", gamma=gamma)
        for nu in NUS:
            for tol in (1e-3, 1e-5):
                seconds, gap = libsvm(K, y, nu, tol)
                mine = ours(K, y, np.full(m, 1 / m), nu, max(gap, 1e-9))
                rows.append([m, name, nu, f"{tol:.0e}", seconds, gap, *mine, mine[0] / seconds])
    return rows


def unequal_weights(m: int) -> list[list[object]]:
    """Return rows against interior points."""
    X, y = noisy(m)
    rows: list[list[object]] = []
    for name, gamma in KERNELS.items():
        K, D = gram(X, kernel="rbf", gamma=gamma), skewed(m)
        for nu in NUS:
            seconds, gap = interior_points(K, y, D, nu)
            mine = ours(K, y, D, nu, min(max(gap, 1e-9), 1e-3))
            rows.append([m, name, nu, seconds, gap, *mine, seconds / mine[0]])
    return rows


def large(m: int) -> list[list[object]]:
    """Return rows of ours alone, at the default tolerance."""
    X, y = noisy(m)
    rows: list[list[object]] = []
    for name, gamma in KERNELS.items():
        K = gram(X, kernel="rbf", gamma=gamma)
        for nu in NUS:
            for weights, D in (("equal", np.full(m, 1 / m)), ("unequal", skewed(m))):
                rows.append([m, name, nu, weights, *ours(K, y, D, nu, 1e-3)])
    return rows


def seconds_with(module: Any, name: str, value: float, m: int) -> float:
    """Return seconds of one problem with unequal weights in a process where a constant differs.

    A new process, since compiled code holds the value that a constant had when it was compiled.
    """
    code = (
        f"import {module.__name__} as module; module.{name} = {value!r}\n"
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "import weighted_nu_svm as benchmark\n"
        f"X, y = benchmark.noisy({m})\n"
        "K = benchmark.gram(X, kernel='rbf', gamma=0.02)\n"
        f"print(benchmark.ours(K, y, benchmark.skewed({m}), 0.3, 1e-5)[0])\n"
    )
    with tempfile.TemporaryDirectory() as cache:  # no machine code with another value
        environment = os.environ | {"NUMBA_CACHE_DIR": cache, "OPENBLAS_NUM_THREADS": "1"}
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return float(done.stdout)


def constants(m: int) -> list[list[object]]:
    """Return rows of seconds with a constant of the solver at its value, below and above it."""
    rows: list[list[object]] = []
    for module, name, factor in TUNED:
        value = getattr(module, name)
        for tried in (value / factor, value, value * factor):
            tried = type(value)(tried)
            rows.append([m, name, tried, seconds_with(module, name, tried, m)])
    return rows


def boosting() -> list[list[object]]:
    """Return rows of ten rounds on MNIST, 3 against 8, with the Gram matrix; none without data."""
    try:
        data = load(find_card("mnist-3v8")).realization(1)
    except DataError:
        return []
    rows: list[list[object]] = []
    for mu in (0.0, 0.3, 0.5, 0.6):
        parameters: dict[str, Any] = {
            "kernel": "poly",
            "degree": 3,
            "gamma": 0.01,
            "nu": 0.1,
            "mu": mu,
        }
        seconds, fitted = best_of(
            1,
            lambda parameters=parameters: BoostedSVM(**parameters, random_state=0).fit(
                data.X_train, data.y_train
            ),
        )
        error = 1 - fitted.score(data.X_test, data.y_test)
        rows.append(
            [
                mu,
                seconds,
                fitted.gram_seconds_,
                fitted.round_seconds_.sum(),
                fitted.n_support_,
                error,
            ]
        )
    return rows


def main() -> None:
    """Print the tables."""
    weighted_nu_svm(np.eye(2), [1, -1], [1, 1], 0.5)  # compiled before anything is timed
    heads = ["m", "kernel", "nu"]
    own = ["ours s", "gap", "steps"]
    print(
        tabulate(
            equal_weights(2000),
            [*heads, "tol", "NuSVC s", "gap", *own, "ours / NuSVC"],
            floatfmt=".3g",
        )
    )
    print(
        "\n"
        + tabulate(
            unequal_weights(1000), [*heads, "QP s", "gap", *own, "QP / ours"], floatfmt=".3g"
        )
    )
    print("\n" + tabulate(large(5000), [*heads, "weights", *own], floatfmt=".3g"))
    print("\n" + tabulate(constants(5000), ["m", "constant", "value", "ours s"], floatfmt=".3g"))
    rows = boosting()
    heads = ["mu", "all s", "Gram s", "rounds s", "support vectors", "test error"]
    print(
        "\n"
        + (tabulate(rows, heads, floatfmt=".3g") if rows else "MNIST is not at hand: no boosting")
    )


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
