"""`ensvm status`: how far the studies of a results folder are, and what they cost."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from ensvm.shipped import shipped_config
from ensvm_cli.printing import tell, tell_facts, tell_table
from ensvm_cli.terminal import config_option, plans_of, results_argument, study_folders

if TYPE_CHECKING:
    from ensvm.report.query import Study
    from ensvm.runner.plan import Cell, Plan
    from ensvm.runner.states import State

PLANNED = "ensvm status --config CONFIG"
MOST_GROUPS = 8  # reasons told of one study, the commonest
MOST_NAMES = 4  # data sets or algorithms named of one reason
MOST_ALGORITHMS = 10  # of the costs of one study, the costliest
PHASES = {
    "fit_seconds": "fitting",
    "kernel_seconds": "kernel values",
    "predict_seconds": "predicting",
    "test_kernel_seconds": "kernel values of test rows",
}


@dataclass(frozen=True)
class _Standing:
    """How far one study is; without a plan, its records alone are counted."""

    study: "Study"
    counts: Mapping["State", int]
    cells: int
    groups: "list[tuple[State, str, list[Cell]]]"  # what is left: state, reason and cells
    plan: "Plan | None" = None


@click.command()
@results_argument
@config_option
@click.option("--warnings", is_flag=True, help="List the warnings and the cells that gave them.")
@click.option("--costs", is_flag=True, help="Add the recorded seconds by algorithm and phase.")
def status(
    results: Path,
    studies: tuple[str, ...],
    configs: tuple[Path, ...],
    warnings: bool,
    costs: bool,
) -> None:
    """Say what is done, failed, missing or stale in RESULTS.

    Counted are the cells that our own config of a study asks for, or one that --config names;
    without either, the records of the study. `stale` are those whose parameters, data or code
    have changed since; `shipped` those whose values came with the checkout and were not made here.
    A run does what is failed, missing or stale, and cells without data once their data are here.

    \b
    Examples:
      ensvm status
      ensvm status ijcai07-lowrank --warnings
      ensvm status --config mine.yaml
    """
    from ensvm.report.query import read_study

    folders = study_folders(results, studies)
    found: list[Study] = []
    with Console(stderr=True).status("reading") as spinner:
        for number, folder in enumerate(folders, start=1):
            spinner.update(f"reading {number}/{len(folders)}: {folder}")
            found.append(read_study(folder))
        if not warnings:
            plans = plans_of(configs, found)
    if warnings:
        for study in found:
            _show_warnings(study)
        return
    standings = [_standing(study, plans.get(study.config.study)) for study in found]
    _show_counts(standings)
    for standing in standings:
        _show_left(standing)
    for study in found if costs else ():
        _show_costs(study)


@click.command(hidden=True)  # older versions had this verb
@results_argument
@click.pass_context
def warnings(context: click.Context, results: Path, studies: tuple[str, ...]) -> None:
    """List the warnings of the studies in RESULTS: `ensvm status --warnings`."""
    context.invoke(status, places=(results, studies), configs=(), warnings=True, costs=False)


def _standing(study: "Study", plan: "Plan | None") -> _Standing:
    from ensvm.records.store import read_records
    from ensvm.runner.states import LEFT, OF_STATUS, states_of

    if plan is None:
        counts = Counter(OF_STATUS[record.status] for record in study.records.values())
        return _Standing(study, counts, counts.total(), [])
    shipped = [
        record.identity for value in study.shipped for record in study.by_cell[value] if record.ok
    ]
    states = states_of(plan, read_records(study.folder), shipped)
    groups: dict[tuple[State, str], list[Cell]] = {}
    for cell, state_and_reason in states.items():
        if state_and_reason[0] in LEFT:
            groups.setdefault(state_and_reason, []).append(cell)
    left = [(state, why, cells) for (state, why), cells in groups.items()]
    left.sort(key=lambda group: LEFT.index(group[0]))
    return _Standing(study, Counter(state for state, _ in states.values()), len(states), left, plan)


def _show_counts(standings: list[_Standing]) -> None:
    from ensvm.runner.states import LEFT

    shown = [
        state
        for state in ("done", "shipped", *LEFT)
        if state == "done" or any(standing.counts.get(state) for standing in standings)
    ]
    rows = []
    for standing in standings:
        counts = [standing.cells, *(standing.counts.get(state, 0) for state in shown)]
        told = [f"{count:,}" if count else "" for count in counts]
        rows.append([standing.study.config.study, *told])
    tell_table(["study", "cells", *shown], rows)


def _show_left(standing: _Standing) -> None:
    """Say which cells are not done, why, and what does them."""
    name = standing.study.config.study
    if standing.plan is None:
        tell(f"\n{name}: only its records are counted; to see what is missing or stale: {PLANNED}")
    if standing.plan is None or not standing.groups:
        return
    click.secho(f"\n{name}", bold=True)
    for state, why, cells in standing.groups[:MOST_GROUPS]:
        datasets = _named([cell.dataset for cell in cells])
        algorithms = _named([cell.algorithm for cell in cells])
        reason = f" ({why})" if why else ""
        tell_facts({f"{len(cells):,} {state}": f"{datasets}: {algorithms}{reason}"}, indent=2)
    if len(standing.groups) > MOST_GROUPS:
        click.echo(f"  ... and {len(standing.groups) - MOST_GROUPS} other reasons")
    folder = standing.study.folder.parent
    elsewhere = "" if folder == Path("results") else f" --results {folder}"
    config = standing.plan.path
    shown = name if config == shipped_config(name) else config
    click.echo(f"  to do them: ensvm run {shown}{elsewhere}")


def _named(every: list[str]) -> str:
    names = list(dict.fromkeys(every))
    shown = ", ".join(names[:MOST_NAMES])
    return shown + f" and {len(names) - MOST_NAMES} more" * (len(names) > MOST_NAMES)


def _show_warnings(study: "Study") -> None:
    """List the warnings of a study, and under each the cells that gave it."""
    from ensvm.report.evidence import n_warned, warnings_of

    click.echo(f"{study.config.study}: {n_warned(study)} of {len(study.records)} cells warned")
    for warned in warnings_of(study):
        rows = [
            [*cell, f"{count} of {len(study.by_cell[cell])}"]
            for cell, count in warned.cells.items()
        ]
        click.echo()
        tell(warned.text)
        click.echo()
        tell_table(["data set", "algorithm", "pass", "cells"], rows, names=2)


def _show_costs(study: "Study") -> None:
    """Print the recorded seconds of one processor, by algorithm and phase."""
    seconds: dict[str, Counter[str]] = {}
    for record in study.records.values():
        if record.ok and record.seconds:
            of_algorithm = seconds.setdefault(record.algorithm, Counter())
            of_algorithm.update({name: record.seconds.get(name, 0.0) for name in PHASES})
    if not seconds:
        tell(f"\n{study.config.study}: no record here has seconds")
        return
    click.secho(f"\n{study.config.study}: recorded seconds of one processor", bold=True)
    costliest = sorted(seconds, key=lambda name: -seconds[name].total())
    rows = [
        [name, *(f"{seconds[name][phase]:.1f}" for phase in PHASES)]
        for name in costliest[:MOST_ALGORITHMS]
    ]
    tell_table(["algorithm", *PHASES.values()], rows)
