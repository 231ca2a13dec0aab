"""Do a plan's missing cells: the error pass in parallel, then the timing pass alone."""

import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Protocol

from ensvm.data import DataSearch
from ensvm.records.provenance import provenance
from ensvm.records.record import Identity, Record, Run
from ensvm.records.store import (
    CONFIG_COPY,
    PUBLISHED_COPY,
    Store,
    read_records,
)
from ensvm.records.writing import copy_file, replace_file
from ensvm.runner.engine import Engine
from ensvm.runner.plan import Cell, Plan
from ensvm.runner.task import Task, new_record, record_of_timing
from ensvm.runner.workers import LocalEngine
from ensvm.study.source import config_text


class Progress(Protocol):
    """What a run tells its watcher."""

    def data(self, dataset: str) -> None:
        """Say that a data set is being found, downloaded where it must be, and verified."""

    def missing(self, search: DataSearch, of: int) -> None:
        """Say which of `of` data sets no provider served, before any cell runs."""

    def start(self, cells: int, cost: float) -> None:
        """Say how many cells are going to run, and their total cost (in kernel values)."""

    def done(self, records: list[Record], cost: float) -> None:
        """Say that these cells have ended and are on the disk."""


@dataclass
class Outcome:
    """How a run ended.

    Cells done before, cells by status, the records that failed, why cells were to be done, how many
    cells of the plan warned, in this run or before, and what to do for each data set that is
    missing. `moved` is whether the results folder was deleted or renamed during the run and written
    anew, and `lost` how many cells have lost their predictions by that.
    """

    already_done: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    failures: list[Record] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    warned: int = 0
    missing_data: Mapping[str, str] = field(default_factory=dict)
    moved: bool = False
    lost: int = 0

    @property
    def done(self) -> int:
        """How many cells of the plan are done, now or before, or have no data that can be found."""
        ended = self.already_done + self.statuses["ok"] + self.statuses["unavailable"]
        return ended - self.lost

    def add(self, records: Iterable[Record]) -> None:
        """Count the records."""
        for record in records:
            self.statuses[record.status] += 1
            self.warned += bool(record.warnings)
            if record.status in ("failed", "timeout"):
                self.failures.append(record)


def run_plan(
    plan: Plan,
    results: Path,
    progress: Progress,
    *,
    jobs: int = 1,
    engine: Engine | None = None,
    data_dir: Path | None = None,
    timeout: float | None = None,
) -> Outcome:
    """Do the cells that `results/<study>` lacks, and return how it went.

    On KeyboardInterrupt everything finished is kept; the same call goes on from there.

    Parameters
    ----------
    plan : Plan
        The cells of a study.
    results : Path
        The folder of all studies' results.
    progress : Progress
        Is told what the run does.
    jobs : int, default 1
        Cells at a time on this machine, at least 1.
    engine : Engine or None, default None
        Where cells are run; None for this machine.
    data_dir : Path or None, default None
        A folder with data files; None for the one that ENSVM_DATA names.
    timeout : float or None, default None
        The wall time in seconds that one cell may take; None for any.

    Returns
    -------
    Outcome
        How the run ended.

    Raises
    ------
    StoreLocked
        If another run is writing there.
    WorkersDie
        If workers keep ending without a cell in progress.
    EngineRefused
        If the engine has nobody who can run the cells.
    RecordsMoved
        If the folder was deleted or renamed meanwhile, and cannot be written anew.
    """
    engine = engine or LocalEngine(jobs)
    with Store(results / plan.config.study) as store:
        _copy_config(plan, store.folder)
        try:
            outcome = _Run(plan, store, progress, engine, data_dir, timeout).outcome(jobs)
        finally:
            moved = store.put_back()
            if moved:
                _copy_config(plan, store.folder)
    if moved:
        outcome.moved = True
        records = read_records(store.folder)
        done = [(cell, records.get(cell.identity)) for cell in plan.cells]
        outcome.lost = sum(bool(each and each.ok and cell.lacks(each)) for cell, each in done)
    return outcome


def _copy_config(plan: Plan, folder: Path) -> None:
    """Copy the config and the printed values into a study's folder."""
    replace_file(folder / CONFIG_COPY, config_text(plan.path))
    if plan.published is not None:
        copy_file(plan.published, folder / PUBLISHED_COPY)


class _Run:
    def __init__(
        self,
        plan: Plan,
        store: Store,
        progress: Progress,
        engine: Engine,
        data_dir: Path | None,
        timeout: float | None,
    ) -> None:
        self._plan, self._store, self._progress = plan, store, progress
        self._engine, self._data_dir, self._timeout = engine, data_dir, timeout
        self._saving = threading.Lock()
        self._run_id = ""
        self._runs: set[str] = set()  # whose provenance is written
        self._search = DataSearch(data_dir)
        self._outcome = Outcome(missing_data=self._search.missing)
        self._costs: dict[str, float] = {}
        # By the key of a timing that is to be done: the cell of the error pass it answers too.
        self._answered: dict[str, Cell] = {}

    def outcome(self, jobs: int) -> Outcome:
        """Run what is missing."""
        records = read_records(self._store.folder)
        missing = self._plan.missing(records)
        self._outcome.already_done = len(self._plan.cells) - len(missing)
        self._outcome.reasons.update(why for _, why in missing)
        done = {cell.identity for cell in self._plan.cells} - {cell.identity for cell, _ in missing}
        self._outcome.warned = sum(bool(records[cell].warnings) for cell in done)
        if missing:
            here = provenance(jobs)
            self._run_id = here.id
            self._append([], here)
            self._run([cell for cell, _ in missing], records)
        return self._outcome

    def _append(self, records: Iterable[Record], *runs: Run) -> None:
        """Save records, each after the provenance of the machine that made it."""
        kept = list(records)
        made = {run.id: run for run in (*runs, *(record.run for record in kept)) if run is not None}
        new = [run for name, run in made.items() if name not in self._runs]
        self._store.append([*new, *kept])
        self._runs |= made.keys()

    def _run(self, missing: list[Cell], records: dict[Identity, Record]) -> None:
        missing = self._take_from_timings(missing, records)
        tasks = list(self._tasks(missing, records))
        if self._search.missing:
            self._progress.missing(self._search, len({cell.dataset for cell in missing}))
        # The longest tasks first, so that no worker is left alone with one at the end.
        tasks.sort(key=lambda task: -task.cost)
        self._costs = {
            cell.key: task.cost / len(task.cells) for task in tasks for cell in task.cells
        }
        cells = len(self._costs) + len(self._answered.keys() & self._costs.keys())
        self._progress.start(cells, sum(self._costs.values()))
        errors = [task for task in tasks if task.run_pass == "error"]
        timings = [task for task in tasks if task.run_pass == "timing"]
        for of_one_pass in (errors, timings):
            self._engine.run(of_one_pass, self._save, self._timeout)

    def _take_from_timings(
        self, missing: list[Cell], records: Mapping[Identity, Record]
    ) -> list[Cell]:
        """Save the records that timings done before answer, and return the cells that are left.

        What the timings to be done will answer is noted: it is left too, but not run.
        """
        to_be_done = {cell.identity for cell in missing}
        made, left = [], []
        for cell in missing:
            timing = self._plan.timings.get(cell.identity)
            record = None if timing is None else records.get(timing.identity)
            has_all = record is not None and not cell.lacks(record)
            if timing is not None and timing.identity not in to_be_done and has_all:
                made.append(record_of_timing(cell, records[timing.identity]))
                continue
            left.append(cell)
            if timing is not None:
                self._answered[timing.key] = cell
        self._store.append(made)
        self._outcome.add(made)
        return left

    def _tasks(self, cells: list[Cell], records: dict[Identity, Record]) -> Iterator[Task]:
        """Group the cells into tasks; those without data become records at once.

        A cell that a timing answers is in no group.
        """
        answered = {cell.key for cell in self._answered.values()}
        for dataset, of_dataset in groupby(cells, key=lambda cell: cell.dataset):
            group = sorted(of_dataset, key=_task_of)
            card = self._plan.cards[dataset]
            task = Task(
                card,
                tuple(group),
                self._data_dir,
                self._timeout,
                self._run_id,
                self._plan.path.parent.absolute(),
            )
            self._progress.data(dataset)
            if not self._search.find(dataset, card):
                self._save_unavailable(task, self._search.missing[dataset], records)
                continue
            for _, same in groupby(group, key=_task_of):
                if run := tuple(cell for cell in same if cell.key not in answered):
                    yield task.only(run)

    def _save_unavailable(self, task: Task, reason: str, records: dict[Identity, Record]) -> None:
        lines = [new_record(task, cell, "unavailable", reason) for cell in task.cells]
        self._outcome.add(lines)
        # The same answer as last time needs no second line.
        self._store.append(line for line in lines if not _says(records.get(line.identity), line))

    def _save(self, records: list[Record]) -> None:
        """Write records and count them; each worker process has a thread here that calls this."""
        timed = [record for record in records if record.key in self._answered]
        records = [
            *records,
            *(record_of_timing(self._answered[record.key], record) for record in timed),
        ]
        cost = sum(self._costs.get(record.key, 0.0) for record in records)
        with self._saving:
            self._append(records)
            self._outcome.add(records)
            self._progress.done(records, cost)


def _task_of(cell: Cell) -> tuple[str, int, str]:
    """Return what the cells of a task have in common; one with the user's own code is alone."""
    return cell.run_pass, cell.realization, cell.algorithm if cell.own_files else ""


def _says(before: Record | None, line: Record) -> bool:
    return before is not None and (before.key, before.status, before.reason) == (
        line.key,
        line.status,
        line.reason,
    )
