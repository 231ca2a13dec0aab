"""What `ensvm init` takes each column of a table for: numbers, yes or no, texts, dates, ..."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from textwrap import shorten

import numpy as np

from ensvm.data.alarms import IDENTIFIER
from ensvm.data.files.encode import Numerals, plain_labels, respelled
from ensvm.data.missing_values import USUAL_MARKS
from ensvm.levels import MOST_LEVELS
from ensvm.text_values import DATES, DATES_AS_NUMBERS

MISSING_NUMBERS = frozenset({"-", "--", ".", "*", "..."})  # in a column of numbers
# A few texts in a column of numbers count as missing values: at most MOST_STRAYS different ones, in
# at most STRAY_SHARE of the rows, or in DIGITLESS_SHARE if none has a digit (as k.A., unlike 5+).
MOST_STRAYS = 3
STRAY_SHARE = 0.05
DIGITLESS_SHARE = 0.5
FEWEST_OF_A_FLAG = 2  # rows with the text, and rows without
FEWEST_NUMBERS = 5  # different values that the guesses below need
YES_AND_NO = ("yes", "no"), ("y", "n"), ("true", "false"), ("t", "f"), ("on", "off")
UNIT = re.compile(r"(?P<before>\D{0,4}?)[+-]?\d[\d.,' ]*(?P<after>\D{0,8})")
# A quantity of several parts: 5.2 ± 0.3, 50 (2), 3h 20m, 1/8, 2×10^3, 40°5'
OF_PARTS = re.compile(
    r"[+-]?\d[\d.,]*(\s*[±(/×^_°:*'′]|x10|\s*\+/?-|\s*(d|e|ft|h|m|min|s)\s*[+-]?\d).*", re.I
)
OF_ANOTHER_BASE = re.compile(r"[+-]?0[xob][0-9a-f_]+|[+-]?\d[0-9a-f]*h", re.I)  # 0x1F, 1Fh
COMPACT_DATE = re.compile(r"(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])")
CODE = re.compile(r"0\d{2,}")  # 00123, but neither a day such as 07 nor 0.5
FEWEST_IN_THOUSANDS = 20  # different numbers such as 1.250, if others such as 950 have no point
MOSTLY = 0.9  # of the fields of a column
FREE_TEXT_WORDS = 4  # in most of the different texts: they are sentences, not names of rows
EXAMPLE_WIDTH = 50  # of a text that is shown as an example


@dataclass(frozen=True)
class DraftColumn:
    """What a column holds."""

    name: str  # its name in the config; without a header its position, from 0
    # what its fields are: number, yes or no, text, free text, date, row number, identifier,
    # constant or group
    kind: str
    fields: Sequence[str]  # the fields, without blanks around them
    missing_marks: frozenset[str] = USUAL_MARKS  # the texts that stand for a missing value
    dropped: str = ""  # why it cannot be an input; empty if it can
    notes: tuple[str, ...] = ()  # how its fields are read, if that is not obvious
    alarm: str = ""  # why leaving it out, or reading it so, may be wrong
    stored_as_text: bool = False  # whether a file with types calls its numbers texts

    @cached_property
    def counts(self) -> dict[str, int]:
        """How often each value occurs, as labels are written."""
        present = [" ".join(text.split()) for text in self.fields if text not in self.missing_marks]
        return dict(Counter(plain_labels(np.array(present, dtype=str)).tolist())) if present else {}

    @property
    def marks(self) -> frozenset[str]:
        """The texts of its fields that stand for a missing value."""
        return self.missing_marks.intersection(self.fields)

    @property
    def missing(self) -> int:
        """How many fields have no value."""
        return len(self.fields) - sum(self.counts.values())

    @property
    def encoding(self) -> dict[str, int] | dict[str, list[str]] | str | None:
        """How a config encodes the column; None for numbers that the file calls so, too."""
        if self.stored_as_text:
            return "number"
        if self.kind == "yes or no" and len(self.counts) == 1:  # a text and blanks: a flag
            marks = self.marks
            return {**dict.fromkeys(sorted(marks), 0), next(iter(self.counts)): 1}
        if self.kind == "yes or no":
            yes = {pair[0] for pair in YES_AND_NO}
            return {level: int(level.lower() in yes) for level in sorted(self.counts)}
        return {"one-hot": sorted(self.counts)} if self.kind == "text" else None


def look_at_column(
    name: str,
    fields: Sequence[str],
    numerals: Numerals,
    position: int,
    marks: frozenset[str] = USUAL_MARKS,
) -> DraftColumn:
    """Return what a column holds; `marks` are the texts that stand for a missing value."""
    present = [text for text in dict.fromkeys(fields) if text not in marks]
    if not present:
        return DraftColumn(name, "constant", fields, marks, dropped="empty")
    column = _as_numbers(name, fields, present, numerals, marks)
    column = look_at_text(name, fields, marks) if column is None else column
    n, named = len(fields), IDENTIFIER.fullmatch(name)
    if len(column.counts) >= FEWEST_NUMBERS and all(map(COMPACT_DATE.fullmatch, column.counts)):
        return replace(column, kind="date", dropped=_dates(next(iter(column.counts))), alarm="")
    if column.kind == "number" and len(column.counts) == n >= FEWEST_NUMBERS:
        numbers = numerals.read(fields)
        whole = bool((numbers == np.round(numbers)).all())
        if (position == 0 or named) and whole and (np.diff(numbers) == 1).all():
            return replace(column, kind="row number", dropped="numbers the rows", alarm="")
        if named and whole:
            reason = "a different number in every row, and the name of an identifier"
            return replace(column, kind="identifier", dropped=reason, alarm="")
    if not column.dropped and len(column.counts) == 1:
        value = next(iter(column.counts))
        if min(column.missing, n - column.missing) >= FEWEST_OF_A_FLAG:
            return replace(column, kind="yes or no")
        reason = f"the same value in every row: {_shortened(value)}"
        return replace(column, kind="constant", dropped=reason, alarm="")
    return column


def look_at_text(name: str, fields: Sequence[str], marks: frozenset[str]) -> DraftColumn:
    """Return what a column holds that is not of numbers: yes or no, dates, or texts."""
    column = DraftColumn(name, "text", fields, marks)
    levels, first = list(column.counts), next(iter(column.counts))
    if {level.lower() for level in levels} in [set(pair) for pair in YES_AND_NO]:
        return replace(column, kind="yes or no")
    if all(DATES.fullmatch(level) for level in levels):
        return replace(column, kind="date", dropped=_dates(first))
    if mark := _unit_of(levels):
        reason = f"looks like numbers with {mark!r}, such as {first!r}"
        alarm = (
            f"{name!r} {reason}, and is left out of the inputs: take the mark out of the file, and "
            "repeat the command"
        )
        return replace(column, dropped=reason, alarm=alarm)
    example = repr(_shortened(first))
    if len(levels) == len(fields) - column.missing and len(levels) >= FEWEST_NUMBERS:
        kind, reason = "identifier", f"a different text in every row, such as {example}"
    elif len(levels) > MOST_LEVELS:
        kind = "text"
        reason = f"{len(levels)} different texts, such as {example}; more than {MOST_LEVELS}"
        if len(levels) <= len(fields) / 2:
            reason += "; --groups if rows with the same one belong together"
    else:
        return column
    alarm = _mostly_numbers(column)
    if not alarm and _are_sentences(levels):
        kind, reason = "free text", f"{reason}; make numbers of it, such as counts of its words"
    return replace(column, kind=kind, dropped=reason, alarm=alarm)


def _are_sentences(levels: Sequence[str]) -> bool:
    """Return whether most of the different texts of a column have several words."""
    return 2 * sum(len(level.split()) >= FREE_TEXT_WORDS for level in levels) > len(levels)


def _shortened(text: str) -> str:
    """Return a text of a column as an example of what it holds."""
    return shorten(text, EXAMPLE_WIDTH, placeholder=" ...")


def _dates(first: str) -> str:
    return f"dates or times, such as {first!r}: turn them into {DATES_AS_NUMBERS}"


def _unit_of(levels: Sequence[str]) -> str:
    """Return the text that stands beside the number in nearly all of many fields, or nothing."""
    marks = _beside_numbers(levels)
    if len(levels) <= MOST_STRAYS or not marks:
        return ""
    (before, after), count = marks.most_common(1)[0]
    return before or after if count >= MOSTLY * len(levels) else ""


def _beside_numbers(levels: Sequence[str]) -> Counter[tuple[str, str]]:
    """Return how many texts are a number with the same texts before and after it."""
    found = [UNIT.fullmatch(respelled(level)) for level in levels]
    beside = (
        (match["before"].strip(), match["after"].strip()) for match in found if match is not None
    )
    # a letter before a number is a name, as in t12
    return Counter(pair for pair in beside if not pair[0][-1:].isalpha())


def _mostly_numbers(column: DraftColumn) -> str:
    """Return an alarm if most of the different texts of a column are numbers, or look like them."""
    levels = list(column.counts)
    numbers = Numerals().read(levels)
    if np.isnan(numbers).mean() > 1 / 2:
        n_of_parts = sum(
            bool(OF_PARTS.fullmatch(level) or OF_ANOTHER_BASE.fullmatch(level)) for level in levels
        )
        if IDENTIFIER.fullmatch(column.name):
            n_of_parts = 0
        if max(_beside_numbers(levels).total(), n_of_parts) < MOSTLY * len(levels):
            return ""
        return (
            f"{column.name!r} looks like numbers, such as {levels[0]!r}, and is left out of the "
            "inputs: write them as 1234.5 in the file, and repeat the command"
        )
    if merged := Numerals().merged(levels, numbers):
        return (
            f"{column.name!r} is left out of the inputs: {merged.problem}; if they are names, say "
            f"`inputs: {{{json.dumps(column.name)}: one-hot}}` in the config"
        )
    other = next(text for text, x in zip(column.counts, numbers, strict=True) if np.isnan(x))
    return (
        f"{column.name!r} holds numbers but for texts such as {other!r}, and is left out of the "
        "inputs: --missing TEXT if the text stands for a missing value"
    )


def _as_numbers(
    name: str,
    fields: Sequence[str],
    present: list[str],
    numerals: Numerals,
    marks: frozenset[str],
) -> DraftColumn | None:
    """Return a column of numbers, in which a few other texts are missing values; else None."""
    present = [text for text in present if text not in MISSING_NUMBERS]
    numbers = numerals.read(present)
    strays = [text for text, bad in zip(present, np.isnan(numbers).tolist(), strict=True) if bad]
    if len(strays) > MOST_STRAYS or len(strays) == len(present):
        return None
    if numerals.merged(present, numbers):  # names, such as hashes
        return None
    digitless = not any(c.isdigit() for c in "".join(strays))
    many = digitless and len(present) - len(strays) >= FEWEST_NUMBERS
    if sum(text in strays for text in fields) > len(fields) * (
        DIGITLESS_SHARE if many else STRAY_SHARE
    ):
        return None
    notes = _notes(present, numbers, numerals)
    if strays:
        notes.append(f"not numbers, so missing: {', '.join(map(repr, strays))}")
    marks = frozenset(marks | MISSING_NUMBERS | set(strays))
    texts = [text for text in present if text not in strays]
    alarm = (
        _maybe_codes(name, texts)
        or _maybe_thousands(name, texts, numerals)
        or _maybe_numbers(name, strays)
    )
    return DraftColumn(name, "number", fields, marks, notes=tuple(notes), alarm=alarm)


def _maybe_codes(name: str, texts: list[str]) -> str:
    """Return an alarm if numbers begin with zeros, as codes such as 00123 do."""
    first = next(filter(CODE.fullmatch, texts), None)
    if first is None:
        return ""
    return (
        f"{name!r} has numbers that begin with zeros, such as {first!r}, and is read as numbers: "
        "if they are codes, leave it out by `drop:`"
    )


def _maybe_numbers(name: str, strays: list[str]) -> str:
    """Return an alarm if a text that counts as missing may be a number: 5 %, 0x1F, inf."""
    infinite = {"inf", "infinity"}
    for text in strays:
        if any(map(str.isnumeric, text)) or text.lower().lstrip("+-") in infinite:
            return (
                f"{name!r} has numbers, and {text!r}, which is read as a missing value: if it is a "
                "number, write it in the file as a finite one, such as 1234.5"
            )
    return ""


def _maybe_thousands(name: str, texts: list[str], numerals: Numerals) -> str:
    """Return an alarm if the decimal mark of a column may separate thousands: 1.250 beside 950."""
    mark = numerals.decimal
    marked = [text for text in texts if mark in text]
    others = [text for text in texts if mark not in text]
    thousands = re.compile(rf"[+-]?[1-9]\d{{0,2}}{re.escape(mark)}\d{{3}}")
    if numerals.thousands or len(marked) < FEWEST_IN_THOUSANDS or not others:
        return ""
    if not all(map(thousands.fullmatch, marked)) or not all(
        re.fullmatch(r"[+-]?\d{1,3}", text) for text in others
    ):
        return ""
    decimal = "," if mark == "." else "."
    return (
        f"{name!r} has {marked[0]} beside {others[0]}, and three digits after each {mark!r}: if it "
        f"separates thousands, add `format: {{decimal: {decimal!r}, thousands: {mark!r}}}`"
    )


def _notes(present: list[str], numbers: np.ndarray, numerals: Numerals) -> list[str]:
    """Return what a user should know of how the numbers of a column are read."""
    notes = []
    read = [(text, x) for text, x in zip(present, numbers.tolist(), strict=True) if x == x]
    if numerals.decimal == "," and any("," in text for text, _ in read):
        notes.append("decimal comma")
    mark = numerals.thousands
    unusual = [pair for pair in read if (mark and mark in pair[0]) or respelled(pair[0]) != pair[0]]
    notes += [f"{text} is {x:.15g}" for text, x in unusual[:1]]
    whole = [text for text, _ in read if re.fullmatch(r"[+-]?[0-9]{16,100}", text)]
    inexact = [text for text in whole if int(float(text)) != int(text)]
    notes += [f"whole numbers beyond 2^53, such as {text}, lose digits" for text in inexact[:1]]
    return notes
