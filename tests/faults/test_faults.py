"""A few points of every command: nothing is lost, and the next command does the rest."""

import sys
from collections.abc import Iterator

import pytest

from ensvm.records.store import CELLS_FILE
from faults.command import Starter
from faults.commands import COMMANDS, Command, Point, Trial
from faults.injection import Fault


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads the names of open files from /proc")
def test_every_command_survives_every_kind_of_fault(tmp_path):
    wrong = []
    with Starter(tmp_path) as starter:
        for number, (name, command) in enumerate(COMMANDS.items(), start=1):
            trial = Trial(command, tmp_path / str(number), starter)
            # Commands that write no records write files in one way: each meets half the faults.
            faults = list(Fault) if writes_records(command) else list(Fault)[number % 2 :: 2]
            for point in chosen(trial.points, faults, number / (len(COMMANDS) + 1)):
                if verdict := trial.tried(point).wrong:
                    wrong.append(f"{name}, {point}: {verdict}")
    assert not wrong


def writes_records(command: Command) -> bool:
    return command.arguments.startswith(("run", "merge"))


def chosen(points: list[Point], faults: list[Fault], place: float) -> Iterator[Point]:
    """Yield every write of records to a full disk, and the point at a place of each other fault."""
    for fault in faults:
        of_fault = [point for point in points if point.fault is fault]
        if fault is Fault.TORN_ENOSPC:
            yield from (point for point in of_fault if point.path.endswith(CELLS_FILE))
        yield of_fault[int(len(of_fault) * place)]
