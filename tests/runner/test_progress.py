"""What a run shows: its lines if its output goes to a file, its bar on a terminal."""

import io
import re

import pytest
from made_up_records import record
from rich.console import Console
from rich.progress import Progress

from ensvm.runner.execute import run_plan
from ensvm.runner.plan import make_plan
from ensvm.runner.progress import RunProgress, _Remaining
from ensvm.visible_console import VisibleConsole


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


@pytest.mark.parametrize(
    ("done", "total", "shown"),
    [(3, 31, False), (10, 31, True), (12, 2626, False), (60, 2626, True)],
)
def test_the_first_cells_which_may_compile_give_no_remaining_time(done, total, shown):
    bar = Progress(_Remaining(), console=Console(file=io.StringIO(), width=80))
    task = bar.add_task("smoke", total=total)
    bar.update(task, completed=done)
    assert ("ETA" in _Remaining().render(bar.tasks[0])) == shown


def test_a_message_stands_on_a_line_of_its_own_above_the_bar(monkeypatch):
    screen = io.StringIO()
    console = VisibleConsole(file=screen, force_terminal=True, width=80)
    monkeypatch.setattr("ensvm.runner.progress.VisibleConsole", lambda **options: console)
    with RunProgress("smoke") as progress:
        progress.start(4)
        progress.say("compiling")
    written = re.sub(r"\x1b\[[\d;?]*\w", "", screen.getvalue())
    assert "compiling" in re.split(r"[\r\n]+", written)


def test_a_message_of_several_processes_is_shown_once(study, tmp_path):
    shown = []

    class Shows(RunProgress):
        def say(self, message):
            shown.append(message)

    plan = make_plan(study('logs: {estimator: "troublesome:Logs"}', realizations=4))
    run_plan(plan, tmp_path / "r", Shows("trial", visible=False), jobs=2)
    assert shown == ["compiling"]
