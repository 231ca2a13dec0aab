"""Writing files whole: a reader never sees half of one, and a failure leaves the old one."""

import os
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

_PARTIAL = (".ensvm-", ".partial")  # the names of half-written files begin and end so
_DAY = 86_400  # seconds


def replace_file(path: Path, content: str | bytes) -> None:
    """Replace a file by a whole new one, in a new folder if need be.

    If that fails, the old file stays.

    Raises OSError, which names the file, if it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_left_behind(path.parent)
    prefix, suffix = _PARTIAL
    try:
        descriptor, temporary = tempfile.mkstemp(suffix, prefix, path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content.encode() if isinstance(content, str) else content)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, allowed(0o666))
            os.replace(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        error.filename, error.filename2 = str(path), None
        raise


def allowed(permissions: int) -> int:
    """Return which of the permissions the user gives to new files and folders (`umask`)."""
    withheld = os.umask(0o077)  # the system tells it only in exchange for another
    os.umask(withheld)
    return permissions & ~withheld


@cache
def _remove_left_behind(folder: Path) -> None:
    """Remove half-written files that killed processes left in a folder, once for each folder.

    Only files older than a day are removed: another process may be writing the others.
    """
    long_ago = time.time() - _DAY
    for path in folder.glob("*".join(_PARTIAL)):
        with suppress(OSError):
            if path.stat().st_mtime < long_ago:
                path.unlink()
