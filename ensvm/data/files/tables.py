"""Tables of fields: CSV, tab-separated, UCI and KEEL files."""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ensvm.data.errors import DataError, near_miss
from ensvm.data.files.columns import (
    LARGEST,
    Incomplete,
    Inputs,
    encode_column,
    encoded_columns,
)
from ensvm.data.files.content import FileContent, FileFormat, Raw
from ensvm.data.files.dialect import (
    DELIMITERS,
    Delimiter,
    Dialect,
    Numerals,
    Quote,
    TextEncoding,
    Thousands,
)
from ensvm.data.files.labels import Label, no_label, plain_labels


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
        raw = self._read(file)
        if self.keep is None:
            return raw
        chosen = np.isin(raw.labels, self.keep)
        groups = None if raw.groups is None else raw.groups[chosen]
        return Raw(raw.X[chosen], raw.labels[chosen], groups=groups)

    def _read(self, file: FileContent) -> Raw:
        lines, numbers = _data_lines(file, self)
        names = self.columns or _header_names(lines, numbers, self, file.where)
        lines, numbers = lines[self.header :], numbers[self.header :]
        if not lines:
            raise DataError(f"{file.where}: holds no rows")
        inputs = self.inputs or file.inputs
        if inputs and self.encoded:
            inputs = dict.fromkeys(encoded_columns(inputs), "number")
        numbers_alone = not inputs or all(encoding == "number" for encoding in inputs.values())
        if numbers_alone and file.groups is None:
            raw = _read_numbers(lines, self, names, inputs, file.where)
            if raw is not None:
                return raw
        rows = _split_fields(lines, numbers, self, file.where)
        names = names or [str(i) for i in range(len(rows[0]))]
        return encode_table(Table(file.where, names, rows, numbers), self, inputs, file.groups)

    def column_names(self, file: FileContent) -> list[str]:
        """Return the names in the header; without one, the positions."""
        lines, numbers = _data_lines(file, self)
        names = self.columns or _header_names(lines, numbers, self, file.where)
        if names or not lines:
            return names
        return [
            str(at) for at in range(len(_split_fields(lines[:1], numbers, self, file.where)[0]))
        ]

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


@dataclass(frozen=True)
class Table:
    """Fields as text: names of columns, rows, and each row's number in the file `where`."""

    where: str
    names: list[str]
    rows: list[list[str]]
    lines: list[int]
    unit: str = "line"

    def place(self, at: int, row: int) -> str:
        """Return where the field of a column and a row stands, for messages."""
        return f"{self.where}, {self.unit} {self.lines[row]}, column {self.names[at]!r}"


def encode_table(
    table: Table, form: TableFormat, inputs: Inputs | None, groups: str | None = None
) -> Raw:
    """Return what fields of text stand for, labels renamed as the card says, groups if named."""
    label_at, columns = choose_columns(table.names, form.target, inputs, table.where)
    _check_widths(table)
    missing = {*form.missing, ""}
    group_at = [] if groups is None else [_position(table.names, groups, table.where)]
    for at in group_at:
        _refuse_ungrouped(table, at, form)
    table = _without_missing(table, label_at, [*columns, *group_at], form)
    blocks = [
        encode_column(
            [row[at] for row in table.rows],
            inputs[table.names[at]] if inputs else "number",
            missing,
            partial(table.place, at),
            form.numerals,
        )
        for at in columns
    ]
    X = np.hstack([np.empty((len(table.rows), 0)), *blocks])
    found = np.array([row[label_at].strip() for row in table.rows])
    told = [plain_labels(np.array([row[at].strip() for row in table.rows])) for at in group_at]
    return Raw(X, _rename(plain_labels(found), form.labels), groups=told[0] if told else None)


def choose_columns(
    names: list[str], target: str | int, inputs: Iterable[str] | None, where: str
) -> tuple[int, list[int]]:
    """Return the positions of the target and of the inputs: those named, or all but the target.

    Raises DataError for a name that is no column's, or that several columns have.
    """
    refuse_equal_names(names, where)
    if isinstance(target, int):
        if not -len(names) <= target < len(names):
            raise DataError(f"{where}: target {target} is not a column; there are {len(names)}")
        label_at = target % len(names)
    else:
        label_at = _position(names, target, where)
    if inputs is not None:
        return label_at, [_position(names, name, where) for name in inputs]
    return label_at, [at for at in range(len(names)) if at != label_at]


def refuse_equal_names(names: list[str], where: str) -> None:
    """Raise DataError if columns share a name: one of them might be taken for the other."""
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        at = [str(k) for k, name in enumerate(names, start=1) if name == twice]
        raise DataError(
            f"{where}: several columns are called {twice!r} (columns {', '.join(at[:9])}, counted "
            "from 1); accepted: names that differ"
        )


def _position(names: list[str], name: str, where: str) -> int:
    if name not in names:
        shown = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
        raise DataError(
            f"{where}: there is no column {name!r}{near_miss(name, names)} (columns: {shown})"
        )
    return names.index(name)


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


def _read_numbers(
    lines: list[str], form: TableFormat, names: list[str], inputs: Inputs | None, where: str
) -> Raw | None:
    """Return the table, quickly, if every field is a finite number without quotes; else None."""
    if not form.numerals.plain:
        return None
    if any(form.quote in line for line in lines):  # numpy reads over the end of a quoted line
        return None
    delimiter = form.separator
    try:
        fields = np.loadtxt(lines, delimiter=delimiter, comments=None, ndmin=2)
    except ValueError:
        return None
    names = names or [str(i) for i in range(fields.shape[1])]
    if len(names) != fields.shape[1] or not (np.abs(fields) <= LARGEST).all():
        return None
    label_at, columns = choose_columns(names, form.target, inputs, where)
    # as text, for different labels may be the same number: 001 and 1
    labels = np.loadtxt(
        lines, delimiter=delimiter, comments=None, ndmin=1, usecols=label_at, dtype=str
    )
    return Raw(fields[:, columns], _rename(plain_labels(labels), form.labels))


def _check_widths(table: Table) -> None:
    for row, line in zip(table.rows, table.lines, strict=True):
        if len(row) != len(table.names):
            raise DataError(
                f"{table.where}, line {line}: {len(row)} fields; expected {len(table.names)}"
            )


def _refuse_ungrouped(table: Table, at: int, form: TableFormat) -> None:
    if form.incomplete == "drop":
        return
    for i, row in enumerate(table.rows):
        if row[at].strip() in {*form.missing, ""}:
            raise DataError(
                f"{table.place(at, i)}: the group is missing ({row[at]!r}); accepted: a group in "
                "every row, or `incomplete: drop`, which leaves such rows out"
            )


def _without_missing(table: Table, label_at: int, columns: list[int], form: TableFormat) -> Table:
    missing = {*form.missing, ""}
    kept = []
    for i, row in enumerate(table.rows):
        unlabelled = row[label_at].strip() in missing or no_label(row[label_at])
        empty = (
            label_at
            if unlabelled
            else next((at for at in columns if row[at].strip() in missing), None)
        )
        if empty is None or (not unlabelled and form.incomplete == "keep"):
            kept.append(i)
        elif form.incomplete != "drop" and not (unlabelled and form.unlabelled == "drop"):
            hint = "`incomplete: drop` leaves such rows out, `incomplete: keep` keeps them"
            if unlabelled:
                hint = "`unlabelled: drop` leaves such rows out, and so does `incomplete: drop`"
            value = f"the value is missing ({row[empty]!r})"
            raise DataError(f"{table.place(empty, i)}: {value}; {hint}")
    if not kept:
        raise DataError(f"{table.where}: no row is complete")
    rows, lines = [table.rows[i] for i in kept], [table.lines[i] for i in kept]
    return replace(table, rows=rows, lines=lines)


def _rename(found: NDArray[np.str_], labels: dict[str, str]) -> NDArray[np.str_]:
    if not labels:
        return found
    values, inverse = np.unique(found, return_inverse=True)
    return np.array([labels.get(str(value), str(value)) for value in values])[inverse]
