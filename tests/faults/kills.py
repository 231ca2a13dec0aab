"""Processes of a run are killed at random moments; the same command then goes on."""

import os
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from faults.command import Finished, finished, run_alone, session, started
from faults.outcome import FaultClass, Outcome, Verdict, judged
from faults.trial import records_of, saved_twice, state_of, table_of, whole_lines, write_study

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
TARGETS = ("parent", "group", "worker")
INTERRUPTED = 130
# What the rest of a run may take to end after its parent has.
ORPHAN_SECONDS = 20.0


class Kills(FaultClass):
    """Kills of the parent, of the whole group and of single workers, with a timing pass."""

    name: ClassVar[str] = "random kills"
    share: ClassVar[float] = 0.15
    short: ClassVar[int] = 2

    def one(self, number: int) -> Verdict:
        """Kill once or twice at random moments, go on, and compare with an undisturbed run."""
        if number == 0:
            self._calm()
        folder = self.folder / str(number)
        folder.mkdir()
        arguments = ["run", str(write_study(folder)), "--results", str(folder / "r"), "--jobs", "2"]
        before: set[tuple[str, str]] = set()
        told = []
        for _ in range(int(self.rng.integers(1, 3))):
            fault, ran, target = self._killed(arguments, folder / "killed.log")
            told.append(fault)
            # A worker's death costs at most its cell; a signal may come after the end.
            wrong = judged("; ".join(told), ran, allowed=_statuses(fault, target))
            if wrong and (ran.begun or ran.hung):
                return wrong
            before |= records_of(whole_lines(folder / "r"))
        return self._gone_on(folder, arguments, "; ".join(told), before)

    def _calm(self) -> None:
        folder = self.folder / "calm"
        folder.mkdir()
        arguments = ["run", str(write_study(folder)), "--results", str(folder / "r"), "--jobs", "2"]
        begun = time.monotonic()
        ran = run_alone(arguments, folder / "log")
        self._seconds = time.monotonic() - begun
        assert ran.status == 0, ran.tail
        self.starter.run(["table", str(folder / "r")], folder / "log")
        self._state, self._table = state_of(folder / "r"), table_of(folder / "r")
        assert self._table

    def _killed(self, arguments: list[str], log: Path) -> tuple[str, Finished, str]:
        target = TARGETS[self.rng.integers(len(TARGETS))]
        number = SIGNALS[self.rng.integers(len(SIGNALS))]
        moment = float(self.rng.uniform(0.0, 1.1 * self._seconds))
        process = started(arguments, log)
        with suppress(subprocess.TimeoutExpired):
            process.wait(moment)
        self._kill(process.pid, target, number)
        fault = f"{target} {number.name} at {moment:.2f} s"
        if target == "parent" and number == signal.SIGKILL:
            process.wait()
            if not _ended(process.pid):
                ran = finished(process, log)
                return f"{fault}, orphans left", replace(ran, hung=True), target
        return fault, finished(process, log), target

    def _kill(self, leader: int, target: str, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            if target == "group":
                os.killpg(leader, number)
            elif target == "parent":
                os.kill(leader, number)
            else:
                workers = [pid for pid in session(leader) if pid != leader]
                if workers:
                    os.kill(workers[self.rng.integers(len(workers))], number)

    def _gone_on(
        self, folder: Path, arguments: list[str], fault: str, before: set[tuple[str, str]]
    ) -> Verdict:
        ran = run_alone(arguments, folder / "resumed.log")
        wrong = judged(f"{fault}; resumed", ran, allowed=(0,))
        if wrong:
            return wrong
        if twice := saved_twice(folder / "r"):
            return Verdict(fault, Outcome.WRONG, f"{twice} cells have several good records")
        after = records_of(whole_lines(folder / "r"))
        if before - after:
            return Verdict(fault, Outcome.LOST, f"{len(before - after)} of {len(before)} records")
        self.starter.run(["table", str(folder / "r")], folder / "table.log")
        if state_of(folder / "r").values != self._state.values:
            return Verdict(fault, Outcome.WRONG, "values differ from an undisturbed run's")
        if table_of(folder / "r") != self._table:
            return Verdict(fault, Outcome.WRONG, "the table differs from an undisturbed run's")
        return Verdict(fault)


def _statuses(fault: str, target: str) -> tuple[int, ...]:
    if "SIGKILL" in fault and target != "worker":
        return (0, -signal.SIGKILL)
    return (0, 1) if target == "worker" else (0, INTERRUPTED)


def _ended(leader: int) -> bool:
    end = time.monotonic() + ORPHAN_SECONDS
    while time.monotonic() < end:
        if not session(leader):
            return True
        time.sleep(0.1)
    return False
