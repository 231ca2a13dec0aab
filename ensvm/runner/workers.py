"""Worker processes of this machine. A process that dies costs the cell it was running, no other.

All workers are forked by one clean process, Python's fork server, which has loaded libraries and
`ensvm` and has run nothing. Cells that run only installed packages share a worker. A cell with the
user's own code runs in a fork that has run nothing before and that ends with the cell, so that no
state of that code can reach another cell. The fork comes from a worker that only loads data.
"""

import faulthandler
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from multiprocessing import current_process, get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Any, TypeAlias

from ensvm.data import load
from ensvm.errors import UserError
from ensvm.records.record import Record
from ensvm.runner.cell import Started, Task, new_record, run_task, warm_up_libraries

# Writes records to disk before it returns. If a record carries a `run`, another machine made it,
# and that run is written as well.
Save: TypeAlias = Callable[[list[Record]], None]

PRELOADED = ["ensvm.runner.workers", "sklearn.dummy", "sklearn.multiclass", "sklearn.svm"]
LOOK_SECONDS = 0.5  # between two looks at the clock, and whether the run was stopped
# Processes that end without a message (out of memory while they start, for example) would
# otherwise be started for ever.
MAX_SILENT_DEATHS = 4
# Libraries read these when they are loaded; joblib sets the same for its workers.
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)
# If this is set, Python imports nothing from the working directory. The fork server starts as
# `python -c`, which would look there first.
SAFE_PATH = "PYTHONSAFEPATH"
FINISHED = 99  # the exit status of a fork that ran its task to the end, unlike `os._exit(0)`
KILLED = "its worker process was killed (out of memory, or a crash in compiled code)"

_starting = threading.Lock()


class WorkersDie(RuntimeError):
    """Worker processes keep ending although no cell is running in them."""


class WorkerDied(Exception):
    """A worker process ended in the middle of a task; the text says where it crashed, if known."""


def run_here(
    tasks: Sequence[Task],
    save: Save,
    timeout: float | None,
    *,
    jobs: int,
    threads: int | None = None,
    is_stopped: Callable[[], bool] | None = None,
) -> None:
    """Run the tasks of one pass in worker processes, and `save` the record of each cell once.

    `jobs` tasks of the error pass run at a time, in the order given; timings run one by one. A
    cell whose process dies twice becomes a failed record. The process of a cell that takes more
    than `timeout` seconds is killed, and the record is a timeout. No other cell is lost.

    `threads` is how many threads the libraries of a process may use, unless environment variables
    set it; None for an equal share of the processors. `is_stopped` is called about twice a second;
    if it returns true, the workers are ended.

    Raises WorkersDie if workers keep ending while they run no cell.
    """
    if not tasks:
        return
    at_a_time = min(1 if tasks[0].run_pass == "timing" else jobs, len(tasks))
    threads = threads or max(1, (os.cpu_count() or 1) // at_a_time)
    # Cells of libraries run in the first worker of a pair, the user's own code in the second.
    pairs = [(_Worker(threads), _Worker(threads)) for _ in range(at_a_time)]
    waiting, idle = deque(tasks), list(pairs)
    running: list[tuple[tuple[_Worker, _Worker], _Worker, Iterator[Record | None]]] = []
    try:
        while (waiting or running) and not (is_stopped and is_stopped()):
            # Give waiting tasks to idle workers.
            while waiting and idle:
                task, pair = waiting.popleft(), idle.pop()
                worker = pair[task.has_own_code]
                running.append((pair, worker, _records_of(task, worker, timeout)))
            # Save the records that each task has by now.
            for job in list(running):
                pair, _, records_of_task = job
                records, is_over = list[Record](), True
                for record in records_of_task:
                    if record is None:
                        is_over = False
                        break
                    records.append(record)
                if is_over:
                    running.remove(job)
                    idle.append(pair)
                if records:
                    save(records)
            # Sleep until a worker sends something or ends, unless a task can start now.
            if running and not (waiting and idle):
                handles = [handle for _, worker, _ in running for handle in worker.handles()]
                wait(handles, LOOK_SECONDS)
    finally:
        for worker in chain.from_iterable(pairs):
            worker.kill()


def _records_of(task: Task, worker: "_Worker", timeout: float | None) -> Iterator[Record | None]:
    """Run a task in a worker: yield each record, and None when the worker must be waited for.

    `is_suspect` says that a process died in the first of the unfinished cells.
    """
    unfinished, is_suspect, deaths = task.cells, False, 0
    limit = float("inf") if timeout is None else timeout
    while unfinished:
        started: float | None = None  # when the first of the unfinished cells started
        try:
            worker.send(task.only(unfinished[:1] if is_suspect else unfinished))
            is_done = False
            while not is_done:
                yield None
                for message in worker.messages():
                    deaths = 0
                    if isinstance(message, Record):
                        yield message
                        unfinished, started, is_suspect = unfinished[1:], None, False
                    elif isinstance(message, Started):
                        started = time.monotonic()
                    else:  # the worker has finished what it was sent
                        is_done = True
                if started is not None and time.monotonic() - started > limit:
                    worker.kill()
                    yield new_record(
                        task, unfinished[0], "timeout", f"took longer than {timeout:g} s"
                    )
                    unfinished, is_suspect, is_done = unfinished[1:], False, True
        except WorkerDied as death:
            crash = str(death)
            if is_suspect and started is not None:
                yield new_record(task, unfinished[0], "failed", KILLED, traceback=crash)
                unfinished, is_suspect = unfinished[1:], False
                continue
            # The cell in which a process died is run once more, alone; a second death fails it.
            is_suspect |= started is not None
            deaths += 1
            if deaths > MAX_SILENT_DEATHS:
                raise WorkersDie(
                    f"worker processes keep ending before they start a cell"
                    f" ({crash or 'out of memory?'}); try fewer at a time"
                ) from death


class _Worker:
    """A process that runs one task after another; it is started for a task, and after a death."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._process: BaseProcess | None = None
        self._connection: Connection
        self._crash: Connection

    def send(self, task: Task) -> None:
        """Have the process run a task; raises WorkerDied if none can be started."""
        if self._process is None:
            self._process, self._connection, self._crash = _start(self._threads)
        try:
            self._connection.send(task)
        except OSError as error:
            raise self._death() from error

    def handles(self) -> list[Any]:
        """Return what becomes ready when the process sends something or ends."""
        assert self._process is not None
        return [self._connection, self._process.sentinel]

    def messages(self) -> list[Started | Record | None]:
        """Return what the process has sent: starts of cells, records, and None after a task.

        Raises WorkerDied if the process ended, once all that it has sent is read.
        """
        assert self._process is not None
        # Looked at first: a process that ends afterwards may still send something.
        has_ended = not self._process.is_alive()
        messages = []
        try:
            while self._connection.poll():
                messages.append(self._connection.recv())
        except (EOFError, OSError) as error:
            if not messages:
                raise self._death() from error
        if has_ended and not messages:
            raise self._death()
        return messages

    def kill(self) -> None:
        """End the process, and all that its cells have started."""
        if self._process is None:
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid or 0, signal.SIGKILL)
        self._process.kill()
        self._process.join()
        self._connection.close()
        self._crash.close()
        self._process = None

    def _death(self) -> WorkerDied:
        """Kill what is left of the process, and return what faulthandler wrote about its crash."""
        text = os.read(self._crash.fileno(), 2**16) if self._crash.poll() else b""
        self.kill()
        # The list of extension modules at the end says nothing about the crash.
        return WorkerDied(
            text.decode(errors="replace").partition("\nExtension modules:")[0].strip()
        )


def _start(threads: int) -> tuple[BaseProcess, Connection, Connection]:
    """Return a new process, forked from the clean one, with its messages and its crash text."""
    if not hasattr(os, "fork"):
        raise UserError("cells run in forked processes: on Windows, use WSL")
    context = get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    ours, theirs = context.Pipe()
    crash, its_crash = context.Pipe(duplex=False)
    safe_path = os.environ.get(SAFE_PATH)
    arguments = (theirs, its_crash, threads, safe_path)
    process = context.Process(target=_serve, args=arguments, daemon=False)
    with _starting:
        os.environ[SAFE_PATH] = "1"
        # dask's workers are marked as processes that may not start others.
        current_process()._config.pop("daemon", None)  # type: ignore[attr-defined]
        # A new process would import the user's script or notebook again, which may start a run.
        main, sys.modules["__main__"] = sys.modules["__main__"], ModuleType("__main__")
        # Ctrl+C is for this process: the fork server, which starts now, would show a traceback.
        # The resource tracker comes first, because starting it unblocks the signal.
        resource_tracker.ensure_running()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            process.start()
        except (EOFError, OSError) as error:
            raise WorkerDied(f"{type(error).__name__}: {error}") from error
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            sys.modules["__main__"] = main
            _set_safe_path(safe_path)
    theirs.close()
    its_crash.close()
    return process, ours, crash


def _set_safe_path(value: str | None) -> None:
    if value is None:
        os.environ.pop(SAFE_PATH, None)
    else:
        os.environ[SAFE_PATH] = value


def _serve(connection: Connection, crash: Connection, threads: int, safe_path: str | None) -> None:
    """Run tasks until nobody asks for more; `safe_path` is for processes that cells start."""
    from joblib import parallel_config

    _set_safe_path(safe_path)
    os.setpgid(0, 0)  # what its cells start and leave behind is killed with it
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the parent, which ends this one
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    for name in THREAD_VARIABLES:
        os.environ.setdefault(name, str(threads))
    # What a cell prints goes to standard error, and it has nothing to read.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    # Cells are parallel already: an estimator's own jobs are threads, as in a joblib worker.
    faulthandler.enable(file=crash.fileno())
    with suppress(EOFError, OSError), parallel_config("threading"):
        while True:
            task = connection.recv()
            if task.has_own_code:
                _run_in_a_fork(task, connection)
            else:
                for message in run_task(task):
                    connection.send(message)
            connection.send(None)


def _run_in_a_fork(task: Task, connection: Connection) -> None:
    """Run a task with the user's own code in a copy of this process, which has run nothing yet."""
    warm_up_libraries()
    with suppress(UserError):  # the fork meets the same error, and records it
        load(task.card, data_dir=task.data_dir)  # once for all forks
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        if os.waitstatus_to_exitcode(status) != FINISHED:
            # It died in a cell. So does this process, and the parent sees which cell it was.
            os.kill(os.getpid(), signal.SIGKILL)
        return
    status = 1
    try:
        if task.modules is not None:
            # Last, so that a module of the user's cannot hide one of Python or of a package.
            sys.path.append(str(task.modules))
        for message in run_task(task):
            connection.send(message)
        status = FINISHED
        with suppress(Exception):  # the cell may have replaced them
            sys.stdout.flush()
            sys.stderr.flush()
    finally:
        os._exit(status)


def _end_with_the_parent() -> None:
    """Wait for the end of the process that writes records, and end this one and its group."""
    parent = parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os.killpg(0, signal.SIGKILL)
