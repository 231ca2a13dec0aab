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
from collections.abc import Iterator, Sequence
from contextlib import suppress
from multiprocessing import current_process, get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from queue import SimpleQueue
from types import ModuleType
from typing import TypeAlias

from ensvm.data import DataError, load
from ensvm.records.record import Record
from ensvm.runner.engine import EngineRefused, Save, WorkersDie
from ensvm.runner.task import Started, Task, new_record, run_task, warm_up_libraries

Messages: TypeAlias = list[Started | Record]

PRELOADED = ["ensvm.runner.workers", "sklearn.dummy", "sklearn.multiclass", "sklearn.svm"]
# A cell that exceeds its limit is interrupted by a signal. If that does not end it (compiled code,
# a stopped process), its process is killed this much later.
GRACE_SECONDS = 3.0
# A worker that nobody asks ends itself: on a cluster, the run that started it may be gone.
IDLE_SECONDS = 60.0
# Processes that keep ending between cells (out of memory while they start, for example) would
# otherwise be started for ever.
MAX_UNEXPLAINED_DEATHS = 3
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


class WorkerDied(Exception):
    """A worker process ended in the middle of a task; the text says where it crashed, if known."""


class TookTooLong(Exception):
    """A cell did not end within its time limit, and its process was killed."""


class Worker:
    """A process that runs one task after another; it is started when needed, and after a death.

    One thread calls `messages`; any thread may call `stop`.

    Parameters
    ----------
    threads : int
        The threads that libraries in the process may use if the environment does not say.
    """

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._process: BaseProcess | None = None
        self._connections: tuple[Connection, Connection] | None = None
        self._lock = threading.Lock()
        self.stopped = False

    def messages(self, task: Task, timeout: float | None) -> Iterator[Messages]:
        """Run a task, and yield what the process sends: which cell starts, and finished records.

        Raises
        ------
        WorkerDied
            If the process ends before the task.
        TookTooLong
            If a cell runs longer than `timeout` and the seconds of grace.
        """
        process, (connection, crash) = self._started()
        limit = None
        try:
            connection.send(task)
            while True:
                if not (ready := wait([connection, process.sentinel], limit)):
                    raise TookTooLong
                if connection not in ready:
                    raise EOFError
                received = [connection.recv()]
                while received[-1] is not None and connection.poll():
                    received.append(connection.recv())
                yield [message for message in received if message is not None]
                if received[-1] is None:
                    return
                in_a_cell = timeout is not None and isinstance(received[-1], Started)
                limit = timeout + GRACE_SECONDS if in_a_cell and timeout is not None else None
        except (EOFError, OSError) as error:
            text = _crash_text(crash)
            self.kill()
            raise WorkerDied(text) from error
        except TookTooLong:
            self.kill()
            raise

    def kill(self) -> None:
        """End the process, and all that its cells have started."""
        with self._lock:
            self._kill()

    def stop(self) -> None:
        """End the process for good: whoever waits for its messages gets `WorkerDied`."""
        with self._lock:
            self.stopped = True
            if self._process is not None:
                _kill_group(self._process)

    def _kill(self) -> None:
        if self._process is not None and self._connections is not None:
            _kill_group(self._process)
            for connection in self._connections:
                connection.close()
        self._process = self._connections = None

    def _started(self) -> tuple[BaseProcess, tuple[Connection, Connection]]:
        with self._lock:
            if self.stopped:
                raise WorkerDied("")
            if self._process is not None and not self._process.is_alive():
                self._kill()
            if self._process is None or self._connections is None:
                self._process, self._connections = _start(self._threads)
            return self._process, self._connections


def _start(threads: int) -> tuple[BaseProcess, tuple[Connection, Connection]]:
    """Return a new process, forked from the clean one, with its messages and its crash text."""
    if not hasattr(os, "fork"):
        raise EngineRefused("cells run in forked processes: on Windows, use WSL")
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
    return process, (ours, crash)


def _crash_text(crash: Connection) -> str:
    """Return what faulthandler wrote about a crash, without its list of extension modules."""
    text = os.read(crash.fileno(), 2**16) if crash.poll() else b""
    return text.decode(errors="replace").partition("\nExtension modules:")[0].strip()


def _kill_group(process: BaseProcess) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid or 0, signal.SIGKILL)
    process.kill()
    process.join()


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
        while connection.poll(IDLE_SECONDS):
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
    with suppress(DataError):  # the fork meets the same error, and records it
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


class Slot:
    """A place for one task at a time: a worker for cells of libraries, one for the user's code.

    Parameters
    ----------
    threads : int
        The threads that libraries in a process may use.
    """

    def __init__(self, threads: int) -> None:
        self._workers = {own: Worker(threads) for own in (False, True)}

    def run(self, task: Task, save: Save, timeout: float | None) -> None:
        """Run a task, and hand the record of each of its cells to `save`.

        If the process dies, the cell that it was running is run once more, alone in a new process;
        if that dies as well, the cell has failed.
        """
        worker = self._workers[task.has_own_code]
        left, suspect, deaths = task.cells, "", 0
        while left and not worker.stopped:
            part = task.only(left[:1] if suspect else left)
            running, done = "", 0
            record = None
            try:
                for messages in worker.messages(part, timeout):
                    records = [one for one in messages if isinstance(one, Record)]
                    if records:
                        save(records)
                    done += len(records)
                    last = messages[-1] if messages else None
                    running = last.key if isinstance(last, Started) else ""
            except TookTooLong:
                record = new_record(task, left[done], "timeout", f"took longer than {timeout:g} s")
            except WorkerDied as death:
                if worker.stopped:
                    return
                deaths = 0 if done or running else deaths + 1
                if deaths > MAX_UNEXPLAINED_DEATHS:
                    raise WorkersDie(
                        f"worker processes keep ending before they start a cell"
                        f" ({str(death) or 'out of memory?'}); try fewer at a time"
                    ) from None
                if running and running == suspect:
                    record = new_record(task, left[0], "failed", KILLED, traceback=str(death))
            suspect = "" if record is not None else running or suspect * (not done)
            left = left[done:]
            if record is not None:
                save([record])
                left = left[1:]

    def stop(self) -> None:
        """End the processes for good."""
        for worker in self._workers.values():
            worker.stop()


class LocalEngine:
    """Worker processes of this machine.

    Parameters
    ----------
    jobs : int
        The tasks of the error pass that run at a time; timings run one by one.
    """

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs

    def run(self, tasks: Sequence[Task], save: Save, timeout: float | None) -> None:
        """Run tasks; see `Engine`."""
        if not tasks:
            return
        from joblib import Parallel, delayed

        at_a_time = min(1 if tasks[0].run_pass == "timing" else self._jobs, len(tasks))
        threads = max(1, (os.cpu_count() or 1) // at_a_time)
        slots = [Slot(threads) for _ in range(at_a_time)]
        idle: SimpleQueue[Slot] = SimpleQueue()
        for slot in slots:
            idle.put(slot)

        def run_one(task: Task) -> None:
            slot = idle.get()
            try:
                slot.run(task, save, timeout)
            finally:
                idle.put(slot)

        try:
            Parallel(at_a_time, backend="threading", batch_size=1)(
                delayed(run_one)(task) for task in tasks
            )
        finally:
            for slot in slots:
                slot.stop()
            for _ in slots:  # no thread saves a record after this
                idle.get()
