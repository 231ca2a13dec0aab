"""What `ensvm init` guesses of a table: what each column holds, and which holds the classes."""

import re
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ensvm.data.alarms import IDENTIFIER
from ensvm.data.files.encode import DATES, MOST_LEVELS, Numerals, plain_label

# What `pandas.read_csv` takes for missing, and the mark of the UCI repository.
MISSING = frozenset(
    {
        *("", "?", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND"),
        *("1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
    }
)
MISSING_NUMBERS = frozenset({"-", "--", ".", "*", "..."})  # in a column of numbers
# A few texts in a column of numbers count as missing values: at most MOST_STRAYS different ones, in
# at most STRAY_SHARE of the rows, or in DIGITLESS_SHARE if none has a digit (as k.A., unlike 5+).
MOST_STRAYS = 3
STRAY_SHARE = 0.05
DIGITLESS_SHARE = 0.5
LEAST_SENTINEL = 99  # two digits may be a value: 99 years, 99 per cent
FAR_MORE = 5  # times as many rows as the commonest number
FEWEST_NUMBERS = 5  # different values that the guesses below need
SAMPLE = 200
YES_AND_NO = ("yes", "no"), ("y", "n"), ("true", "false"), ("t", "f"), ("on", "off")


@dataclass(frozen=True)
class DraftColumn:
    """What a column holds."""

    name: str  # its name in the config; without a header its position, from 0
    # what its fields are: number, yes or no, text, date, row number, identifier or constant
    kind: str
    fields: Sequence[str]  # the fields, without blanks around them
    missing_marks: frozenset[str] = MISSING  # the texts that stand for a missing value
    levels: tuple[str, ...] = ()  # the different texts of an input that is not of numbers
    dropped: str = ""  # why it cannot be an input; empty if it can
    notes: tuple[str, ...] = ()  # how its fields are read, if that is not obvious

    @cached_property
    def counts(self) -> dict[str, int]:
        """How often each value occurs, as labels are written, in the order of the file."""
        counts: dict[str, int] = {}
        for text, count in Counter(self.fields).items():
            if text not in self.missing_marks:
                value = plain_label(" ".join(text.split()))
                counts[value] = counts.get(value, 0) + count
        return counts

    @cached_property
    def missing(self) -> int:
        """How many fields have no value."""
        return len(self.fields) - sum(self.counts.values())

    @property
    def codes(self) -> dict[str, int]:
        """The texts that mean yes as 1, and those that mean no as 0."""
        yes = {pair[0] for pair in YES_AND_NO}
        return {level: int(level.lower() in yes) for level in self.levels}

    def without(self, marks: frozenset[str]) -> "DraftColumn":
        """Return the column with further texts that stand for a missing value."""
        levels = tuple(level for level in self.levels if level not in marks)
        return replace(self, missing_marks=self.missing_marks | marks, levels=levels)


def guess_numerals(columns: Sequence[Sequence[str]], comma_delimited: bool) -> Numerals:
    """Return the way of writing numbers in which the most columns hold numbers."""
    grouped, comma = Numerals(".", ","), Numerals(",")
    # in a file of commas, a comma within a number is a mark of thousands
    ways = [Numerals(), *((grouped, comma) if comma_delimited else (comma, grouped))]
    ways.append(Numerals(",", "."))
    ways += [Numerals(decimal, mark) for mark in "'’ \u00a0\u202f" for decimal in ".,"]
    samples = [
        [text for text in dict.fromkeys(column[: 10 * SAMPLE]) if text not in MISSING][:SAMPLE]
        for column in columns
    ]
    # whole numbers and texts without digits look the same in every way of writing
    samples = [sample for sample in samples if any(re.search(r"\d\D+\d", t) for t in sample)]

    def readable(way: Numerals) -> tuple[int, int]:
        wrong = [int(np.isnan(way.read(sample)).sum()) for sample in samples]
        most = [min(MOST_STRAYS, len(sample) / 2) for sample in samples]
        return sum(map(int.__le__, wrong, map(int, most))), -sum(wrong)

    return max(ways, key=readable)  # the first of several


def look_at_column(
    name: str,
    fields: Sequence[str],
    numerals: Numerals,
    position: int,
    missing: frozenset[str] = MISSING,
) -> DraftColumn:
    """Return what a column holds; `missing` are the texts that stand for a missing value."""
    present = [text for text in dict.fromkeys(fields) if text not in missing]
    if not present:
        return DraftColumn(name, "constant", fields, missing, dropped="empty")
    column = _as_numbers(name, fields, present, numerals, missing)
    if column is None:
        return look_at_text(name, fields, missing)
    return _if_constant(_if_row_numbers(column, numerals, position))


def look_at_text(
    name: str, fields: Sequence[str], missing_marks: frozenset[str] = MISSING
) -> DraftColumn:
    """Return what a column holds that is not of numbers: yes or no, dates, or texts."""
    column = DraftColumn(name, "text", fields, missing_marks)
    levels = tuple(sorted(column.counts))
    if {level.lower() for level in levels} in [set(pair) for pair in YES_AND_NO]:
        return replace(column, kind="yes or no", levels=levels)
    first = next(iter(column.counts), "")
    if _are_dates(list(column.counts)[:SAMPLE]):
        reason = f"dates or times, such as {first!r}: make numbers of them, as days since one"
        return replace(column, kind="date", dropped=reason)
    if len(levels) == len(fields) - column.missing and len(levels) >= FEWEST_NUMBERS:
        reason = f"a different text in every row, such as {first!r}"
        return replace(column, kind="identifier", dropped=reason)
    if len(levels) > MOST_LEVELS:
        reason = f"{len(levels)} different texts, such as {first!r}; more than {MOST_LEVELS}"
        if len(levels) <= len(fields) / 2:
            reason += "; --groups if rows with the same one belong together"
        return replace(column, dropped=reason)
    return _if_constant(replace(column, levels=levels))


def _as_numbers(
    name: str,
    fields: Sequence[str],
    present: list[str],
    numerals: Numerals,
    missing: frozenset[str],
) -> DraftColumn | None:
    """Return a column of numbers, in which a few other texts are missing values; else None."""
    present = [text for text in present if text not in MISSING_NUMBERS]
    numbers = numerals.read(present)
    strays = [text for text, bad in zip(present, np.isnan(numbers).tolist(), strict=True) if bad]
    if len(strays) > MOST_STRAYS or len(strays) == len(present):
        return None
    digitless = not any(c.isdigit() for c in "".join(strays))
    many = digitless and len(present) - len(strays) >= FEWEST_NUMBERS
    most = (DIGITLESS_SHARE if many else STRAY_SHARE) * len(fields)
    if sum(text in strays for text in fields) > most:
        return None
    notes = []
    if numerals.decimal == "," and any("," in text for text in present):
        notes.append("decimal comma")
    if mark := numerals.thousands:
        grouped = [
            at for at, text in enumerate(present) if mark in text and numbers[at] == numbers[at]
        ]
        notes += [f"{present[at]} is {numbers[at]:.15g}" for at in grouped[:1]]
    whole = (text for text in present if re.fullmatch(r"[+-]?[0-9]{16,100}", text))
    if inexact := next((text for text in whole if int(float(text)) != int(text)), None):
        notes.append(f"whole numbers beyond 2^53, such as {inexact}, lose digits")
    if strays:
        notes.append(f"not numbers, so missing: {', '.join(map(repr, strays))}")
    marks = missing | MISSING_NUMBERS | set(strays)
    return DraftColumn(name, "number", fields, frozenset(marks), notes=tuple(notes))


def _if_row_numbers(column: DraftColumn, numerals: Numerals, position: int) -> DraftColumn:
    """Return a column of numbers; one that numbers the rows is not an input."""
    n = len(column.fields)
    named = IDENTIFIER.fullmatch(column.name)
    if not (position == 0 or named) or n < FEWEST_NUMBERS or len(column.counts) < n:
        return column
    numbers = numerals.read(column.fields)
    if (np.diff(numbers) == 1).all() and (numbers == np.round(numbers)).all():
        return replace(column, kind="row number", dropped="numbers the rows")
    if named and (numbers == np.round(numbers)).all():
        reason = "a different number in every row, and the name of an identifier"
        return replace(column, kind="identifier", dropped=reason)
    return column


def _if_constant(column: DraftColumn) -> DraftColumn:
    if column.dropped or len(column.counts) > 1:
        return column
    value = next(iter(column.counts))
    return replace(column, kind="constant", dropped=f"the same value in every row: {value}")


def sentinels(column: DraftColumn, numerals: Numerals) -> set[str]:
    """Return texts such as -9 and 999 that probably stand for a missing value.

    They are the smallest or largest number of a column, in two rows or more: the only negative
    number, further from the others than these are from each other, or by far the commonest.
    """
    if column.kind != "number":
        return set()
    present = [text for text in column.fields if text not in column.missing_marks]
    texts, counts = np.unique(present, return_counts=True)
    numbers = numerals.read(texts.tolist())
    if len(set(numbers)) < FEWEST_NUMBERS:
        return set()
    found = set()
    for extreme in (numbers.min(), numbers.max()):
        is_extreme = numbers == extreme
        others = numbers[~is_extreme]
        rows, commonest = counts[is_extreme].sum(), counts[~is_extreme].max()
        far = np.abs(others - extreme).min() > np.ptp(others)
        alone = extreme < 0 <= others.min()
        if (
            re.fullmatch(r"-9|-?9{2,6}", f"{extreme:.15g}")
            and rows >= 2
            and (alone or (abs(extreme) > LEAST_SENTINEL and (far or rows > FAR_MORE * commonest)))
        ):
            found.update(texts[is_extreme].tolist())
    return found


def without_sentinels(columns: Sequence[DraftColumn], numerals: Numerals) -> list[DraftColumn]:
    """Return the columns, with numbers that look like marks, such as -9 and 999, as missing values.

    A config has one list of marks for all columns: a number that is a value in another column is
    not taken for a mark.
    """
    found = [set() if column.dropped else sentinels(column, numerals) for column in columns]
    values = {
        text
        for column, marks in zip(columns, found, strict=True)
        if not column.dropped
        for text in set(column.fields) - marks
    }
    return [
        look_at_column(column.name, column.fields, numerals, at, MISSING | (marks - values))
        if marks - values
        else column
        for at, (column, marks) in enumerate(zip(columns, found, strict=True))
    ]


def _are_dates(sample: list[str]) -> bool:
    if not all(DATES.fullmatch(text) for text in sample):
        return False
    import pandas as pd  # loaded here to keep starting up quick

    present: NDArray[np.bool_] = np.zeros(len(sample), dtype=bool)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pandas warns of formats that it guesses
        for dayfirst in (False, True):
            dates = pd.to_datetime(
                pd.Series(sample), format="mixed", errors="coerce", utc=True, dayfirst=dayfirst
            )
            present |= dates.notna().to_numpy()
    return bool(present.mean() > 1 - STRAY_SHARE)
