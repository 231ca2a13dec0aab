"""Columns of a table: the encodings that cards know, and how text becomes numbers."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator

from ensvm.data.errors import DataError, near_miss
from ensvm.data.files.labels import Label, plain_label

ONE_HOT = "one-hot"
EncodingName = Literal["number", "integer-after-letter"]


def _encoding(given: Any) -> Any:
    names = get_args(EncodingName)
    values = given.get(ONE_HOT) if isinstance(given, dict) and ONE_HOT in given else given
    if values is not given and not (isinstance(values, list) and values and len(given) == 1):
        raise ValueError(
            f"{given} is not an encoding; `{ONE_HOT}` takes a list of values and stands alone"
        )
    if isinstance(values, list) and len(set(map(str, values))) < len(values):
        raise ValueError(f"{values} names a value twice")
    if not isinstance(given, list | dict) and given not in names:
        hint = near_miss(str(given), names)
        accepted = f"a list, a mapping, {{{ONE_HOT}: a list}}, {', '.join(names)}"
        raise ValueError(f"{given!r} is not an encoding{hint} (accepted: {accepted})")
    return given


OneHot = dict[Literal["one-hot"], list[Label]]
Encoding = Annotated[
    list[Label] | dict[Label, float] | OneHot | EncodingName, BeforeValidator(_encoding)
]
Inputs = dict[str, Encoding]
Incomplete = Literal["refuse", "drop", "keep"]


def one_hot_values(encoding: Encoding) -> list[str] | None:
    """Return the values that get a 0/1 column each; None if the column stays one of numbers."""
    given: Any = encoding.get("one-hot") if isinstance(encoding, dict) else None
    values: list[str] | None = given if isinstance(given, list) else None
    return values


def encoded_columns(inputs: Inputs) -> list[str]:
    """Return the columns that inputs become: `colour`, or if one-hot `colour=red`, ..."""
    names = []
    for name, encoding in inputs.items():
        values = one_hot_values(encoding)
        names += [name] if values is None else [f"{name}={value}" for value in values]
    return names


def encode_column(
    fields: Sequence[str], encoding: Encoding, missing: set[str], place: Callable[[int], str]
) -> NDArray[np.float64]:
    """Return the columns, of shape (n, 1) or (n, values) if one-hot, that fields of text become.

    Fields among `missing` become NaN. Raises DataError for a field that the encoding does not know,
    beginning with the `place` of its position.
    """
    values = one_hot_values(encoding)
    known = np.array([field.strip() not in missing for field in fields])
    chosen = np.flatnonzero(known)
    numbers = _numbers(fields, encoding if values is None else values, chosen, place)
    columns = numbers[:, None] if values is None else np.eye(len(values))[numbers.astype(int) - 1]
    encoded = np.full((len(known), columns.shape[1]), np.nan)
    encoded[known] = columns
    return encoded


def _numbers(
    fields: Sequence[str],
    encoding: Encoding,
    chosen: NDArray[np.intp],
    place: Callable[[int], str],
) -> NDArray[np.float64]:
    if encoding == "number":
        with suppress(ValueError):  # quickly, if all is well; the loop below finds the culprit
            quick = np.array([fields[i] for i in chosen], dtype=np.float64)
            if np.isfinite(quick).all():
                return quick
    codes = _codes(encoding)
    values = np.empty(len(chosen))
    for k, i in enumerate(chosen):
        try:
            values[k] = _number(fields[i].strip(), encoding, codes)
        except ValueError as error:
            raise DataError(f"{place(int(i))}: {error}") from error
    return values


def _codes(encoding: Encoding) -> Mapping[str, Any]:
    if isinstance(encoding, list):
        return {value: code for code, value in enumerate(encoding, start=1)}
    if isinstance(encoding, dict):
        return {str(value): code for value, code in encoding.items()}
    return {}


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
        hint = "; a column of text needs its codes under `inputs`"
        raise ValueError(f"{field!r} is not a number{hint}") from None
    if not np.isfinite(value):
        raise ValueError(f"{field!r} is not a finite number")
    return value
