"""What a run would do, and about how long it would take."""

import shlex
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ensvm.counts import counted
from ensvm_cli.printing import (
    duration,
    plan_size,
    print_cells,
    print_missing_data,
    print_text,
)

if TYPE_CHECKING:
    from ensvm.records.record import Identity, Record
    from ensvm.runner.plan import Cell, Plan


class RunTime(NamedTuple):
    """About how long some cells take."""

    seconds: float
    is_longer: bool  # whether they take longer than that, by a time that is not known


def print_dry_run(
    plan: "Plan",
    results: Path,
    jobs: int | None,
    data_dir: Path | None,
    published: bool,
    is_part: bool,
    made_by: Sequence[str],
) -> tuple[int, RunTime]:
    """Print what a run would do; return how many cells it would run, and their time.

    `made_by` are the options that make the study of the config.
    """
    records = known_records(plan, results)
    missing = plan.missing(records)
    done = len(plan.cells) - len(missing)
    print_text(f"{plan.config.study}: {plan_size(plan)}; {done} done, {len(missing)} to do")
    groups: dict[tuple[str, str], list[Cell]] = defaultdict(list)
    for cell, reason in missing:
        groups["to do", reason].append(cell)
    print_cells(groups)
    cells = [cell for cell, _ in missing]
    search = print_missing_data(plan, {cell.dataset for cell in cells}, data_dir)
    to_run = [cell for cell in cells if cell.dataset not in search.missing]
    if not to_run:
        return 0, RunTime(0.0, False)
    measure = command_to_measure(plan, results, made_by)
    time = print_estimate(
        plan, to_run, records, jobs, measure, published=published, is_part=is_part
    )
    return len(to_run), time


def print_time_of_all(runs: Sequence[tuple[int, RunTime]]) -> None:
    """Print how many cells all studies would run, each with its number of cells and their time."""
    n_cells = sum(n for n, _ in runs)
    seconds = sum(time.seconds for _, time in runs)
    is_longer = any(time.is_longer for _, time in runs)
    time_needed = f"{'more than' if is_longer else 'about'} {duration(seconds)}"
    if is_longer and not seconds:
        time_needed = "no estimate"
    studies = counted(len(runs), "study")
    print_text(f"all {studies}: {counted(n_cells, 'cell')} to run, {time_needed}")


def known_records(plan: "Plan", results: Path) -> dict["Identity", "Record"]:
    """Return a study's records and those that a run takes from its base; say if it takes none."""
    from ensvm.records.store import read_records
    from ensvm.runner.execute import records_of_base

    of_base, unread_base = records_of_base(plan, results)
    if unread_base:
        print_text(unread_base, err=True)
    records = read_records(results / plan.config.study)
    return {**records, **{record.identity: record for record in of_base}}


def command_to_measure(plan: "Plan", results: Path, made_by: Sequence[str] = ()) -> str:
    """Return the command that runs a realization of a plan, after which its time is known."""
    from ensvm.report.study_folder import command_to_run

    command = command_to_run(plan.path, results / plan.config.study)
    return f"{command} {shlex.join([*made_by, '--realizations', '1'])}"


def print_estimate(
    plan: "Plan",
    cells: list["Cell"],
    records: Mapping["Identity", "Record"],
    jobs: int | None,
    measure: str,
    *,
    published: bool,
    is_part: bool = False,
) -> RunTime:
    """Print about how long cells take, from finished cells like them or from `takes:`.

    If neither says it, name the command `measure`, after which it is known.

    Without `published`, a study has more cells than those that `takes:` is for. `is_part` says that
    only some data sets, algorithms or realizations were chosen; `takes:` does not say how long
    those take.
    """
    from joblib import cpu_count

    from ensvm.runner.estimate import estimate

    jobs = jobs or cpu_count()
    cost, takes = estimate(plan, cells, records, jobs), plan.config.takes
    if cost.n_unknown and takes is not None:
        what = plan.config.takes_for
        on_one = f"{what} takes one processor about {duration(takes)} (takes: in {plan.path})"
        if is_part:
            print_text(f"{on_one}; how long the chosen part of it takes is not known")
            return RunTime(0.0, True)
        is_longer = plan.config.reproduce and not published
        print_text(on_one + "; all cells take longer" * is_longer)
        return RunTime(takes / jobs, is_longer)
    if cost.n_known:
        print_text(
            f"about {duration(cost.seconds)} with {counted(jobs, 'job')} (by cells measured here)"
        )
    if cost.n_unknown:
        what = counted(cost.n_unknown, "cell") if cost.n_known else "a run"
        unlike = "their data sets and algorithms have" if records else f"{plan.config.study} has"
        print_text(
            f"how long {what} will take is not known, since {unlike} not run here before: measure "
            f"it by `{measure}`"
        )
    return RunTime(cost.seconds, bool(cost.n_unknown))
