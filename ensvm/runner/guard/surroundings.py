"""What surrounds a cell in its process: the same for every cell, whatever the one before did."""

import os
import random
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import numpy as np

# Signals that end a run in an orderly way, where they are handled.
ENDING = (signal.SIGINT, signal.SIGTERM)

# The environment as the system has it, bytes on most: decoding it takes longer than many cells.
ENVIRONMENT: Any = getattr(os, "environb", os.environ)


@contextmanager
def surroundings(seed: int) -> Iterator[None]:
    """Run the body with global random numbers of its own, and undo what it does to its process.

    Undone is what it does to the global random numbers of NumPy and Python, to how NumPy treats
    errors, to scikit-learn's options, to the current folder, the environment, standard output and
    the handlers of Ctrl+C and SIGTERM. What else it changes, such as another module, stays.

    Parameters
    ----------
    seed : int
        Seeds the global random numbers, so that they are the same in any order of the cells.
    """
    from sklearn import config_context

    with ExitStack() as stack:
        for restored in (_streams, _place, _random_numbers, _signals):
            stack.callback(restored())
        stack.enter_context(np.errstate())
        stack.enter_context(config_context())
        random.seed(seed)
        np.random.seed(seed)
        yield


def _random_numbers() -> Callable[[], None]:
    generator, state, pythons = (
        np.random.get_bit_generator(),  # type: ignore[attr-defined]
        np.random.get_state(legacy=False),
        random.getstate(),
    )

    def restore() -> None:
        np.random.set_bit_generator(generator)  # type: ignore[attr-defined]
        np.random.set_state(state)
        random.setstate(pythons)

    return restore


def _place() -> Callable[[], None]:
    folder, environment = _folder(), dict(ENVIRONMENT)

    def restore() -> None:
        if folder is not None and _folder() != folder:
            with suppress(OSError):  # it may be gone
                os.chdir(folder)
        if dict(ENVIRONMENT) != environment:
            ENVIRONMENT.clear()
            ENVIRONMENT.update(environment)

    return restore


def _folder() -> str | None:
    try:
        return os.getcwd()
    except OSError:  # it was removed
        return None


def _streams() -> Callable[[], None]:
    streams = sys.stdout, sys.stderr

    def restore() -> None:
        sys.stdout, sys.stderr = streams

    return restore


def _signals() -> Callable[[], None]:
    if threading.current_thread() is not threading.main_thread():  # no other may set handlers
        return lambda: None
    found = {number: signal.getsignal(number) for number in ENDING}

    def restore() -> None:
        for number, handler in found.items():
            if handler is not None:  # else it is not Python's
                signal.signal(number, handler)

    return restore
