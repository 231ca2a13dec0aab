"""What a run shows: its lines if its output goes to a file, its bar on a terminal."""

import io
import re

import pytest
from made_up_records import record

from ensvm.runner.execute import run_plan
from ensvm.runner.plan import make_plan
from ensvm.runner.progress import RunProgress
from ensvm.visible_console import VisibleConsole

LISTENED_TO = ("Logs", "Compiles")


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still; a test sets its only entry, the seconds."""
    now = [0.0]
    monkeypatch.setattr("ensvm.runner.progress.time.monotonic", lambda: now[0])
    return now


def test_a_line_counts_cells_every_fifteen_seconds_and_at_the_end(clock, capsys):
    progress = RunProgress("smoke")
    progress.start(4)
    for clock[0] in (10.0, 20.0, 30.0, 31.0):
        progress.done([record("german", 1, "svc")])
    assert capsys.readouterr().err.splitlines() == [
        "smoke: 2/4 cells, 0:00:20 passed",
        "smoke: 4/4 cells, 0:00:31 passed",
    ]


def lines_of_the_end_of(progress, cells, capsys):
    """Return what a run prints whose cells all end together."""
    progress.done([record("german", number, "svc") for number in range(cells)])
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("done", "total", "shown"),
    [(3, 31, False), (10, 31, True), (12, 2626, False), (60, 2626, True), (31, 31, False)],
)
def test_the_remaining_time_is_shown_from_some_cells_on_to_the_last(
    done, total, shown, clock, capsys
):
    progress = RunProgress("smoke")
    progress.start(total)
    clock[0] = 20.0
    assert ("ETA" in lines_of_the_end_of(progress, done, capsys)) == shown


@pytest.mark.parametrize("compiling", [0.0, 40.0])
def test_the_remaining_time_is_the_same_if_the_first_cells_are_compiled(compiling, clock, capsys):
    progress = RunProgress("smoke")
    clock[0] = 5.0
    progress.start(30)
    clock[0] += 20.0 + compiling
    progress.compiled(compiling)
    assert lines_of_the_end_of(progress, 10, capsys).endswith(" passed, ETA 0:00:40\n")


def test_a_message_stands_on_a_line_of_its_own_above_the_bar(monkeypatch):
    screen = io.StringIO()
    console = VisibleConsole(file=screen, force_terminal=True, width=80)
    monkeypatch.setattr("ensvm.runner.progress.VisibleConsole", lambda **options: console)
    with RunProgress("smoke") as progress:
        progress.start(4)
        progress.say("compiling")
    written = re.sub(r"\x1b\[[\d;?]*\w", "", screen.getvalue())
    assert "compiling" in re.split(r"[\r\n]+", written)


def test_messages_of_several_processes_are_shown_once_and_compiling_is_timed(study, tmp_path):
    shown, waited = [], []

    class Listens(RunProgress):
        def say(self, message):
            shown.append(message)

        def compiled(self, seconds):
            waited.append(seconds)

    algorithms = "\n".join(f'{one}: {{estimator: "troublesome:{one}"}}' for one in LISTENED_TO)
    plan = make_plan(study(algorithms, realizations=4))
    run_plan(plan, tmp_path / "r", Listens("trial", visible=False), jobs=2)
    assert shown == ["compiling"]
    assert waited == sorted(waited)
    assert waited[0] > 0.0
