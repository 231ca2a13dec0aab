"""Compressed files: plain, .xz, .gz and .bz2, told apart by their endings."""

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

from ensvm.data.errors import Refused

UNPACK: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".xz": lzma.decompress,
    ".gz": gzip.decompress,
    ".bz2": bz2.decompress,
}


def unpack(path: Path) -> bytes:
    """Return the uncompressed content of a file; raise Refused if it is damaged or not there."""
    try:
        return UNPACK.get(path.suffix, bytes)(path.read_bytes())
    except (OSError, EOFError, lzma.LZMAError, ValueError) as error:
        raise Refused(f"{path} cannot be read: {error}") from error
