"""`python -m faults`: have every call that writes fail in turn, and print how commands ended."""

import argparse
import os
import sys
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from faults.command import Starter
from faults.commands import COMMANDS, Trial

ENDS = {0: "exit 0", 1: "exit 1", 2: "exit 2", -9: "killed"}


def tried(name: str, folder: Path, point: int | None) -> int:
    """Try all points of a command, or one, and return how many faults were not survived."""
    ends: Counter[str] = Counter()
    wrong = 0
    with Starter(folder / name) as starter:
        trial = Trial(COMMANDS[name], folder / name / "trial", starter)
        for tried in trial.points:
            if point in (None, tried.number):
                verdict = trial.tried(tried)
                ends[f"{tried.fault.value} -> {ENDS[verdict.status]}"] += 1
                if verdict.wrong:
                    wrong += 1
                    print(f"{name}, {tried}: {verdict.wrong}", flush=True)
    counts = ", ".join(f"{how}: {count}" for how, count in sorted(ends.items()))
    print(f"{name}: {ends.total()} faults, {wrong} not survived ({counts})", flush=True)
    return wrong


def main() -> None:
    """Try the faults, and end with status 1 if one was not survived."""
    parser = argparse.ArgumentParser(prog="faults", description=__doc__)
    parser.add_argument("--only", choices=COMMANDS, help="this command alone")
    parser.add_argument("--point", type=int, help="this point alone")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="commands at a time")
    options = parser.parse_args()
    names = [options.only] if options.only else list(COMMANDS)
    with (
        tempfile.TemporaryDirectory(prefix="faults-") as folder,
        ProcessPoolExecutor(options.jobs) as pool,
    ):
        runs = [pool.submit(tried, name, Path(folder), options.point) for name in names]
        sys.exit(sum(run.result() for run in runs) > 0)


if __name__ == "__main__":
    main()
