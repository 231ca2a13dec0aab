"""Tasks in parallel worker processes of this machine."""

import os
import threading
from collections import deque
from collections.abc import Sequence
from queue import SimpleQueue
from typing import Any

from ensvm.runner.engines.attempts import attempt
from ensvm.runner.engines.child import Child
from ensvm.runner.engines.engine import Save
from ensvm.runner.task import Task


class LocalEngine:
    """Worker processes of this machine; one that dies costs the cell it was at, and no other.

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
        at_a_time = min(1 if tasks[0].run_pass == "timing" else self._jobs, len(tasks))
        threads = max(1, (os.cpu_count() or 1) // at_a_time)
        journal = tasks[0].journal
        children = [Child(journal, threads) for _ in range(at_a_time)]
        waiting = deque(tasks)
        found: SimpleQueue[Any] = SimpleQueue()
        workers = [
            threading.Thread(target=_work, args=(waiting, child, found, timeout), daemon=True)
            for child in children
        ]
        try:
            for worker in workers:
                worker.start()
            busy = at_a_time
            while busy:
                answer = found.get()
                if answer is None:
                    busy -= 1
                elif isinstance(answer, BaseException):
                    raise answer
                else:
                    name, records = answer
                    save(records)
                    journal.forget(name)
        finally:
            waiting.clear()
            for child in children:
                child.kill()
            for worker in workers:
                if worker.ident is not None:
                    worker.join()


def _work(
    waiting: deque[Task], child: Child, found: SimpleQueue[Any], timeout: float | None
) -> None:
    """Do tasks in a child process until none waits; put parts of answers, an error, and None."""
    try:
        while waiting and not child.killed:
            try:
                task = waiting.popleft()
            except IndexError:  # another was quicker
                break
            for part in attempt(task, child, timeout):
                found.put(part)
    except BaseException as error:
        found.put(error)
    finally:
        child.end()
        found.put(None)
