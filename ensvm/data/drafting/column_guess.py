"""What `ensvm init` guesses of a table: what each column holds, and which holds the classes."""

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ensvm.data.alarms import IDENTIFIER
from ensvm.data.files.encode import DATES, Numerals, plain_label, without_label
from ensvm.errors import UserError, near_miss

# What `pandas.read_csv` takes for missing, and the mark of the UCI repository.
MISSING = frozenset(
    {
        *("", "?", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND"),
        *("1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
    }
)
MISSING_NUMBERS = frozenset({"-", "--", ".", "*", "..."})  # in a column of numbers
MOST_LEVELS = 30  # texts of a column, each of which becomes a column of 0 and 1
# A few texts in a column of numbers count as missing values: up to so many different ones in such a
# share of the rows, which may be larger if none of them has a digit (k.A., but not 5+).
MOST_STRAYS = 3
STRAY_SHARE = 0.05
DIGITLESS_SHARE = 0.5
FEWEST_NUMBERS = 5  # different ones, beside many such texts
SAMPLE = 200
YES_AND_NO = ("yes", "no"), ("y", "n"), ("true", "false"), ("t", "f"), ("on", "off")

# What a column of classes is often called, the surest names first.
TARGET_NAMES = (
    *("target", "class", "label", "y", "classes", "labels", "outcome", "diagnosis", "species"),
    *("category", "response", "survived", "churn", "default", "klasse", "classe", "clase"),
)
MOST_CLASSES = 50
FEWEST_ROWS = 10
POSITIVE = (
    *(pair[0] for pair in YES_AND_NO),
    *("positive", "pos", "plus", "+", "1", "malignant", "sick", "ill"),
)


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
    name: str, fields: Sequence[str], numerals: Numerals, position: int
) -> DraftColumn:
    """Return what a column holds."""
    present = [text for text in dict.fromkeys(fields) if text not in MISSING]
    if not present:
        return DraftColumn(name, "constant", fields, dropped="empty")
    column = _as_numbers(name, fields, present, numerals)
    if column is None:
        return look_at_text(name, fields)
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
        return replace(column, dropped=reason)
    return _if_constant(replace(column, levels=levels))


def _as_numbers(
    name: str, fields: Sequence[str], present: list[str], numerals: Numerals
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
    marks = MISSING | MISSING_NUMBERS | set(strays)
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


@dataclass(frozen=True)
class Target:
    """The column of the classes."""

    column: DraftColumn  # the column
    position: int  # its position, from 0
    why: str  # how it was found

    @property
    def classes(self) -> dict[str, int]:
        """The rows of each class."""
        return dict(sorted(self.column.counts.items()))

    @property
    def positive(self) -> str | None:
        """Which of two classes is +1: by its meaning, else the larger number or the rarer one."""
        classes = self.classes
        if len(classes) != 2:
            return None
        for name in POSITIVE:
            if named := [label for label in classes if label.lower() == name]:
                return named[0]
        try:
            return max(classes, key=float)
        except ValueError:
            return min(classes, key=lambda label: classes[label])


def find_target(
    file_name: str, columns: Sequence[DraftColumn], titles: Sequence[str], asked: str | None
) -> Target:
    """Return the column of the classes: the one asked for, or one named or placed like it.

    `titles` are the names in the header; `asked` is a name, a position from 0 (-1 is the last) or
    None. Raises UserError if there is no such column, or it does not hold classes; the message
    names the columns that might.
    """
    if len(columns) < 2:
        raise UserError(f"{file_name}: has one column; needed: one of classes, and inputs")
    if asked is None:
        position, why = _guess_target(file_name, columns, titles)
    elif titles.count(asked) == 1:
        position, why = titles.index(asked), "as asked"
    elif asked.lstrip("-").isdigit() and -len(titles) <= int(asked) < len(titles):
        position, why = int(asked) % len(titles), "as asked"
    else:
        listed = ", ".join(map(repr, titles[:20])) + (", ..." if len(titles) > 20 else "")
        raise UserError(
            f"{file_name}: --target: there is no column {asked!r}{near_miss(asked, titles)} "
            f"(columns: {listed}; or a position from 0, where -1 is the last)"
        )
    column = columns[position]
    texts = np.array(list(column.counts), dtype=str)
    target = Target(column.without(frozenset(texts[without_label(texts)].tolist())), position, why)
    others = [other for at, other in enumerate(columns) if at != position]
    hint = f"{_candidates(others)}; --target NAME names another"
    check_target(file_name, f"column {titles[position]!r} ({why})", target, hint)
    return target


def _guess_target(
    file_name: str, columns: Sequence[DraftColumn], titles: Sequence[str]
) -> tuple[int, str]:
    for name in TARGET_NAMES:
        for at, column in enumerate(columns):
            if titles[at].lower() == name and _might_hold_classes(column):
                return at, "by its name"
    last, end = columns[-1], len(columns) - 1
    if _might_hold_classes(last):
        return end, "the last column"
    if columns[0].kind in ("text", "yes or no") and _might_hold_classes(columns[0]):
        return 0, "the first column"
    if last.kind == "constant":
        problem = (
            f"the last column, {titles[end]!r}, {'has ' * bool(last.counts) or 'is '}{last.dropped}"
        )
    else:
        problem = (
            "no column of classes found: none is named like one, and the last, "
            f"{titles[end]!r}, has {len(last.counts)} different values"
        )
    raise UserError(f"{file_name}: {problem}; --target NAME says which it is{_candidates(columns)}")


def _might_hold_classes(column: DraftColumn) -> bool:
    """Return whether a column has few values, each of which occurs often; numbers must be whole."""
    different, rows = len(column.counts), sum(column.counts.values())
    if not 2 <= different <= min(MOST_CLASSES, max(2, rows / 3)) or column.kind == "date":
        return False
    if column.kind != "number" or different == 2:
        return True
    return all(re.fullmatch(r"-?\d+", text) for text in column.counts)


def _candidates(columns: Iterable[DraftColumn]) -> str:
    names = [repr(column.name) for column in columns if _might_hold_classes(column)]
    return f" (it might be {', '.join(names[:8])})" if names else ""


def check_target(file_name: str, name: str, target: Target, hint: str = "") -> None:
    """Raise UserError unless there are two or more classes to learn, of several rows each.

    `name` is what messages call the column, `hint` says which other columns might hold classes.
    """
    classes, rows = target.classes, sum(target.classes.values())
    if rows < FEWEST_ROWS:
        raise UserError(f"{file_name}: {rows} rows have a label; accepted: {FEWEST_ROWS} or more")
    if len(classes) < 2:
        what = f"only the class {next(iter(classes))!r}" if classes else "no labels"
        raise UserError(f"{file_name}: {name} holds {what}; a classifier needs two{hint}")
    if target.column.kind == "date" or len(classes) > min(MOST_CLASSES, rows / 2):
        what = "numbers to be predicted" if target.column.kind == "number" else "texts"
        raise UserError(
            f"{file_name}: {name} has {len(classes)} different values in {rows} rows, which are "
            f"{what} rather than classes; accepted: 2 to {MOST_CLASSES} classes{hint}"
        )
    if sum(count > 1 for count in classes.values()) < 2:
        counts = ", ".join(f"{label!r} {count}" for label, count in classes.items())
        raise UserError(
            f"{file_name}: {name}: its classes have these rows: {counts}; two of them need two or "
            "more, to be in training and in test"
        )
