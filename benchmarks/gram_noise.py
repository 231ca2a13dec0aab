"""Test errors of the rho-SVM and its ensemble if the kernel matrix carries relative noise.

If no machine separates the classes, rho* is 0 and rounding decides what the rho-SVM predicts.
Orders of the rows shake a problem little; noise on the kernel values shows how much hangs on their
last digits. For one data set: `python benchmarks/gram_noise.py titanic`. Prints the least and
largest error over draws of the noise, and the lower bound of rho* that the fit without noise
proves: for Algorithm 1's end, which noise can move even if the optimum is unique, and for the exact
solution. Before that, what the data say: rows equal to one of the other label make rho* 0, and a
positive least eigenvalue of the kernel matrix makes it positive.
"""

import argparse
from typing import Any

import numpy as np
from tabulate import tabulate
from threadpoolctl import threadpool_limits

from ensvm import PartiallyTrainedEnsemble, RhoSVC
from ensvm.data import find_card, load
from ensvm.kernels import gram, resolve_gamma

LEVELS = (1e-12, 1e-10, 1e-8)


def noisy(K: np.ndarray, level: float, draw: int) -> np.ndarray:
    """Return a kernel matrix times 1 + level * z, with one normal z for each pair of rows."""
    half = np.triu(np.random.default_rng(draw).normal(size=K.shape))
    return K * (1.0 + level * (half + np.triu(half, 1).T))


def both_labels(K: np.ndarray, y: np.ndarray) -> int:
    """Return how many training rows equal, for the kernel, one of the other label."""
    equal = np.isclose(K, K[0, 0], rtol=0.0, atol=1e-15)
    return int((equal & (y[:, None] != y)).any(axis=1).sum())


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("name", nargs="?", default="german", help="of a data set")
    options.add_argument("--draws", type=int, default=5)
    chosen = options.parse_args()
    data = load(find_card(chosen.name)).realization(1)
    gamma = resolve_gamma("mean-distance", data.X_train)
    K = gram(data.X_train, kernel="rbf", gamma=gamma)
    test = gram(data.X_test, data.X_train, kernel="rbf", gamma=gamma)
    y = np.asarray(data.y_train)
    stop = {"initial_tol": 0.1, "tol": 0.005}
    machines = {
        "rho-SVM, Algorithm 1": RhoSVC("precomputed", solver="algorithm-1", nu=None, **stop),
        "rho-SVM, exact": RhoSVC("precomputed", nu=None, tol=1e-4, max_iter=20_000),
        "ensemble": PartiallyTrainedEnsemble("precomputed", solver="algorithm-1", nu=None, **stop),
    }
    lines = []
    with threadpool_limits(1):
        print(f"rows equal to one of the other label: {both_labels(K, y)} of {len(y)}")
        print(f"least eigenvalue: {np.linalg.eigvalsh(K)[0]:.3g}")
        for name, machine in machines.items():

            def error(K: np.ndarray, machine: Any = machine) -> float:
                return 100.0 * (1.0 - machine.fit(K, y).score(test, data.y_test))

            line = [name, error(K), machine.lower_bound_]
            for level in LEVELS:
                errors = [error(noisy(K, level, draw)) for draw in range(chosen.draws)]
                line.append(f"{min(errors):.2f} to {max(errors):.2f}")
            lines.append(line)
    heads = ["machine", "error (%)", "lower bound", *(f"noise {level:g}" for level in LEVELS)]
    print(tabulate(lines, headers=heads, floatfmt=".4g"))
