"""A user's table of text as it is: its delimiter, its header, and every field."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ensvm.data import DataError
from ensvm.drafting.decoding import CALLED, HEAD, SAMPLE_OF_ROWS, read_text, without_preamble
from ensvm.drafting.numerals import is_number

# Fields as text take ten times the memory of their bytes, and some microseconds each.
MAX_FIELDS = 2_200_000
MAX_COLUMNS = 20_000
HEAD_ROWS = 200
# A delimiter that is rarer within fields comes first: a comma may be a decimal point.
DELIMITERS = {"\t": "tab", ";": "semicolon", "|": "bar", ",": "comma", r"\s+": "whitespace"}
YEAR = re.compile("(19|20)[0-9]{2}")
LIBSVM = re.compile(r"\S+(\s+\d+:\S+)+\s*")


@dataclass(frozen=True)
class Fields:
    """The fields of a column: its different texts, and which of them stands in each row.

    Attributes
    ----------
    texts : list of str
        The texts, without blanks around them.
    rows : ndarray of int, shape (n,)
        The position of each row's text.
    """

    texts: list[str]
    rows: NDArray[np.intp]

    @cached_property
    def counts(self) -> NDArray[np.intp]:
        """How often each text occurs."""
        return np.bincount(self.rows, minlength=len(self.texts))

    def count(self, chosen: Iterable[bool]) -> int:
        """Return how many fields have one of the texts chosen."""
        return int(self.counts[np.fromiter(chosen, dtype=bool, count=len(self.texts))].sum())


@dataclass(frozen=True)
class TextTable:
    """A table of text fields, and how it stands in its file.

    Attributes
    ----------
    path : Path
        The file.
    columns : tuple of Fields
        The fields below the header, column by column.
    names : tuple of str
        The names in the header; the positions, from 0, where there is none.
    encoding, delimiter : str
        As Python and pandas call them.
    header : bool
        Whether the first line holds names.
    quoted : bool
        Whether a double quote occurs in it.
    renamed : tuple of str
        What was wrong with names of the header, one line each.
    skipped : int
        The lines left out before the table.
    """

    path: Path
    columns: tuple[Fields, ...]
    names: tuple[str, ...]
    encoding: str
    delimiter: str
    header: bool
    quoted: bool
    renamed: tuple[str, ...] = ()
    skipped: int = 0

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.columns[0].rows)

    @property
    def told(self) -> str:
        """How the file is written, in one line."""
        head = "a header" if self.header else "no header (columns are called by position, from 0)"
        several = "s" if self.skipped > 1 else ""
        lines = f", {self.skipped} line{several} before it left out" if self.skipped else ""
        return f"{CALLED[self.encoding]}, delimiter {DELIMITERS[self.delimiter]}, {head}{lines}"


def read_text_table(path: Path, header: bool | None = None) -> TextTable:
    """Return the fields of a file of delimited text, read by pandas.

    Parameters
    ----------
    path : Path
        The file, perhaps compressed (.gz, .bz2 or .xz).
    header : bool or None, default None
        Whether the first line holds names; None to find out.

    Returns
    -------
    TextTable
        The fields, and how the file is written.

    Raises
    ------
    DataError
        If it is no such file; the message says what it is, where it is wrong, and what to do.
    """
    text, encoding = read_text(path)
    text, skipped, stated = without_preamble(text, DELIMITERS)
    delimiter = stated or _delimiter(path, text[:HEAD].strip())
    rows = _rows(path, text, delimiter, skipped)
    named = _has_header(rows) if header is None else header
    names, renamed = _names(rows, named)
    if len(rows) <= named:
        raise DataError(f"{path}: holds a header and no rows")
    columns = tuple(fields_of(rows[at].to_numpy()[int(named) :]) for at in rows)
    return TextTable(
        path, columns, names, encoding, delimiter, named, '"' in text, renamed, skipped
    )


def fields_of(found: NDArray[Any]) -> Fields:
    """Return the texts of a column, row by row, as its fields."""
    rows, texts = pd.factorize(found)
    return Fields([str(text).strip() for text in texts], rows)


def _delimiter(path: Path, head: str) -> str:
    """Return the delimiter that cuts every line of the head into as many fields, two or more."""
    lines = head.splitlines()[:HEAD_ROWS]
    if lines and all(LIBSVM.fullmatch(line) for line in lines[:20]):
        raise DataError(
            f"{path}: is LIBSVM text; rename it to end in .libsvm, and repeat the command"
        )
    best, share = "", 0.0
    for delimiter in DELIMITERS:
        widths = Counter(_widths(lines, delimiter))
        width, count = max(widths.items(), key=lambda item: (item[0] > 1, item[1]))
        if width > 1 and count / widths.total() > share:
            best, share = delimiter, count / widths.total()
    if not best or share < 0.5:
        tried = ", ".join(DELIMITERS.values())
        raise DataError(
            f"{path}: no delimiter cuts its lines into columns (tried: {tried}); "
            "a table needs one column of classes and one or more of inputs"
        )
    return best


def _widths(lines: list[str], delimiter: str) -> list[int]:
    if delimiter == r"\s+":
        return [len(line.split()) for line in lines if line.strip()] or [0]
    try:
        rows = list(csv.reader(lines, delimiter=delimiter, skipinitialspace=True))
    except csv.Error:
        return [0]
    return [len(row) for row in rows if row] or [0]


def _rows(path: Path, text: str, delimiter: str, skipped: int) -> pd.DataFrame:
    """Return all rows as text; a row of another width than the first is refused by its line."""
    _refuse_huge(path, text, delimiter)
    last = "" if delimiter == r"\s+" else f", line {_last_row(path, text, delimiter, skipped)}"
    try:
        rows = pd.read_csv(
            io.StringIO(text),
            sep=delimiter,
            header=None,
            dtype=object,
            keep_default_na=False,
            na_filter=False,
            skipinitialspace=True,
        )
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        told = str(error).strip().rpartition("C error: ")[2]
        if told.startswith("EOF inside string"):
            raise DataError(f"{path}{last}: a quote is opened here and never closed") from error
        raise DataError(f"{path}: {told[:1].lower()}{told[1:]}") from error
    rows = rows[(rows != "").any(axis=1)].reset_index(drop=True)
    if rows.empty:
        raise DataError(f"{path}: holds no values")
    return rows


def _refuse_huge(path: Path, text: str, delimiter: str) -> None:
    first, rows = text.lstrip("\n").partition("\n")[0], text.count("\n") + 1
    width = len(first.split()) if delimiter == r"\s+" else first.count(delimiter) + 1
    if width > MAX_COLUMNS:
        raise DataError(f"{path}: {width:,} columns; accepted: up to {MAX_COLUMNS:,}")
    if rows * width > MAX_FIELDS:
        raise DataError(
            f"{path}: about {rows:,} rows of {width:,} columns; accepted: up to {MAX_FIELDS:,} "
            f"fields; {SAMPLE_OF_ROWS}"
        )


def _last_row(path: Path, text: str, delimiter: str, skipped: int) -> int:
    """Return the line of the last row; raises DataError for a row of another width."""
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True)
    expected, before, last = 0, 0, 0
    try:
        for row in reader:
            expected = expected or len(row)
            if row and len(row) != expected and any(field.strip() for field in row):
                fields = f"{len(row)} field{'s' if len(row) > 1 else ''}"
                if reader.line_num > before + 1:
                    fields += f", one of them in quotes up to line {reader.line_num + skipped}"
                raise DataError(
                    f"{path}, line {before + skipped + 1}: {fields}; the first line has {expected} "
                    f"(delimiter {DELIMITERS[delimiter]}); mend the line, or take out lines that "
                    "are no rows of the table"
                )
            last = before + skipped + 1 if row else last
            before = reader.line_num
    except csv.Error as error:
        raise DataError(f"{path}, line {before + skipped + 1}: {error}") from error
    return last


def _has_header(rows: pd.DataFrame) -> bool:
    """Return whether the first row holds names.

    A text above numbers is a name. Where there is none, a number above numbers is none (a year may
    be), and neither is a text that occurs in its column again.
    """
    first = [str(field).strip() for field in rows.iloc[0]]
    head = rows.iloc[1 : HEAD_ROWS + 1]
    new = again = numbers = 0
    for at, field in enumerate(first):
        below = [text.strip() for text in head.iloc[:, at] if text.strip()]
        if sum(map(is_number, below)) > len(below) / 2:
            if field and not is_number(field):
                return True
            numbers += bool(field) and not YEAR.fullmatch(field)
        elif field and not is_number(field):
            again += field in below
            new += field not in below and len(set(below)) <= len(below) / 2
    return numbers == 0 and again <= new


def _names(rows: pd.DataFrame, named: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return a name of its own for every column, and what was done to those of the header."""
    if not named:
        return tuple(str(at) for at in range(rows.shape[1])), ()
    names, renamed = list[str](), list[str]()
    for at, given in enumerate(str(field).strip() for field in rows.iloc[0]):
        plain = " ".join(given.split())
        # the first column of what pandas writes is its index, which has no name
        name = plain or ("" if at == 0 else f"column {at + 1}")
        number = 2
        while name in names:
            name, number = f"{plain or 'column'} ({number})", number + 1
        if name != given:
            renamed.append(f"column {at + 1}: {given!r} is called {name!r}")
        names.append(name)
    return tuple(names), tuple(renamed)
