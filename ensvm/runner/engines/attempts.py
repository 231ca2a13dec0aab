"""The cells of a task in a child process: which of them a death of the process is counted to."""

import time
from collections.abc import Callable, Iterator
from typing import Any

from ensvm.records.record import Record
from ensvm.runner.engines.child import Child, ChildDied
from ensvm.runner.engines.engine import WorkersDie
from ensvm.runner.journal import Left
from ensvm.runner.plan import Cell
from ensvm.runner.task import Task, new_record, run_task

# Processes that keep ending between cells (out of memory while they start, say) would otherwise be
# started for ever.
MAX_UNEXPLAINED_DEATHS = 3


def attempt(
    task: Task,
    child: Child,
    timeout: float | None,
    function: Callable[[Task], Any] = run_task,
) -> Iterator[tuple[str, Any]]:
    """Do the cells of a task in a child process, and yield the parts of its answer.

    When the process dies, what it had finished is taken from its journal, and the cell that it was
    at is done once more, alone in a new process; if that dies too, the cell is a failed one.

    Parameters
    ----------
    task : Task
        The task.
    child : Child
        The process.
    timeout : float or None
        The seconds that one cell may take: after them a death is the end that a time limit makes.
    function : callable, default run_task
        What the process does with the task.

    Yields
    ------
    str
        The name by which the journal knows the part.
    object
        Records of its cells, each cell once over all parts, or another answer of `function`.

    Raises
    ------
    WorkersDie
        If processes keep ending without a cell in progress.
    """
    left, suspect, deaths = task.cells, "", 0
    while left and not child.killed:
        part = task.only(left[:1] if suspect else left)
        try:
            answer = child.do(function, part)
        except ChildDied as death:
            noted = task.journal.left_by(death.process, part.name)
        else:
            yield part.name, answer
            left, suspect = left[len(part.cells) :], ""
            continue
        if noted.records:
            yield part.name, noted.records
        left = left[len(noted.records) :]
        if child.killed:
            return
        deaths = 0 if noted.records or noted.running else deaths + 1
        if deaths > MAX_UNEXPLAINED_DEATHS:
            raise WorkersDie(
                "worker processes keep ending before they start a cell (out of memory?);"
                " try fewer at a time"
            )
        if not left or left[0].key not in noted.running:
            suspect = suspect if left and left[0].key == suspect else ""
        elif ended := _ended(task, left[0], noted, timeout, again=suspect == left[0].key):
            yield part.name, [ended]
            left, suspect = left[1:], ""
        else:
            suspect = left[0].key


def _ended(
    task: Task, cell: Cell, noted: Left, timeout: float | None, *, again: bool
) -> Record | None:
    """Return the record of a cell whose process died; None where it is to be tried once more."""
    if timeout is not None and time.time() - noted.running[cell.key] >= timeout:
        return new_record(task, cell, "timeout", f"took longer than {timeout:g} s")
    if not again:
        return None
    reason = "its worker process was killed (out of memory, or a crash in compiled code)"
    return new_record(task, cell, "failed", reason, traceback=noted.crash)
