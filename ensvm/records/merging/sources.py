"""What is merged: the records of a study that a folder or a file holds, with the files beside."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from ensvm.records.record import Identity, Record
from ensvm.records.shipped_records import ShippedRecords, read_shipped
from ensvm.records.store import (
    CELLS_FILE,
    CONFIG_COPY,
    PUBLISHED_COPY,
    SHIPPED_FILE,
    folders_in,
    json_lines,
    latest_records,
    read_records,
    with_predictions_at_hand,
)

ENDINGS = (".jsonl", ".jsonl.xz")


class NotMerged(ValueError):
    """What cannot be merged; the message names the place and says what to do."""


@dataclass(frozen=True)
class Source:
    """The records of one study in one place.

    Attributes
    ----------
    place : Path
        The study's folder, or the file of records.
    own : dict of Identity to Record
        The records of runs.
    shipped : ShippedRecords
        The records that came with the folder.
    config, published : str or None
        The texts of the study's config and of the printed values beside the records.
    """

    place: Path
    own: Mapping[Identity, Record] = field(default_factory=dict)
    shipped: ShippedRecords = field(default_factory=ShippedRecords)
    config: str | None = None
    published: str | None = None

    @property
    def folder(self) -> Path:
        """The folder in which the records are."""
        return self.place if self.place.is_dir() else self.place.parent

    @property
    def packed(self) -> Path:
        """The file of the records that came with the folder."""
        return self.place / SHIPPED_FILE if self.place.is_dir() else self.place

    @property
    def study(self) -> str:
        """The name of the study."""
        records = chain(self.own.values(), self.shipped.records.values())
        return next(record.study for record in records)


def read_sources(place: Path) -> list[Source]:
    """Return the sources in a place.

    Parameters
    ----------
    place : Path
        A folder of studies, a study's folder, or a file of records.

    Returns
    -------
    list of Source
        One for a file and for each folder of a study.

    Raises
    ------
    NotMerged
        If there are no records.
    RecordsDamaged
        If a file holds something else.
    """
    if place.is_file():
        found = [_of_file(place)]
    else:
        found = [_of_folder(folder) for folder in folders_in(place)]
    there = [source for source in found if source.own or source.shipped.records]
    if not there:
        raise NotMerged(f"{place}: no records here; run a study first")
    for source in there:
        _must_be_of_one_study(source)
    return there


def _of_folder(folder: Path) -> Source:
    shipped = read_shipped(folder)
    return Source(folder, read_records(folder), shipped, *_beside(folder, shipped))


def _of_file(path: Path) -> Source:
    """Return the records of a file, which came with a folder where it begins with a config."""
    if not path.name.endswith(ENDINGS):
        told = f"{CELLS_FILE} and {SHIPPED_FILE}"
        raise NotMerged(f"{path}: no file of records, which end in {' or '.join(ENDINGS)}: {told}")
    lines = json_lines(path)
    first = next(lines, None)
    if first is None:
        return Source(path)
    if isinstance(first[1], dict) and isinstance(first[1].get("config"), str):
        shipped = ShippedRecords(first[1]["config"], latest_records(path, lines))
        return Source(path, {}, shipped, *_beside(path.parent, shipped))
    own = with_predictions_at_hand(latest_records(path, chain([first], lines)), path.parent)
    return Source(path, own, ShippedRecords(), *_beside(path.parent, ShippedRecords()))


def _beside(folder: Path, shipped: ShippedRecords) -> tuple[str | None, str | None]:
    """Return the texts of the config and of the printed values in a study's folder."""
    config, printed = map(_text, (folder / CONFIG_COPY, folder / PUBLISHED_COPY))
    return config or shipped.config or None, printed


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8") if path.is_file() else None
    except UnicodeDecodeError as error:
        raise NotMerged(f"{path}: is no text in UTF-8; restore or remove the file") from error


def _must_be_of_one_study(source: Source) -> None:
    names = sorted({record.study for record in _records(source)})
    if len(names) > 1:
        raise NotMerged(
            f"{source.place}: records of several studies ({', '.join(names)}) in one file; "
            f"{CELLS_FILE} and {SHIPPED_FILE} have those of one"
        )


def _records(source: Source) -> Iterator[Record]:
    yield from source.own.values()
    yield from source.shipped.records.values()
