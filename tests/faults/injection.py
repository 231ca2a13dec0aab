"""Make the k-th call to the operating system fail, in the process that runs a command.

Python's audit hooks see every file that is opened, renamed, removed or made, and every process that
is started; what a file object writes is seen by a `FileIO` put in the place of Python's own.
"""

import _pyio
import builtins
import errno
import io
import itertools
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Any

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


class Fault(Enum):
    """What happens at a point: an error, the end of the process, or half a write and then that."""

    ENOSPC = "disk full"  # and it stays full until the command ends
    EIO = "I/O error"  # once
    KILL = "kill -9"
    TORN_ENOSPC = "half, full"
    TORN_KILL = "half, kill"


# The operations, and the faults that each of them can meet.
FAULTS = {
    "read": (Fault.EIO,),
    "open": (Fault.ENOSPC, Fault.EIO, Fault.KILL),
    "write": (Fault.ENOSPC, Fault.EIO, Fault.KILL, Fault.TORN_ENOSPC, Fault.TORN_KILL),
    "truncate": (Fault.EIO, Fault.KILL),
    "fsync": (Fault.ENOSPC, Fault.EIO, Fault.KILL),
    "rename": (Fault.ENOSPC, Fault.EIO, Fault.KILL),
    "mkdir": (Fault.ENOSPC, Fault.EIO, Fault.KILL),
    "remove": (Fault.EIO, Fault.KILL),
    "spawn": (Fault.ENOSPC, Fault.EIO, Fault.KILL),
}
NEEDS_SPACE = ("open", "write", "mkdir")


class Injector:
    """Counts the operations of this process below a folder, and makes one of them fail.

    Parameters
    ----------
    folder : Path
        The folder; operations elsewhere are not counted, and those that write are reported.
    report : Path
        The file that a JSON line is added to for every operation, and for the fault.
    point : int
        The number of the operation that fails, from 1; 0 for none.
    fault : Fault
        How it fails.
    at_fault : callable
        Returns what the report says of the moment just before the fault.
    """

    def __init__(
        self, folder: Path, report: Path, point: int, fault: Fault, at_fault: Callable[[], Any]
    ) -> None:
        self._folder, self._point, self._fault = str(folder), point, fault
        self._report = os.open(report, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self._at_fault = at_fault
        self._numbers = itertools.count(1)
        self._paused = self._full = False
        self._write, self._fsync = os.write, os.fsync

    def install(self) -> None:
        """Watch this process from now on, but not the processes that it forks."""
        injector = self

        class Watched(io.FileIO):
            def write(self, content: Any) -> int:
                return injector._written(self.fileno(), content, super().write)

            def truncate(self, size: int | None = None) -> int:
                injector._reached("truncate", _of_file(self.fileno()))
                return super().truncate(size)

        # Python's own `open` in Python, on buffers in C.
        for name in ("BufferedReader", "BufferedWriter", "BufferedRandom", "TextIOWrapper"):
            setattr(_pyio, name, getattr(io, name))
        _pyio.FileIO = Watched  # type: ignore[attr-defined]
        builtins.open = io.open = _pyio.open  # type: ignore[assignment]
        os.write = lambda file, content: self._written(
            file, content, lambda part: self._write(file, part)
        )
        os.fsync = self._synced
        os.register_at_fork(after_in_child=self._stop)
        sys.addaudithook(self._heard)

    def _stop(self) -> None:
        self._paused = True

    @contextmanager
    def _pause(self) -> Iterator[None]:
        self._paused = True
        try:
            yield
        finally:
            self._paused = False

    def _heard(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self._paused:
            return
        if event == "open":
            path, _, flags = arguments
            if isinstance(path, str | bytes):
                self._reached("open" if flags & WRITING else "read", _absolute(path), flags)
        elif event in ("os.mkdir", "os.remove", "os.rmdir"):
            operation = "mkdir" if event == "os.mkdir" else "remove"
            self._reached(operation, _absolute(arguments[0], arguments[-1]))
        elif event == "os.rename":
            self._reached("rename", _absolute(arguments[1], arguments[3]))
        elif event in ("subprocess.Popen", "os.fork", "os.posix_spawn"):
            self._reached("spawn", self._folder)

    def _written(self, file: int, content: Any, write: Callable[[Any], int]) -> int:
        if self._paused:
            return write(content)
        torn = self._reached("write", _of_file(file))
        if torn is None:
            return write(content)
        written = write(bytes(content)[: len(content) // 2])
        if torn is Fault.TORN_KILL:
            os.kill(os.getpid(), signal.SIGKILL)
        self._full = True
        return written

    def _synced(self, file: int) -> None:
        if not self._paused:
            self._reached("fsync", _of_file(file))
        self._fsync(file)

    def _reached(self, operation: str, path: str, flags: int = 0) -> Fault | None:
        """Count an operation and make it fail if it is the one; return how a write is torn."""
        if not f"{path}/".startswith(f"{self._folder}/"):
            # Temporary files are looked for when the command has ended.
            allowed = path.startswith(("/dev/", os.environ["TMPDIR"]))
            if operation in ("open", "rename", "mkdir", "remove") and not allowed:
                self._say(outside=f"{operation} {path}")
            return None
        number = next(self._numbers)
        self._say(operation=operation, path=os.path.relpath(path, self._folder))
        makes_file = operation != "open" or (flags & os.O_CREAT and not os.path.exists(path))
        if self._full and operation in NEEDS_SPACE and makes_file:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
        return self._fail(operation, path) if number == self._point else None

    def _fail(self, operation: str, path: str) -> Fault | None:
        with self._pause():
            self._say(before=self._at_fault())
        if self._fault in (Fault.TORN_ENOSPC, Fault.TORN_KILL):
            return self._fault
        if self._fault is Fault.KILL:
            os.kill(os.getpid(), signal.SIGKILL)
        self._full = self._fault is Fault.ENOSPC
        number = getattr(errno, self._fault.name)
        if operation in (
            "write",
            "truncate",
            "fsync",
        ):  # Python does not say which file these are about
            raise OSError(number, os.strerror(number))
        raise OSError(number, os.strerror(number), path)

    def _say(self, **line: Any) -> None:
        self._write(self._report, json.dumps(line).encode() + b"\n")


def _of_file(file: int) -> str:
    return os.readlink(f"/proc/self/fd/{file}")


def _absolute(path: str | bytes, folder: int = -1) -> str:
    base = os.getcwd() if folder == -1 else _of_file(folder)
    return os.path.normpath(os.path.join(base, os.fsdecode(path)))
