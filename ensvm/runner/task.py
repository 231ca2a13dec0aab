"""What a worker does: run the cells of one realization one after another, a record each."""

import os
import platform
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from threadpoolctl import ThreadpoolController

from ensvm.data import DataError, DatasetCard, Realization, load
from ensvm.records.provenance import now
from ensvm.records.record import Conditions, Record, RunPass, Status
from ensvm.runner.evaluate import Evaluation, evaluate
from ensvm.runner.guard.answers import Misbehaves, told, traceback_of
from ensvm.runner.guard.opened import noting_files, undeclared_files
from ensvm.runner.guard.surroundings import DeadlineExceeded, deadline, surroundings
from ensvm.runner.inputs import GramPool
from ensvm.runner.kept import of_predictions
from ensvm.runner.memory import FitMemory
from ensvm.runner.plan import ERROR_PASS_THREADS, Cell


@dataclass(frozen=True)
class Started:
    """A message of a worker: the cell with this key starts now."""

    key: str


@dataclass(frozen=True)
class Task:
    """The cells of one realization that are to be run, and what a worker needs to run them.

    Attributes
    ----------
    card : DatasetCard
        The data set.
    cells : tuple of Cell
        The cells: any number of libraries alone, or one with the user's own code.
    data_dir : Path or None
        A folder with data files.
    timeout : float or None
        The seconds that one cell may take.
    run_id : str
        The run that the records belong to.
    modules : Path or None
        The folder of the config, from which the user's own modules are imported.
    trial_rows : int or None
        In a trial, the training rows of each class that are used.
    """

    card: DatasetCard
    cells: tuple[Cell, ...]
    data_dir: Path | None
    timeout: float | None
    run_id: str
    modules: Path | None = None
    trial_rows: int | None = None

    def only(self, cells: tuple[Cell, ...]) -> "Task":
        """Return the same task with fewer cells."""
        return replace(self, cells=cells)

    @property
    def has_own_code(self) -> bool:
        """Whether a cell runs code that is not an installed package."""
        return any(cell.own_files for cell in self.cells)

    @property
    def run_pass(self) -> RunPass:
        """The pass of its cells."""
        return self.cells[0].run_pass

    @property
    def cost(self) -> float:
        """Kernel values the task computes, the measure of its work."""
        _, n_train, n_test = self.card.sizes()
        return float(n_train) * (n_train + n_test)


def run_task(task: Task) -> Iterator[Started | Record]:
    """Run the cells of a task, and yield the start and the record of each.

    An error costs the cell that raised it, no other.
    """
    left = task.cells
    while left:
        try:
            realization = load(task.card, data_dir=task.data_dir).realization(left[0].realization)
        except DataError as error:
            yield from (new_record(task, cell, "failed", str(error)) for cell in left)
            return
        for message in _while_intact(task, left, realization):
            yield message
            left = left[isinstance(message, Record) :]


def _while_intact(
    task: Task, cells: tuple[Cell, ...], realization: Realization
) -> Iterator[Started | Record]:
    """Run the cells, to the end or until one has changed the inputs of those after it."""
    shared = GramPool(realization, FitMemory())
    if task.trial_rows is not None:
        shared = shared.for_warm_up(task.trial_rows)
    for cell in cells:
        yield Started(cell.key)
        if cell.run_pass == "timing":
            grams = GramPool(realization)
            yield from _time_cell(task, cell, grams)
        else:
            grams = shared
            # Set for each cell, because the one before may have changed it.
            with _thread_pools().limit(limits=ERROR_PASS_THREADS):
                record = _run_cell(task, cell, grams)
            yield record
        if grams.spoiled:
            break


NOTHING = Evaluation(metrics={})  # what a cell without an answer came to


def new_record(
    task: Task,
    cell: Cell,
    status: Status,
    reason: str = "",
    *,
    evaluation: Evaluation = NOTHING,
    conditions: Conditions | None = None,
    warnings: tuple[str, ...] = (),
    traceback: str = "",
) -> Record:
    """Return a record of a cell: what it is, how it ended, and what came out."""
    told = of_predictions(evaluation.predictions, cell.scored, keep=cell.keep)
    return Record(
        study=cell.study,
        dataset=cell.dataset,
        realization=cell.realization,
        algorithm=cell.algorithm,
        status=status,
        reason=reason,
        key=cell.key,
        settings_key=cell.settings_key,
        settings=cell.settings,
        run_id=task.run_id,
        time=now(),
        run_pass=cell.run_pass,
        metrics=evaluation.metrics,
        seconds=evaluation.seconds,
        curves=evaluation.curves,
        **{**told, "by_order": {**evaluation.by_order, **told["by_order"]}},
        stage=evaluation.stage,
        n_stages=evaluation.n_stages,
        validation_error=evaluation.validation_error,
        conditions=conditions,
        warnings=warnings,
        traceback=traceback,
    )


def record_of_timing(cell: Cell, timing: Record) -> Record:
    """Return the record of a cell of the error pass whose values a timing found."""
    return replace(
        timing,
        run_pass=cell.run_pass,
        key=cell.key,
        settings_key=cell.settings_key,
        settings=cell.settings,
        conditions=None,
    )


def _run_cell(
    task: Task,
    cell: Cell,
    grams: GramPool,
    conditions: Conditions | None = None,
) -> Record:
    with surroundings(cell.seed):
        return _attempt(task, cell, grams, conditions)


def _attempt(task: Task, cell: Cell, grams: GramPool, conditions: Conditions | None) -> Record:
    """Return the record of a cell; whatever its estimator raises costs it alone."""
    try:
        with (
            warnings.catch_warnings(record=True) as caught,
            deadline(task.timeout),
        ):
            warnings.simplefilter("default")
            evaluation = _evaluation(task, cell, grams)
        grams.refuse_changes()
        texts = {f"{warning.category.__name__}: {told(warning.message)}" for warning in caught}
        texts |= undeclared_files(cell, task.card, task.modules)
        return new_record(
            task,
            cell,
            "ok",
            evaluation=evaluation,
            conditions=conditions,
            warnings=tuple(sorted(texts)),
        )
    except BaseException as error:
        where = ""
        if isinstance(error, DeadlineExceeded) and task.timeout is not None:
            status: Status = "timeout"
            reason = f"took longer than {task.timeout:g} s"
        else:
            status, reason = "failed", _reason(error)
            if not isinstance(error, Misbehaves):
                where = traceback_of(error)
    if changed := grams.changed():
        reason += f"; changed its inputs: {', '.join(changed)}"
    return new_record(task, cell, status, reason, conditions=conditions, traceback=where)


def _reason(error: BaseException) -> str:
    """Return why a cell failed, in one line or a few."""
    if isinstance(error, Misbehaves):
        return str(error)
    reason = f"{type(error).__name__}: {told(error)}".strip().removesuffix(":")
    if isinstance(error, ValueError) and "read-only" in reason:
        reason += "; algorithms share their inputs: one that changes them has to copy them first"
    return reason


def _time_cell(task: Task, cell: Cell, grams: GramPool) -> Iterator[Started | Record]:
    """Run a cell after a warm-up, with a Gram matrix of its own, and record the conditions."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None  # not on Windows
    with _thread_pools().limit(limits=cell.blas_threads):
        warm = _warm_up(task, cell, grams.for_warm_up())
        threads = max((pool["num_threads"] for pool in _thread_pools().info()), default=1)
        conditions = Conditions(platform.node(), threads, load, warm)
        yield Started(cell.key)  # its time limit does not include the warm-up
        yield _run_cell(task, cell, grams, conditions)


def _warm_up(task: Task, cell: Cell, grams: GramPool) -> bool:
    """Load compiled code and fill caches; return whether that succeeded.

    Its result is never recorded as the cell's own.
    """
    went_well = False
    with (
        surroundings(cell.seed),
        warnings.catch_warnings(),
        suppress(BaseException),
        deadline(task.timeout),
    ):
        warnings.simplefilter("ignore")
        _evaluation(task, cell, grams)
        went_well = True
    return went_well


def _evaluation(task: Task, cell: Cell, grams: GramPool) -> Evaluation:
    if cell.method is None:
        realization = grams.realization
        (n_train, dim), n_test = realization.X_train.shape, realization.X_test.shape[0]
        facts = {"dim": dim, "n_train": n_train, "n_test": n_test, "rows": task.card.rows}
        facts["classes"] = len(task.card.labels)
        return Evaluation(metrics=facts)
    scored = bool(cell.scored) or cell.keep
    with noting_files(cell):
        return evaluate(cell.method, cell.seed, grams, cell.order_seeds, scored=scored)


@lru_cache
def warm_up_libraries() -> None:
    """Have libraries do what they do once a process, so that its forks need not do it again."""
    from sklearn.dummy import DummyClassifier

    DummyClassifier().fit([[0.0], [1.0]], [0, 1])  # looks for libraries of data frames
    _thread_pools()


@lru_cache
def _thread_pools() -> ThreadpoolController:
    """Return the process's BLAS and OpenMP pools, found once: it takes longer than a small cell."""
    import sklearn.svm  # noqa: F401  loaded first, so that their pools are found too

    return ThreadpoolController()
