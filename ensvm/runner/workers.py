"""Tasks in parallel worker processes; a worker that dies costs the cell it was at, and no other."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import resource_tracker

from ensvm.records.record import Record
from ensvm.runner.guard.tracker import silence_successor
from ensvm.runner.task import Task, begin_worker, new_record, run_task

# Workers that keep dying between cells (out of memory while they start, say) would otherwise be
# started for ever.
MAX_UNEXPLAINED_BREAKS = 3


class WorkersDie(RuntimeError):
    """Worker processes end although no cell is running in them."""


def run_tasks(
    tasks: list[Task], save: Callable[[list[Record]], None], *, jobs: int, timeout: float | None
) -> None:
    """Run the tasks, `jobs` at a time, and give each task's records to `save` the moment it ends.

    When a worker is killed, what it had finished is saved from its journal, the cells in progress
    are run again each in a worker of its own, and one whose worker dies again becomes a failed
    record.

    Raises
    ------
    WorkersDie
        If workers keep ending without a cell in progress.
    """
    handed_over: set[str] = set()

    def keep(records: list[Record]) -> None:
        new = [record for record in records if record.key not in handed_over]
        if new:
            handed_over.update(record.key for record in new)
            save(new)

    breaks = 0
    while tasks:
        try:
            for records in _parallel(tasks, jobs):
                keep(records)
                tasks[0].journal.forget(records[0].key)
            return
        except BrokenProcessPool:
            finished, running, _ = tasks[0].journal.take()
            keep(finished)
            left = {cell.key for task in tasks for cell in task.cells} - handed_over
            suspects = _keep(tasks, left & running.keys())
            breaks = 0 if suspects else breaks + 1
            if breaks > MAX_UNEXPLAINED_BREAKS:
                raise WorkersDie(
                    "worker processes keep ending before they start a cell (out of memory?);"
                    " try fewer --jobs"
                ) from None
            for suspect in (task.only((cell,)) for task in suspects for cell in task.cells):
                keep(_run_alone(suspect, running[suspect.name], timeout))
            tasks = _keep(tasks, left - handed_over)


def _run_alone(task: Task, started: float, timeout: float | None) -> list[Record]:
    """Run a cell that was in progress when a worker died; if that dies too, it was the cause."""
    finished: list[Record] = []
    crash = ""
    if not _late(started, timeout):
        try:
            return next(_parallel([task], 1))
        except BrokenProcessPool:
            finished, running, crash = task.journal.take()
            if any(record.key == task.name for record in finished):  # it died after the cell
                return finished
            started = running.get(task.name, started)
    if _late(started, timeout):
        ended = new_record(task, task.cells[0], "timeout", f"took longer than {timeout:g} s")
    else:
        reason = "its worker process was killed (out of memory, or a crash in compiled code)"
        ended = new_record(task, task.cells[0], "failed", reason, traceback=crash)
    return [*finished, ended]


def _late(start: float, timeout: float | None) -> bool:
    return timeout is not None and time.time() - start >= timeout


def _parallel(tasks: list[Task], jobs: int) -> Iterator[list[Record]]:
    """Yield each task's records as it ends.

    One job runs in a worker, too, whose end is not that of the run.
    """
    from joblib import Parallel, delayed

    # joblib runs a single job in the process itself: two workers then, one task at a time.
    ahead = 2 * jobs if jobs > 1 else 1
    parallel = Parallel(
        n_jobs=max(jobs, 2),
        return_as="generator_unordered",
        batch_size=1,
        pre_dispatch=ahead,
        backend="loky",
        initializer=begin_worker,
        initargs=(os.getpid(), tasks[0].journal),
    )
    with _workers_spared():
        outcomes = parallel(delayed(run_task)(task) for task in tasks)
    yield from outcomes


@contextmanager
def _workers_spared() -> Iterator[None]:
    """Block Ctrl+C while processes and threads start, which inherit that.

    It is for this thread alone, from the first moment on.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    # Python up to 3.12 unblocks Ctrl+C when it starts this process of its own, so it is first.
    resource_tracker.ensure_running()
    silence_successor()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _keep(tasks: list[Task], wanted: set[str]) -> list[Task]:
    kept = ((task, tuple(cell for cell in task.cells if cell.key in wanted)) for task in tasks)
    return [task.only(cells) for task, cells in kept if cells]
