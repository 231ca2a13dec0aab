"""Run the cells of one realization one after another, and make a record of each."""

import json
import os
import platform
import random
import warnings
from collections import defaultdict
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from statistics import median
from typing import Any, TypeAlias

import numpy as np
from threadpoolctl import ThreadpoolController

from ensvm.compiled import compiling_at_once, compiling_counted
from ensvm.data import DatasetCard, Realization, load
from ensvm.data.alarms import alarms
from ensvm.data.card import OWN_SOURCE
from ensvm.errors import UserError
from ensvm.records.provenance import now
from ensvm.records.record import Conditions, LineReader, Record, Status
from ensvm.records.settings import AlgorithmSettings
from ensvm.runner.class_parameters import by_labels, in_codes, searched_by_labels
from ensvm.runner.estimator_output import Misbehaves, error_text, traceback_of
from ensvm.runner.evaluate import Evaluation, evaluate, search, with_medians
from ensvm.runner.grams import FitMemory, GramPool
from ensvm.runner.own_code import changed_since
from ensvm.runner.plan import Cell
from ensvm.study.metrics import POSITIVE
from ensvm.study.passes import DISTURBED, RunPass

_Method: TypeAlias = tuple[AlgorithmSettings, Mapping[str, Any] | None]


@dataclass(frozen=True)
class Started:
    """A cell of a task starts now."""

    cell: Cell


@dataclass(frozen=True)
class Task:
    """The cells of one realization that are to be run, and what a worker needs to run them."""

    card: DatasetCard
    cells: tuple[Cell, ...]  # one cell, if it runs the user's own code
    data_dir: Path | None  # a folder with data files
    run_id: str
    modules: Path | None = None  # the config's folder, which the user's modules are imported from
    answered: tuple[Cell, ...] = ()  # cells of the error pass whose values its timings compute

    def only(self, cells: tuple[Cell, ...]) -> "Task":
        """Return the same task with fewer cells."""
        return replace(self, cells=cells)

    @property
    def has_own_code(self) -> bool:
        """Whether a cell runs code that is not an installed package."""
        return any(cell.has_own_code for cell in self.cells)

    @property
    def run_pass(self) -> RunPass:
        """The pass of its cells."""
        return self.cells[0].run_pass

    def answered_by(self, record: Record) -> list[Record]:
        """Return the record of the error pass that the record of a timing answers too, if any."""
        return [
            record_of_timing(cell, record)
            for cell in self.answered
            if (*cell.identity[:3], "timing") == record.identity
        ]


def run_task(task: Task) -> Iterator[Started | Record]:
    """Run the cells of a task, and yield the start and the record of each.

    An error fails only the cell that raised it.
    """
    try:
        number, most = task.cells[0].realization, task.card.max_realizations
        if most is not None:  # further timings are of the same splits again, in turn
            number = (number - 1) % most + 1
        realization = load(task.card, data_dir=task.data_dir).realization(number)
    except Exception as error:
        reason = error_text(error, kind=not isinstance(error, UserError))
        yield from (new_record(task, cell, "failed", reason) for cell in task.cells)
        return
    shared = GramPool(realization, FitMemory())
    for cell in task.cells:
        yield Started(cell)
        if cell.run_pass == "error":
            yield run_cell(task, cell, shared)
            continue
        warm = False
        with suppress(BaseException):  # it loads compiled code and fills caches
            warm = run_cell(task, cell, GramPool(realization).for_warm_up()).ok
        earlier = _TIMED[cell.dataset, cell.settings_key]
        record, waited = yield from _timing(task, cell, realization, warm)
        if waited or is_disturbed(record, earlier):
            record, _ = yield from _timing(task, cell, realization, warm)
        earlier.append(record)
        yield record


def _timing(
    task: Task, cell: Cell, realization: Realization, warm: bool
) -> Generator[Started, None, tuple[Record, bool]]:
    """Return the record of a timing and whether it waited for the compiler; yield its start.

    The warm-up is before the start, so that the time limit does not include it.
    """
    yield Started(cell)
    load_before = os.getloadavg()[0] if hasattr(os, "getloadavg") else None  # not on Windows
    # Count the threads inside the limit, as the cell has them.
    with _thread_limit(cell):
        threads = max((pool["num_threads"] for pool in _thread_pools().info()), default=1)
    conditions = Conditions(platform.node(), threads, load_before, warm)
    with compiling_counted() as compiled:
        # A timing computes its own kernel values.
        record = run_cell(task, cell, GramPool(realization), conditions)
    return record, bool(compiled)


# The timings of each value in this process, by data set and settings
_TIMED: dict[tuple[str, str], list[Record]] = defaultdict(list)
LONG = 10.0  # seconds of a first timing that is not repeated: it hardly depends on caches


def is_disturbed(record: Record, earlier: Sequence[Record]) -> bool:
    """Return whether a timing must be run again: the first one of a value, or one far too long.

    The first one loads what the warm-up on a few rows did not need.
    """
    name = "train_seconds"
    seconds, before = record.seconds.get(name), [each.seconds.get(name) for each in earlier]
    known = [each for each in before if each is not None]
    if seconds is None:
        return False
    return seconds > DISTURBED * median(known) if known else seconds < LONG


def run_cell(
    task: Task, cell: Cell, grams: GramPool, conditions: Conditions | None = None
) -> Record:
    """Return the record of a cell; whatever its estimator raises becomes a failed record.

    A cell fails, too, if the user's own code is not that of the plan before or after it runs.
    """
    if changed := _changed_code(task, cell):
        return new_record(task, cell, "failed", changed, conditions=conditions)
    record = _record_of_fit(task, cell, grams, conditions)
    if changed := _changed_code(task, cell):
        return new_record(task, cell, "failed", changed, conditions=conditions)
    return record


def _changed_code(task: Task, cell: Cell) -> str:
    """Return which own code of a cell is not that of the plan, as a sentence; else ""."""
    own = cell.settings.own
    return changed_since(own, task.modules) if own and task.modules else ""


def _record_of_fit(
    task: Task, cell: Cell, grams: GramPool, conditions: Conditions | None
) -> Record:
    """Return the record of a cell whose code was found to be that of the plan."""
    try:
        with (
            _thread_limit(cell),  # for each cell, because the one before may have changed it
            warnings.catch_warnings(record=True) as caught,
        ):
            warnings.simplefilter("default")
            if cell.method is None:
                evaluation = _facts(task.card, grams.realization)
            else:
                method, chosen = _method(task, cell, in_codes(cell.method, task.card))
                with surroundings(cell.seed):
                    evaluation = evaluate(
                        method,
                        cell.seed,
                        grams,
                        cell.order_seeds,
                        metrics=cell.scored,
                        find_draws=cell.find_draws,
                    )
                stage = by_labels(chosen or evaluation.stage, cell.method, task.card)
                curves = searched_by_labels(evaluation.curves, cell.method, task.card)
                evaluation = replace(evaluation, stage=stage, curves=curves)
        texts = {error_text(each.message, kind=True) for each in caught}
        if cell.method is None and task.card.source == OWN_SOURCE:
            texts |= set(alarms(load(task.card, data_dir=task.data_dir)))
        noted = _few(sorted(texts))
        record = new_record(
            task, cell, "ok", evaluation=evaluation, conditions=conditions, warnings=noted
        )
        # Whatever cannot be written and read again fails the cell.
        LineReader().read(json.dumps(record.to_json()).encode())
    except BaseException as error:
        expected = isinstance(error, Misbehaves)
        reason = error_text(error, kind=not expected)
        if isinstance(error, ValueError) and "read-only" in reason:
            reason += "; if it is of its inputs: algorithms share them, and change only copies"
        text = "" if expected else traceback_of(error)
        return new_record(task, cell, "failed", reason, conditions=conditions, traceback=text)
    return record


def _few(texts: list[str]) -> tuple[str, ...]:
    """Return the warnings of a cell as a record holds them: at most MOST_WARNINGS."""
    left_out = len(texts) - MOST_WARNINGS
    return (*texts[:MOST_WARNINGS], *([f"... and {left_out} more"] if left_out > 0 else []))


def _facts(card: DatasetCard, realization: Realization) -> Evaluation:
    (n_train, dim), n_test = realization.X_train.shape, realization.X_test.shape[0]
    sizes = {"dim": dim, "n_train": n_train, "n_test": n_test}
    facts = {**sizes, "rows": card.rows, "classes": len(card.labels)}
    return Evaluation(facts if card.positive is None else {**facts, POSITIVE: card.positive})


def _method(task: Task, cell: Cell, method: AlgorithmSettings) -> _Method:
    """Return the algorithm of a cell, and what a search on the first realizations chose for it."""
    if method.search_on is None:
        return method, None
    value = cell.dataset, cell.settings_key
    if value not in _SEARCHED:
        data = load(task.card, data_dir=task.data_dir)
        choices = []
        for number in range(1, method.search_on + 1):
            seed = replace(cell, realization=number).seed
            with surroundings(seed):  # the same choice, whichever cell comes first
                choices.append(search(method, seed, GramPool(data.realization(number))))
        _SEARCHED[value] = with_medians(method, choices)
    return _SEARCHED[value]


# What searches on the first realizations chose, by data set and settings: one search a process
_SEARCHED: dict[tuple[str, str], _Method] = {}
MOST_WARNINGS = 100  # of one cell; each has another text
NOTHING = Evaluation(metrics={})  # of a cell that failed


def new_record(
    task: Task,
    cell: Cell,
    status: Status,
    reason: str = "",
    evaluation: Evaluation = NOTHING,
    **more: Any,
) -> Record:
    """Return a record of a cell: what it is, how it ended, its values, and `more` fields."""
    values = {**vars(evaluation), **more}
    return Record(
        study=cell.study,
        dataset=cell.dataset,
        realization=cell.realization,
        algorithm=cell.algorithm,
        run_pass=cell.run_pass,
        key=cell.key,
        settings_key=cell.settings_key,
        settings=cell.settings,
        seed=cell.seed,
        run_id=task.run_id,
        time=now(),
        status=status,
        reason=reason,
        **values,
    )


def record_of_timing(cell: Cell, timing: Record) -> Record:
    """Return the record of a cell of the error pass whose values a timing computed."""
    return replace(
        timing,
        run_pass=cell.run_pass,
        key=cell.key,
        settings_key=cell.settings_key,
        settings=cell.settings,
        conditions=None,
    )


@lru_cache
def warm_up_libraries() -> None:
    """Do what libraries do once in a process, so that forks of this process need not do it."""
    from sklearn.dummy import DummyClassifier

    DummyClassifier().fit([[0.0], [1.0]], [0, 1])  # looks for libraries of data frames
    _thread_pools()


@contextmanager
def surroundings(seed: int) -> Iterator[None]:
    """Run the body with seeded global random numbers, and restore the options of libraries.

    It restores NumPy's treatment of floating-point errors, scikit-learn's options and the working
    directory. It need not restore the global random numbers, because every cell seeds them. Solvers
    are compiled at once, because many fits follow.
    """
    from sklearn import config_context

    with np.errstate(), config_context(), _same_directory(), compiling_at_once():
        random.seed(seed)
        np.random.seed(seed)
        yield


@contextmanager
def _same_directory() -> Iterator[None]:
    """Restore the working directory after the body, unless it is gone."""
    directory = "."
    with suppress(OSError):
        directory = os.getcwd()
    try:
        yield
    finally:
        with suppress(OSError):
            os.chdir(directory)


def _thread_limit(cell: Cell) -> Any:
    return _thread_pools().limit(limits=cell.blas_threads)


@lru_cache
def _thread_pools() -> ThreadpoolController:
    """Return the BLAS and OpenMP pools of this process; finding them takes longer than a cell."""
    import sklearn.svm  # noqa: F401  loaded first, so that their pools are found too

    return ThreadpoolController()
