"""Unite the records of several folders: the newest good record of each cell is kept."""

import json
import os
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ensvm.atomic_write import allowed
from ensvm.counts import counted
from ensvm.errors import Mistakes, UserError
from ensvm.records.asked import ASKED_FILE, Asked, read_asked
from ensvm.records.current_records import DividedRecords, asked_by_newest, divided_records
from ensvm.records.fit_values import differing_values, values_of_fit
from ensvm.records.record import Identity, Record, Status
from ensvm.records.store import (
    CELLS_FILE,
    CONFIG_COPY,
    PUBLISHED_COPY,
    SHIPPED_FILE,
    Store,
    folders_in,
    has_file,
    records_in,
)
from ensvm.study.block import is_reserved
from ensvm.study.printed import read_published
from ensvm.study.read_config import read_copy

# A failure is a result, for the cell was run; a cell without data was not.
RANKS: dict[Status, int] = {"ok": 2, "failed": 1, "timeout": 1, "unavailable": 0}
SHOWN = 60  # characters of a differing value in a message


@dataclass
class Merged:
    """The records of a study, united."""

    study: str
    files: list[Path]  # that have records of it
    source: Path  # the folder of the newest run, whose config is used
    records: dict[Identity, Record] = field(default_factory=dict)
    n_shared: int = 0  # cells that are in more than one file
    notes: list[str] = field(default_factory=list)  # what else the user should know
    # A sentence for each cell whose records have the same settings and different values.
    disagreements: list[str] = field(default_factory=list)


def merge(places: Iterable[Path]) -> tuple[list[Merged], list[UserError]]:
    """Return the records in folders of results, folders of studies or files, study by study.

    With them come the errors of folders that cannot be read, and of studies without a config: these
    are left out. Raises UserError if a place has no records, or nothing can be read.
    """
    of_study: dict[str, list[tuple[Path, Record]]] = defaultdict(list)
    configs = dict[Path, str]()  # the studies of the configs, by their folders
    errors: list[UserError] = []
    for place in places:
        files = [place]
        if not place.is_file():
            files = [each / CELLS_FILE for each in folders_in(place) if has_file(each, CELLS_FILE)]
        n_errors, n_records = len(errors), 0
        for path in files:
            try:
                records, study = _records_beside_config(path)
            except UserError as error:
                errors.append(error)
                continue
            configs |= {path.parent: study} if study else {}
            n_records += len(records)
            for record in records:
                of_study[record.study].append((path, record))
        if not n_records and len(errors) == n_errors:
            folders = [] if place.is_file() else folders_in(place)
            packed = [folder for folder in folders if has_file(folder, SHIPPED_FILE)]
            hint = f"name the file {packed[0] / SHIPPED_FILE}" if packed else "run a study first"
            raise UserError(f"{place}: no records here; {hint}")
    merged = []
    for study in sorted(of_study):
        try:
            with_records = dict.fromkeys(path.parent for path, _ in of_study[study])
            folders = [folder for folder in with_records if configs.get(folder) == study]
            merged.append(_united(study, of_study[study], folders))
        except UserError as error:
            errors.append(error)
    if not merged:
        raise Mistakes([text for error in errors for text in error.messages])
    return merged, errors


def _records_beside_config(path: Path) -> tuple[Collection[Record], str]:
    """Return the records in a file, and the study of the config beside it; "" without one.

    Raises UserError if they, or the files beside, are spoilt.
    """
    folder, study = path.parent, ""
    if has_file(folder, CONFIG_COPY):
        config = read_copy(folder / CONFIG_COPY)
        if has_file(folder, PUBLISHED_COPY):
            read_published(folder / PUBLISHED_COPY, config)
        read_asked(folder)
        study = config.study
    return records_in(path).values(), study


def _united(name: str, pairs: list[tuple[Path, Record]], folders: Collection[Path]) -> Merged:
    """Return the records of a study, united; `folders` have configs of this study."""
    files = list(dict.fromkeys(path for path, _ in pairs))
    of_cell: dict[Identity, list[tuple[Path, Record]]] = defaultdict(list)
    for path, record in pairs:
        of_cell[record.identity].append((path, record))
    if Path(name).name != name or not name.isprintable() or is_reserved(name):
        raise UserError(f"{files[0]}: the study {name!r} of its records cannot name a folder")
    if not folders:
        raise UserError(f"{files[0]}: there is no {CONFIG_COPY} of {name!r} beside its records")
    asked, source = _newest_asked(folders, pairs)
    study = Merged(name, files, source)
    used = (source / CONFIG_COPY).read_bytes()
    configs = [folder / CONFIG_COPY for folder in folders]
    if others := sorted(str(path) for path in configs if path.read_bytes() != used):
        study.notes.append(f"{source / CONFIG_COPY} is used; different: {', '.join(others)}")
    n_settings = 0
    for identity, records in sorted(of_cell.items()):
        # The settings are those asked for, or else of the newest record of a cell that was run.
        value = asked.values.get(records[0][1].value)
        wanted = [one for _, one in records if value and one.settings_key == value.settings_key]
        run = [record for _, record in records if RANKS[record.status]]
        newest = max(wanted or run or [record for _, record in records], key=_age)
        same = [pair for pair in records if pair[1].settings_key == newest.settings_key]
        study.records[identity] = max(
            (record for _, record in same), key=lambda record: (RANKS[record.status], _age(record))
        )
        study.n_shared += len(records) > 1
        n_settings += len(same) < len(records)
        study.disagreements += _disagreements(name, [pair for pair in same if pair[1].ok])
    if n_settings:
        note = "(parameters, data or code); those asked for are kept, else the newest"
        study.notes.append(f"{counted(n_settings, 'cell')} run with several settings {note}")
    study.notes += _other_settings(divided_records(asked, study.records))
    return study


def _newest_asked(
    folders: Iterable[Path], pairs: Iterable[tuple[Path, Record]]
) -> tuple[Asked, Path]:
    """Return what the newest run of a study asked for, and its folder, in whatever order they come.

    A folder that does not say what was asked for is as old as its newest record.
    """
    newest = dict[Path, str]()
    for path, record in pairs:
        newest[path.parent] = max(newest.get(path.parent, ""), record.time)
    asked = {folder: read_asked(folder) for folder in folders}

    def age(folder: Path) -> tuple[str, str, str]:
        """Return when a folder last asked and ran, to sort by."""
        of_folder = asked[folder]
        time = newest[folder] if of_folder is None else of_folder.time
        return time, newest[folder], str(folder)

    source = max(asked, key=age)
    run = [record for _, record in pairs if RANKS[record.status]]
    return asked[source] or asked_by_newest(run), source


def _other_settings(divided: DividedRecords) -> Iterable[str]:
    """Yield how many realizations of a value have the settings asked for, if others have not."""
    with_asked = Counter(record.value for record in divided.current.values())
    for value, stale in divided.stale.items():
        row, algorithm, run_pass = value
        place = f"{algorithm} on {row}" + ", timing pass" * (run_pass == "timing")
        yield (
            f"{place}: {counted(with_asked[value], 'realization')} with the settings asked for,"
            f" {len(stale)} with others: {divided.why_stale(value)}"
        )


def _age(record: Record) -> tuple[str, str]:
    return record.time, record.run_id


def _disagreements(study: str, good: list[tuple[Path, Record]]) -> Iterable[str]:
    """Yield a sentence for each record of a cell whose values differ from those of another one."""
    for number, (path, record) in enumerate(good):
        cell = record.cell_text
        first_path, first = good[0]
        if number and (names := differing_values(first, record)):
            name = "error" if "error" in names else names[0]
            one, other = (
                json.dumps(values[name])[:SHOWN] if name in values else "missing"
                for values in map(values_of_fit, (first, record))
            )
            yield f"{study}: {cell}: {name} is {one} in {first_path} but {other} in {path}"
        elif record.is_contradicted:
            yield f"{study}: {cell}: {path} has several records of it, with different values"


def write_merged(merged: Sequence[Merged], target: Path) -> None:
    """Write the studies into a new folder; an error leaves no part of it behind.

    Raises UserError if `target` has files, and OSError if it cannot be written.
    """
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise UserError(f"{target}: is not empty; name a folder that does not exist yet")
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        for study in merged:
            _write_study(study, unfinished / study.study)
        unfinished.chmod(allowed(0o777))
        os.replace(unfinished, target)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _write_study(study: Merged, folder: Path) -> None:
    folder.mkdir()
    for name in (CONFIG_COPY, PUBLISHED_COPY, ASKED_FILE):
        if (path := study.source / name).is_file():
            shutil.copyfile(path, folder / name)
    runs = {record.run.id: record.run for record in study.records.values() if record.run}
    with Store(folder) as store:
        in_order = sorted(runs.values(), key=lambda run: (run.time, run.id))
        store.append([*in_order, *study.records.values()])
