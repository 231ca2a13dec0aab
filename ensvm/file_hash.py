"""The hash of files: of our sources, of a user's own modules and of other files that cells read."""

import hashlib
import os
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path


def hash_of_files(folder: Path, names: Iterable[str]) -> str:
    """Return a hash of the names and contents of files in a folder, of 16 hexadecimal digits.

    The names are relative to the folder; their order does not matter.

    Raises OSError, whose `filename` is one of the names, if that file cannot be read.
    """
    total = hashlib.sha256()
    for name in sorted(set(map(os.path.normpath, names))):
        try:
            status = os.stat(folder / name)
            version = status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
            digest = _digest_of(folder / name, version)
        except OSError as error:
            error.filename = name
            raise
        total.update(os.fsencode(name) + b"\0" + digest)
    return total.hexdigest()[:16]


@lru_cache(maxsize=10_000)
def _digest_of(path: Path, version: tuple[int, ...]) -> bytes:
    """Return the SHA-256 of a file; `version` is another if the file has been written to."""
    return hashlib.sha256(path.read_bytes()).digest()
