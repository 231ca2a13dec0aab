"""Lines of a run whose output goes to a file."""

import pytest
from made_up_records import record

from ensvm.runner.progress import RunProgress


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
