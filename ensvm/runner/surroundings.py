"""The surroundings of a cell in its process: random numbers, options of libraries, a time limit.

A cell with the user's own code runs in a process of its own, so that nothing else needs restoring.
"""

import random
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import numpy as np


class DeadlineExceeded(BaseException):
    """The cell took longer than allowed. Not an `Exception`, so that no estimator swallows it."""


@contextmanager
def surroundings(seed: int) -> Iterator[None]:
    """Run the body with seeded global random numbers, and restore the options of libraries.

    Restored are NumPy's treatment of floating-point errors and scikit-learn's options. The global
    random numbers need not be, because every cell seeds them.
    """
    from sklearn import config_context

    with np.errstate(), config_context():
        random.seed(seed)
        np.random.seed(seed)
        yield


@contextmanager
def deadline(seconds: float | None) -> Iterator[None]:
    """Raise DeadlineExceeded in the body after `seconds` of wall time (None: no limit).

    An alarm signal raises it between two instructions of Python, in the main thread alone. The
    parent process keeps a clock of its own for code that the alarm does not reach.
    """
    if seconds is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.signal(signal.SIGALRM, _raise)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        yield
    finally:
        try:
            signal.setitimer(signal.ITIMER_REAL, 0)
        finally:  # the alarm may ring up to here
            signal.signal(signal.SIGALRM, previous)


def _raise(signum: int, frame: FrameType | None) -> None:
    raise DeadlineExceeded
