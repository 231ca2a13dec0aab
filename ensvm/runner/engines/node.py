"""What a thread of a dask worker does: it has a plain child process do the tasks of a run.

Time limits, signals and the journal are the child's, whose death costs a cell and not the worker.
"""

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ensvm.data import DataError, load
from ensvm.data.cards.card import Source
from ensvm.data.providers.pushing import unpacked
from ensvm.records.provenance import provenance
from ensvm.records.record import Record, Run
from ensvm.runner.engines.attempts import attempt
from ensvm.runner.engines.child import Child
from ensvm.runner.journal import Journal
from ensvm.runner.task import Task, run_task

# A run that was killed stops nothing: its children end when nobody has asked them for so long.
IDLE_SECONDS = 30.0


@dataclass(frozen=True)
class Order:
    """What a worker is to do.

    Attributes
    ----------
    run : str
        Names the run, so that stopping it stops no other on the same cluster.
    task : Task
        The task.
    timeout : float or None
        The seconds that one cell may take.
    command : tuple of str
        The arguments of the command line, for the provenance.
    files : dict of Source or None
        The files of the data set that were sent here, by their checksums; None where none were.
    last : bool
        Whether data that cannot be loaded make failed cells, for asking again is of no use.
    """

    run: str
    task: Task
    timeout: float | None
    command: tuple[str, ...] = ()
    files: Mapping[str, Source] | None = field(default=None, hash=False)
    last: bool = False


@dataclass(frozen=True)
class NoData:
    """Instead of records: the data set is not here, and why."""

    why: str


@dataclass(frozen=True)
class Answer:
    """What became of an order: the records made, by which run, or that there are no data."""

    run: Run
    records: list[Record]
    no_data: NoData | None = None


class Node:
    """The children that do the tasks of one run in this process, one for each thread that asks."""

    def __init__(self, folder: Path, jobs: int, command: tuple[str, ...]) -> None:
        self._journal = Journal(folder)
        self._journal.folder.mkdir(parents=True, exist_ok=True)
        self._threads = max(1, (os.cpu_count() or 1) // jobs)
        self._run = replace(provenance(jobs), command=command)
        self._lock = threading.Lock()
        self._idle: list[Child] = []
        self._busy: list[Child] = []
        self._timer: threading.Timer | None = None
        self._stopped = False

    def do(self, order: Order) -> Answer:
        """Do an order in a child; what is stopped meanwhile answers with the cells it has done."""
        card = order.task.card
        if order.files is not None:
            found = unpacked(card, order.files)
            if found is None:
                return Answer(self._run, [], NoData("it was not sent to this worker yet"))
            card = found
        task = replace(
            order.task,
            card=card,
            data_dir=_here(order.task.data_dir),
            run_id=self._run.id,
            journal=self._journal,
        )
        records: list[Record] = []
        child = self._borrowed()
        try:
            function = run_task if order.last else run_if_here
            for name, part in attempt(task, child, order.timeout, function):
                if isinstance(part, NoData):
                    return Answer(self._run, records, part)
                records += part
                self._journal.forget(name)
        finally:
            self._give_back(child)
        return Answer(self._run, records)

    def stop(self) -> None:
        """End all children, those at work too, for good."""
        with self._lock:
            self._stopped = True
            if self._timer is not None:
                self._timer.cancel()
            idle, self._idle = self._idle, []
        for child in (*idle, *self._busy):
            child.kill()
        for child in idle:
            child.end()

    def _borrowed(self) -> Child:
        with self._lock:
            # Data come from the machine that writes: it has them, and asks the network once.
            offline = {"ENSVM_OFFLINE": "1"}
            idle = self._idle
            child = idle.pop() if idle else Child(self._journal, self._threads, offline)
            self._busy.append(child)
            if self._stopped:
                child.kill()
            return child

    def _give_back(self, child: Child) -> None:
        with self._lock:
            self._busy.remove(child)
            if self._stopped:
                child.end()
                return
            self._idle.append(child)
            if self._timer is not None:
                self._timer.cancel()
            self._timer = threading.Timer(IDLE_SECONDS, self._end_idle)
            self._timer.daemon = True
            self._timer.start()

    def _end_idle(self) -> None:
        with self._lock:
            children, self._idle = self._idle, []
        for child in children:
            child.end()


def run_if_here(task: Task) -> list[Record] | NoData:
    """Return the records of a task's cells, or that its data are not on this machine."""
    try:
        load(task.card, data_dir=task.data_dir)
    except DataError as error:
        return NoData(str(error))
    return run_task(task)


_nodes: dict[str, Node | None] = {}
_lock = threading.Lock()


def do(order: Order) -> Answer | None:
    """Do an order in this process, a dask worker; None where the run was stopped."""
    from distributed import get_worker

    with _lock:
        if order.run not in _nodes:
            worker = get_worker()
            folder = Path(worker.local_directory) / f"ensvm-{order.run}"
            _nodes[order.run] = Node(folder, worker.state.nthreads, order.command)
        node = _nodes[order.run]
    return None if node is None else node.do(order)


def stop(run: str) -> None:
    """Stop a run in this process, and do no order of it any more."""
    with _lock:
        node = _nodes.get(run)
        _nodes[run] = None
    if node is not None:
        node.stop()


def _here(data_dir: Path | None) -> Path | None:
    """Return those folders of data that are on this machine, too."""
    folders = [] if data_dir is None else str(data_dir).split(os.pathsep)
    there = [folder for folder in folders if os.path.isdir(folder)]
    return Path(os.pathsep.join(there)) if there else None
