"""Estimates of the cost of a run: seconds, from past cells of the same algorithm, and memory.

`python -m ensvm.runner.estimate results` writes the shipped table of measured seconds from the
records in a folder; the lines of cells without records there stay.
"""

import csv
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import fmean, median
from typing import Any, NamedTuple

import numpy as np
from pydantic import TypeAdapter

from ensvm.kernels import parameters_of
from ensvm.memory import free_bytes, gibibytes, refusal
from ensvm.records.identity import ValueOf, settings_id
from ensvm.records.record import Identity, Record, RunPass
from ensvm.records.store import CELLS_FILE, read_records
from ensvm.runner.estimators import made
from ensvm.runner.grams import gram_bytes, shares_gram
from ensvm.runner.plan import Cell, Plan
from ensvm.runner.settings import AlgorithmSettings
from ensvm.shipped import shipped_configs
from ensvm.study.config import StudyConfig
from ensvm.study.metrics import DATA_CELL

TABLE = "measured-seconds.csv"
# What the shipped studies take before their first cell ends: imports, data, starting workers.
START_SECONDS = 3.0
# An algorithm is estimated from data sets at most this many times as large or as small.
REACH = 4.0
SUGGESTED_RANK = 1000  # of a low-rank factor, if an estimator can train on one
KERNEL_SECONDS = ("kernel_seconds", "test_kernel_seconds")


@dataclass(frozen=True)
class Measured:
    """The mean seconds of an algorithm's cells on one data set."""

    study: str
    dataset: str
    algorithm: str
    run_pass: RunPass
    settings: str  # a hash of the estimator and its parameters; see `identity.settings_id`
    n_train: int
    n_test: int
    cells: int  # how many were measured
    seconds: float  # of one fit, with an equal share of the kernel values that fits have shared
    machine: str  # the kind of processor


@dataclass(frozen=True)
class Estimate:
    """Expected wall seconds of missing cells, and what the expectation rests on."""

    seconds: float  # of all cells but those in `unknown`
    here: int  # cells whose algorithm was measured by the study's own records
    elsewhere: int  # cells whose algorithm was measured only by shipped records
    unknown: int  # cells whose algorithm was never measured at such a size
    by_dataset: Mapping[str, float]  # the part of the seconds that each data set takes
    machines: tuple[str, ...]  # the kinds of processors of the shipped measurements


class _OneCell(NamedTuple):
    """The expected seconds of one cell, and the machine if only shipped records measured it."""

    seconds: float
    machine: str | None


def estimate(
    plan: Plan,
    missing: Iterable[Cell],
    records: Mapping[Identity, Record],
    shipped: Iterable[Measured],
    jobs: int,
) -> Estimate:
    """Return the expected wall time of cells of a plan, and what it rests on.

    The study's own records come before the `shipped` measurements of other cells. `jobs` cells of
    the error pass run at a time; timings run one by one.
    """
    cells = [cell for cell in missing if cell.method is not None]
    one_cell = _seconds_of_one_cell(plan, cells, records, shipped)
    known = [cell for cell in cells if cell.value in one_cell]
    elsewhere = [cell for cell in known if one_cell[cell.value].machine is not None]
    # A timing answers its cell of the error pass too.
    to_run = [cell for cell in known if cell.identity not in plan.timings]
    machines = [one_cell[cell.value].machine for cell in to_run]
    by_dataset: dict[str, float] = defaultdict(float)
    serial = 0.0
    tasks: dict[tuple[str, int], float] = defaultdict(float)
    for cell in to_run:
        seconds = one_cell[cell.value].seconds
        if cell.run_pass == "timing":
            by_dataset[cell.dataset] += seconds
            serial += seconds
        else:
            by_dataset[cell.dataset] += seconds / jobs
            tasks[cell.dataset, cell.realization] += seconds
    # The cells of a realization are one task: more jobs do not make it shorter.
    wall = serial + max([sum(tasks.values()) / jobs, *tasks.values()])
    return Estimate(
        seconds=wall + (START_SECONDS if known else 0.0),
        here=len(known) - len(elsewhere),
        elsewhere=len(elsewhere),
        unknown=len(cells) - len(known),
        by_dataset=by_dataset,
        machines=tuple(sorted({machine for machine in machines if machine is not None})),
    )


def work_of(
    plan: Plan, cells: Sequence[Cell], records: Mapping[Identity, Record]
) -> dict[ValueOf, float]:
    """Return the processor seconds that one cell of each value is expected to take.

    A cell whose algorithm was never measured takes as long for each kernel value as the median of
    those that were; without any, its seconds are the number of its kernel values.
    """
    sizes = _sizes(plan, cells)
    values = {
        cell.value: 0.0 if cell.method is None else _kernel_values(*sizes[cell.dataset])
        for cell in cells
    }
    one_cell = _seconds_of_one_cell(plan, cells, records, read_measured())
    pace = (
        median(one_cell[value].seconds / values[value] for value in one_cell) if one_cell else 1.0
    )
    return {
        value: one_cell[value].seconds if value in one_cell else pace * values[value]
        for value in values
    }


def _seconds_of_one_cell(
    plan: Plan,
    cells: Sequence[Cell],
    records: Mapping[Identity, Record],
    shipped: Iterable[Measured],
) -> dict[ValueOf, _OneCell]:
    """Return the expected seconds of one cell of each value, if its algorithm was measured."""
    here: dict[str, list[Measured]] = defaultdict(list)
    elsewhere: dict[str, list[Measured]] = defaultdict(list)
    for source, lines in ((here, measured(records)), (elsewhere, shipped)):
        for line in lines:
            source[line.settings].append(line)
    sizes, one_cell = _sizes(plan, cells), {}
    for value, cell in {cell.value: cell for cell in cells}.items():
        if cell.method is None:
            continue
        settings, (n_train, n_test) = settings_id(cell.settings["algorithm"]), sizes[cell.dataset]
        own = _nearest(here[settings], cell, n_train)
        nearest = own or _nearest(elsewhere[settings], cell, n_train)
        if nearest is not None:  # fits grow as kernel values do
            measured_values = _kernel_values(nearest.n_train, nearest.n_test)
            growth = _kernel_values(n_train, n_test) / measured_values
            seconds = cell.method.orders * nearest.seconds * growth
            one_cell[value] = _OneCell(seconds, None if own else nearest.machine)
    return one_cell


def _sizes(plan: Plan, cells: Iterable[Cell]) -> dict[str, tuple[int, int]]:
    """Return the numbers of training and test rows of the data sets of cells."""
    return {name: plan.cards[name].sizes()[1:] for name in {cell.dataset for cell in cells}}


def _kernel_values(n_train: int, n_test: int) -> float:
    """Return how many kernel values a cell may need, a measure of its work."""
    return float(n_train) * (n_train + n_test)


def _nearest(lines: Iterable[Measured], cell: Cell, n_train: int) -> Measured | None:
    """Return the line of the data set nearest in size, the cell's own data set before others."""

    def distance(line: Measured) -> tuple[bool, bool, float]:
        ratio = max(line.n_train / n_train, n_train / line.n_train)
        return line.dataset != cell.dataset, line.run_pass != cell.run_pass, ratio

    nearest = min(lines, key=distance, default=None)
    return nearest if nearest is not None and distance(nearest)[2] <= REACH else None


def measured(records: Mapping[Identity, Record]) -> list[Measured]:
    """Return the mean seconds of a study's finished cells, one line a data set and algorithm."""
    fitted = [r for r in records.values() if r.ok and r.settings.get("algorithm")]
    sharing: dict[tuple[Any, ...], list[Record]] = defaultdict(list)
    groups: dict[tuple[str, str, RunPass, str], list[Record]] = defaultdict(list)
    for record in fitted:
        sharing[_shared_kernel(record)].append(record)
        settings = settings_id(record.settings["algorithm"])
        groups[record.dataset, record.algorithm, record.run_pass, settings].append(record)
    # A record has the seconds of all kernel values until then, so the largest sum counts them all.
    kernels = {
        key: max(sum(record.seconds.get(part, 0.0) for part in KERNEL_SECONDS) for record in group)
        / len(group)
        for key, group in sharing.items()
    }
    lines = []
    for (dataset, algorithm, run_pass, settings), group in groups.items():
        facts = records.get((dataset, 1, DATA_CELL, "error"))
        n_train, n_test = (facts and facts.ok and facts.size(n) for n in ("n_train", "n_test"))
        if n_train and n_test:
            seconds = fmean(_own_seconds(each) + kernels[_shared_kernel(each)] for each in group)
            machine = group[-1].run.processor if group[-1].run else ""
            named = (group[0].study, dataset, algorithm, run_pass, settings, n_train, n_test)
            lines.append(Measured(*named, len(group), seconds, machine))
    return lines


def _own_seconds(record: Record) -> float:
    """Return the seconds of a fit apart from kernel values."""
    own = record.seconds.get("selection_seconds", 0.0)
    for part in ("fit", "predict"):
        own += record.busy_seconds(part)
    return own


def _shared_kernel(record: Record) -> tuple[Any, ...]:
    """Return what records with the same kernel matrix have in common."""
    if record.run_pass == "timing" or "kernel_seconds" not in record.seconds:
        return (record.key,)
    algorithm = record.settings["algorithm"]
    defaults = algorithm.get("defaults", {})
    try:
        read = parameters_of(defaults.get("kernel", "").strip("'"))
    except ValueError:  # a function of the user's own, or an algorithm without kernels
        read = ()
    kernel = [*(defaults.get(name) for name in ("kernel", *read)), algorithm.get("gram_dtype")]
    return record.dataset, record.realization, record.run_id, repr(kernel)


def total_seconds(lines: Iterable[Measured], config: StudyConfig) -> float:
    """Return the seconds that all measured cells of a study take one processor."""
    lines = list(lines)
    timed = {
        (line.dataset, line.algorithm, line.settings): line.cells
        for line in lines
        if line.run_pass == "timing"
    }
    total = 0.0
    for line in lines:
        fits = line.cells
        if line.run_pass == "error":
            # A timing answers the cell of the error pass too.
            answered = timed.get((line.dataset, line.algorithm, line.settings), 0)
            algorithm = config.algorithms.get(line.algorithm)
            fits = max(line.cells - answered, 0) * (algorithm.orders if algorithm else 1)
        total += fits * line.seconds
    return total


def read_measured(path: Path | None = None) -> list[Measured]:
    """Return the lines of a table of measured seconds, the shipped one by default."""
    path = path or shipped_configs() / TABLE
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return TypeAdapter(list[Measured]).validate_python(list(csv.DictReader(file)))


def write_measured(results: Path, path: Path) -> None:
    """Replace the lines of the cells that have records in `results`; seconds get three digits."""
    lines = {_place(line): line for line in read_measured(path)}
    for cells in results.glob(f"*/{CELLS_FILE}"):
        lines |= {_place(line): line for line in measured(read_records(cells.parent))}
    with path.open("w", encoding="utf-8", newline="") as file:
        names = [entry.name for entry in fields(Measured)]
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        for _, line in sorted(lines.items()):
            writer.writerow(asdict(line) | {"seconds": f"{line.seconds:.3g}"})


def _place(line: Measured) -> tuple[str, str, str, str]:
    return line.study, line.dataset, line.algorithm, line.run_pass


def memory_refusals(plan: Plan, cells: Sequence[Cell]) -> list[str]:
    """Return why memory does not suffice for cells, a line for each data set and reason.

    Gram matrices that the runner makes are counted, since they have all training rows. Those that
    an estimator makes are not: it may merge identical rows, and their number is not known before
    the fit.
    """
    free = free_bytes()
    rows = {name: n_train for name, (n_train, _) in _sizes(plan, cells).items()}
    # No algorithm needs more than a Gram matrix in double precision, and most of these fit.
    large = {name for name in rows if gram_bytes(rows[name], "float64") > free}
    pairs = {(cell.dataset, cell.algorithm): cell.method for cell in cells if cell.dataset in large}
    needs: dict[tuple[str, str], list[str]] = defaultdict(list)
    with plan.importable():
        for (dataset, algorithm), method in pairs.items():
            if method is not None:
                needed, what, instead = _need(method, rows[dataset])
                if needed > free:
                    needs[dataset, refusal(needed, free, what, instead)].append(algorithm)
    return [
        f"{dataset}, {', '.join(algorithms)}: {reason}"
        for (dataset, reason), algorithms in needs.items()
    ]


def _need(method: AlgorithmSettings, rows: int) -> tuple[float, str, str]:
    """Return the bytes of the largest array, what it is, and what would take less."""
    estimator = made(method.estimator, method.params, seed=0)
    if method.share_gram and shares_gram(estimator):
        instead = ""
        if "low_rank" in estimator.get_params(deep=False):
            factor = float(min(SUGGESTED_RANK, rows) * rows * np.dtype(np.float64).itemsize)
            instead = f"low_rank={SUGGESTED_RANK} takes {gibibytes(factor)}"
        return gram_bytes(rows, method.gram_dtype), f"the Gram matrix of {rows} rows", instead
    if not hasattr(estimator, "factor_bytes"):
        return 0.0, "", ""
    needed = estimator.factor_bytes(rows)
    return needed, f"the low-rank factor of {rows} rows", "a lower low_rank takes less"


if __name__ == "__main__":
    write_measured(Path(sys.argv[1]), shipped_configs() / TABLE)
