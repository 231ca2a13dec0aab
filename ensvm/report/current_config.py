"""The config and the records by which a study is shown.

A run leaves a copy of its config and of the printed values beside the records; both are shown. If
the config itself has changed since, a note says how to bring it in. It is the shipped one of that
name, or a file of that name in the current folder. Paths in a record or in the copy are never
opened.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from ensvm.errors import UserError
from ensvm.records.store import CONFIG_COPY, PUBLISHED_COPY
from ensvm.shipped import shipped_config
from ensvm.study.base_study import read_source
from ensvm.study.config import StudyConfig
from ensvm.study.printed import Place, Published, read_published
from ensvm.study.read_config import read_config
from ensvm.study.source import YamlSource, read_text

Printed: TypeAlias = Mapping[Place, Published]


@dataclass(frozen=True)
class Current:
    """A study's config and printed values, and a note if those beside differ from the run's."""

    config: StudyConfig
    published: Printed
    note: str = ""


def current_config(folder: Path) -> Current:
    """Return the config and the printed values of the last run in a folder.

    Raises UserError if the copies that the run left cannot be read.
    """
    text = read_text(folder / CONFIG_COPY)
    copy, _ = read_config(folder / CONFIG_COPY, text)
    printed = folder / PUBLISHED_COPY
    published = read_published(printed, copy) if printed.exists() else {}
    return Current(copy.with_paper(published), published, _changed_since(folder, copy.study, text))


def _changed_since(folder: Path, study: str, text: str) -> str:
    """Return which file of a study differs from that of the run, and what brings it in."""
    for path, name in _files(study):
        try:
            source = read_source(path)
            if source.content.get("study") != study:
                continue
            changed = path.name if source.text != text else _changed_print(folder, path, source)
        except UserError as error:
            return f"The config of the last run is shown, because of an error: {error}"
        is_new = f"{changed} differs from that of the last run; `ensvm run {name}` brings it in."
        return is_new if changed else ""
    return ""


def _changed_print(folder: Path, config: Path, source: YamlSource) -> str:
    """Return the name of the printed values beside a config if the run has others, else ""."""
    name = source.content.get("published")
    file = config.parent / str(name)
    if not isinstance(name, str) or not file.resolve().is_relative_to(config.parent.resolve()):
        return ""  # files elsewhere are not opened
    copy = folder / PUBLISHED_COPY
    return "" if copy.exists() and read_text(copy) == read_text(file) else file.name


def _files(study: str) -> Iterator[tuple[Path, str]]:
    """Yield the files that may be the study's config, each with its name for `ensvm run`."""
    for text in (f"{study}.yaml", f"configs/{study}.yaml"):
        if Path(text).is_file():
            yield Path(text), text
    shipped = shipped_config(study)
    if shipped is not None:
        yield shipped, study
