"""Tables as people have them: columns of text and categories, and missing values, as numbers.

A DataFrame's columns of numbers stay what they are. Columns of text, and those with the type
`category`, become a column of 0 and 1 for each of their values. What a value is missing for, or
seen for the first time, follows from the training rows alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import OneHotEncoder

from ensvm.classifiers.refused_values import is_missing, is_table
from ensvm.levels import MOST_LEVELS

FEWEST_ROWS = 5  # with a value of a text, so that it has a column of its own


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


@dataclass(frozen=True, eq=False)
class TextColumn:
    """A column of text or categories: 0 and 1 for each value, and one for rare values together.

    A missing value is a value like others. A value that no training row has is a rare one if there
    are some, else 0 in all columns.
    """

    position: int
    encoder: OneHotEncoder

    def encoded(self, X: Any) -> NDArray[np.float64]:
        """Return the columns, shape (n, number of values), that this one becomes."""
        columns: NDArray[np.float64] = self.encoder.transform(_texts(X, self.position))
        return columns

    def is_mostly_rare(self, X: Any) -> bool:
        """Return whether most values of training rows share a column, as those of free text do."""
        if self.encoder.infrequent_categories_[0] is None:
            return False
        n_present = sum(text is not None for text in _texts(X, self.position).ravel())
        return bool(2.0 * self.encoded(X)[:, -1].sum() > n_present)


@dataclass(frozen=True, eq=False)
class TableColumns:
    """How the columns of a table become numbers, learned from the training rows."""

    columns: tuple[NumberColumn | TextColumn, ...]
    sources: NDArray[np.intp]  # of each column of numbers the column of the table

    def encoded(self, X: Any) -> NDArray[np.float64]:
        """Return a table, or an array, as numbers, shape (n, number of columns of numbers)."""
        return np.hstack([column.encoded(X) for column in self.columns])

    def mostly_rare(self, X: Any) -> list[Any]:
        """Return the names of the columns in which most values of training rows are rare."""
        texts = (column for column in self.columns if isinstance(column, TextColumn))
        return [_name(X, column.position) for column in texts if column.is_mostly_rare(X)]


def learned_columns(X: Any, categorical: Sequence[int]) -> TableColumns:
    """Return how the columns of training rows become numbers.

    `categorical` are the positions of those whose values have no order. Raises ValueError, which
    names the column, for one that is neither of numbers nor among them.
    """
    columns: list[NumberColumn | TextColumn] = []
    sources: list[int] = []
    for position in range(X.shape[1]):
        column: NumberColumn | TextColumn
        if position in categorical:
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
            median = float(np.median(present)) if present.size else 0.0
            column = NumberColumn(position, median, 0 < present.size < numbers.size)
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
        return [j for j, dtype in enumerate(X.dtypes) if _is_of_texts(dtype)]
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


def _is_of_texts(dtype: Any) -> bool:
    return getattr(dtype, "kind", "O") in "OUST" or dtype.name == "category"


def _column(X: Any, position: int) -> Any:
    return X.iloc[:, position] if is_table(X) else X[:, position]


def _name(X: Any, position: int) -> Any:
    """Return the name of a column, or its position if it has none."""
    return X.columns[position] if is_table(X) else position


def _numbers(X: Any, position: int) -> NDArray[np.float64]:
    """Return a column of numbers, NaN for missing ones; refuse one of texts or dates."""
    column = _column(X, position)
    name = _name(X, position)
    if getattr(column.dtype, "kind", "O") in "mM":
        raise ValueError(
            f"column {name!r} holds dates or times: make numbers of them, such as days since the "
            "first"
        )
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
    if np.isinf(numbers).any():
        raise ValueError(f"column {name!r} holds infinity")
    return np.asarray(numbers, dtype=np.float64)


def _texts(X: Any, position: int) -> NDArray[np.object_]:
    """Return a column as texts, shape (n, 1), None for missing values."""
    values = np.asarray(_column(X, position), dtype=object)
    texts = np.empty((len(values), 1), dtype=object)
    for row, value in enumerate(values):
        texts[row, 0] = None if is_missing(value) else str(value)
    return texts
