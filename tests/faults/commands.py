"""The commands that faults are made in, and what must hold after each fault."""

import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from ensvm.records.store import CELLS_FILE
from faults.command import Finished, Order, Starter
from faults.injection import FAULTS, Fault
from faults.study import content, records_on_disk, saved_twice, write_study

RUN = "run {study}/trial.yaml --results {target}/r --jobs 1"


@dataclass(frozen=True)
class Command:
    """A command that is tried, and those that come before it."""

    arguments: str
    before: tuple[str, ...] = (RUN,)
    begun: bool = False
    """Whether the command was begun before, and killed when half of its records were saved."""


COMMANDS = {
    "run": Command(RUN, ()),
    "run, resumed": Command(RUN, (), begun=True),
    "merge": Command(
        "merge {target}/a {target}/b -o {target}/both",
        (
            "run {study}/trial.yaml --jobs 1 --results {target}/a --realizations 1",
            "run {study}/trial.yaml --jobs 1 --results {target}/b --realizations 2-2",
        ),
    ),
    "table": Command("table {target}/r --format latex"),
    "report": Command("report {target}/r -o {target}/pages"),
    "export": Command("export {target}/r --per-realization -o {target}/cells.csv"),
    "figure": Command("figure {target}/r"),
}


@dataclass(frozen=True)
class Point:
    """The k-th operation of a command, and a fault that it can meet."""

    number: int
    operation: str
    path: str
    fault: Fault

    def __str__(self) -> str:
        return f"point {self.number} ({self.operation} {self.path}), {self.fault.value}"


@dataclass(frozen=True)
class Verdict:
    """How a command ended with a fault, and what was wrong then or afterwards ("" if nothing)."""

    point: Point
    status: int
    wrong: str


class Trial:
    """A command that is tried with faults, in a folder that is made for it."""

    def __init__(self, command: Command, folder: Path, starter: Starter) -> None:
        folder.mkdir()
        self._command, self._starter, self._folder = command, starter, folder
        # The command may write in `target` alone; `before` is what that holds at the start.
        self._target, self._before = folder / "target", folder / "before"
        write_study(folder / "study")
        self._target.mkdir()
        for line in command.before:
            self._must_succeed(self._run(line))
        if command.begun:
            self._begin()
        os.rename(self._target, self._before)
        self._reset()
        undisturbed = self._run(command.arguments)
        self._must_succeed(undisturbed)
        self._after, self._study = content(self._target), content(folder / "study")
        self.points = _points(undisturbed)

    def tried(self, point: Point) -> Verdict:
        """Run the command with a fault, then once more without, and judge what came of it."""
        self._reset()
        before = records_on_disk(self._target)
        ran = self._run(self._command.arguments, point)
        wrong = self._wrong_with_fault(point, ran)
        for line in ran.report:
            before |= set(map(tuple, line.get("before", ())))
        _age(self._target)
        again = self._run(self._command.arguments)
        return Verdict(point, ran.status, wrong or self._wrong_afterwards(again, before))

    def _wrong_with_fault(self, point: Point, ran: Finished) -> str:
        """Return what is wrong with how the command ended and with what it left behind."""
        faults = [line for line in ran.report if "before" in line]
        if not faults:
            return "the point was not reached"
        killed = point.fault in (Fault.KILL, Fault.TORN_KILL)
        if wrong := ran.wrong(*((-9,) if killed and faults else (0, 1, 2))):
            return wrong
        if outside := [line["outside"] for line in ran.report if "outside" in line]:
            return f"written outside the target: {outside}"
        if not killed and (files := [*(self._folder.parent / "tmp").iterdir()]):
            return f"temporary files are left: {files}"
        if content(self._folder / "study") != self._study:
            return "the config or the data changed"
        return self._differences(exact=False) if ran.status == 0 else ""

    def _wrong_afterwards(self, again: Finished, before: set[tuple[str, str]]) -> str:
        """Return what is wrong after the same command has run without a fault."""
        if wrong := again.wrong(0):
            return f"the next command: {wrong}"
        if lost := before - records_on_disk(self._target):
            return f"{len(lost)} of {len(before)} records are lost"
        for path in self._target.rglob(CELLS_FILE):
            if twice := saved_twice(path.parent):
                return f"{path}: {twice} cells have several good records"
        return self._differences(exact=True)

    def _differences(self, *, exact: bool) -> str:
        """Return how the target differs from an undisturbed command's; more files if `exact`."""
        here = content(self._target)
        if missing := self._after.keys() - here.keys():
            return f"missing: {sorted(missing)}"
        if differing := [name for name in self._after if here[name] != self._after[name]]:
            return f"other content than undisturbed: {differing}"
        more = here.keys() - self._after.keys() if exact else set()
        return f"left behind: {sorted(more)}" if more else ""

    def _begin(self) -> None:
        """Run the command until it saves the middle one of its records, and kill it then."""
        whole = self._run(self._command.arguments)
        self._must_succeed(whole)
        points = _points(whole)
        writes = [
            point
            for point in points
            if point.path.endswith(CELLS_FILE) and point.fault is Fault.TORN_KILL
        ]
        self._empty()
        self._target.mkdir()
        killed = self._run(self._command.arguments, writes[len(writes) // 2])
        assert killed.status == -9, killed.output

    def _reset(self) -> None:
        self._empty()
        shutil.copytree(self._before, self._target)

    def _empty(self) -> None:
        if self._target.exists():
            shutil.rmtree(self._target)

    def _run(self, line: str, point: Point | None = None) -> Finished:
        places = {"study": self._folder / "study", "target": self._target}
        order = Order(
            [part.format(**places) for part in line.split()],
            log=str(self._folder / "log"),
            folder=str(self._target),
            report=str(self._folder / "report"),
            point=point.number if point else 0,
            fault=point.fault.name if point else Fault.KILL.name,
        )
        return self._starter.run(order)

    def _must_succeed(self, ran: Finished) -> None:
        assert not ran.wrong(0), ran.wrong(0)


def _points(undisturbed: Finished) -> list[Point]:
    """Return every operation of a command with every fault that it can meet."""
    operations = [line for line in undisturbed.report if "operation" in line]
    return [
        Point(number, line["operation"], line["path"], fault)
        for number, line in enumerate(operations, start=1)
        for fault in FAULTS[line["operation"]]
    ]


def _age(folder: Path) -> None:
    """Have all below a folder be two days old: what another process left behind, not writes now."""
    then = time.time() - 2 * 86_400
    for path in folder.rglob("*"):
        os.utime(path, (then, then))
