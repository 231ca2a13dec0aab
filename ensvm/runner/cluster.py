"""Tasks on the workers of a dask cluster; dask schedules them, and retries those that it lost.

A thread of a dask worker runs a task in worker processes of its own machine, as a local run does,
so that a cell that dies costs itself and not the dask worker. Data come from the cards, or from a
folder that the workers can read under the same path.
"""

import hashlib
import logging
import os
import platform
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import ensvm
from ensvm.errors import UserError
from ensvm.records.provenance import provenance
from ensvm.records.record import Record
from ensvm.runner.cell import Task, new_record
from ensvm.runner.estimators import one_line
from ensvm.runner.workers import LocalEngine, Save

CONNECT_SECONDS = 15.0
WORKER_SECONDS = 60.0  # without any worker, before a run ends
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")
EXTRA = "a dask cluster needs dask.distributed, which is not installed: pip install 'ensvm[dask]'"
ACCEPTED = (
    "the address of a dask scheduler, such as tcp://10.0.0.1:8786, or the file that it wrote"
    " (--scheduler-file)"
)
KILLED = "the workers that ran it were killed, also when it ran alone"
GOES_ON = "every finished cell is kept, the same command goes on from here"


class ClusterEngine:
    """The workers of a dask cluster, by a client; each of their threads runs one task at a time."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._address = client.scheduler.address

    def run(self, tasks: Sequence[Task], save: Save, timeout: float | None) -> None:
        """Run tasks; see `Engine`."""
        if not tasks:
            return
        try:
            self._client.wait_for_workers(1, timeout=WORKER_SECONDS)
        except TimeoutError as error:
            raise UserError(
                f"{self._address}: no worker for {WORKER_SECONDS:g} s; {GOES_ON}"
            ) from error
        batches = [tasks]
        if tasks[0].run_pass == "timing":  # one at a time
            batches = [[task] for task in tasks]
        killed = [task for batch in batches for task in self._run(batch, save, timeout)]
        for task in killed:
            if self._run([task], save, timeout):
                save([new_record(task, task.cells[0], "failed", KILLED)])

    def _run(self, tasks: Sequence[Task], save: Save, timeout: float | None) -> list[Task]:
        """Run tasks at once; return a task for each cell of those whose workers were killed."""
        from distributed import KilledWorker, as_completed

        # All timings are made on one machine.
        timing = tasks[0].run_pass == "timing"
        workers = sorted(self._client.ncores())[:1]
        arguments = timeout, _versions(), tuple(sys.argv[1:])
        futures = {
            self._client.submit(
                _run_on_worker, task, *arguments, pure=False, workers=workers if timing else None
            ): task
            for task in tasks
        }
        killed: list[Task] = []
        try:
            for future in as_completed(futures, loop=self._client.loop):
                try:
                    records = future.result()
                except KilledWorker:
                    killed += [futures[future].only((cell,)) for cell in futures[future].cells]
                    continue
                except UserError:
                    raise
                except Exception as error:
                    raise UserError(f"{self._address}: {one_line(error)}; {GOES_ON}") from error
                save(records)
                future.release()  # else dask would compute it again if its worker dies
        finally:
            with suppress(Exception):  # the scheduler may be gone
                self._client.cancel(list(futures))
        return killed


@contextmanager
def cluster_engine(scheduler: Any) -> Iterator[ClusterEngine]:
    """Yield an engine for a scheduler's address or file, or a client or cluster of dask.

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
        if scheduler.asynchronous or scheduler.status != "running":
            state = "asynchronous" if scheduler.asynchronous else scheduler.status
            raise UserError(f"engine: this Client is {state}; give one that is connected")
        client = nullcontext(scheduler)
    else:
        address = scheduler.scheduler_address if isinstance(scheduler, Cluster) else scheduler
        client = _connected(Client, address)
    with client as connected:
        yield ClusterEngine(connected)


def _connected(client: Any, scheduler: Any) -> Any:
    """Return a new client for the address of a scheduler or the file that it wrote."""
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
        return client(
            **{"address" if is_address else "scheduler_file": address},
            timeout=CONNECT_SECONDS,
            set_as_default=False,
            name="ensvm",
        )
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise UserError(f"{address}: no dask scheduler answers: {one_line(error)}") from error


@cache
def _versions() -> dict[str, str]:
    """Return the versions of ensvm, Python and the packages that values depend on.

    That of ensvm ends with a checksum of its sources.
    """
    checksum = hashlib.sha256()
    folder = Path(ensvm.__file__).parent
    for path in sorted(folder.rglob("*.py")):
        checksum.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return {
        "ensvm": f"{version('ensvm')} ({checksum.hexdigest()[:8]})",
        "Python": "{}.{}".format(*sys.version_info),
        **{name: version(name) for name in PACKAGES},
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
    records: list[Record] = []
    threads = max(1, (os.cpu_count() or 1) // worker.state.nthreads)
    LocalEngine(1, threads, is_cancelled).run([task], records.extend, timeout)
    return [replace(record, run=here) for record in records]
