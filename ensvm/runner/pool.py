"""Run tasks in the processes of an executor: joblib's on this machine, dask's on a cluster.

One loop serves both. It submits tasks, takes them as they end, and submits again what is missing
when a process has died. On this machine each worker is an executor of joblib with one process, so
that a process that dies breaks no other; the records that it has finished are on the disk.
"""

import errno
import math
import os
import re
import signal
import threading
import time
import warnings
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

from joblib import cpu_count
from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.process_executor import ShutdownExecutorError

from ensvm.errors import UserError
from ensvm.records.record import Identity, Record
from ensvm.records.store import Store
from ensvm.runner.cell import Task, new_record
from ensvm.runner.worker import (
    LOOK_SECONDS,
    SAFE_PATH,
    TIMED_OUT,
    CellDied,
    Traces,
    how_ended,
    run_cells,
    start_worker,
)
from ensvm.temporary_folder import TemporaryFolder

SEMAPHORES = "/dev/shm"  # where Linux keeps what processes share
NO_RESOURCES = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ENOSPC)

# What may have killed a process, by the signal; of the other signals, nobody knows.
CAUSES = {
    "SIGKILL": "out of memory?",
    "SIGXCPU": "the limit of its CPU time is over (ulimit -t)",
    "SIGXFSZ": "a file was larger than the limit (ulimit -f)",
    **dict.fromkeys(
        ("SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGSEGV", "SIGSYS", "SIGTRAP"),
        "a crash in compiled code?",
    ),
}

# Takes records that are new on the disk.
Report: TypeAlias = Callable[[list[Record]], None]
# Takes a message of a worker process.
Say: TypeAlias = Callable[[str], None]
# Takes how many seconds a worker process has waited for the compiler so far, on average.
Compiled: TypeAlias = Callable[[float], None]

# Processes that end without a message (out of memory while they start, for example) would
# otherwise be started for ever.
MAX_SILENT_DEATHS = 4
IDLE_SECONDS = 300.0  # after which a process ends that nobody needs
GRACE_SECONDS = 1.0  # a worker ends itself at the time limit; later, the parent does
# Libraries read these when they are loaded; joblib sets the same for its workers.
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)


class Interruption(threading.Event):
    """Ctrl+C. A running pool looks for it, so that it need not be raised within a library.

    Libraries swallow an exception that is raised in a callback or while an object ends, and Python
    then prints a traceback.
    """

    is_awaited = False  # whether a pool is running, which looks for it twice a second

    @contextmanager
    def awaited(self) -> Iterator[None]:
        """Tell the handler that the body looks for it."""
        self.is_awaited = True
        try:
            yield
        finally:
            self.is_awaited = False


# Set by who handles Ctrl+C
interrupted = Interruption()
_starting = threading.Lock()  # threads of a dask worker start processes, too


class WorkersDie(RuntimeError):
    """Worker processes keep ending although no cell is running in them."""


@dataclass(frozen=True)
class Attempt:
    """A task to run."""

    task: Task
    is_last: bool = False  # whether a process has died in its only cell before
    silent_deaths: int = 0  # how many processes have ended one after the other, outside of a cell


class Pool(ABC):
    """Runs tasks of a study whose store is open, and reports records when they are on the disk."""

    size = math.inf  # how many tasks may run at once

    def __init__(self, store: Store, report: Report) -> None:
        self._store, self._report = store, report
        self._done: set[Identity] = set()

    @abstractmethod
    def submit(self, attempt: Attempt) -> Future[Any]:
        """Start a task."""

    @abstractmethod
    def missed(self, future: Future[Any], attempt: Attempt) -> list[Attempt]:
        """Return what must be run again now that an attempt has ended."""

    @abstractmethod
    def end(self) -> None:
        """End the tasks that are running."""

    def look(self) -> None:
        """Report the records that were written since the last look."""
        if records := self._store.appended():
            self._done |= {record.identity for record in records}
            self._report(records)

    def run(
        self,
        tasks: Sequence[Task],
        *,
        one_by_one: bool = False,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """Run tasks, as many at once as the pool allows, in their order.

        `is_stopped` is called about twice a second; if it returns true, no task is waited for.
        """
        self._done.clear()
        at_a_time = 1 if one_by_one else self.size
        waiting = deque(Attempt(task) for task in tasks)
        running: dict[Future[Any], Attempt] = {}
        with interrupted.awaited():
            while (waiting or running) and not is_stopped():
                if interrupted.is_set():
                    raise KeyboardInterrupt
                while waiting and len(running) < at_a_time:
                    attempt = waiting.popleft()
                    running[self.submit(attempt)] = attempt
                ended, _ = wait(running, LOOK_SECONDS, FIRST_COMPLETED)
                self.look()
                for future in ended:
                    waiting.extendleft(reversed(self.missed(future, running.pop(future))))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()
        if kind is None or issubclass(kind, KeyboardInterrupt):
            self.look()

    def _fail(self, task: Task, status: Any, reason: str, crash: str = "") -> None:
        """Write the record of the first cell of a task, whose process died."""
        record = new_record(task, task.cells[0], status, reason, traceback=crash)
        self._store.append([record, *task.answered_by(record)])
        self.look()


class LocalPool(Pool):
    """Up to `jobs` worker processes of this machine.

    A cell whose process dies is run once more, alone; if that process dies too, the cell fails. A
    cell that takes more than `timeout` seconds is ended. No other cell is lost. `threads` is how
    many threads the libraries of a process may use, unless environment variables set it. `say` is
    called once for each different message of the processes, and `compiled` when they have waited
    for the compiler.
    """

    def __init__(
        self,
        store: Store,
        report: Report,
        timeout: float | None,
        jobs: int,
        threads: int = 0,
        say: Say = lambda message: None,
        compiled: Compiled = lambda seconds: None,
    ) -> None:
        if not hasattr(os, "fork"):
            raise UserError("cells run in forked processes: on Windows, use WSL")
        super().__init__(store, report)
        self.size = jobs
        self._timeout, self._say, self._compiled = timeout, say, compiled
        self._said = set[str]()
        self._folder = TemporaryFolder()
        threads = threads or max(1, cpu_count() // jobs)
        self._idle = [
            _Worker(Path(self._folder.name) / str(number), threads) for number in range(jobs)
        ]
        self._busy: dict[Future[Any], _Worker] = {}

    def submit(self, attempt: Attempt) -> Future[Any]:
        """Start a task in an idle worker."""
        worker = self._idle.pop(0)
        future = worker.submit(attempt, self._store.folder, self._timeout)
        self._busy[future] = worker
        return future

    def look(self) -> None:
        """Report what workers have done and said; kill the processes whose cells take too long."""
        workers = [*self._idle, *self._busy.values()]
        if seconds := sum(worker.traces.compiling_seconds for worker in workers):
            self._compiled(seconds / len(workers))
        super().look()
        for worker in self._busy.values():
            for message in worker.traces.messages:
                if message not in self._said:
                    self._said.add(message)
                    self._say(message)
            worker.notice_death()
            if self._timeout is not None:
                worker.kill_if_older(self._timeout + GRACE_SECONDS)

    def missed(self, future: Future[Any], attempt: Attempt) -> list[Attempt]:
        """Return what must be run again if the worker has died, and free the worker."""
        worker = self._busy.pop(future)
        self._idle.insert(0, worker)
        try:
            future.result()
        except (BrokenExecutor, CellDied) as death:
            return self._after_death(worker, attempt, death)
        except ShutdownExecutorError:
            return self._after_death(worker, attempt, BrokenExecutor(worker.death))
        return []

    def _after_death(self, worker: "_Worker", attempt: Attempt, death: Exception) -> list[Attempt]:
        mark, crash = worker.traces.mark, worker.traces.crash
        if isinstance(death, BrokenExecutor):
            worker.end()
        worker.traces.end()
        self.look()
        task = attempt.task
        rest = task.only(tuple(cell for cell in task.cells if cell.identity not in self._done))
        suspects = tuple(cell for cell in rest.cells if mark and cell.identity == mark.cell)
        if not suspects:
            has_begun = len(rest.cells) < len(task.cells)
            deaths = 0 if has_begun else attempt.silent_deaths + 1
            if deaths > MAX_SILENT_DEATHS:
                raise WorkersDie(
                    "worker processes keep ending before they start a cell"
                    f" ({_how(death)}; out of memory?); try fewer at a time"
                ) from death
            return [Attempt(rest, attempt.is_last, deaths)] if rest.cells else []
        again, alone = list[Attempt](), rest.only(suspects)
        if worker.was_too_slow or TIMED_OUT in (str(death), crash[: len(TIMED_OUT)]):
            self._fail(alone, "timeout", f"took longer than {self._timeout:g} s", crash)
        elif attempt.is_last:
            self._fail(alone, "failed", _reason(_how(death)), crash)
        else:
            again.append(Attempt(alone, is_last=True))
        if others := tuple(cell for cell in rest.cells if cell not in suspects):
            again.append(Attempt(rest.only(others)))
        return again

    def end(self) -> None:
        """Kill the workers."""
        workers = [*self._idle, *self._busy.values()]
        for worker in workers:
            worker.end(wait=False)
        for worker in workers:
            worker.end()
        self._folder.cleanup()


class _Worker:
    """An executor of one process, which is started for a task and after a death."""

    def __init__(self, folder: Path, threads: int) -> None:
        folder.mkdir()
        self.traces, self.was_too_slow = Traces(folder), False
        self.death = ""  # how the process ended, if joblib has not noticed it since the last look
        self._threads = threads
        self._executor: ProcessPoolExecutor | None = None
        self._task: Future[Any] | None = None  # the last one
        self._has_run_cells = False

    def submit(self, attempt: Attempt, results: Path, timeout: float | None) -> Future[Any]:
        """Start a task in the process, or in a fork of it if another cell must not notice."""
        in_fork = attempt.task.has_own_code or attempt.is_last
        if in_fork and self._has_run_cells:
            self.end()  # a process that has run nothing is forked
        self._has_run_cells |= not in_fork
        self.was_too_slow, self.death = False, ""
        try:
            with _starting_processes() as safe_path:
                if self._executor is None:
                    self._executor = _executor(self._threads, safe_path)
                self._task = self._executor.submit(
                    run_cells, attempt.task, results, self.traces, timeout, in_fork=in_fork
                )
                return self._task
        except BrokenExecutor:  # the process was killed while it had nothing to do
            self.end()
            return self.submit(attempt, results, timeout)
        except OSError as error:
            if error.filename is not None:
                raise
            raise UserError(_why_not_started(error)) from error

    def kill_if_older(self, seconds: float) -> None:
        """Kill the process of a cell that has taken more than so many seconds."""
        mark = self.traces.mark
        if mark is not None and mark.age > seconds:
            self.was_too_slow = True
            _kill_group(mark.pid)

    def notice_death(self) -> None:
        """Shut the executor down if its process has ended and joblib has not noticed it.

        joblib waits for the end of a pipe, which a process that a cell left behind may keep open.
        """
        processes = [] if self._executor is None else [*self._executor._processes.values()]
        codes = [process.exitcode for process in processes]
        if self.death and self._executor is not None:  # joblib had time since the last look
            self._executor.shutdown(wait=False, kill_workers=True)
        elif codes and codes[0] is not None:
            self.death = how_ended(codes[0])

    def end(self, *, wait: bool = True) -> None:
        """Kill the process, and all that its cells have started."""
        if self._executor is None:
            return
        if mark := self.traces.mark:
            _kill_group(mark.pid)
        # joblib's thread fails if the executor is shut down before it has taken up the task.
        deadline = time.monotonic() + GRACE_SECONDS
        while (task := self._task) and not (task.running() or task.done()):
            if time.monotonic() > deadline:
                break
            time.sleep(0.001)
        self._executor.shutdown(wait=wait, kill_workers=True)
        if wait:
            self._executor, self._has_run_cells = None, False


def _executor(threads: int, safe_path: str | None) -> ProcessPoolExecutor:
    # joblib looks for children with psutil or pgrep; without these it warns. Ours are in a group.
    warnings.filterwarnings("ignore", message="Failed to kill subprocesses")
    environment = {name: os.environ.get(name, str(threads)) for name in THREAD_VARIABLES}
    return ProcessPoolExecutor(
        1,
        timeout=IDLE_SECONDS,
        initializer=start_worker,
        initargs=(os.getpid(), safe_path),
        env={**environment, SAFE_PATH: "1"},
    )


@contextmanager
def _starting_processes() -> Iterator[str | None]:
    """Let processes that start in the body import nothing from the working directory.

    joblib starts Python with -m and -c, which would look there first. They do not hear Ctrl+C
    either, before they can ignore it. Yields what SAFE_PATH is outside.
    """
    with _starting:
        outside = os.environ.get(SAFE_PATH)
        os.environ[SAFE_PATH] = "1"
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield outside
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            del os.environ[SAFE_PATH]
            if outside is not None:
                os.environ[SAFE_PATH] = outside


def _why_not_started(error: OSError) -> str:
    """Return why the system starts no worker process, and what to do about it."""
    message = f"no worker process can be started: {error.strerror or error}"
    if error.errno in NO_RESOURCES:
        return f"{message}; free some, or give fewer --jobs"
    if not os.access(SEMAPHORES, os.W_OK):
        message += f"; processes share locks in {SEMAPHORES}, which is not a folder that can be"
        message += " written: mount a tmpfs there (a container: --tmpfs /dev/shm)"
    return message


def _kill_group(pid: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _reason(how: str) -> str:
    """Return what the end of a process in a cell means, as far as it can be known."""
    if how.startswith("EXIT"):
        return f"its process ended without a record ({how}), as it does by `os._exit`"
    meaning = CAUSES.get(how.partition("(")[0], "by its own code, a timer or another program?")
    return f"its worker process was killed ({how}): {meaning}"


def _how(death: Exception) -> str:
    """Return how a process ended, such as SIGKILL(-9)."""
    found = re.search(r"\w+\(-?\d+\)", str(death))
    return found[0] if found else type(death).__name__
