"""Tasks on the workers of a dask cluster; dask schedules them, and retries those that it lost.

A thread of a dask worker runs a task in worker processes of its own machine, as a local run does,
so that a cell that crashes does not end the dask worker. Data come from the cards, or from a
folder that the workers can read under the same path.
"""

import hashlib
import logging
import os
import platform
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import ensvm
from ensvm.errors import UserError
from ensvm.records.provenance import provenance
from ensvm.records.record import Record
from ensvm.runner import workers
from ensvm.runner.cell import Task, new_record
from ensvm.runner.estimators import one_line
from ensvm.runner.workers import Save

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


@contextmanager
def connected(scheduler: Any) -> Iterator[Any]:
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
        if scheduler.asynchronous or scheduler.status != "running":
            state = "asynchronous" if scheduler.asynchronous else scheduler.status
            raise UserError(f"engine: this Client is {state}; give one that is connected")
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
        raise UserError(f"{address}: no dask scheduler answers: {one_line(error)}") from error
    with client:
        yield client


def run_on_cluster(client: Any, tasks: Sequence[Task], save: Save, timeout: float | None) -> None:
    """Run the tasks of one pass on the workers of a client, as `workers.run_here` does here.

    Each thread of a dask worker runs one task at a time. A cell whose dask worker was killed is
    submitted once more, alone; if that kills a worker too, the cell fails.

    Raises UserError if no worker connects, or if a worker cannot run the tasks.
    """
    if not tasks:
        return
    address = client.scheduler.address
    try:
        client.wait_for_workers(1, timeout=WORKER_SECONDS)
    except TimeoutError as error:
        raise UserError(f"{address}: no worker for {WORKER_SECONDS:g} s; {GOES_ON}") from error
    # Timings run one at a time.
    batches = [[task] for task in tasks] if tasks[0].run_pass == "timing" else [tasks]
    killed = [task for batch in batches for task in _run(client, batch, save, timeout)]
    for task in killed:
        if _run(client, [task], save, timeout):
            save([new_record(task, task.cells[0], "failed", KILLED)])


def _run(client: Any, tasks: Sequence[Task], save: Save, timeout: float | None) -> list[Task]:
    """Run tasks at once; return a task for each cell of those whose workers were killed."""
    from distributed import KilledWorker, as_completed

    # All timings are made on one machine.
    machines = sorted(client.ncores())[:1] if tasks[0].run_pass == "timing" else None
    arguments = timeout, _versions(), tuple(sys.argv[1:])
    futures = {
        client.submit(_run_on_worker, task, *arguments, pure=False, workers=machines): task
        for task in tasks
    }
    killed: list[Task] = []
    try:
        for future in as_completed(futures, loop=client.loop):
            try:
                records = future.result()
            except KilledWorker:
                killed += [futures[future].only((cell,)) for cell in futures[future].cells]
                continue
            except UserError:
                raise
            except Exception as error:
                address = client.scheduler.address
                raise UserError(f"{address}: {one_line(error)}; {GOES_ON}") from error
            save(records)
            future.release()  # else dask would compute it again if its worker dies
    finally:
        with suppress(Exception):  # the scheduler may be gone
            client.cancel(list(futures))
    return killed


@cache
def _versions() -> dict[str, str]:
    """Return the versions of ensvm, Python and the packages that values depend on.

    The version of ensvm ends with a checksum of its sources.
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
    workers.run_here(
        [task], records.extend, timeout, jobs=1, threads=threads, is_stopped=is_cancelled
    )
    return [replace(record, run=here) for record in records]
