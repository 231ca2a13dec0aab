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
    from ensvm.runner.outlook.estimate import Estimate
    from ensvm.runner.outlook.state import Group, State
    from ensvm.runner.plan import Plan

PLANNED = "ensvm status --config CONFIG"
MOST_GROUPS = 8  # reasons told of one study, the commonest
MOST_NAMES = 4  # data sets or algorithms named of one reason
MOST_ALGORITHMS = 10  # of the costs of one study, the costliest


@dataclass(frozen=True)
class _Standing:
    """How far one study is; without a plan, its records alone are counted."""

    study: "Study"
    counts: Mapping["State", int]
    cells: int
    groups: "list[Group]"
    plan: "Plan | None" = None


@click.command()
@results_argument
@config_option
@click.option("--costs", is_flag=True, help="Add the seconds by study, algorithm and phase.")
def status(results: Path, studies: tuple[str, ...], configs: tuple[Path, ...], costs: bool) -> None:
    """Say what is done, failed, missing or stale in RESULTS.

    Counted are the cells that our own config of a study asks for, or one that --config names;
    without either, the records of the study. `stale` are those
    whose parameters, data or code have changed since; `shipped` those whose values came with the
    checkout and were not made here. A run does what is failed, missing or stale, and cells without
    data once their data are here.

    \b
    Examples:
      ensvm status
      ensvm status ijcai07-lowrank --costs
      ensvm status --config mine.yaml
    """
    from ensvm.report.query import read_study

    folders = study_folders(results, studies)
    found: list[Study] = []
    with Console(stderr=True).status("reading") as told:
        for number, folder in enumerate(folders, start=1):
            told.update(f"reading {number}/{len(folders)}: {folder}")
            found.append(read_study(folder))
        plans = plans_of(configs, found)
    standings = [_standing(study, plans.get(study.config.study)) for study in found]
    _show_counts(standings)
    for standing in standings:
        _show_left(standing)
    if costs:
        _show_costs(standings)


def _standing(study: "Study", plan: "Plan | None") -> _Standing:
    from ensvm.records.store import read_records
    from ensvm.runner.outlook.state import OF_STATUS, counts_of, groups_of, states_of

    if plan is None:
        counts = Counter(OF_STATUS[record.status] for record in study.records.values())
        return _Standing(study, counts, counts.total(), [])
    shipped = [
        record.identity for value in study.shipped for record in study.by_cell[value] if record.ok
    ]
    states = states_of(plan, read_records(study.folder), shipped)
    return _Standing(study, counts_of(states), len(states), groups_of(states), plan)


def _show_counts(standings: list[_Standing]) -> None:
    from ensvm.runner.outlook.state import LEFT

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
    for group in standing.groups[:MOST_GROUPS]:
        where = f"{_named(group.datasets)}: {_named(group.algorithms)}"
        reason = f" ({group.why})" if group.why else ""
        tell_facts({f"{group.cells:,} {group.state}": f"{where}{reason}"}, indent=2)
    if len(standing.groups) > MOST_GROUPS:
        click.echo(f"  ... and {len(standing.groups) - MOST_GROUPS} other reasons")
    folder = standing.study.folder.parent
    elsewhere = "" if folder == Path("results") else f" --results {folder}"
    config = standing.plan.path
    shown = name if config == shipped_config(name) else config
    click.echo(f"  to do them: ensvm run {shown}{elsewhere}")


def _named(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:MOST_NAMES])
    return shown + f" and {len(names) - MOST_NAMES} more" * (len(names) > MOST_NAMES)


def _show_costs(standings: list[_Standing]) -> None:
    """Print the seconds of one processor by study and phase, then by algorithm and phase."""
    from ensvm.records.store import read_records
    from ensvm.runner.outlook.estimate import PHASES, estimate
    from ensvm.runner.outlook.measured import read_measured

    shipped = read_measured()
    costs: dict[str, Estimate] = {}
    for standing in standings:
        if (plan := standing.plan) is not None:
            own = read_records(standing.study.folder)
            costs[plan.config.study] = estimate(plan, plan.cells, own, shipped, jobs=1)
    if not costs:
        tell(f"\nno seconds by study and phase; they need its config: {PLANNED}")
        return
    by_study = {
        name: [_seconds(cost, list(_algorithms(cost)), phase) for phase in PHASES]
        for name, cost in costs.items()
    }
    click.secho("\nseconds of one processor, by study and phase", bold=True)
    tell_table(["study", *PHASES, "all", "share"], _shares(by_study))
    for name, cost in costs.items():
        click.secho(f"\n{name}: {_basis(cost)}", bold=True)
        ordered = [algorithm for algorithm, _ in _algorithms(cost).most_common()]
        shown = {algorithm or "(shared)": [algorithm] for algorithm in ordered[:MOST_ALGORITHMS]}
        if rest := ordered[MOST_ALGORITHMS:]:
            shown[f"{len(rest)} others"] = rest
        parts = {
            title: [_seconds(cost, names, phase) for phase in PHASES]
            for title, names in shown.items()
        }
        tell_table(["algorithm", *PHASES, "all", "share"], _shares(parts))


def _algorithms(cost: "Estimate") -> Counter[str]:
    """Return the seconds of each algorithm."""
    found: Counter[str] = Counter()
    for (algorithm, _), seconds in cost.by_phase.items():
        found[algorithm] += seconds  # type: ignore[assignment]
    return found


def _seconds(cost: "Estimate", algorithms: list[str], phase: str) -> float:
    return sum(cost.by_phase.get((algorithm, phase), 0.0) for algorithm in algorithms)


def _shares(parts: Mapping[str, list[float]]) -> list[list[str]]:
    """Return the rows of a table of seconds: with their sums, the share of each, and all."""
    total = sum(map(sum, parts.values())) or 1.0
    every = {**parts, "all": [sum(column) for column in zip(*parts.values(), strict=True)]}
    return [
        [
            title,
            *(f"{seconds:.1f}" if seconds else "" for seconds in row),
            f"{sum(row):.1f}",
            f"{sum(row) / total:.0%}",
        ]
        for title, row in every.items()
    ]


def _basis(cost: "Estimate") -> str:
    """Return where the seconds were measured."""
    told = [f"{cost.here:,} cells by seconds measured here"] if cost.here else []
    if cost.elsewhere:
        told.append(f"{cost.elsewhere:,} cells by seconds measured on {', '.join(cost.machines)}")
    if cost.unknown:
        told.append(f"{cost.unknown:,} cells left out, never measured")
    return "; ".join(told) or "no cells"
