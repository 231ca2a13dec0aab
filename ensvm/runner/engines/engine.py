"""What runs the tasks of a study, wherever it does."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from ensvm.records.record import Record
from ensvm.runner.task import Task

# Has records on the disk before it returns. One with its `run` was made on another machine, whose
# provenance is then written too.
Save: TypeAlias = Callable[[list[Record]], None]


class WorkersDie(RuntimeError):
    """Worker processes end although no cell is running in them."""


class EngineRefused(ValueError):
    """An engine that cannot be used as it is; the message says what to do."""


class Engine(Protocol):
    """Runs tasks. Where a cell runs is not what it is: its record is the same on every engine."""

    def run(self, tasks: Sequence[Task], save: Save, timeout: float | None) -> None:
        """Run tasks, all of one pass, and give the records of their cells to `save`, each once.

        Timings are run one at a time. A cell whose process dies twice becomes a failed record, one
        that took longer than allowed a timeout; no other cell is lost.

        Parameters
        ----------
        tasks : sequence of Task
            The tasks, the longest first.
        save : callable
            Takes a list of records, in the calling thread, the moment they are there.
        timeout : float or None
            The wall time in seconds that one cell may take; None for any.

        Raises
        ------
        WorkersDie
            If workers keep ending without a cell in progress.
        EngineRefused
            If there is nobody who can run them.
        """
