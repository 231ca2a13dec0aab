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


def test_a_conflict_is_named_and_nothing_is_written(sides, tmp_path):
    answer = invoke("merge", *sides, "-o", tmp_path / "c")
    assert answer.exit_code == 1
    assert "s: german, realization 2, a: error is 0.2 in" in answer.stderr
    assert "but 0.3 in" in answer.stderr
    assert "error: 1 conflicts: nothing is written" in answer.stderr
    assert not (tmp_path / "c").exists()


def test_the_first_may_be_kept_and_the_command_repeated(sides, tmp_path):
    asked = ("merge", *sides, "-o", tmp_path / "c", "--keep-first")
    answer = invoke(*asked)
    assert answer.exit_code == 0
    assert "s: 2 cells of 2 sources, 2 in several of them" in answer.stdout
    assert "error is 0.2" in answer.stderr
    assert "15.0" in invoke("table", tmp_path / "c").stdout
    again = invoke(*asked)
    assert again.exit_code == 0
    assert "holds all of it already" in again.stdout
    assert (tmp_path / "c" / "s" / "table-1.md").is_file()


def test_a_folder_without_records_is_refused(tmp_path):
    answer = invoke("merge", tmp_path, "-o", tmp_path / "c")
    assert answer.exit_code == 2
    assert answer.stderr.startswith(f"error: {tmp_path}: no records here")


def test_a_config_that_is_no_text_is_refused_by_its_file(sides, tmp_path):
    first, second = sides
    copies = sorted(tmp_path.rglob("config.yaml"))
    copies[0].write_bytes(b"\xff\xfe\x00")
    answer = invoke("merge", first, second, "-o", tmp_path / "c")
    assert answer.exit_code == 2
    assert f"{copies[0]}: is no text in UTF-8" in answer.stderr


@pytest.mark.parametrize("verb", ["table", "report", "status", "rank"])
@pytest.mark.parametrize("name", ["x" * 300, "\udcff"])
def test_a_name_that_no_file_can_have_is_wrong_input(verb, name):
    answer = invoke(verb, name)
    assert answer.exit_code == 2
    assert isinstance(answer.exception, SystemExit)
