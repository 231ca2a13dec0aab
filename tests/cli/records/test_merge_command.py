"""`ensvm merge` at the command line: what it says, and how it ends."""

import pytest
from made_up_records import errors, invoke, make_study

CONFIG = """\
study: s
realizations: 2
datasets: [german]
algorithms: {a: {estimator: RhoSVC}}
tables:
  - {id: 1, caption: c, columns: [a]}
"""


@pytest.fixture
def sides(tmp_path):
    make_study(tmp_path / "a" / "s", CONFIG, errors("german", "a", [0.1, 0.2]))
    make_study(tmp_path / "b" / "s", CONFIG, errors("german", "a", [0.1, 0.3]))
    return tmp_path / "a", tmp_path / "b"


def test_disagreements_are_named_and_the_command_may_be_repeated(sides, tmp_path):
    command = ("merge", *sides, "-o", tmp_path / "c")
    answer = invoke(*command)
    assert answer.exit_code == 1
    assert "s: 2 cells of 2 sources, 2 in several of them" in answer.stdout
    assert "s: german, realization 2, a: error is 0.2 in" in answer.stderr
    assert "but 0.3 in" in answer.stderr
    assert "1 cells have different values" in answer.stderr
    assert invoke("table", tmp_path / "c").exit_code == 0
    again = invoke(*command)
    assert "holds all of it already" in again.stdout


def test_a_folder_without_records_is_refused(tmp_path):
    answer = invoke("merge", tmp_path, "-o", tmp_path / "c")
    assert answer.exit_code == 2
    assert answer.stderr.startswith(f"error: {tmp_path}: no records here")


@pytest.mark.parametrize("verb", ["table", "report", "status", "rank"])
@pytest.mark.parametrize("name", ["x" * 300, "\udcff"])
def test_a_name_that_no_file_can_have_is_wrong_input(verb, name):
    answer = invoke(verb, name)
    assert answer.exit_code == 2
    assert isinstance(answer.exception, SystemExit)
