"""Worker processes of this machine. A process that dies costs the cell it was running, no other.

All workers are forked by one clean process, Python's fork server, which has loaded libraries and
`ensvm` and has run nothing. Cells of libraries alone share a worker. A cell with the user's own
code runs in a fork that has run nothing before and that ends with the cell, so that no state of
that code can reach another cell. The fork comes from a worker that only loads data.
"""

import faulthandler
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
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
# A cell that exceeds its limit is interrupted by a signal. If that does not end it (compiled code,
# a stopped process), its process is killed this much later.
GRACE_SECONDS = 3.0
LOOK_SECONDS = 0.5  # between two looks whether the run was stopped
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
    cell whose process dies twice becomes a failed record, a cell that takes more than `timeout`
    seconds becomes a timeout; no other cell is lost. `threads` is how many libraries in a process
    may use if the environment does not say; None for an equal share of the processors. If
    `is_stopped`, called twice a second, returns true, the workers are ended.

    Raises WorkersDie if workers keep ending while they run no cell.
    """
    if not tasks:
        return
    at_a_time = min(1 if tasks[0].run_pass == "timing" else jobs, len(tasks))
    threads = threads or max(1, (os.cpu_count() or 1) // at_a_time)
    waiting, slots = deque(tasks), [_Slot(threads, timeout) for _ in range(at_a_time)]
    try:
        while not (is_stopped and is_stopped()):
            for slot in slots:
                if waiting and not slot.is_busy:
                    slot.begin(waiting.popleft())
            busy = [slot for slot in slots if slot.is_busy]
            if not busy:
                return
            wait([handle for slot in busy for handle in slot.handles()], LOOK_SECONDS)
            for slot in busy:
                if records := slot.records():
                    save(records)
    finally:
        for slot in slots:
            slot.end()


class _Slot:
    """A place for one task at a time: a worker for cells of libraries, one for the user's code."""

    def __init__(self, threads: int, timeout: float | None) -> None:
        self._workers = {own: _Worker(threads) for own in (False, True)}
        self._timeout = timeout
        self._worker = self._workers[False]
        self._task: Task | None = None
        self._left: tuple[Any, ...] = ()  # the cells of the task without a record, in order
        self._started: float | None = None  # when the first of them started, if it has
        self._alone = False  # whether a process died in the first of them: it is run alone
        self._deaths = 0  # of processes, since the last message of one

    @property
    def is_busy(self) -> bool:
        """Whether a task is running."""
        return self._task is not None

    def begin(self, task: Task) -> None:
        """Start a task."""
        self._task, self._left = task, task.cells
        self._worker = self._workers[task.has_own_code]
        self._alone, self._deaths = False, 0
        self._send()

    def handles(self) -> list[Any]:
        """Return what `multiprocessing.connection.wait` waits for."""
        return self._worker.handles()

    def end(self) -> None:
        """Kill the processes."""
        for worker in self._workers.values():
            worker.kill()

    def records(self) -> list[Record]:
        """Return the records of cells that have ended since the last call."""
        assert self._task is not None
        records: list[Record] = []
        try:
            for message in self._worker.messages():
                self._deaths = 0
                if isinstance(message, Record):
                    records.append(message)
                    self._left, self._started, self._alone = self._left[1:], None, False
                elif isinstance(message, Started):
                    self._started = time.monotonic()
                else:  # the worker has finished what it was sent
                    self._send()
        except WorkerDied as death:
            # The cell in which a process died is run once more, alone; a second death fails it.
            if self._alone and self._started is not None:
                return [*records, self._give_up("failed", KILLED, str(death))]
            self._alone |= self._started is not None
            self._count_death(str(death))
            self._send()
        limit = float("inf") if self._timeout is None else self._timeout + GRACE_SECONDS
        if self._started is not None and time.monotonic() - self._started > limit:
            records.append(self._give_up("timeout", f"took longer than {self._timeout:g} s"))
        return records

    def _send(self) -> None:
        """Send the cells that are left to the worker, a suspect alone; none ends the task."""
        assert self._task is not None
        self._started = None
        if not self._left:
            self._task = None
            return
        part = self._task.only(self._left[:1] if self._alone else self._left)
        while True:
            try:
                self._worker.send(part)
                return
            except WorkerDied as death:
                self._count_death(str(death))

    def _count_death(self, crash: str) -> None:
        self._deaths += 1
        if self._deaths > MAX_SILENT_DEATHS:
            raise WorkersDie(
                f"worker processes keep ending before they start a cell"
                f" ({crash or 'out of memory?'}); try fewer at a time"
            )

    def _give_up(self, status: Any, reason: str, crash: str = "") -> Record:
        """Kill the process, and return the record of the cell that it was running."""
        assert self._task is not None
        self._worker.kill()
        record = new_record(self._task, self._left[0], status, reason, traceback=crash)
        self._left, self._alone = self._left[1:], False
        self._send()
        return record


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
    arguments = (theirs, its_crash, threads)
    process = context.Process(target=_serve, args=arguments, daemon=False)
    with _starting:
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
    theirs.close()
    its_crash.close()
    return process, ours, crash


def _serve(connection: Connection, crash: Connection, threads: int) -> None:
    """Run tasks until nobody asks for more."""
    from joblib import parallel_config

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
