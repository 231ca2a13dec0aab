"""Start the `ensvm` command: as a process of its own, or quickly as the fork of a loaded one."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

TESTS = Path(__file__).parents[1]
# Far above what any command here takes on a busy machine, so that reaching it is a hang.
SECONDS = 120.0
# So that a file that unpacks to more is small, and quickly made.
LARGEST_GIB = 1 / 16
OUTPUT_KEPT = 600
# What a signal does while Python itself starts is not the command's affair.
BEGUN = "the command begins\n"


@dataclass(frozen=True)
class Finished:
    """How a command ended: its exit status, all that it printed, and whether it had to be ended.

    `begun` is whether it came as far as its own code.
    """

    status: int
    output: str
    hung: bool
    begun: bool = True

    @property
    def tail(self) -> str:
        """The end of the output, for a report."""
        return self.output[-OUTPUT_KEPT:].strip()


def environment() -> dict[str, str]:
    """Return the environment of a command: no network, one thread, the tests' own estimators."""
    return {
        **os.environ,
        "PYTHONPATH": str(TESTS),
        "ENSVM_OFFLINE": "1",
        "ENSVM_MAX_GIB": str(LARGEST_GIB),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }


def started(
    arguments: list[str], log: Path, before: Callable[[], None] | None = None
) -> subprocess.Popen[bytes]:
    """Start the command as the first process of its own session; `before` runs in it first."""
    code = f"from ensvm_cli import start; print({BEGUN!r}, end='', flush=True); start()"
    with log.open("wb") as out:
        return subprocess.Popen(
            [sys.executable, "-c", code, *arguments],
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
            preexec_fn=before,
        )


def finished(process: subprocess.Popen[bytes], log: Path, seconds: float = SECONDS) -> Finished:
    """Wait for a command; if it does not end in time, end it and all that it started."""
    hung = False
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        hung = True
    kill_session(process.pid)
    process.wait()
    output = log.read_text(errors="replace")
    return Finished(process.returncode, output.replace(BEGUN, "", 1), hung, BEGUN in output)


def run_alone(
    arguments: list[str], log: Path, before: Callable[[], None] | None = None
) -> Finished:
    """Run the command as a process of its own."""
    return finished(started(arguments, log, before), log)


def session(leader: int) -> list[int]:
    """Return the processes of a session that still run, its leader first."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            text = path.read_text()
            state, _, _, of = text[text.rindex(")") + 2 :].split()[:4]
            if int(of) == leader and state != "Z":
                found.append(int(path.parent.name))
    return sorted(found, key=lambda pid: (pid != leader, pid))


def kill_session(leader: int) -> None:
    """End every process of a session."""
    for pid in session(leader):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


class Starter:
    """A process with everything imported that forks itself for each command (a context manager)."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from faults.command import serve; serve()"],
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def run(self, arguments: list[str], log: Path, seconds: float = SECONDS) -> Finished:
        """Run the command in a fork, cells of a run too: for faults that end no process."""
        assert self._process.stdin
        assert self._process.stdout
        order = {"arguments": arguments, "log": str(log), "seconds": seconds}
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        output = log.read_text(errors="replace")
        return Finished(answer["status"], output, answer["hung"])


def serve() -> None:
    """Fork for each command ordered on standard input, and answer how it ended."""
    import pandas  # noqa: F401
    import pytest
    import sklearn.svm  # noqa: F401
    from made_up_records import cells_run_here

    import ensvm.report.query
    import ensvm.report.write  # noqa: F401
    from ensvm_cli.main import main

    cells_run_here(pytest.MonkeyPatch())
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            _become_the_command(order["log"])
            sys.argv = ["ensvm", *order["arguments"]]
            main()
            sys.exit(0)
        status, hung = _waited(child, order["seconds"])
        kill_session(child)
        print(json.dumps({"status": status, "hung": hung}), flush=True)


def _become_the_command(log: str) -> None:
    os.setsid()
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for ours, theirs in ((nothing, 0), (out, 1), (out, 2)):
        os.dup2(ours, theirs)


def _waited(child: int, seconds: float) -> tuple[int, bool]:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status), False
        time.sleep(0.02)
    kill_session(child)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), True
