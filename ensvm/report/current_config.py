"""The config by which a study is shown: its own as it is now, where that asks for the same cells.

A run leaves a copy of its config beside the records. What a config says of tables, figures, claims,
captions and notes is no part of any cell's key and needs no run: it is read from the study's config
as it is now, as long as that asks for the very cells that the copy asks for. Where it does not, or
cannot be read, the copy counts. Either way the study's pages say so.

The study's config is ours of that name, or a file of that name where the command runs, which is
read and never planned. No path that stands in a record or in the copy is opened.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from ensvm.records.store import CONFIG_COPY, PUBLISHED_COPY
from ensvm.shipped import shipped_config
from ensvm.study.config import StudyConfig, read_config
from ensvm.study.source import ConfigError, config_text, read_text
from ensvm.study.table_layout import Published, read_published

# What a config may say of a data set or an algorithm without asking for other cells.
OF_THE_DATA_SET = {"same_rows", "unavailable"}
OF_THE_ALGORITHM = {"label", "unavailable"}
MOST = 3  # differences that are named

EDITED = "Captions, notes, tables and claims are those of {name}, edited since the run."
OTHER_CELLS = (
    "Other cells than those that were run are asked for by {name} ({other}): "
    "shown is the copy of the config made at the run."
)
UNREADABLE = "Shown is the copy of the config made at the run, for now: {error}"


Place: TypeAlias = tuple[str, str, str]  # table, row, column


@dataclass(frozen=True)
class Current:
    """A study's config and printed values, and what is to be said of where they are from."""

    config: StudyConfig
    published: Mapping[Place, Published]
    note: str = ""


def current_config(folder: Path) -> Current:
    """Return the config by which the study in a folder is shown.

    Parameters
    ----------
    folder : Path
        The study's folder, with the copies that the last run left.

    Returns
    -------
    Current
        The config and the printed values of the study's file, if it asks for the same cells; those
        of the copies otherwise, and where there is no such file.

    Raises
    ------
    ConfigError
        If the copy cannot be read.
    """
    text = read_text(folder / CONFIG_COPY)
    copy, _ = read_config(folder / CONFIG_COPY, text)
    printed = folder / PUBLISHED_COPY
    left = Current(copy, read_published(printed) if printed.exists() else {})
    for path, name in _files(copy.study):
        try:
            if config_text(path) == text:
                return left
            config, _ = read_config(path)
            if config.study != copy.study:
                continue
            if _shown(config) == _shown(copy):
                return left
            if other := _other_cells(copy, config):
                return Current(copy, left.published, OTHER_CELLS.format(name=name, other=other))
            published = _published(path, config, left)
        except ConfigError as error:
            return Current(copy, left.published, UNREADABLE.format(error=error))
        return Current(config, published, EDITED.format(name=name))
    return left


def _files(study: str) -> Iterator[tuple[Path, str]]:
    """Yield where the study's config may be, each file with a name; a study's name is no path."""
    for text in (f"{study}.yaml", f"configs/{study}.yaml"):
        if Path(text).is_file():
            yield Path(text), text
    shipped = shipped_config(study)
    if shipped is not None:
        yield shipped, f"the shipped config {shipped.name}"


def _published(path: Path, config: StudyConfig, left: Current) -> Mapping[Place, Published]:
    """Return the printed values beside a config; those of the copy if it names a file elsewhere."""
    if config.published is None:
        return {}
    beside = path.parent / config.published
    if not beside.resolve().is_relative_to(path.parent.resolve()):
        return left.published
    return read_published(beside)


def _shown(config: StudyConfig) -> StudyConfig:
    """Return a config without the path of its printed values, which differs in a copy."""
    return config.model_copy(update={"published": None})


def _other_cells(before: StudyConfig, now: StudyConfig) -> str:
    """Return where two configs ask for other cells; nothing where they ask for the same."""
    one, other = _asked(before), _asked(now)
    found = [key for key in {**one, **other} if one.get(key) != other.get(key)]
    more = [f"and {len(found) - MOST} more"] if len(found) > MOST else []
    return ", ".join(found[:MOST] + more)


def _asked(config: StudyConfig) -> dict[str, Any]:
    """Return all that a config says of what is run, each by a name."""
    asked: dict[str, Any] = {
        "realizations": config.realizations,
        "kernel": config.kernel,
        "timing": config.timing,
    }
    for entry in config.datasets:
        told = entry.model_dump(exclude=OF_THE_DATA_SET)
        asked[f"data set {entry.name}"] = told, entry.unavailable is None
    for name, block in config.algorithms.items():
        told = block.model_dump(exclude=OF_THE_ALGORITHM)
        asked[f"algorithm {name}"] = told, block.unavailable is None
    return asked
