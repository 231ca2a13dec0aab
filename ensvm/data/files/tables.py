"""Tables of fields (CSV, tab-separated, UCI, KEEL) and how their columns become numbers."""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.data.arrays import Raw, plain_labels
from ensvm.data.errors import DataError, near_miss
from ensvm.data.files.layouts import (
    Encoding,
    Inputs,
    TableFormat,
    encoded_columns,
    one_hot_values,
    plain_label,
)

_DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "whitespace": None}


@dataclass(frozen=True)
class Table:
    """Fields as text: the columns' names, the rows, and each row's line number in the file `where`."""

    where: str
    names: list[str]
    rows: list[list[str]]
    lines: list[int]


def read_table(content: bytes, form: TableFormat, inputs: Inputs | None, where: str) -> Raw:
    """Return the inputs and labels of a table.

    Raises DataError naming file, row and column of a value that is missing, not a number or an
    unknown code.
    """
    lines, numbers = _data_lines(content, form, where)
    names = form.columns or _header_names(lines, form, where)
    lines, numbers = lines[form.header :], numbers[form.header :]
    if not lines:
        raise DataError(f"{where}: holds no rows")
    if inputs and form.encoded:
        inputs = dict.fromkeys(encoded_columns(inputs), "number")
    if not inputs or all(encoding == "number" for encoding in inputs.values()):
        raw = _read_numbers(lines, form, names, inputs, where)
        if raw is not None:
            return raw
    rows = _split_fields(lines, form)
    return encode_table(
        Table(where, names or [str(i) for i in range(len(rows[0]))], rows, numbers), form, inputs
    )


def encode_table(table: Table, form: TableFormat, inputs: Inputs | None) -> Raw:
    """Return the inputs and labels of fields that are text; the words are those of the card."""
    label_at, columns = choose_columns(table.names, form.target, inputs, table.where)
    _check_widths(table)
    missing = {*form.missing, ""}
    table = _without_missing(table, label_at, columns, form)
    encodings = [inputs[table.names[at]] if inputs else "number" for at in columns]
    blocks = [
        _encode(table, at, encoding, missing)
        for at, encoding in zip(columns, encodings, strict=True)
    ]
    found = np.array([row[label_at].strip() for row in table.rows])
    return Raw(
        np.hstack([np.empty((len(table.rows), 0)), *blocks]),
        _rename(plain_labels(found), form.labels),
    )


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
        raise DataError(
            f"{where}: there is no column {name!r}{near_miss(name, names)} (columns: {shown})"
        )
    return names.index(name)


def _data_lines(content: bytes, form: TableFormat, where: str) -> tuple[list[str], list[int]]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{where}: is not UTF-8 text (byte {error.start})") from error
    for wrong, right in form.corrections.items():
        if text.count(wrong) != 1:
            raise DataError(
                f"{where}: corrections: {wrong!r} is there {text.count(wrong)} times, not once"
            )
        text = text.replace(wrong, right)
    text = text.lower() if form.lowercase else text
    comments = tuple([form.comment] if isinstance(form.comment, str) else form.comment or [])
    kept = [
        (line, number)
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip() and not line.startswith(comments)
    ]
    return [line for line, _ in kept], [number for _, number in kept]


def _header_names(lines: list[str], form: TableFormat, where: str) -> list[str]:
    if not form.header:
        return []
    if len(lines) < form.header:
        raise DataError(f"{where}: holds no header line")
    return [field.strip() for field in _split_fields(lines[:1], form)[0]]


def _split_fields(lines: Sequence[str], form: TableFormat) -> list[list[str]]:
    delimiter = _DELIMITERS[form.delimiter]
    if delimiter is None:
        return [line.split() for line in lines]
    return list(csv.reader(lines, delimiter=delimiter, quotechar=form.quote, skipinitialspace=True))


def _read_numbers(
    lines: list[str], form: TableFormat, names: list[str], inputs: Inputs | None, where: str
) -> Raw | None:
    """Return the table if every field is a finite number, quickly; None leaves it to the careful reader."""
    try:
        delimiter = _DELIMITERS[form.delimiter]
        fields = np.loadtxt(
            lines, delimiter=delimiter, comments=None, quotechar=form.quote, ndmin=2
        )
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
            raise DataError(
                f"{table.where}, line {line}: {len(row)} fields; expected {len(table.names)}"
            )


def _without_missing(table: Table, label_at: int, columns: list[int], form: TableFormat) -> Table:
    missing = {*form.missing, ""}
    kept = []
    for i, row in enumerate(table.rows):
        unlabelled = row[label_at].strip() in missing
        empty = (
            label_at
            if unlabelled
            else next((at for at in columns if row[at].strip() in missing), None)
        )
        if empty is None or (not unlabelled and form.incomplete == "keep"):
            kept.append(i)
        elif form.incomplete != "drop" and not (unlabelled and form.unlabelled == "drop"):
            hint = "`incomplete: drop` leaves such rows out, `incomplete: keep` keeps them"
            raise DataError(
                f"{table.where}, line {table.lines[i]}, column {table.names[empty]!r}: the value is missing"
                f" ({row[empty]!r}); {'`unlabelled: drop` leaves such rows out' if unlabelled else hint}"
            )
    if not kept:
        raise DataError(f"{table.where}: no row is complete")
    return Table(
        table.where, table.names, [table.rows[i] for i in kept], [table.lines[i] for i in kept]
    )


def _encode(table: Table, at: int, encoding: Encoding, missing: set[str]) -> NDArray[np.float64]:
    """Return the columns, of shape (n, 1) or (n, values) if one-hot, that a column of text becomes."""
    values = one_hot_values(encoding)
    known = np.array([row[at].strip() not in missing for row in table.rows])
    numbers = _numbers(table, at, encoding if values is None else values, np.flatnonzero(known))
    columns = numbers[:, None] if values is None else np.eye(len(values))[numbers.astype(int) - 1]
    encoded = np.full((len(known), columns.shape[1]), np.nan)
    encoded[known] = columns
    return encoded


def _numbers(
    table: Table, at: int, encoding: Encoding, chosen: NDArray[np.intp]
) -> NDArray[np.float64]:
    if encoding == "number":
        with suppress(ValueError):  # quickly, if all is well; the loop below finds the culprit
            quick = np.array([table.rows[i][at] for i in chosen], dtype=np.float64)
            if np.isfinite(quick).all():
                return quick
    codes: Mapping[str, Any] = {}
    if isinstance(encoding, list):
        codes = {value: code for code, value in enumerate(encoding, start=1)}
    elif isinstance(encoding, dict):
        codes = {str(value): code for value, code in encoding.items()}
    values = np.empty(len(chosen))
    for k, i in enumerate(chosen):
        try:
            values[k] = _number(table.rows[i][at].strip(), encoding, codes)
        except ValueError as error:
            raise DataError(
                f"{table.where}, line {table.lines[i]}, column {table.names[at]!r}: {error}"
            ) from error
    return values


def _number(field: str, encoding: Encoding, codes: Mapping[str, Any]) -> float:
    if codes:
        if field not in codes and (field := plain_label(field)) not in codes:
            raise ValueError(
                f"{field!r} is unknown{near_miss(field, codes)} (accepted: {', '.join(codes)})"
            )
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
