"""The verbs about the records of studies: `ensvm status` and `merge`, and `ship` for us."""

import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from ensvm.shipped import shipped_config
from ensvm_cli.arguments import config_option, plans_of, read_studies, results_argument
from ensvm_cli.printing import print_facts, print_table, print_text

if TYPE_CHECKING:
    from ensvm.records.record import Record
    from ensvm.report.query import Study
    from ensvm.runner.plan import Cell, Plan, State

PLANNED = "ensvm status --config CONFIG"
MAX_GROUPS = 8  # groups of cells with one reason, the commonest first
MAX_NAMES = 4  # data sets or algorithms of a group
MAX_ALGORITHMS = 10  # the status prints the costs of these, the costliest first
MAX_DISAGREEMENTS = 20  # of merged records
DISAGREE = 1  # the exit status
PHASES = {
    "fit": "fitting",
    "kernel": "kernel values",
    "predict": "predicting",
    "test_kernel": "kernel values of test rows",
}


@dataclass(frozen=True)
class _Progress:
    """How far a study is; without a plan, only its records are counted."""

    study: "Study"
    counts: "Counter[State]"  # cells
    groups: "list[tuple[State, str, list[Cell]]]"  # cells to do: state, reason, cells
    plan: "Plan | None" = None


@click.command()
@results_argument
@config_option
@click.option("--warnings", is_flag=True, help="List the warnings and the cells that raised them.")
@click.option("--costs", is_flag=True, help="Add the seconds by study, algorithm and phase.")
def status(
    results: Path,
    studies: tuple[str, ...],
    configs: tuple[Path, ...],
    warnings: bool,
    costs: bool,
) -> None:
    """Count what is done, failed, missing or stale in RESULTS.

    Counted are the cells that a config asks for: ours of a shipped study, or one that --config
    names. Without a config, only records are counted. Cells are `stale` if their parameters, data
    or code have changed since, and `shipped` if their values came with ensvm. `ensvm run` runs what
    is failed, missing or stale, and cells without data once their data are here.

    \b
    Examples:
      ensvm status
      ensvm status ijcai07-lowrank --warnings
      ensvm status --config mine.yaml
    """
    with Console(stderr=True).status("reading records"):
        read = list(read_studies(results, studies))
        plans = {} if warnings else plans_of(configs, read)
    if warnings:
        for study in read:
            _print_warnings(study)
        return
    progress = [_progress_of(study, plans.get(study.config.study)) for study in read]
    _print_counts(progress)
    for each in progress:
        _print_to_do(each)
    if costs:
        for study in read:
            _print_costs(study)


def _progress_of(study: "Study", plan: "Plan | None") -> _Progress:
    from ensvm.records.store import read_records
    from ensvm.runner.plan import LEFT, OF_STATUS

    if plan is None:
        counts = Counter(OF_STATUS[record.status] for record in study.records.values())
        return _Progress(study, counts, [])
    shipped = [
        record.identity for value in study.shipped for record in study.by_cell[value] if record.ok
    ]
    states = plan.states(read_records(study.folder), shipped)
    cells_of: dict[tuple[State, str], list[Cell]] = {}
    for cell, state_and_reason in states.items():
        if state_and_reason[0] in LEFT:
            cells_of.setdefault(state_and_reason, []).append(cell)
    groups = [(state, reason, cells) for (state, reason), cells in cells_of.items()]
    groups.sort(key=lambda group: LEFT.index(group[0]))
    return _Progress(study, Counter(state for state, _ in states.values()), groups, plan)


def _print_counts(progress: list[_Progress]) -> None:
    """Print a line of counts for each study."""
    from ensvm.runner.plan import LEFT

    columns = [
        state
        for state in ("done", "shipped", *LEFT)
        if state == "done" or any(each.counts[state] for each in progress)
    ]
    rows = []
    for each in progress:
        counts = [each.counts.total(), *(each.counts[state] for state in columns)]
        rows.append([each.study.config.study, *(f"{n:,}" if n else "" for n in counts)])
    print_table(["study", "cells", *columns], rows)


def _print_to_do(progress: _Progress) -> None:
    """Print which cells are not done, why, and the command that runs them."""
    name = progress.study.config.study
    if progress.plan is None:
        hint = f"to see what is missing or stale: {PLANNED}"
        print_text(f"\n{name}: only its records are counted; {hint}")
    if progress.plan is None or not progress.groups:
        return
    click.secho(f"\n{name}", bold=True)
    for state, why, cells in progress.groups[:MAX_GROUPS]:
        datasets = _first_names([cell.dataset for cell in cells])
        algorithms = _first_names([cell.algorithm for cell in cells])
        reason = f" ({why})" if why else ""
        print_facts({f"{len(cells):,} {state}": f"{datasets}: {algorithms}{reason}"}, indent=2)
    if len(progress.groups) > MAX_GROUPS:
        click.echo(f"  ... and {len(progress.groups) - MAX_GROUPS} other reasons")
    folder = progress.study.folder.parent
    option = "" if folder == Path("results") else f" --results {folder}"
    path = progress.plan.path
    config = name if path == shipped_config(name) else path
    click.echo(f"  to do them: ensvm run {config}{option}")


def _first_names(names: list[str]) -> str:
    names = list(dict.fromkeys(names))
    more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    return ", ".join(names[:MAX_NAMES]) + more


def _print_warnings(study: "Study") -> None:
    """List the warnings of a study, and under each the cells that raised it."""
    from ensvm.report.evidence import n_warned, warnings_of

    click.echo(f"{study.config.study}: {n_warned(study)} of {len(study.records)} cells warned")
    for warned in warnings_of(study):
        rows = [
            [*cell, f"{count} of {len(study.by_cell[cell])}"]
            for cell, count in warned.cells.items()
        ]
        click.echo()
        print_text(warned.text)
        click.echo()
        print_table(["data set", "algorithm", "pass", "cells"], rows, names=2)


def _print_costs(study: "Study") -> None:
    """Print the recorded seconds of one processor, by algorithm and phase."""
    seconds: dict[str, Counter[str]] = {}
    for record in study.records.values():
        if record.ok and record.seconds:
            of_algorithm = seconds.setdefault(record.algorithm, Counter())
            of_algorithm.update({name: record.busy_seconds(name) for name in PHASES})
    if not seconds:
        print_text(f"\n{study.config.study}: no record here has seconds")
        return
    click.secho(f"\n{study.config.study}: recorded seconds of one processor", bold=True)
    costliest = sorted(seconds, key=lambda name: -seconds[name].total())
    rows = [
        [name, *(f"{seconds[name][phase]:.1f}" for phase in PHASES)]
        for name in costliest[:MAX_ALGORITHMS]
    ]
    print_table(["algorithm", *PHASES.values()], rows)


@click.command()
@click.argument(
    "sources", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="A..."
)
@click.option(
    "--output",
    "-o",
    required=True,
    type=click.Path(path_type=Path),
    help="The folder to write; it is new, or has these results already.",
)
def merge(sources: tuple[Path, ...], output: Path) -> None:
    """Unite results of several machines or shards in one folder.

    Each A is a folder of results, a study's folder, or a file cells.jsonl. The newest good record
    of each cell is kept; cells with different values for the same settings are listed. Exit
    status: 0 written, 1 written although such cells exist, 2 wrong input.

    \b
    Examples:
      ensvm merge results/ other-machine/ -o both/
      ensvm merge shard-1/ shard-2/ shard-3/ -o merged/
    """
    from ensvm.records import merge as merging

    merged = merging.merge([part for path in sources for part in merging.read_sources(path)])
    written = merging.write_merged(merged, output)
    for study in merged:
        n = len(study.sources)
        shared = f" of {n} sources, {study.n_shared} in several of them" if n > 1 else ""
        print_text(f"{study.study}: {len(study.records)} cells{shared}")
        for note in study.notes:
            print_text(f"{study.study}: {note}", err=True)
    result = "written" if written else "holds all of it already"
    print_text(f"{output}: {result}; tables: ensvm table {output}")
    disagreements = [text for study in merged for text in study.disagreements]
    for text in disagreements[:MAX_DISAGREEMENTS]:
        print_text(text, err=True)
    if disagreements:
        count = f"{len(disagreements)} cells have different values for the same settings"
        print_text(f"{count}; of each the newest is kept", err=True)
        sys.exit(DISAGREE)


@click.command(hidden=True)
@click.argument(
    "results", type=click.Path(exists=True, file_okay=False, path_type=Path), default="results"
)
def ship(results: Path) -> None:
    """Pack the records of the shipped studies in RESULTS, to be committed (for maintainers).

    They go into cells.jsonl.xz, and replace those packed before, and the config is copied beside
    them. Names and paths of the machine are left out, and so are predictions, except for the
    metrics that the config asks for. Cells of the config without a record are counted.
    """
    from ensvm.records.shipped_records import pack
    from ensvm.records.store import SHIPPED_FILE
    from ensvm.report.query import find_studies
    from ensvm.runner.execute import copy_config
    from ensvm.runner.plan import make_plan

    for folder in find_studies(results):
        config = shipped_config(folder.resolve().name)
        if config is None:
            raise click.UsageError(f"{folder}: no shipped study has this name")
        plan = make_plan(config)
        planned = {cell.identity: cell.settings for cell in plan.cells}
        scored = partial(_with_scores, folder, plan.config.scored())
        missing = pack(folder, plan.source.text, planned, scored)
        copy_config(plan, folder)
        path = folder / SHIPPED_FILE
        size, n_packed = path.stat().st_size / 1000, len(planned) - len(missing)
        click.echo(f"{path}: {size:.0f} kB, {n_packed} of {len(planned)} cells")
        values = Counter((row, name, run_pass) for row, _, name, run_pass in missing)
        for (row, name, run_pass), count in values.items():
            line = f"  no record: {row}, {name}, {run_pass} pass: {count} cells"
            click.echo(line, err=True)


def _with_scores(
    folder: Path, metrics: Mapping[str, tuple[str, ...]], record: "Record"
) -> "Record":
    from ensvm.report.query import with_scores

    return with_scores(folder, record, metrics.get(record.algorithm, ()))
