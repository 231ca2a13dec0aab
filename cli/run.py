"""`ensvm run`: run a study's missing cells."""

import math
import re
import shlex
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from ensvm.counts import counted, of_all
from ensvm_cli import INTERRUPTED, leave_at_once, on_ending
from ensvm_cli.arguments import (
    complete_study,
    data_dir_option,
    results_option,
)
from ensvm_cli.data import list_missing
from ensvm_cli.printing import (
    duration,
    missing_data_text,
    plan_size,
    print_cells,
    print_columns,
    print_missing_data,
    print_text,
    say,
    told_if_slow,
)
from ensvm_cli.table_verbs import commands_of, main_table, print_ending, print_unshown

if TYPE_CHECKING:
    from ensvm.records.record import Identity, Record
    from ensvm.runner.execute import Outcome
    from ensvm.runner.plan import Cell, Plan

NEEDS_DENSE = re.compile(r"(?i)dense data is required|not support sparse|sparse.* not supported")
MAX_FAILURES = 10  # that are printed
MANY_MACHINES = ("engine", "shard", "run_pass")  # options that the help lists apart
PARTS = ("published", "realizations", "datasets", "algorithms")  # options that choose cells


def _names(
    context: click.Context, option: click.Parameter, values: tuple[str, ...]
) -> tuple[str, ...]:
    names = [name.strip() for value in values for name in value.split(",")]
    return tuple(dict.fromkeys(name for name in names if name))


def _numbers(context: click.Context, option: click.Parameter, value: str | None) -> range | None:
    """Return the realizations that N or A-B stands for."""
    if value is None:
        return None
    first, dash, last = value.rpartition("-")
    first = first if dash else "1"
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


class _Run(click.Command):
    """A command whose help lists the options for many machines apart."""

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in two sections."""
        lines: dict[bool, list[tuple[str, str]]] = {False: [], True: []}
        for option in self.get_params(context):
            if isinstance(option, click.Option) and (line := option.get_help_record(context)):
                lines[option.name in MANY_MACHINES].append(line)
        for title, is_apart in (("Options", False), ("Options for many machines", True)):
            with formatter.section(title):
                formatter.write_dl(lines[is_apart])


@click.command(cls=_Run)
@click.argument("config", type=click.Path(), required=False, shell_complete=complete_study)
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="Run the studies of `make reproduce` one after another, the quickest first, instead of"
    " CONFIG.",
)
@click.option(
    "--published",
    is_flag=True,
    help="Only what the paper shows: its printed values, numbered figures and claims, with as many"
    " realizations as it prints (if it prints none: 10, and 5 for claims alone).",
)
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
    "--dataset",
    "datasets",
    callback=_names,
    multiple=True,
    metavar="A,B",
    help="Only these data sets (rows); may be given several times.",
)
@click.option(
    "--algorithms",
    "--algorithm",
    "algorithms",
    callback=_names,
    multiple=True,
    metavar="A,B",
    help="Only these algorithms (columns); may be given several times.",
)
@results_option
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
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change a key of CONFIG, as in algorithms.svc.params.C=10; may be given several times.",
)
@click.option(
    "--as",
    "study",
    metavar="NAME",
    help="The name of the study that --set makes: its results are in a folder of its own.",
)
@click.option(
    "--dry-run", is_flag=True, help="Print what would be done, and about how long it takes."
)
def run(
    config: str | None,
    every: bool,
    run_pass: str | None,
    shard: tuple[int, int] | None,
    engine: str | None,
    results: Path,
    jobs: int | None,
    data_dir: Path | None,
    timeout: float | None,
    dry_run: bool,
    **choice: Any,
) -> None:
    """Run the cells of CONFIG that have no result yet.

    CONFIG is a file, or the name of a shipped study such as ijcai07. Every finished cell is kept at
    once in RESULTS/<study>/cells.jsonl; after an interruption the same command goes on. Exit
    status: 0 all cells are done, 1 some are not (the next run tries them again), 2 wrong input,
    130 interrupted.

    \b
    Examples:
      ensvm run smoke
      ensvm run ijcai07 --dry-run
      ensvm run ijcai07 --datasets german,cancer --realizations 5
      ensvm run ijcai07 --shard 2/8 --results shard-2
      ensvm run ijcai07 --set algorithms.ensemble.params.tol=0.025 --as mine
      ensvm run --all --published
    """
    on_ending(leave_at_once)
    from ensvm.runner.plan import make_plan, part_of
    from ensvm.shipped import find_config
    from ensvm.study.read_config import reproduced

    _refuse_pairs(config, every, choice)
    configs = [config] if config is not None else reproduced()
    if every:
        say(f"planning {counted(len(configs), 'study')}", err=True)
    with told_if_slow("reading the config and its data"):
        plans = [make_plan(find_config(name), **choice) for name in configs]
    if choice["study"]:
        _refuse_replacing(plans[0], results)
    if every and not dry_run:
        list_missing(plans, data_dir)
    published = choice["published"]
    is_part = shard is not None or any(choice[key] for key in PARTS if key != "published")
    all_done = True
    to_do: list[tuple[int, float, bool]] = []
    for study_plan in _quickest_first(plans):
        on_ending(leave_at_once)
        _note_fewer(study_plan, choice["realizations"])
        plan, n_timings = part_of(study_plan, run_pass, shard, elsewhere=engine is not None)
        if n_timings:
            left_out = f"{counted(n_timings, 'timing')} left out"
            print_text(f"{left_out}: on one quiet machine, `--pass timing` runs them", err=True)
        print_columns(plan)
        if not plan.cells and study_plan.cells:
            has_block = study_plan.config.timing is not None
            why = "no chosen cell is timed" if has_block else "the config has no `timing:`"
            print_text(f"{plan.config.study}: nothing to run with --pass timing: {why}", err=True)
        if dry_run:
            made_by = _options_of_study(choice["settings"], choice["study"])
            to_do.append(_dry_run(plan, results, jobs, data_dir, published, is_part, made_by))
        else:
            is_whole = not (is_part or published)
            all_done &= _run(plan, results, is_whole, jobs, engine, data_dir, timeout)
    if every and dry_run:
        n_cells, seconds, n_longer = map(sum, zip(*to_do, strict=True))
        time_needed = f"{'more than' if n_longer else 'about'} {duration(seconds)}"
        if n_longer and not seconds:
            time_needed = "no estimate"
        print_text(
            f"all {counted(len(plans), 'study')}: {counted(n_cells, 'cell')} to run, {time_needed}"
        )
    on_ending(signal.SIG_IGN)  # only the workers are still ending: an interruption is too late
    sys.exit(0 if all_done else 1)


def _refuse_pairs(config: str | None, every: bool, choice: Mapping[str, Any]) -> None:
    """Refuse options that do not go together."""
    if every == (config is not None):
        raise click.UsageError(
            "give a CONFIG, or --all; for example `ensvm run smoke`, and `ensvm list` lists the"
            " shipped studies"
        )
    if every and (choice["settings"] or choice["study"]):
        raise click.UsageError("--set and --as are for one CONFIG")
    if choice["study"] and not choice["settings"]:
        raise click.UsageError("--as names the study that --set makes: give --set KEY=VALUE, too")
    if every and (choice["datasets"] or choice["algorithms"]):
        message = "--datasets and --algorithms are for one CONFIG: each study has names of its own"
        raise click.UsageError(message)


def _refuse_replacing(plan: "Plan", results: Path) -> None:
    """Refuse a study of --set that would replace results of other settings in its folder."""
    from ensvm.errors import UserError
    from ensvm.records.store import CONFIG_COPY, has_file, read_records
    from ensvm.study.read_config import read_copy

    folder = results / plan.config.study
    if not has_file(folder, CONFIG_COPY):
        return
    before, now = read_copy(folder / CONFIG_COPY).derived, plan.config.derived
    missing = plan.missing(read_records(folder))
    n_changed = sum(reason.startswith("changed") for _, reason in missing)
    if n_changed and before != now:
        made = "of a study without --set" if before is None else f"with {'; '.join(before.differs)}"
        replaced = f"{counted(n_changed, 'cell')} of them would be replaced"
        raise UserError(
            f"--as {plan.config.study}: {folder} has results {made}, and {replaced}; choose another"
            " name, or delete the folder"
        )


def _note_fewer(plan: "Plan", wanted: range | None) -> None:
    """Say how to get more realizations if a study has fewer than --realizations asks for."""
    last = max((cell.realization for cell in plan.cells), default=0)
    if wanted is not None and last < wanted[-1]:
        print_text(
            f"--realizations {wanted[-1]}: the study has {last}; to run more, change"
            f" `realizations:` in {plan.path}, or make another study:"
            f" --set realizations={wanted[-1]} --as NAME",
            err=True,
        )


def _quickest_first(plans: list["Plan"]) -> list["Plan"]:
    """Return plans in the order of their `takes:`, those without a table last."""
    return sorted(
        plans, key=lambda plan: (not main_table(plan.config), plan.config.takes or math.inf)
    )


def _run(
    plan: "Plan",
    results: Path,
    show_findings: bool,
    jobs: int | None,
    engine: str | None,
    data_dir: Path | None,
    timeout: float | None,
) -> bool:
    """Run a plan, print how it ended, and return whether all cells are done.

    Findings are about a whole study: `show_findings` is for plans with all of its cells.
    """
    from ensvm.runner.execute import run_plan
    from ensvm.runner.pool import WorkersDie, interrupted
    from ensvm.runner.progress import RunProgress

    def interrupt(signum: int, frame: FrameType | None) -> None:
        """End the run as Ctrl-C does, and ignore further signals."""
        # A second signal (an impatient user, or one to the process and one to its group) must not
        # end the helpers that joblib stops its workers with; they inherit that it is ignored.
        interrupted.set()
        on_ending(signal.SIG_IGN)
        if not interrupted.is_awaited:
            raise KeyboardInterrupt

    begun = time.monotonic()
    interrupted.clear()
    try:
        on_ending(interrupt)
        describe_missing = partial(missing_data_text, studies="this run")
        with RunProgress(plan.config.study, describe_missing=describe_missing) as progress:
            outcome = run_plan(
                plan,
                results,
                progress,
                jobs=jobs,
                engine=engine,
                data_dir=data_dir,
                timeout=timeout,
            )
        if interrupted.is_set():
            raise KeyboardInterrupt
    except WorkersDie as error:
        say(f"error: {error}; {_progress_so_far(plan, results)}", err=True)
        return False
    except KeyboardInterrupt:
        say(
            f"interrupted; {_progress_so_far(plan, results)}; every finished cell is kept, the same"
            " command goes on from here",
            err=True,
        )
        sys.exit(INTERRUPTED)
    _print_outcome(outcome, plan, results, time.monotonic() - begun, show_findings)
    return outcome.done == len(plan.cells)


def _progress_so_far(plan: "Plan", results: Path) -> str:
    """Return how many cells of the plan have records."""
    from ensvm.records.store import read_records

    missing = plan.missing(read_records(results / plan.config.study))
    return f"{of_all(len(plan.cells) - len(missing), len(plan.cells), 'cell')} done"


def _dry_run(
    plan: "Plan",
    results: Path,
    jobs: int | None,
    data_dir: Path | None,
    published: bool,
    is_part: bool,
    made_by: Sequence[str],
) -> tuple[int, float, bool]:
    """Print what a run would do; `made_by` are the options that make the study of the config.

    Returns the number of cells to run, about how many seconds they take, and whether they take
    longer than that.
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
        return 0, 0.0, False
    measure = command_to_measure(plan, results, made_by)
    return len(to_run), *print_estimate(
        plan, to_run, records, jobs, measure, published=published, is_part=is_part
    )


def _options_of_study(settings: Sequence[str], study: str | None) -> list[str]:
    """Return the options that make a study of a config, as they are given to `ensvm run`."""
    options = [word for setting in settings for word in ("--set", setting)]
    return [*options, "--as", study] if study else options


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
) -> tuple[float, bool]:
    """Print about how long cells take, from finished cells like them or from `takes:`.

    If neither says it, name the command `measure`, after which it is known.

    Returns the seconds, and whether the cells take longer: without `published`, a study has more
    cells than those that `takes:` is for. `is_part` says that only some data sets, algorithms or
    realizations were chosen; `takes:` does not say how long those take.
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
            return 0.0, True
        is_longer = plan.config.reproduce and not published
        print_text(on_one + "; all cells take longer" * is_longer)
        return takes / jobs, is_longer
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
    return cost.seconds, bool(cost.n_unknown)


def _failure(record: "Record") -> str:
    """Return how a cell failed, which it is, and the reason."""
    cell = f"{record.dataset}, realization {record.realization}, {record.algorithm}"
    return f"{record.status}: {cell}: {record.reason}"


def _print_outcome(
    outcome: "Outcome", plan: "Plan", results: Path, seconds: float, show_findings: bool
) -> None:
    """Print what a run has done, what failed, what came out, and the commands that show more."""
    from ensvm.records.store import CELLS_FILE

    folder, n_cells = results / plan.config.study, len(plan.cells)
    counts = ", ".join(f"{count} {status}" for status, count in sorted(outcome.statuses.items()))
    now = f"now {counts}" if counts else "nothing to do"
    before = f"{of_all(outcome.already_done, n_cells, 'cell')} done before"
    if outcome.reused and plan.config.derived is not None:
        before += f" ({outcome.reused} of them for {plan.config.derived.base})"
    say(f"{plan.config.study}: {before}; {now}")
    if outcome.unread_base:
        print_text(outcome.unread_base, err=True)
    if outcome.done < n_cells:
        n_left = n_cells - outcome.done
        print_text(f"{of_all(n_left, n_cells, 'cell')} not done; the next run tries them again")
    for reason, count in outcome.reasons.items():
        if reason != "not run yet":
            say(f"  done again: {counted(count, 'cell')} ({reason})")
    for record in outcome.failures[:MAX_FAILURES]:
        say(f"  {_failure(record)}", err=True)
    if len(outcome.failures) > MAX_FAILURES:
        n_more = len(outcome.failures) - MAX_FAILURES
        say(f"  ... and {n_more} more; see the records", err=True)
    if any(NEEDS_DENSE.search(record.reason) for record in outcome.failures):
        print_text("`sparse: false` of a data set makes its inputs dense", err=True)
    if outcome.warned:
        command = f"ensvm status --warnings {folder}"
        print_text(
            f"{of_all(outcome.warned, n_cells, 'cell')} warned; to list the warnings: {command}"
        )
    if outcome.missing_data:
        names = ", ".join(outcome.missing_data)
        command = f"ensvm data list --missing {plan.path}"
        print_text(f"no data: {names}; `{command}` says how to get them")
    if (folder / CELLS_FILE).is_file():
        print_ending(folder, show_findings=show_findings and outcome.done == n_cells)
    print_unshown(plan, results)
    if outcome.failures:
        n_failed = of_all(len(outcome.failures), n_cells, "cell")
        print_text(f"not done: {n_failed}; the first: {_failure(outcome.failures[0])}")
    places = [f"records: {folder}/{CELLS_FILE}", *commands_of(plan.config, results)]
    print_text("; ".join([f"took {duration(seconds)}", *places]))
