"""The trial fits of `ensvm check`: every algorithm on a few rows of a local data set."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ensvm.data import DataSearch
from ensvm.errors import near_miss
from ensvm.records.record import Record
from ensvm.runner import workers
from ensvm.runner.cell import Task
from ensvm.runner.plan import Cell, Plan
from ensvm.study.block import Asked
from ensvm.study.metrics import SIZE, left_by_fit

TRIAL_ROWS = 30
FEWEST_OF_A_CLASS = 10  # so that each fold of a cross-validation has some
# What fails on so few rows (more neighbours, or more components, than there are) may do on more.
SECOND_TRIAL_ROWS = 300
TRIAL_SECONDS = 60.0  # a first fit may have to compile its code


@dataclass(frozen=True)
class Trial:
    """How the trial fits ended."""

    fitted: Mapping[str, list[str]]  # by data set: the algorithms that were fitted and scored
    untried: tuple[str, ...]  # algorithms that run on no data set that is at hand
    slow: tuple[str, ...]  # algorithms that took longer than `TRIAL_SECONDS`


def trial(plan: Plan) -> Trial:
    """Fit each algorithm of a plan on a few rows, in a worker process as a run does.

    Of a grid, only the first point is fitted. Each algorithm is tried on the smallest data set that
    it runs on and that needs no download. An algorithm that is wrapped on data of more than two
    classes is also tried on the smallest of these.

    Raises UserError if an algorithm cannot be fitted or does not predict, or if the config asks for
    a number or a curve that no fit leaves; the message names the line and the reason.
    """
    cells = _cells(plan)
    records = _records(plan, cells, TRIAL_ROWS)
    again = {record.identity for record in records if record.status == "failed"}
    if again:
        second = _records(
            plan, [cell for cell in cells if cell.identity in again], SECOND_TRIAL_ROWS
        )
        _refuse_failed(plan, [record for record in second if record.status == "failed"])
        records = [record for record in records if record.identity not in again] + second
    _refuse_what_no_fit_leaves(plan, [record for record in records if record.ok])
    fitted: dict[str, list[str]] = {}
    for record in records:
        if record.ok:
            fitted.setdefault(record.dataset, []).append(record.algorithm)
    tried = {record.algorithm for record in records}
    wanted = dict.fromkeys(cell.algorithm for cell in plan.cells if cell.method is not None)
    return Trial(
        fitted,
        untried=tuple(name for name in wanted if name not in tried),
        slow=tuple(record.algorithm for record in records if record.status == "timeout"),
    )


def _cells(plan: Plan) -> list[Cell]:
    """Return one cell for each algorithm, and a second one if it is wrapped on some data.

    Each cell is of the smallest data set that needs no download.
    """
    search = DataSearch(download=False)
    available = [name for name, card in plan.cards.items() if search.find(name, card)]
    local = [name for name in available if name not in search.to_download]
    smallest_first = sorted(local, key=lambda name: plan.cards[name].rows)
    order = {name: number for number, name in enumerate(smallest_first)}
    cells = [cell for cell in plan.cells if cell.dataset in order and cell.run_pass == "error"]
    chosen: dict[tuple[str, str | None], Cell] = {}
    for cell in sorted(cells, key=lambda cell: order[cell.dataset]):
        method = cell.method
        if method is not None and (cell.algorithm, method.wrapped) not in chosen:
            first = method.grid and {key: values[:1] for key, values in method.grid.items()}
            tried = replace(cell, method=replace(method, grid=first, orders=1))
            chosen[cell.algorithm, method.wrapped] = tried
    return list(chosen.values())


def _records(plan: Plan, cells: list[Cell], rows: int) -> list[Record]:
    """Return the records of the cells, each fitted on about `rows` rows."""
    records: list[Record] = []
    groups: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        groups.setdefault((cell.dataset, cell.algorithm if cell.has_own_code else ""), []).append(
            cell
        )
    tasks = []
    for (dataset, _), group in groups.items():
        card = plan.cards[dataset]
        of_a_class = max(FEWEST_OF_A_CLASS, rows // len(card.labels))
        folder = plan.path.parent.absolute()
        tasks.append(Task(card, tuple(group), None, "trial", folder, of_a_class))
    workers.run_here(tasks, records.extend, TRIAL_SECONDS, jobs=1)
    return records


def _refuse_failed(plan: Plan, failed: list[Record]) -> None:
    """Raise UserError for the first algorithm that failed; the message names the others."""
    if failed:
        first, *others = failed
        reason = " ".join(first.reason.split())
        message = f"a fit on {TRIAL_ROWS} rows of {first.dataset} failed: {reason}"
        if others:
            message += f" (and {len(others)} more: {', '.join(r.algorithm for r in others)})"
        raise plan.source.error(("algorithms", first.algorithm), message)


def _refuse_what_no_fit_leaves(plan: Plan, records: list[Record]) -> None:
    """Raise UserError for what the config asks of algorithms if none of their records has it."""
    for asked in plan.config.asked():
        fits = [record for record in records if record.algorithm in asked.algorithms]
        is_tried = {record.algorithm for record in fits} == set(asked.algorithms)
        if is_tried and (reason := _why_missing(asked, fits)):
            raise plan.source.error(asked.location, reason)


def _why_missing(asked: Asked, fits: list[Record]) -> str:
    """Return why no record has what is asked; an empty text if one has it, or a full run may."""
    names, metric = ", ".join(asked.algorithms), asked.metric
    if not _is_left_by_fit(metric):
        return ""
    values = {name: value for record in fits for name, value in record.metrics.items()}
    numbers = {
        name
        for name, value in values.items()
        if _is_left_by_fit(name) and not isinstance(value, str)
    }
    curves = {name for record in fits for name in record.curves}
    kind, accepted = ("curve", curves) if asked.curve else ("number", numbers)
    if metric in accepted or not fits:
        return ""
    if metric in curves:
        return f"{metric} is a curve; give the `stage:` of it"
    return (
        f"a fit of {names} leaves no {kind} {metric!r}; "
        f"it leaves {', '.join(sorted(accepted)) or 'none'}{near_miss(metric, accepted)}"
    )


def _is_left_by_fit(metric: str) -> bool:
    """Return whether a metric is there only if a fit leaves it."""
    return left_by_fit(metric) or metric == SIZE
