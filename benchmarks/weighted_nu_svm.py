"""Seconds of the weighted nu-SVM with each tuned constant at its value, below and above it.

One thread; one problem of 5000 rows with unequal weights. `benchmarks/side_by_side` compares the
solver with LIBSVM's NuSVC, by the helpers here: every gap is the duality gap of problem (5)-(6)
relative to its optimum, computed from the definition.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from _stopwatch import best_of
from sklearn.svm import NuSVC
from tabulate import tabulate
from threadpoolctl import threadpool_limits

from ensvm.solvers.weighted_nu_svm import descent, faces, solver
from ensvm.solvers.weighted_nu_svm.solver import weighted_nu_svm

REPEATS = 5
# The constants tuned by measurement, and the factor by which each is varied
TUNED = (
    (descent, "NEAR_STEEPEST", 3.0),
    (solver, "PHASE_SHARE", 4),
    (solver, "LEAST_PHASE", 4),
    (faces, "MOST_DELETED", 4),
    (faces, "LARGEST_FACE", 10),
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


def seconds_with(module: Any, name: str, value: float, m: int) -> float:
    """Return seconds of one problem with unequal weights in a process where a constant differs.

    A new process, since compiled code holds the value that a constant had when it was compiled.
    """
    code = (
        f"import {module.__name__} as module; module.{name} = {value!r}\n"
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "import weighted_nu_svm as benchmark\n"
        "from ensvm.kernels import gram\n"
        f"X, y = benchmark.noisy({m})\n"
        "K = gram(X, kernel='rbf', gamma=0.02)\n"
        f"print(benchmark.ours(K, y, benchmark.skewed({m}), 0.3, 1e-5)[0])\n"
    )
    with tempfile.TemporaryDirectory() as cache:  # no machine code with another value
        environment = os.environ | {"NUMBA_CACHE_DIR": cache, "OPENBLAS_NUM_THREADS": "1"}
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return float(done.stdout)


def constants(m: int, names: list[str], *, vary: bool) -> list[list[object]]:
    """Return rows of seconds with a constant of the solver at its value, below and above it."""
    rows: list[list[object]] = []
    for module, name, factor in TUNED:
        if name not in names:
            continue
        value = getattr(module, name)
        for tried in (value / factor, value, value * factor) if vary else (value,):
            tried = type(value)(tried)
            rows.append([m, name, tried, seconds_with(module, name, tried, m)])
    return rows


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=5000)
    options.add_argument("--constants", nargs="*", default=[name for _, name, _ in TUNED])
    options.add_argument("--as-they-are", action="store_true", help="do not vary the constants")
    chosen = options.parse_args()
    rows = constants(chosen.rows, chosen.constants, vary=not chosen.as_they_are)
    print(tabulate(rows, ["m", "constant", "value", "ours s"], floatfmt=".3g"))


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
