"""`make bench`: every task by turns with its peer, into results/bench/."""

import argparse
import platform
from pathlib import Path

import pandas as pd
from rich.console import Console
from rich.progress import track

from ensvm.records.provenance import provenance
from side_by_side.machine import Machine, measured
from side_by_side.measure import Outcome, Task, side_by_side
from side_by_side.tasks import TASKS

PAIRS, FRESH_PAIRS = 5, 3
ALIKE = 0.05  # ratios this near to 1 say that both are equally fast
ALIGNED = ("left", "left", *["right"] * 6, "left")  # the columns of the page


def row(task: Task, outcome: Outcome, machine: Machine) -> dict[str, object]:
    """Return one line of the table."""
    said: dict[str, object] = {"task": task.id, "what": task.what, "peer": task.peer}
    if outcome.skipped:
        return {**said, "note": f"skipped: {outcome.skipped}"}
    ours, theirs = (pd.Series(outcome.seconds[side]) for side in ("ours", "theirs"))
    result = outcome.results["ours"]
    bound = machine.bound(*(result.get(key, 0.0) for key in ("flops32", "flops64", "read")))
    median = float(pd.Series(outcome.ratios).median())
    return {
        **said,
        "ours s": ours.median(),
        "peer s": theirs.median(),
        "ratio": median,
        "least": outcome.ratios.min(),
        "most": outcome.ratios.max(),
        "limit": task.limit,
        "holds": "" if task.limit is None else "yes" if median <= task.limit else "no",
        "bound s": bound or None,
        "share of bound": bound / ours.median() if bound else None,
        "ours MB": outcome.peak_bytes["ours"] / 1e6,
        "peer MB": outcome.peak_bytes["theirs"] / 1e6,
        "note": "; ".join(
            f"{key}: {value:.4g} / {outcome.results['theirs'][key]:.4g}"
            for key, value in result.items()
            if key in outcome.results["theirs"]
        ),
    }


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Return the columns that readers compare, as texts; the CSV has the rest."""
    rows = []
    for line in table.to_dict("records"):
        numbers = {key: digits(line[key]) for key in ("ours s", "peer s", "ours MB", "peer MB")}
        timed = not pd.isna(line["ratio"])
        spread = f"{line['ratio']:.2g} ({line['least']:.2g} to {line['most']:.2g})" if timed else ""
        limit = "" if pd.isna(line["limit"]) else f"{line['limit']:.2g}: {line['holds']}"
        rows.append(
            {
                "what": line["what"],
                "peer": line["peer"],
                "ours s": numbers["ours s"],
                "peer s": numbers["peer s"],
                "ours / peer": spread,
                "limit holds": limit,
                "ours MB": numbers["ours MB"],
                "peer MB": numbers["peer MB"],
                "note": "" if pd.isna(line["note"]) else line["note"],
            }
        )
    return pd.DataFrame(rows)


def digits(value: float) -> str:
    """Return a number with three digits or all before the point; empty for NaN."""
    if pd.isna(value):
        return ""
    return f"{value:.0f}" if value >= 100.0 else f"{value:.3g}"


def summary(table: pd.DataFrame) -> str:
    """Return on how many tasks ours is faster, as fast and slower, and how many limits hold.

    Ours counts as faster or slower if the ratio is beyond 1 by more than `ALIKE`.
    """
    timed, limited = table.dropna(subset="ratio"), table.dropna(subset=["ratio", "limit"])
    faster = (timed["ratio"] < 1.0 - ALIKE).sum()
    slower = (timed["ratio"] > 1.0 + ALIKE).sum()
    return (
        f"Of {len(timed)} tasks, ours is faster than the peer on {faster}, slower on {slower}, and "
        f"within {ALIKE:.0%} of it on {len(timed) - faster - slower}. We set {len(limited)} limits "
        f"for the ratio; {(limited['holds'] == 'yes').sum()} hold. A limit above 1 lets ours be "
        "slower."
    )


def text(table: pd.DataFrame, machines: dict[int, Machine], pairs: int) -> str:
    """Return the page: the table and what its columns mean."""
    rates = "; ".join(
        f"{machine.threads} thread{'s' if machine.threads > 1 else ''}: "
        f"{machine.flops32 / 1e9:.0f} GFlop/s in float32, {machine.flops64 / 1e9:.0f} in float64, "
        f"{machine.bandwidth / 1e9:.0f} GB/s"
        for machine in machines.values()
    )
    about = provenance(1)
    packages = ", ".join(f"{name} {version}" for name, version in sorted(about.packages.items()))
    return (
        f"# Ours beside others\n\n{summary(table)}\n\n"
        + shown(table).to_markdown(index=False, disable_numparse=True, colalign=ALIGNED)
        + f"\n\nSeconds are medians of {pairs} runs of each side, by turns, each side in a process "
        "of its own after one run that is not counted, or (*first in a process*) each run in a new "
        f"process, {FRESH_PAIRS} of each side, with data and libraries loaded before; the ratio is "
        "the median of the pairs' ratios, with the least and the most. Memory is the peak of the "
        "process, data and libraries included. A note has the result of ours and of the peer. The "
        "CSV also has a bound: the operations and the bytes that the computation cannot do without "
        "at the rates measured on this machine.\n\n"
        f"<sub>{about.processor}, {platform.system()}; measured rates: {rates}; "
        f"{packages}.</sub>\n"
    )


def main() -> None:
    """Measure, print and write."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--tasks", default="", help="their names, separated by commas")
    options.add_argument("--pairs", type=int, default=PAIRS, help="runs of each side")
    options.add_argument("--output", type=Path, default=Path("results/bench"))
    given = options.parse_args()
    chosen = given.tasks.split(",") if given.tasks else [task.id for task in TASKS]
    unknown = set(chosen) - {task.id for task in TASKS}
    if unknown:
        options.error(
            f"no task {', '.join(sorted(unknown))}; there are {', '.join(t.id for t in TASKS)}"
        )
    console = Console(stderr=True)
    tasks = [task for task in TASKS if task.id in chosen]
    threads = sorted({task.threads for task in tasks})
    machines = {number: measured(number, given.pairs) for number in threads}
    rows = []
    for task in track(tasks, "measuring", console=console, disable=not console.is_terminal):
        pairs = min(given.pairs, FRESH_PAIRS) if task.fresh else given.pairs
        outcome = side_by_side(task, pairs)
        rows.append(row(task, outcome, machines[task.threads]))
        line = {key: value for key, value in rows[-1].items() if key in ("task", "ratio", "note")}
        console.print(line)
    table = pd.DataFrame(rows)
    given.output.mkdir(parents=True, exist_ok=True)
    table.to_csv(given.output / "side-by-side.csv", index=False)
    page = text(table, machines, given.pairs)
    (given.output / "side-by-side.md").write_text(page)
    print(page)


if __name__ == "__main__":
    main()
