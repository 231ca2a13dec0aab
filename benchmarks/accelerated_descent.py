"""Products with K~ until the relative gap is proved: Algorithm 1 and accelerated descent.

The relative gap is objective / lower bound - 1. Algorithm 1 is run with a tolerance of 1e-7 so that
it does not stop before; accelerated descent also with soft margins. A dash is a gap that was not
proved within the products allowed. `adult3`, if it is named, is a low-rank factor of 500 pivots.
"""

import argparse
from dataclasses import replace
from typing import Any

import numpy as np
from tabulate import tabulate
from threadpoolctl import threadpool_limits

from ensvm.data import find_card, load
from ensvm.kernels import gram, resolve_gamma
from ensvm.kernels.low_rank import PivotChoice, low_rank_gram
from ensvm.solvers.entropy_projection.accelerated import accelerated_descent
from ensvm.solvers.entropy_projection.tsang_kwok import entropy_projection

SETS = ("waveform", "german", "squares")
GAPS = (1.0, 0.1, 0.01, 0.005, 0.001)
SOFT = (0.1, 0.3)
LARGE, RANK = "adult3", 500


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


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("sets", nargs="*", default=SETS)
    options.add_argument("--products", type=int, default=5000, help="the most of them")
    chosen = options.parse_args()
    with threadpool_limits(1):
        rows = compared(chosen.sets, chosen.products)
    headers = ["data set", "m", "solver", *(f"gap {gap:g}" for gap in GAPS)]
    print(tabulate(rows, headers=headers, missingval="-"))


if __name__ == "__main__":
    main()
