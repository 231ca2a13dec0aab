"""Tables of fields (CSV, tab-separated, UCI, KEEL) and how their columns become numbers."""

import csv
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.data.arrays import Raw, plain_labels
from ensvm.data.errors import DataError, near_miss
from ensvm.data.layouts import Encoding, TableFormat, plain_label

_DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "whitespace": None}
Inputs = dict[str, Encoding]


@dataclass(frozen=True)
class Table:
    """Fields as text: the columns' names, the rows, and each row's line number in the file `where`."""

    where: str
    names: list[str]
    rows: list[list[str]]
    lines: list[int]


def read_table(content: bytes, form: TableFormat, inputs: Inputs | None, where: str) -> Raw:
    """Return the inputs and labels of a table.

    Raises DataError naming file, row and column of a value that is missing, not a number or an unknown code.
    """
    lines, numbers = _data_lines(content, form, where)
    names = form.columns or _header_names(lines, form, where)
    lines, numbers = lines[form.header :], numbers[form.header :]
    if not lines:
        raise DataError(f"{where}: holds no rows")
    encodings = None if form.encoded else inputs
    if not encodings or all(encoding == "number" for encoding in encodings.values()):
        raw = _read_numbers(lines, form, names, inputs, where)
        if raw is not None:
            return raw
    delimiter = _DELIMITERS[form.delimiter]
    rows = [line.split() for line in lines] if delimiter is None else _split_fields(lines, delimiter)
    table = Table(where, names or [str(i) for i in range(len(rows[0]))], rows, numbers)
    missing = {*form.missing, ""}
    return encode_table(table, form.target, inputs, form.labels, missing, form.incomplete, form.encoded)


def encode_table(
    table: Table,
    target: str | int,
    inputs: Inputs | None,
    labels: dict[str, str],
    missing: set[str],
    incomplete: str,
    encoded: bool = False,
) -> Raw:
    """Return the inputs and labels of fields that are text; the words are those of the card."""
    label_at, columns = choose_columns(table.names, target, inputs, table.where)
    _check_widths(table)
    table = _without_missing(table, [label_at, *columns], missing, incomplete)
    X = np.empty((len(table.rows), len(columns)))
    for j, at in enumerate(columns):
        encoding = inputs[table.names[at]] if inputs and not encoded else "number"
        X[:, j] = _encode(table, at, encoding)
    found = np.array([row[label_at].strip() for row in table.rows])
    return Raw(X, _rename(plain_labels(found), labels))


def choose_columns(
    names: list[str], target: str | int, inputs: Iterable[str] | None, where: str
) -> tuple[int, list[int]]:
    """Return the positions of the target and of the inputs: those named, or all but the target."""
    if isinstance(target, int):
        if not -len(names) <= target < len(names):
            raise DataError(f"{where}: target {target} is not a column; there are {len(names)}")
        label_at = target % len(names)
    else:
        label_at = _position(names, target, where)
    if inputs is not None:
        return label_at, [_position(names, name, where) for name in inputs]
    return label_at, [at for at in range(len(names)) if at != label_at]


def _position(names: list[str], name: str, where: str) -> int:
    if name not in names:
        shown = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
        raise DataError(f"{where}: there is no column {name!r}{near_miss(name, names)} (columns: {shown})")
    return names.index(name)


def _data_lines(content: bytes, form: TableFormat, where: str) -> tuple[list[str], list[int]]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{where}: is not UTF-8 text (byte {error.start})") from error
    comment = form.comment
    kept = [
        (line, number)
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip() and not (comment and line.startswith(comment))
    ]
    return [line for line, _ in kept], [number for _, number in kept]


def _header_names(lines: list[str], form: TableFormat, where: str) -> list[str]:
    if not form.header:
        return []
    if len(lines) < form.header:
        raise DataError(f"{where}: holds no header line")
    delimiter = _DELIMITERS[form.delimiter]
    fields = lines[0].split() if delimiter is None else _split_fields(lines[:1], delimiter)[0]
    return [field.strip() for field in fields]


def _split_fields(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    return list(csv.reader(lines, delimiter=delimiter, skipinitialspace=True))


def _read_numbers(
    lines: list[str], form: TableFormat, names: list[str], inputs: Inputs | None, where: str
) -> Raw | None:
    """Return the table if every field is a finite number, quickly; None leaves it to the careful reader."""
    try:
        fields = np.loadtxt(lines, delimiter=_DELIMITERS[form.delimiter], comments=None, quotechar='"', ndmin=2)
    except ValueError:
        return None
    names = names or [str(i) for i in range(fields.shape[1])]
    if len(names) != fields.shape[1] or not np.isfinite(fields).all():
        return None
    label_at, columns = choose_columns(names, form.target, inputs, where)
    return Raw(fields[:, columns], _rename(plain_labels(fields[:, label_at]), form.labels))


def _check_widths(table: Table) -> None:
    for row, line in zip(table.rows, table.lines, strict=True):
        if len(row) != len(table.names):
            raise DataError(f"{table.where}, line {line}: {len(row)} fields; expected {len(table.names)}")


def _without_missing(table: Table, used: list[int], missing: set[str], incomplete: str) -> Table:
    complete = []
    for i, row in enumerate(table.rows):
        empty = next((at for at in used if row[at].strip() in missing), None)
        if empty is None:
            complete.append(i)
        elif incomplete == "refuse":
            raise DataError(
                f"{table.where}, line {table.lines[i]}, column {table.names[empty]!r}: the value is missing"
                f" ({row[empty]!r}); `incomplete: drop` leaves such rows out"
            )
    if not complete:
        raise DataError(f"{table.where}: no row is complete")
    rows, lines = [table.rows[i] for i in complete], [table.lines[i] for i in complete]
    return Table(table.where, table.names, rows, lines)


def _encode(table: Table, at: int, encoding: Encoding) -> NDArray[np.float64]:
    if encoding == "number":
        with suppress(ValueError):  # quickly, if all is well; the loop below finds the culprit
            quick = np.array([row[at] for row in table.rows], dtype=np.float64)
            if np.isfinite(quick).all():
                return quick
    codes: dict[str, float] = {}
    if isinstance(encoding, list):
        codes = {value: code for code, value in enumerate(encoding, start=1)}
    elif isinstance(encoding, dict):
        codes = encoding
    values = np.empty(len(table.rows))
    for i, row in enumerate(table.rows):
        try:
            values[i] = _number(row[at].strip(), encoding, codes)
        except ValueError as error:
            raise DataError(f"{table.where}, line {table.lines[i]}, column {table.names[at]!r}: {error}") from error
    return values


def _number(field: str, encoding: Encoding, codes: dict[str, Any]) -> float:
    if codes:
        if field not in codes and (field := plain_label(field)) not in codes:
            raise ValueError(f"{field!r} is unknown{near_miss(field, codes)} (accepted: {', '.join(codes)})")
        return float(codes[field])
    if encoding == "integer-after-letter":
        if not re.fullmatch(r"[A-Za-z]\d+", field):
            raise ValueError(f"{field!r} is not a letter and an integer")
        return float(field[1:])
    try:
        value = float(field)
    except ValueError:
        hint = "; a column of words needs its codes under `inputs`"
        raise ValueError(f"{field!r} is not a number{hint}") from None
    if not np.isfinite(value):
        raise ValueError(f"{field!r} is not a finite number")
    return value


def _rename(found: NDArray[np.str_], labels: dict[str, str]) -> NDArray[np.str_]:
    if not labels:
        return found
    values, inverse = np.unique(found, return_inverse=True)
    return np.array([labels.get(str(value), str(value)) for value in values])[inverse]
