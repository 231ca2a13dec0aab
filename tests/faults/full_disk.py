"""The disk is full at a random moment; with room again the same command goes on."""

import os
import resource
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

from faults.command import run_alone
from faults.outcome import FaultClass, Outcome, Verdict, judged
from faults.trial import State, records_of, state_of, table_of, whole_lines, write_study

PAGE = 4096


class FullDisk(FaultClass):
    """A small tmpfs for the results; where none may be mounted, a limit on the size of files."""

    name: ClassVar[str] = "full disk"
    share: ClassVar[float] = 0.06
    short: ClassVar[int] = 1

    def one(self, number: int) -> Verdict:
        """Run with too little room, then with enough."""
        if number == 0:
            self._calm()
        folder = self.folder / str(number)
        results = folder / "r"
        results.mkdir(parents=True)
        config = write_study(folder)
        size = int(self.rng.integers(1, self._bytes // PAGE + 2)) * PAGE
        run = ["run", str(config), "--results", str(results), "--jobs", "2"]
        with _small(results, size) as (how, before, enlarge):
            if before:
                self.note = "no tmpfs may be mounted here; limits on the size of files instead"
            fault = f"{how} of {size} bytes"
            ran = run_alone(run, folder / "full.log", before)
            wrong = judged(fault, ran, allowed=(0, 2))
            if wrong:
                return wrong
            kept = records_of(whole_lines(results))
            table = ["table", str(results)]
            drawn = run_alone(table, folder / "table.log", before)
            wrong = judged(f"{fault}, table", drawn, allowed=(0, 2))
            if wrong:
                return wrong
            if table_of(results) not in ("", self._table) and drawn.status == 0 == ran.status:
                return Verdict(fault, Outcome.WRONG, "half a table was written")
            enlarge()
            return self._gone_on(folder, run, fault, kept)

    def _gone_on(
        self, folder: Path, run: list[str], fault: str, kept: set[tuple[str, str]]
    ) -> Verdict:
        ran = run_alone(run, folder / "resumed.log")
        wrong = judged(f"{fault}; resumed", ran, allowed=(0,))
        if wrong:
            return wrong
        results = folder / "r"
        if kept - records_of(whole_lines(results)):
            return Verdict(fault, Outcome.LOST, "records on the disk are gone")
        self.starter.run(["table", str(results)], folder / "table.log")
        same = state_of(results).values == self._state.values
        if not same or table_of(results) != self._table:
            return Verdict(fault, Outcome.WRONG, "values differ from an undisturbed run's")
        return Verdict(fault)

    def _calm(self) -> None:
        folder = self.folder / "calm"
        folder.mkdir()
        results = folder / "r"
        ran = run_alone(
            ["run", str(write_study(folder)), "--results", str(results), "--jobs", "2"],
            folder / "log",
        )
        assert ran.status == 0, ran.tail
        self.starter.run(["table", str(results)], folder / "log")
        self._state: State = state_of(results)
        self._table = table_of(results)
        self._bytes = (results / "trial" / "cells.jsonl").stat().st_size


@contextmanager
def _small(folder: Path, size: int):
    """Give a folder little room; yield how, what a command does first, and what makes room."""
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    try:
        mounted = os.geteuid() == 0 and not subprocess.run(mount, capture_output=True).returncode
    except FileNotFoundError:
        mounted = False
    if not mounted:
        limits = (size, resource.RLIM_INFINITY)
        yield (
            "a limit of files",
            lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limits),
            lambda: None,
        )
        return

    def enlarge() -> None:
        subprocess.run(["mount", "-o", "remount,size=64m", str(folder)], check=True)

    try:
        yield "a tmpfs", None, enlarge
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
