"""What all commands share: readable errors, missing data, and the option of data folders."""

import errno
import functools
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from ensvm_cli import completion

if TYPE_CHECKING:
    from ensvm.data import DataSearch
    from ensvm.report.query import Study
    from ensvm.runner.plan import Plan
    from ensvm.study.config import StudyConfig

WRONG_INPUT = 2
# What to do about an error of the disk, by its number.
WHICH_STUDIES = "Left out, RESULTS is `results`, and STUDY is every study in it."
KEPT = "all records are kept, and the same command goes on"
MEND = f"mend that or name another --results folder; {KEPT}"
MENDS = {
    errno.ENOSPC: f"free some space; {KEPT}",
    errno.EDQUOT: f"free some space; {KEPT}",
    errno.ENAMETOOLONG: "choose a shorter --results folder or name",
}


@contextmanager
def readable_errors() -> Iterator[None]:
    """Turn what the user can mend into one message and exit status 2."""
    try:
        yield
    except UnicodeEncodeError as error:
        refuse(f"{error.object!r} is no text, and no name of a file")
    except (RuntimeError, ValueError) as error:
        if not isinstance(error, _mendable()):
            raise
        click.echo(f"error: {error}", err=True)
        sys.exit(WRONG_INPUT)
    except OSError as error:
        click.echo(f"error: {_told(error)}", err=True)
        sys.exit(WRONG_INPUT)


def _told(error: OSError) -> str:
    """Return an error of the disk in one line: the file, what is wrong, and what to do."""
    what = error.strerror or " ".join(str(error).split())
    place = "" if error.filename is None else f"{error.filename}: "
    return f"{place}{what[:1].lower()}{what[1:]}; {MENDS.get(error.errno or 0, MEND)}"


def _mendable() -> tuple[type[Exception], ...]:
    # Looked up only when something has gone wrong: these modules bring scipy along.
    from ensvm.data import DataError
    from ensvm.records.store import RecordsDamaged, RecordsMoved, StoreLocked
    from ensvm.runner.workers import EngineRefused
    from ensvm.study.source import ConfigError

    return ConfigError, DataError, EngineRefused, RecordsDamaged, RecordsMoved, StoreLocked


def refuse(message: str) -> NoReturn:
    """End the command for wrong input with one message."""
    click.echo(f"error: {message}", err=True)
    sys.exit(WRONG_INPUT)


def must_be_one_of(what: str, name: str, accepted: Collection[str]) -> None:
    """End the command where a name is not among those accepted; the message tells the nearest."""
    from ensvm.data.errors import near_miss

    if name not in accepted:
        refuse(
            f"{what} {name!r}; accepted: {', '.join(accepted) or 'none'}{near_miss(name, accepted)}"
        )


def missing_block(search: "DataSearch", of: int, studies: str) -> str:
    """Return which of `of` data sets cannot be loaded, a line for each thing that a user can do."""
    names = defaultdict(list)
    for name, how_to_get in search.missing.items():
        names[how_to_get].append(name)
    network = "ENSVM_OFFLINE forbids downloads" if search.offline else "no download succeeded"
    return "\n".join(
        [
            f"missing data: {len(search.missing)} of the {of} data sets of {studies} are not here,"
            f" and {network};",
            "their rows stay empty, or keep the values that were shipped. To get them:",
            *(f"  {', '.join(rows)}: {how_to_get}" for how_to_get, rows in names.items()),
        ]
    )


def results_argument(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the arguments [RESULTS] [STUDY]..., as `results` and `studies`.

    RESULTS may be left out even where studies are named: what is no folder is a study.
    """

    @functools.wraps(command)
    def with_both(places: tuple[Path, tuple[str, ...]], **others: Any) -> Any:
        return command(results=places[0], studies=places[1], **others)

    with_both.__doc__ = f"{command.__doc__}\n\n    {WHICH_STUDIES}"
    return click.argument(
        "places",
        nargs=-1,
        metavar="[RESULTS] [STUDY]...",
        callback=_results_and_studies,
        shell_complete=completion.results_and_studies,
    )(with_both)


def _results_and_studies(
    context: click.Context, argument: click.Parameter, given: tuple[str, ...]
) -> tuple[Path, tuple[str, ...]]:
    results, studies = completion.split_places(given)
    named = given[0] if given and (os.sep in given[0] or not results.is_dir()) else str(results)
    if not Path(named).is_dir() and not context.resilient_parsing:
        first = "run a study first, for example: ensvm run smoke"
        raise click.BadParameter(f"there is no folder {named!r}; {first}")
    return results, studies


def study_folders(results: Path, studies: tuple[str, ...], example: str = "smoke") -> list[Path]:
    """Return the folders with records in `results`, all or of the studies named.

    Ends the command where there is none, naming an `example` of a study to run, or no such study.
    """
    from ensvm.records.store import CONFIG_COPY
    from ensvm.report.query import find_studies
    from ensvm.study.config import read_config

    folders = find_studies(results)
    if not folders:
        refuse(f"{results}: no records here; run a study first, for example: ensvm run {example}")
    if not studies:
        return folders
    names = {read_config(folder / CONFIG_COPY)[0].study: folder for folder in folders}
    for name in studies:
        must_be_one_of(f"{results}: no results of a study", name, names)
    return [names[name] for name in dict.fromkeys(studies)]


def config_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the option `--config`, which may be repeated, as `configs`."""
    return click.option(
        "--config",
        "configs",
        multiple=True,
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        metavar="CONFIG",
        help="The config of a study of yours, to plan its cells; the modules it names are imported."
        " May be given several times.",
    )(command)


def plans_of(configs: Iterable[Path], studies: Iterable["Study"]) -> dict[str, "Plan"]:
    """Return plans by the names of studies: of our own configs, and of those that a user names.

    Nothing is planned from a folder of results: it may come from anybody, and planning imports the
    modules that a config names.
    """
    from ensvm.runner.plan import make_plan
    from ensvm.shipped import shipped_config

    names = [study.config.study for study in studies]
    shipped = [path for path in map(shipped_config, names) if path is not None]
    plans = {plan.config.study: plan for plan in map(make_plan, shipped)}
    for path in configs:
        plan = make_plan(path)
        must_be_one_of(f"{path}: no results here of its study", plan.config.study, names)
        plans[plan.config.study] = plan
    return plans


def data_dir_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the option `--data-dir`, which may be repeated, as `data_dir`."""
    return click.option(
        "--data-dir",
        multiple=True,
        type=click.Path(path_type=Path),
        callback=_joined,
        help="Folder with data files, searched first; may be given several times, or with several"
        " folders separated as in PATH [default: $ENSVM_DATA].",
    )(command)


def _joined(
    context: click.Context, option: click.Parameter, folders: tuple[Path, ...]
) -> Path | None:
    joined = os.pathsep.join(map(str, folders))
    for folder in filter(None, joined.split(os.pathsep)):
        if not Path(folder).is_dir():
            raise click.BadParameter(f"there is no folder {folder!r}")
    return Path(joined) if joined else None


def commands_of(config: "StudyConfig", results: Path) -> list[str]:
    """Return the commands that show what a study has to show, or that it has nothing.

    Parameters
    ----------
    config : StudyConfig
        The study.
    results : Path
        The folder that its records are in or below.
    """
    verbs = {"tables": "table", "figures": "report --only figures"}
    verbs |= {"claims": "report --only claims"}
    verbs |= {"readings" if config.readings else "coverage": "report --only readings"}
    there = [
        f"{what}: ensvm {verb} {results}" for what, verb in verbs.items() if getattr(config, what)
    ]
    blocks = "`tables:`, `figures:`, `claims:` or `readings:`"
    return there or [f"nothing to show: the config has no {blocks}"]


def duration(seconds: float) -> str:
    """Return a length of time in readable form, such as `3 min 20 s`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
