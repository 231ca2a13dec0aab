"""The trial fits of `ensvm check`: every algorithm on a few rows of a local data set."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from ensvm.data import DataSearch
from ensvm.records.record import Record
from ensvm.runner.cell import Task
from ensvm.runner.plan import Cell, Plan
from ensvm.runner.workers import LocalEngine
from ensvm.study.config import read_config

TRIAL_ROWS = 30
FEWEST_OF_A_CLASS = 10  # so that each fold of a cross-validation has some
# What fails on so few rows (more neighbours, or more components, than there are) may do on more.
SECOND_TRIAL_ROWS = 300
TRIAL_SECONDS = 60.0  # a first fit may have to compile its code


@dataclass
class Trial:
    """How the trial fits ended.

    Attributes
    ----------
    fitted : dict of tuple
        The algorithms that were fitted and scored, by the data set that each was tried on.
    untried : tuple of str
        Those that run on no data set that is at hand.
    slow : tuple of str
        Those that took longer than `TRIAL_SECONDS`.
    """

    fitted: dict[str, tuple[str, ...]] = field(default_factory=dict)
    untried: tuple[str, ...] = ()
    slow: tuple[str, ...] = ()


def trial(plan: Plan, data_dir: Path | None = None) -> Trial:
    """Fit each algorithm of a plan on a few rows, in a worker process as a run does.

    Of a grid the first point is fitted. Each algorithm is tried on the smallest data set that it
    runs on and that needs no download; one that is wrapped for more than two classes there too.

    Raises UserError if an algorithm cannot be fitted or does not predict; the message names its
    block and the exception.
    """
    cells = _cells(plan, _at_hand(plan, data_dir))
    records = _records(plan, cells, TRIAL_ROWS, data_dir)
    again = {record.identity for record in records if record.status == "failed"}
    if again:
        to_repeat = [cell for cell in cells if cell.identity in again]
        second = _records(plan, to_repeat, SECOND_TRIAL_ROWS, data_dir)
        records = [record for record in records if record.identity not in again] + second
        _refuse_failed(plan, second)
    outcome = Trial()
    for record in records:
        if record.ok:
            names = outcome.fitted.get(record.dataset, ())
            outcome.fitted[record.dataset] = (*names, record.algorithm)
    tried = {record.algorithm for record in records}
    wanted = dict.fromkeys(cell.algorithm for cell in plan.cells if cell.method is not None)
    outcome.untried = tuple(name for name in wanted if name not in tried)
    outcome.slow = tuple(r.algorithm for r in records if r.status == "timeout")
    return outcome


def _at_hand(plan: Plan, data_dir: Path | None) -> list[str]:
    """Return the data sets that need no download, the smallest first."""
    search = DataSearch(data_dir, download=False)
    available = [name for name, card in plan.cards.items() if search.find(name, card)]
    local = [name for name in available if name not in search.to_download]
    return sorted(local, key=lambda name: plan.cards[name].rows)


def _cells(plan: Plan, datasets: list[str]) -> list[Cell]:
    """Return one cell for each algorithm, and for each that is wrapped another."""
    chosen: dict[tuple[str, str | None], Cell] = {}
    of_dataset: dict[str, list[Cell]] = {}
    for cell in plan.cells:
        of_dataset.setdefault(cell.dataset, []).append(cell)
    for dataset in datasets:
        for cell in of_dataset.get(dataset, []):
            if cell.method is not None and cell.run_pass == "error":
                grid = cell.method.grid
                first = grid and {key: values[:1] for key, values in grid.items()}
                method = replace(cell.method, grid=first, orders=1)
                chosen.setdefault((cell.algorithm, method.wrapped), replace(cell, method=method))
    return list(chosen.values())


def _records(plan: Plan, cells: list[Cell], rows: int, data_dir: Path | None) -> list[Record]:
    """Return the records of the cells, fitted on about so many rows."""
    records: list[Record] = []
    shared = [cell for cell in cells if not cell.own_files]
    groups = [
        [cell for cell in shared if cell.dataset == dataset]
        for dataset in dict.fromkeys(cell.dataset for cell in shared)
    ]
    tasks = []
    for group in [*groups, *([cell] for cell in cells if cell.own_files)]:
        card = plan.cards[group[0].dataset]
        of_a_class = max(FEWEST_OF_A_CLASS, rows // len(card.labels))
        folder = plan.path.parent.absolute()
        tasks.append(Task(card, tuple(group), data_dir, TRIAL_SECONDS, "trial", folder, of_a_class))
    LocalEngine(jobs=1).run(tasks, records.extend, TRIAL_SECONDS)
    return records


def _refuse_failed(plan: Plan, records: Iterable[Record]) -> None:
    """Raise UserError for the first algorithm that failed, which counts the others."""
    failed = [record for record in records if record.status == "failed"]
    if failed:
        _, source = read_config(plan.path)
        first, *others = failed
        more = f" (and {len(others)} more: {', '.join(r.algorithm for r in others)})"
        reason = " ".join(first.reason.split())
        message = f"a fit on {TRIAL_ROWS} rows of {first.dataset} failed: {reason}"
        raise source.error(("algorithms", first.algorithm), message + (more if others else ""))
