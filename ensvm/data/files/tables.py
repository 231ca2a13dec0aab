"""Tables of fields: CSV, tab-separated, UCI and KEEL files."""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field

from ensvm.data.errors import DataError
from ensvm.data.files.columns import LARGEST, Incomplete, Inputs, encoded_columns
from ensvm.data.files.content import FileContent, FileFormat, Raw, joined
from ensvm.data.files.dialect import (
    DELIMITERS,
    Delimiter,
    Dialect,
    Numerals,
    Quote,
    TextEncoding,
    Thousands,
)
from ensvm.data.files.fields import Block, FieldReader, Rules, renamed
from ensvm.data.files.labels import Label

ROWS_AT_ONCE = 8192  # whose fields, as text, take little memory beside all numbers


class TableFormat(FileFormat):
    """Rows of fields: CSV, tab-separated, UCI and KEEL files.

    `encoding`, `delimiter`, `decimal`, `thousands` and `quote` say how the text is written (see
    `Dialect`); `skip` lines before the table are passed over. The first of the `header` lines names
    the columns, unless `columns` does. Inputs are the columns that `inputs` names with their
    encodings, or else the card's `inputs`, or else all but the target; `encoded` says that they
    hold the card's codes already, under the names of `encoded_columns`. Lines that begin with a
    `comment` are passed over; `lowercase` reads fields and labels as if so written. `corrections`
    replaces text that the file holds exactly once, such as a line broken in two. Labels are renamed
    as `labels` says; `keep` lists those whose rows are used (default: all). Fields that are empty
    or among `missing` have no value: rows with such an input are refused, dropped or kept (as NaN,
    see the card's `missing`) as `incomplete` says, rows with no class as `unlabelled` says
    (`incomplete: drop` drops them too).
    """

    endings: ClassVar = {
        ".csv": {"type": "table", "delimiter": "comma"},
        ".tsv": {"type": "table", "delimiter": "tab"},
        ".tab": {"type": "table", "delimiter": "tab"},
    }
    named_columns: ClassVar = True

    type: Literal["table"]
    encoding: TextEncoding = "utf-8"
    delimiter: Delimiter = "comma"
    decimal: Literal[".", ","] = "."
    thousands: Thousands | None = None
    skip: int = Field(default=0, ge=0)
    header: int = Field(default=0, ge=0)
    comment: str | list[str] | None = None
    quote: Quote = '"'
    lowercase: bool = False
    corrections: dict[str, str] = Field(default_factory=dict)
    columns: list[str] | None = None
    inputs: Inputs | None = None
    target: str | int
    labels: dict[Label, Label] = Field(default_factory=dict)
    keep: list[Label] | None = None
    missing: list[str] = Field(default_factory=list)
    incomplete: Incomplete = "refuse"
    unlabelled: Literal["refuse", "drop"] = "refuse"
    encoded: bool = False

    def read(self, file: FileContent) -> Raw:
        """Return the inputs and labels of a table.

        Raises DataError naming file, row and column of a value that is missing, not a number or an
        unknown code.
        """
        lines, numbers = _data_lines(file, self)
        names = self._names(lines, numbers, file.where)
        lines, numbers = lines[self.header :], numbers[self.header :]
        if not lines:
            raise DataError(f"{file.where}: holds no rows")
        inputs = self.inputs or file.inputs
        if inputs and self.encoded:
            inputs = dict.fromkeys(encoded_columns(inputs), "number")
        reader = FieldReader(file.where, names, self._rules, inputs, file.groups)
        starts = range(0, len(lines), ROWS_AT_ONCE)
        blocks = [slice(start, start + ROWS_AT_ONCE) for start in starts]
        raw = joined(self._kept(self._read(reader, lines[at], numbers[at])) for at in blocks)
        if self.keep is None and not len(raw.labels):
            raise DataError(f"{file.where}: no row is complete")
        return raw

    def _read(self, reader: FieldReader, lines: list[str], numbers: list[int]) -> Raw:
        numbers_alone = reader.numbers.issuperset(reader.input_at)
        if numbers_alone and reader.groups is None:
            raw = _read_numbers(lines, self, reader)
            if raw is not None:
                return raw
        rows = _split_fields(lines, numbers, self, reader.where)
        for row, line in zip(rows, numbers, strict=True):
            if len(row) != len(reader.names):
                told = f"{len(row)} fields; expected {len(reader.names)}"
                raise DataError(f"{reader.where}, line {line}: {told}")
        return reader.read(Block(list(zip(*rows, strict=True)), numbers))

    def _kept(self, raw: Raw) -> Raw:
        if self.keep is None:
            return raw
        chosen = np.isin(raw.labels, self.keep)
        groups = None if raw.groups is None else raw.groups[chosen]
        return Raw(raw.X[chosen], raw.labels[chosen], groups=groups)

    def _names(self, lines: list[str], numbers: list[int], where: str) -> list[str]:
        """Return the names of the columns; without any, their positions."""
        names = self.columns or _header_names(lines, numbers, self, where)
        if names or not lines:
            return names
        return [str(at) for at in range(len(_split_fields(lines[:1], numbers, self, where)[0]))]

    @property
    def _rules(self) -> Rules:
        missing = frozenset(self.missing)
        return Rules(
            self.target, self.incomplete, self.unlabelled, self.labels, missing, self.numerals
        )

    def column_names(self, file: FileContent) -> list[str]:
        """Return the names in the header; without one, the positions."""
        lines, numbers = _data_lines(file, self)
        return self._names(lines, numbers, file.where)

    @classmethod
    def of_own_file(
        cls,
        ending: str,
        target: str | int | None,
        incomplete: Incomplete,
        dialect: Dialect | None = None,
    ) -> Self:
        """Return the format of a user's own table; a target that is a name asks for a header."""
        own = {
            "header": 0 if isinstance(target, int) else 1,
            "target": target,
            "incomplete": incomplete,
        }
        written = (dialect or Dialect()).table_keys()
        implied = cls.endings.get(ending, {"type": "table"})
        return cls.model_validate({**implied, **written, **own})

    @property
    def separator(self) -> str | None:
        """The character between fields; None for any number of blanks."""
        return DELIMITERS.get(self.delimiter, self.delimiter)

    @property
    def numerals(self) -> Numerals:
        """How numbers are written."""
        return Numerals(self.decimal, self.thousands or "")


def _data_lines(file: FileContent, form: TableFormat) -> tuple[list[str], list[int]]:
    """Return the rows as text, comments and blank lines left out, and the line each begins at."""
    text = _decoded(file, form.encoding)
    for wrong, right in form.corrections.items():
        if text.count(wrong) != 1:
            raise DataError(
                f"{file.where}: corrections: {wrong!r} is there {text.count(wrong)} times, not once"
            )
        text = text.replace(wrong, right)
    text = text.lower() if form.lowercase else text
    comments = tuple([form.comment] if isinstance(form.comment, str) else form.comment or [])
    every = re.split(r"\r\n|\r|\n", text)
    kept = [
        (number, line)
        for number, line in islice(enumerate(every, start=1), form.skip, None)
        if line.strip() and not line.startswith(comments)
    ]
    # only a row that goes over the end of a line can leave a line with half a pair of quotes
    if form.separator is not None and any(line.count(form.quote) % 2 for _, line in kept):
        kept = list(_joined_lines(every, comments, form, file.where))
    return [line for _, line in kept], [number for number, _ in kept]


def _joined_lines(
    every: list[str], comments: tuple[str, ...], form: TableFormat, where: str
) -> Iterator[tuple[int, str]]:
    """Yield each row as one text, line breaks within quotes and all, and its first line's number.

    Blank lines and comments are passed over between rows only.
    """
    taken = list[tuple[int, str]]()

    def lines() -> Iterator[str]:
        for number, line in islice(enumerate(every, start=1), form.skip, None):
            if taken or (line.strip() and not line.startswith(comments)):
                taken.append((number, line))
                yield line + "\n"
        if taken:
            raise csv.Error(f"a quote {form.quote} is not closed")

    try:
        for _ in _fields_of(lines(), form):
            yield taken[0][0], "\n".join(line for _, line in taken)
            taken.clear()
    except csv.Error as error:
        raise DataError(f"{where}, line {taken[0][0]}: {error}") from error


def _decoded(file: FileContent, encoding: str) -> str:
    called = "UTF-8" if encoding == "utf-8" else encoding
    hint = "its own is named by `format: {encoding: cp1252}` or the like"
    try:
        text = file.data.decode(encoding)
    except UnicodeDecodeError as error:
        line = file.data.count(b"\n", 0, error.start) + 1
        told = f"is not {called} text ({error.reason})"
        raise DataError(f"{file.where}, line {line}: {told}; {hint}") from error
    except UnicodeError as error:
        raise DataError(f"{file.where}: is not {called} text ({error}); {hint}") from error
    if (wrong := text.find("\0")) >= 0:
        line = text.count("\n", 0, wrong) + 1
        raise DataError(f"{file.where}, line {line}: is not {called} text (a zero byte); {hint}")
    return text.removeprefix("\ufeff")


def _header_names(lines: list[str], numbers: list[int], form: TableFormat, where: str) -> list[str]:
    if not form.header:
        return []
    if len(lines) < form.header:
        raise DataError(f"{where}: holds no header line")
    return [field.strip() for field in _split_fields(lines[:1], numbers, form, where)[0]]


def _split_fields(
    lines: Sequence[str], numbers: Sequence[int], form: TableFormat, where: str
) -> list[list[str]]:
    """Return the fields of each row; raise DataError for quotes that are open at its end."""
    if form.separator is None:
        return [line.split() for line in lines]
    rows = list[list[str]]()
    # the empty line after the last one shows whether a quote of the last one is open
    reader = _fields_of([*lines, ""], form)
    try:
        for row in reader:
            if reader.line_num > len(rows) + 1:
                raise csv.Error(f"a quote {form.quote} is not closed")
            rows.append(row)
    except csv.Error as error:
        number = numbers[min(len(rows), len(lines) - 1)]
        raise DataError(f"{where}, line {number}: {error}") from error
    return rows[:-1]


def _fields_of(lines: Iterable[str], form: TableFormat) -> Any:
    mark = str(form.separator)
    return csv.reader(lines, delimiter=mark, quotechar=form.quote, skipinitialspace=mark != " ")


def _read_numbers(lines: list[str], form: TableFormat, reader: FieldReader) -> Raw | None:
    """Return the rows, quickly, if every field is a finite number without quotes; else None."""
    if not form.numerals.plain:
        return None
    if any(form.quote in line for line in lines):  # numpy reads over the end of a quoted line
        return None
    delimiter = form.separator
    try:
        fields = np.loadtxt(lines, delimiter=delimiter, comments=None, ndmin=2)
    except ValueError:
        return None
    if len(reader.names) != fields.shape[1] or not (np.abs(fields) <= LARGEST).all():
        return None
    # as text, for different labels may be the same number: 001 and 1
    labels = np.loadtxt(
        lines, delimiter=delimiter, comments=None, ndmin=1, usecols=reader.label_at, dtype=str
    )
    return Raw(fields[:, reader.input_at], renamed(labels, form.labels))
