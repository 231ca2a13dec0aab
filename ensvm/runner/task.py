"""What a worker does: the cells of one realization, one after another, a record each."""

import faulthandler
import os
import platform
import signal
import threading
import time
import warnings
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from threadpoolctl import ThreadpoolController

from ensvm.data import DataError, DatasetCard, Realization, load
from ensvm.records.provenance import now
from ensvm.records.record import Conditions, Record, RunPass, Status
from ensvm.runner.deadline import DeadlineExceeded, deadline
from ensvm.runner.estimators.own_modules import import_from
from ensvm.runner.evaluate import Evaluation, evaluate
from ensvm.runner.guard.answers import Misbehaves, told, traceback_of
from ensvm.runner.guard.opened import noting_files, undeclared_files
from ensvm.runner.guard.surroundings import surroundings
from ensvm.runner.inputs import GramPool
from ensvm.runner.journal import Journal
from ensvm.runner.kept import of_predictions
from ensvm.runner.memory import FitMemory
from ensvm.runner.plan import ERROR_PASS_THREADS, Cell

PARENT_CHECK_SECONDS = 1.0


@dataclass(frozen=True)
class Task:
    """The cells of one realization that are to be done, and what a worker needs to do them.

    `journal` is where each record is kept the moment it is made, until the writing process has it;
    modules in the folder `modules` can be imported. A trial fits on `trial_rows` of each class.
    """

    card: DatasetCard
    cells: tuple[Cell, ...]
    data_dir: Path | None
    timeout: float | None
    run_id: str
    journal: Journal
    modules: Path | None = None
    trial_rows: int | None = None

    def only(self, cells: tuple[Cell, ...], **changed: Any) -> "Task":
        """Return the same task with fewer cells."""
        return replace(self, cells=cells, **changed)

    @property
    def name(self) -> str:
        """What no other task in progress is called."""
        return self.cells[0].key

    def note_started(self, cell: Cell) -> None:
        """Note in the journal that a cell begins."""
        self.journal.started(self.name, cell.key)

    def note_made(self, record: Record) -> None:
        """Note in the journal a record of one of the cells."""
        self.journal.made(self.name, record)

    @property
    def run_pass(self) -> RunPass:
        """The pass its cells belong to: all of them to one."""
        return self.cells[0].run_pass

    @property
    def cost(self) -> float:
        """Kernel values the task computes, the measure of its work."""
        _, n_train, n_test = self.card.sizes()
        return float(n_train) * (n_train + n_test)


def run_task(task: Task) -> list[Record]:
    """Return one record for each cell of the task; trouble costs its cell alone."""
    if task.modules is not None:
        import_from(task.modules, task.run_id)
    records: list[Record] = []
    while len(records) < len(task.cells):
        left = task.cells[len(records) :]
        try:
            realization = load(task.card, data_dir=task.data_dir).realization(left[0].realization)
        except DataError as error:
            return [*records, *(new_record(task, cell, "failed", str(error)) for cell in left)]
        records += _while_intact(task, left, realization)
    return records


def _while_intact(task: Task, cells: tuple[Cell, ...], realization: Realization) -> list[Record]:
    """Do the cells, to the end or until one has changed the inputs of those after it."""
    records: list[Record] = []
    shared = GramPool(realization, FitMemory())
    if task.trial_rows is not None:
        shared = shared.for_warm_up(task.trial_rows)
    for cell in cells:
        if cell.run_pass == "timing":
            grams = GramPool(realization)
            records.append(_time_cell(task, cell, grams))
        else:
            grams = shared
            # Set anew for each cell, which may have changed it.
            with _thread_pools().limit(limits=ERROR_PASS_THREADS):
                records.append(_run_cell(task, cell, grams))
        if grams.spoiled:
            break
    return records


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
    process = os.getpid()
    task.note_started(cell)
    with surroundings(cell.seed):
        record = _attempt(task, cell, grams, conditions)
    _leave_copies(process)
    task.note_made(record)
    return record


def _leave_copies(process: int) -> None:
    """End the copy of a worker that an estimator made by forking, which returns as the worker does.

    Going on it would take tasks, and answers, from the worker.
    """
    if os.getpid() != process:
        os._exit(0)


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


def _time_cell(task: Task, cell: Cell, grams: GramPool) -> Record:
    """Run a cell alone, after a warm-up, with a Gram matrix of its own, and note the conditions."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None  # not on Windows
    with _thread_pools().limit(limits=cell.blas_threads):
        warm = _warm_up(task, cell, grams.for_warm_up())
        threads = max((pool["num_threads"] for pool in _thread_pools().info()), default=1)
        conditions = Conditions(platform.node(), threads, load, warm)
        return _run_cell(task, cell, grams, conditions)


def _warm_up(task: Task, cell: Cell, grams: GramPool) -> bool:
    """Load compiled code and fill caches; return whether that went well.

    What comes of it, a failure too, is never noted as the cell's own record.
    """
    process = os.getpid()
    task.note_started(cell)
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
    _leave_copies(process)
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
def begin_worker(parent: int, journal: Journal) -> None:
    """Make this process a worker, which ends with the process that writes.

    Parameters
    ----------
    parent : int
        The number of the writing process. When that is killed, be it before the first task, nobody
        waits for the cells.
    journal : Journal
        Keeps where compiled code crashed.
    """
    # Ctrl+C is for the writing process, which ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    faulthandler.enable(file=journal.crash_file())

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(PARENT_CHECK_SECONDS)
        if hasattr(os, "getpgrp") and os.getpgrp() == os.getpid():
            os.killpg(os.getpid(), signal.SIGKILL)  # what its cells have started ends with it
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@lru_cache
def _thread_pools() -> ThreadpoolController:
    """Return the process's BLAS and OpenMP pools, found once: it takes longer than a small cell."""
    import sklearn.svm  # noqa: F401  loaded first, so that their pools are found too

    return ThreadpoolController()
