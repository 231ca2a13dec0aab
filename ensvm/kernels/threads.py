"""Run independent pieces of one computation on the threads that BLAS may use.

Products of blocks that fit a core's cache run faster side by side, each on one thread, than one
after the other on all of them, and what is done to a block between two products runs on all cores.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from threading import Lock
from typing import TypeVar

from threadpoolctl import ThreadpoolController

Piece = TypeVar("Piece")


class _OneThread:
    """Limit BLAS to one thread while at least one caller is inside; the limit is per process.

    The first caller sets the limit and the last one restores the number before.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._callers = 0
        self._threads_before = 1
        self._restore: Callable[[], None] | None = None

    def threads_outside(self) -> int:
        """Return the number of threads without the limit."""
        with self._lock:
            return self._threads_before if self._callers else _current_threads()

    def __enter__(self) -> None:
        with self._lock:
            if not self._callers:
                self._threads_before = _current_threads()
                if self._threads_before > 1:
                    self._restore = _blas().limit(limits=1).restore_original_limits
            self._callers += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._callers -= 1
            if not self._callers and self._restore is not None:
                self._restore()
                self._restore = None


_one_thread = _OneThread()


def blas_threads() -> int:
    """Return the number of threads that products of matrices may use: the most of any BLAS."""
    return _one_thread.threads_outside()


def one_blas_thread() -> _OneThread:
    """Return the context in which each product runs on the thread that asks for it.

    Threads of BLAS wait busily for each other, which a small product is not worth.
    """
    return _one_thread


def each(work: Callable[[Piece], None], pieces: Sequence[Piece]) -> None:
    """Call a function with each of some pieces, on as many threads as BLAS may use.

    What the function writes to belongs to its piece alone, so that neither the number of threads
    nor their order changes a result. A single piece may share its products between the threads.
    """
    if len(pieces) == 1 or (threads := blas_threads()) == 1:
        for piece in pieces:
            work(piece)
        return
    with one_blas_thread():
        for _ in _pool(threads).map(work, pieces):  # raises what a piece raised
            pass


def _current_threads() -> int:
    return max((library.num_threads for library in _blas().lib_controllers), default=1)


@lru_cache(maxsize=4)
def _pool(threads: int) -> ThreadPoolExecutor:
    """Return threads that wait for work: to start new ones for each product costs a tenth of it."""
    return ThreadPoolExecutor(threads)


if hasattr(os, "register_at_fork"):  # threads do not live on in a process that was forked
    os.register_at_fork(after_in_child=_pool.cache_clear)


@lru_cache
def _blas() -> ThreadpoolController:
    """Return the BLAS libraries loaded, found once: it takes longer than a small product."""
    import scipy.linalg  # noqa: F401  loaded first, so that its library is found too

    return ThreadpoolController().select(user_api="blas")
