"""The one decorator of compiled functions: numba's `njit`, with machine code kept between runs.

Numba compiles a function once and keeps the result on disk until the function's own file changes.
It does not check the files of the functions that this function calls, so after an edit a caller
could still run the old machine code of a callee. Here a hash of all compiled sources of ensvm names
the folder of the machine code, so a change of any of them compiles all functions again. The version
of numba names it too, because two versions would overwrite each other's code. Numba itself
distinguishes versions of Python and kinds of processors.
"""

import logging
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast, overload

import numba
from numba.core import event as events
from numba.misc.appdirs import user_cache_dir

from ensvm.file_hash import hash_of_files

PACKAGE = Path(__file__).parent
MARK = b"from ensvm.compiled import"  # what a file with compiled functions contains
PREFIX = "ensvm-"  # of the folders of machine code, so that no other folder is ever removed
KEPT_SECONDS = 30 * 24 * 3600.0  # unused machine code of other sources is removed after it

ANNOUNCEMENT = (
    "ensvm: compiling, first use only (a minute or more, once; `ensvm warm-up` does it before)"
)

# `fastmath` that lets the compiler vectorise sums; NaN and infinity keep their meaning
REASSOCIATED = {"reassoc", "contract"}

_config: Any = numba.config  # type checkers do not see its attributes
_decorating = threading.Lock()


Function = TypeVar("Function", bound=Callable[..., Any])


@overload
def compiled(function: Function) -> Function: ...
@overload
def compiled(*, inline: bool = False, **options: Any) -> Callable[[Function], Function]: ...
def compiled(function: Any = None, *, inline: bool = False, **options: Any) -> Any:
    """Compile a function with numba in nopython mode and keep its machine code for later runs.

    Type checkers see the function as it is written. With `inline` it becomes part of every compiled
    function that calls it. This compiles faster than a call, unless the function is long and called
    often. The other options are those of `numba.njit` other than `cache`.
    """
    # No function is passed to C.
    options = {"no_cfunc_wrapper": True, **({"inline": "always"} if inline else {}), **options}

    def kept(function: Any) -> Any:
        """Return the compiled function; its machine code is kept if there is a folder for it."""
        folder = code_folder()
        if folder is None:
            return numba.njit(**options)(function)
        with _machine_code_in(folder):
            return numba.njit(cache=True, **options)(function)

    return kept if function is None else kept(function)


def uncompiled(function: Function) -> Function:
    """Return the Python function of a compiled one; the functions that it calls are compiled.

    Called a few times, a loop in Python costs microseconds, and compiling it a second.
    """
    original: Function = cast(Any, function).py_func
    return original


@cache
def code_folder() -> Path | None:
    """Return the folder of the machine code of these sources; None if it cannot be written.

    It lies in the folder that the environment variable NUMBA_CACHE_DIR names, or else in the user's
    cache folder. Folders of other sources that have not been used for 30 days are removed.
    """
    users = user_cache_dir("ensvm", appauthor=False)
    base = Path(_config.CACHE_DIR or f"{users}/compiled")
    folder = base / f"{PREFIX}{sources_hash(PACKAGE)}-numba-{numba.__version__}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        os.utime(folder)
    except OSError:
        return None
    _remove_unused(base)
    return folder


def sources_hash(package: Path) -> str:
    """Return a hash of the names and texts of all files with compiled functions in a package."""
    files = (path for path in package.rglob("*.py") if MARK in path.read_bytes())
    return hash_of_files(package, (path.relative_to(package).as_posix() for path in files))


@contextmanager
def _machine_code_in(folder: Path) -> Iterator[None]:
    # Numba asks for its folder when a function is decorated and never again, so that setting it for
    # that moment leaves the compiled functions of other packages where they are.
    with _decorating:
        before = _config.CACHE_DIR
        _config.CACHE_DIR = str(folder)
        try:
            yield
        finally:
            _config.CACHE_DIR = before


class _Listener(events.Listener):
    """Says once that a fit waits for the compiler, unless what is compiled is counted."""

    def __init__(self) -> None:
        self.announced = False
        self.counted: list[str] | None = None

    def on_start(self, event: Any) -> None:
        """Note that a function is about to be compiled; numba does not report cached functions."""
        function = event.data["dispatcher"].py_func
        if function.__module__.partition(".")[0] != PACKAGE.name:
            return
        if self.counted is not None:
            self.counted.append(function.__qualname__)
        elif not self.announced:
            self.announced = True
            logger = logging.getLogger(PACKAGE.name)
            if logger.isEnabledFor(logging.INFO):
                logger.info(ANNOUNCEMENT)  # a run shows it above its bar
            elif _somebody_reads_stderr():
                print(ANNOUNCEMENT, file=sys.stderr, flush=True)

    def on_end(self, event: Any) -> None:
        """Say nothing; numba calls it."""


def _somebody_reads_stderr() -> bool:
    """Return whether standard error is a terminal, or the output of a notebook's cell."""
    return "ipykernel" in sys.modules or (sys.stderr is not None and sys.stderr.isatty())


_listener = _Listener()
events.register("numba:compile", _listener)


@contextmanager
def compiling_counted() -> Iterator[list[str]]:
    """Compile without an announcement; yield a list that gets the names of what is compiled.

    A function of ensvm stands there once for each signature.
    """
    names: list[str] = []
    _listener.counted = names
    try:
        yield names
    finally:
        _listener.counted = None


def _remove_unused(base: Path) -> None:
    latest = time.time() - KEPT_SECONDS
    for folder in base.glob(f"{PREFIX}*"):
        try:
            unused = folder.stat().st_mtime < latest
        except OSError:  # another process was faster
            continue
        if unused:
            shutil.rmtree(folder, ignore_errors=True)
