"""What the columns of a table hold, and which of them can be inputs."""

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas._libs.parsers import STR_NA_VALUES

from ensvm.data.files.labels import plain_label
from ensvm.drafting.delimited import TextTable
from ensvm.drafting.numerals import GROUPED, numbers_of

Kind = Literal["number", "yes or no", "text", "date", "row number", "identifier", "constant"]

# pandas' own, and the mark of the UCI repository
MISSING = frozenset({*STR_NA_VALUES, "", "?"})
MISSING_NUMBERS = frozenset({"-", "--", ".", "*", "..."})  # in a column of numbers
MOST_LEVELS = 30  # texts of a column, each of which becomes a column of 0 and 1
MOST_STRAYS = 3  # different texts in a column of numbers that count as missing there
STRAY_SHARE = 0.05
SAMPLE = 200
IDENTIFIER = re.compile(
    r"(.*[ _.-])?(id|ids|uuid|guid|key|index|nr|no|rownames?|row)|unnamed: 0|.*[a-z]Id|", re.I
)
YES_AND_NO = ("yes", "no"), ("y", "n"), ("true", "false"), ("t", "f"), ("on", "off")
DATES = re.compile(
    r"\d{4}[-/.]\d{1,2}([-/.]\d{1,2})?([T ].*)?|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})([T ].*)?"
    r"|\d{1,2}:\d{2}(:\d{2}.*)?|.*\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b.*\d.*",
    re.I,
)


@dataclass(frozen=True)
class FoundColumn:
    """What a column holds.

    Attributes
    ----------
    name : str
        Its name; without a header its position, from 0.
    kind : str
        What its fields are.
    clean : Series of str
        The fields as a config reads them: numbers with a point, missing ones empty.
    levels : tuple of str
        The different texts, of a column that is not of numbers.
    missing : int
        How many fields have no value.
    dropped : str
        Why it can be no input; empty where it can.
    notes : tuple of str
        How its fields were read, where that is no matter of course.
    """

    name: str
    kind: Kind
    clean: pd.Series
    levels: tuple[str, ...] = ()
    missing: int = 0
    dropped: str = ""
    notes: tuple[str, ...] = ()

    @property
    def codes(self) -> dict[str, int]:
        """The texts that mean yes as 1, and those that mean no as 0."""
        yes = {pair[0] for pair in YES_AND_NO}
        return {level: int(level.lower() in yes) for level in self.levels}


@dataclass(frozen=True)
class _Texts:
    """The fields of a column: the different ones, and where each stands."""

    name: str
    codes: NDArray[np.intp]
    values: list[str]

    @property
    def known(self) -> list[str]:
        return [value for value in self.values if value not in MISSING]

    def spread(self, values: Sequence[str]) -> pd.Series:
        """Return the column with other values in place of its different ones."""
        return pd.Series(np.array(values, dtype=object)[self.codes], dtype=object)

    def count(self, chosen: Sequence[bool]) -> int:
        """Return how many fields have one of the values chosen."""
        return int(np.array(chosen, dtype=bool)[self.codes].sum())


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
    texts = []
    for name, at in zip(table.names, table.fields.columns, strict=True):
        codes, values = pd.factorize(table.fields[at])
        texts.append(_Texts(name, codes, [str(value) for value in values]))
    decimal = _decimal(texts, table.delimiter)
    return [_found(column, decimal, at) for at, column in enumerate(texts)], decimal


def _decimal(columns: list[_Texts], delimiter: str) -> str:
    """Return the decimal mark for which there is more evidence."""
    evidence = {".": 0, ",": 0}
    for column in columns:
        sample = column.known[:SAMPLE]
        if not sample or not any(mark in text for text in sample for mark in ".,"):
            continue
        reads = [mark for mark in ".," if _mostly_numbers(numbers_of(sample, mark))]
        if len(reads) == 1:
            evidence[reads[0]] += 1
    if evidence["."] == evidence[","]:
        # in a file of commas, a comma within a number is a mark of thousands
        return "," if delimiter != "," and _any_comma(columns) else "."
    return max(evidence, key=lambda mark: evidence[mark])


def _any_comma(columns: list[_Texts]) -> bool:
    """Return whether a column is of numbers some of which have a comma and none a point."""
    for column in columns:
        sample = column.known[:SAMPLE]
        commas = any("," in text for text in sample) and not any("." in text for text in sample)
        if commas and _mostly_numbers(numbers_of(sample, ",")):
            return True
    return False


def _mostly_numbers(numbers: NDArray[np.float64]) -> bool:
    return len(numbers) > 0 and bool(np.isnan(numbers).mean() <= STRAY_SHARE)


def _found(column: _Texts, decimal: str, at: int) -> FoundColumn:
    """Return what a column holds."""
    n_missing = column.count([value in MISSING for value in column.values])
    if not column.known:
        clean = column.spread([""] * len(column.values))
        return FoundColumn(column.name, "constant", clean, (), n_missing, "has no value at all")
    numbers = _as_numbers(column, decimal)
    if numbers is not None:
        return _no_constant(_without_row_numbers(numbers, at))
    return _no_constant(_as_texts(column, n_missing))


def _as_numbers(column: _Texts, decimal: str) -> FoundColumn | None:
    """Return a column of numbers, a few other texts in it as missing; None if it is none."""
    found = None
    absent = MISSING | MISSING_NUMBERS
    known = [value for value in column.values if value not in absent]
    for mark in (decimal, "." if decimal == "," else ","):
        numbers = numbers_of(known, mark)
        if not np.isnan(numbers).any():
            found = mark, numbers
            break
        strays = [value for value, bad in zip(known, np.isnan(numbers), strict=True) if bad]
        share = column.count([value in strays for value in column.values]) / len(column.codes)
        if found is None and len(strays) <= MOST_STRAYS and share <= STRAY_SHARE < 1:
            found = mark, numbers
    if found is None or np.isnan(found[1]).all():
        return None
    mark, numbers = found
    strays = [value for value, bad in zip(known, np.isnan(numbers), strict=True) if bad]
    plain = {
        value: _plain(value, number) for value, number in zip(known, numbers, strict=True)
    }
    clean = column.spread([plain.get(value, "") for value in column.values])
    notes = []
    if any("," in value for value in known) and mark == ",":
        notes.append("decimal comma")
    grouped = [value for value in known if GROUPED[mark].fullmatch(value)]
    if grouped and mark != "." or any(not value.replace(".", "", 1).isdigit() for value in grouped):
        if grouped:
            notes.append(f"thousands: {grouped[0]} is {plain[grouped[0]]}")
    if strays:
        notes.append(f"no numbers, taken as missing: {', '.join(map(repr, strays))}")
    return FoundColumn(
        column.name, "number", clean, missing=int((clean == "").sum()), notes=tuple(notes)
    )


def _plain(text: str, number: float) -> str:
    """Return a number as a config reads it; one that is so written stays as it is."""
    if np.isnan(number):
        return ""
    try:
        if float(text) == number:
            return text
    except ValueError:
        pass
    return str(int(number)) if number.is_integer() else repr(float(number))


def _without_row_numbers(found: FoundColumn, at: int) -> FoundColumn:
    """Return a column of numbers; one that numbers the rows is no input."""
    numbers = pd.to_numeric(found.clean).to_numpy(dtype=np.float64)
    n = len(numbers)
    different = found.missing == 0 and n > 2 and len(np.unique(numbers)) == n
    if not different or not (numbers == np.round(numbers)).all():
        return found
    steps = np.diff(numbers)
    if (at == 0 or IDENTIFIER.fullmatch(found.name)) and (steps == 1).all():
        return replace(found, kind="row number", dropped="numbers the rows")
    if IDENTIFIER.fullmatch(found.name):
        told = "a different number in every row, and the name of an identifier"
        return replace(found, kind="identifier", dropped=told)
    return found


def _as_texts(column: _Texts, n_missing: int) -> FoundColumn:
    """Return a column that is not of numbers: of yes or no, dates, or texts."""
    clean = column.spread(
        ["" if value in MISSING else " ".join(value.split()) for value in column.values]
    )
    known = [" ".join(value.split()) for value in column.known]
    # a config takes 1, 1.0 and +1 for one and the same
    levels = tuple(dict.fromkeys(plain_label(value) for value in known))
    found = FoundColumn(column.name, "text", clean, levels, n_missing)
    if {level.lower() for level in levels} in [set(pair) for pair in YES_AND_NO]:
        return replace(found, kind="yes or no", levels=tuple(sorted(levels)))
    if _are_dates(known[:SAMPLE]):
        told = f"dates or times, such as {known[0]!r}: make numbers of them, as days since one"
        return replace(found, kind="date", dropped=told)
    if len(levels) == len(column.codes) - n_missing and len(levels) > 2:
        told = f"a different text in every row, such as {known[0]!r}"
        return replace(found, kind="identifier", dropped=told)
    if len(levels) > MOST_LEVELS:
        told = f"{len(levels)} different texts, such as {known[0]!r}; more than {MOST_LEVELS}"
        return replace(found, dropped=told)
    return replace(found, levels=tuple(sorted(levels)))


def _are_dates(sample: list[str]) -> bool:
    if not all(DATES.fullmatch(text) for text in sample):
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of formats that pandas guesses
        dates = pd.to_datetime(pd.Series(sample), format="mixed", errors="coerce", utc=True)
        other = pd.to_datetime(
            pd.Series(sample), format="mixed", errors="coerce", utc=True, dayfirst=True
        )
    return bool((dates.notna() | other.notna()).mean() > 1 - STRAY_SHARE)


def _no_constant(found: FoundColumn) -> FoundColumn:
    if found.dropped or found.clean[found.clean != ""].nunique() > 1:
        return found
    value = next(value for value in found.clean if value)
    missing = " where there is one" if found.missing else ""
    return replace(found, kind="constant", dropped=f"the same value in every row{missing}: {value}")
