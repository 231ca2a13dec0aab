"""Estimates of the cost of a run: seconds, from past cells of the same algorithm, and memory.

`python -m ensvm.runner.estimate results` writes the shipped table of measured seconds from the
records in a folder; the rows of studies without records there stay.
"""

import csv
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from ensvm.kernels import parameters_of
from ensvm.memory import free_bytes, gibibytes, refusal
from ensvm.records.identity import settings_id
from ensvm.records.record import Identity, Record
from ensvm.records.store import CELLS_FILE, read_records
from ensvm.runner.estimators import made
from ensvm.runner.grams import gram_bytes, shares_gram
from ensvm.runner.plan import Cell, Plan
from ensvm.runner.settings import AlgorithmSettings
from ensvm.shipped import shipped_configs
from ensvm.study.metrics import DATA_CELL

TABLE = "measured-seconds.csv"
SECONDS = ("fit_seconds", "kernel_seconds", "predict_seconds", "test_kernel_seconds")
# What the shipped studies take before their first cell ends: imports, data, starting workers.
START_SECONDS = 3.0
# An algorithm is estimated from data sets at most this many times as large or as small.
REACH = 4.0
SUGGESTED_RANK = 1000  # of a low-rank factor, if an estimator can train on one


@dataclass(frozen=True)
class Measured:
    """The mean seconds of an algorithm's cells on one data set.

    Attributes
    ----------
    study, dataset, algorithm : str
        Where the cells belong: the study, the row, the column.
    run_pass : 'error' or 'timing'
        The pass they belong to.
    settings : str
        A hash of the estimator and its parameters; see `identity.settings_id`.
    n_train, n_test : int
        The rows that a cell is fitted on and scored on.
    cells : int
        The cells that were measured.
    fit_seconds, predict_seconds : float
        Seconds of one cell, apart from the kernel values that it may share with others.
    kernel_seconds, test_kernel_seconds : float
        Seconds for all kernel values among the training rows, and of the test rows. In the error
        pass the algorithms with one kernel share them.
    machine : str
        The kind of processor.
    """

    study: str
    dataset: str
    algorithm: str
    run_pass: str
    settings: str
    n_train: int
    n_test: int
    cells: int
    fit_seconds: float
    kernel_seconds: float
    predict_seconds: float
    test_kernel_seconds: float
    machine: str

    @property
    def kernels(self) -> float:
        """The seconds of all kernel values."""
        return self.kernel_seconds + self.test_kernel_seconds

    @property
    def alone(self) -> float:
        """The seconds of a cell that shares nothing."""
        return self.fit_seconds + self.predict_seconds + self.kernels

    def at_size(self, n_train: int, n_test: int) -> "Measured":
        """Return the seconds on more or fewer rows; fits grow as kernel values do."""
        grown = n_train / self.n_train
        pairs = grown * n_test / self.n_test
        return replace(
            self,
            fit_seconds=self.fit_seconds * grown**2,
            kernel_seconds=self.kernel_seconds * grown**2,
            predict_seconds=self.predict_seconds * pairs,
            test_kernel_seconds=self.test_kernel_seconds * pairs,
        )


@dataclass(frozen=True)
class Estimate:
    """Expected wall seconds of missing cells, and what the expectation rests on.

    Attributes
    ----------
    seconds : float
        The wall seconds of all cells but those in `unknown`.
    here, elsewhere : int
        Cells whose algorithm was measured by the study's own records, and by shipped ones alone.
    unknown : int
        Cells whose algorithm was never measured at such a size; they are not estimated.
    by_dataset : dict of float
        The part of the seconds that each data set takes.
    machines : tuple of str
        The kinds of processors of the shipped measurements.
    """

    seconds: float
    here: int
    elsewhere: int
    unknown: int
    by_dataset: Mapping[str, float]
    machines: tuple[str, ...]


def estimate(
    plan: Plan,
    missing: Iterable[Cell],
    records: Mapping[Identity, Record],
    shipped: Iterable[Measured],
    jobs: int,
) -> Estimate:
    """Return the expected wall time of cells.

    Parameters
    ----------
    plan : Plan
        The plan that the cells belong to.
    missing : iterable of Cell
        The cells that are to be done.
    records : dict of Record
        The study's own records, which come before the shipped measurements.
    shipped : iterable of Measured
        Measurements of other cells.
    jobs : int
        The cells of the error pass that are run at a time; timings are run one by one.

    Returns
    -------
    Estimate
        The seconds, and how many cells they stand for.
    """
    here, elsewhere = _by_settings(measured(records)), _by_settings(shipped)
    counts, machines = Counter[str](), set[str]()
    serial: dict[str, float] = defaultdict(float)
    own: dict[tuple[str, int], float] = defaultdict(float)
    kernels: dict[tuple[str, int], dict[str, float]] = defaultdict(dict)
    for cell in missing:
        if cell.method is None:  # it states the facts of the data
            continue
        sizes = plan.cards[cell.dataset].sizes()[1:]
        cost, source = _nearest(here, cell, *sizes), "here"
        if cost is None:
            cost, source = _nearest(elsewhere, cell, *sizes), "elsewhere"
        counts["unknown" if cost is None else source] += 1
        if cost is None or cell.identity in plan.timings:  # a timing answers it too
            continue
        machines |= {cost.machine} if source == "elsewhere" else set()
        if cell.run_pass == "timing":
            serial[cell.dataset] += cost.alone
            continue
        # Each further order of the training rows has kernel values of its own.
        orders = cell.method.orders
        unit = cell.dataset, cell.realization
        own[unit] += orders * (cost.fit_seconds + cost.predict_seconds)
        own[unit] += (orders - 1) * cost.kernels
        kernel = _kernel_id(cell.method.to_json())
        kernels[unit][kernel] = max(cost.kernels, kernels[unit].get(kernel, 0.0))
    units = {unit: own[unit] + sum(kernels[unit].values()) for unit in own}
    by_dataset = Counter[str](serial)
    for (dataset, _), seconds in units.items():
        by_dataset[dataset] += seconds / jobs  # type: ignore[assignment]
    # The cells of a realization are one task: more jobs do not make it shorter.
    wall = sum(serial.values()) + max([sum(units.values()) / jobs, *units.values()])
    known = counts["here"] + counts["elsewhere"]
    return Estimate(
        seconds=wall + (START_SECONDS if known else 0.0),
        here=counts["here"],
        elsewhere=counts["elsewhere"],
        unknown=counts["unknown"],
        by_dataset=dict(by_dataset),
        machines=tuple(sorted(machines)),
    )


def _by_settings(lines: Iterable[Measured]) -> dict[str, list[Measured]]:
    groups: dict[str, list[Measured]] = defaultdict(list)
    for line in lines:
        groups[line.settings].append(line)
    return groups


def _nearest(
    lines: Mapping[str, list[Measured]], cell: Cell, n_train: int, n_test: int
) -> Measured | None:
    """Return the seconds of a cell by the same algorithm on the data set nearest in size."""
    assert cell.method is not None

    def distance(line: Measured) -> tuple[bool, bool, float]:
        ratio = max(line.n_train / n_train, n_train / line.n_train)
        return line.dataset != cell.dataset, line.run_pass != cell.run_pass, ratio

    nearest = min(lines.get(settings_id(cell.method.to_json()), ()), key=distance, default=None)
    if nearest is None or distance(nearest)[2] > REACH:
        return None
    return nearest.at_size(n_train, n_test)


def _kernel_id(algorithm: Mapping[str, Any]) -> str:
    """Return what algorithms share kernel values by: the kernel, its parameters, the precision."""
    defaults = algorithm.get("defaults", {})
    try:
        read = parameters_of(defaults.get("kernel", "").strip("'"))
    except ValueError:  # a function of the user's own, or an algorithm without kernels
        read = ()
    return repr([*(defaults.get(name) for name in ("kernel", *read)), algorithm.get("gram_dtype")])


def measured(records: Mapping[Identity, Record]) -> list[Measured]:
    """Return the mean seconds of a study's finished cells, one line a data set and algorithm."""
    kernels: dict[tuple[Any, ...], dict[str, float]] = defaultdict(lambda: defaultdict(float))
    groups: dict[tuple[str, str, str, str], list[Record]] = defaultdict(list)
    for record in records.values():
        if record.ok and record.settings.get("algorithm"):
            settings = settings_id(record.settings["algorithm"])
            groups[record.dataset, record.algorithm, record.run_pass, settings].append(record)
            # In the error pass these are running sums of what the algorithms so far have shared.
            of_kernel = kernels[_sharing(record)]
            for part in ("kernel_seconds", "test_kernel_seconds"):
                of_kernel[part] = max(of_kernel[part], record.seconds.get(part, 0.0))
    lines = []
    for (dataset, algorithm, run_pass, settings), group in groups.items():
        facts = records.get((dataset, 1, DATA_CELL, "error"))
        n_train, n_test = (facts and facts.ok and facts.size(n) for n in ("n_train", "n_test"))
        if not (n_train and n_test):
            continue
        of_group = [kernels[_sharing(record)] for record in group]
        selection = fmean(record.seconds.get("selection_seconds", 0.0) for record in group)
        lines.append(
            Measured(
                study=group[0].study,
                dataset=dataset,
                algorithm=algorithm,
                run_pass=run_pass,
                settings=settings,
                n_train=n_train,
                n_test=n_test,
                cells=len(group),
                fit_seconds=fmean(_undisturbed(record, "fit") for record in group) + selection,
                kernel_seconds=fmean(each["kernel_seconds"] for each in of_group),
                predict_seconds=fmean(_undisturbed(record, "predict") for record in group),
                test_kernel_seconds=fmean(each["test_kernel_seconds"] for each in of_group),
                machine=group[-1].run.processor if group[-1].run else "",
            )
        )
    return lines


def _undisturbed(record: Record, part: str) -> float:
    """Return the seconds of a part as if the machine had nothing else to do.

    Waiting for a processor adds only to the wall time, a second thread only to the CPU time.
    """
    wall = record.seconds.get(f"{part}_seconds", 0.0)
    return min(wall, record.seconds.get(f"{part}_cpu_seconds", wall))


def _sharing(record: Record) -> tuple[Any, ...]:
    """Return what records with the same kernel matrix have in common."""
    if record.run_pass == "timing" or "kernel_seconds" not in record.seconds:
        return (record.key,)
    kernel = _kernel_id(record.settings["algorithm"])
    return record.dataset, record.realization, record.run_id, kernel


def total_seconds(lines: Iterable[Measured], orders: Mapping[str, int]) -> float:
    """Return the seconds that all measured cells of a study take one processor.

    Lines of a data set with equal kernel seconds are taken to have shared the kernel values.
    `orders` has the algorithms that are fitted in several orders of their training rows.
    """
    lines = list(lines)
    timed = {
        (line.dataset, line.algorithm, line.settings): line.cells
        for line in lines
        if line.run_pass == "timing"
    }
    total, shared = 0.0, dict[tuple[str, float], float]()
    for line in lines:
        if line.run_pass == "timing":
            total += line.cells * line.alone
            continue
        n = orders.get(line.algorithm, 1)
        own = n * (line.fit_seconds + line.predict_seconds) + (n - 1) * line.kernels
        # A timing answers the cell of the error pass too.
        cells = max(line.cells - timed.get((line.dataset, line.algorithm, line.settings), 0), 0)
        total += cells * own
        kernel = line.dataset, line.kernel_seconds
        shared[kernel] = max(shared.get(kernel, 0.0), cells * line.kernels)
    return total + sum(shared.values())


def read_measured(path: Path | None = None) -> list[Measured]:
    """Return the lines of a table of measured seconds, the shipped one by default."""
    path = path or shipped_configs() / TABLE
    if not path.is_file():
        return []
    kinds = {entry.name: entry.type for entry in fields(Measured)}
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Measured(**{name: kinds[name](text) for name, text in line.items()})  # type: ignore
            for line in csv.DictReader(file)
        ]


def write_measured(results: Path, path: Path) -> None:
    """Replace the lines of every study that has records in `results`; seconds get three digits."""
    lines: dict[str, list[Measured]] = defaultdict(list)
    for line in read_measured(path):
        lines[line.study].append(line)
    for cells in sorted(results.glob(f"*/{CELLS_FILE}")):
        if found := measured(read_records(cells.parent)):
            lines[found[0].study] = found
    with path.open("w", encoding="utf-8", newline="") as file:
        names = [entry.name for entry in fields(Measured)]
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        for line in (line for study in sorted(lines) for line in lines[study]):
            writer.writerow(asdict(line) | {name: f"{getattr(line, name):.3g}" for name in SECONDS})


def memory_refusals(plan: Plan, cells: Iterable[Cell]) -> list[str]:
    """Return why cells cannot be run for lack of memory, a line a data set and size.

    A Gram matrix that the runner makes has all the training rows. If an estimator makes one of its
    own, rows that are identical may count once, which is not known before the fit.
    """
    free = free_bytes()
    pairs = {(cell.dataset, cell.algorithm): cell for cell in cells}
    needs: dict[tuple[str, str], list[str]] = defaultdict(list)
    with plan.importable():
        for (dataset, algorithm), cell in pairs.items():
            if cell.method is not None:
                needed, what, instead = _need(cell.method, plan.cards[dataset].sizes()[1])
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
