"""How long a run will take, from past cells of the same folder of results."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from ensvm.records.record import Identity, Record
from ensvm.runner.plan import Cell, Plan
from ensvm.study.passes import ValueOf

PHASES = ("fit", "predict", "selection")
KERNEL_PHASES = ("kernel", "test_kernel")


@dataclass(frozen=True)
class RunEstimate:
    """Expected wall seconds of missing cells."""

    seconds: float  # of all cells but the unknown
    n_known: int
    n_unknown: int  # cells of a data set and an algorithm without a finished cell here


def estimate(
    plan: Plan, missing: Iterable[Cell], records: Mapping[Identity, Record], jobs: int
) -> RunEstimate:
    """Return the expected wall time of missing cells of a plan.

    A cell is expected to take as long as finished cells of its data set, algorithm and pass did on
    average. `jobs` cells of the error pass run at a time; timings run one by one.
    """
    cells = [cell for cell in missing if cell.method is not None]
    seconds = _seconds_of_one_cell(records.values())
    known = [cell for cell in cells if cell.value in seconds]
    # A cell that a timing answers is not run.
    to_run = [cell for cell in known if cell.identity not in plan.timings]
    total = sum(seconds[cell.value] / (1 if cell.run_pass == "timing" else jobs) for cell in to_run)
    return RunEstimate(total, len(known), len(cells) - len(known))


def _seconds_of_one_cell(records: Iterable[Record]) -> dict[ValueOf, float]:
    """Return the mean seconds of finished cells, with equal shares of shared kernel values."""
    finished = [record for record in records if record.ok and record.seconds]
    sharing = Counter(_sharing(record) for record in finished)
    seconds: dict[ValueOf, list[float]] = defaultdict(list)
    for record in finished:
        kernel = sum(map(record.busy_seconds, KERNEL_PHASES)) / sharing[_sharing(record)]
        own = sum(map(record.busy_seconds, PHASES))
        seconds[record.dataset, record.algorithm, record.run_pass].append(own + kernel)
    return {value: fmean(each) for value, each in seconds.items()}


def _sharing(record: Record) -> tuple[Any, ...]:
    """Return what records that share kernel values have in common; timings share none."""
    return record.identity if record.run_pass == "timing" else record.identity[:2]
