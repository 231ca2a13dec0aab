"""What surrounds a cell in its process: the same for every cell, whatever the one before did."""

import os
import random
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from types import FrameType
from typing import Any

import numpy as np

# Signals that end a run in an orderly way, where they are handled.
ENDING = (signal.SIGINT, signal.SIGTERM)

# The environment as the system has it, bytes on most: decoding it takes longer than many cells.
ENVIRONMENT: Any = getattr(os, "environb", os.environ)


class Interruption:
    """Whether the user ended the run, told from an estimator that raises KeyboardInterrupt.

    Attributes
    ----------
    error : BaseException or None
        What the handler of the signal raised, if one was received.
    """

    def __init__(self) -> None:
        self.error: BaseException | None = None

    def watched(self, handler: Callable[[int, FrameType | None], Any]) -> Callable[..., None]:
        """Return a handler of signals that does the same, and notes what it raises."""

        def handle(number: int, frame: FrameType | None) -> None:
            try:
                handler(number, frame)
            except BaseException as error:
                self.error = error
                raise

        return handle

    def go_on(self) -> None:
        """Raise what a signal raised, whatever an estimator made of it."""
        if self.error is not None:
            raise self.error


@contextmanager
def surroundings(seed: int) -> Iterator[Interruption]:
    """Run the body with global random numbers of its own, and undo what it does to its process.

    Undone is what it does to the global random numbers of NumPy and Python, to how NumPy treats
    errors, to scikit-learn's options, to the current folder, the environment, standard output and
    the handlers of Ctrl+C and SIGTERM. What else it changes, such as another module, stays.

    Parameters
    ----------
    seed : int
        Seeds the global random numbers, so that they are the same in any order of the cells.

    Yields
    ------
    Interruption
        Whether the user ended the run meanwhile.
    """
    from sklearn import config_context

    interruption = Interruption()
    with ExitStack() as stack:
        for restored in (_streams, _place, _random_numbers):
            stack.callback(restored())
        stack.enter_context(np.errstate())
        stack.enter_context(config_context())
        stack.enter_context(_signals(interruption))
        random.seed(seed)
        np.random.seed(seed)
        yield interruption


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


@contextmanager
def _signals(interruption: Interruption) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():  # no other gets signals
        yield
        return
    found = {number: signal.getsignal(number) for number in ENDING}
    before = {number: handler for number, handler in found.items() if handler is not None}
    for number, handler in before.items():
        if callable(handler):
            signal.signal(number, interruption.watched(handler))
    try:
        yield
    finally:
        for number, handler in before.items():
            # The handler of a signal that came may have changed the handlers for good.
            if interruption.error is None:
                signal.signal(number, handler)
