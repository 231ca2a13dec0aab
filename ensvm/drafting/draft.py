"""The draft of a study of a user's table: what is in the file, and what is written for it."""

import os
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from ensvm.data import DataError, DatasetCard, inline_card
from ensvm.data.files.compression import UNPACK
from ensvm.data.files.labels import plain_label
from ensvm.drafting.columns import FoundColumn, find_columns
from ensvm.drafting.config_text import Contents, config_text, mapping_of
from ensvm.drafting.delimited import TextTable, read_text_table
from ensvm.drafting.target import FoundTarget, find_target
from ensvm.study.block import LONGEST_NAME
from ensvm.study.source import MAX_BYTES

MOST_COLUMNS = 20_000  # of 0 and 1 and of numbers


@dataclass(frozen=True)
class Draft:
    """What was found in a file, and what is to be written.

    Attributes
    ----------
    table : TextTable
        The file as text.
    decimal : str
        Its decimal mark.
    columns : tuple of FoundColumn
        Its columns.
    target : FoundTarget
        The column of the classes.
    contents : Contents
        What the config says.
    config : Path
        Where the config goes.
    clean : Path or None
        Where a clean copy of the table goes; None where the config reads the file itself.
    why_clean : str
        Why there is a clean copy.
    """

    table: TextTable
    decimal: str
    columns: tuple[FoundColumn, ...]
    target: FoundTarget
    contents: Contents
    config: Path
    clean: Path | None
    why_clean: str = ""

    @property
    def inputs(self) -> tuple[FoundColumn, ...]:
        """The columns that are inputs."""
        return tuple(
            column
            for at, column in enumerate(self.columns)
            if at != self.target.position and not column.dropped
        )

    @property
    def unlabelled(self) -> int:
        """How many rows have no label."""
        return int((self.target.labels == "").sum())

    def text(self) -> str:
        """Return the config; raises DataError where it would be larger than a config may be."""
        text = config_text(self.contents)
        if len(text.encode()) > MAX_BYTES:
            raise DataError(
                f"{self.table.path}: its columns of text make a config of more than "
                f"{MAX_BYTES:,} bytes; leave some of them out of the file"
            )
        return text

    def clean_text(self) -> str:
        """Return the table as comma-separated UTF-8 text, without rows that have no label."""
        columns = {
            column.name: self.target.labels if at == self.target.position else column.clean
            for at, column in enumerate(self.columns)
        }
        frame = pd.DataFrame(columns)[self.target.labels != ""]
        return frame.to_csv(index=False, lineterminator="\n")


def draft_study(
    path: Path,
    config: Path | None = None,
    *,
    target: str | None = None,
    header: bool | None = None,
) -> Draft:
    """Return the draft of a study of a user's table; writes nothing.

    Parameters
    ----------
    path : Path
        The table: delimited text, perhaps compressed.
    config : Path or None, default None
        Where the config is going to be; None for the table's name, with the ending .yaml, in the
        working directory. A clean copy, if one is needed, goes beside it.
    target : str or None, default None
        The column of the classes, by name or position; None to find it.
    header : bool or None, default None
        Whether the first line holds names; None to find out.

    Returns
    -------
    Draft
        What was found, and what is to be written.

    Raises
    ------
    DataError
        If no study can be made of the file; the message says why, and what to do.
    """
    table = read_text_table(path, header)
    columns, decimal = find_columns(table)
    found = find_target(path, columns, target)
    stem = stem_of(path)
    config = config or Path(f"{stem}.yaml")
    inputs = [c for at, c in enumerate(columns) if at != found.position and not c.dropped]
    if not inputs:
        told = "; ".join(f"{column.name!r} {column.dropped}" for column in columns if column.dropped)
        raise DataError(f"{path}: no column is left as an input: {told[:500]}")
    width = sum(len(column.levels) or 1 for column in inputs)
    if width > MOST_COLUMNS:
        raise DataError(f"{path}: {width:,} inputs; accepted: up to {MOST_COLUMNS:,}")
    contents = Contents(
        name=name_of(stem),
        path=os.path.relpath(path, config.parent),
        columns=tuple(columns),
        target=found,
        by_position=not table.header,
    )
    why = _why_clean(table, decimal, columns, found) or _why_not_read(contents, config.parent)
    if not why:
        return Draft(table, decimal, tuple(columns), found, contents, config, None)
    clean = config.with_name(f"{config.stem}-clean.csv")
    contents = contents.of_clean_copy(clean.name, path.name)
    return Draft(table, decimal, tuple(columns), found, contents, config, clean, why)


def stem_of(path: Path) -> str:
    """Return a file's name without its endings, .gz and the like among them."""
    plain = Path(path.stem) if path.suffix and path.suffix in UNPACK else path
    return plain.stem


def name_of(stem: str) -> str:
    """Return a name that a study and a data set may have, as near to a file's as can be."""
    plain = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9_.+-]+", "-", plain).strip("-_.+")[: LONGEST_NAME // 2] or "data"


def _why_clean(
    table: TextTable, decimal: str, columns: list[FoundColumn], target: FoundTarget
) -> str:
    """Return why a config cannot read the file itself, as far as the file alone tells."""
    plain = table.path.name[: -len(table.path.suffix)] if table.path.suffix in UNPACK else ""
    ending = Path(plain or table.path.name).suffix.lower()
    wanted = {".csv": ",", ".tsv": "\t", ".tab": "\t"}.get(ending)
    if table.encoding not in ("utf-8", "utf-8-sig"):
        return "it is not UTF-8"
    if wanted != table.delimiter:
        return f"a config reads .csv with commas and .tsv with tabs, not {table.path.name}"
    if table.skipped:
        return "lines stand before its header"
    if table.renamed:
        return "names in its header are empty, equal, or hold blanks"
    if not table.a_row_a_line:
        return "fields have line breaks in them, or rows are empty"
    if (target.labels == "").any():
        return "rows without a label are left out"
    for at, (column, given) in enumerate(zip(columns, table.fields, strict=True)):
        if column.dropped and at != target.position:
            continue
        raw = table.fields[given]
        if at != target.position and column.kind == "number":
            if (raw[column.clean != ""] != column.clean[column.clean != ""]).any():
                return f"numbers of {column.name!r} are not written with a plain decimal point"
        absent = set(raw[column.clean == ""])
        if not absent <= {"", "?", "NA", "NaN", "nan"}:
            other = sorted(absent - {"", "?", "NA", "NaN", "nan"})[0]
            return f"{other!r} stands for a missing value in {column.name!r}"
    return ""


def _why_not_read(contents: Contents, base: Path) -> str:
    """Return why the config's own reader finds other rows, inputs or classes in the file."""
    try:
        card = inline_card(mapping_of(contents), base)
    except DataError as error:
        return " ".join(str(error).split())
    return "" if _agrees(card, contents) else "a config would read other rows or classes in it"


def _agrees(card: DatasetCard, contents: Contents) -> bool:
    classes = {plain_label(label): count for label, count in card.classes.items()}
    inputs = card.inputs
    expected = contents.inputs()
    names = set(inputs or ()) or set(expected)
    return (
        classes == contents.target.classes
        and card.rows == sum(contents.target.classes.values())
        and names == set(expected)
    )
