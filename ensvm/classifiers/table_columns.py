"""Tables as people have them: columns of text and categories, and missing values, as numbers.

A DataFrame's columns of numbers stay what they are. Columns of text, and those with the type
`category`, become a column of 0 and 1 for each of their values. What a value is missing for, or
seen for the first time, follows from the training rows alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import OneHotEncoder

from ensvm.classifiers.refused_values import (
    ADVICE,
    COMPLEX,
    INFINITE,
    is_compound,
    is_missing,
    is_moment,
    is_table,
    refuse_compound,
    refuse_merged,
    refuse_out_of_range,
    refused_place,
)
from ensvm.counts import of_all
from ensvm.levels import MOST_LEVELS
from ensvm.text_values import DATES, DATES_AS_NUMBERS, number_pattern

FEWEST_ROWS = 5  # with a value of a text, so that it has a column of its own
MOSTLY = 0.9  # of the different texts of a column of numbers that are written as texts
WRITTEN_NUMBERS = re.compile(rf"\s*[+-]?({number_pattern('.')}|{number_pattern(',')})\s*")


@dataclass(frozen=True, eq=False)
class EmptyColumn:
    """A column without a value in the training rows: nothing was learned of it, so it is 0."""

    position: int

    def encoded(self, X: Any) -> NDArray[np.float64]:
        """Return the column of zeros, shape (n, 1), that this one becomes."""
        return np.zeros((X.shape[0], 1))

    def doubt(self, X: Any) -> str:
        """Return a sentence on the column of training rows."""
        return f"column {_name(X, self.position)!r} has no value in the training rows: drop it"


@dataclass(frozen=True, eq=False)
class NumberColumn:
    """A column of numbers: missing values become the median, and have a column that marks them."""

    position: int
    median: float
    marks_missing: bool

    def encoded(self, X: Any) -> NDArray[np.float64]:
        """Return the columns, shape (n, 1) or (n, 2), that this one becomes."""
        numbers = _numbers(X, self.position)
        missing = np.isnan(numbers)
        columns = [np.where(missing, self.median, numbers)]
        return np.column_stack(columns + [missing] * self.marks_missing).astype(np.float64)

    def doubt(self, X: Any) -> str:
        """Return "": numbers are read as they are meant."""
        return ""


@dataclass(frozen=True, eq=False)
class TextColumn:
    """A column of text or categories: 0 and 1 for each value, and one for rare values together.

    A missing value is a value like others. A value that no training row has is a rare one if there
    are some; else it is 0 in all columns, which `unseen` says: nothing was learned about it.
    """

    position: int
    encoder: OneHotEncoder

    def encoded(self, X: Any) -> NDArray[np.float64]:
        """Return the columns, shape (n, number of values), that this one becomes."""
        columns: NDArray[np.float64] = self.encoder.transform(_texts(X, self.position))
        return columns

    def doubt(self, X: Any) -> str:
        """Return why the texts of training rows may be read otherwise than meant, or ""."""
        texts = [text for text in _texts(X, self.position).ravel() if text is not None]
        name, is_mostly_rare = _name(X, self.position), self._is_mostly_rare(X, len(texts))
        column = _column(X, self.position)
        values = [] if _is_of_categories(column) else column  # who made categories meant them
        if sum(isinstance(value, str) for value in values) == len(texts):
            reason = _written_otherwise(list(dict.fromkeys(texts)), is_mostly_rare=is_mostly_rare)
            if reason:
                return f"column {name!r} looks like {reason}"
        if not is_mostly_rare:
            return ""
        return (
            f"column {name!r} looks like free text: most of its values are in fewer than "
            f"{FEWEST_ROWS} rows, or beyond the {MOST_LEVELS} most frequent, and share one "
            "column of 0 and 1. Drop it, or make columns of its words before, such as by "
            "sklearn's TfidfVectorizer"
        )

    def unseen(self, X: Any) -> str:
        """Return which values are 0 in all columns, as no training row has them; "" if none are."""
        if self.encoder.infrequent_categories_[0] is not None:
            return ""
        known = {*self.encoder.categories_[0].tolist()}
        unknown = [text for text in _texts(X, self.position).ravel() if text not in known]
        if not unknown:
            return ""
        example = "a missing one" if unknown[0] is None else repr(unknown[0])
        return (
            f"column {_name(X, self.position)!r} has values that no training row has, such as "
            f"{example}, in {of_all(len(unknown), X.shape[0], 'row')}: they count as none of the "
            "known values"
        )

    def _is_mostly_rare(self, X: Any, n_present: int) -> bool:
        """Return whether most values of training rows share a column, as those of free text do."""
        if self.encoder.infrequent_categories_[0] is None:
            return False
        return bool(2.0 * self.encoded(X)[:, -1].sum() > n_present)


def _written_otherwise(levels: list[str], *, is_mostly_rare: bool) -> str:
    """Return what different texts look like if they are no categories: numbers or dates; or "".

    Whole numbers and dates in many rows each may be codes.
    """
    numbers = [level for level in levels if WRITTEN_NUMBERS.fullmatch(level)]
    if len(numbers) >= MOSTLY * len(levels):
        decimal = next((level for level in numbers if "." in level or "," in level), "")
        if decimal or is_mostly_rare:
            comma = any("," in level for level in numbers)
            first_step = " after `.str.replace(',', '.')`" if comma else ""
            return (
                f"numbers, such as {decimal or numbers[0]!r}, but is of texts, which have no "
                f"order: make numbers of it before, by pandas.to_numeric{first_step}"
            )
    if is_mostly_rare and all(DATES.fullmatch(level.strip()) for level in levels):
        return (
            f"dates or times, such as {levels[0]!r}, but is of texts: turn them into "
            f"{DATES_AS_NUMBERS}, by pandas.to_datetime"
        )
    return ""


@dataclass(frozen=True, eq=False)
class TableColumns:
    """How the columns of a table become numbers, learned from the training rows."""

    columns: tuple[NumberColumn | TextColumn | EmptyColumn, ...]
    sources: NDArray[np.intp]  # of each column of numbers the column of the table

    def encoded(self, X: Any) -> NDArray[np.float64]:
        """Return a table, or an array, as numbers, shape (n, number of columns of numbers)."""
        return np.hstack([column.encoded(X) for column in self.columns])

    def doubts(self, X: Any) -> Iterator[str]:
        """Yield a sentence on each column of training rows that may be read otherwise than meant.

        These are empty columns, free text, and numbers or dates that are written as texts.
        """
        yield from filter(None, (column.doubt(X) for column in self.columns))

    def unseen(self, X: Any) -> Iterator[str]:
        """Yield a sentence on each column of new rows with values about which nothing is known."""
        texts = (column.unseen(X) for column in self.columns if isinstance(column, TextColumn))
        yield from filter(None, texts)


def learned_columns(X: Any, categorical: Sequence[int]) -> TableColumns:
    """Return how the columns of training rows become numbers.

    `categorical` are the positions of those whose values have no order. Raises ValueError, which
    names the column, for one that is neither of numbers nor among them.
    """
    columns: list[NumberColumn | TextColumn | EmptyColumn] = []
    sources: list[int] = []
    for position in range(X.shape[1]):
        column: NumberColumn | TextColumn | EmptyColumn
        if _all_missing(X, position):
            column = EmptyColumn(position)
        elif position in categorical:
            encoder = OneHotEncoder(
                handle_unknown="infrequent_if_exist",
                min_frequency=FEWEST_ROWS,
                max_categories=MOST_LEVELS,
                sparse_output=False,
            )
            column = TextColumn(position, encoder.fit(_texts(X, position)))
        else:
            numbers = _numbers(X, position)
            present = numbers[~np.isnan(numbers)]
            median = float(np.median(present))
            column = NumberColumn(position, median, present.size < numbers.size)
        columns.append(column)
        sources += [position] * column.encoded(X[:1]).shape[1]
    return TableColumns(tuple(columns), np.array(sources, dtype=np.intp))


def categorical_columns(X: Any, categorical_features: Any) -> list[int]:
    """Return the positions of the columns whose values have no order, ascending.

    `categorical_features` is the parameter of `TableClassifier`.
    """
    names = list(X.columns) if is_table(X) else []
    if categorical_features is None or (isinstance(categorical_features, str) and not names):
        return []
    if isinstance(categorical_features, str):
        return [j for j in range(X.shape[1]) if _is_of_texts(_column(X, j))]
    given, shape = np.asarray(categorical_features), np.shape(X)
    if len(shape) != 2:
        return []  # X is refused for its shape
    n_columns = shape[1]
    if given.dtype == bool:
        if given.shape != (n_columns,):
            raise ValueError(
                f"categorical_features has {given.size} values True or False; accepted: one for "
                f"each of the {n_columns} columns of X"
            )
        return np.flatnonzero(given).tolist()
    for name in given.tolist():
        if name not in names if isinstance(name, str) else not 0 <= name < n_columns:
            positions = f"positions from 0 to {n_columns - 1}"
            columns = f"{', '.join(map(repr, names))}, or {positions}" if names else positions
            raise ValueError(f"categorical_features: X has no column {name!r}; accepted: {columns}")
    return sorted(
        names.index(name) if isinstance(name, str) else int(name) for name in given.tolist()
    )


def _is_of_categories(column: Any) -> bool:
    return bool(getattr(column.dtype, "name", "") == "category")


def _is_of_texts(column: Any) -> bool:
    """Return whether a column of a DataFrame holds texts or categories.

    A column of objects may hold numbers alone, as decimals, or dates alone.
    """
    if _is_of_categories(column):
        return True
    if getattr(column.dtype, "kind", "O") not in "OUST":
        return False
    present = [value for value in column if is_compound(value) or not is_missing(value)]
    kinds = (is_moment, lambda value: isinstance(value, Number))
    return not present or not any(all(map(is_kind, present)) for is_kind in kinds)


def _column(X: Any, position: int) -> Any:
    return X.iloc[:, position] if is_table(X) else X[:, position]


def _name(X: Any, position: int) -> Any:
    """Return the name of a column, or its position if it has none."""
    return X.columns[position] if is_table(X) else position


def _numbers(X: Any, position: int) -> NDArray[np.float64]:
    """Return a column of numbers, NaN for missing ones; refuse one of texts or dates."""
    column, name = _column(X, position), _name(X, position)
    kind = getattr(column.dtype, "kind", "O")
    if kind == "c":
        raise ValueError(refused_place(COMPLEX, "", name, 0, ADVICE[COMPLEX]))
    if kind == "O":
        refuse_compound(column, name)
    if kind in "mM" or (kind == "O" and any(map(is_moment, column))):
        raise ValueError(f"column {name!r} holds dates or times: turn them into {DATES_AS_NUMBERS}")
    try:
        if hasattr(column, "to_numpy"):
            numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
        else:
            numbers = np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"column {name!r} holds other values than numbers ({error}): name it in "
            "categorical_features, or make numbers of it"
        ) from error
    for row in np.flatnonzero(np.isinf(numbers))[:1].tolist():
        raise ValueError(refused_place(INFINITE, "", name, row, ADVICE[INFINITE]))
    refuse_out_of_range(numbers[:, None], name)
    refuse_merged(column.to_numpy() if hasattr(column, "to_numpy") else column, numbers, name)
    return np.asarray(numbers, dtype=np.float64)


def _all_missing(X: Any, position: int) -> bool:
    column = _column(X, position)
    if hasattr(column, "isna"):
        return bool(column.isna().all())
    return all(not is_compound(value) and is_missing(value) for value in column)


def _texts(X: Any, position: int) -> NDArray[np.object_]:
    """Return a column as texts, shape (n, 1), None for missing values."""
    values = np.asarray(_column(X, position), dtype=object)
    refuse_compound(values, _name(X, position))
    texts = np.empty((len(values), 1), dtype=object)
    for row, value in enumerate(values):
        texts[row, 0] = None if is_missing(value) else str(value)
    return texts
