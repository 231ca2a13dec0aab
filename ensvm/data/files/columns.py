"""Columns of a table: the encodings that cards know, and how text becomes numbers."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Annotated, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator

from ensvm.data.errors import DataError, near_miss
from ensvm.data.files.dialect import Numerals, advice
from ensvm.data.files.labels import Label, plain_label

ONE_HOT, NONE, INTERVALS = "one-hot", "none", "intervals"
LARGEST = 1e100  # of a number: sums of squares and cubes over many rows must stay finite
EncodingName = Literal["number", "integer-after-letter"]


def _encoding(given: Any) -> Any:
    if isinstance(given, dict) and (ONE_HOT in given or INTERVALS in given):
        return _indicators(given)
    if isinstance(given, list):
        _no_value_twice(given)
    names = get_args(EncodingName)
    if not isinstance(given, list | dict) and given not in names:
        hint = near_miss(str(given), names)
        ways = f"a list, a mapping, {{{ONE_HOT}: a list}}, {{{INTERVALS}: a list}}"
        accepted = ", ".join([ways, *names])
        raise ValueError(f"{given!r} is not an encoding{hint} (accepted: {accepted})")
    return given


def _indicators(given: dict[Any, Any]) -> dict[Any, Any]:
    kind, partners = (ONE_HOT, {NONE}) if ONE_HOT in given else (INTERVALS, set())
    if not all(isinstance(values, list) and values for values in given.values()) or (
        set(given) - {kind} - partners
    ):
        alone = f"stands alone or with `{NONE}`" if partners else "stands alone"
        raise ValueError(f"{given} is not an encoding; `{kind}` takes a list of values and {alone}")
    _no_value_twice([value for values in given.values() for value in values])
    if kind == INTERVALS and given[kind] != sorted(given[kind]):
        raise ValueError(f"{given}: the ends of the intervals must rise")
    return given


def _no_value_twice(values: list[Any]) -> None:
    if len(set(map(str, values))) < len(values):
        raise ValueError(f"{values} names a value twice")


OneHot = dict[Literal["one-hot", "none"], list[Label]]
Intervals = dict[Literal["intervals"], list[float]]
Encoding = Annotated[
    list[Label] | dict[Label, float] | OneHot | Intervals | EncodingName,
    BeforeValidator(_encoding),
]
Inputs = dict[str, Encoding]
Incomplete = Literal["refuse", "drop", "keep"]


def interval_ends(encoding: Encoding) -> list[float] | None:
    """Return the upper ends of all intervals but the last; None for another encoding."""
    given: Any = encoding
    ends = given.get(INTERVALS) if isinstance(given, dict) else None
    return ends if isinstance(ends, list) else None


def indicators(encoding: Encoding) -> list[str] | None:
    """Return what each column of 0 and 1 stands for; None if the column stays one of numbers."""
    if (ends := interval_ends(encoding)) is not None:
        texts = [f"{end:g}" for end in ends]
        between = [f"{low}..{high}" for low, high in pairwise(texts)]
        return [f"..{texts[0]}", *between, f"{texts[-1]}.."]
    given: Any = encoding
    values = given.get(ONE_HOT) if isinstance(given, dict) else None
    return values if isinstance(values, list) else None


def encoded_columns(inputs: Inputs) -> list[str]:
    """Return the columns that inputs become: `colour`, or if one-hot `colour=red`, ..."""
    names = []
    for name, encoding in inputs.items():
        values = indicators(encoding)
        names += [name] if values is None else [f"{name}={value}" for value in values]
    return names


def encode_column(
    fields: Sequence[str],
    encoding: Encoding,
    missing: set[str],
    place: Callable[[int], str],
    numerals: Numerals | None = None,
) -> NDArray[np.float64]:
    """Return the columns, of shape (n, 1) or (n, indicators), that fields of text become.

    Fields among `missing` become NaN; numbers are written as `numerals` says. Raises DataError for
    a field that the encoding does not know, beginning with the `place` of its position.
    """
    values = indicators(encoding)
    known = np.array([field.strip() not in missing for field in fields], dtype=bool)
    chosen = np.flatnonzero(known)
    ends = interval_ends(encoding)
    if numerals is not None and not numerals.plain and (ends or encoding == "number"):
        fields = _translated(fields, chosen, place, numerals)
    if ends is not None:
        numbers = np.searchsorted(ends, _numbers(fields, "number", chosen, place)) + 1.0
    else:
        numbers = _numbers(fields, encoding, chosen, place)
    columns = numbers[:, None] if values is None else _zero_one(numbers.astype(int), len(values))
    encoded = np.full((len(known), columns.shape[1]), np.nan)
    encoded[known] = columns
    return encoded


def _zero_one(codes: NDArray[np.int_], width: int) -> NDArray[np.float64]:
    """Return rows with a 1 in the column of their code, which is from 1; code 0 has no column."""
    return np.eye(width + 1)[codes][:, 1:]


def _translated(
    fields: Sequence[str],
    chosen: NDArray[np.intp],
    place: Callable[[int], str],
    numerals: Numerals,
) -> list[str]:
    """Return the fields with the numbers chosen as Python reads them."""
    found = list(fields)
    for i in chosen:
        try:
            found[i] = numerals.translated(found[i].strip())
        except ValueError as error:
            raise DataError(f"{place(int(i))}: {error}") from error
    return found


def _numbers(
    fields: Sequence[str],
    encoding: Encoding,
    chosen: NDArray[np.intp],
    place: Callable[[int], str],
) -> NDArray[np.float64]:
    if encoding == "number":
        with suppress(ValueError):  # quickly, if all is well; the loop below finds the culprit
            quick = np.array([fields[i] for i in chosen], dtype=np.float64)
            if (np.abs(quick) <= LARGEST).all() and not any("_" in field for field in fields):
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
    given: Any = encoding
    if indicators(encoding) is not None:
        return {**dict.fromkeys(given.get(NONE, []), 0), **_codes(given[ONE_HOT])}
    if isinstance(given, list):
        return {value: code for code, value in enumerate(given, start=1)}
    if isinstance(given, dict):
        return {str(value): code for value, code in given.items()}
    return {}


def _number(field: str, encoding: Encoding, codes: Mapping[str, Any]) -> float:
    if codes:
        # an encoding names a text over two lines as one
        if field not in codes and (field := plain_label(" ".join(field.split()))) not in codes:
            raise ValueError(
                f"{field!r} is unknown{near_miss(field, codes)} (accepted: {', '.join(codes)})"
            )
        return float(codes[field])
    if encoding == "integer-after-letter":
        if not re.fullmatch(r"[A-Za-z]\d+", field):
            raise ValueError(f"{field!r} is not a letter and an integer")
        return float(field[1:])
    try:
        value = float(field.replace("_", "no number"))  # Python reads 1_000 as 1000
    except ValueError:
        raise ValueError(f"{field!r} is not a number{advice(field)}") from None
    if not np.isfinite(value):
        raise ValueError(f"{field!r} is not a finite number")
    if abs(value) > LARGEST:
        raise ValueError(f"{field!r} is too large (accepted: -{LARGEST:g} to {LARGEST:g})")
    return value
