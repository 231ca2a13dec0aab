"""What a worker process does: run the cells of a task and write each record at once.

A worker says in a file, its *mark*, which cell it runs and since when, so that the parent can stop
a cell that takes too long, and knows which cell a dead worker was running. Cells with the user's
own code run in a fork of the worker that ends with them, so that no state of that code can reach
another cell; so does a cell in which a process has died before.
"""

import faulthandler
import json
import logging
import multiprocessing
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeAlias

from joblib import parallel_config
from numba.core.event import install_timer

from ensvm.data import load
from ensvm.errors import UserError
from ensvm.records.code_identity import PACKAGE
from ensvm.records.record import Identity, Record
from ensvm.records.store import Appender, read_records
from ensvm.runner.cell import Started, Task, new_record, run_task, warm_up_libraries
from ensvm.runner.estimator_output import error_text

Save: TypeAlias = Callable[[list[Record]], None]  # writes records

LOOK_SECONDS = 0.5  # between two looks at the clock, and whether the parent has ended
# If this is set, Python imports nothing from the working directory.
SAFE_PATH = "PYTHONSAFEPATH"
_parent = 0  # the process that started this worker
UNREADABLE = "its record cannot be read: has its code replaced functions of Python, such as json's?"
TIMED_OUT = "Timeout ("  # begins what faulthandler writes when a time limit is over
MESSAGES = "messages"  # the file of what a worker process logs
SAVED = "saved"  # the file that a fork leaves when it has written its records
COMPILING = "compiling"  # the file of the seconds that it has waited for the compiler
# Taken before a cell can replace it: a fork that goes on would be a second worker.
_end_process = os._exit


class CellDied(Exception):
    """The fork that ran a cell has ended; the text says how."""


@dataclass(frozen=True)
class Mark:
    """The cell that a worker runs, the process that runs it, and when it began."""

    cell: Identity
    pid: int
    begun: float  # of the monotonic clock, which all processes of a machine share

    @property
    def age(self) -> float:
        """The seconds since the cell began."""
        return time.monotonic() - self.begun


@dataclass(frozen=True)
class Traces:
    """The files by which the parent learns what a worker does, and where it crashed."""

    folder: Path

    @property
    def mark(self) -> Mark | None:
        """The mark; None between two cells."""
        with suppress(OSError, ValueError):
            cell, pid, begun = json.loads((self.folder / "mark").read_text())
            return Mark(tuple(cell), pid, begun)
        return None

    def begin(self, cell: Identity) -> None:
        """Set the mark: a cell begins in this process."""
        text = json.dumps((cell, os.getpid(), time.monotonic()))
        (self.folder / "mark").write_text(text)

    def end(self) -> None:
        """Remove the mark."""
        (self.folder / "mark").unlink(missing_ok=True)

    @property
    def messages(self) -> list[str]:
        """The messages of the process so far, which the run shows above its bar."""
        return _text_of(self.folder / MESSAGES).splitlines()

    @property
    def compiling_seconds(self) -> float:
        """The seconds that the process has waited for the compiler so far."""
        return sum(map(float, _text_of(self.folder / COMPILING).splitlines()))

    def add_compiling(self, seconds: float) -> None:
        """Note that the process has waited for the compiler."""
        with (self.folder / COMPILING).open("a") as file:
            file.write(f"{seconds:.3f}\n")

    @property
    def crash(self) -> str:
        """What faulthandler wrote about a crash or the end of a time limit."""
        # The list of extension modules at the end says nothing about the crash.
        return _text_of(self.folder / "crash").partition("\nExtension modules:")[0].strip()


def start_worker(parent: int, safe_path: str | None) -> None:
    """Prepare a new worker process; `safe_path` is for the processes that its cells start."""
    os.environ.pop(SAFE_PATH, None)
    if safe_path is not None:
        os.environ[SAFE_PATH] = safe_path
    _lead_a_group(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the parent, which ends this one
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    # joblib's way to start processes serves only its own; a cell may start some by multiprocessing.
    multiprocessing.set_start_method(None, force=True)
    # What a cell prints goes to standard error, and it has nothing to read.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)


def run_cells(
    task: Task, results: Path, traces: Traces, timeout: float | None, *, in_fork: bool
) -> None:
    """Run a task in this worker, or in a fork of it, and append its records to a study's store.

    `results` is the folder of the study.

    Raises CellDied if the fork ends without a record.
    """
    traces.folder.mkdir(parents=True, exist_ok=True)  # a cleaner of /tmp may have removed it
    warm_up_libraries()  # the time limit of the first cell does not include imports
    with Appender(results) as store:

        def save(records: list[Record]) -> None:
            """Write records to the store; only then the mark is not needed any more."""
            store.append(records)
            traces.end()

        if in_fork:
            save(_from_fork(task, traces, timeout))
        else:
            _run(task, save, traces, timeout)


def _from_fork(task: Task, traces: Traces, timeout: float | None) -> list[Record]:
    """Return the records of a task of one cell that a fork of this process runs.

    The fork writes them into a folder of its own, and this process copies them to the store: what
    a cell does to its descriptors, limits and libraries does not reach the store.
    """
    with suppress(UserError):  # the fork meets the same error, and records it
        load(task.card, data_dir=task.data_dir)  # once for all forks
    folder = traces.folder / "fork"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    child = os.fork()
    if not child:
        _run_and_exit(task, folder, traces, timeout)
    _, status = os.waitpid(child, 0)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)  # what the cell has started and left behind
    reason = _text_of(folder / "error")
    try:
        records = list(read_records(folder).values())
    except UserError:
        records, reason = [], reason or UNREADABLE
    if records:
        return records
    if (folder / SAVED).exists() and os.waitstatus_to_exitcode(status) == 0:
        reason = reason or UNREADABLE
    if reason:
        failed = new_record(task, task.cells[0], "failed", reason)
        return [failed, *task.answered_by(failed)]
    mark = traces.mark
    if timeout is not None and mark is not None and mark.age >= timeout:
        raise CellDied(TIMED_OUT)
    raise CellDied(how_ended(os.waitstatus_to_exitcode(status)))


def how_ended(code: int) -> str:
    """Return how a process with an exit code ended, such as SIGKILL(-9) or EXIT(1)."""
    # Most signals of real time have no name.
    names: dict[int, str] = {number: number.name for number in signal.Signals}
    return f"{names.get(-code, 'SIGNAL')}({code})" if code < 0 else f"EXIT({code})"


def _text_of(file: Path) -> str:
    """Return the text of a file; an empty one if it cannot be read."""
    with suppress(OSError):
        return file.read_text(errors="replace")
    return ""


def _run(task: Task, save: Save, traces: Traces, timeout: float | None) -> None:
    process = os.getpid()
    # Cells are parallel already: an estimator's own jobs are threads, as in a joblib worker.
    with (
        parallel_config("threading"),
        open(traces.folder / "crash", "wb") as crash,
        _crashes_told(crash),
        _messages_kept(traces),
    ):
        for event in _compiling_timed(run_task(task), traces):
            if isinstance(event, Started):
                traces.begin(event.cell.identity)
                if timeout is not None:
                    faulthandler.dump_traceback_later(timeout, file=crash, exit=True)
            else:
                faulthandler.cancel_dump_traceback_later()
                if os.getpid() != process:  # a child that the cell has started and not ended
                    _end_process(0)
                _end_without_parent()
                save([event, *task.answered_by(event)])


def _compiling_timed(
    steps: Iterator[Started | Record], traces: Traces
) -> Iterator[Started | Record]:
    """Yield the steps of a task, and note how long each has waited for the compiler."""
    while True:
        with install_timer("numba:compile", traces.add_compiling):
            step = next(steps, None)
        if step is None:
            return
        yield step


@contextmanager
def _crashes_told(file: BinaryIO) -> Iterator[None]:
    """Let faulthandler write where this process crashes."""
    faulthandler.enable(file=file)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
        faulthandler.disable()


@contextmanager
def _messages_kept(traces: Traces) -> Iterator[None]:
    """Keep what `ensvm` logs in this process, such as that a solver is compiled, for the run."""
    logger = logging.getLogger(PACKAGE)
    level, handler = logger.level, logging.FileHandler(traces.folder / MESSAGES, delay=True)
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.setLevel(level)
        logger.removeHandler(handler)
        handler.close()


def _run_and_exit(task: Task, folder: Path, traces: Traces, timeout: float | None) -> None:
    """Run a task in this fork, write its records or an error into a folder, and end the fork."""

    def save(records: list[Record]) -> None:
        """Write records to the folder."""
        with Appender(folder) as store:  # opened after the cell, which may close what is open
            store.append(records)
        (folder / SAVED).touch()

    status = 1
    try:
        _lead_a_group(os.getppid())
        if task.has_own_code:
            # Last, so that a module of the user's cannot hide one of Python or of a package.
            sys.path.append(str(task.modules))
        _run(task, save, traces, timeout)
        with suppress(Exception):  # the cell may have replaced them
            sys.stdout.flush()
            sys.stderr.flush()
        status = 0
    except BaseException as error:
        # Nothing but calls of the system: the cell may have replaced `open`.
        file = os.open(folder / "error", os.O_CREAT | os.O_WRONLY)
        os.write(file, error_text(error, kind=True).encode())
    finally:
        _end_process(status)


def _lead_a_group(parent: int) -> None:
    """Lead a group of processes, which is killed when the parent of this process ends."""
    global _parent
    _parent = parent
    os.setpgid(0, 0)

    def watch() -> None:
        """End this process once its parent has ended."""
        while True:
            _end_without_parent()
            time.sleep(LOOK_SECONDS)

    threading.Thread(target=watch, daemon=True).start()


def _end_without_parent() -> None:
    """End this process and its group if its parent has ended; another run may have begun."""
    if os.getppid() != _parent:
        os.killpg(0, signal.SIGKILL)
