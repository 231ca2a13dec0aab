"""Readers: the bytes of one file, in the format its source states, to inputs and labels."""

import io
import zipfile
from typing import Any

import numpy as np

from ensvm.data.arrays import Raw, plain_labels
from ensvm.data.errors import DataError
from ensvm.data.files.idx import read_idx
from ensvm.data.files.layouts import (
    Format,
    IdxFormat,
    Inputs,
    LibsvmFormat,
    NpzFormat,
    ParquetFormat,
    TableFormat,
)
from ensvm.data.files.tables import Table, encode_table, read_table


def read(
    content: bytes,
    form: Format,
    inputs: Inputs | None,
    features: int | None,
    where: str,
    labels: bytes = b"",
) -> Raw:
    """Return what the file `where` holds; `features` widens LIBSVM text whose last columns are empty.

    `labels` is the content of the file of labels, for the formats that have one.

    Raises DataError, naming the file and where possible line, column and value, if it cannot be
    read so.
    """
    if isinstance(form, LibsvmFormat):
        return _read_libsvm(content, features, where)
    if isinstance(form, NpzFormat):
        return _read_npz(content, where)
    if isinstance(form, ParquetFormat):
        return _read_parquet(content, form, inputs, where)
    if isinstance(form, IdxFormat):
        return read_idx(content, labels, form.keep, where)
    return read_table(content, form, inputs, where)


def _read_libsvm(content: bytes, features: int | None, where: str) -> Raw:
    from sklearn.datasets import (
        load_svmlight_file,  # loaded only where needed: starting up must stay quick
    )

    try:
        X, labels = load_svmlight_file(io.BytesIO(content), n_features=features, zero_based="auto")
    except ValueError as error:
        raise DataError(f"{where}: is not LIBSVM text: {error}") from error
    if not np.isfinite(X.data).all():
        raise DataError(f"{where}: holds a value that is not a finite number")
    if not X.shape[0]:
        raise DataError(f"{where}: holds no rows")
    return Raw(X, plain_labels(labels))


def _read_npz(content: bytes, where: str) -> Raw:
    arrays = _npz_arrays(content, where)
    for key in ("X", "y"):
        if key not in arrays:
            raise DataError(
                f"{where}: holds no array {key!r}; found: {', '.join(arrays) or 'none'}"
            )
    X, y = arrays["X"], arrays["y"]
    if X.ndim != 2 or y.shape != (len(X),) or not len(X):
        raise DataError(f"{where}: X {X.shape} and y {y.shape} are not of shapes (n, d) and (n,)")
    if X.dtype.kind not in "biuf" or not np.isfinite(X).all():
        raise DataError(f"{where}: X holds values that are not finite numbers")
    if ("train" in arrays) != ("test" in arrays):
        raise DataError(f"{where}: `train` and `test` belong together")
    splits = None
    if "train" in arrays:
        splits = (_row_numbers(arrays["train"], where), _row_numbers(arrays["test"], where))
    return Raw(X.astype(np.float64), plain_labels(y), splits)


def _npz_arrays(content: bytes, where: str) -> dict[str, Any]:
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            return {key: archive[key] for key in archive.files}
    except (ValueError, OSError, AttributeError, zipfile.BadZipFile) as error:
        raise DataError(f"{where}: is not a numpy archive of plain arrays: {error}") from error


def _row_numbers(rows: Any, where: str) -> Any:
    rows = np.atleast_2d(rows)
    if rows.dtype.kind not in "iu":
        raise DataError(f"{where}: train and test hold zero-based row numbers, not {rows.dtype}")
    return rows.astype(np.intp)


def _read_parquet(content: bytes, form: ParquetFormat, inputs: Inputs | None, where: str) -> Raw:
    import pandas  # loaded only where needed: starting up must stay quick

    try:
        frame = pandas.read_parquet(io.BytesIO(content))
    except ImportError as error:
        raise DataError(
            f"{where}: reading Parquet needs pyarrow; install it or write the table as CSV"
        ) from error
    except (ValueError, OSError) as error:
        raise DataError(f"{where}: is not a Parquet table: {error}") from error
    names = [str(name) for name in frame.columns]
    # repr of a float64 reads back to the same number
    rows = [
        ["" if value is None or value != value else str(value) for value in row]
        for row in frame.to_numpy(object)
    ]
    table = Table(where, names, rows, list(range(1, len(rows) + 1)))
    return encode_table(
        table, TableFormat(type="table", target=form.target, incomplete=form.incomplete), inputs
    )
