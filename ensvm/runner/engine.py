"""What runs the tasks of a study: worker processes of this machine, or the workers of a cluster."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, TypeAlias

from ensvm.records.record import Record
from ensvm.runner.task import Task

# Writes records to disk before it returns, from any thread. If a record carries a `run`, another
# machine made it, and that run is written as well.
Save: TypeAlias = Callable[[list[Record]], None]


class WorkersDie(RuntimeError):
    """Worker processes keep ending although no cell is running in them."""


class EngineRefused(ValueError):
    """An engine cannot be used as it is; the message says what to do."""


class Engine(Protocol):
    """Runs tasks. The record of a cell does not depend on the engine that ran it."""

    def run(self, tasks: Sequence[Task], save: Save, timeout: float | None) -> None:
        """Run the tasks of one pass, and hand the record of each cell to `save` once.

        Timings run one at a time. A cell whose process dies twice becomes a failed record, a cell
        that takes too long becomes a timeout; no other cell is lost.

        Parameters
        ----------
        tasks : sequence of Task
            The tasks, the longest first.
        save : callable
            Takes a list of records as soon as they are there.
        timeout : float or None
            The wall time in seconds that one cell may take; None for no limit.

        Raises
        ------
        WorkersDie
            If workers keep ending while they run no cell.
        EngineRefused
            If no worker can run the tasks.
        """


@contextmanager
def engine_for(
    scheduler: Any, jobs: int | None, report: Callable[[str], None]
) -> Iterator[dict[str, Any]]:
    """Yield the arguments of `run_plan` that say where cells run, and leave a cluster at the end.

    Parameters
    ----------
    scheduler : str, Path, Client, Cluster or None
        The scheduler of a dask cluster; None for this machine.
    jobs : int or None
        Cells at a time on this machine; None for the number of cores.
    report : callable
        Takes one line that the user should read, such as why a worker is not used.

    Yields
    ------
    dict
        The argument `jobs`, or the argument `engine`.

    Raises
    ------
    EngineRefused
        If both are given, or the cluster cannot be used.
    """
    if scheduler is None:
        from joblib import cpu_count

        yield {"jobs": jobs or cpu_count()}
        return
    if jobs is not None:
        raise EngineRefused(
            f"jobs ({jobs}) are for this machine; with an engine, each thread of a worker runs a"
            " cell"
        )
    from ensvm.runner.cluster import ClusterEngine

    with ClusterEngine(scheduler, report) as engine:
        yield {"engine": engine}
