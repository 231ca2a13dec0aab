"""Temporary folders that do not stay behind, even if the process that made them was killed."""

import shutil
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

from filelock import FileLock, Timeout

PREFIX = "ensvm-"
LOCK = "in-use.lock"  # held as long as the folder's process lives
_SECONDS_TO_LOCK = 60.0  # a process that has just made its folder may not have locked it yet


class TemporaryFolder(tempfile.TemporaryDirectory[str]):
    """A temporary folder that is removed at the latest when its process ends.

    A process that is killed leaves its folder behind. The first folder of a later process removes
    it. The lock tells them apart: the system releases it when a process ends, in whatever way.
    """

    def __init__(self) -> None:
        super().__init__(prefix=PREFIX, ignore_cleanup_errors=True)
        self._lock = FileLock(Path(self.name) / LOCK)
        self._lock.acquire()
        _remove_left_behind(Path(self.name).parent)

    def cleanup(self) -> None:
        """Remove the folder."""
        self._lock.release()
        super().cleanup()


@cache
def _remove_left_behind(parent: Path) -> None:
    """Remove the folders of processes that were killed, once in this process."""
    long_ago = time.time() - _SECONDS_TO_LOCK
    for path in parent.glob(f"{PREFIX}*/{LOCK}"):
        with suppress(OSError, Timeout):  # of another user, removed meanwhile, or in use
            if path.stat().st_mtime < long_ago:
                with FileLock(path, timeout=0):
                    shutil.rmtree(path.parent, ignore_errors=True)
