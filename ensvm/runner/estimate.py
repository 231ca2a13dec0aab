"""How long a plan's missing cells will take, by cells of the same algorithm that were measured."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from ensvm.records.record import Identity, Record
from ensvm.runner.measured import Measured, kernel_id, measured, settings_id
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
    machines : tuple of str
        The kinds of processors that the shipped measurements used were made on.
    """

    seconds: float
    here: int
    elsewhere: int
    unknown: int
    machines: tuple[str, ...] = ()


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
    known = _Measurements(measured(records), list(shipped))
    tasks: dict[tuple[str, int], _Task] = defaultdict(_Task)
    serial, counts, machines = 0.0, {"here": 0, "elsewhere": 0, "unknown": 0}, set[str]()
    for cell in missing:
        if cell.method is None:  # it states the facts of the data
            continue
        found = known.cost(cell, *plan.cards[cell.dataset].sizes()[1:])
        if found is None:
            counts["unknown"] += 1
            continue
        cost, source = found
        counts[source] += 1
        if source == "elsewhere":
            machines.add(cost.machine)
        if cell.run_pass == "timing":
            serial += cost.fit_seconds + cost.predict_seconds
            serial += cost.kernel_seconds + cost.test_kernel_seconds
        else:
            tasks[cell.dataset, cell.realization].add(cell, cost)
    seconds = [task.seconds for task in tasks.values()]
    # The cells of a realization are one task, which no number of jobs makes shorter.
    wall = serial + max([sum(seconds) / jobs, *seconds])
    start = START_SECONDS if counts["here"] + counts["elsewhere"] else 0.0
    return Estimate(start + wall, **counts, machines=tuple(sorted(machines)))


class _Task:
    """The cells of one realization: their kernel values are computed once for each kernel."""

    def __init__(self) -> None:
        self._own = 0.0
        self._kernels: dict[str, float] = {}

    def add(self, cell: Cell, cost: Measured) -> None:
        assert cell.method is not None
        self._own += cost.fit_seconds + cost.predict_seconds
        shared = cost.kernel_seconds + cost.test_kernel_seconds
        if shared:
            kernel = kernel_id(cell.method.to_json())
            self._kernels[kernel] = max(shared, self._kernels.get(kernel, 0.0))

    @property
    def seconds(self) -> float:
        return self._own + sum(self._kernels.values())


class _Measurements:
    """What was measured, by the settings of algorithms: here first, then elsewhere."""

    def __init__(self, here: list[Measured], elsewhere: list[Measured]) -> None:
        self._lines: dict[str, list[tuple[Measured, str]]] = defaultdict(list)
        for source, lines in (("here", here), ("elsewhere", elsewhere)):
            for line in lines:
                self._lines[line.settings].append((line, source))
        self._costs: dict[tuple[str, str, str], tuple[Measured, str] | None] = {}

    def cost(self, cell: Cell, n_train: int, n_test: int) -> tuple[Measured, str] | None:
        """Return the expected seconds of a cell and where they come from, if anything is known."""
        key = (cell.dataset, cell.algorithm, cell.run_pass)
        if key not in self._costs:
            self._costs[key] = self._scaled(cell, n_train, n_test)
        return self._costs[key]

    def _scaled(self, cell: Cell, n_train: int, n_test: int) -> tuple[Measured, str] | None:
        assert cell.method is not None
        method = cell.method.to_json()
        lines = self._lines.get(settings_id(method), [])
        same_pass = [pair for pair in lines if pair[0].run_pass == cell.run_pass]
        lines = same_pass or lines

        def distance(pair: tuple[Measured, str]) -> tuple[float, bool, bool]:
            line, source = pair
            ratio = max(line.n_train / n_train, n_train / line.n_train)
            near = max(ratio, SAME_SIZE)
            return near, line.dataset != cell.dataset, source != "here"

        if not lines or distance(nearest := min(lines, key=distance))[0] > REACH:
            return None
        line, source = nearest
        grown = n_train / line.n_train
        fit = line.fit_seconds * grown ** _growth([line for line, _ in lines])
        pairs = grown * n_test / line.n_test
        # The seconds of a cell that is run over several orders of its rows are those of one order.
        orders = method.get("orders", 1)
        scaled = replace(
            line,
            fit_seconds=orders * fit,
            kernel_seconds=orders * line.kernel_seconds * grown**2,
            predict_seconds=orders * line.predict_seconds * pairs,
            test_kernel_seconds=orders * line.test_kernel_seconds * pairs,
        )
        return scaled, source


def _growth(lines: list[Measured]) -> float:
    """Return the exponent of the power law by which the seconds of fits grow with their rows."""
    rows = np.log([line.n_train for line in lines])
    if np.ptp(rows) < np.log(SAME_SIZE):
        return DEFAULT_GROWTH
    seconds = np.log([max(line.fit_seconds, 1e-6) for line in lines])
    return float(np.clip(np.polyfit(rows, seconds, 1)[0], 0.0, MOST_GROWTH))
