"""Run the missing cells of a plan: the error pass in parallel, then the timing pass alone."""

import platform
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, Protocol

from joblib import cpu_count

from ensvm.atomic_write import replace_file
from ensvm.data import DataSearch
from ensvm.errors import UserError
from ensvm.records.identity import ValueOf
from ensvm.records.provenance import provenance
from ensvm.records.record import Identity, Record, Run
from ensvm.records.store import CONFIG_COPY, PUBLISHED_COPY, Store, read_records
from ensvm.runner import workers
from ensvm.runner.cell import Task, new_record, record_of_timing
from ensvm.runner.estimate import work_of
from ensvm.runner.plan import Cell, Plan


class Progress(Protocol):
    """What a run reports to."""

    def data(self, dataset: str) -> None:
        """Say that a data set is being searched, downloaded if need be, and verified."""

    def missing(self, search: DataSearch, of: int) -> None:
        """Say which of `of` data sets no provider has, before any cell runs."""

    def start(self, cells: int, cost: float) -> None:
        """Say how many cells are going to run, and the seconds they are expected to cost."""

    def done(self, records: list[Record], cost: float) -> None:
        """Say that these cells have ended and are on the disk."""


@dataclass
class Outcome:
    """How a run ended."""

    already_done: int = 0  # cells that were done before
    statuses: Counter[str] = field(default_factory=Counter)  # of the cells of this run
    failures: list[Record] = field(default_factory=list)  # of cells that failed or took too long
    reasons: Counter[str] = field(default_factory=Counter)  # why cells were run
    reused: int = 0  # cells whose records were taken from the study's base
    warned: int = 0  # cells of the plan that warned, in this run or before
    missing_data: Mapping[str, str] = field(default_factory=dict)  # how to get each data set

    @property
    def done(self) -> int:
        """How many cells of the plan are done, now or before, or have no data anywhere."""
        return self.already_done + self.statuses["ok"] + self.statuses["unavailable"]

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
    jobs: int | None = None,
    engine: Any = None,
    data_dir: Path | None = None,
    timeout: float | None = None,
) -> Outcome:
    """Run the cells that `results/<study>` does not have, and return how it went.

    On KeyboardInterrupt everything finished is kept; the same call goes on from there. The other
    arguments are those of `ensvm.run`.

    Raises UserError if another run is writing there, the folder is deleted or renamed meanwhile,
    the cluster cannot be used, or `jobs` are given with it; WorkersDie if workers keep ending
    without a cell in progress.
    """
    with _engine(engine, jobs) as run_tasks, Store(results / plan.config.study) as store:
        copy_config(plan, store.folder)
        run = _Run(plan, store, progress, data_dir)
        run.take(records_of_base(plan, results))
        for tasks in run.tasks_by_pass(1 if engine is not None else jobs or cpu_count()):
            run_tasks(tasks, run.save, timeout)
    return run.outcome


def records_of_base(plan: Plan, results: Path) -> list[Record]:
    """Return records of the study's base for missing cells that are the same cells there.

    A cell is the same if its key is: the key covers all that can change its value. Timings are
    only those of this machine.
    """
    if plan.config.derived is None:
        return []
    of_base = read_records(results / plan.config.derived.base)
    records = []
    for cell, _ in plan.missing(read_records(results / plan.config.study)):
        record = of_base.get(cell.identity)
        if record is None:
            continue
        record = replace(record, study=cell.study)
        here = record.conditions is None or record.conditions.host == platform.node()
        if here and not cell.why_missing(record):
            records.append(record)
    return records


@contextmanager
def _engine(engine: Any, jobs: int | None) -> Iterator[Callable[..., None]]:
    """Yield a function that runs tasks in processes of this machine, or on a cluster."""
    if engine is None:
        yield partial(workers.run_here, jobs=jobs or cpu_count())
        return
    if jobs is not None:
        raise UserError(
            f"jobs ({jobs}) are for this machine; with an engine, each thread of a worker runs a"
            " cell"
        )
    from ensvm.runner.cluster import connected, run_on_cluster

    with connected(engine) as client:
        yield partial(run_on_cluster, client)


def copy_config(plan: Plan, folder: Path) -> None:
    """Copy the config and the printed values into a study's folder."""
    replace_file(folder / CONFIG_COPY, plan.source.text)
    if plan.published is not None:
        replace_file(folder / PUBLISHED_COPY, plan.published.read_bytes())


class _Run:
    """The missing cells of a plan as tasks, and their records as they come."""

    def __init__(
        self,
        plan: Plan,
        store: Store,
        progress: Progress,
        data_dir: Path | None,
    ) -> None:
        self._plan, self._store, self._progress = plan, store, progress
        self._data_dir = data_dir
        self._search = DataSearch(data_dir)
        self._saved_runs: set[str] = set()
        self._costs: dict[ValueOf, float] = {}  # of one cell
        # Cells of the error pass that a timing of this run answers, by the timing.
        self._answered: dict[Identity, Cell] = {}
        self.outcome = Outcome(missing_data=self._search.missing)

    def take(self, records: list[Record]) -> None:
        """Write records that were taken from the study's base."""
        self.outcome.reused = len(records)
        if records:
            self._append(records)

    def tasks_by_pass(self, jobs: int) -> list[list[Task]]:
        """Return the tasks of the error pass and of the timing pass, the longest first.

        Cells without data get their record at once, and no task.
        """
        records = read_records(self._store.folder)
        missing = self._plan.missing(records)
        reasons = {cell.identity: why for cell, why in missing}
        self.outcome.already_done = len(self._plan.cells) - len(missing)
        self.outcome.reasons.update(reasons.values())
        done = (cell.identity for cell in self._plan.cells if cell.identity not in reasons)
        self.outcome.warned = sum(bool(records[identity].warnings) for identity in done)
        if not missing:
            return []
        # The provenance comes first in the file, before the records that name it.
        here = provenance(jobs)
        self._append([], here)
        cells = [cell for cell, _ in missing]
        timings = ((cell, self._plan.timings.get(cell.identity)) for cell in cells)
        self._answered = {
            timing.identity: cell
            for cell, timing in timings
            if timing is not None and timing.identity in reasons
        }
        tasks = list(self._tasks(cells, records, here.id))
        if self._search.missing:
            self._progress.missing(self._search, len({cell.dataset for cell in cells}))
        to_run = [cell for task in tasks for cell in task.cells]
        work = work_of(self._plan, to_run, records)
        # The longest tasks first, so that no worker is left alone with one at the end.
        tasks.sort(key=lambda task: -sum(work[cell.value] for cell in task.cells))
        # Timings run one at a time, so the other workers wait: a second costs `jobs` of them.
        self._costs = {
            value: seconds * (jobs if value[-1] == "timing" else 1)
            for value, seconds in work.items()
        }
        n_answered = len(self._answered.keys() & {cell.identity for cell in to_run})
        cost = sum(self._costs[cell.value] for cell in to_run)
        self._progress.start(len(to_run) + n_answered, cost)
        return [[task for task in tasks if task.run_pass == name] for name in ("error", "timing")]

    def save(self, records: list[Record]) -> None:
        """Write records and count them, with those that their timings answer."""
        every, cost = list(records), 0.0
        for record in records:
            cost += self._costs[record.dataset, record.algorithm, record.run_pass]
            if record.run_pass == "timing" and record.identity in self._answered:
                every.append(record_of_timing(self._answered[record.identity], record))
        self.outcome.add(every)
        self._append(every)
        self._progress.done(every, cost)

    def _append(self, records: list[Record], *runs: Run) -> None:
        """Save records, each after the provenance of the machine that made it."""
        lines: list[Run | Record] = []
        for run in (*runs, *[record.run for record in records]):
            if run is not None and run.id not in self._saved_runs:
                lines.append(run)
                self._saved_runs.add(run.id)
        self._store.append([*lines, *records])

    def _tasks(
        self, cells: list[Cell], records: Mapping[Identity, Record], run_id: str
    ) -> Iterator[Task]:
        """Group the cells into tasks; those without data become records at once."""
        answered = {cell.identity for cell in self._answered.values()}
        modules = self._plan.path.parent.absolute()
        for dataset, of_dataset in groupby(cells, key=lambda cell: cell.dataset):
            group = sorted(of_dataset, key=_task_of)
            card = self._plan.cards[dataset]
            task = Task(card, tuple(group), self._data_dir, run_id, modules)
            self._progress.data(dataset)
            if not self._search.find(dataset, card):
                self._save_unavailable(task, self._search.missing[dataset], records)
                continue
            for _, same in groupby(group, key=_task_of):
                if to_run := tuple(cell for cell in same if cell.identity not in answered):
                    yield task.only(to_run)

    def _save_unavailable(
        self, task: Task, reason: str, records: Mapping[Identity, Record]
    ) -> None:
        new = [new_record(task, cell, "unavailable", reason) for cell in task.cells]
        self.outcome.add(new)
        # The same answer as last time needs no second line.
        self._store.append(
            record
            for record in new
            if (before := records.get(record.identity)) is None
            or (before.key, before.status, before.reason) != (record.key, record.status, reason)
        )


def _task_of(cell: Cell) -> tuple[str, int, str]:
    """Return what the cells of a task have in common; one with the user's own code is alone."""
    return cell.run_pass, cell.realization, cell.algorithm if cell.has_own_code else ""
