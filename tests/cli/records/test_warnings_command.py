"""Warnings of cells reach the user: counted at the end of a run, listed on request."""

import pytest
from made_up_records import invoke

pytestmark = pytest.mark.usefixtures("in_this_process")

LOUD = 'loud: {estimator: "troublesome:Warns"}\n'
QUIET = "quiet: {estimator: ParzenWindowClassifier}\n"


@pytest.fixture
def ran(study, tmp_path):
    return invoke("run", study(LOUD + QUIET), "--results", tmp_path / "results", "--jobs", 1)


def test_a_run_counts_the_cells_that_warned(ran, tmp_path):
    [line] = [line for line in ran.stdout.splitlines() if "warned" in line]
    assert line.startswith("4 of 9 cells warned")
    # The command that it names lists them, those of earlier runs too.
    command = line.partition(": ensvm ")[2].split()
    listed = invoke(*command)
    assert listed.exit_code == 0
    assert "4 of 9 cells warned" in listed.stdout
    again = invoke("run", tmp_path / "trial.yaml", "--results", tmp_path / "results")
    assert line in again.stdout


def test_they_are_listed_by_text_and_by_data_set_and_algorithm(ran, tmp_path):
    listed = invoke("warnings", tmp_path / "results").stdout
    assert listed.count("ConvergenceWarning: stopped … short of the aim") == 1
    assert "UserWarning: the first row is positive" in listed
    assert "quiet" not in listed
    block = listed.partition("short of the aim")[2]
    assert ["own", "loud", "error", "4", "of", "4"] in [line.split() for line in block.splitlines()]


def test_nothing_is_said_where_nothing_warned(study, tmp_path):
    told = invoke("run", study(QUIET), "--results", tmp_path / "results", "--jobs", 1)
    assert "warned" not in told.stdout
    listed = invoke("warnings", tmp_path / "results")
    assert (listed.exit_code, "0 of 5 cells" in listed.stdout) == (0, True)


def test_a_folder_without_records_is_told(tmp_path):
    told = invoke("warnings", tmp_path)
    assert told.exit_code == 2
    assert "no records here" in told.stderr
