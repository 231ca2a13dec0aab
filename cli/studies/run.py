"""`ensvm run`: do a study's missing cells."""

import signal
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from ensvm_cli import ENDING, INTERRUPTED
from ensvm_cli.studies.planned import size, tell_columns, tell_missing_data
from ensvm_cli.studies.progress import RunProgress
from ensvm_cli.terminal import (
    commands_of,
    data_dir_option,
    duration,
    readable_errors,
)

if TYPE_CHECKING:
    from ensvm.records.record import Identity, Record
    from ensvm.runner.execute import Outcome
    from ensvm.runner.plan import Cell, Plan

RESULTS = click.Path(file_okay=False, path_type=Path)


def _names(
    context: click.Context, option: click.Parameter, values: tuple[str, ...]
) -> tuple[str, ...]:
    names = [name.strip() for value in values for name in value.split(",")]
    return tuple(dict.fromkeys(name for name in names if name))


@click.command()
@click.argument("config")
@click.option(
    "--jobs",
    "-j",
    type=click.IntRange(min=1),
    help="Cells at a time [default: the number of cores].",
)
@click.option(
    "--realizations",
    type=click.IntRange(min=1),
    help="At most this many realizations of each data set.",
)
@click.option(
    "--datasets",
    callback=_names,
    multiple=True,
    metavar="A,B",
    help="Only these data sets (rows); may be given several times.",
)
@click.option(
    "--algorithms",
    callback=_names,
    multiple=True,
    metavar="A,B",
    help="Only these algorithms (columns); may be given several times.",
)
@click.option(
    "--results",
    type=RESULTS,
    default="results",
    show_default=True,
    help="Where records and tables go.",
)
@data_dir_option
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Wall time one cell may take.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be done, and how long it might take.")
def run(
    config: str,
    jobs: int | None,
    realizations: int | None,
    datasets: tuple[str, ...],
    algorithms: tuple[str, ...],
    results: Path,
    data_dir: Path | None,
    timeout: float | None,
    dry_run: bool,
) -> None:
    """Run the cells of CONFIG that are still missing.

    CONFIG is a file, or the name of a shipped study such as ijcai07. Every finished cell is kept at
    once in RESULTS/<study>/cells.jsonl; the same command goes on after an interruption. Exit
    status: 0 all cells are done, 1 some are not (they are tried again by the next run), 2 wrong
    input, 130 interrupted.
    """
    plan = None
    for number in ENDING:
        signal.signal(number, _interrupt)
    try:
        with readable_errors():
            from joblib import cpu_count

            from ensvm.runner.plan import make_plan
            from ensvm.study.reading import find_config

            path = find_config(config)
            plan = make_plan(
                path, realizations=realizations, datasets=datasets, algorithms=algorithms
            )
            workers = jobs or cpu_count()
            tell_columns(plan)
            if dry_run:
                _dry_run(plan, results / plan.config.study, workers, data_dir)
                return
            _run(plan, results, jobs=workers, data_dir=data_dir, timeout=timeout)
    except KeyboardInterrupt:
        done = f"; {_done(plan, results)}" if plan else ""
        click.echo(
            f"interrupted{done}; every finished cell is kept, the same command goes on from here",
            err=True,
        )
        sys.exit(INTERRUPTED)


def _run(plan: "Plan", results: Path, **options: Any) -> None:
    from ensvm.runner.execute import run_plan
    from ensvm.runner.workers import WorkersDie

    try:
        with RunProgress() as progress:
            outcome = run_plan(plan, results, progress, **options)
    except WorkersDie as error:
        click.echo(f"error: {error}; {_done(plan, results)}", err=True)
        sys.exit(1)
    _tell(outcome, plan, results)
    for number in ENDING:  # nothing is left to interrupt but the end of the workers
        signal.signal(number, signal.SIG_IGN)
    sys.exit(0 if outcome.done == len(plan.cells) else 1)


def _done(plan: "Plan", results: Path) -> str:
    """Return how many cells of the plan have records."""
    from ensvm.records.store import read_records

    missing = plan.missing(read_records(results / plan.config.study))
    return f"{len(plan.cells) - len(missing)} of {len(plan.cells)} cells are done"


def _dry_run(plan: "Plan", folder: Path, jobs: int, data_dir: Path | None) -> None:
    from tabulate import tabulate

    from ensvm.records.store import read_records

    records = read_records(folder)
    missing = plan.missing(records)
    done = len(plan.cells) - len(missing)
    click.echo(f"{plan.config.study}: {size(plan)}; {done} done, {len(missing)} to do")
    planned = Counter((cell.dataset, cell.algorithm) for cell in plan.cells)
    to_do = Counter((cell.dataset, cell.algorithm) for cell, _ in missing)
    why = {(cell.dataset, cell.algorithm): reason for cell, reason in missing}
    rows = [
        [*pair, count, count - to_do[pair], to_do[pair], why.get(pair, "")]
        for pair, count in planned.items()
    ]
    click.echo(
        tabulate(
            rows,
            headers=["data set", "algorithm", "cells", "done", "to do", "why"],
            tablefmt="simple",
        )
    )
    cells = [cell for cell, _ in missing]
    search = tell_missing_data(plan, {cell.dataset for cell in cells}, data_dir)
    to_run = [cell for cell in cells if cell.dataset not in search.missing]
    if to_run:
        _tell_estimate(plan, to_run, records, jobs, search.to_download)


def _tell_estimate(
    plan: "Plan",
    cells: list["Cell"],
    records: Mapping["Identity", "Record"],
    jobs: int,
    to_download: list[str],
) -> None:
    from ensvm.runner.estimate import estimate
    from ensvm.runner.measured import read_measured

    cost = estimate(plan, cells, records, read_measured(), jobs)
    known = cost.here + cost.elsewhere
    if known:
        basis = "by cells measured here"
        if cost.elsewhere:
            basis = f"a rough estimate, measured on another machine: {', '.join(cost.machines)}"
        click.echo(f"about {duration(cost.seconds)} with {jobs} jobs ({basis})")
        # A download may fail, and then its time is not needed.
        parts = {name: cost.by_dataset[name] for name in to_download if name in cost.by_dataset}
        if parts:
            shares = ", ".join(f"{name} {duration(part)}" for name, part in parts.items())
            click.echo(f"  of it for data to download: {shares}")
    if cost.unknown:
        click.echo(
            f"no estimate for {cost.unknown} of {known + cost.unknown} cells: nothing like them was"
            " measured yet; a run with --realizations 1 measures them"
        )


def _tell(outcome: "Outcome", plan: "Plan", results: Path) -> None:
    counts = ", ".join(f"{count} {status}" for status, count in sorted(outcome.statuses.items()))
    before = f"{outcome.already_done} of {len(plan.cells)} cells were done before"
    click.echo(
        f"{plan.config.study}: {before}" + (f"; now {counts}" if counts else "; nothing to do")
    )
    if left := len(plan.cells) - outcome.done:
        click.echo(f"{left} of {len(plan.cells)} cells are not done; the next run tries them again")
    for why, count in outcome.reasons.items():
        if why != "not run yet":
            click.echo(f"  done again: {count} cells ({why})")
    for record in outcome.failures[:10]:
        cell = f"{record.dataset}, realization {record.realization}, {record.algorithm}"
        click.echo(f"  {record.status}: {cell}: {record.reason}", err=True)
    if len(outcome.failures) > 10:
        click.echo(f"  ... and {len(outcome.failures) - 10} more; see the records", err=True)
    if outcome.warned:
        folder = results / plan.config.study
        click.echo(
            f"{outcome.warned} of {len(plan.cells)} cells warned; of what: ensvm warnings {folder}"
        )
    if outcome.missing_data:
        names = ", ".join(outcome.missing_data)
        click.echo(f"no data: {names}; `ensvm data missing {plan.path}` says how to get them")
    file = results / plan.config.study / "cells.jsonl"
    click.echo("; ".join([f"records: {file}", *commands_of(plan.config, results)]))


def _interrupt(signum: int, frame: FrameType | None) -> None:
    # A second signal (an impatient user, or one to the process and one to its group) must not end
    # the helpers that joblib stops its workers with; they inherit that it is ignored.
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt
