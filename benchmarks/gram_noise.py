"""Test errors of the rho-SVM and its ensemble if the kernel matrix carries relative noise.

If no machine separates the classes, rho* is 0 and rounding decides what the rho-SVM predicts.
Orders of the rows shake a problem little; noise on the kernel values shows how much hangs on their
last digits. Prints the least and largest error over draws of the noise, and the lower bound of rho*
that the fit without noise proves.
"""

import argparse

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


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("name", nargs="?", default="german", help="of a data set")
    options.add_argument("--draws", type=int, default=5)
    chosen = options.parse_args()
    data = load(find_card(chosen.name)).realization(1)
    gamma = resolve_gamma("mean-distance", data.X_train)
    K = gram(data.X_train, kernel="rbf", gamma=gamma)
    test = gram(data.X_test, data.X_train, kernel="rbf", gamma=gamma)
    lines = []
    with threadpool_limits(1):
        for kind in (RhoSVC, PartiallyTrainedEnsemble):
            machine = kind("precomputed", solver="algorithm-1", nu=None, initial_tol=0.1, tol=0.005)
            plain = machine.fit(K, data.y_train)
            line = [kind.__name__, plain.lower_bound_, 100 * (1 - plain.score(test, data.y_test))]
            for level in LEVELS:
                errors = [
                    100
                    * (
                        1
                        - machine.fit(noisy(K, level, draw), data.y_train).score(test, data.y_test)
                    )
                    for draw in range(chosen.draws)
                ]
                line.append(f"{min(errors):.2f} to {max(errors):.2f}")
            lines.append(line)
    heads = ["machine", "lower bound", "error (%)", *(f"noise {level:g}" for level in LEVELS)]
    print(tabulate(lines, headers=heads, floatfmt=".4g"))
