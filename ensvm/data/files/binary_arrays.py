"""Arrays in binary files: numpy archives, and the idx format of MNIST."""

import io
import math
import zipfile
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ensvm.data.files.encode import LARGEST, Label, plain_labels, without_label
from ensvm.data.files.file_content import FileContent, FileFormat, Raw, check_size, reading
from ensvm.errors import UserError, did_you_mean
from ensvm.exact_integers import MOST_EXACT, merged_integers

_UNSIGNED_BYTE = 0x08  # the format's code of the only type of element that images and labels use


class NpzFormat(FileFormat):
    """A numpy archive with X, y and, for the protocol `indices`, train and test (zero-based).

    Attributes
    ----------
    type : 'npz'
        The name of the format.
    """

    endings: ClassVar = {".npz": {"type": "npz"}}
    begins: ClassVar = b"PK\x03\x04"

    type: Literal["npz"]

    def read(self, file: FileContent) -> Raw:
        """Return the arrays X and y, and the row numbers if there are any."""
        arrays = _arrays(file)
        for key in ("X", "y"):
            if key not in arrays:
                found = ", ".join(arrays) or "none"
                raise UserError(f"{file.name}: holds no array {key!r}; found: {found}")
        X, y = arrays["X"], arrays["y"]
        if X.ndim != 2 or y.shape != (len(X),) or not len(X):
            shapes = f"X {X.shape} and y {y.shape}"
            raise UserError(f"{file.name}: {shapes} are not of shapes (n, d) and (n,)")
        groups = None if file.groups is None else _texts(arrays, file.groups, "group", file.name)
        labels = _texts(arrays, "y", "label", file.name)
        return Raw(_inputs(X, file.name), labels, _splits(arrays, file.name), groups)


def _arrays(file: FileContent) -> dict[str, Any]:
    with reading(file.name, "a numpy archive of plain arrays"):
        with zipfile.ZipFile(io.BytesIO(file.data)) as members:
            check_size(sum(info.file_size for info in members.infolist()), file.name)
        with np.load(io.BytesIO(file.data), allow_pickle=False) as archive:
            return {key: archive[key] for key in archive.files}


def _inputs(X: NDArray[Any], file_name: str) -> NDArray[np.float64]:
    if X.dtype.kind not in "biuf":
        raise UserError(f"{file_name}: X holds values that are not finite numbers, but {X.dtype}")
    with np.errstate(over="ignore"):  # a float128 may become inf, which is refused below
        inputs: NDArray[np.float64] = X.astype(np.float64, copy=False)
    wrong = np.argwhere(~((inputs >= -LARGEST) & (inputs <= LARGEST)))
    if len(wrong):
        row, column = wrong[0]
        raise UserError(
            f"{file_name}, row {row + 1}, column {column + 1} of X: {X[row, column]} is not a "
            f"finite number of at most {LARGEST:g}"
        )
    for column in np.flatnonzero((np.abs(inputs) >= MOST_EXACT).any(axis=0)).tolist():
        if merged := merged_integers(X[:, column], inputs[:, column]):
            where = f"{file_name}, row {merged.row + 1}, column {column + 1} of X"
            raise UserError(f"{where}: {merged.problem}; leave names out of X")
    return inputs


def _texts(arrays: dict[str, Any], key: str, what: str, file_name: str) -> NDArray[np.str_]:
    """Return the label or the group of each row, from the array of this name."""
    if key not in arrays:
        raise UserError(
            f"{file_name}: {what}s: holds no array {key!r}{did_you_mean(key, arrays)} "
            f"(arrays: {', '.join(arrays)})"
        )
    array, n_rows = arrays[key], len(arrays["y"])
    if array.shape != (n_rows,) or array.dtype.kind not in "biufUS":
        raise UserError(
            f"{file_name}: {what}s: {key!r} holds {array.dtype} of shape {array.shape}; accepted: "
            f"a number or a text for each of the {n_rows} rows"
        )
    if array.dtype.kind == "S":
        try:
            array = np.char.decode(array, "utf-8")
        except UnicodeDecodeError as error:
            raise UserError(f"{file_name}: {what}s: {key!r} is not text in UTF-8") from error
    texts = plain_labels(array)
    for row in np.flatnonzero(without_label(texts))[:1]:
        raise UserError(
            f"{file_name}, row {row + 1} of {key}: the {what} is missing ({array[row]})"
        )
    return texts


def _splits(
    arrays: dict[str, Any], file_name: str
) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
    if ("train" in arrays) != ("test" in arrays):
        raise UserError(f"{file_name}: `train` and `test` belong together")
    if "train" not in arrays:
        return None
    train, test = (np.atleast_2d(arrays[part]) for part in ("train", "test"))
    for rows in (train, test):
        if rows.dtype.kind not in "iu":
            raise UserError(
                f"{file_name}: train and test hold zero-based row numbers, not {rows.dtype}"
            )
    return train.astype(np.intp), test.astype(np.intp)


class IdxFormat(FileFormat):
    """MNIST's idx format: images of unsigned bytes; each is a row of pixels 0..255.

    The labels are in a second file, which the source names under `labels`.

    Attributes
    ----------
    type : 'idx'
        The name of the format.
    keep : list of str or None
        The labels whose rows are used; all if not given.
    """

    labels_apart: ClassVar = True

    type: Literal["idx"]
    keep: list[Label] | None = None

    def read(self, file: FileContent) -> Raw:
        """Return images as rows of pixels, uint8 of shape (n, height * width), and their labels.

        The rows are in the order of the file. Raises UserError if either file is not idx, if their
        lengths differ or if a label of `keep` does not occur.
        """
        pixels = _idx_array(file.data, 3, "images", file.name)
        found = _idx_array(file.labels, 1, "labels", file.name)
        if len(pixels) != len(found):
            raise UserError(f"{file.name}: {len(pixels)} images, but {len(found)} labels")
        names = found.astype(str)
        chosen = np.full(len(names), True) if self.keep is None else np.isin(names, self.keep)
        absent = sorted(set(self.keep or []) - set(names[chosen]))
        if absent:
            raise UserError(f"{file.name}: keep: no image has the label {absent[0]!r}")
        if not len(names):
            raise UserError(f"{file.name}: holds no rows")
        return Raw(pixels[chosen].reshape(int(chosen.sum()), -1), names[chosen])


def _idx_array(content: bytes, dimensions: int, what: str, file_name: str) -> NDArray[np.uint8]:
    start = 4 + 4 * dimensions
    if content[:4] != bytes([0, 0, _UNSIGNED_BYTE, dimensions]) or len(content) < start:
        raise UserError(
            f"{file_name}: the {what} are not idx of unsigned bytes in {dimensions} dimensions"
        )
    shape = [int(size) for size in np.frombuffer(content, ">u4", dimensions, offset=4)]
    if len(content) - start != math.prod(shape):
        sizes = " x ".join(map(str, shape))
        raise UserError(
            f"{file_name}: the {what} are {len(content) - start} bytes; the header says {sizes}"
        )
    return np.frombuffer(content, np.uint8, offset=start).reshape(shape)
