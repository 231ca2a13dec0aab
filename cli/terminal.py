"""What all commands share: readable errors, missing data, and the option of data folders."""

import errno
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ensvm.data import DataSearch
    from ensvm.study.config import StudyConfig

WRONG_INPUT = 2
# What to do about an error of the disk, by its number.
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
    except (RuntimeError, ValueError) as error:
        if not isinstance(error, _mendable()):
            raise
        click.echo(f"error: {error}", err=True)
        sys.exit(WRONG_INPUT)
    except OSError as error:
        if error.errno == errno.EPIPE:  # who reads the output has read enough; click knows that
            raise
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
    from ensvm.records.store import RecordsDamaged, StoreLocked
    from ensvm.study.source import ConfigError

    return ConfigError, DataError, RecordsDamaged, StoreLocked


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
    verbs = {"tables": "table", "figures": "figure", "claims": "claims"}
    verbs |= {"readings" if config.readings else "coverage": "readings"}
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
