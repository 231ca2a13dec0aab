"""The two sides of a comparison: a folder, one file of records, or those that were shipped."""

from collections.abc import Mapping
from pathlib import Path

from ensvm.records.record import Identity, Record
from ensvm.records.shipped_records import read_shipped
from ensvm.records.store import (
    CELLS_FILE,
    CONFIG_COPY,
    SHIPPED_FILE,
    json_lines,
    latest_records,
    read_records,
)
from ensvm.report.current_config import current_config
from ensvm.report.query import Study, find_studies

SHIPPED = "shipped"


class NothingToCompare(ValueError):
    """A side of a comparison has no records; the message names it."""


def read_sides(one: str, other: str) -> tuple[dict[str, Study], dict[str, Study]]:
    """Return the studies of two sides by their names.

    Parameters
    ----------
    one, other : str
        Each a folder of studies, a study's folder, a file of records in one, or `shipped`: the
        records that came with the folder that the other names. Of a folder the own records count,
        of a study without any those that came with it.

    Returns
    -------
    tuple of two dicts of str to Study
        The studies, each with records of one source alone.

    Raises
    ------
    NothingToCompare
        If a side has no records, or both are `shipped`.
    RecordsDamaged
        If a file holds something else than records.
    """
    if one == other == SHIPPED:
        raise NothingToCompare("both sides are `shipped`; name a folder on one of them")
    found = _read(one, other), _read(other, one)
    for side, studies in zip((one, other), found, strict=True):
        if not studies:
            raise NothingToCompare(f"{side}: no records here; run a study first")
    return found


def _read(side: str, other: str) -> dict[str, Study]:
    path = Path(other if side == SHIPPED else side)
    if path.is_file() and side != SHIPPED:
        return _of_file(path)
    kind = SHIPPED_FILE if side == SHIPPED else CELLS_FILE
    studies = {}
    for folder in find_studies(path.parent if path.is_file() else path):
        own = (folder / kind).is_file() or side == SHIPPED
        study = _only(folder, kind if own else SHIPPED_FILE)
        if study.records:
            studies[study.config.study] = study
    return studies


def _of_file(path: Path) -> dict[str, Study]:
    """Return the study of a file of records, whose config lies beside it."""
    if not (path.parent / CONFIG_COPY).is_file():
        raise NothingToCompare(
            f"{path}: there is no {CONFIG_COPY} beside it, of the study it is of"
        )
    study = _only(path.parent, path.name)
    return {study.config.study: study} if study.records else {}


def _only(folder: Path, name: str) -> Study:
    """Return a study with the records of one of its files alone."""
    if name == SHIPPED_FILE:
        records: Mapping[Identity, Record] = read_shipped(folder).records
    elif name == CELLS_FILE:
        records = read_records(folder)
    else:
        records = latest_records(folder / name, json_lines(folder / name))
    current = current_config(folder)
    return Study(folder, current.config, current.published, dict(records), {}, current.note)
