"""What rows and labels hold that a classifier refuses: masked, missing, infinite values and texts.

A message names X or y, the column, the row and what is accepted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, time, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, issparse

from ensvm.exact_integers import MOST_EXACT, merged_integers
from ensvm.text_values import DATES_AS_NUMBERS

READ_TABLES = "TunedSVC or SVMEnsembleClassifier"
MISSING = "a missing value (NaN)"
INFINITE = "infinity"
TEXT = "a value that is not a number"
MOMENT = "a date or time"
COMPOUND = "a value of the type"
COMPLEX = "a complex number"
LARGEST = 1e150  # in size: sums of squares stay finite, and squares of 1 / LARGEST are not 0
ADVICE = {
    INFINITE: "finite numbers",
    MOMENT: DATES_AS_NUMBERS,
    # check_estimator asks for these words
    COMPOUND: "each cell of this argument must be a string or a number: make columns of its parts",
    COMPLEX: "real numbers (Complex data not supported)",
}


def is_table(X: Any) -> bool:
    """Return whether X is a pandas DataFrame; pandas itself is not loaded for it."""
    return hasattr(X, "iloc") and hasattr(X, "columns")


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, or pandas' NaT or NA."""
    try:
        return bool(value is None or value != value)  # only a missing value differs from itself
    except TypeError:  # NA answers with neither True nor False
        return True


def is_moment(value: Any) -> bool:
    """Return whether a value is a date, a time, a duration, or a period of pandas."""
    moments = (date, time, timedelta, np.datetime64, np.timedelta64)
    return isinstance(value, moments) or hasattr(value, "start_time")


def is_compound(value: Any) -> bool:
    """Return whether a value is neither a number nor has a text: a list, an object, ..."""
    if isinstance(value, str | bytes):
        return False
    kind = type(value)
    has_no_text = kind.__str__ is object.__str__ and kind.__repr__ is object.__repr__
    return has_no_text or hasattr(value, "__iter__")


def refused_place(what: str, about: str, name: Any, row: int, advice: str) -> str:
    """Return the message for a value of X; `about` are more words on what it is."""
    return f"X has {what}{about} in column {name!r}, row {row} (from 0); accepted: {advice}"


def refuse_compound(values: NDArray[Any], name: Any) -> None:
    """Raise TypeError if a column of objects has a list, a dict, ... in a cell."""
    for row, value in enumerate(values):
        if is_compound(value):
            raise TypeError(refused_place(COMPOUND, _type_of(value), name, row, ADVICE[COMPOUND]))


def refuse_types(X: Any) -> None:
    """Raise ValueError if X, or a column of it, is of dates, times or complex numbers.

    NumPy may turn dates into nanoseconds since 1970 without a word, and drop imaginary parts.
    """
    if is_table(X):
        kinds = [getattr(kind, "kind", "O") for kind in X.dtypes]
    else:
        kinds = [getattr(getattr(X, "dtype", None), "kind", "O")]
    for at, kind in enumerate(kinds):
        if what := {"m": MOMENT, "M": MOMENT, "c": COMPLEX}.get(kind):
            name = X.columns[at] if is_table(X) else at
            raise ValueError(refused_place(what, "", name, 0, ADVICE[what]))


def refuse_out_of_range(X: Any, name: Any = None) -> None:
    """Raise ValueError if validated rows have a number beyond LARGEST, or none above 1 / LARGEST.

    `name` is that of the column if there is only one; then small numbers are accepted.
    """
    numbers = X.data if issparse(X) else X
    if numbers.dtype.kind != "f" or not numbers.size:
        return
    largest = max(float(numbers.max()), -float(numbers.min()))
    if largest > LARGEST:
        entries = coo_array(X)
        at = int(np.abs(entries.data).argmax())
        column = int(entries.col[at]) if name is None else name
        what, about = "a number too large for its square", f", {entries.data[at]:g},"
        advice = f"numbers up to {LARGEST:g} in size, so divide the column"
        raise ValueError(refused_place(what, about, column, int(entries.row[at]), advice))
    if name is None and 0.0 < largest < 1.0 / LARGEST:
        raise ValueError(
            f"X has no number beyond {largest:g} in size, so that all squares are 0; accepted: "
            f"some beyond {1.0 / LARGEST:g}, so multiply the columns"
        )


def refuse_merged(values: NDArray[Any], numbers: NDArray[Any], name: Any) -> None:
    """Raise ValueError if different whole numbers of a column became equal `numbers`."""
    if merged := merged_integers(values, numbers):
        raise ValueError(
            f"X, column {name!r}, row {merged.row} (from 0): {merged.problem}; accepted: numbers "
            "that stay different, so leave identifiers out"
        )


def refuse_merged_columns(X: Any, numbers: Any) -> None:
    """Raise ValueError if different whole numbers of a column of X became equal `numbers`.

    `numbers` are the validated rows of X.
    """
    entries = numbers.data if issparse(numbers) else numbers
    if entries.dtype.kind != "f" or not (np.abs(entries) >= MOST_EXACT).any():
        return
    places = coo_array(numbers)
    large = set(places.col[np.abs(places.data) >= MOST_EXACT].tolist())
    columns = (column for at, column in enumerate(_columns(X)) if at in large)
    if issparse(X):
        by_column = X.tocsc()
        columns = ((at, by_column[:, [at]].toarray().ravel()) for at in sorted(large))
    for name, values in columns:
        refuse_merged(values, values.astype(np.float64), name)


def _type_of(value: Any) -> str:
    return f" {type(value).__name__!r}"


def refuse_mixed_labels(y: Any) -> None:
    """Raise ValueError if some labels are texts and some are not, which have no common order."""
    labels = _array(y)
    if labels.ndim != 1 or labels.dtype != object:
        return
    plain = (x.item() if isinstance(x, np.generic) else x for x in labels.tolist())
    examples = {isinstance(label, str): label for label in plain}
    if len(examples) == 2:
        raise ValueError(
            f"y holds texts and other values, such as {examples[True]!r} and {examples[False]!r}; "
            "accepted: labels of one type, such as texts alone"
        )


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
        what, about, row = _first_refused(values)
        if not what:
            continue
        advice = ADVICE.get(what, "a pandas DataFrame in `fit` and `predict`, or numbers alone")
        if what not in ADVICE and not reads_tables:
            tool = "sklearn.impute.SimpleImputer" if what == MISSING else "OneHotEncoder"
            advice = (
                f"numbers. Put {tool} before the classifier, or take {READ_TABLES}, which read "
                "DataFrames as they are"
            )
        return refused_place(what, about, name, row, advice)
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
        columns = values.T if values.ndim == 2 else ()
        names = list(getattr(X, "columns", ()))  # of a frame of polars
        if len(names) != len(columns) or not all(isinstance(name, str) for name in names):
            names = list(range(len(columns)))
        yield from zip(names, columns, strict=True)


def _array(values: Any) -> NDArray[Any]:
    """Return an array; of a list NumPy itself would write NaN among texts as the text 'nan'."""
    return np.asarray(values, dtype=object if isinstance(values, list | tuple) else None)


def _first_refused(values: NDArray[Any]) -> tuple[str, str, int]:
    """Return what the first value of a column that is not a finite number is, and its row.

    The second entry are more words on what it is.
    """
    if values.dtype.kind in "biu":
        return "", "", 0
    if values.dtype.kind == "c":
        return COMPLEX, "", 0
    if values.dtype.kind == "f":
        rows: Sequence[int] = np.flatnonzero(~np.isfinite(values)).tolist()
    else:
        rows = range(len(values))
    for row in rows:
        what, about = _refused(values[row])
        if what:
            return what, about, row
    return "", "", 0


def _refused(value: Any) -> tuple[str, str]:
    """Return what a value is that is not a finite number, and more words on it."""
    if is_compound(value):
        return COMPOUND, _type_of(value)
    if is_missing(value):
        return MISSING, ""
    if is_moment(value):
        return MOMENT, ""
    if isinstance(value, complex):
        return COMPLEX, ""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return (TEXT, f", {str(value)!r},") if isinstance(value, str) else (TEXT, "")
    if np.isfinite(number):
        return "", ""
    return (MISSING if is_missing(number) else INFINITE), ""
