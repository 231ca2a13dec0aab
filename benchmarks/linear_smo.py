"""Seconds of the linear SMO by the two constants of its sweeps: OFFENDERS and SHARE_LEFT.

One thread. Every setting reaches the same tolerance, so that only the time differs; the constants
in `ensvm.solvers.linear_smo` are those that take less than twice the least time of every column.
"""

import numpy as np
from _stopwatch import best_of
from numpy.typing import NDArray
from tabulate import tabulate
from threadpoolctl import threadpool_limits

from ensvm.solvers import linear_smo as smo

REPEATS = 2
PROBLEMS = ((300, 5, 1.0), (2000, 10, 0.1), (2000, 10, 10.0))  # rows, inputs, C
OFFENDERS = (4, 16, 64, 256)
SHARES_LEFT = (0.03, 0.1, 0.3, 0.6, 0.9)


def noisy(m: int, d: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return rows of two normal classes that overlap."""
    generator = np.random.default_rng(0)
    X = generator.normal(size=(m, d))
    return X, np.where(X[:, 0] + 0.5 * generator.normal(size=m) > 0.0, 1.0, -1.0)


def milliseconds(offenders: int, share_left: float) -> list[float]:
    """Return the time of each problem with these constants."""
    smo.OFFENDERS, smo.SHARE_LEFT = offenders, share_left
    times = []
    for m, d, C in PROBLEMS:
        X, y = noisy(m, d)
        times.append(1e3 * best_of(REPEATS, lambda X=X, y=y, C=C: smo.linear_smo(X, y, C=C))[0])
    return times


if __name__ == "__main__":
    chosen = smo.OFFENDERS, smo.SHARE_LEFT
    settings = [(offenders, chosen[1]) for offenders in OFFENDERS]
    settings += [(chosen[0], share) for share in SHARES_LEFT]
    with threadpool_limits(1):
        milliseconds(*chosen)  # compiles
        rows = [[*setting, *milliseconds(*setting)] for setting in settings]
    headers = ["OFFENDERS", "SHARE_LEFT", *(f"m={m}, d={d}, C={C:g}" for m, d, C in PROBLEMS)]
    print("Linear SMO: milliseconds by the constants of its sweeps")
    print(tabulate(rows, headers=headers, floatfmt=("d", ".2f", *[".1f"] * len(PROBLEMS))))
