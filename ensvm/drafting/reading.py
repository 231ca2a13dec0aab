"""How a config says that a file is written, and where it cannot read the file as it was found."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ensvm.data.files.compression import UNPACK
from ensvm.data.files.dialect import MISSING, Dialect, Numerals
from ensvm.data.files.labels import plain_label
from ensvm.data.files.tables import TableFormat
from ensvm.drafting.columns import FoundColumn
from ensvm.drafting.delimited import TextTable
from ensvm.drafting.numerals import GROUPED
from ensvm.drafting.target import FoundTarget

_NAMED = {"\t": "tab", r"\s+": "whitespace"}  # delimiters that a config calls by name


def dialect_of(
    table: TextTable, columns: Sequence[FoundColumn], target: FoundTarget, decimal: str
) -> dict[str, Any]:
    """Return the key `format` of a config for a file; empty where the defaults do.

    Parameters
    ----------
    table : TextTable
        The file as text.
    columns : sequence of FoundColumn
        Its columns.
    target : FoundTarget
        The column of the classes.
    decimal : str
        The decimal mark of the file.

    Returns
    -------
    dict
        The keys of a `Dialect` that differ from its defaults.
    """
    read = _read(columns, target)
    absent = {
        text
        for column in read
        for text, clean in zip(column.fields.texts, column.clean, strict=True)
        if text and not clean
    }
    written: dict[str, Any] = {}
    if table.encoding not in ("utf-8", "utf-8-sig"):
        written["encoding"] = table.encoding
    if _of_ending(table.path) != table.delimiter:
        written["delimiter"] = _NAMED.get(table.delimiter, table.delimiter)
    if decimal != ".":
        written["decimal"] = decimal
    if thousands := _thousands(read, decimal):
        written["thousands"] = thousands
    if absent - set(MISSING):
        written["missing"] = [*MISSING, *sorted(absent - set(MISSING))]
    if table.skipped:
        written["skip"] = table.skipped
    return written


def why_not_as_found(
    table: TextTable, columns: Sequence[FoundColumn], target: FoundTarget, written: dict[str, Any]
) -> str:
    """Return why a config would not read the fields as they were read here; empty where it does."""
    if table.renamed:
        return "names in the header are empty, equal, or hold blanks"
    if table.quoted and table.delimiter == r"\s+":
        return "blanks are the delimiter, and fields are in quotes"
    dialect = Dialect.model_validate(written)
    for column in _read(columns, target):
        if why := _why_not_read_so(column, column is target.column, dialect):
            return why
    return ""


def _read(columns: Sequence[FoundColumn], target: FoundTarget) -> list[FoundColumn]:
    """Return the columns that a config reads: the inputs and the classes."""
    return [column for column in columns if not column.dropped or column is target.column]


def _of_ending(path: Path) -> str | None:
    """Return the delimiter that a config takes from a file's ending."""
    plain = Path(path.stem) if path.suffix in UNPACK and path.suffix else path
    implied = TableFormat.endings.get(plain.suffix.lower())
    return None if implied is None else {"comma": ",", "tab": "\t"}[implied["delimiter"]]


def _thousands(columns: Sequence[FoundColumn], decimal: str) -> str:
    """Return the mark of thousands of all columns of numbers; empty where there is not one."""
    marks = {
        character
        for column in columns
        if column.kind == "number"
        for text, clean in zip(column.fields.texts, column.clean, strict=True)
        if clean and text != clean and GROUPED[decimal].fullmatch(text)
        for character in text
        if not character.isdigit() and character not in ("+", "-", decimal)
    }
    return marks.pop() if len(marks) == 1 else ""


def _why_not_read_so(column: FoundColumn, classes: bool, dialect: Dialect) -> str:
    numerals = Numerals(dialect.decimal, dialect.thousands or "")
    for text, clean in zip(column.fields.texts, column.clean, strict=True):
        missing = not text or text in dialect.missing
        if clean and missing:
            return f"{text!r} is a value in {column.name!r} and stands for a missing one elsewhere"
        if not clean:
            continue
        if classes and plain_label(text) != plain_label(clean):
            return f"classes in {column.name!r} are written as {text!r}"
        if not classes and column.kind == "number" and not _same(text, clean, numerals):
            return f"numbers of {column.name!r} are written as {text!r}"
    return ""


def _same(text: str, clean: str, numerals: Numerals) -> bool:
    if numerals.plain:
        return text == clean
    try:
        return float(numerals.translated(text)) == float(clean)
    except ValueError:
        return False
