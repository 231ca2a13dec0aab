"""What the machine can do: the two rates that bound a computation."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

SIZE = 3000  # of the square matrices multiplied
BYTES = 1 << 30  # read at once, far beyond any cache


@dataclass(frozen=True)
class Machine:
    """Rates measured with some number of threads.

    Attributes
    ----------
    threads : int
        The threads.
    flops32, flops64 : float
        Additions and multiplications a second in one product of matrices, float32 and float64.
    bandwidth : float
        Bytes a second read from memory.
    """

    threads: int
    flops32: float
    flops64: float
    bandwidth: float

    def bound(self, flops32: float, flops64: float, read: float) -> float:
        """Return the seconds that so many operations, one after the other, take at least."""
        return flops32 / self.flops32 + flops64 / self.flops64 + read / self.bandwidth


def measured(threads: int, tries: int) -> Machine:
    """Return the rates of this machine, the best of so many tries."""
    rng = np.random.default_rng(0)
    rates = []
    with threadpool_limits(threads):
        for dtype in (np.float32, np.float64):
            A = rng.random((SIZE, SIZE)).astype(dtype)
            out = np.empty_like(A)
            seconds = _least(lambda A=A, out=out: np.matmul(A, A, out=out), tries)
            rates.append(2.0 * SIZE**3 / seconds)
    parts = np.array_split(np.ones(BYTES // 4, dtype=np.float32), threads)
    with ThreadPoolExecutor(threads) as pool:
        seconds = _least(lambda: list(pool.map(np.max, parts)), tries)
    return Machine(threads, rates[0], rates[1], BYTES / seconds)


def _least(work: Callable[[], Any], tries: int) -> float:
    best = np.inf
    for _ in range(tries):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best
