"""Tasks on the workers of a dask cluster; dask's scheduler decides which worker runs which task.

A thread of a dask worker runs a task in worker processes of its own machine, as a local run does,
so that a cell that dies costs itself and not the dask worker. Data come from the cards, or from a
folder that the workers can read under the same path.
"""

import hashlib
import logging
import os
import platform
import sys
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Self

import ensvm
from ensvm.records.provenance import provenance
from ensvm.records.record import Record
from ensvm.runner.cell import Task, new_record
from ensvm.runner.workers import EngineRefused, LocalEngine, Save

CONNECT_SECONDS = 15.0
NO_WORKER_SECONDS = 60.0  # without any worker, before the run ends
STOP_SECONDS = 3.0  # in which workers send what they have finished when a run is interrupted
LOOK_SECONDS = 1.0  # between two looks whether there are workers
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")
EXTRA = "a dask cluster needs dask.distributed, which is not installed: pip install 'ensvm[dask]'"
ACCEPTED = (
    "the address of a dask scheduler, such as tcp://10.0.0.1:8786, or the file that it wrote"
    " (--scheduler-file)"
)


@dataclass(frozen=True)
class Refusal:
    """The answer of a worker that may not run cells: its address, and why."""

    worker: str
    reason: str


class ClusterEngine:
    """The workers of a dask cluster; each of their threads runs one task at a time.

    Parameters
    ----------
    scheduler : str, Path, Client or Cluster
        The address of the scheduler, such as tcp://10.0.0.1:8786, the file that it wrote, or a
        client or a cluster of dask.distributed; a client that is passed in is not closed.
    report : callable
        Takes one line that the user should read: which workers get no cells.
    patience : float, default 60
        The seconds without any worker after which a run ends.

    Raises
    ------
    EngineRefused
        If dask.distributed is not installed, `scheduler` is something else, or no scheduler
        answers.
    """

    def __init__(
        self, scheduler: Any, report: Callable[[str], None], *, patience: float = NO_WORKER_SECONDS
    ) -> None:
        self._report, self._patience = report, patience
        self._client = connected(scheduler)
        self._is_ours = self._client is not scheduler

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._is_ours:
            with suppress(Exception):
                self._client.close(timeout=STOP_SECONDS)

    def run(self, tasks: Sequence[Task], save: Save, timeout: float | None) -> None:
        """Run tasks; see `Engine`."""
        if tasks:
            run = _ClusterRun(self._client, self._report, self._patience, save, timeout)
            try:
                run.all(tasks)
            finally:
                run.stop()


class _ClusterRun:
    """One run of tasks."""

    def __init__(
        self,
        client: Any,
        report: Callable[[str], None],
        patience: float,
        save: Save,
        timeout: float | None,
    ) -> None:
        self._client, self._report, self._patience = client, report, patience
        self._save, self._timeout = save, timeout
        self._name = uuid.uuid4().hex[:12]
        self._submitted: dict[str, tuple[Task, Any]] = {}  # by the future's key
        self._again: deque[Task] = deque()  # tasks whose workers were killed, run one at a time
        self._suspects: set[str] = set()  # keys of the cells of these
        self._refused: dict[str, str] = {}  # why a worker may not run cells
        self._ended: SimpleQueue[str] = SimpleQueue()
        self._worker_seen = time.monotonic()

    def all(self, tasks: Sequence[Task]) -> None:
        """Run tasks to the end."""
        waiting = deque(tasks)
        one_at_a_time = tasks[0].run_pass == "timing"
        while waiting or self._again or self._submitted:
            self._look_for_workers()
            while waiting and not (one_at_a_time and self._submitted):
                self._submit(waiting.popleft())
            if self._again and not self._submitted:
                self._submit(self._again.popleft())
            with suppress(Empty):
                self._take(self._ended.get(timeout=LOOK_SECONDS))

    def stop(self) -> None:
        """End what the run has left on the workers, and save what they have finished of it."""
        if not self._submitted:
            return
        stopping = threading.Thread(target=self._stop_workers, daemon=True)
        stopping.start()
        end = time.monotonic() + STOP_SECONDS
        stopping.join(STOP_SECONDS)
        while self._submitted and (left := end - time.monotonic()) > 0:
            with suppress(Empty):
                key = self._ended.get(timeout=left)
                task, future = self._submitted.pop(key)
                if future.status == "finished":
                    self._keep(task, future.result(timeout=left))

    def _stop_workers(self) -> None:
        with suppress(Exception):
            # Not cancelled: a cancelled task cannot return the cells that it has finished.
            self._client.run(stop_tasks, self._name, on_error="ignore")

    def _submit(self, task: Task) -> None:
        threads = self._workers()
        accepted = sorted(threads.keys() - self._refused.keys())
        timing = task.run_pass == "timing"
        future = self._client.submit(
            run_on_worker,
            self._name,
            task,
            self._timeout,
            versions(),
            tuple(sys.argv[1:]),
            key=f"ensvm-{self._name}-{uuid.uuid4().hex}",
            # Timings are all made on one machine. A worker that comes later may run the others.
            workers=accepted[:1] if timing else accepted if self._refused else None,
            pure=False,
        )
        self._submitted[future.key] = task, future
        future.add_done_callback(lambda done: self._ended.put(done.key))

    def _workers(self) -> dict[str, int]:
        """Return the threads of each worker; empty if the scheduler does not answer."""
        try:
            scheduler = self._client.scheduler
            return dict(self._client.sync(scheduler.ncores, callback_timeout=CONNECT_SECONDS))
        except Exception:
            return {}

    def _look_for_workers(self) -> None:
        """Raise EngineRefused if no worker can run cells."""
        workers = self._workers()
        address = self._client.scheduler.address if self._client.scheduler else "the cluster"
        if workers and workers.keys() <= self._refused.keys():
            reasons = "; ".join(f"{worker}: {self._refused[worker]}" for worker in sorted(workers))
            raise EngineRefused(f"{address}: no worker can run cells: {reasons}")
        if workers:
            self._worker_seen = time.monotonic()
        elif time.monotonic() - self._worker_seen >= self._patience:
            raise EngineRefused(
                f"{address}: no worker for {self._patience:g} s; every finished cell is kept, the"
                " same command goes on from here"
            )

    def _take(self, key: str) -> None:
        """Take the answer of a task, or submit it again if it has none."""
        from distributed import CancelledError, KilledWorker

        task, future = self._submitted.pop(key)
        try:
            answer = future.result(timeout=CONNECT_SECONDS)
        except KilledWorker:
            self._run_alone(task)
        except (CancelledError, TimeoutError):  # the scheduler or the answer's worker went away
            self._again.append(task)
        except Exception as error:
            raise EngineRefused(f"a worker cannot run ensvm: {one_line(error)}") from error
        else:
            if isinstance(answer, Refusal):
                if answer.worker not in self._refused:
                    self._report(f"the worker {answer.worker} gets no cells: {answer.reason}")
                self._refused[answer.worker] = answer.reason
                self._again.append(task)
            else:
                self._keep(task, answer)

    def _keep(self, task: Task, answer: Any) -> None:
        """Save what a worker has finished; the rest of the task is run again."""
        records = [] if isinstance(answer, Refusal) else answer
        if records:
            self._save(records)
        done = {record.key for record in records}
        left = tuple(cell for cell in task.cells if cell.key not in done)
        if left:
            self._again.append(task.only(left))

    def _run_alone(self, task: Task) -> None:
        """Run the cells of a task one by one; one whose worker is killed again has failed."""
        for cell in task.cells:
            if cell.key in self._suspects:
                reason = "the workers that ran it were killed, also when it ran alone"
                self._save([new_record(task, cell, "failed", reason)])
            else:
                self._suspects.add(cell.key)
                self._again.append(task.only((cell,)))


def connected(scheduler: Any) -> Any:
    """Return a client of a scheduler.

    Parameters
    ----------
    scheduler : str, Path, Client or Cluster
        Its address, the file that it wrote, or a client or a cluster of dask.distributed.

    Returns
    -------
    Client
        The client that was passed in, or a new one.

    Raises
    ------
    EngineRefused
        If dask.distributed is not installed, `scheduler` is something else, or no scheduler
        answers.
    """
    try:
        from distributed import Client
        from distributed.deploy.cluster import Cluster
    except ImportError:
        raise EngineRefused(EXTRA) from None
    if isinstance(scheduler, Client):
        if scheduler.asynchronous:
            raise EngineRefused(
                "engine: this Client is asynchronous; give one without asynchronous=True, or the"
                " scheduler's address"
            )
        if scheduler.status != "running":
            raise EngineRefused(
                f"engine: this Client is {scheduler.status}; give one that is connected"
            )
        return scheduler
    if isinstance(scheduler, Cluster):
        scheduler = scheduler.scheduler_address
    if not isinstance(scheduler, str | os.PathLike):
        raise EngineRefused(
            f"engine: {scheduler!r:.60} is a {type(scheduler).__name__}; accepted: {ACCEPTED}, or a"
            " dask.distributed.Client"
        )
    address = os.fspath(scheduler)
    is_file = os.path.exists(address) or (
        "://" not in address and not address.rpartition(":")[2].isdecimal()
    )
    if is_file and not Path(address).is_file():
        raise EngineRefused(f"engine {address!r}: there is no such file; give {ACCEPTED}")
    named = {"scheduler_file" if is_file else "address": address}
    # The run reports workers that come and go, if it matters.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        return Client(**named, timeout=CONNECT_SECONDS, set_as_default=False, name="ensvm")
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise EngineRefused(f"{address}: no dask scheduler answers: {one_line(error)}") from error


def one_line(error: BaseException) -> str:
    """Return an error in one short line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}".strip(": ")[:300]


@cache
def versions() -> dict[str, str]:
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


_engines: dict[str, list[LocalEngine]] = {}  # of this dask worker, by run
_stopped: set[str] = set()
_lock = threading.Lock()


def run_on_worker(
    run: str,
    task: Task,
    timeout: float | None,
    wanted: dict[str, str],
    command: tuple[str, ...],
) -> list[Record] | Refusal:
    """Run a task on this machine, in a thread of a dask worker.

    Parameters
    ----------
    run : str
        Names the run, so that stopping it stops no other one.
    task : Task
        The task.
    timeout : float or None
        The seconds that one cell may take.
    wanted : dict of str
        The versions that this worker must have.
    command : tuple of str
        The arguments of the command line, for the provenance.

    Returns
    -------
    list of Record or Refusal
        The records, each with this machine's provenance; or why this worker may not run cells.
    """
    from distributed import get_worker

    worker = get_worker()
    different = ", ".join(
        f"{name} {versions().get(name, 'unknown')} there and {here} here"
        for name, here in wanted.items()
        if versions().get(name) != here
    )
    if different:
        return Refusal(worker.address, f"{different} (on {platform.node()})")
    here = replace(provenance(worker.state.nthreads), command=command)
    folders = [] if task.data_dir is None else str(task.data_dir).split(os.pathsep)
    there = os.pathsep.join(folder for folder in folders if os.path.isdir(folder))
    task = replace(task, run_id=here.id, data_dir=Path(there) if there else None)
    records: list[Record] = []
    engine = LocalEngine(1, threads=max(1, (os.cpu_count() or 1) // worker.state.nthreads))
    with _lock:
        _engines.setdefault(run, []).append(engine)
        if run in _stopped:
            engine.stop()
    try:
        engine.run([task], records.extend, timeout)
    finally:
        with _lock:
            _engines[run].remove(engine)
    return [record.of_run(here) for record in records]


def stop_tasks(run: str) -> None:
    """Stop what this dask worker runs of a run, and whatever of it comes later."""
    with _lock:
        _stopped.add(run)
        for engine in _engines.get(run, []):
            engine.stop()
