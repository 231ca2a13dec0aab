"""Products with K~ until the relative gap is proved: Algorithm 1 and accelerated descent.

The relative gap is objective / lower bound - 1. Algorithm 1 is run with a tolerance of 1e-7 so that
it does not stop before; accelerated descent also with soft margins. A dash is a gap that was not
proved within the products allowed. With --constants the constants of the accelerated solver are
varied instead.
"""

import argparse
from dataclasses import replace
from typing import Any
from unittest import mock

import numpy as np
from tabulate import tabulate
from threadpoolctl import threadpool_limits

from ensvm.data import find_card, load
from ensvm.kernels import gram, resolve_gamma
from ensvm.kernels.low_rank import PivotChoice, low_rank_gram
from ensvm.solvers.entropy_projection import accelerated
from ensvm.solvers.entropy_projection.accelerated import accelerated_descent
from ensvm.solvers.entropy_projection.tsang_kwok import entropy_projection

SETS = ("waveform", "german", "squares")
GAPS = (1.0, 0.1, 0.01, 0.005, 0.001)
SOFT = (0.1, 0.3)
LARGE, RANK = "adult3", 500
CONSTANTS = {
    "as it is": {"SHORTER": accelerated.SHORTER},
    "shorter 0.7": {"SHORTER": 0.7},
    "shorter 0.8": {"SHORTER": 0.8},
    "shorter 0.95": {"SHORTER": 0.95},
    "no restarts": {"RESTART_SHARE": 0.0},
    "restarts at 1/4": {"RESTART_SHARE": 0.25},
    "restarts at 1/8": {"RESTART_SHARE": 0.125},
    "restarts at 1/128": {"RESTART_SHARE": 1 / 128},
}


def products_until(result: Any) -> list[int | None]:
    """Return the products that a solver made until each of the gaps was proved."""
    proved = [result.objectives <= (1.0 + gap) * result.lower_bounds for gap in GAPS]
    return [int(result.products[far.argmax()]) if far.any() else None for far in proved]


def problem(name: str) -> tuple[Any, Any]:
    """Return the Gram matrix, or a factor of a large one, and the labels."""
    data = load(find_card(name)).realization(1)
    X, y = data.X_train, np.where(data.y_train > 0, 1.0, -1.0)
    kernel = {"kernel": "rbf", "gamma": resolve_gamma("mean-distance", X)}
    if name == LARGE:
        return replace(low_rank_gram(X, kernel, PivotChoice(RANK)), own_diagonal=True), y
    return gram(X, **kernel), y


def compared(names: list[str], most: int) -> list[list[Any]]:
    """Return a row a data set and solver."""
    rows = []
    for name in names:
        operator, y = problem(name)
        paper = entropy_projection(operator, y, tol=1e-7, max_iter=most)
        rows.append([name, y.size, "Algorithm 1", *products_until(paper)])
        for nu in (None, *SOFT):
            upper = None if nu is None else np.full(y.size, 1.0 / (nu * y.size))
            fast = accelerated_descent(operator, y, tol=GAPS[-1], max_iter=most, upper=upper)
            label = "accelerated" if nu is None else f"accelerated, nu = {nu:g}"
            rows.append([name, y.size, label, *products_until(fast)])
    return rows


def varied(names: list[str], most: int) -> list[list[Any]]:
    """Return a row a data set and choice of constants."""
    rows = []
    for name in names:
        operator, y = problem(name)
        for label, changed in CONSTANTS.items():
            with mock.patch.multiple(accelerated, **changed):
                fast = accelerated_descent(operator, y, tol=GAPS[-1], max_iter=most)
            rows.append([name, y.size, label, *products_until(fast)])
    return rows


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("sets", nargs="*", default=[*SETS, LARGE])
    options.add_argument("--products", type=int, default=5000, help="the most of them")
    options.add_argument("--constants", action="store_true")
    told = options.parse_args()
    with threadpool_limits(1):
        rows = (varied if told.constants else compared)(told.sets, told.products)
    headers = ["data set", "m", "solver", *(f"gap {gap:g}" for gap in GAPS)]
    print(tabulate(rows, headers=headers, missingval="-"))


if __name__ == "__main__":
    main()
