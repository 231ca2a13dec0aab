"""The row numbers of splits as files: anyone can check a table with them, and studies read them."""

import csv
import hashlib
import io
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ensvm.data.files.file_content import unpack
from ensvm.data.splits import IndexPair, IndicesSplit
from ensvm.errors import Refused, UserError, did_you_mean

if TYPE_CHECKING:  # loading reads files of splits
    from ensvm.data.loading import Dataset

Splits = Sequence[IndexPair]
COLUMNS = ("data set", "realization", "part", "row")
PARTS = ("train", "test")


def splits_as_csv(splits: Mapping[str, tuple["Dataset", Splits]]) -> str:
    """Return a line for each row of each part: data set, realization, part, row number from 0."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for name, (_, parts) in splits.items():
        for realization, (train, test) in enumerate(parts, start=1):
            for part, rows in zip(PARTS, (train, test), strict=True):
                writer.writerows([name, realization, part, row] for row in rows.tolist())
    return text.getvalue()


def splits_as_npz(dataset: "Dataset", splits: Splits) -> bytes:
    """Return an archive of X, y, train and test; shorter parts are filled up with -1."""
    X = dataset.X.toarray() if hasattr(dataset.X, "toarray") else dataset.X
    codes = dataset.y if dataset.card.positive is None else (dataset.y > 0).astype(np.intp)
    train, test = zip(*splits, strict=True)
    file = io.BytesIO()
    y = np.array(dataset.classes)[codes]
    np.savez_compressed(file, X=X, y=y, train=_filled_up(train), test=_filled_up(test))
    return file.getvalue()


def with_listed_sizes(
    split: Mapping[str, Any], folder: Path, n_rows: int, data_set: str
) -> dict[str, Any]:
    """Return a split with what its file of row numbers decides; any other split as it is.

    These are the numbers of rows and of realizations, the sha256 of the content, and the whole path
    of a file that lies in `folder`. Keys that the split has are kept, and checked when rows are
    asked for. `n_rows` is the number of rows of the data set. Raises UserError if the file cannot
    be read.
    """
    if split.get("protocol") != "indices" or not isinstance(split.get("file"), str):
        return dict(split)
    path = (folder / split["file"]).absolute()
    (train, test), sha256 = _read(path, data_set, n_rows)
    from_file = {
        "n_train": train.shape[1],
        "n_test": test.shape[1],
        "realizations": len(train),
        "sha256": sha256,
    }
    return from_file | dict(split) | {"file": str(path)}


def listed_rows(split: IndicesSplit, n_rows: int, data_set: str) -> IndexPair:
    """Return the row numbers that a split's file lists, training and test, counted from 0.

    They have the shapes (realizations, n_train) and (realizations, n_test). Raises UserError if the
    file cannot be read, or does not list what the split says.
    """
    assert split.file is not None
    (train, test), sha256 = _read(Path(split.file), data_set, n_rows)
    expected = {
        "sha256": (split.sha256 or sha256, sha256),
        "realizations": (split.realizations, len(train)),
        "n_train": (split.n_train, train.shape[1]),
        "n_test": (split.n_test, test.shape[1]),
    }
    for key, (stated, actual) in expected.items():
        if stated != actual:
            raise UserError(
                f"data set {data_set!r}: split.{key}: the config says {stated}, but "
                f"{split.file} has {actual}"
            )
    return train, test


def _read(path: Path, data_set: str, n_rows: int) -> tuple[IndexPair, str]:
    """Return the row numbers of a file of splits, and the sha256 of its content."""
    try:
        state = path.stat()
    except OSError as error:
        raise UserError(
            f"data set {data_set!r}: split.file: {path} cannot be read: {error.strerror}"
        ) from error
    return _rows_in(path, state.st_mtime_ns, state.st_size, data_set, n_rows)


# Each realization asks for its rows; a file that was written anew has another state.
@lru_cache(maxsize=8)
def _rows_in(
    path: Path, _written: int, _size: int, data_set: str, n_rows: int
) -> tuple[IndexPair, str]:
    try:
        content = unpack(path)
        lines = list(csv.DictReader(io.StringIO(content.decode())))
    except (Refused, UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"data set {data_set!r}: split.file: {error}") from error
    wrong = f"data set {data_set!r}: split.file: {path}"
    missing = [name for name in COLUMNS[1:] if not lines or lines[0].get(name) is None]
    if missing:
        raise UserError(
            f"{wrong} has no column {missing[0]!r}; accepted: a table of text with the columns "
            f"{', '.join(COLUMNS[1:])}, as `ensvm data splits` writes it"
        )
    named = dict.fromkeys(line[COLUMNS[0]] for line in lines if COLUMNS[0] in line)
    if len(named) > 1 and data_set not in named:
        hint = did_you_mean(data_set, named)
        raise UserError(f"{wrong} lists rows of {', '.join(named)}, not of {data_set!r}{hint}")
    rows: dict[tuple[int, str], list[int]] = {}
    for number, line in enumerate(lines, start=2):
        if len(named) > 1 and line[COLUMNS[0]] != data_set:
            continue
        try:
            realization, row = int(line["realization"]), int(line["row"])
        except (TypeError, ValueError):
            realization = row = -1
        if line["part"] not in PARTS or realization < 1 or not 0 <= row < n_rows:
            found = ", ".join(str(line[name]) for name in COLUMNS[1:])
            raise UserError(
                f"{wrong}, line {number}: {found} is not accepted; accepted: a realization from 1, "
                f"train or test, and a row from 0 to {n_rows - 1}"
            )
        rows.setdefault((realization, line["part"]), []).append(row)
    return _of_equal_sizes(rows, n_rows, wrong), hashlib.sha256(content).hexdigest()


def _of_equal_sizes(
    rows: Mapping[tuple[int, str], list[int]], n_rows: int, wrong: str
) -> IndexPair:
    """Return the rows of realizations 1, 2, ... as arrays; raise UserError if sizes differ."""
    last = max(realization for realization, _ in rows)
    every, trained = range(1, last + 1), [part for _, part in rows].count("train")
    if trained != last:
        raise UserError(f"{wrong} lists training rows of {trained} of {last} realizations")
    train = [np.array(rows[number, "train"]) for number in every]
    if any((number, "test") in rows for number in every):
        test = [np.array(rows.get((number, "test"), [])) for number in every]
    else:
        test = [np.setdiff1d(np.arange(n_rows), trained_on) for trained_on in train]
    for number, (trained_on, tested_on) in enumerate(zip(train, test, strict=True), start=1):
        if shared := np.intersect1d(trained_on, tested_on).tolist():
            raise UserError(f"{wrong}: realization {number} trains and tests on row {shared[0]}")
        if (len(trained_on), len(tested_on)) != (len(train[0]), len(test[0])):
            raise UserError(
                f"{wrong}: realization {number} has {len(trained_on)} training and "
                f"{len(tested_on)} test rows, the first has {len(train[0])} and {len(test[0])}"
            )
    return np.array(train), np.array(test)


def _filled_up(parts: Sequence[NDArray[np.intp]]) -> NDArray[np.intp]:
    rows = np.full((len(parts), max(map(len, parts))), -1, dtype=np.intp)
    for line, part in zip(rows, parts, strict=True):
        line[: len(part)] = part
    return rows
