"""Run the missing cells of a plan: the error pass in parallel, then the timing pass alone."""

import platform
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any, Protocol

from joblib import cpu_count

from ensvm.atomic_write import replace_file
from ensvm.data import DataSearch
from ensvm.errors import UserError
from ensvm.records.asked import write_asked
from ensvm.records.provenance import now, provenance
from ensvm.records.record import Identity, Record
from ensvm.records.store import CONFIG_COPY, PUBLISHED_COPY, Store, read_records
from ensvm.runner.cell import Task, new_record
from ensvm.runner.plan import Cell, Plan
from ensvm.runner.pool import LocalPool, Pool


class Progress(Protocol):
    """What a run reports to."""

    def data(self, dataset: str) -> None:
        """Say that a data set is being searched, downloaded if need be, and verified."""

    def missing(self, search: DataSearch, of: int) -> None:
        """Say which of `of` data sets no provider has, before any cell runs."""

    def start(self, cells: int) -> None:
        """Say how many cells are going to run."""

    def say(self, message: str) -> None:
        """Show a message of a worker process."""

    def compiled(self, seconds: float) -> None:
        """Say how long each worker process has waited for the compiler so far, on average."""

    def done(self, records: list[Record]) -> None:
        """Say that these cells have ended and are on the disk."""


@dataclass
class Outcome:
    """How a run ended."""

    already_done: int = 0  # cells that were done before
    statuses: Counter[str] = field(default_factory=Counter)  # of the cells of this run
    failures: list[Record] = field(default_factory=list)  # of cells that failed or took too long
    reasons: Counter[str] = field(default_factory=Counter)  # why cells were run
    reused: int = 0  # cells whose records were taken from the study's base
    unread_base: str = ""  # why no records were taken from it, if they cannot be read
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
    if engine is not None and jobs is not None:
        raise UserError(
            f"jobs ({jobs}) are for this machine; with an engine, each thread of a worker runs a"
            " cell"
        )
    jobs = jobs or cpu_count()
    with _connected(engine) as client, Store(results / plan.config.study) as store:
        copy_config(plan, store.folder)
        run = _Run(plan, store, progress, data_dir)
        of_base, run.outcome.unread_base = records_of_base(plan, results)
        run.take(of_base)
        tasks = run.tasks(jobs if client is None else 1)
        store.appended()  # the records so far are none of the workers'
        if tasks:
            with _pool(client, store, run, timeout, min(jobs, len(tasks))) as pool:
                pool.run([task for task in tasks if task.run_pass == "error"])
                timings = [task for task in tasks if task.run_pass == "timing"]
                pool.run(timings, one_by_one=True)
    return run.outcome


def _pool(client: Any, store: Store, run: "_Run", timeout: float | None, jobs: int) -> Pool:
    """Return a pool of workers of this machine, or of the cluster that a client belongs to."""
    if client is None:
        return LocalPool(store, run.save, timeout, jobs, say=run.say, compiled=run.compiled)
    from ensvm.runner.cluster import ClusterPool

    return ClusterPool(store, run.save, timeout, client)


def _connected(engine: Any) -> AbstractContextManager[Any]:
    """Return a context with a client of dask for an engine; with None without an engine."""
    if engine is None:
        return nullcontext()
    from ensvm.runner.cluster import client_of

    return client_of(engine)


def records_of_base(plan: Plan, results: Path) -> tuple[list[Record], str]:
    """Return records of the study's base for missing cells that are the same cells there.

    A cell is the same if its key is: the key covers all that can change its value. Timings are
    only those of this machine. If the base's records cannot be read, none are taken; the text says
    why, and is empty otherwise.
    """
    if plan.config.derived is None:
        return [], ""
    try:
        of_base = read_records(results / plan.config.derived.base)
    except UserError as error:
        return [], f"no cell is taken from {plan.config.derived.base}: {error}"
    records = []
    for cell, _ in plan.missing(read_records(results / plan.config.study)):
        record = of_base.get(cell.identity)
        if record is None:
            continue
        record = replace(record, study=cell.study)
        here = record.conditions is None or record.conditions.host == platform.node()
        if here and not cell.why_missing(record):
            records.append(record)
    return records, ""


def copy_config(
    plan: Plan, folder: Path, *, time: str | None = None, recorded: Collection[str] = ()
) -> None:
    """Write the config, what it asks for and the printed values into a study's folder.

    `time` is when, by default now. The settings whose keys are `recorded` are among the records
    there, and are not written again.
    """
    replace_file(folder / CONFIG_COPY, plan.source.text)
    asked = replace(plan.asked, time=now() if time is None else time)
    write_asked(folder, asked, recorded)
    if plan.published is not None:
        replace_file(folder / PUBLISHED_COPY, plan.published.read_bytes())
    else:  # those of an earlier config are not printed values of this one
        (folder / PUBLISHED_COPY).unlink(missing_ok=True)


class _Run:
    """The missing cells of a plan as tasks, and the count of their records as they come."""

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
        self.outcome = Outcome(missing_data=self._search.missing)

    def take(self, records: list[Record]) -> None:
        """Write records that were taken from the study's base, each after its run."""
        self.outcome.reused = len(records)
        runs = {record.run.id: record.run for record in records if record.run is not None}
        if records:
            self._store.append([*runs.values(), *records])

    def tasks(self, jobs: int) -> list[Task]:
        """Return the tasks: those with own code first, then the largest data first.

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
        self._store.append([here])
        cells = [cell for cell, _ in missing]
        tasks = list(self._tasks(cells, records, here.id))
        if self._search.missing:
            self._progress.missing(self._search, len({cell.dataset for cell in cells}))
        self._progress.start(sum(len(task.cells) + len(task.answered) for task in tasks))
        # A process that has run packages does not run own code. The longest tasks come first, so
        # that no worker is left alone with one at the end.
        return sorted(tasks, key=lambda task: (not task.has_own_code, -_kernel_values(task)))

    def save(self, records: list[Record]) -> None:
        """Count records that are on the disk."""
        self.outcome.add(records)
        self._progress.done(records)

    def say(self, message: str) -> None:
        """Show a message of a worker process."""
        self._progress.say(message)

    def compiled(self, seconds: float) -> None:
        """Say how long each worker process has waited for the compiler so far."""
        self._progress.compiled(seconds)

    def _tasks(
        self, cells: list[Cell], records: Mapping[Identity, Record], run_id: str
    ) -> Iterator[Task]:
        """Group the cells into tasks; those without data become records at once."""
        missing = {cell.identity for cell in cells}
        # Cells of the error pass that a timing of this run answers, by the timing.
        answered = {
            timing.identity: cell
            for cell in cells
            if (timing := self._plan.timings.get(cell.identity)) and timing.identity in missing
        }
        not_run = {cell.identity for cell in answered.values()}
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
                if to_run := tuple(cell for cell in same if cell.identity not in not_run):
                    answers = (answered.get(cell.identity) for cell in to_run)
                    yield replace(task, cells=to_run, answered=tuple(filter(None, answers)))

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


def _kernel_values(task: Task) -> float:
    """Return about how many kernel values a task needs, a measure of its work."""
    _, n_train, n_test = task.card.sizes()
    return float(n_train) * (n_train + n_test) * len(task.cells)
