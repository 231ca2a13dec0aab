"""numpy archives: arrays by name."""

import io
import zipfile
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ensvm.data.errors import DataError
from ensvm.data.files.content import FileContent, FileFormat, Raw
from ensvm.data.files.labels import plain_labels


class NpzFormat(FileFormat):
    """A numpy archive with X, y and, for the protocol `indices`, train and test (zero-based)."""

    endings: ClassVar = {".npz": {"type": "npz"}}

    type: Literal["npz"]

    def read(self, file: FileContent) -> Raw:
        """Return the arrays X and y, and the row numbers if there are any."""
        arrays = _arrays(file)
        for key in ("X", "y"):
            if key not in arrays:
                found = ", ".join(arrays) or "none"
                raise DataError(f"{file.where}: holds no array {key!r}; found: {found}")
        X, y = arrays["X"], arrays["y"]
        if X.ndim != 2 or y.shape != (len(X),) or not len(X):
            shapes = f"X {X.shape} and y {y.shape}"
            raise DataError(f"{file.where}: {shapes} are not of shapes (n, d) and (n,)")
        if X.dtype.kind not in "biuf" or not np.isfinite(X).all():
            raise DataError(f"{file.where}: X holds values that are not finite numbers")
        return Raw(X.astype(np.float64), plain_labels(y), _splits(arrays, file.where))


def _arrays(file: FileContent) -> dict[str, Any]:
    try:
        with np.load(io.BytesIO(file.data), allow_pickle=False) as archive:
            return {key: archive[key] for key in archive.files}
    except (ValueError, OSError, AttributeError, zipfile.BadZipFile) as error:
        message = f"{file.where}: is not a numpy archive of plain arrays: {error}"
        raise DataError(message) from error


def _splits(arrays: dict[str, Any], where: str) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
    if ("train" in arrays) != ("test" in arrays):
        raise DataError(f"{where}: `train` and `test` belong together")
    if "train" not in arrays:
        return None
    return _row_numbers(arrays["train"], where), _row_numbers(arrays["test"], where)


def _row_numbers(rows: Any, where: str) -> NDArray[np.intp]:
    rows = np.atleast_2d(rows)
    if rows.dtype.kind not in "iu":
        raise DataError(f"{where}: train and test hold zero-based row numbers, not {rows.dtype}")
    numbers: NDArray[np.intp] = rows.astype(np.intp)
    return numbers
