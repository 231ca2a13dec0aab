"""`ensvm run`: run a study's missing cells."""

import math
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from ensvm.counts import counted
from ensvm_cli import INTERRUPTED, leave_at_once, on_ending
from ensvm_cli.arguments import (
    complete_study,
    data_dir_option,
    results_option,
)
from ensvm_cli.data import list_missing
from ensvm_cli.dry_run import RunTime, print_dry_run, print_time_of_all
from ensvm_cli.printing import (
    missing_data_text,
    print_columns,
    print_text,
    say,
    told_if_slow,
)
from ensvm_cli.run_outcome import print_outcome, progress_so_far
from ensvm_cli.table_verbs import main_table

if TYPE_CHECKING:
    from ensvm.runner.plan import Plan

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
    _refuse_pairs(config, every, choice)
    plans = _plans(config, choice)
    if choice["study"]:
        _refuse_replacing(plans[0], results)
        _note_idle_changes(plans[0])
    if every and not dry_run:
        list_missing(plans, data_dir)
    published = choice["published"]
    is_part = shard is not None or any(choice[key] for key in PARTS if key != "published")
    made_by = _options_of_study(choice["settings"], choice["study"])
    all_done, to_do = True, list[tuple[int, RunTime]]()
    for study_plan in _quickest_first(plans):
        on_ending(leave_at_once)
        _note_fewer(study_plan, choice["realizations"])
        plan = _part_to_run(study_plan, run_pass, shard, engine)
        if dry_run:
            to_do.append(print_dry_run(plan, results, jobs, data_dir, published, is_part, made_by))
        else:
            is_whole = not (is_part or published)
            all_done &= _run(plan, results, is_whole, jobs, engine, data_dir, timeout)
    if every and dry_run:
        print_time_of_all(to_do)
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


def _note_idle_changes(plan: "Plan") -> None:
    """Print which keys of --set have no effect, and what sets them instead."""
    from ensvm.runner.without_effect import changes_without_effect

    for line in changes_without_effect(plan):
        print_text(line, err=True)


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


def _plans(config: str | None, choice: Mapping[str, Any]) -> list["Plan"]:
    """Return the plan of a config, or those of all studies that `make reproduce` runs."""
    from ensvm.runner.plan import make_plan
    from ensvm.shipped import find_config
    from ensvm.study.read_config import reproduced

    configs = [config] if config is not None else reproduced()
    if config is None:
        say(f"planning {counted(len(configs), 'study')}", err=True)
    with told_if_slow("reading the config and its data"):
        return [make_plan(find_config(name), **choice) for name in configs]


def _options_of_study(settings: Sequence[str], study: str | None) -> list[str]:
    """Return the options that make a study of a config, as they are given to `ensvm run`."""
    options = [word for setting in settings for word in ("--set", setting)]
    return [*options, "--as", study] if study else options


def _part_to_run(
    study_plan: "Plan",
    run_pass: str | None,
    shard: tuple[int, int] | None,
    engine: str | None,
) -> "Plan":
    """Return the part of a plan that was asked for; print what is left out, and why."""
    from ensvm.runner.plan import part_of

    plan, n_timings = part_of(study_plan, run_pass, shard, elsewhere=engine is not None)
    if n_timings:
        left_out = f"{counted(n_timings, 'timing')} left out"
        print_text(f"{left_out}: on one quiet machine, `--pass timing` runs them", err=True)
    print_columns(plan)
    if not plan.cells and study_plan.cells:
        has_block = study_plan.config.timing is not None
        why = "no chosen cell is timed" if has_block else "the config has no `timing:`"
        print_text(f"{plan.config.study}: nothing to run with --pass timing: {why}", err=True)
    return plan


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
    from ensvm.runner.pool import WorkersDie
    from ensvm.runner.progress import RunProgress

    begun = time.monotonic()
    describe_missing = partial(missing_data_text, studies="this run")
    progress = RunProgress(plan.config.study, describe_missing=describe_missing)
    try:
        with _interruptible(), progress:
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
        say(f"error: {error}; {progress_so_far(plan, results)}", err=True)
        return False
    except KeyboardInterrupt:
        say(
            f"interrupted; {progress_so_far(plan, results)}; every finished cell is kept, the same"
            " command goes on from here",
            err=True,
        )
        sys.exit(INTERRUPTED)
    print_outcome(outcome, plan, results, time.monotonic() - begun, show_findings)
    return outcome.done == len(plan.cells)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let signals end the run in the body as Ctrl-C does; raises KeyboardInterrupt."""
    from ensvm.runner.pool import interrupted

    def interrupt(signum: int, frame: FrameType | None) -> None:
        """End the run as Ctrl-C does, and ignore further signals."""
        # A second signal (an impatient user, or one to the process and one to its group) must not
        # end the helpers that joblib stops its workers with; they inherit that it is ignored.
        interrupted.set()
        on_ending(signal.SIG_IGN)
        if not interrupted.is_awaited:
            raise KeyboardInterrupt

    interrupted.clear()
    on_ending(interrupt)
    yield
    if interrupted.is_set():
        raise KeyboardInterrupt
