"""Checks of records as they are read: they may come from anybody.

pydantic checks each field by its type; the types here have a pattern or a test besides. Names
follow a pattern because they become names of files. Control characters, which a terminal would
obey, are replaced.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, ConfigDict, Field, Strict, TypeAdapter, ValidationError

from ensvm.data.splits import folds_of, overlap

NO_OTHER_KEYS = ConfigDict(extra="forbid")

ACCEPTED = "letters, digits and _ . + ~ -, at most 255, a letter or digit first"
MAX_LEVELS = 60  # of nested values: a config has at most 40
MAX_INTEGER = 2**63 - 1
LONGEST_TEXT = 50_000  # characters; a runner cuts most texts to fewer
WHOLE = ("files", "config")  # keys whose texts are checked by what reads them
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


def checked(kind: Any, line: Mapping[str, Any]) -> Any:
    """Return the dataclass of a JSON object, whose `kind` is ignored.

    Raises ValueError if a key is missing or its field does not accept the value, and Newer if a key
    is not that of a field.
    """
    try:
        fields = {key: value for key, value in line.items() if key != "kind"}
        return _adapter(kind).validate_python(fields)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
    name = ".".join(map(str, first["loc"]))
    if first["type"] == "missing":
        raise ValueError(f"the key {name!r} is missing")
    if first["type"] == "unexpected_keyword_argument":
        raise Newer(f"the key {name!r:.60} is unknown: written by a newer version of ensvm?")
    accepted = f"; accepted: {ACCEPTED}" if first["type"] == "string_pattern_mismatch" else ""
    raise ValueError(f"the value of {name!r} is not accepted: {first['input']!r:.60}{accepted}")


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


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


def _confusion(value: Mapping[str, list[Any]]) -> Mapping[str, list[Any]]:
    """Refuse what does not have labels and triples as `predictions.confusion_of` counts them."""
    if not value:
        return value
    if set(value) != {"labels", "rows"} or not value["labels"] or not value["rows"]:
        raise ValueError("labels or rows are missing")
    triples = [triple for of_order in value["rows"] for triple in of_order]
    labels = [
        *value["labels"],
        *(label for true, predicted, _ in triples for label in (true, predicted)),
    ]
    counts = [count for _, _, count in triples]
    if not all(value["rows"]) or not all(type(each) is int and each > 0 for each in counts):
        raise ValueError("counts are not positive numbers")
    if not all(isinstance(each, str | int | float) for each in labels) or sum(counts) > MAX_ROWS:
        raise ValueError("labels are not numbers or texts, or there are too many rows")
    return value


def _settings(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Refuse settings of a cell whose parts reports cannot use."""
    split, algorithm = value.get("split") or {}, value.get("algorithm") or {}
    folds_of(split)
    overlap(split)
    blocks = [algorithm.get(name) or {} for name in ("defaults", "params", "grid", "cv")]
    if not all(isinstance(block, dict) for block in blocks):
        raise ValueError("parameters are not a mapping")
    if not all(isinstance(text, str) for text in blocks[0].values()):
        raise ValueError("defaults are not texts")
    return value


def _refusing(check: Callable[[Any], Any]) -> AfterValidator:
    """Return a check of pydantic that fails if the function raises any error of foreign values."""

    def checks(value: Any) -> Any:
        try:
            return check(value)
        except (ArithmeticError, AttributeError, LookupError, TypeError) as error:
            raise ValueError(str(error)) from error

    return AfterValidator(checks)


Name: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.+~-]{0,254}$")]
Key: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.+~-]{0,255}$")]
# Strict: "1" and true are not numbers.
Flag: TypeAlias = Annotated[bool, Strict()]
Number: TypeAlias = Annotated[float, Strict()]
Integer: TypeAlias = Annotated[int, Strict(), Field(ge=-MAX_INTEGER, le=MAX_INTEGER)]
FromOne: TypeAlias = Annotated[Integer, Field(ge=1)]
Scalar: TypeAlias = str | Flag | Integer | Number | None
Seconds: TypeAlias = Mapping[str, Annotated[Number, Field(allow_inf_nan=False)]]
Settings: TypeAlias = Annotated[Mapping[str, Any], _refusing(_settings)]
Confusion: TypeAlias = Annotated[Mapping[str, list[Any]], _refusing(_confusion)]
