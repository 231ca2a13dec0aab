"""The row numbers of splits as files, with which anyone can check a table."""

import csv
import io
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ensvm.data.loading import Dataset

Splits = Sequence[tuple[NDArray[np.intp], NDArray[np.intp]]]


def splits_as_csv(splits: Mapping[str, tuple[Dataset, Splits]]) -> str:
    """Return a line for each row of each part: data set, realization, part, row number from 0."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["data set", "realization", "part", "row"])
    for name, (_, parts) in splits.items():
        for realization, (train, test) in enumerate(parts, start=1):
            for part, rows in (("train", train), ("test", test)):
                writer.writerows([name, realization, part, row] for row in rows.tolist())
    return text.getvalue()


def splits_as_npz(dataset: Dataset, splits: Splits) -> bytes:
    """Return an archive of X, y, train and test; shorter parts are filled up with -1."""
    X = dataset.X.toarray() if hasattr(dataset.X, "toarray") else dataset.X
    codes = dataset.y if dataset.card.positive is None else (dataset.y > 0).astype(np.intp)
    train, test = zip(*splits, strict=True)
    file = io.BytesIO()
    y = np.array(dataset.classes)[codes]
    np.savez_compressed(file, X=X, y=y, train=_filled_up(train), test=_filled_up(test))
    return file.getvalue()


def _filled_up(parts: Sequence[NDArray[np.intp]]) -> NDArray[np.intp]:
    rows = np.full((len(parts), max(map(len, parts))), -1, dtype=np.intp)
    for line, part in zip(rows, parts, strict=True):
        line[: len(part)] = part
    return rows
