"""A user's file of inputs and labels without columns of names: npz and LIBSVM."""

import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ensvm.data import DataError
from ensvm.data.files.content import FileFormat, Raw
from ensvm.data.files.npz import NpzFormat
from ensvm.drafting.columns import FoundColumn, Kind
from ensvm.drafting.delimited import Fields
from ensvm.drafting.numerals import numbers_of
from ensvm.drafting.target import FoundTarget, check_target, target_in
from ensvm.drafting.typed import read_content

MOST_DENSE = 0.5  # of the values: with fewer that are not zero, scaling keeps the zeros
USES = {
    "X": "the inputs",
    "y": "the classes",
    "train": "row numbers of the training parts",
    "test": "row numbers of the test parts",
}
SAVE_AS = (
    "save it again with X (rows, columns) and y (a class for each row):"
    " numpy.savez('my.npz', X=X, y=y)"
)


@dataclass(frozen=True)
class ArrayFile:
    """Inputs and labels, and how they stand in their file.

    Attributes
    ----------
    path : Path
        The file.
    n_rows, n_inputs : int
        The rows, and the columns of the inputs.
    told : str
        What the file is, in one line.
    target : FoundTarget
        The classes.
    splits : int
        How many training and test parts the file brings; 0 where it brings none.
    zeros : bool
        Whether most values are zero, in a file that leaves them out.
    arrays : tuple of (str, str, str)
        Of an archive the name of each array, what it holds, and what it is used as.
    renamed : tuple of str
        Nothing: it has no names of columns.
    """

    path: Path
    n_rows: int
    n_inputs: int
    told: str
    target: FoundTarget
    splits: int = 0
    zeros: bool = False
    arrays: tuple[tuple[str, str, str], ...] = ()
    renamed: tuple[str, ...] = ()


def read_array_file(path: Path, form: type[FileFormat]) -> ArrayFile:
    """Return what a file of inputs and labels holds.

    Parameters
    ----------
    path : Path
        The file, perhaps compressed (.gz, .bz2 or .xz).
    form : type of FileFormat
        Its format, npz or LIBSVM.

    Returns
    -------
    ArrayFile
        What it holds.

    Raises
    ------
    DataError
        If it is no such file, or holds no classes; the message says what to do.
    """
    content = read_content(path)
    try:
        raw = form.model_validate(next(iter(form.endings.values()))).read(content)
    except DataError as error:
        raise DataError(f"{error}; {SAVE_AS}" if form is NpzFormat else str(error)) from error
    if not raw.X.shape[1]:
        raise DataError(f"{path}: has no inputs: every row is a label alone")
    arrays: tuple[tuple[str, str, str], ...] = ()
    if form is NpzFormat:
        with np.load(io.BytesIO(content.data), allow_pickle=False) as archive:
            arrays = tuple(_told({name: archive[name] for name in archive.files}))
        told, share = "a numpy archive", 1.0
    else:
        share = raw.X.nnz / (raw.X.shape[0] * raw.X.shape[1])
        told = f"LIBSVM text, {share:.2%} of its values not zero"
    n_rows, n_inputs = map(int, raw.X.shape)
    return ArrayFile(
        path,
        n_rows,
        n_inputs,
        told,
        _target(path, raw, "the array y" if arrays else "the labels"),
        0 if raw.splits is None else len(raw.splits[0]),
        share < MOST_DENSE,
        arrays,
    )


def _told(arrays: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    found = [(name, f"{held.dtype} {held.shape}") for name, held in arrays.items()]
    return [(name, held, USES.get(name, "not used")) for name, held in found]


def _target(path: Path, raw: Raw, called: str) -> FoundTarget:
    """Return the classes; raise DataError for labels that are none."""
    texts, rows = np.unique(raw.labels, return_inverse=True)
    levels = [str(text) for text in texts]
    kind: Kind = "text" if np.isnan(numbers_of(levels, ".")).any() else "number"
    column = FoundColumn("y", kind, Fields(levels, rows), tuple(levels))
    found = target_in(column, 0, called)
    check_target(str(path), called, found)
    return found
