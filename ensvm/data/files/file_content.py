"""The bytes of a file, unpacked within limits, and what a reader makes of them."""

import bz2
import codecs
import gzip
import lzma
import math
import os
import re
import zlib
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ensvm.data.files.encode import Inputs
from ensvm.errors import Refused, UserError
from ensvm.yaml_block import Strict

# The endings of compressed files, with their first bytes and what reads them.
PACKED: dict[str, tuple[re.Pattern[bytes], Callable[[Path], Any]]] = {
    ".xz": (re.compile(rb"\xfd7zXZ\0"), lzma.open),
    ".gz": (re.compile(rb"\x1f\x8b\x08"), gzip.open),
    ".bz2": (re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"), bz2.open),
}
_LONGEST = 16  # of these first bytes
_GIB = 2**30
_CHUNK = 2**24  # bytes; a file that unpacks to more than the limit is noticed within one


def unpack(path: Path) -> bytes:
    """Return the uncompressed content of a file, which shows by its first bytes how it is packed.

    Raises Refused if the file is damaged, absent, a folder or a pipe, or larger than the limit of
    `largest_content`.
    """
    try:
        if path.exists() and not path.is_file():
            kind = "a folder, not a file" if path.is_dir() else "not a regular file"
            raise Refused(f"{path} is {kind}")
        chunks, size = list[bytes](), 0
        with _opened(path) as file:
            while chunk := file.read(_CHUNK):
                chunks.append(chunk)
                size += len(chunk)
                check_size(size, path)
        return b"".join(chunks)
    except MemoryError:
        raise Refused(f"{path} is too large for the memory of this machine") from None
    except (OSError, EOFError, lzma.LZMAError, zlib.error, ValueError) as error:
        raise Refused(f"{path} cannot be read: {error or type(error).__name__}") from error


def _opened(path: Path) -> Any:
    with path.open("rb") as file:
        start = file.read(_LONGEST)
    for begins, opener in PACKED.values():
        if begins.match(start):
            return opener(path)
    if path.suffix in PACKED:
        raise Refused(
            f"{path} cannot be read: it is damaged, or it is not compressed; if so, rename it "
            f"without {path.suffix}"
        )
    return path.open("rb")


def is_utf_16(content: bytes) -> bool:
    """Return whether a text begins with the byte-order mark of UTF-16."""
    return content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))


def largest_content() -> int:
    """Return how many bytes a file may have once unpacked: 1 GiB, or ENSVM_MAX_GIB.

    A few kilobytes can unpack to more than any machine holds.
    """
    setting = os.environ.get("ENSVM_MAX_GIB", "") or "1"
    try:
        limit = float(setting)
    except ValueError:
        limit = math.nan
    if not 0 < limit < math.inf:
        raise Refused(f"ENSVM_MAX_GIB: {setting!r} is not accepted; accepted: a number above 0")
    return round(limit * _GIB)


def check_size(size: int, name: object) -> None:
    """Raise Refused if content of this many bytes is more than `largest_content`."""
    limit = largest_content()
    if size > limit:
        raise Refused(
            f"{name} holds more than {limit / _GIB:g} GiB once unpacked; "
            "ENSVM_MAX_GIB=<number> accepts more"
        )


@dataclass(frozen=True)
class FileContent:
    """The uncompressed bytes of one file, and those keys of the card that its reader needs."""

    data: bytes  # the file
    name: str  # what messages call the file
    # the columns used and their encodings, for formats with named columns; None: all columns
    inputs: Inputs | None = None
    # the number of columns, for LIBSVM text whose last columns may be empty
    features: int | None = None
    labels: bytes = b""  # the file of the labels, for formats that keep them apart
    # the column, or of an archive the array, that says which rows belong together
    groups: str | None = None


@dataclass(frozen=True)
class Raw:
    """What a reader finds in one file."""

    X: Any  # the inputs
    labels: NDArray[np.str_]  # the labels as cards write them
    # row numbers of the training and the test parts, each of shape (realizations, rows), if the
    # files bring them
    splits: tuple[NDArray[np.intp], NDArray[np.intp]] | None = None
    groups: NDArray[np.str_] | None = None  # the group of each row, if the card asks for groups


class FileFormat(Strict):
    """A format: the options that a card may set, and how a file is read with them."""

    # the endings of users' own files in this format, each with the options that it implies
    endings: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    labels_apart: ClassVar[bool] = False  # whether the labels are in a file of their own
    begins: ClassVar[bytes] = b""  # the first bytes of all files in this format, if they have some
    sparse: ClassVar[bool] = False  # whether most values are left out because they are zero

    @classmethod
    def accepts(cls, content: bytes) -> bool:
        """Return whether the first bytes of a file are those of all files in this format."""
        return bool(cls.begins) and content.startswith(cls.begins)

    @abstractmethod
    def read(self, file: FileContent) -> Raw:
        """Return the inputs and labels; raise UserError naming file and, if possible, place."""

    def settled(self, files: Sequence[FileContent]) -> Self:
        """Return the format, completed by options that all files of a data set together decide."""
        return self


def joined(raws: Sequence[Raw]) -> Raw:
    """Return the rows of files, one after the other."""
    if len(raws) == 1:
        return raws[0]
    if any(hasattr(raw.X, "indptr") for raw in raws):
        from scipy.sparse import csr_array, vstack  # loaded here to keep starting up quick

        X = vstack([csr_array(raw.X) for raw in raws], format="csr")
    else:
        X = np.concatenate([raw.X for raw in raws])
    groups = [raw.groups for raw in raws if raw.groups is not None]
    labels = np.concatenate([raw.labels for raw in raws])
    return Raw(X, labels, groups=np.concatenate(groups) if groups else None)


def joined_parts(parts: Sequence[Raw]) -> Raw:
    """Return all rows; those of a training and a test part come with the row numbers of each."""
    if len(parts) == 1:
        return parts[0]
    n_train = parts[0].X.shape[0]
    whole = joined(parts)
    rows = np.arange(whole.X.shape[0])[None]
    return replace(whole, splits=(rows[:, :n_train], rows[:, n_train:]))


@contextmanager
def reading(file_name: str, what: str) -> Iterator[None]:
    """Turn whatever a library's reader raises for a damaged file into UserError.

    The libraries raise anything from KeyError to OverflowError for bytes that they do not expect.
    """
    try:
        yield
    except UserError:
        raise
    except Refused as refusal:
        raise UserError(str(refusal)) from refusal
    except MemoryError as error:
        raise UserError(f"{file_name}: is too large for the memory of this machine") from error
    except Exception as error:
        lines = str(error).splitlines() or [type(error).__name__]
        raise UserError(f"{file_name}: is not {what}: {lines[0][:200]}") from error
