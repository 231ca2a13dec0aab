"""Checks of records as they are read: they may come from anybody.

The type of a field says which values it accepts; an `Annotated` type has a pattern or a test
besides. Names follow a pattern because they become names of files. Control characters, which a
terminal would obey, are replaced.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, TypeAlias, get_args, get_origin

from ensvm.data.splits import folds_of, overlap

NAMED = ("study", "dataset", "algorithm", "key", "settings_key", "run_id", "id")
ACCEPTED = "letters, digits and _ . + ~ -, at most 255, a letter or digit first"
MAX_LEVELS = 60  # of nested values: a config has at most 40
MAX_INTEGER = 2**63 - 1
LONGEST_TEXT = 50_000  # characters; a runner cuts most texts to fewer
WHOLE = ("files", "config")  # keys whose texts are checked by what reads them
MAX_BITS = 1023  # of a whole number that a float can hold
MAX_ROWS = 10**8  # of a confusion, from which metrics are computed row by row
# All control characters but tab and line feed; surrogates, which no file can hold; marks that
# change the direction of text.
CONTROL = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class Newer(ValueError):
    """A record with a key that records of this version do not have."""


def printable(text: str) -> str:
    """Return a text with control characters replaced, cut after `LONGEST_TEXT` characters."""
    if len(text) > LONGEST_TEXT:
        text = f"{text[:LONGEST_TEXT]} ... ({len(text):,} characters)"
    return text if text.isprintable() else CONTROL.sub("\ufffd", text)


def checked(kind: type, line: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields in a JSON object, lists as tuples if the field is a tuple.

    Raises ValueError if a key is missing or its field does not accept the value, and Newer if a key
    is not that of a field.
    """
    tests, required = _tests(kind)
    for name in required:
        if name not in line:
            raise ValueError(f"the key {name!r} is missing")
    values = {}
    for name, value in line.items():
        if name == "kind":
            continue
        if name not in tests:
            raise Newer(f"the key {name!r:.60} is unknown: written by a newer version of ensvm?")
        if not tests[name](value):
            accepted = f"; accepted: {ACCEPTED}" if name in NAMED and isinstance(value, str) else ""
            raise ValueError(f"the value of {name!r} is not accepted: {value!r:.60}{accepted}")
        values[name] = tuple(value) if isinstance(value, list) else value
    return values


def plain(value: Any) -> Any:
    """Return a value of JSON with printable texts, apart from those of keys in `WHOLE`."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    if isinstance(value, dict):
        return {
            printable(key): inner if key in WHOLE else plain(inner) for key, inner in value.items()
        }
    return value


def must_be_shallow(value: Any, levels: int = MAX_LEVELS) -> None:
    """Raise ValueError for a value of JSON that is nested deeper than so many levels."""
    if not levels:
        raise ValueError(f"nested deeper than {MAX_LEVELS} levels")
    for inner in value.values() if isinstance(value, dict) else value:
        if type(inner) in (dict, list):
            must_be_shallow(inner, levels - 1)


def _is_confusion(value: Mapping[str, list[Any]]) -> bool:
    """Return whether a value has labels and triples as `predictions.confusion_of` counts them."""
    if not value:
        return True
    if set(value) != {"labels", "rows"} or not value["labels"] or not value["rows"]:
        return False
    if not all(isinstance(triples, list) and triples for triples in value["rows"]):
        return False
    triples = [triple for of_order in value["rows"] for triple in of_order]
    if not all(isinstance(triple, list) and len(triple) == 3 for triple in triples):
        return False
    counts = [triple[2] for triple in triples]
    labels = [*value["labels"], *(label for triple in triples for label in triple[:2])]
    return (
        all(isinstance(label, str | int | float) for label in labels)
        and all(type(count) is int and count > 0 for count in counts)
        and sum(counts) <= MAX_ROWS
    )


def _is_settings(value: Mapping[str, Any]) -> bool:
    """Return whether reports can use the parts of a cell's settings that they read."""
    split, algorithm = value.get("split") or {}, value.get("algorithm") or {}
    try:
        folds_of(split)
        overlap(split)
        defaults = algorithm.get("defaults", {})
        blocks = [algorithm.get(name) or {} for name in ("params", "grid", "cv")]
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return False
    return all(isinstance(block, dict) for block in (defaults, *blocks)) and all(
        isinstance(text, str) for text in defaults.values()
    )


Name: TypeAlias = Annotated[str, re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+~-]{0,254}").fullmatch]
Key: TypeAlias = Annotated[str, re.compile(r"[A-Za-z0-9_.+~-]{0,255}").fullmatch]
Scalar: TypeAlias = str | float | int | bool | None
FromOne: TypeAlias = Annotated[int, lambda value: value >= 1]
Seconds: TypeAlias = Annotated[
    Mapping[str, float], lambda value: all(map(math.isfinite, value.values()))
]
Settings: TypeAlias = Annotated[Mapping[str, Any], _is_settings]
Confusion: TypeAlias = Annotated[Mapping[str, list[Any]], _is_confusion]


@cache
def _tests(kind: type) -> tuple[dict[str, Callable[[Any], bool]], list[str]]:
    """Return the test of each field, and the names of the required fields."""
    kept = [entry for entry in fields(kind) if entry.name != "run"]
    required = [
        entry.name
        for entry in kept
        if entry.default is MISSING and entry.default_factory is MISSING
    ]
    return {entry.name: _test(entry.type) for entry in kept}, required


def _test(kind: Any) -> Callable[[Any], bool]:
    """Return a function that tells whether a type accepts a value of JSON."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        of_type, accepts = _test(inner[0]), inner[1]
        return lambda value: of_type(value) and bool(accepts(value))
    if origin is Literal:
        return lambda value: isinstance(value, str) and value in inner
    if origin is UnionType:
        tests = [_test(each) for each in inner]
        return lambda value: any(test(value) for test in tests)
    if origin is Mapping:
        of_key, test = map(_test, inner)
        return lambda value: (
            isinstance(value, dict) and all(map(of_key, value)) and all(map(test, value.values()))
        )
    if origin in (tuple, list):
        test = _test(inner[0])
        return lambda value: isinstance(value, list) and all(map(test, value))
    if kind is Any:
        return lambda value: True
    if kind is int:
        return lambda value: type(value) is int and abs(value) <= MAX_INTEGER
    if kind is float:
        return lambda value: (
            type(value) is float or (type(value) is int and value.bit_length() <= MAX_BITS)
        )
    json_type = dict if is_dataclass(kind) else kind  # a dataclass is checked by itself
    return lambda value: isinstance(value, json_type)
