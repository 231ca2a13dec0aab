"""Compressed files: plain, .xz, .gz and .bz2, told apart by their endings."""

import bz2
import gzip
import lzma
import math
import os
import stat
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ensvm.data.errors import Refused

UNPACK: dict[str, Callable[[Path], Any]] = {
    "": lambda path: path.open("rb"),
    ".xz": lzma.open,
    ".gz": gzip.open,
    ".bz2": bz2.open,
}
_GIB = 2**30
_CHUNK = 2**24  # bytes; a file that unpacks to more than the limit is noticed within one


def unpack(path: Path) -> bytes:
    """Return the uncompressed content of a file.

    Raises Refused if it is damaged, not there, not a regular file (a pipe would wait for ever) or
    larger than the limit of `largest_content`.
    """
    try:
        _check_regular(path)
        return _read(path)
    except MemoryError:
        raise Refused(f"{path} is too large for the memory of this machine") from None
    except (OSError, EOFError, lzma.LZMAError, zlib.error, ValueError) as error:
        raise Refused(f"{path} cannot be read: {error or type(error).__name__}") from error


def largest_content() -> int:
    """Return how many bytes a file may have once unpacked: 1 GiB, unless ENSVM_MAX_GIB says else.

    A few kilobytes can unpack to more than any machine holds.
    """
    given = os.environ.get("ENSVM_MAX_GIB", "") or "1"
    try:
        limit = float(given)
    except ValueError:
        limit = math.nan
    if not 0 < limit < math.inf:
        raise Refused(f"ENSVM_MAX_GIB: {given!r} is not accepted; accepted: a number above 0")
    return round(limit * _GIB)


def check_size(size: int, where: object) -> None:
    """Raise Refused if content of this many bytes is more than `largest_content`."""
    limit = largest_content()
    if size > limit:
        raise Refused(
            f"{where} holds more than {limit / _GIB:g} GiB once unpacked; "
            "ENSVM_MAX_GIB=<number> accepts more"
        )


def _check_regular(path: Path) -> None:
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode):
        kinds = {stat.S_ISDIR: "a folder", stat.S_ISFIFO: "a pipe", stat.S_ISSOCK: "a socket"}
        kind = next((name for test, name in kinds.items() if test(mode)), "a device")
        raise Refused(f"{path} is {kind}; accepted: a regular file")


def _read(path: Path) -> bytes:
    chunks, size = list[bytes](), 0
    with UNPACK.get(path.suffix, UNPACK[""])(path) as file:
        while chunk := file.read(_CHUNK):
            chunks.append(chunk)
            size += len(chunk)
            check_size(size, path)
    return b"".join(chunks)
