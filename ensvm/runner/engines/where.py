"""Which engine a run asks for: processes of this machine, or the workers of a cluster."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from joblib import cpu_count

from ensvm.runner.engines.engine import EngineRefused


@contextmanager
def where_cells_run(
    scheduler: Any, jobs: int | None, tell: Callable[[str], None]
) -> Iterator[dict[str, Any]]:
    """Yield the arguments of `run_plan` that say where cells run; a cluster is left at the end.

    Parameters
    ----------
    scheduler : str, Path, Client, Cluster or None
        What names the scheduler of a dask cluster; None for this machine.
    jobs : int or None
        Cells at a time on this machine; None for the number of cores.
    tell : callable
        Takes what the user should know of the cluster, in one line.

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
        yield {"jobs": jobs or cpu_count()}
        return
    if jobs is not None:
        raise EngineRefused(
            f"jobs ({jobs}) are of this machine; with an engine each thread of a worker runs a cell"
        )
    from ensvm.runner.engines.dask import DaskEngine

    with DaskEngine(scheduler, tell) as engine:
        yield {"engine": engine}
