"""The canonical arrays of a data set: the same bytes whatever file or package they came from."""

import hashlib
import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.data.card import DatasetCard
from ensvm.data.files.file_content import Raw
from ensvm.data.splits import IndicesSplit, OfficialSplit
from ensvm.errors import UserError, did_you_mean

_DENSE_BYTES = 16 * 2**30  # a larger array more likely comes from a wrong index
_ROWS_AT_ONCE = 4096  # few enough that copying them takes little memory
# NaN has many bit patterns; checksums are computed with this one
_NAN = np.array(0x7FF8000000000000, dtype=np.uint64).view(np.float64)


@dataclass(frozen=True)
class Arrays:
    """The rows of a data set in one form."""

    X: Any  # the inputs before scaling, NaN where a value is missing
    # -1 and +1 where the card names a positive label, else codes 0, 1, ...; int8, or int32 for more
    # than 128 classes
    y: NDArray[Any]
    # row numbers of the training and the test parts, (realizations, rows), if they are fixed
    splits: tuple[NDArray[np.intp], NDArray[np.intp]] | None
    checksum: str  # the sha256 of all of these
    groups: NDArray[np.str_] | None  # the group of each row, where the split keeps groups whole


def assemble(card: DatasetCard, raw: Raw) -> Arrays:
    """Return the canonical arrays of all rows, checked.

    Raises UserError if rows, features, class counts or the checksum are not what the card says.
    """
    X = canonical_inputs(raw.X, card.sparse)
    if card.fill is None and np.isnan(_values(X)).any():
        hint = "`fill: training-mean` fills them in"
        raise UserError(f"data set {card.name!r}: missing values are kept; {hint}")
    _check_counts(card, X.shape, raw.labels)
    brought = bool(card.train) or card.brings_splits
    splits = _brought_splits(card, raw) if brought else None
    y, groups = encode_labels(card, raw.labels), raw.groups
    if card.groups is not None and groups is None:
        raise UserError(f"data set {card.name!r}: groups: its format has no groups")
    checksum = checksum_of(X, y, splits, groups)
    if card.checksum is not None:
        _check("checksum of the arrays", checksum, card.checksum, card.name)
    for shared in (_values(X), y):  # kept in memory for the next caller
        shared.flags.writeable = False
    return Arrays(X, y, splits, checksum, groups)


def sparse_matrix(X: Any) -> bool:
    """Return whether X is csr rather than a dense array."""
    return hasattr(X, "indptr")


def canonical_inputs(X: Any, sparse: bool) -> Any:
    """Return the inputs, so that equal inputs are equal bytes.

    Dense: C-order float64 without -0.0 and with one bit pattern for NaN; such an array is changed
    in place, so that no large one is held twice. Sparse: csr, columns sorted, without explicit
    zeros.
    """
    if not sparse:
        _check_dense_size(X.shape)
        dense = X.toarray() if sparse_matrix(X) else X
        X = np.require(dense, np.float64, ["C_CONTIGUOUS", "WRITEABLE"])
        for start in range(0, len(X), _ROWS_AT_ONCE):
            rows = X[start : start + _ROWS_AT_ONCE]
            rows += 0.0  # -0.0 + 0.0 = 0.0
            rows[np.isnan(rows)] = _NAN
        return X
    # imported here because scipy.sparse would slow down every start
    from scipy.sparse import csr_array

    X = csr_array(X, dtype=np.float64)
    X.sum_duplicates()
    X.eliminate_zeros()
    if X.nnz <= np.iinfo(np.int32).max:  # scikit-learn's LIBSVM takes no other row numbers
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X


def _check_dense_size(shape: tuple[int, int]) -> None:
    size = 8 * math.prod(shape)
    if size > _DENSE_BYTES:
        raise UserError(
            f"{shape[0]} rows of {shape[1]} columns need {size / 2**30:.0f} GiB when zeros are "
            f"kept; accepted: up to {_DENSE_BYTES / 2**30:.0f} GiB, or LIBSVM text with "
            "`scaling: none` or `maxabs`, which is sparse"
        )


def encode_labels(card: DatasetCard, labels: NDArray[np.str_]) -> NDArray[Any]:
    """Return y of shape (n,): +1 for the positive label and -1 for others, else codes 0, 1, ...

    The type is int8, or int32 if there are more classes than int8 can count.
    """
    if card.positive is not None:
        return np.where(labels == card.positive, 1, -1).astype(np.int8)
    wide = len(card.classes) - 1 > np.iinfo(np.int8).max
    y = np.zeros(len(labels), dtype=np.int32 if wide else np.int8)
    for code, label in enumerate(card.classes):
        y[labels == label] = code
    return y


def checksum_of(
    X: Any,
    y: NDArray[Any],
    splits: tuple[NDArray[np.intp], NDArray[np.intp]] | None,
    groups: NDArray[np.str_] | None = None,
) -> str:
    """Return the sha256 of shape, X, y, fixed row numbers and groups, the same on every machine.

    Missing splits or groups add nothing, so that data sets without them keep their checksums.
    """
    digest = hashlib.sha256(f"{X.shape} {sparse_matrix(X)}".encode())
    if sparse_matrix(X):
        digest.update(X.indptr.astype("<i8").tobytes() + X.indices.astype("<i8").tobytes())
        digest.update(X.data.astype("<f8").tobytes())
    else:
        digest.update(np.ascontiguousarray(X, dtype="<f8").data)
    digest.update(y.tobytes())
    for rows in splits or ():
        digest.update(f"{rows.shape}".encode() + rows.astype("<i8").tobytes())
    if groups is not None:
        digest.update(json.dumps(["groups", *groups.tolist()]).encode())
    return digest.hexdigest()


def _values(X: Any) -> NDArray[np.float64]:
    values: NDArray[np.float64] = X.data if sparse_matrix(X) else X
    return values


def _brought_splits(card: DatasetCard, raw: Raw) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    if raw.splits is None:
        raise UserError(
            f"data set {card.name!r}: protocol indices, but the file holds no train and test; "
            "`file:` in the split names a table of row numbers"
        )
    train, test = raw.splits
    _, n_train, n_test = card.sizes()
    if isinstance(card.split, OfficialSplit):  # other protocols split all rows anew
        _check("rows of the test part", test.shape[1], n_test, card.name)
    if isinstance(card.split, IndicesSplit) and card.brings_splits:
        actual = {"train": train.shape, "test": test.shape}
        realizations = card.split.realizations
        expected = {"train": (realizations, n_train), "test": (realizations, n_test)}
        _check("row numbers (realizations, rows)", actual, expected, card.name)
        if min(train.min(), test.min()) < 0 or max(train.max(), test.max()) >= card.rows:
            raise UserError(f"data set {card.name!r}: a row number is not in 0..{card.rows - 1}")
        for number, parts in enumerate(zip(train, test, strict=True), start=1):
            if len(shared := np.intersect1d(*parts)):
                raise UserError(
                    f"data set {card.name!r}: row {shared[0]} is in `train` and in `test` of "
                    f"realization {number} ({len(shared)} such rows in all); accepted: row numbers "
                    "in one part only"
                )
    return train, test


def class_counts(labels: NDArray[np.str_]) -> dict[str, int]:
    """Return the number of rows of each class, in sorted order."""
    classes, counts = np.unique(labels, return_counts=True)
    return dict(zip(classes.tolist(), counts.tolist(), strict=True))


def _check_counts(card: DatasetCard, shape: tuple[int, int], labels: NDArray[np.str_]) -> None:
    actual = class_counts(labels)
    for label in actual:
        if label not in card.classes:
            hint = f"{did_you_mean(label, card.classes)} (accepted: {', '.join(card.classes)})"
            raise UserError(f"data set {card.name!r}: label {label!r} is unknown{hint}")
    _check("rows", shape[0], card.rows, card.name)
    _check("features", shape[1], card.features, card.name)
    if None not in card.classes.values() and (card.generator is None or card.checksum is not None):
        _check("rows of each class", actual, card.classes, card.name)


def _check(what: str, actual: object, expected: object, name: str) -> None:
    if actual != expected:
        raise UserError(f"data set {name!r}: {what}: found {actual}, the card says {expected}")
