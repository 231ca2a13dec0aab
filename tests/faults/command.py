"""Start the `ensvm` command quickly, as the fork of a process that has everything imported."""

import atexit
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

TESTS = Path(__file__).parents[1]
# Far above what any command here takes on a busy machine, so that reaching it is a hang.
SECONDS = 120.0
OUTPUT_KEPT = 600
TRACES = ("Traceback (most recent call last)", "Fatal Python error")


@dataclass(frozen=True)
class Order:
    """A command to run, and the operation that fails in it (see `Injector`)."""

    arguments: list[str]
    log: str
    folder: str
    report: str
    point: int
    fault: str


@dataclass(frozen=True)
class Finished:
    """How a command ended: its exit status, what it printed, whether it hung, what it did."""

    status: int
    output: str
    hung: bool
    report: list[dict[str, Any]]

    def wrong(self, *allowed: int) -> str:
        """Return what is wrong with how a command ended; "" if it ended as one of `allowed`."""
        if self.hung:
            return f"hangs: {self.output[-OUTPUT_KEPT:]}"
        for trace in TRACES:
            if trace in self.output:
                return f"traceback: {self.output[self.output.index(trace) :][: 4 * OUTPUT_KEPT]}"
        if self.status not in allowed or (self.status == 2 and "rror" not in self.output):
            return f"exit status {self.status}: {self.output[-OUTPUT_KEPT:]}"
        return ""


class Starter:
    """A process with everything imported that forks itself for each command (a context manager).

    Parameters
    ----------
    folder : Path
        The commands' current folder, with the folder `tmp` for temporary files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> Self:
        (self._folder / "tmp").mkdir(parents=True, exist_ok=True)
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from faults.command import serve; serve()"],
            cwd=self._folder,
            env={
                **os.environ,
                "PYTHONPATH": str(TESTS),
                "PYTHONDONTWRITEBYTECODE": "1",
                "OMP_NUM_THREADS": "1",
                "OPENBLAS_NUM_THREADS": "1",
                "TMPDIR": str(self._folder / "tmp"),
            },
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
        self._process.communicate()

    def run(self, order: Order) -> Finished:
        """Run the command in a fork."""
        assert self._process.stdin
        assert self._process.stdout
        Path(order.report).unlink(missing_ok=True)
        self._process.stdin.write(json.dumps(asdict(order)) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the process that forks itself for each command has ended"
        answer = json.loads(line)
        lines = Path(order.report).read_text().splitlines()
        output = Path(order.log).read_text(errors="replace")
        return Finished(answer["status"], output, answer["hung"], list(map(json.loads, lines)))


def serve() -> None:
    """Fork for each command ordered on standard input, and answer how it ended."""
    _warm_up()
    for line in sys.stdin:
        order = Order(**json.loads(line))
        child = os.fork()
        if child == 0:
            _become(order)
        status, hung = _waited(child)
        print(json.dumps({"status": status, "hung": hung}), flush=True)


def _warm_up() -> None:
    """Have all that commands import, compile and look up once be there before the first fork."""
    import pytest
    from made_up_records import cells_run_here, invoke

    from faults.study import write_study

    folder = Path.cwd() / "warm-up"
    config, results = write_study(folder), folder / "r"
    with pytest.MonkeyPatch.context() as patch:
        cells_run_here(patch)
        invoke("run", config, "--results", results, "--jobs", "1")
    invoke("table", results, "--format", "latex")
    invoke("report", results, "-o", folder / "pages")
    invoke("figure", results)
    invoke("export", results, "--per-realization", "-o", folder / "cells.csv")


def _become(order: Order) -> None:
    """Be the command ordered, in this process."""
    os.setsid()
    out = os.open(order.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for ours, theirs in ((nothing, 0), (out, 1), (out, 2)):
        os.dup2(ours, theirs)
    import pytest
    from made_up_records import cells_run_here

    from ensvm_cli import start
    from faults.injection import Fault, Injector
    from faults.study import records_on_disk

    cells_run_here(pytest.MonkeyPatch())
    sys.argv = ["ensvm", *order.arguments]
    folder = Path(order.folder)
    Injector(
        folder,
        Path(order.report),
        order.point,
        Fault[order.fault],
        lambda: sorted(records_on_disk(folder)),
    ).install()
    try:
        start()
    except SystemExit as end:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        os._exit(int(end.code or 0))  # to take all that is imported down takes a second


def _waited(child: int) -> tuple[int, bool]:
    """Wait for a command, and end all that it started; return its status, and whether it hung."""
    end = time.monotonic() + SECONDS
    while not (ended := os.waitpid(child, os.WNOHANG))[0] and time.monotonic() < end:
        time.sleep(0.01)
    _end_session(child)
    if ended[0]:
        return os.waitstatus_to_exitcode(ended[1]), False
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), True


def _end_session(leader: int) -> None:
    """End every process of a session; workers are not of their parent's group."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            text = path.read_text()
            if int(text[text.rindex(")") + 2 :].split()[3]) == leader:
                os.kill(int(path.parent.name), signal.SIGKILL)
