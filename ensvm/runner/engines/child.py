"""A process that does one task after another, and whose end costs the cell it was at alone.

Orders and answers travel through its standard input and output, each as its length and a pickle.
The process leads a group of its own: whatever its cells start and leave behind is ended with it.
"""

import os
import pickle
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, BinaryIO

from ensvm.runner.journal import Journal
from ensvm.runner.task import begin_worker

END_SECONDS = 5.0  # in which a process that has nothing left to do ends by itself
LENGTH = struct.Struct("!Q")
# Libraries read these when they are loaded; joblib sets the same for its workers.
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMBA_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)
START = "import sys; sys.path[:] = {path!r}; from {module} import serve; serve()"


class ChildDied(Exception):
    """The process ended without an answer; `process` is its number."""

    def __init__(self, process: int) -> None:
        super().__init__(process)
        self.process = process


class Child:
    """A process that is started when it is asked for the first time, and again after its end.

    One thread asks it; any may `kill` it.

    Parameters
    ----------
    journal : Journal
        Keeps where the process crashed.
    threads : int
        The threads that libraries in the process may use, where the environment does not say.
    environment : dict of str or None, default None
        Variables of its environment beside those of this process.
    """

    def __init__(
        self, journal: Journal, threads: int, environment: dict[str, str] | None = None
    ) -> None:
        self._journal = journal
        named = dict.fromkeys(THREAD_VARIABLES, str(threads))
        self._environment = {**named, **os.environ, **(environment or {})}
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self.killed = False

    def do(self, function: Callable[[Any], Any], argument: Any) -> Any:
        """Return what a function returns in the process, or raise what it raises.

        Parameters
        ----------
        function : callable
            A function of a module.
        argument : object
            Its argument.

        Returns
        -------
        object
            The answer.

        Raises
        ------
        ChildDied
            If the process ends, or was killed before.
        """
        process = self._started()
        assert process.stdin
        assert process.stdout
        try:
            _send(process.stdin, (function, argument))
            answer, error = _receive(process.stdout)
        except (OSError, EOFError):
            self._process = None
            _end(process, 0.0)
            raise ChildDied(process.pid) from None
        if error is not None:
            raise error
        return answer

    def end(self) -> None:
        """End the process, if there is one, and whatever its cells have left behind."""
        process, self._process = self._process, None
        if process is not None:
            _end(process, END_SECONDS)

    def kill(self) -> None:
        """End the process at once, for good: whoever waits for its answer learns that it died."""
        with self._lock:
            self.killed = True
            if (process := self._process) is not None and process.returncode is None:
                _end_group(process)

    def _started(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self.killed:
                raise ChildDied(0)
            if self._process is None:
                start = START.format(path=list(map(str, sys.path)), module=__name__)
                self._process = subprocess.Popen(
                    [sys.executable, "-c", start],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    env=self._environment,
                    # Ctrl+C is for the process that asks, which ends this one.
                    process_group=0 if hasattr(os, "setpgid") else None,
                )
                with suppress(OSError):  # if it has ended, that is noticed when it is asked
                    assert self._process.stdin
                    _send(self._process.stdin, (os.getpid(), self._journal))
            return self._process


def _end(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Let a process end by itself for so long; then end it and its group."""
    assert process.stdin
    assert process.stdout
    with suppress(OSError):
        process.stdin.close()
    if seconds:
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
    _end_group(process)
    process.stdout.close()
    process.wait()


def _end_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _send(file: Any, thing: Any) -> None:
    content = pickle.dumps(thing)
    file.write(LENGTH.pack(len(content)) + content)
    file.flush()


def _receive(file: Any) -> Any:
    (size,) = LENGTH.unpack(_exactly(file, LENGTH.size))
    return pickle.loads(_exactly(file, size))


def _exactly(file: Any, size: int) -> bytes:
    """Return so many bytes; raises EOFError where the other side ended before."""
    content: bytes = file.read(size)
    if len(content) < size:
        raise EOFError
    return content


def serve() -> None:
    """Be the process: do what standard input orders until it ends, or nobody is left to answer."""
    from joblib import parallel_config

    orders, answers = _channel()
    # Where the process that asks has ended, finished cells are in the journal; the pipe is closed
    # here, or its unsent rest would be told of at the end.
    with suppress(EOFError, BrokenPipeError), answers:
        parent, journal = _receive(orders)
        begin_worker(parent, journal)
        # Cells are parallel already: an estimator's own jobs are threads, as in a joblib worker.
        with parallel_config("threading"):
            while True:
                _send(answers, _answer(*_receive(orders)))


def _answer(function: Callable[[Any], Any], argument: Any) -> tuple[Any, BaseException | None]:
    try:
        return function(argument), None
    except BaseException as error:  # for whoever asked, as it would be without a process between
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            return None, RuntimeError(f"{type(error).__name__}: {error}")
        return None, error


def _channel() -> tuple[BinaryIO, BinaryIO]:
    """Return the pipes on standard input and output, which are then of the cells' own.

    What a cell reads ends at once, and what it prints goes to standard error. Its forks have no
    pipe, or the end of this process would not be noticed while they live.
    """
    orders, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    pipes = [orders, answers]

    def close() -> None:
        while pipes:  # once: in a fork of a fork these numbers may be those of other files
            os.close(pipes.pop())

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=close)
    return os.fdopen(orders, "rb"), os.fdopen(answers, "wb")
