"""One task timed by turns: each side in a process of its own, which tells its peak memory."""

import multiprocessing
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

Work = Callable[[], dict[str, float]]
SIDES = ("ours", "theirs")


class Skip(Exception):
    """A task that cannot run here; the message is the reason."""


@dataclass(frozen=True)
class Task:
    """Two ways to do the same thing.

    Attributes
    ----------
    id : str
        Its name on the command line and in the tables.
    what : str
        What is done, for the table.
    peer : str
        The other side.
    ours, theirs : callable
        Makes everything ready and returns what is timed. That returns numbers: what came out (such
        as "error %"), and of ours "flops32", "flops64" and "read", the operations and the bytes
        that it cannot do without; "seconds" where another clock tells them. Raises `Skip` where
        it cannot run.
    threads : int
        The most threads a product may use.
    limit : float or None
        The largest ratio ours / peer that we accept; None without a limit.
    fresh : bool
        Whether each run is the first of a new process: memory is touched, threads are started and
        code is loaded for the first time, as in a user's first fit.
    """

    id: str
    what: str
    peer: str
    ours: Callable[[], Work]
    theirs: Callable[[], Work]
    threads: int = 1
    limit: float | None = None
    fresh: bool = False


@dataclass
class Outcome:
    """What the pairs of runs of a task told."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: {side: [] for side in SIDES})
    results: dict[str, dict[str, float]] = field(default_factory=dict)
    peak_bytes: dict[str, float] = field(default_factory=dict)
    skipped: str = ""

    @property
    def ratios(self) -> Any:
        """Ours / peer of each pair of runs."""
        return np.divide(self.seconds["ours"], self.seconds["theirs"])


def side_by_side(task: Task, pairs: int) -> Outcome:
    """Return the seconds of some pairs of runs, after one of each side that is not counted.

    The two sides have a process each or, of a fresh task, each run has one, after the other.
    """
    outcome = Outcome()
    if not task.fresh:
        _add_runs(task, pairs, outcome)
        return outcome
    uncounted = Outcome()  # compiles what no process did before, and brings files into memory
    for runs in (uncounted, *[outcome] * pairs):
        for side in SIDES:
            _add_runs(task, 1, runs, sides=(side,))
            if runs.skipped:
                return runs
    return outcome


def _add_runs(task: Task, pairs: int, outcome: Outcome, sides: tuple[str, ...] = SIDES) -> None:
    """Add runs to an outcome, in a new process a side; all get ready before the first run."""
    context = multiprocessing.get_context("spawn")
    ends: dict[str, Connection] = {}
    processes = []
    try:
        for side in sides:
            here, there = context.Pipe()
            process = context.Process(target=_serve, args=(there, task.id, side), daemon=True)
            process.start()
            there.close()
            ends[side] = here
            processes.append(process)
            answer = here.recv()  # one side gets ready, and warm, after the other
            if isinstance(answer, str):
                outcome.skipped = answer
                return
        for _ in range(pairs):
            for side, end in ends.items():
                end.send("run")
                seconds, outcome.results[side] = end.recv()
                outcome.seconds[side].append(seconds)
        for side, end in ends.items():
            end.send("stop")
            outcome.peak_bytes[side] = end.recv()
    finally:
        for process in processes:
            process.kill()
            process.join()


def _serve(connection: Connection, id_: str, side: str) -> None:
    from side_by_side.tasks import TASKS  # which are functions made on import: none can be sent

    [task] = (task for task in TASKS if task.id == id_)
    try:
        with threadpool_limits(task.threads):
            work = getattr(task, side)()
            if not task.fresh:
                work()
            connection.send(None)
            while connection.recv() == "run":
                start = time.perf_counter()
                result = work()
                seconds = time.perf_counter() - start
                connection.send((result.pop("seconds", seconds), result))
    except Skip as reason:
        connection.send(str(reason))
        return
    connection.send(_peak_bytes())


def _peak_bytes() -> float:
    """Return the most memory this process had, as far as the system tells."""
    status = Path("/proc/self/status")  # what getrusage tells includes the process it came from
    if status.is_file():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return 1024.0 * float(line.split()[1])
    if sys.platform == "win32":
        return float("nan")
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit)
