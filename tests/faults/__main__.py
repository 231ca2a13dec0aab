"""`python -m faults`: have every call that writes fail in turn, and print how commands ended."""

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from tabulate import tabulate

from faults.command import Starter
from faults.commands import COMMANDS, WITH_WORKERS, Trial, Verdict
from faults.injection import Fault

ENDS = {0: "exit 0", 1: "exit 1", 2: "exit 2", -9: "killed"}


def tried(name: str, folder: Path, point: int | None) -> list[Verdict]:
    """Try all points of a command, or one, and say which were not survived."""
    begun = time.monotonic()
    verdicts = []
    with Starter(folder) as starter:
        trial = Trial((COMMANDS | WITH_WORKERS)[name], folder / "trial", starter)
        for tried in trial.points:
            if point in (None, tried.number):
                verdicts.append(trial.tried(tried))
                if wrong := verdicts[-1].wrong:
                    print(f"{name}, {tried}: {wrong}", flush=True)
    print(f"{name}: {len(verdicts)} faults, {time.monotonic() - begun:.0f} s", flush=True)
    return verdicts


def table(verdicts: dict[str, list[Verdict]]) -> str:
    """Return how many faults of each kind were tried in each command, and how it ended."""
    rows = []
    for name, of_command in verdicts.items():
        points = len({verdict.point.number for verdict in of_command})
        faults = Counter(verdict.point.fault for verdict in of_command)
        ends = Counter(verdict.status for verdict in of_command)
        survived = sum(not verdict.wrong for verdict in of_command)
        counts = [faults[fault] for fault in Fault], [ends[status] for status in ENDS]
        rows.append([name, points, *counts[0], len(of_command), *counts[1], survived])
    rows.append(["all", *(sum(row[at] for row in rows) for at in range(1, len(rows[0])))])
    heads = ["command", "points", *(fault.value for fault in Fault), "faults"]
    return tabulate(rows, headers=[*heads, *ENDS.values(), "survived"])


def main() -> None:
    """Try the faults, print the table, and end with status 1 if one was not survived."""
    parser = argparse.ArgumentParser(prog="faults", description=__doc__)
    parser.add_argument("--only", help="this command alone")
    parser.add_argument("--point", type=int, help="this point alone")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="commands at a time")
    given = parser.parse_args()
    names = [name for name in COMMANDS | WITH_WORKERS if given.only in (None, name)]
    with (
        tempfile.TemporaryDirectory(prefix="faults-") as folder,
        ProcessPoolExecutor(given.jobs) as pool,
    ):
        orders = {
            pool.submit(tried, name, Path(folder) / str(number), given.point): name
            for number, name in enumerate(names)
        }
        ended = {orders[order]: order.result() for order in as_completed(orders)}
    print(table({name: ended[name] for name in names}))
    sys.exit(any(verdict.wrong for of_command in ended.values() for verdict in of_command))


if __name__ == "__main__":
    main()
