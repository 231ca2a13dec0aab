"""Tasks in parallel worker processes of this machine."""

import os
import warnings
from collections.abc import Sequence
from queue import SimpleQueue

from ensvm.records.record import Record
from ensvm.runner.engines.attempts import attempt
from ensvm.runner.engines.child import Child
from ensvm.runner.engines.engine import Save
from ensvm.runner.task import Task


class LocalEngine:
    """Worker processes of this machine; one that dies costs the cell it was at, and no other.

    Each of joblib's threads has such a process do one task after another.

    Parameters
    ----------
    jobs : int
        The tasks of the error pass that are run at a time; timings are run one by one.
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
        journal = tasks[0].journal
        children = [Child(journal, threads) for _ in range(at_a_time)]
        idle: SimpleQueue[Child] = SimpleQueue()
        for child in children:
            idle.put(child)
        parallel = Parallel(
            at_a_time, backend="threading", return_as="generator_unordered", batch_size=1
        )
        answers = parallel(delayed(_done)(task, idle, timeout) for task in tasks)
        try:
            for parts in answers:
                for name, records in parts:
                    save(records)
                    journal.forget(name)
        except BaseException:
            for child in children:  # first: threads that wait for their answers end then
                child.kill()
            raise
        finally:
            with warnings.catch_warnings():
                # That tasks are left where a run is interrupted is no news.
                warnings.filterwarnings("ignore", module="joblib")
                answers.close()
            for child in children:
                child.end()


def _done(
    task: Task, idle: SimpleQueue[Child], timeout: float | None
) -> list[tuple[str, list[Record]]]:
    """Do a task in a process that has nothing else to do; return the parts of its answer."""
    child = idle.get()
    try:
        return list(attempt(task, child, timeout))
    finally:
        idle.put(child)
