"""The verbs about the records of studies: `ensvm status` and `merge`."""

import shlex
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ensvm.counts import counted
from ensvm.shipped import RESULTS, shipped_config
from ensvm.visible_console import VisibleConsole
from ensvm_cli.arguments import config_option, plans_of, read_studies, results_argument
from ensvm_cli.printing import print_cells, print_table, print_text, say

if TYPE_CHECKING:
    from ensvm.records.states import CellState
    from ensvm.report.study_folder import Study
    from ensvm.runner.plan import Cell, Plan

MAX_DISAGREEMENTS = 20  # of merged records
DISAGREE = 1  # the exit status


@click.command()
@results_argument()
@config_option
@click.option("--warnings", is_flag=True, help="List the warnings and the cells that raised them.")
def status(
    results: Path | None, studies: tuple[str, ...], configs: tuple[Path, ...], warnings: bool
) -> None:
    """Count what is done, failed, missing or stale in RESULTS.

    Counted are the cells that a config asks for: ours of a shipped study, or one that --config
    names; without a config, those that the last run asked for. Cells are `stale` if their
    parameters, data or code have changed since. `ensvm run` runs what is failed, missing or stale,
    and cells without data once their data are here.

    \b
    Examples:
      ensvm status
      ensvm status ijcai07-lowrank --warnings
      ensvm status --config mine.yaml
    """
    with VisibleConsole(stderr=True).status("reading records"):
        read = list(read_studies(results or RESULTS, studies, only_run=True))
        plans = {} if warnings else plans_of(configs, read)
    if warnings:
        for study in read:
            _print_warnings(study)
        return
    states = {study.config.study: _states(study, plans) for study in read}
    _print_counts(states)
    for study in read:
        name = study.config.study
        if name in plans:
            _print_to_do(study, plans[name])
        else:
            hint = "to compare with a config as it is now: ensvm status --config CONFIG"
            print_text(f"\n{name}: the counts are of what its last run asked for; {hint}")


def _states(study: "Study", plans: "dict[str, Plan]") -> "Counter[CellState]":
    """Count the cells of a study in each state; without a plan, what its last run asked for."""
    from ensvm.records.states import OF_STATUS

    plan = plans.get(study.config.study)
    if plan is None:
        counts = Counter(OF_STATUS[record.status] for record in study.records.values())
        counts["stale"] = sum(map(len, study.divided.stale.values()))
        counts["missing"] = study.divided.n_missing
        return +counts
    return Counter(state for state, _ in plan.states(study.recorded).values())


def _print_counts(states: "dict[str, Counter[CellState]]") -> None:
    """Print a line of counts for each study."""
    from ensvm.runner.plan import LEFT

    columns: list[CellState] = ["done"]
    columns += [state for state in LEFT if any(counts[state] for counts in states.values())]
    rows = []
    for name, counts in states.items():
        numbers = [counts.total(), *(counts[state] for state in columns)]
        rows.append([name, *(f"{number:,}" if number else "" for number in numbers)])
    print_table(["study", "cells", *columns], rows)


def _print_to_do(study: "Study", plan: "Plan") -> None:
    """Print which cells are not done, why, and the command that runs them."""
    from ensvm.report.study_folder import command_to_run
    from ensvm.runner.plan import LEFT

    groups: dict[tuple[CellState, str], list[Cell]] = defaultdict(list)
    for cell, state_and_reason in plan.states(study.recorded).items():
        if state_and_reason[0] in LEFT:
            groups[state_and_reason].append(cell)
    if not groups:
        return
    name = study.config.study
    say(f"\n{name}", bold=True)
    print_cells(groups)
    config = name if plan.path == shipped_config(name) else plan.path
    say(f"  to do them: {command_to_run(config, study.folder)}")


def _print_warnings(study: "Study") -> None:
    """List the warnings of a study, and under each the cells that raised it."""
    from ensvm.report.evidence import n_warned, warnings_of

    say(f"{study.config.study}: {n_warned(study)} of {counted(len(study.records), 'cell')} warned")
    for warned in warnings_of(study):
        rows = [
            [*cell, f"{count} of {len(study.by_cell[cell])}"]
            for cell, count in warned.cells.items()
        ]
        say()
        print_text(warned.text)
        say()
        print_table(["data set", "algorithm", "pass", "cells"], rows, names=2)


@click.command()
@click.argument(
    "sources", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="A..."
)
@click.option(
    "--output",
    "-o",
    required=True,
    type=click.Path(path_type=Path),
    help="The folder to write; it must be new.",
)
def merge(sources: tuple[Path, ...], output: Path) -> None:
    """Unite results of several machines or shards in one folder.

    Each A is a folder of results, a study's folder, or a file cells.jsonl. The newest good record
    of each cell is kept; cells with different values for the same settings are listed. A folder
    that cannot be read is named and left out. Exit status: 0 written, 1 written although there are
    such cells or folders, 2 wrong input.

    \b
    Examples:
      ensvm merge results/ other-machine/ -o both/
      ensvm merge shard-1/ shard-2/ shard-3/ -o merged/
    """
    from ensvm.records import merge as merging

    merged, errors = merging.merge(sources)
    merging.write_merged(merged, output)
    for study in merged:
        n = len(study.files)
        shared = f" of {n} sources, {study.n_shared} in several of them" if n > 1 else ""
        print_text(f"{study.study}: {counted(len(study.records), 'cell')}{shared}")
        for note in study.notes:
            print_text(f"{study.study}: {note}", err=True)
    print_text(f"{output}: written; tables: ensvm table {shlex.quote(str(output))}")
    for error in errors:
        print_text(f"left out: {error}", err=True)
    disagreements = [text for study in merged for text in study.disagreements]
    for text in disagreements[:MAX_DISAGREEMENTS]:
        print_text(text, err=True)
    if disagreements:
        count = f"{counted(len(disagreements), 'cell')} with different values for the same settings"
        print_text(f"{count}; the newest value of each is kept", err=True)
    if disagreements or errors:
        sys.exit(DISAGREE)
