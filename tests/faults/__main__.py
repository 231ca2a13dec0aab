"""`python -m faults --faults N --seed S`: make faults, and print how they ended, class by class."""

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import numpy as np
from tabulate import tabulate

from faults.classes import CLASSES
from faults.command import Starter
from faults.outcome import FaultClass, Outcome, Verdict


def tried(kind: type[FaultClass], count: int, seed: int, folder: Path) -> list[Verdict]:
    """Make `count` faults of a class, and tell those that were not survived as they come."""
    verdicts = []
    begun = time.monotonic()
    with Starter() as starter:
        faults = kind(folder / kind.__name__, starter, np.random.default_rng(seed))
        for number in range(count):
            verdict = faults.one(number)
            verdicts.append(verdict)
            if verdict.outcome is not Outcome.SURVIVED:
                what = f"{kind.name}, {number}: {verdict.outcome.value}: {verdict.fault}"
                print(f"{what}\n    {verdict.evidence}", flush=True)
    seconds = time.monotonic() - begun
    survived = sum(verdict.outcome is Outcome.SURVIVED for verdict in verdicts)
    print(f"{kind.name}: {count} tried, {survived} survived, {seconds:.0f} s", flush=True)
    if faults.note:
        print(f"{kind.name}: {faults.note}", flush=True)
    return verdicts


def table(verdicts: dict[type[FaultClass], list[Verdict]]) -> str:
    """Return how many faults of each class were tried, and how they ended."""
    rows = []
    for kind, of_kind in verdicts.items():
        ends = Counter(verdict.outcome for verdict in of_kind)
        rows.append([kind.name, len(of_kind), *(ends[outcome] for outcome in Outcome)])
    rows.append(["all", *(sum(row[i] for row in rows) for i in range(1, len(rows[0])))])
    return tabulate(rows, headers=["class", "tried", *(outcome.value for outcome in Outcome)])


def main() -> None:
    """Make the faults, print the table, and end with status 1 if one did not survive."""
    parser = argparse.ArgumentParser(prog="faults", description=__doc__)
    parser.add_argument("--faults", type=int, help="how many in all [default: the short form]")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="classes at a time")
    parser.add_argument("--only", help="a class of faults, by a part of its name")
    given = parser.parse_args()
    kinds = [kind for kind in CLASSES if (given.only or "") in kind.name]
    total = sum(kind.share for kind in kinds)
    with (
        tempfile.TemporaryDirectory(prefix="faults-") as folder,
        ProcessPoolExecutor(given.jobs) as pool,
    ):
        orders = {}
        for kind in kinds:
            count = kind.short
            if given.faults is not None:
                count = max(1, round(given.faults * kind.share / total))
            orders[pool.submit(tried, kind, count, given.seed, Path(folder))] = kind
        ended = {orders[order]: order.result() for order in as_completed(orders)}
    verdicts = {kind: ended[kind] for kind in kinds}
    print(table(verdicts))
    everything = [verdict for of_kind in verdicts.values() for verdict in of_kind]
    sys.exit(any(verdict.outcome is not Outcome.SURVIVED for verdict in everything))


if __name__ == "__main__":
    main()
