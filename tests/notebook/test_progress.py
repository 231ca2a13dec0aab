"""The remaining time of a run leaves out the wait before the first cells end."""

import pytest
from made_up_records import record

from ensvm.notebook.progress import RunProgress


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still; a test sets its only entry, the seconds."""
    now = [0.0]
    monkeypatch.setattr("ensvm.notebook.progress.time.monotonic", lambda: now[0])
    return now


@pytest.mark.parametrize("wait", [0.0, 30.0, 600.0])
def test_the_rest_takes_as_long_as_the_pace_since_the_first_cells_says(clock, capsys, wait):
    progress = RunProgress("smoke")
    progress.start(100)
    for n in range(1, 51):  # one cell a second after the wait
        clock[0] = wait + n
        progress.done([record("german", n, "svc")])
    lines = [line for line in capsys.readouterr().err.splitlines() if " left" in line]
    assert lines
    for line in lines:
        done = int(line.removeprefix("smoke: ").partition("/")[0])
        assert line.endswith(f"about 0:{divmod(100 - done, 60)[0]:02}:{(100 - done) % 60:02} left")


def test_nothing_is_said_of_the_rest_before_a_second_batch_ends(clock, capsys):
    progress = RunProgress("smoke")
    progress.start(4)
    clock[0] = 100.0
    progress.done([record("german", 1, "svc")])
    assert capsys.readouterr().err == "smoke: 1/4 cells, 0:01:40 passed\n"


def test_nothing_is_said_of_the_rest_before_a_twentieth_of_the_cells_ends(clock, capsys):
    progress = RunProgress("smoke")
    progress.start(1000)
    for clock[0], n_cells in ((20.0, 4), (40.0, 4), (60.0, 42)):
        progress.done([record("german", n, "svc") for n in range(n_cells)])
    lines = capsys.readouterr().err.splitlines()
    assert [" left" in line for line in lines] == [False, False, True]
