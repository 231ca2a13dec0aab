"""From the text of a field to what a classifier reads: numbers, columns of 0 and 1, labels."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator

from ensvm.errors import UserError, did_you_mean
from ensvm.exact_integers import MOST_EXACT, MergedIntegers, merged_integers
from ensvm.text_values import DATES, DATES_AS_NUMBERS, number_pattern

ONE_HOT, NONE, INTERVALS = "one-hot", "none", "intervals"
LARGEST = 1e100  # of a number: sums of squares and cubes over many rows must stay finite
# What to do about a column of identifiers that cannot be numbers
AS_NAMES = "if they are names, say `one-hot` under `inputs`, or leave the column out by `drop`"
_WITHOUT_INK = re.compile("[\u200b\u200c\u200d\u2060\ufeff]")
_DASHES = ("\u2013", "\u2014")  # what word processors make of a minus sign before a number
_FORTRAN = re.compile(r"(\d\.?)[dD]([+-]?\d+)$")
EncodingName = Literal["number", "one-hot", "integer-after-letter"]


def _label(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError(
            f"{value} is not a label: YAML reads yes, no, true and false as booleans; quote it"
        )
    return str(value) if isinstance(value, int | float) else value


def _encoding(value: Any) -> Any:
    if isinstance(value, dict) and (ONE_HOT in value or INTERVALS in value):
        return _indicators(value)
    if isinstance(value, list):
        _refuse_repeated(value)
    names = get_args(EncodingName)
    if not isinstance(value, list | dict) and value not in names:
        hint = did_you_mean(str(value), names)
        ways = f"a list, a mapping, {{{ONE_HOT}: a list}}, {{{INTERVALS}: a list}}"
        accepted = ", ".join([ways, *names])
        raise ValueError(f"{value!r} is not an encoding{hint} (accepted: {accepted})")
    return value


def _indicators(value: dict[Any, Any]) -> dict[Any, Any]:
    kind, partners = (ONE_HOT, {NONE}) if ONE_HOT in value else (INTERVALS, set())
    if not all(isinstance(values, list) and values for values in value.values()) or (
        set(value) - {kind} - partners
    ):
        alone = f"stands alone or with `{NONE}`" if partners else "stands alone"
        raise ValueError(f"{value} is not an encoding; `{kind}` takes a list of values and {alone}")
    _refuse_repeated([each for values in value.values() for each in values])
    if kind == INTERVALS and value[kind] != sorted(value[kind]):
        raise ValueError(f"{value}: the ends of the intervals must rise")
    return value


def _refuse_repeated(values: list[Any]) -> None:
    if len(set(map(str, values))) < len(values):
        raise ValueError(f"{values} names a value twice")


Label = Annotated[str, BeforeValidator(_label)]
OneHot = dict[Literal["one-hot", "none"], list[Label]]
Intervals = dict[Literal["intervals"], list[float]]
Encoding = Annotated[
    list[Label] | dict[Label, float] | OneHot | Intervals | EncodingName,
    BeforeValidator(_encoding),
]
Inputs = dict[Label, Encoding]
Incomplete = Literal["refuse", "drop", "keep"]


@dataclass(frozen=True)
class Numerals:
    """How numbers are written: the decimal mark, and the mark between thousands if there is one."""

    decimal: str = "."
    thousands: str = ""

    @property
    def are_plain(self) -> bool:
        """Whether numbers are written as Python and pandas write them."""
        return (self.decimal, self.thousands) == (".", "")

    def read(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return texts as numbers, NaN for those that are not finite numbers up to LARGEST.

        Spreadsheets and Fortran spell some numbers in other ways, which are read too: an
        apostrophe before the number, U+2212 or a dash as minus sign, (5) for -5, 1D2 for 100,
        characters without ink.
        """
        numbers = None
        if self.are_plain and "_" not in "".join(texts):  # Python reads 1_000 as 1000
            with suppress(ValueError):
                numbers = np.array(texts, dtype=np.float64)  # much quicker than one by one
        if numbers is None:
            numbers = np.array([self._number(text) for text in texts], dtype=np.float64)
        return np.where(np.abs(numbers) <= LARGEST, numbers, np.nan)

    def merged(self, texts: Sequence[str], numbers: NDArray[Any]) -> MergedIntegers | None:
        """Return two different whole numbers among texts that `read` makes equal, if there are."""
        large = np.flatnonzero(np.abs(numbers) >= MOST_EXACT).tolist()
        if not large:
            return None
        plain = [self._without_marks(respelled(texts[row])) for row in large]
        merged = merged_integers(plain, numbers[large])
        return None if merged is None else merged._replace(row=large[merged.row])

    def _number(self, text: str) -> float:
        for spelling in (text, respelled(text)):
            if not self.are_plain and not self._pattern.fullmatch(spelling):
                continue
            plain = self._without_marks(spelling)
            if "_" not in plain:
                with suppress(ValueError):
                    return float(plain)
        return np.nan

    def _without_marks(self, text: str) -> str:
        """Return a number as Python writes it."""
        plain = text.replace(self.thousands, "") if self.thousands else text
        return plain.replace(self.decimal, ".")

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        # a mark of thousands stands between all groups of three digits or none
        decimal, thousands = re.escape(self.decimal), re.escape(self.thousands or "\0")
        plain = number_pattern(self.decimal)
        grouped = rf"[1-9]\d{{0,2}}({thousands}\d{{3}})+({decimal}\d*)?"
        return re.compile(rf"[+-]?({plain}|{grouped})")

    def problem(self, text: str) -> str:
        """Return why `read` makes NaN of a text, and what the user can do about it."""
        if text.lower().lstrip("+-") in ("nan", "inf", "infinity"):
            return f"{text!r} is not a finite number"
        if not np.isnan(self._number(text)):
            return f"{text!r} is too large (accepted: -{LARGEST:g} to {LARGEST:g})"
        marks = "" if self.decimal == "." else f"; the decimal mark is {self.decimal!r}"
        marks += f"; the mark of thousands is {self.thousands!r}" if self.thousands else ""
        advice = "a column of text needs its codes under `inputs`, or is left out by `drop`"
        if DATES.fullmatch(text):
            advice = (
                "dates and times are not accepted as inputs: turn them into "
                f"{DATES_AS_NUMBERS}, or leave the column out by `drop`"
            )
        return f"{text!r} is not a number{marks}; {advice}"


def respelled(text: str) -> str:
    """Return a number in one of the spellings that `Numerals.read` knows as Python writes it."""
    plain = _WITHOUT_INK.sub("", text).strip().replace("\u2212", "-")
    if plain[:1] in _DASHES and plain[1:2].isdigit():
        plain = f"-{plain[1:]}"
    if plain.startswith("(") and plain.endswith(")") and plain[1:2].isdigit():
        plain = f"-{plain[1:-1]}"
    plain = plain[1:] if plain[:1] in "'\u2019" and plain[1:] else plain
    return _FORTRAN.sub(r"\1e\2", plain)


def interval_ends(encoding: Encoding) -> list[float] | None:
    """Return the upper ends of all intervals but the last; None for another encoding."""
    value: Any = encoding
    ends = value.get(INTERVALS) if isinstance(value, dict) else None
    return ends if isinstance(ends, list) else None


def indicators(encoding: Encoding) -> list[str] | None:
    """Return what each column of 0 and 1 stands for; None if the column stays one of numbers."""
    if (ends := interval_ends(encoding)) is not None:
        texts = [f"{end:g}" for end in ends]
        between = [f"{low}..{high}" for low, high in pairwise(texts)]
        return [f"..{texts[0]}", *between, f"{texts[-1]}.."]
    value: Any = encoding
    values = value.get(ONE_HOT) if isinstance(value, dict) else None
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
    missing: NDArray[np.bool_],
    position_of: Callable[[int], str],
    numerals: Numerals,
) -> NDArray[np.float64]:
    """Return the columns, of shape (n, 1) or (n, indicators), that fields of text become.

    Missing fields become NaN. Raises UserError for a field that the encoding does not know; the
    message begins with what `position_of` says of its row.
    """
    present = np.flatnonzero(~missing)
    texts: Sequence[str] = (
        fields if len(present) == len(fields) else [fields[i] for i in present.tolist()]
    )
    ends, codes = interval_ends(encoding), text_codes(encoding)
    if codes:
        # an encoding lists a text of two lines on one line, and 1.0 as 1 if it lists numbers alone
        listed = plain_label if all(map(_is_plain_number, codes)) else str
        plain = (text if text in codes else listed(" ".join(text.split())) for text in texts)
        numbers = np.array([codes.get(text, np.nan) for text in plain], dtype=np.float64)
    elif encoding == ONE_HOT:
        raise UserError(f"{position_of(0)}: `one-hot` needs a list of values in a card")
    elif encoding == "integer-after-letter":
        after = (text[1:] if re.fullmatch(r"[A-Za-z]\d+", text) else "nan" for text in texts)
        numbers = np.array(list(map(float, after)))
    else:
        numbers = numerals.read(texts)
        if merged := numerals.merged(texts, numbers):
            raise UserError(
                f"{position_of(int(present[merged.row]))}: {merged.problem}; {AS_NAMES}"
            )
    for wrong in np.flatnonzero(np.isnan(numbers))[:1]:
        text = texts[int(wrong)]
        if codes:
            problem = (
                f"{text!r} is unknown{did_you_mean(text, codes)} (accepted: {', '.join(codes)})"
            )
        elif encoding == "integer-after-letter":
            problem = f"{text!r} is not a letter and an integer"
        else:
            problem = numerals.problem(text)
        raise UserError(f"{position_of(int(present[wrong]))}: {problem}")
    if ends is not None:
        numbers = np.searchsorted(ends, numbers).astype(np.float64) + 1.0
    values = indicators(encoding)
    # a 1 in the column of the code, which counts from 1; code 0 has no column
    columns = (
        numbers[:, None] if values is None else np.eye(len(values) + 1)[numbers.astype(int)][:, 1:]
    )
    encoded = np.full((len(fields), columns.shape[1]), np.nan)
    encoded[present] = columns
    return encoded


def text_codes(encoding: Encoding) -> Mapping[str, Any]:
    """Return the number of each text that an encoding lists; empty for an encoding of numbers."""
    value: Any = encoding
    if interval_ends(encoding) is not None:
        return {}
    if indicators(encoding) is not None:
        return {**dict.fromkeys(value.get(NONE, []), 0), **text_codes(value[ONE_HOT])}
    if isinstance(value, list):
        return {text: code for code, text in enumerate(value, start=1)}
    if isinstance(value, dict):
        return {str(text): code for text, code in value.items()}
    return {}


def plain_labels(labels: NDArray[Any]) -> NDArray[np.str_]:
    """Return labels as cards write them: if all are numbers, 1.0, +1 and 1 are "1".

    If one label is not a number, all stay as they are: 1E1 and 10 may be names.
    """
    values, inverse = np.unique(labels, return_inverse=True)
    texts = [str(value).strip() for value in values]
    if all(map(_is_number, texts)):
        texts = list(map(plain_label, texts))
    return np.array(texts, dtype=str)[inverse]


def _is_plain_number(text: str) -> bool:
    return re.fullmatch(r"[+-]?(0|[1-9][0-9]*)(\.[0-9]*)?([eE][+-]?[0-9]+)?", text) is not None


def _is_number(text: str) -> bool:
    with suppress(ValueError):
        return "_" not in text and np.isfinite(float(text)).item()
    return False


def plain_label(text: str) -> str:
    """Return a label as cards write it: +1, 1.0 and 1 become 1; other labels stay as they are.

    001 stays, because it is a name rather than a number, and so does a number beyond 2^53, where
    float64 does not tell all whole numbers apart.
    """
    text = text.strip()
    if _is_plain_number(text):
        value = float(text)
        if value.is_integer() and abs(value) < MOST_EXACT:
            return str(int(value))
    return text


# Letters of other scripts that look like Latin ones.
_LATIN = str.maketrans("аеорсухіјѕοανρι", "aeopcyxijsoavpi")
_LINE = re.compile(r"(?<=[^\W\d])[_-](?=[^\W\d])")  # between letters: -1 is not 1
_AT_ENDS = ".,:;'\"`"


def look_alikes(labels: Iterable[str]) -> list[tuple[str, str]]:
    """Return pairs of labels that look alike.

    They differ only in capital letters, blanks, points and quotes at their ends, lines between
    words, or Unicode form, or are one number in two spellings. Characters without ink count as
    nothing.
    """
    first: dict[str, str] = {}
    pairs = []
    for label in labels:
        text = unicodedata.normalize("NFKC", label).casefold().translate(_LATIN)
        inked = "".join(c for c in text if unicodedata.category(c) != "Cf")
        seen = "".join(_LINE.sub("", inked).split()).strip(_AT_ENDS) or inked
        if _is_number(label) and abs(float(label)) < MOST_EXACT:
            seen = str(float(label))  # 1 and 01, 0.5 and .50
        if (other := first.setdefault(seen, label)) != label:
            pairs.append((other, label))
    return pairs


def without_label(fields: Sequence[str] | NDArray[Any]) -> NDArray[np.bool_]:
    """Return which fields are empty or say NaN, so that there is no label."""
    texts = np.char.lower(np.char.strip(np.asarray(fields, dtype=str)))
    return np.isin(texts, ["", "nan", "+nan", "-nan"])
