"""How long a plan's missing cells will take, by the records of others like them or their size."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean

from ensvm.records.record import Identity, Record
from ensvm.runner.plan import Cell, Plan

# One kernel value with its share of a fit, on a 2020s core; only for cells of which nothing has
# been measured yet.
SECONDS_PER_KERNEL_VALUE = 2e-8

WALL_PARTS = ("train_seconds", "test_kernel_seconds", "predict_seconds")


@dataclass(frozen=True)
class Estimate:
    """Expected wall seconds of the missing cells, how many were measured, how many guessed."""

    seconds: float
    measured: int
    guessed: int


def estimate(
    plan: Plan, missing: Iterable[Cell], records: Mapping[Identity, Record], jobs: int
) -> Estimate:
    """Return the expected wall time of `missing` cells run `jobs` at a time."""
    seen: dict[tuple[str, str], list[float]] = defaultdict(list)
    for record in records.values():
        if record.status == "ok":
            # The shared Gram matrix's seconds stand in every record that used it; here they count
            # in full, as an upper bound.
            wall = sum(record.seconds.get(part, 0.0) for part in WALL_PARTS)
            seen[record.dataset, record.algorithm].append(wall)
    total, measured, guessed = 0.0, 0, 0
    for cell in missing:
        walls = seen.get((cell.dataset, cell.algorithm))
        if walls:
            total, measured = total + fmean(walls), measured + 1
        elif cell.method is not None:
            _, n_train, n_test = plan.cards[cell.dataset].sizes()
            points = math.prod(len(values) for values in (cell.method.grid or {}).values())
            total += points * n_train * (n_train + n_test) * SECONDS_PER_KERNEL_VALUE
            guessed += 1
    return Estimate(total / jobs, measured, guessed)
