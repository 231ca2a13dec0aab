"""The one decorator of compiled functions: numba's `njit`, with machine code kept between runs.

Numba compiles a function once and keeps the result on disk until the function's own file changes.
It does not check the files of the functions that this function calls, so after an edit a caller
could still run the old machine code of a callee. Here a hash of all compiled sources of ensvm names
the folder of the machine code, so a change of any of them compiles all functions again. The version
of numba names it too, because two versions would overwrite each other's code. Numba itself
distinguishes versions of Python and kinds of processors.

The compiler takes ten seconds and more for what a fit to few rows calls, and Python a second for
the fit itself. So a function that has no machine code yet runs in Python where few numbers are
computed with. What it computes is the same to the last bit. Compiled at once are short functions
that are called in long loops, and those that Python would compute otherwise: sums that the compiler
may reorder, divisions by zero, functions of `math` that raise where machine code goes on. A process
computes in Python for a few seconds in all; after them it compiles whatever it calls.
"""

import gc
import logging
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, overload

import numba
import numpy as np
from numba.core import event as events
from numba.core.registry import CPUDispatcher
from numba.misc.appdirs import user_cache_dir

from ensvm.file_hash import hash_of_files

PACKAGE = Path(__file__).parent
MARK = b"from ensvm.compiled import"  # what a file with compiled functions contains
PREFIX = "ensvm-"  # of the folders of machine code, so that no other folder is ever removed
COLLECTED_AFTER = 200_000  # new objects, while it compiles: Python's 700 take a fifth of its time
KEPT_SECONDS = 30 * 24 * 3600.0  # unused machine code of other sources is removed after it

ANNOUNCEMENT = (
    "ensvm: its solvers are not compiled yet: first fits take longer, some seconds up to a minute "
    "(`ensvm warm-up` compiles them before)"
)

# `fastmath` that lets the compiler vectorise sums; NaN and infinity keep their meaning
REASSOCIATED = {"reassoc", "contract"}

_config: Any = numba.config  # type checkers do not see its attributes
_decorating = threading.Lock()

# CPU seconds that a process computes in Python, and how many numbers the arrays of such a call may
# hold: those of a fit to 300 rows, which takes seconds.
PATIENCE = 8.0
FEW_NUMBERS = 300 * 300

Function = TypeVar("Function", bound=Callable[..., Any])


@overload
def compiled(function: Function) -> Function: ...
@overload
def compiled(
    *, inline: bool = False, at_once: bool = False, **options: Any
) -> Callable[[Function], Function]: ...
def compiled(
    function: Any = None, *, inline: bool = False, at_once: bool = False, **options: Any
) -> Any:
    """Compile a function with numba in nopython mode and keep its machine code for later runs.

    Type checkers see the function as it is written. With `inline` it becomes part of every compiled
    function that calls it. This compiles faster than a call, unless the function is long or has
    several callers. With `at_once` it never runs in Python, for one of the reasons above. The other
    options are those of `numba.njit` other than `cache`.
    """
    # No function is passed to C.
    options = {"no_cfunc_wrapper": True, **({"inline": "always"} if inline else {}), **options}

    def kept(function: Any) -> Any:
        """Return the compiled function; its machine code is kept if there is a folder for it."""
        if _config.DISABLE_JIT:
            return function
        kind = CPUDispatcher if at_once else CompiledFunction
        made = kind(function, targetoptions={"nopython": True, **options})
        folder = code_folder()
        if folder is not None:
            with _machine_code_in(folder):
                made.enable_caching()
        return made

    return kept if function is None else kept(function)


class CompiledFunction(CPUDispatcher):
    """A function of numba that runs in Python while it has no machine code, as the module says."""

    _is_ready = False  # no call looks for machine code again

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Return what the function returns."""
        if not self._runs_in_python((*args, *named.values())):
            return super().__call__(*args, **named)
        start = time.thread_time() - _listener.seconds
        with np.errstate(all="ignore"):  # machine code does not warn
            result = in_python(self)(*args, **named)
        _patience.spent += time.thread_time() - _listener.seconds - start
        return result

    def _runs_in_python(self, args: tuple[Any, ...]) -> bool:
        if self._is_ready or _patience.is_over:
            return False
        self._is_ready = bool(self.signatures) or self._has_machine_code()
        return not self._is_ready and _numbers_in(args) <= FEW_NUMBERS

    def _has_machine_code(self) -> bool:
        """Return whether the folder has machine code, for some types of arguments."""
        folder, code = self.stats.cache_path, self.py_func.__code__
        files = f"{Path(code.co_filename).stem}.*-{code.co_firstlineno}.*.nbi"  # numba's names
        return folder is not None and any(Path(folder).glob(files))


@dataclass
class _Patience:
    """For how long this process computes in Python, and has done so."""

    seconds: float = PATIENCE
    spent: float = 0.0

    @property
    def is_over(self) -> bool:
        """Whether it compiles what it calls."""
        return self.spent >= self.seconds


_patience = _Patience()


@contextmanager
def compiling_at_once() -> Iterator[None]:
    """Compile all that is called: for timings, and where many fits follow."""
    before, _patience.seconds = _patience.seconds, 0.0
    try:
        yield
    finally:
        _patience.seconds = before


def _numbers_in(arguments: Iterable[Any]) -> float:
    """Return how many numbers the arrays among the arguments hold.

    It is infinite for single precision: Python rounds sums of such numbers otherwise.
    """
    total = 0.0
    for each in arguments:
        if isinstance(each, tuple):
            total += _numbers_in(each)
        elif isinstance(each, np.ndarray):
            total += np.inf if each.dtype == np.float32 else each.size
    return total


@cache
def in_python(function: CompiledFunction) -> Callable[..., Any]:
    """Return the Python function of a compiled one; what it calls is in Python, too.

    Functions that are compiled at once are called as they are.
    """
    original = function.py_func
    names = dict(original.__globals__)
    for name in original.__code__.co_names:
        called = names.get(name)
        if isinstance(called, CompiledFunction):
            names[name] = in_python(called)
    return FunctionType(original.__code__, names, original.__name__, original.__defaults__)


def uncompiled(function: Function) -> Function:
    """Return the Python function of a compiled one; the functions that it calls are compiled.

    Called a few times, a loop in Python costs microseconds, and compiling it a second.
    """
    original: Function = getattr(function, "py_func", function)
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
        self.seconds = 0.0  # of CPU, that the compiler has taken so far
        self._begun: list[float] = []  # of compilations in progress, each for the one before
        self._thresholds = gc.get_threshold()
        self.announced = False
        self.counted: list[str] | None = None

    def on_start(self, event: Any) -> None:
        """Note that a function is about to be compiled; numba does not report cached functions."""
        if not self._begun:
            self._thresholds = gc.get_threshold()
            if gc.isenabled() and 0 < self._thresholds[0] < COLLECTED_AFTER:
                gc.set_threshold(COLLECTED_AFTER, *self._thresholds[1:])
        self._begun.append(time.thread_time())
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
        """Note how long the compiler took."""
        begun = self._begun.pop()
        if not self._begun:
            self.seconds += time.thread_time() - begun
            gc.set_threshold(*self._thresholds)


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
        with compiling_at_once():
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
