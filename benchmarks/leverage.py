"""Seconds of 500 rounds of a leveraged machine against reading its Gram matrix 500 times.

Also how they and the memory grow. One thread, kernel values included, circle data of NIPS-99
(section 4) with 5 % label noise, on which no round is spared. The targets are 0.3 s and 4 readings
at m = 1000. Measurements that are compared take turns, and the shortest of each counts.
"""

import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
from tabulate import tabulate
from threadpoolctl import threadpool_limits

from ensvm.classifiers.leveraged_vector_machine import LeveragedVectorMachine
from ensvm.compiled import njit
from ensvm.kernels import gram
from ensvm.solvers.leverage import leverage

M, ROUNDS, REPEATS = 1000, 500, 7
MACHINES = {
    "BVM": {},
    "LVM": {"loss": "logistic"},
    "PBVM, p = 2": {"penalty": "l2", "gamma0_scale": "sample"},
}
BLOCK = 400
SIZES = (800, 1600, 3200, 6400)
GAMMA = 0.5


@njit(fastmath=True)
def read(matrix, times):  # type: ignore[no-untyped-def]
    """Return a sum over the matrix, read `times` times; the factor keeps the readings apart."""
    total = 0.0
    for t in range(times):
        for i in range(matrix.shape[0]):
            row, part = matrix[i], 0.0
            for j in range(row.size):
                part += row[j]
            total += t * part
    return total


def take_turns(*works: Callable[[], Any]) -> list[float]:
    """Return the shortest wall time of each, in seconds, after a warm-up."""
    times = np.empty((REPEATS + 1, len(works)))
    for repeat in range(REPEATS + 1):
        for k, work in enumerate(works):
            start = time.perf_counter()
            work()
            times[repeat, k] = time.perf_counter() - start
    return times[1:].min(axis=0).tolist()


def circle(m: int) -> tuple[Any, Any]:
    """Return noisy circle data: half of the points inside R^2 = 2 ln 2."""
    generator = np.random.default_rng(0)
    X = generator.normal(size=(m, 2))
    inside = (X**2).sum(axis=1) <= 2.0 * np.log(2.0)
    return X, np.where(inside ^ (generator.random(m) < 0.05), 1.0, -1.0)


def against_reading(name: str, X: Any, y: Any) -> list[object]:
    """Return one row of the first table."""
    machine = LeveragedVectorMachine(gamma=GAMMA, tol=0.0, n_rounds=ROUNDS, **MACHINES[name])
    K = gram(X, kernel="rbf", gamma=GAMMA)
    fit, reading, kernel = take_turns(
        lambda: machine.fit(X, y),
        lambda: read(K, ROUNDS),
        lambda: gram(X, kernel="rbf", gamma=GAMMA),
    )
    return [
        name,
        machine.n_iter_,
        fit,
        kernel,
        reading,
        fit / reading,
        (fit - kernel) / reading,
    ]


def growth(m: int) -> list[object]:
    """Return the time of a round on a block of fixed size: what a long run has more of."""
    X, y = circle(m)
    rows = gram(X[:BLOCK], X, kernel="rbf", gamma=GAMMA)
    settings: dict[str, Any] = {
        "blocks": np.split(np.arange(m), m // BLOCK),
        "rounds_per_block": ROUNDS,
        "tol": 0.0,
    }
    short, long = take_turns(
        # The other blocks are read once, for the certificate: any numbers do.
        lambda: leverage(lambda indices: rows, y, n_rounds=50, **settings),
        lambda: leverage(lambda indices: rows, y, n_rounds=250, **settings),
    )
    each = (long - short) / 200
    return [m, 1e6 * each, 1e9 * each / m]


def rankings(X: Any, y: Any) -> list[object]:
    """Return seconds by ranking, and how much of the two machines is the same."""
    quick, true = (
        LeveragedVectorMachine(gamma=GAMMA, n_rounds=100, ranking=ranking)
        for ranking in ("quadratic", "loss")
    )
    seconds = take_turns(lambda: quick.fit(X, y), lambda: true.fit(X, y))
    same = np.mean(quick.predict(X) == true.predict(X))
    return [
        *seconds,
        seconds[1] / seconds[0],
        quick.train_loss_[-1],
        true.train_loss_[-1],
        100 * same,
    ]


def memory(n_blocks: int, X: Any, y: Any) -> float:
    """Return the peak of a fit in MiB."""
    machine = LeveragedVectorMachine(gamma=GAMMA, n_rounds=50, n_blocks=n_blocks, random_state=0)
    tracemalloc.start()
    machine.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


if __name__ == "__main__":
    X, y = circle(M)
    with threadpool_limits(1):
        print(f"{ROUNDS} rounds at m = {M}, one block, quadratic ranking, one Newton step a round")
        headers = [
            "machine",
            "rounds",
            "s fit",
            "s kernel",
            "s reading",
            "fit / reading",
            "without kernel",
        ]
        table = [against_reading(name, X, y) for name in MACHINES]
        print(tabulate(table, headers=headers, floatfmt=".3f"))
        print(f"\nA round on a block of {BLOCK} candidates")
        print(
            tabulate([growth(m) for m in SIZES], headers=["m", "us", "ns per row"], floatfmt=".1f")
        )
        print("\n100 rounds by ranking")
        headers = [
            "s quadratic",
            "s loss",
            "ratio",
            "loss, quadratic",
            "loss, loss",
            "% same classes",
        ]
        print(tabulate([rankings(X, y)], headers=headers, floatfmt=".3f"))
        whole = memory(1, X, y)
        peaks = [
            [n_blocks, peak := memory(n_blocks, X, y), whole / peak]
            for n_blocks in (1, 2, 5, 10, 20)
        ]
        print("\nPeak memory of a fit")
        print(tabulate(peaks, headers=["blocks", "MiB", "times less"], floatfmt=".2f"))
