"""The approximate path beside the exact one and LIBSVM's grid of 20 values of C, as rows grow.

Class 0 of Breiman's waveforms against the others; "noisy": a tenth of the training labels flipped.
One thread; kernel values are included. The grid chooses C by 2,000 rows of validation, the paths by
leave-one-out without other rows; errors are those of 4,000 test rows. Writes approximate-path.csv
and approximate-path.md.
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from ensvm.data.generators import Waveform
from ensvm.kernels import gram
from ensvm.solvers.regularization_path.approximate_path import approximate_regularization_path
from ensvm.solvers.regularization_path.leave_one_out import least_leave_one_out
from ensvm.solvers.regularization_path.path import regularization_path

SIZES = (800, 1600, 3200, 6400, 12800)
GRID = np.geomspace(1e-2, 1e4, 20)
TOLS = (0.1, 0.03)
GAMMA = 1.0 / 21.0  # one over the columns, which are scaled
VALIDATION, TEST = 2000, 4000
LARGEST_EXACT = 3200  # rows beyond which the exact path is not measured


def problem(m: int, noisy: bool) -> tuple[Any, ...]:
    """Return inputs and labels to train, validate and test."""
    X, classes = Waveform(rows=m + VALIDATION + TEST, seed=1).draw()
    X, y = (X - X[:m].mean(axis=0)) / X[:m].std(axis=0), np.where(classes == 0, 1, -1)
    if noisy:
        flipped = np.random.default_rng(0).random(m) < 0.1
        y[:m] = np.where(flipped, -y[:m], y[:m])
    return tuple(part for array in (X, y) for part in np.split(array, [m, m + VALIDATION]))


def path_row(tol: float, X: Any, y: Any, X_test: Any, y_test: Any) -> dict[str, Any]:
    """Return the costs of a path, those of choosing C, and the error of that C."""
    start = time.process_time()
    K, m = gram(X, kernel="rbf", gamma=GAMMA), len(y)
    path: Any = approximate_regularization_path(K, y, tol=tol) if tol else regularization_path(K, y)
    seconds = time.process_time() - start
    best = least_leave_one_out(path, K)
    choosing = time.process_time() - start - seconds
    coefficients, intercept = y * path.coef_at(best.C), path.intercept_at(best.C)
    values = gram(X_test, X, kernel="rbf", gamma=GAMMA) @ coefficients + intercept
    return {
        "method": f"approximate path, tol={tol:g}" if tol else "exact path",
        "CPU s": seconds,
        "choice of C, CPU s": choosing,
        "machines": path.lambdas.size,
        "steps": path.n_iter if tol else path.n_events + path.n_start_events,
        "kernel values (million)": m * (m + 1) / 2e6,
        "C": best.C,
        "test error (%)": 100.0 * np.mean((values > 0.0) != (y_test > 0.0)),
    }


def grid_row(X: Any, X_valid: Any, X_test: Any, y: Any, y_valid: Any, y_test: Any) -> Any:
    """Return the costs of LIBSVM's fits; kernel values: each support vector's row, once a fit."""
    start = time.process_time()
    machines = [SVC(C=C, gamma=GAMMA, cache_size=1000).fit(X, y) for C in GRID]
    seconds = time.process_time() - start
    best = max(machines, key=lambda machine: machine.score(X_valid, y_valid))
    choosing = time.process_time() - start - seconds
    return {
        "method": "LIBSVM, grid of 20 C",
        "CPU s": seconds,
        "choice of C, CPU s": choosing,
        "machines": GRID.size,
        "steps": sum(int(machine.n_iter_.sum()) for machine in machines),
        "kernel values (million)": sum(len(one.support_) for one in machines) * len(y) / 1e6,
        "C": best.C,
        "test error (%)": 100.0 * (1.0 - best.score(X_test, y_test)),
    }


def measure(sizes: list[int]) -> Iterator[dict[str, Any]]:
    """Yield a row for each method, size and kind of labels."""
    for noisy in (False, True):
        for m in sizes:
            X, X_valid, X_test, y, y_valid, y_test = problem(m, noisy)
            about = {"labels": "noisy" if noisy else "clean", "rows": m}
            for tol in TOLS + (0.0,) * (m <= LARGEST_EXACT):
                yield about | path_row(tol, X, y, X_test, y_test)
            yield about | grid_row(X, X_valid, X_test, y, y_valid, y_test)


def main() -> None:
    """Measure, print and write."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--output", type=Path, default=Path("results/bench"))
    options.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    chosen = options.parse_args()
    chosen.output.mkdir(parents=True, exist_ok=True)
    X, _, X_test, y, _, y_test = problem(100, noisy=False)
    rows = []
    with threadpool_limits(1):
        for tol in (0.0, 0.1):
            path_row(tol, X, y, X_test, y_test)  # compiled before anything is timed
        for row in measure(chosen.sizes):
            rows.append(row)
            print(*row.values(), flush=True)
    table = pd.DataFrame(rows)
    table.to_csv(chosen.output / "approximate-path.csv", index=False)
    page = (
        f"# The approximate path\n\n{table.to_markdown(index=False, floatfmt='.3g')}\n\n"
        "Class 0 of Breiman's waveforms against the others, up to C = 10,000; noisy: a tenth of "
        "the training labels flipped. One thread, kernel values included. Paths choose "
        "C by leave-one-out (the span rule), the grid by 2,000 more rows. Steps: events of the "
        "exact path, else pairs of multipliers that are changed. Kernel values of the grid: those "
        "of each fit's support vectors with all rows, a lower bound.\n"
    )
    (chosen.output / "approximate-path.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
