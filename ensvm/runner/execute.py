"""Run a plan's missing cells in parallel and store each record; a worker that dies costs its cell alone."""

import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Protocol

from ensvm.data import DataUnavailable, load
from ensvm.runner.plan import Cell, Plan
from ensvm.runner.provenance import provenance
from ensvm.runner.store import Identity, Record, Store, journal_lines, read_records
from ensvm.runner.task import Task, new_record, run_task

JOURNAL_FOLDER = "running"
# A study's folder stands on its own: tables are laid out from these copies and the records.
CONFIG_COPY = "config.yaml"
PUBLISHED_COPY = "published.csv"
# Workers that keep dying between cells (out of memory while they start, say) would otherwise be started for ever.
MAX_UNEXPLAINED_BREAKS = 3


class WorkersDie(RuntimeError):
    """Worker processes end although no cell is running in them."""


class Progress(Protocol):
    """What a run tells its watcher."""

    def data(self, dataset: str) -> None:
        """Say that a data set is being had (found, downloaded, verified)."""

    def start(self, cells: int, cost: float) -> None:
        """Say how many cells are going to run, and their total cost (in kernel values)."""

    def done(self, records: list[Record], cost: float) -> None:
        """Say that these cells have ended and are on the disk."""


@dataclass
class Outcome:
    """How a run ended: number of cells by status, those that had been done before, and the records that failed."""

    already_done: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    failures: list[Record] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, records: Iterable[Record]) -> None:
        """Count the records."""
        for record in records:
            self.statuses[record["status"]] += 1
            if record["status"] in ("failed", "timeout"):
                self.failures.append(record)


def run_plan(
    plan: Plan,
    results: Path,
    progress: Progress,
    *,
    jobs: int,
    data_dir: Path | None = None,
    timeout: float | None = None,
) -> Outcome:
    """Do the cells of `plan` that `results/<study>` lacks, `jobs` at a time, and return how it went.

    `timeout` is the wall time in seconds one cell may take. Raises StoreLocked when another run is writing there.
    On KeyboardInterrupt everything finished is kept; the same call goes on from there.
    """
    with Store(results / plan.config.study) as store:
        for original, copy in ((plan.path, CONFIG_COPY), (plan.published, PUBLISHED_COPY)):
            if original is not None and original.resolve() != (store.folder / copy).resolve():
                shutil.copyfile(original, store.folder / copy)
        if not plan.missing(read_records(store.folder)):
            return Outcome(already_done=len(plan.cells))
        return _Run(plan, store, progress, jobs=jobs, data_dir=data_dir, timeout=timeout).outcome()


class _Run:
    def __init__(
        self, plan: Plan, store: Store, progress: Progress, *, jobs: int, data_dir: Path | None, timeout: float | None
    ) -> None:
        self._plan, self._store, self._progress = plan, store, progress
        self._jobs, self._data_dir, self._timeout = jobs, data_dir, timeout
        self._journal = store.folder / JOURNAL_FOLDER
        self._provenance: Record | None = None
        self._outcome = Outcome()
        self._costs: dict[str, float] = {}

    def outcome(self) -> Outcome:
        """Run what is missing."""
        self._journal.mkdir(exist_ok=True)
        self._rescue()
        records = read_records(self._store.folder)
        missing = self._plan.missing(records)
        self._outcome.already_done = len(self._plan.cells) - len(missing)
        self._outcome.reasons.update(why for _, why in missing)
        tasks = list(self._tasks([cell for cell, _ in missing], records))
        # Dear tasks first, so that no worker is left alone with one at the end.
        tasks.sort(key=lambda task: -task.cost)
        self._costs = {cell.key: task.cost / len(task.cells) for task in tasks for cell in task.cells}
        self._progress.start(sum(len(task.cells) for task in tasks), sum(self._costs.values()))
        if tasks:
            self._run(tasks)
        shutil.rmtree(self._journal, ignore_errors=True)
        return self._outcome

    def _tasks(self, cells: list[Cell], records: dict[Identity, Record]) -> Iterator[Task]:
        """Group the cells by realization, after having their data; cells without data become records at once."""
        for dataset, of_dataset in groupby(cells, key=lambda cell: cell.dataset):
            group = list(of_dataset)
            task = self._task(group)
            self._progress.data(dataset)
            try:
                load(task.card, data_dir=self._data_dir)
            except DataUnavailable as error:
                self._save_unavailable(task, error.how_to_get, records)
                continue
            group.sort(key=lambda cell: cell.realization)
            for _, same in groupby(group, key=lambda cell: cell.realization):
                yield task.only(tuple(same))

    def _task(self, cells: list[Cell]) -> Task:
        workers = self._jobs > 1 or self._timeout is not None
        card = self._plan.cards[cells[0].dataset]
        return Task(card, tuple(cells), self._data_dir, self._timeout, self._run_id(), self._journal, workers)

    def _run_id(self) -> str:
        if self._provenance is None:
            self._provenance = provenance(self._jobs)
            self._store.append([self._provenance])
        return str(self._provenance["id"])

    def _save_unavailable(self, task: Task, reason: str, records: dict[Identity, Record]) -> None:
        lines = [new_record(task, cell, "unavailable", reason) for cell in task.cells]
        self._outcome.add(lines)
        told = {cell.identity for cell in task.cells if _says(records.get(cell.identity), cell, reason)}
        self._store.append(line for line in lines if (line["dataset"], line["realization"], line["algorithm"]) not in told)

    def _run(self, tasks: list[Task]) -> None:
        breaks = 0
        while tasks:
            done: set[str] = set()
            try:
                for records in _parallel(tasks, self._jobs, self._timeout):
                    self._save(records)
                    done |= {record["key"] for record in records}
                return
            except BrokenProcessPool:
                rescued, running = self._rescue()
                tasks = _without(tasks, done | rescued)
                suspects = _only(tasks, set(running))
                breaks = 0 if suspects else breaks + 1
                if breaks > MAX_UNEXPLAINED_BREAKS:
                    raise WorkersDie(
                        "worker processes keep ending before they start a cell (out of memory?); try fewer --jobs"
                    ) from None
                for suspect in suspects:
                    self._run_alone(suspect, running[suspect.cells[0].key])
                tasks = _without(tasks, set(running))

    def _run_alone(self, task: Task, started: float) -> None:
        """Run one cell that was in progress when a worker died; if its worker dies again, it was the cause."""
        if self._timeout is not None and time.time() - started >= self._timeout:
            self._save([new_record(task, task.cells[0], "timeout", f"took longer than {self._timeout:g} s")])
            return
        try:
            for records in _parallel([task], 2, self._timeout):
                self._save(records)
        except BrokenProcessPool:
            _, running = self._rescue()
            late = self._timeout is not None and any(time.time() - begun >= self._timeout for begun in running.values())
            status, reason = (
                ("timeout", f"took longer than {self._timeout:g} s")
                if late
                else ("failed", "its worker process was killed (out of memory, or a crash in compiled code)")
            )
            self._save([new_record(task, task.cells[0], status, reason)])

    def _save(self, records: list[Record]) -> None:
        self._store.append(records)
        self._outcome.add(records)
        self._progress.done(records, sum(self._costs.get(record["key"], 0.0) for record in records))

    def _rescue(self) -> tuple[set[str], dict[str, float]]:
        """Store what dead workers had finished; return those keys, and the cells then in progress with their start."""
        finished: dict[str, Record] = {}
        running: dict[str, float] = {}
        for line in journal_lines(self._journal):
            if line["kind"] == "started":
                running[line["key"]] = line["time"]
            else:
                finished[line["key"]] = line
                running.pop(line["key"], None)
        known = {record["key"] for record in read_records(self._store.folder).values() if record["status"] == "ok"}
        fresh = [record for key, record in finished.items() if key not in known]
        if fresh:
            self._save(fresh)
        shutil.rmtree(self._journal)
        self._journal.mkdir()
        return set(finished), running


def _parallel(tasks: list[Task], jobs: int, timeout: float | None) -> Iterator[list[Record]]:
    """Yield each task's records as it ends. With a time limit even one job runs in a worker, which can be ended."""
    from joblib import Parallel, delayed

    workers = jobs if timeout is None else max(jobs, 2)
    ahead = 2 * jobs if jobs > 1 else 1
    parallel = Parallel(n_jobs=workers, return_as="generator_unordered", batch_size=1, pre_dispatch=ahead)
    yield from parallel(delayed(run_task)(task) for task in tasks)


def _says(record: Record | None, cell: Cell, reason: str) -> bool:
    return record is not None and record["key"] == cell.key and record["reason"] == reason


def _without(tasks: list[Task], keys: set[str]) -> list[Task]:
    return _keep(tasks, lambda cell: cell.key not in keys)


def _only(tasks: list[Task], keys: set[str]) -> list[Task]:
    found = _keep(tasks, lambda cell: cell.key in keys)
    return [task.only((cell,)) for task in found for cell in task.cells]


def _keep(tasks: list[Task], wanted: Callable[[Cell], bool]) -> list[Task]:
    kept = ((task, tuple(cell for cell in task.cells if wanted(cell))) for task in tasks)
    return [task.only(cells) for task, cells in kept if cells]

