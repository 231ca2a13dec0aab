"""The `ensvm` command."""

import errno
import io
import os
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, TextIO

INTERRUPTED = 130
# Signals that end a command in an orderly way. SIGHUP, which a terminal that is closed sends, does
# not exist on Windows, and `nohup` has it ignored.
ENDING = [signal.SIGINT, signal.SIGTERM]
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
    ENDING.append(signal.SIGHUP)


def start() -> None:
    """Run the command; an interruption, even while it is loaded, has its own exit status."""
    on_ending(leave_at_once)
    _prepare_streams()
    from ensvm_cli.main import main

    on_ending(_leave)
    main()


def on_ending(handler: Callable[[int, FrameType | None], None] | signal.Handlers) -> None:
    """Have the signals that end a command handled so from now on."""
    for number in ENDING:
        signal.signal(number, handler)


def leave_at_once(signum: int, frame: FrameType | None) -> None:
    """End this process while nothing is open yet: what is loaded may swallow an exception."""
    try:
        os.write(2, b"interrupted\n")
    finally:  # the terminal may be closed
        os._exit(INTERRUPTED)


def _leave(signum: int, frame: FrameType | None) -> None:
    on_ending(signal.SIG_IGN)  # an impatient user's second signal must not disturb the tidying up
    print("interrupted", file=sys.stderr)
    sys.exit(INTERRUPTED)


def _prepare_streams() -> None:
    """Let the command write to the end, whether or not its output is open and is read."""
    # Else the next file that is opened, such as one of records, would be standard output.
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)
    sys.stdin = sys.stdin or os.fdopen(0, closefd=False)
    sys.stdout = _output(1, sys.stdout)
    sys.stderr = _output(2, sys.stderr)


class _Output(io.FileIO):
    """A standard stream; what is written after its reader has left is dropped."""

    def __init__(self, number: int) -> None:
        super().__init__(number, "w", closefd=False)
        self._ignored: set[int | None] = {errno.EPIPE, *([errno.EIO] if self.isatty() else [])}

    def write(self, data: Any) -> int:
        """Write bytes, and raise any other error the first time."""
        try:
            return super().write(data)
        except OSError as error:
            if error.errno not in self._ignored:
                self._ignored.add(error.errno)  # or Python would raise it again when it ends
                raise
            return memoryview(data).nbytes


def _output(number: int, before: TextIO | None) -> TextIO:
    """Return standard output or error, with the encoding that Python has given it."""
    stream = _Output(number)
    return io.TextIOWrapper(
        io.BufferedWriter(stream),
        encoding=getattr(before, "encoding", "utf-8"),
        errors=getattr(before, "errors", "backslashreplace"),
        line_buffering=number == 2 or stream.isatty(),
    )
