"""The config and the records by which a study is shown.

A run leaves a copy of its config and of the printed values beside the records; both are shown. If
the config itself has changed since, a note says how to bring it in. It is the shipped one of that
name, or a file of that name in the current folder. Paths in a record or in the copy are never
opened.

If nothing was run here, shipped records of the same config stand in for whole values.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from ensvm.errors import UserError
from ensvm.records.identity import ValueOf, records_to_show
from ensvm.records.record import Identity, Record
from ensvm.records.shipped_records import ShippedRecords
from ensvm.records.store import CONFIG_COPY, PUBLISHED_COPY, SHIPPED_FILE
from ensvm.shipped import shipped_config
from ensvm.study.base_study import read_source
from ensvm.study.config import StudyConfig, read_config
from ensvm.study.metrics import DATA_CELL
from ensvm.study.source import YamlSource, read_text
from ensvm.study.table_layout import Place, Published, read_published

# Keys of data sets and algorithms that say how a value is shown, and which cells a value has.
SHOWN = {
    "label",
    "same_rows",
    "other_protocol",
    "published_split",
    "drawn_again",
    "unavailable",
    "undetermined_at_zero",
    "deterministic",
}
# Keys of a data set that choose its cells, but do not change the value of one.
CELLS = {"algorithms", "realizations", "realizations_of"}

Printed: TypeAlias = Mapping[Place, Published]


@dataclass(frozen=True)
class Current:
    """A study's config and printed values, and a note if they have changed since the run."""

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
    published = read_published(printed) if printed.exists() else {}
    return Current(copy, published, _changed_since(folder, copy.study, text))


def _changed_since(folder: Path, study: str, text: str) -> str:
    """Return which file of a study has changed since the run, and what brings it in."""
    for path, name in _files(study):
        try:
            source = read_source(path)
            if source.content.get("study") != study:
                continue
            changed = path.name if source.text != text else _changed_print(folder, path, source)
        except UserError as error:
            return f"Shown is the config of the last run, because of an error: {error}"
        is_new = f"{changed} has changed since the last run; `ensvm run {name}` brings it in."
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


def with_shipped(
    own: Mapping[Identity, Record], shipped: ShippedRecords, config: StudyConfig, path: Path
) -> tuple[dict[Identity, Record], dict[ValueOf, str]]:
    """Return the records to report from, and which values are shipped ones, each with the reason.

    `path` is the file of `config`. A shipped value stands in only if its own config asked for it in
    the same terms; see `records_to_show`.
    """
    if not shipped.records or path.read_text(encoding="utf-8") == shipped.config:
        return records_to_show(own, shipped.records, lambda value: True)
    before, _ = read_config(path.with_name(SHIPPED_FILE), shipped.config)
    return records_to_show(
        own, shipped.records, lambda value: _terms(before, value) == _terms(config, value)
    )


def _terms(config: StudyConfig, value: ValueOf) -> list[Any] | None:
    """Return the parts of a config that decide a value; None if it does not ask for the value."""
    row, algorithm, run_pass = value
    entry = next((entry for entry in config.datasets if entry.name == row), None)
    block = config.algorithms.get(algorithm)
    if entry is None or (block is None and algorithm != DATA_CELL):
        return None
    kernel = config.kernel_of(entry) if block else None
    threads = config.timing.blas_threads if config.timing and run_pass == "timing" else None
    method = block and block.model_dump(exclude=SHOWN)
    return [entry.model_dump(exclude=SHOWN | CELLS), method, kernel, threads]
