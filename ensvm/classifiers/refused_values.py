"""What rows and labels hold that a classifier refuses: masked, missing, infinite values and texts.

A message names X or y, the column, the row and what is accepted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

READ_TABLES = "TunedSVC or SVMEnsembleClassifier"
MISSING = "a missing value (NaN)"
INFINITE = "infinity"
TEXT = "a value that is not a number"


def is_table(X: Any) -> bool:
    """Return whether X is a pandas DataFrame; pandas itself is not loaded for it."""
    return hasattr(X, "iloc") and hasattr(X, "columns")


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, or pandas' NaT or NA."""
    try:
        return bool(value is None or value != value)  # only a missing value differs from itself
    except TypeError:  # NA answers with neither True nor False
        return True


def refuse_masked(values: Any, name: str) -> None:
    """Raise ValueError for masked values: scikit-learn reads the numbers below the mask."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(
            f"{name} is a masked array with masked values; accepted: `{name}.filled(NUMBER)` or "
            "array without these rows"
        )


def refuse_missing_labels(y: Any) -> None:
    """Raise ValueError, which names the first row, if labels are missing."""
    labels = _array(y)
    if labels.ndim == 0 or labels.dtype.kind not in "fO":
        return
    missing = [row for row, label in enumerate(labels.tolist()) if is_missing(label)]
    if missing:
        raise ValueError(
            f"y: {len(missing)} of {len(labels)} labels missing (NaN), the first in row "
            f"{missing[0]} (from 0); accepted: a label for each row, so leave these rows out of X "
            "and y"
        )


def refused_value(X: Any, *, reads_tables: bool) -> str:
    """Return why X is refused: its first column with other values than finite numbers.

    Returns "" if there is none. `reads_tables` says whether the classifier takes a DataFrame with
    texts and missing values.
    """
    for name, values in _columns(X):
        what, row = _first_refused(values)
        if not what:
            continue
        place = f"X has {what} in column {name!r}, row {row} (from 0)"
        if what == INFINITE:
            return f"{place}; accepted: finite numbers"
        if reads_tables:
            return f"{place}; accepted: a pandas DataFrame in `fit` and `predict`, or numbers alone"
        tool = "sklearn.impute.SimpleImputer" if what == MISSING else "OneHotEncoder"
        return (
            f"{place}; accepted: numbers. Put {tool} before the classifier, or take {READ_TABLES}, "
            "which read DataFrames as they are"
        )
    return ""


def _columns(X: Any) -> Iterator[tuple[Any, NDArray[Any]]]:
    """Yield the name, or the number, and the values of each column."""
    if is_table(X):
        yield from ((name, np.asarray(X.iloc[:, at])) for at, name in enumerate(X.columns))
    elif issparse(X):
        entries = X.tocoo()
        refused = entries.col[~np.isfinite(entries.data)]
        yield from ((at, X.tocsc()[:, [at]].toarray().ravel()) for at in refused[:1].tolist())
    else:
        values = _array(X)
        yield from enumerate(values.T if values.ndim == 2 else ())


def _array(values: Any) -> NDArray[Any]:
    """Return an array; of a list NumPy itself would write NaN among texts as the text 'nan'."""
    return np.asarray(values, dtype=object if isinstance(values, list | tuple) else None)


def _first_refused(values: NDArray[Any]) -> tuple[str, int]:
    """Return what the first value of a column that is not a finite number is, and its row."""
    if values.dtype.kind in "biuc":
        return "", 0
    if values.dtype.kind == "f":
        rows: Sequence[int] = np.flatnonzero(~np.isfinite(values)).tolist()
    else:
        rows = range(len(values))
    for row in rows:
        value = values[row]
        if is_missing(value):
            return MISSING, row
        try:
            number = float(value)
        except (TypeError, ValueError):
            return f"{TEXT}, {str(value)!r}," if isinstance(value, str) else TEXT, row
        if not np.isfinite(number):
            return MISSING if is_missing(number) else INFINITE, row
    return "", 0
