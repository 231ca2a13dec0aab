"""Unite the records of several folders: the newest good record of each cell is kept."""

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ensvm.data.providers.folders import PARTIAL, remove_left_behind, replace_file
from ensvm.errors import UserError
from ensvm.records.predictions import copy_files
from ensvm.records.record import Identity, Record, Status
from ensvm.records.shipped_records import read_shipped
from ensvm.records.store import (
    CELLS_FILE,
    CONFIG_COPY,
    PUBLISHED_COPY,
    SHIPPED_FILE,
    Store,
    folders_in,
    json_lines,
    latest_records,
    read_records,
    with_predictions_at_hand,
)

# A failure is a result, for the cell was run; a cell without data was not.
RANKS: dict[Status, int] = {"ok": 2, "failed": 1, "timeout": 1, "unavailable": 0}
# Files that are copied from the first folder that has them.
BESIDE = (CONFIG_COPY, PUBLISHED_COPY, SHIPPED_FILE)
SHOWN = 60  # characters of a differing value in a message


@dataclass(frozen=True)
class MergeSource:
    """The records of one study in one folder or file."""

    path: Path  # the study's folder, or the file of records
    study: str
    records: Mapping[Identity, Record]

    @property
    def folder(self) -> Path:
        """The folder in which the records are."""
        return self.path if self.path.is_dir() else self.path.parent


@dataclass
class Merged:
    """The records of a study, united."""

    study: str
    sources: list[MergeSource]
    records: dict[Identity, Record] = field(default_factory=dict)  # of each cell, the one kept
    n_shared: int = 0  # cells that are in more than one source
    # A sentence for each cell whose records have the same settings and different values.
    disagreements: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # what else the user should know


def read_sources(path: Path) -> list[MergeSource]:
    """Return the sources in a folder of studies, in a study's folder, or in a file `*.jsonl`.

    Raises UserError if there are no records, or a file holds something else.
    """
    sources = []
    for source in [path] if path.is_file() else folders_in(path):
        if source.is_dir():
            records = read_records(source)
        elif source.suffix == ".jsonl":
            latest = latest_records(source, json_lines(source))
            records = with_predictions_at_hand(latest, source.parent)
        else:
            raise UserError(f"{source}: give a folder, or a file of records ({CELLS_FILE})")
        shipped = read_shipped(source).records if source.is_dir() else {}
        studies = {record.study for record in (*records.values(), *shipped.values())}
        if len(studies) > 1:
            names = ", ".join(sorted(studies))
            raise UserError(f"{source}: records of several studies ({names}) in one file")
        sources += [MergeSource(source, study, records) for study in studies]
    if not sources:
        raise UserError(f"{path}: no records here; run a study first")
    return sources


def merge(sources: Sequence[MergeSource]) -> list[Merged]:
    """Return the records of sources, united study by study.

    Raises UserError if no source of a study has its config.
    """
    merged = {name: Merged(name, []) for name in sorted({source.study for source in sources})}
    for source in sources:
        merged[source.study].sources.append(source)
    for study in merged.values():
        for name in BESIDE:
            paths = [path for source in study.sources if (path := source.folder / name).is_file()]
            if name == CONFIG_COPY and not paths:
                places = ", ".join(str(source.path) for source in study.sources)
                raise UserError(f"{places}: there is no {name} beside the records of {study.study}")
            others = [path for path in paths[1:] if path.read_bytes() != paths[0].read_bytes()]
            if others:
                differing = ", ".join(map(str, others))
                study.notes.append(f"{paths[0]} is used; different: {differing}")
        _unite(study)
    return list(merged.values())


def _unite(study: Merged) -> None:
    """Choose the record of each cell, and list the disagreements."""
    by_cell: dict[Identity, list[tuple[Path, Record]]] = {}
    for source in study.sources:
        for identity, record in source.records.items():
            by_cell.setdefault(identity, []).append((source.path, record))
    n_settings = 0
    for identity, records in sorted(by_cell.items()):
        # The settings are those of the newest record of a cell that was run.
        run = [record for _, record in records if RANKS[record.status]]
        settings = max(run or [record for _, record in records], key=_age).settings_key
        same = [(path, record) for path, record in records if record.settings_key == settings]
        study.records[identity] = max((record for _, record in same), key=_preference)
        study.n_shared += len(records) > 1
        n_settings += len(same) < len(records)
        good = [(path, record) for path, record in same if record.ok]
        for path, record in good[1:]:
            if difference := _difference(good[0][1], record):
                name, values = difference
                dataset, realization, algorithm, run_pass = identity
                study.disagreements.append(
                    f"{study.study}: {dataset}, realization {realization}, {algorithm}"
                    f"{', timing pass' * (run_pass == 'timing')}: {name} is {values[0]} in"
                    f" {good[0][0]} but {values[1]} in {path}"
                )
    if n_settings:
        study.notes.append(
            f"{n_settings} cells were run with several settings (parameters, data or code); the"
            " newest are kept"
        )


def _age(record: Record) -> tuple[str, str]:
    return record.time, record.run_id


def _preference(record: Record) -> tuple[int, bool, int, str, str]:
    return RANKS[record.status], bool(record.predictions), len(record.scores), *_age(record)


def _difference(one: Record, other: Record) -> tuple[str, tuple[str, str]] | None:
    """Return the first value in which two records differ, the error before any other."""
    first, second = _values(one), _values(other)
    names = [name for name in {**first, **second} if first.get(name) != second.get(name)]
    if not names:
        return None
    name = "error" if "error" in names else names[0]
    return name, (first.get(name, "missing")[:SHOWN], second.get(name, "missing")[:SHOWN])


def _values(record: Record) -> dict[str, str]:
    """Return the values of a cell, each as JSON, in which NaN is equal to itself.

    Seconds differ between runs, so they count only in the timing pass, which is run for them.
    """
    values: dict[str, Any] = {**record.metrics, **record.curves, "stage": record.stage}
    values = {name: value for name, value in values.items() if not name.endswith("_seconds_")}
    if record.run_pass == "timing":
        values |= record.seconds
    return {name: json.dumps(value, sort_keys=True) for name, value in values.items()}


def write_merged(merged: Sequence[Merged], target: Path) -> bool:
    """Write the studies into a new folder, and return whether anything had to be written.

    An error leaves no part of the folder behind. Raises UserError if `target` has other files, and
    OSError if it cannot be written.
    """
    parent = target.absolute().parent
    parent.mkdir(parents=True, exist_ok=True)
    remove_left_behind(parent)
    unfinished = parent / str(os.getpid()).join(PARTIAL)
    try:
        for study in merged:
            _write_study(study, unfinished / study.study)
        if _holds(target, unfinished):
            return False
        if os.path.lexists(target) and not (target.is_dir() and not any(target.iterdir())):
            raise UserError(f"{target}: is not empty; name a folder that does not exist yet")
        if target.is_dir():
            target.rmdir()
        os.replace(unfinished, target)
        return True
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _holds(folder: Path, other: Path) -> bool:
    """Return whether a folder has the files of another, each with the same content."""
    files = [path for path in other.rglob("*") if path.is_file() and path.suffix != ".lock"]
    copies = [(path, folder / path.relative_to(other)) for path in files]
    return all(copy.is_file() and copy.read_bytes() == path.read_bytes() for path, copy in copies)


def _write_study(study: Merged, folder: Path) -> None:
    folder.mkdir(parents=True)
    folders = [source.folder for source in study.sources]
    for name in BESIDE:
        for path in (each / name for each in folders):
            if path.is_file():
                replace_file(folder / name, path.read_bytes())
                break
    records = study.records.values()
    copy_files(
        (name for record in records for name in record.predictions.values()), folders, folder
    )
    if study.records:
        runs = {record.run.id: record.run for record in records if record.run}
        in_order = sorted(runs.values(), key=lambda run: (run.time, run.id))
        with Store(folder) as store:
            store.append(in_order)
            store.append(records)
