"""`ensvm run`: do a study's missing cells."""

import signal
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from ensvm_cli import INTERRUPTED, completion, leave_at_once, on_ending
from ensvm_cli.printing import tell
from ensvm_cli.studies.planned import size, tell_columns, tell_errors, tell_missing_data
from ensvm_cli.terminal import (
    WRONG_INPUT,
    commands_of,
    data_dir_option,
    duration,
    missing_block,
)
from ensvm_cli.warm_up import fill_all

if TYPE_CHECKING:
    from ensvm.data import DataSearch
    from ensvm.records.record import Identity, Record
    from ensvm.runner.execute import Outcome
    from ensvm.runner.plan import Cell, Plan

RESULTS = click.Path(file_okay=False, path_type=Path)


def _names(
    context: click.Context, option: click.Parameter, values: tuple[str, ...]
) -> tuple[str, ...]:
    names = [name.strip() for value in values for name in value.split(",")]
    return tuple(dict.fromkeys(name for name in names if name))


def _numbers(context: click.Context, option: click.Parameter, value: str | None) -> range | None:
    """Return the numbers that N or A-B stands for."""
    if value is None:
        return None
    first, _, last = value.rpartition("-")
    if not first and not value.startswith("-"):
        first = "1"
    if not (first.isdecimal() and last.isdecimal() and 1 <= int(first) <= int(last)):
        raise click.BadParameter(
            f"{value!r}: give a number from 1, or the first and the last as in 11-20"
        )
    return range(int(first), int(last) + 1)


def _shard(
    context: click.Context, option: click.Parameter, value: str | None
) -> tuple[int, int] | None:
    """Return the two numbers of I/N."""
    if value is None:
        return None
    from ensvm.runner.plan import shard_named

    try:
        return shard_named(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


@click.command()
@click.argument("config", shell_complete=completion.configs)
@click.option(
    "--jobs",
    "-j",
    type=click.IntRange(min=1),
    help="Cells at a time [default: the number of cores].",
)
@click.option(
    "--realizations",
    callback=_numbers,
    metavar="N|A-B",
    help="At most this many realizations of each data set, or those from A to B.",
)
@click.option(
    "--datasets",
    shell_complete=completion.of_config(completion.rows),
    callback=_names,
    multiple=True,
    metavar="A,B",
    help="Only these data sets (rows); may be given several times.",
)
@click.option(
    "--algorithms",
    shell_complete=completion.of_config(completion.algorithms),
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
@click.option(
    "--engine",
    metavar="ADDRESS",
    help="Run the cells on a dask cluster: its scheduler's address, or the file that it wrote.",
)
@click.option(
    "--shard",
    callback=_shard,
    metavar="I/N",
    help="Only the I-th of N parts of the realizations; `ensvm merge` unites them.",
)
@click.option(
    "--pass",
    "run_pass",
    type=click.Choice(["error", "timing", "all"]),
    help="The pass to run [default: all; with --engine or --shard: error].",
)
@click.option("--dry-run", is_flag=True, help="Say what would be done, and how long it might take.")
def run(
    config: str,
    jobs: int | None,
    realizations: range | None,
    datasets: tuple[str, ...],
    algorithms: tuple[str, ...],
    results: Path,
    data_dir: Path | None,
    timeout: float | None,
    engine: str | None,
    shard: tuple[int, int] | None,
    run_pass: str | None,
    dry_run: bool,
) -> None:
    """Run the cells of CONFIG that are still missing.

    CONFIG is a file, or the name of a shipped study such as ijcai07. Every finished cell is kept at
    once in RESULTS/<study>/cells.jsonl; the same command goes on after an interruption. Exit
    status: 0 all cells are done, 1 some are not (they are tried again by the next run), 2 wrong
    input, 130 interrupted.

    \b
    Examples:
      ensvm run smoke
      ensvm run ijcai07 --dry-run
      ensvm run ijcai07 --datasets german,cancer --realizations 5
      ensvm run ijcai07 --shard 2/8 --results shard-2
    """
    on_ending(leave_at_once)
    from joblib import cpu_count

    from ensvm.notebook.progress import RunProgress
    from ensvm.runner.execute import run_plan
    from ensvm.runner.plan import make_plan, part_of
    from ensvm.runner.workers import WorkersDie
    from ensvm.study.config import find_config

    path = find_config(config)
    plan = make_plan(path, realizations=realizations, datasets=datasets, algorithms=algorithms)
    plan, n_timings = part_of(plan, run_pass, shard, elsewhere=engine is not None)
    if n_timings:
        left_out = f"{n_timings} timings are left out"
        tell(f"{left_out}: on one quiet machine, `--pass timing` runs them", err=True)
    tell_columns(plan)
    if dry_run:
        _dry_run(plan, results / plan.config.study, jobs or cpu_count(), data_dir)
        return
    try:
        on_ending(_interrupt)
        if engine is None:
            _compile_first(plan, results, jobs or cpu_count())
        with RunProgress(describe_missing=_describe_missing) as progress:
            outcome = run_plan(
                plan,
                results,
                progress,
                jobs=jobs,
                engine=engine,
                data_dir=data_dir,
                timeout=timeout,
            )
    except WorkersDie as error:
        click.echo(f"error: {error}; {_done(plan, results)}", err=True)
        sys.exit(1)
    except KeyboardInterrupt:
        click.echo(
            f"interrupted; {_done(plan, results)}; every finished cell is kept, the same command "
            "goes on from here",
            err=True,
        )
        sys.exit(INTERRUPTED)
    _tell(outcome, plan, results)
    on_ending(signal.SIG_IGN)  # nothing is left to interrupt but the end of the workers
    sys.exit(0 if outcome.done == len(plan.cells) else 1)


def _describe_missing(search: "DataSearch", of: int) -> str:
    return missing_block(search, of, "this run")


def _compile_first(plan: "Plan", results: Path, jobs: int) -> None:
    """Have the solvers of the cells to do compiled by as many processes as will run them."""
    from ensvm.classifiers.first_fits import is_filled, solvers_of
    from ensvm.compiled import code_folder
    from ensvm.records.store import read_records

    missing = plan.missing(read_records(results / plan.config.study))
    solvers = solvers_of(set(_classifiers([cell.method for cell, _ in missing])))
    to_fill = [solver for solver in solvers if not is_filled(solver)]
    if to_fill and code_folder() is not None:
        fill_all(to_fill, jobs)


def _classifiers(settings: Any) -> Iterator[str]:
    """Yield the names of estimators in the settings of algorithms, base estimators among them."""
    if isinstance(settings, str):
        yield settings
    elif isinstance(settings, Mapping):
        yield from _classifiers(list(settings.values()))
    elif isinstance(settings, list | tuple):
        for part in settings:
            yield from _classifiers(part)
    elif settings is not None and hasattr(settings, "estimator"):
        yield from _classifiers([settings.estimator, settings.params])


def _done(plan: "Plan", results: Path) -> str:
    """Return how many cells of the plan have records."""
    from ensvm.records.store import read_records

    missing = plan.missing(read_records(results / plan.config.study))
    return f"{len(plan.cells) - len(missing)} of {len(plan.cells)} cells are done"


def _dry_run(plan: "Plan", folder: Path, jobs: int, data_dir: Path | None) -> None:
    from tabulate import tabulate

    from ensvm.records.store import read_records
    from ensvm.runner.estimate import memory_refusals

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
    if refusals := memory_refusals(plan, cells):
        tell_errors(refusals)
        sys.exit(WRONG_INPUT)


def _tell_estimate(
    plan: "Plan",
    cells: list["Cell"],
    records: Mapping["Identity", "Record"],
    jobs: int,
    to_download: list[str],
) -> None:
    from ensvm.runner.estimate import estimate, read_measured

    cost = estimate(plan, cells, records, read_measured(), jobs)
    known = cost.here + cost.elsewhere
    if known:
        basis = "by cells measured here"
        if cost.elsewhere:
            basis = f"a rough estimate, measured on another machine: {', '.join(cost.machines)}"
        tell(f"about {duration(cost.seconds)} with {jobs} jobs ({basis})")
        # A download may fail, and then its time is not needed.
        parts = {name: cost.by_dataset[name] for name in to_download if name in cost.by_dataset}
        if parts:
            shares = ", ".join(f"{name} {duration(part)}" for name, part in parts.items())
            tell(f"  of it for data to download: {shares}")
    if cost.unknown:
        tell(
            f"no estimate for {cost.unknown} of {known + cost.unknown} cells: nothing like them was"
            " measured yet; a run with --realizations 1 measures them"
        )


def _tell(outcome: "Outcome", plan: "Plan", results: Path) -> None:
    counts = ", ".join(f"{count} {status}" for status, count in sorted(outcome.statuses.items()))
    before = f"{outcome.already_done} of {len(plan.cells)} cells were done before"
    click.echo(
        f"{plan.config.study}: {before}" + (f"; now {counts}" if counts else "; nothing to do")
    )
    if outcome.moved:
        lost = f", but {outcome.lost} cells have lost their predictions" if outcome.lost else ""
        folder = results / plan.config.study
        tell(
            f"{folder} was deleted or renamed during the run: all records are written there anew"
            + lost,
            err=True,
        )
    if left := len(plan.cells) - outcome.done:
        tell(f"{left} of {len(plan.cells)} cells are not done; the next run tries them again")
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
        tell(
            f"{outcome.warned} of {len(plan.cells)} cells warned; of what:"
            f" ensvm status --warnings {folder}"
        )
    if outcome.missing_data:
        names = ", ".join(outcome.missing_data)
        tell(f"no data: {names}; `ensvm data missing {plan.path}` says how to get them")
    file = results / plan.config.study / "cells.jsonl"
    tell("; ".join([f"records: {file}", *commands_of(plan.config, results)]))


def _interrupt(signum: int, frame: FrameType | None) -> None:
    # A second signal (an impatient user, or one to the process and one to its group) must not end
    # the helpers that joblib stops its workers with; they inherit that it is ignored.
    on_ending(signal.SIG_IGN)
    raise KeyboardInterrupt
