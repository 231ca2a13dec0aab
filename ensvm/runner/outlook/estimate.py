"""How long a plan's missing cells will take, by cells of the same algorithm that were measured."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from ensvm.records.record import Identity, Record
from ensvm.runner.outlook.measured import Measured, kernel_id, measured, settings_id
from ensvm.runner.plan import Cell, Plan

# What the shipped studies take before their first cell ends: imports, data, starting workers.
START_SECONDS = 3.0
# Sizes that differ by less are one size: the folds of a cross-validation differ by a row.
SAME_SIZE = 1.1
# How many times as large or as small as the nearest measured data set another may be.
REACH = 4.0
# How the seconds of a fit grow with the training rows where one size alone was measured: as the
# kernel values do.
DEFAULT_GROWTH = 2.0
MOST_GROWTH = 3.0

# What a study's seconds are spent on, in the order of a cell; timings have a pass of their own.
PHASES = ("kernel values", "fitting", "predicting", "timing")

Source: TypeAlias = Literal["here", "elsewhere", "unknown"]


@dataclass(frozen=True)
class Estimate:
    """Expected wall seconds of missing cells, and what the expectation rests on.

    Attributes
    ----------
    seconds : float
        The wall seconds of all cells but those in `unknown`.
    here : int
        Cells whose algorithm was measured by the study's own records.
    elsewhere : int
        Cells whose algorithm was measured by the shipped records alone.
    unknown : int
        Cells whose algorithm was never measured at such a size; they are not estimated.
    by_dataset : dict of float
        The part of the seconds that each data set takes.
    machines : tuple of str
        The kinds of processors that the shipped measurements used were made on.
    by_phase : dict of float
        The seconds of one processor, by algorithm and phase (one of `PHASES`). Kernel values of
        the error pass, which algorithms share, are those of no algorithm: the empty name.
    """

    seconds: float
    here: int
    elsewhere: int
    unknown: int
    by_dataset: Mapping[str, float]
    machines: tuple[str, ...]
    by_phase: Mapping[tuple[str, str], float]


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
    known = Measurements(measured(records), list(shipped))
    tasks: dict[tuple[str, int], Work] = defaultdict(Work)
    by_dataset: dict[str, float] = defaultdict(float)
    phases: dict[tuple[str, str], float] = defaultdict(float)
    serial, counts, machines = 0.0, Counter[str](), set[str]()
    for cell in missing:
        if cell.method is None:  # it states the facts of the data
            continue
        cost, source = known.cost(cell, *plan.cards[cell.dataset].sizes()[1:])
        counts[source] += 1
        if cost is None or cell.identity in plan.timings:  # it takes no seconds beside the timing
            continue
        if source == "elsewhere":
            machines.add(cost.machine)
        if cell.run_pass == "timing":
            by_dataset[cell.dataset] += cost.alone
            serial += cost.alone
            phases[cell.algorithm, "timing"] += cost.alone
        else:
            phases[cell.algorithm, "fitting"] += cost.fit_seconds
            phases[cell.algorithm, "predicting"] += cost.predict_seconds
            tasks[cell.dataset, cell.realization].add(cell, cost)
    for (dataset, _), task in tasks.items():
        by_dataset[dataset] += task.seconds / jobs
        phases["", "kernel values"] += task.kernels
    # The cells of a realization are one task, which no number of jobs makes shorter.
    seconds = [task.seconds for task in tasks.values()]
    wall = serial + max([sum(seconds) / jobs, *seconds])
    here, elsewhere = counts["here"], counts["elsewhere"]
    start = START_SECONDS if here + elsewhere else 0.0
    unknown = counts["unknown"]
    return Estimate(
        seconds=start + wall,
        here=here,
        elsewhere=elsewhere,
        unknown=unknown,
        by_dataset=dict(by_dataset),
        machines=tuple(sorted(machines)),
        by_phase=dict(phases),
    )


class Work:
    """The cells of one realization: their kernel values are computed once for each kernel."""

    def __init__(self) -> None:
        self._own = 0.0
        self._kernels: dict[str, float] = {}

    def add(self, cell: Cell, cost: Measured) -> None:
        """Add a cell of the error pass."""
        assert cell.method is not None
        self._own += cost.fit_seconds + cost.predict_seconds
        if cost.kernels:
            kernel = kernel_id(cell.method.to_json())
            self._kernels[kernel] = max(cost.kernels, self._kernels.get(kernel, 0.0))

    @property
    def kernels(self) -> float:
        """The seconds of its kernel values."""
        return sum(self._kernels.values())

    @property
    def seconds(self) -> float:
        """The seconds of all of it."""
        return self._own + self.kernels


class Measurements:
    """What was measured, by the settings of algorithms: here, else elsewhere."""

    def __init__(self, here: list[Measured], elsewhere: list[Measured]) -> None:
        self._lines: dict[str, list[tuple[Measured, Source]]] = defaultdict(list)
        for line in here:
            self._lines[line.settings].append((line, "here"))
        for line in elsewhere:
            self._lines[line.settings].append((line, "elsewhere"))
        self._costs: dict[tuple[str, str, str], tuple[Measured | None, Source]] = {}

    def cost(self, cell: Cell, n_train: int, n_test: int) -> tuple[Measured | None, Source]:
        """Return the expected seconds of a cell, if anything is known, and where they come from."""
        key = (cell.dataset, cell.algorithm, cell.run_pass)
        if key not in self._costs:
            self._costs[key] = self._scaled(cell, n_train, n_test)
        return self._costs[key]

    def _scaled(self, cell: Cell, n_train: int, n_test: int) -> tuple[Measured | None, Source]:
        assert cell.method is not None
        method = cell.method.to_json()
        lines = self._lines.get(settings_id(method), [])
        lines = [pair for pair in lines if pair[0].run_pass == cell.run_pass] or lines

        def distance(pair: tuple[Measured, Source]) -> tuple[float, bool, bool]:
            line, source = pair
            ratio = max(line.n_train / n_train, n_train / line.n_train)
            return max(ratio, SAME_SIZE), line.dataset != cell.dataset, source != "here"

        if not lines or distance(nearest := min(lines, key=distance))[0] > REACH:
            return None, "unknown"
        line, source = nearest
        grown = n_train / line.n_train
        pairs = grown * n_test / line.n_test
        scaled = replace(
            line,
            fit_seconds=line.fit_seconds * grown ** _growth([line for line, _ in lines]),
            kernel_seconds=line.kernel_seconds * grown**2,
            predict_seconds=line.predict_seconds * pairs,
            test_kernel_seconds=line.test_kernel_seconds * pairs,
        )
        return _in_orders(scaled, method.get("orders", 1)), source


def _in_orders(cost: Measured, orders: int) -> Measured:
    """Return the seconds of a cell that is done in several orders of its training rows.

    Measured are those of one order. The kernel values of the first are shared with other
    algorithms, those of the further ones are the algorithm's own.
    """
    return replace(
        cost,
        fit_seconds=orders * cost.fit_seconds + (orders - 1) * cost.kernels,
        predict_seconds=orders * cost.predict_seconds,
    )


def _growth(lines: list[Measured]) -> float:
    """Return the exponent of the power law by which the seconds of fits grow with their rows."""
    rows = np.log([line.n_train for line in lines])
    if np.ptp(rows) < np.log(SAME_SIZE):
        return DEFAULT_GROWTH
    seconds = np.log([max(line.fit_seconds, 1e-6) for line in lines])
    return float(np.clip(np.polyfit(rows, seconds, 1)[0], 0.0, MOST_GROWTH))
