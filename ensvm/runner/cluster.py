"""Tasks on the workers of a dask cluster; dask schedules them, and retries those that it lost.

A thread of a dask worker runs a task in worker processes of its own machine, as a local run does,
so that a cell that crashes does not end the dask worker. Data come from the cards, or from a
folder that the workers can read under the same path.
"""

import logging
import os
import platform
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from multiprocessing import current_process
from pathlib import Path
from typing import Any

from joblib import cpu_count

from ensvm.errors import UserError
from ensvm.file_hash import hash_of_files
from ensvm.records.code_identity import FOLDER, NUMERIC
from ensvm.records.provenance import provenance
from ensvm.records.record import Record
from ensvm.records.store import Store
from ensvm.runner.cell import Task
from ensvm.runner.estimators import error_line
from ensvm.runner.pool import Attempt, LocalPool, Pool, Report

CONNECT_SECONDS = 15.0
WORKER_SECONDS = 60.0  # without any worker, before a run ends
EXTRA = "a dask cluster needs dask.distributed, which is not installed: pip install 'ensvm[dask]'"
ACCEPTED = (
    "the address of a dask scheduler, such as tcp://10.0.0.1:8786, or the file that it wrote"
    " (--scheduler-file)"
)
KILLED = "the workers that ran it were killed, also when it ran alone"
GOES_ON = "every finished cell is kept, the same command goes on from here"


@contextmanager
def client_of(scheduler: Any) -> Iterator[Any]:
    """Yield a client for a scheduler's address or file, or for a client or cluster of dask.

    A client that is passed in is not closed.

    Raises UserError if dask.distributed is not installed, `scheduler` is something else, or no
    scheduler answers.
    """
    try:
        from distributed import Client
        from distributed.deploy.cluster import Cluster
    except ImportError:
        raise UserError(EXTRA) from None
    if isinstance(scheduler, Client):
        if scheduler.status != "running":
            raise UserError(f"engine: this Client is {scheduler.status}; give a connected one")
        yield scheduler
        return
    if isinstance(scheduler, Cluster):
        scheduler = scheduler.scheduler_address
    if not isinstance(scheduler, str | os.PathLike):
        raise UserError(
            f"engine: {scheduler!r:.60} is a {type(scheduler).__name__}; accepted: {ACCEPTED}, or a"
            " dask.distributed.Client"
        )
    address = os.fspath(scheduler)
    is_address = "://" in address or address.rpartition(":")[2].isdecimal()
    if not is_address and not Path(address).is_file():
        raise UserError(f"engine {address!r}: there is no such file; give {ACCEPTED}")
    # The messages of dask are about connections; what ends a run is an error.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        client = Client(
            **{"address" if is_address else "scheduler_file": address},
            timeout=CONNECT_SECONDS,
            set_as_default=False,
            name="ensvm",
        )
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise UserError(f"{address}: no dask scheduler answers: {error_line(error)}") from error
    with client:
        yield client


class ClusterPool(Pool):
    """The workers of a dask cluster; each of their threads runs one task at a time.

    dask starts a task again whose worker was killed. If that happens several times, each of the
    cells is submitted once more, alone; one that kills a worker then fails.

    Raises UserError if no worker connects, or if a worker cannot run the tasks.
    """

    def __init__(self, store: Store, report: Report, timeout: float | None, client: Any) -> None:
        super().__init__(store, report)
        self._client, self._timeout = client, timeout
        self._address = client.scheduler.address
        self._saved_runs: set[str] = set()
        try:
            client.wait_for_workers(1, timeout=WORKER_SECONDS)
        except TimeoutError as error:
            raise UserError(
                f"{self._address}: no worker for {WORKER_SECONDS:g} s; {GOES_ON}"
            ) from error
        self._anywhere = client.get_executor(pure=False)
        # All timings are made on one machine.
        machine = sorted(client.ncores())[:1]
        self._on_one_machine = client.get_executor(pure=False, workers=machine)

    def submit(self, attempt: Attempt) -> Future[Any]:
        """Have dask choose a worker for a task."""
        task = attempt.task
        executor = self._anywhere if task.run_pass == "error" else self._on_one_machine
        arguments = task, self._timeout, _versions(), tuple(sys.argv[1:])
        future: Future[Any] = executor.submit(_run_on_worker, *arguments)
        return future

    def missed(self, future: Future[Any], attempt: Attempt) -> list[Attempt]:
        """Save the records of a task; return its cells if its workers were killed."""
        from distributed import KilledWorker

        try:
            records: list[Record] = future.result()
        except KilledWorker:
            task = attempt.task
            if not attempt.is_last:
                return [Attempt(task.only((cell,)), is_last=True) for cell in task.cells]
            self._fail(task, "failed", KILLED)
            return []
        except UserError:
            raise
        except (Exception, CancelledError) as error:
            raise UserError(f"{self._address}: {error_line(error)}; {GOES_ON}") from error
        runs = {record.run.id: record.run for record in records if record.run is not None}
        new = [run for name, run in runs.items() if name not in self._saved_runs]
        self._saved_runs |= runs.keys()
        self._store.append([*new, *records])
        self.look()
        return []

    def end(self) -> None:
        """Cancel the tasks; their workers see it and end the cells."""
        for executor in (self._anywhere, self._on_one_machine):
            with suppress(Exception):  # the scheduler may be gone
                executor.shutdown(wait=False)


@cache
def _versions() -> dict[str, str]:
    """Return the versions of ensvm, Python and the packages that values depend on.

    The version of ensvm ends with a checksum of its sources.
    """
    files = (path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.py"))
    return {
        "ensvm": f"{version('ensvm')} ({hash_of_files(FOLDER, files)[:8]})",
        "Python": "{}.{}".format(*sys.version_info),
        **{name: version(name) for name in NUMERIC.values()},
    }


def _run_on_worker(
    task: Task, timeout: float | None, wanted: dict[str, str], command: tuple[str, ...]
) -> list[Record]:
    """Run a task in a thread of a dask worker; each record carries this machine's provenance.

    Raises UserError if the worker's versions are not those `wanted`.
    """
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()
    different = ", ".join(
        f"{name} {_versions().get(name, 'unknown')} there and {here} here"
        for name, here in wanted.items()
        if _versions().get(name) != here
    )
    if different:
        raise UserError(f"the worker {worker.address} ({platform.node()}): {different}")

    def is_cancelled() -> bool:
        """Return whether the run has cancelled this task, or has ended."""
        state = worker.state.tasks.get(key)
        return state is None or state.state == "cancelled"

    here = replace(provenance(worker.state.nthreads), command=command)
    folders = [] if task.data_dir is None else str(task.data_dir).split(os.pathsep)
    data_dir = os.pathsep.join(folder for folder in folders if os.path.isdir(folder))
    task = replace(task, run_id=here.id, data_dir=Path(data_dir) if data_dir else None)
    process = _process_of_thread(timeout, worker)
    process.records.clear()
    process.pool.run([task], is_stopped=is_cancelled)
    if is_cancelled():
        process.pool.end()
        del _kept.processes[timeout]
    return [replace(record, run=here) for record in process.records]


@dataclass
class _Process:
    """A process of a dask worker's thread, which runs one task after another."""

    folder: Path
    pool: LocalPool
    records: list[Record]


_kept = threading.local()  # of each thread: its processes, by time limit


def _process_of_thread(timeout: float | None, worker: Any) -> _Process:
    """Return the process that runs the cells of this thread, so that it need not start for each.

    Its records go back with the future, since the machines may share no folder.
    """
    processes: dict[float | None, _Process] = _kept.__dict__.setdefault("processes", {})
    if timeout not in processes:
        # dask's workers are marked as processes that may not start others.
        current_process()._config.pop("daemon", None)  # type: ignore[attr-defined]
        folder, records = Path(tempfile.mkdtemp(dir=worker.local_directory)), list[Record]()
        store = Store(folder).__enter__()  # until the worker ends, whose folder dask removes
        threads = max(1, cpu_count() // worker.state.nthreads)
        pool = LocalPool(store, records.extend, timeout, 1, threads)
        processes[timeout] = _Process(folder, pool, records)
    return processes[timeout]
