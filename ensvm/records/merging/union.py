"""From sources to one folder: the records of each study united, and the folder written."""

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from ensvm.data.providers.folders import PARTIAL, remove_left_behind
from ensvm.records.merging.answers import Conflict, Found, choose
from ensvm.records.merging.sources import NotMerged, Source
from ensvm.records.predictions import copy_files
from ensvm.records.record import Identity, Record
from ensvm.records.shipped_records import ShippedRecords, packed
from ensvm.records.store import CELLS_FILE, CONFIG_COPY, PUBLISHED_COPY, SHIPPED_FILE, Store
from ensvm.records.writing import copy_file, replace_file


@dataclass(frozen=True)
class Merged:
    """The records of a study, united.

    Attributes
    ----------
    study : str
        The study.
    own : dict of Identity to Record
        The records of runs.
    shipped : ShippedRecords
        The records that came with the folders.
    config, published : str or None
        The texts that go beside the records.
    same : Path or None
        A file that has just these records that came with a folder.
    conflicts : list of Conflict
        The cells that have different answers.
    n_shared : int
        How many cells are in more than one place.
    notes : tuple of str
        What else is to be said of it.
    folders : tuple of Path
        Where the files with predictions are.
    """

    study: str
    own: Mapping[Identity, Record]
    shipped: ShippedRecords
    same: Path | None
    config: str | None
    published: str | None
    conflicts: list[Conflict]
    n_shared: int
    notes: tuple[str, ...]
    folders: tuple[Path, ...] = ()


def merge(sources: Sequence[Source], *, keep_first: bool = False) -> list[Merged]:
    """Return the records of sources, united study by study.

    Records of runs are united with records of runs, and those that came with a folder with their
    like: they go on to stand in only where nothing was run.

    Parameters
    ----------
    sources : sequence of Source
        The sources; the config and the printed values are those of the first that has them.
    keep_first : bool, default False
        Whether in a conflict the record of the first source is kept.

    Returns
    -------
    list of Merged
        The studies in order of their names.

    Raises
    ------
    NotMerged
        If no source of a study has its config, or records came with folders for different configs.
    """
    names = sorted({source.study for source in sources})
    return [
        _merge_study([source for source in sources if source.study == name], keep_first)
        for name in names
    ]


def _merge_study(sources: Sequence[Source], keep_first: bool) -> Merged:
    study = sources[0].study
    configs = [(source.place, source.config) for source in sources if source.config is not None]
    if not configs:
        places = ", ".join(str(source.place) for source in sources)
        raise NotMerged(f"{places}: there is no {CONFIG_COPY} beside the records of {study}")
    own, own_conflicts, n_shared, superseded = _unite(
        [(source.place, source.own) for source in sources], keep_first
    )
    _must_answer_one_config(came := [source for source in sources if source.shipped.records])
    shipped, conflicts, n_of_shipped, _ = _unite(
        [(source.place, source.shipped.records) for source in came], keep_first
    )
    same = next((source.packed for source in came if source.shipped.records == shipped), None)
    published = [(at.place, at.published) for at in sources if at.published is not None]
    notes = [
        *_differing(configs, "config"),
        *_differing(published, "file of printed values"),
    ]
    return Merged(
        study,
        own,
        ShippedRecords(came[0].shipped.config if came else "", shipped),
        same,
        configs[0][1],
        published[0][1] if published else None,
        [*own_conflicts, *conflicts],
        n_shared + n_of_shipped,
        (*notes, *([SUPERSEDED.format(n=superseded)] if superseded else [])),
        tuple(source.folder for source in sources),
    )


def _must_answer_one_config(came: Sequence[Source]) -> None:
    for one, other in pairwise(came):
        if one.shipped.config != other.shipped.config:
            raise NotMerged(
                f"{one.place} and {other.place}: the records that came with them ({SHIPPED_FILE}) "
                f"are of different configs; to leave these out, name the files {CELLS_FILE}"
            )


SUPERSEDED = (
    "{n} cells were run with several settings (parameters, data or code); the newest are kept"
)


def _unite(
    found: Iterable[tuple[Path, Mapping[Identity, Record]]], keep_first: bool
) -> tuple[dict[Identity, Record], list[Conflict], int, int]:
    """Return each cell once, conflicts, how many are shared, and how many of other settings."""
    by_cell: dict[Identity, list[Found]] = {}
    for place, records in found:
        for identity, record in records.items():
            by_cell.setdefault(identity, []).append((place, record))
    kept: dict[Identity, Record] = {}
    conflicts: list[Conflict] = []
    shared = superseded = 0
    for identity, of_cell in sorted(by_cell.items()):
        kept[identity], differing = choose(of_cell, keep_first=keep_first)
        conflicts += differing
        shared += len(of_cell) > 1
        superseded += len({record.settings_key for _, record in of_cell}) > 1
    return kept, conflicts, shared, superseded


def _differing(texts: list[tuple[Path, str]], what: str) -> list[str]:
    others = [place for place, text in texts[1:] if text != texts[0][1]]
    if not others:
        return []
    return [
        f"the {what} in {', '.join(map(str, others))} is another; that in {texts[0][0]} is used"
    ]


def write_merged(merged: Iterable[Merged], target: Path) -> bool:
    """Write the studies into a folder that is whole or not there at all.

    Parameters
    ----------
    merged : iterable of Merged
        The studies.
    target : Path
        The folder; it does not exist, or is empty, or holds all of this already.

    Returns
    -------
    bool
        Whether anything was written: False where the folder holds all of this already.

    Raises
    ------
    NotMerged
        If there is something else in `target`.
    OSError
        If it cannot be written; nothing is left behind.
    """
    parent = target.absolute().parent
    parent.mkdir(parents=True, exist_ok=True)
    remove_left_behind(parent)
    beside = parent / str(os.getpid()).join(PARTIAL)
    try:
        for study in merged:
            folder = beside / study.study
            if not folder.resolve().is_relative_to(beside.resolve()):
                raise NotMerged(f"{study.study!r} is not the name of a folder in {target}")
            _write_study(study, folder)
        if _is_empty(target):
            if target.is_dir():
                target.rmdir()
            os.replace(beside, target)
            return True
        if _holds(target, beside):
            return False
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    raise NotMerged(
        f"{target}: there is something else here already, which is not overwritten; "
        "name a folder that does not exist yet"
    )


def _write_study(study: Merged, folder: Path) -> None:
    folder.mkdir(parents=True)
    texts = {CONFIG_COPY: study.config, PUBLISHED_COPY: study.published}
    for name, text in texts.items():
        if text is not None:
            replace_file(folder / name, text)
    if study.same is not None:  # to pack them anew takes seconds
        copy_file(study.same, folder / SHIPPED_FILE)
    elif study.shipped.records:
        replace_file(folder / SHIPPED_FILE, packed(study.shipped))
    names = [name for record in study.own.values() for name in record.predictions.values()]
    copy_files(names, study.folders, folder)
    if study.own:
        runs = {record.run.id: record.run for record in study.own.values() if record.run}
        with Store(folder) as store:
            store.append(
                runs[name] for _, name in sorted((run.time, run.id) for run in runs.values())
            )
            store.append(study.own.values())


def _is_empty(folder: Path) -> bool:
    return not os.path.lexists(folder) or (folder.is_dir() and not any(folder.iterdir()))


def _holds(folder: Path, other: Path) -> bool:
    """Return whether a folder has the files of another, each with the same content."""
    files = [path.relative_to(other) for path in other.rglob("*.*") if path.suffix != ".lock"]
    return all(
        (folder / name).is_file() and (folder / name).read_bytes() == (other / name).read_bytes()
        for name in files
        if (other / name).is_file()
    )
