"""The idx format of MNIST: a header of big-endian integers, then unsigned bytes."""

import math
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ensvm.data.errors import DataError
from ensvm.data.files.content import FileContent, FileFormat, Raw
from ensvm.data.files.labels import Label

_UNSIGNED_BYTE = 0x08  # the format's code of the only type of element that images and labels use


class IdxFormat(FileFormat):
    """MNIST's idx: images of unsigned bytes, a row of pixels 0..255 each.

    The labels are a file of their own, which the source names under `labels`. `keep` lists the
    labels whose rows are used (default: all).
    """

    labels_apart: ClassVar = True

    type: Literal["idx"]
    keep: list[Label] | None = None

    def read(self, file: FileContent) -> Raw:
        """Return images as rows of pixels, uint8 of shape (n, height * width), and their labels.

        The rows are in the order of the file. Raises DataError if either file is not idx, if their
        lengths differ or if a label of `keep` does not occur.
        """
        pixels = _read(file.data, 3, "images", file.where)
        found = _read(file.labels, 1, "labels", file.where)
        if len(pixels) != len(found):
            raise DataError(f"{file.where}: {len(pixels)} images, but {len(found)} labels")
        names = found.astype(str)
        chosen = np.full(len(names), True) if self.keep is None else np.isin(names, self.keep)
        absent = sorted(set(self.keep or []) - set(names[chosen]))
        if absent:
            raise DataError(f"{file.where}: keep: no image has the label {absent[0]!r}")
        if not len(names):
            raise DataError(f"{file.where}: holds no rows")
        return Raw(pixels[chosen].reshape(int(chosen.sum()), -1), names[chosen])


def _read(content: bytes, dimensions: int, what: str, where: str) -> NDArray[np.uint8]:
    start = 4 + 4 * dimensions
    if content[:4] != bytes([0, 0, _UNSIGNED_BYTE, dimensions]) or len(content) < start:
        raise DataError(
            f"{where}: the {what} are not idx of unsigned bytes in {dimensions} dimensions"
        )
    shape = [int(size) for size in np.frombuffer(content, ">u4", dimensions, offset=4)]
    if len(content) - start != math.prod(shape):
        sizes = " x ".join(map(str, shape))
        raise DataError(
            f"{where}: the {what} are {len(content) - start} bytes; the header says {sizes}"
        )
    return np.frombuffer(content, np.uint8, offset=start).reshape(shape)
