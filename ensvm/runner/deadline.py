"""A time limit on one cell: an exception in Python, the worker's end in compiled code."""

import faulthandler
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

# Compiled code that gives the interpreter no chance to raise gets this much longer before its
# worker is ended.
GRACE_SECONDS = 5.0


class DeadlineExceeded(BaseException):
    """The cell took longer than allowed. Not an `Exception`, so that no estimator swallows it."""


@contextmanager
def deadline(seconds: float | None, *, may_end_process: bool = True) -> Iterator[None]:
    """Raise DeadlineExceeded in the body after `seconds` of wall time (None: no limit).

    With `may_end_process` (a worker's own process) code that never returns to the interpreter ends
    the process a little later. Where there are no alarm signals (outside the main thread, on
    Windows) only that second limit works.
    """
    if seconds is None:
        yield
        return
    alarms = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    with open(os.devnull, "w") as nowhere:
        if may_end_process:
            faulthandler.dump_traceback_later(seconds + GRACE_SECONDS, exit=True, file=nowhere)
        previous = signal.signal(signal.SIGALRM, _raise) if alarms else None
        try:
            if alarms:
                signal.setitimer(signal.ITIMER_REAL, seconds)
            yield
        finally:
            try:
                if alarms:
                    signal.setitimer(signal.ITIMER_REAL, 0)
            finally:  # the alarm may ring up to here
                if alarms:
                    signal.signal(signal.SIGALRM, previous)
                if may_end_process:
                    faulthandler.cancel_dump_traceback_later()


def _raise(signum: int, frame: FrameType | None) -> None:
    raise DeadlineExceeded
