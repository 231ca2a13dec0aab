"""Arrays that the cells of a realization share: handed out to be read, and checked afterwards."""

import zlib
from copy import copy
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.data.arrays import sparse_matrix

# Up to so many bytes a checksum is a CRC of all of them. Beyond, that would take longer than some
# cells do, and weighted sums of chunks of the array are taken, at the speed of the memory.
CRC_BYTES = 2**16
CHUNK = 1024  # numbers of 64 bits


class Shared:
    """An array, or a csr array, that several cells read and none may change.

    It is handed out as views that cannot be written to. That does not stop a determined writer
    (flags can be set, compiled code does not read them), so that a checksum tells what happened.

    Parameters
    ----------
    name : str
        What it is called in messages.
    values : ndarray or csr_array
        The values; its memory is made read-only.

    Examples
    --------
    >>> import numpy as np
    >>> from ensvm.runner.guard.shared_arrays import Shared
    >>> shared = Shared("y", np.array([1, -1, 1]))
    >>> shared.view().flags.writeable
    False
    """

    def __init__(self, name: str, values: Any) -> None:
        self.name = name
        self._values = values
        for array in _arrays(values):
            array.flags.writeable = False
        self._checksums = [checksum(array) for array in _arrays(values)]
        self._handed = False

    def view(self) -> Any:
        """Return the values for reading, as an object that nobody else has."""
        self._handed = True
        return view_of(self._values)

    def changed(self) -> bool:
        """Return whether the values are others than they were; only after they were handed out."""
        handed, self._handed = self._handed, False
        return handed and self._checksums != [checksum(array) for array in _arrays(self._values)]


def view_of(values: Any) -> Any:
    """Return the values as an object of its own on the same memory."""
    if not sparse_matrix(values):
        return values.view()
    view = copy(values)
    view.data, view.indices, view.indptr = (array.view() for array in _arrays(values))
    return view


def checksum(array: NDArray[Any]) -> int:
    """Return a number that tells whether an array was changed.

    Every byte counts, and so does its place. A change goes unnoticed by chance in one of four
    billion cases. It is no protection against one that is made to be unnoticed.

    Parameters
    ----------
    array : ndarray
        Of any shape and any type of numbers.

    Returns
    -------
    int
        The checksum, the same for the same memory in one process.
    """
    raw: Any = array.ravel(order="K").view(np.uint8)
    if raw.size <= CRC_BYTES:
        return zlib.crc32(raw)
    whole = raw.size // (8 * CHUNK) * (8 * CHUNK)
    head = raw[:whole]
    integers, factors = _weights()
    result = zlib.crc32(raw[whole:])
    result = zlib.crc32(
        np.einsum("ij,j->i", head.view(np.uint64).reshape(-1, CHUNK), integers), result
    )
    if array.dtype.kind == "f":
        # A sign is the highest bit of a number; of these the sums above tell the parity alone.
        weights = np.resize(factors, 8 * CHUNK // array.itemsize).astype(array.dtype)
        rows = head.view(array.dtype).reshape(-1, weights.size)
        with np.errstate(all="ignore"):
            reals = np.einsum("ij,j->i", rows, weights)
        # A library may have the processor round the tiniest numbers to zero from some time on.
        reals[np.abs(reals) < np.finfo(array.dtype).tiny / np.finfo(array.dtype).eps] = 0.0
        result = zlib.crc32(reals, result)
    return result


@cache
def _weights() -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
    """Return weights of whole numbers and of real ones, no two alike."""
    random = np.random.default_rng(0)
    integers = random.integers(2**63, size=CHUNK, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    return integers, random.uniform(0.5, 1.0, size=2 * CHUNK)


def _arrays(values: Any) -> list[NDArray[Any]]:
    """Return the arrays that hold the values."""
    return [values.data, values.indices, values.indptr] if sparse_matrix(values) else [values]
