"""What the columns of a table hold, and which of them can be inputs."""

import re
import warnings
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ensvm.data.files.dialect import DATES
from ensvm.data.files.labels import look_alikes, plain_label
from ensvm.drafting.delimited import Fields, TextTable
from ensvm.drafting.numerals import GROUPED, numbers_of

Kind = Literal["number", "yes or no", "text", "date", "row number", "identifier", "constant"]

# What `pandas.read_csv` takes for missing, and the mark of the UCI repository.
MISSING = frozenset(
    {
        *("", "?", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND"),
        *("1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
    }
)
MISSING_NUMBERS = frozenset({"-", "--", ".", "*", "..."})  # in a column of numbers
MOST_LEVELS = 30  # texts of a column, each of which becomes a column of 0 and 1
# Texts in a column of numbers count as missing there if they are few: different ones, and rows,
# of which there may be more where no text has a digit (such as k.A., but not 5+).
MOST_STRAYS = 3
STRAY_SHARE = 0.05
DIGITLESS_SHARE = 0.5
FEWEST_NUMBERS = 5  # different ones, beside many such texts
SAMPLE = 200
WHOLE = re.compile(r"[+-]?[0-9]{16,100}")  # digits enough to be beyond 2^53
IDENTIFIER = re.compile(
    r"(.*[ _.-])?(id|ids|uuid|guid|key|index|nr|no|rownames?|row)|unnamed: 0|.*[a-z]Id|", re.I
)
YES_AND_NO = ("yes", "no"), ("y", "n"), ("true", "false"), ("t", "f"), ("on", "off")


@dataclass(frozen=True)
class FoundColumn:
    """What a column holds.

    Attributes
    ----------
    name : str
        Its name; without a header its position, from 0.
    kind : str
        What its fields are.
    fields : Fields
        The fields as they stand in the file.
    clean : tuple of str
        What a config reads in place of each different text: numbers with a point, blanks as one,
        and nothing where there is no value.
    levels : tuple of str
        The different texts, of an input that is not of numbers.
    dropped : str
        Why it can be no input; empty where it can.
    notes : tuple of str
        How its fields were read, where that is no matter of course.
    """

    name: str
    kind: Kind
    fields: Fields
    clean: tuple[str, ...]
    levels: tuple[str, ...] = ()
    dropped: str = ""
    notes: tuple[str, ...] = ()

    @cached_property
    def missing(self) -> int:
        """How many fields have no value."""
        return self.fields.count(not text for text in self.clean)

    @cached_property
    def known(self) -> dict[str, int]:
        """The different values, and how often each occurs."""
        found: dict[str, int] = {}
        for text, count in zip(self.clean, self.fields.counts.tolist(), strict=True):
            if text:
                found[text] = found.get(text, 0) + count
        return found

    @property
    def codes(self) -> dict[str, int]:
        """The texts that mean yes as 1, and those that mean no as 0."""
        yes = {pair[0] for pair in YES_AND_NO}
        return {level: int(level.lower() in yes) for level in self.levels}

    def column(self) -> NDArray[Any]:
        """Return what a config reads, row by row."""
        return np.array(self.clean, dtype=object)[self.fields.rows]


def find_columns(table: TextTable) -> tuple[list[FoundColumn], str]:
    """Return what the columns hold, and the decimal mark of the file.

    Parameters
    ----------
    table : TextTable
        The table.

    Returns
    -------
    columns : list of FoundColumn
        In their order.
    decimal : '.' or ','
        What most columns of numbers have; a column for which it does not do is read by the other.
    """
    decimal = _decimal(table)
    named = zip(table.names, table.columns, strict=True)
    return [
        find_column(name, fields, decimal, at) for at, (name, fields) in enumerate(named)
    ], decimal


def _decimal(table: TextTable) -> str:
    """Return the decimal mark for which there is more evidence."""
    evidence, commas = {".": 0, ",": 0}, False
    for fields in table.columns:
        sample = [text for text in fields.texts[: SAMPLE + 1] if text not in MISSING]
        marks = {mark for mark in ".," if any(mark in text for text in sample)}
        if marks:
            reads = [mark for mark in ".," if _mostly_numbers(numbers_of(sample, mark))]
            if len(reads) == 1:
                evidence[reads[0]] += 1
            commas = commas or (marks == {","} and "," in reads)
    if evidence["."] == evidence[","]:
        # in a file of commas, a comma within a number is a mark of thousands
        return "," if commas and table.delimiter != "," else "."
    return max(evidence, key=lambda mark: evidence[mark])


def _mostly_numbers(numbers: NDArray[np.float64]) -> bool:
    return len(numbers) > 0 and bool(np.isnan(numbers).sum() <= min(MOST_STRAYS, len(numbers) / 2))


def find_column(name: str, fields: Fields, decimal: str, at: int) -> FoundColumn:
    """Return what a column holds, the one at this position of a table with this decimal mark."""
    if all(text in MISSING for text in fields.texts):
        nothing = ("",) * len(fields.texts)
        return FoundColumn(name, "constant", fields, nothing, dropped="empty")
    numbers = _as_numbers(name, fields, decimal)
    if numbers is None:
        return find_text(name, fields)
    return _no_constant(_without_row_numbers(numbers, at))


def find_text(name: str, fields: Fields) -> FoundColumn:
    """Return what a column holds that is not of numbers; one value or more is there."""
    return _no_constant(_as_texts(name, fields))


def _as_numbers(name: str, fields: Fields, decimal: str) -> FoundColumn | None:
    """Return a column of numbers, a few other texts in it as missing; None if it is none."""
    known = [text for text in fields.texts if text not in MISSING and text not in MISSING_NUMBERS]
    mark, numbers = decimal, numbers_of(known, decimal)
    if np.isnan(numbers).any():
        other = "." if decimal == "," else ","
        others = numbers_of(known, other)
        if np.isnan(others).sum() < np.isnan(numbers).sum():
            mark, numbers = other, others
    strays = [text for text, bad in zip(known, np.isnan(numbers).tolist(), strict=True) if bad]
    if len(strays) > MOST_STRAYS or len(strays) == len(known):
        return None
    digitless = not any(c.isdigit() for c in "".join(strays))
    many = digitless and len(known) - len(strays) >= FEWEST_NUMBERS
    most = (DIGITLESS_SHARE if many else STRAY_SHARE) * len(fields.rows)
    if fields.count(text in strays for text in fields.texts) > most:
        return None
    whole = [text for text in known if WHOLE.fullmatch(text)]
    inexact = next((text for text in whole if int(float(text)) != int(text)), None)
    plain = dict(zip(known, map(_plain, known, numbers.tolist()), strict=True))
    notes = ["decimal comma"] if mark == "," and any("," in text for text in known) else []
    grouped = next(
        (text for text in known if plain[text] != text and GROUPED[mark].fullmatch(text)), None
    )
    if grouped:
        notes.append(f"{grouped} is {plain[grouped]}")
    if inexact:
        notes.append(f"whole numbers beyond 2^53, such as {inexact}, lose digits")
    if strays:
        notes.append(f"no numbers, so missing: {', '.join(map(repr, strays))}")
    clean = tuple(plain.get(text, "") for text in fields.texts)
    return FoundColumn(name, "number", fields, clean, notes=tuple(notes))


def _plain(text: str, number: float) -> str:
    """Return a number as a config reads it; one that is so written stays as it is."""
    if number != number:
        return ""
    try:
        if float(text) == number:
            return text
    except ValueError:
        pass
    return str(int(number)) if number.is_integer() else repr(number)


def _without_row_numbers(found: FoundColumn, at: int) -> FoundColumn:
    """Return a column of numbers; one that numbers the rows is no input."""
    n = len(found.fields.rows)
    named = IDENTIFIER.fullmatch(found.name)
    if not (at == 0 or named) or n < FEWEST_NUMBERS or found.missing or len(found.known) < n:
        return found
    numbers = np.array(found.column(), dtype=np.float64)
    if (np.diff(numbers) == 1).all() and (numbers == np.round(numbers)).all():
        return replace(found, kind="row number", dropped="numbers the rows")
    if named and (numbers == np.round(numbers)).all():
        told = "a different number in every row, and the name of an identifier"
        return replace(found, kind="identifier", dropped=told)
    return found


def _as_texts(name: str, fields: Fields) -> FoundColumn:
    """Return a column that is not of numbers: of yes or no, dates, or texts."""
    clean = tuple("" if text in MISSING else " ".join(text.split()) for text in fields.texts)
    # a config takes 1, 1.0 and +1 for one and the same
    levels = tuple(sorted({plain_label(text) for text in clean if text}))
    first = next(text for text in clean if text)
    found = FoundColumn(name, "text", fields, clean)
    if {level.lower() for level in levels} in [set(pair) for pair in YES_AND_NO]:
        return replace(found, kind="yes or no", levels=levels)
    if _are_dates([text for text in clean[: SAMPLE + 1] if text]):
        told = f"dates or times, such as {first!r}: make numbers of them, as days since one"
        return replace(found, kind="date", dropped=told)
    if len(levels) == len(fields.rows) - found.missing and len(levels) >= FEWEST_NUMBERS:
        told = f"a different text in every row, such as {first!r}"
        return replace(found, kind="identifier", dropped=told)
    if len(levels) > MOST_LEVELS:
        told = f"{len(levels)} different texts, such as {first!r}; more than {MOST_LEVELS}"
        return replace(found, dropped=told)
    notes = tuple(f"{one!a} and {other!a} look the same" for one, other in look_alikes(levels))
    return replace(found, levels=levels, notes=notes)


def _are_dates(sample: list[str]) -> bool:
    if not all(DATES.fullmatch(text) for text in sample):
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of formats that pandas guesses
        read = [
            pd.to_datetime(
                pd.Series(sample), format="mixed", errors="coerce", utc=True, dayfirst=dayfirst
            )
            for dayfirst in (False, True)
        ]
    return bool((read[0].notna() | read[1].notna()).mean() > 1 - STRAY_SHARE)


def _no_constant(found: FoundColumn) -> FoundColumn:
    if found.dropped or len(found.known) > 1:
        return found
    missing = " where there is one" if found.missing else ""
    told = f"the same value in every row{missing}: {next(iter(found.known))}"
    return replace(found, kind="constant", dropped=told)
