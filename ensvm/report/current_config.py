"""The config and the records by which a study is shown.

A run leaves a copy of its config beside the records. Tables, figures, claims, captions and notes
do not belong to any cell's key, so they are read from the study's current config if it asks for the
same cells as the copy. Otherwise, or if that config cannot be read, they are read from the copy.
The study's pages say which config they show. The current config is the shipped one of that name, or
a file of that name in the current folder. Paths in a record or in the copy are never opened.

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
from ensvm.study.config import StudyConfig, read_config, validated
from ensvm.study.metrics import DATA_CELL
from ensvm.study.source import read_text
from ensvm.study.table_layout import Place, Published, read_published

# Keys of data sets and algorithms that say how a value is shown, and which cells a value has.
SHOWN = {
    "label",
    "same_rows",
    "published_split",
    "drawn_again",
    "unavailable",
    "undetermined_at_zero",
}
# Keys of a study that change no result. (`published` is another path in the copy.)
FREE = ("published", "coverage", "findings", "url", "doi", "proposed")
# Keys of a data set that choose its cells, but do not change the value of one.
CELLS = {"algorithms", "realizations", "realizations_of"}
MOST = 3  # how many differences a message names

EDITED = "Captions, notes, tables and claims are those of {name}, edited since the run."
OTHER_CELLS = (
    "Shown is the copy of the config that the run made, because {name} asks for other cells "
    "({other})."
)
UNREADABLE = "Shown is the copy of the config that the run made, because of an error: {error}"


Printed: TypeAlias = Mapping[Place, Published]


@dataclass(frozen=True)
class Current:
    """A study's config and printed values, and a note that says where they are from."""

    config: StudyConfig
    published: Printed
    note: str = ""


def current_config(folder: Path) -> Current:
    """Return the config by which the study in a folder is shown, and its printed values.

    Raises UserError if the copy that the last run left cannot be read.
    """
    text = read_text(folder / CONFIG_COPY)
    copy, _ = read_config(folder / CONFIG_COPY, text)
    printed = folder / PUBLISHED_COPY
    at_run = Current(copy, read_published(printed) if printed.exists() else {})
    for path, name in _files(copy.study):
        try:
            source = read_source(path)
            if source.text == text:
                return at_run
            config = validated(source)
            if config.study != copy.study:
                continue
            free = {key: getattr(config, key) for key in FREE}
            if config == copy.model_copy(update=free):
                return Current(config, at_run.published)
            if other := _other_cells(copy, config):
                return Current(copy, at_run.published, OTHER_CELLS.format(name=name, other=other))
            published = _printed(path, config, at_run)
        except UserError as error:
            return Current(copy, at_run.published, UNREADABLE.format(error=error))
        return Current(config, published, EDITED.format(name=name))
    return at_run


def _files(study: str) -> Iterator[tuple[Path, str]]:
    """Yield the files that may be the study's config, each with a name for messages."""
    for text in (f"{study}.yaml", f"configs/{study}.yaml"):
        if Path(text).is_file():
            yield Path(text), text
    shipped = shipped_config(study)
    if shipped is not None:
        yield shipped, f"the shipped config {shipped.name}"


def _printed(path: Path, config: StudyConfig, at_run: Current) -> Printed:
    """Return the printed values beside a config; those of the copy if it names a file elsewhere."""
    if config.published is None:
        return {}
    file, here = path.parent / config.published, path.parent.resolve()
    return read_published(file) if file.resolve().is_relative_to(here) else at_run.published


def _other_cells(before: StudyConfig, now: StudyConfig) -> str:
    """Return which parts of two configs ask for different cells, as text."""
    one, other = _asked(before), _asked(now)
    names = [name for name in {**one, **other} if one.get(name) != other.get(name)]
    more = [f"and {len(names) - MOST} more"] if len(names) > MOST else []
    return ", ".join(names[:MOST] + more)


def _asked(config: StudyConfig) -> dict[str, Any]:
    """Return the parts of a config that decide which cells are run, by name."""
    asked: dict[str, Any] = {
        "realizations": config.realizations,
        "kernel": config.kernel,
        "timing": config.timing,
    }
    for entry in config.datasets:
        terms = entry.model_dump(exclude=SHOWN)
        asked[f"data set {entry.name}"] = terms, entry.unavailable is None
    for name, block in config.algorithms.items():
        asked[f"algorithm {name}"] = block.model_dump(exclude=SHOWN)
    return asked


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
