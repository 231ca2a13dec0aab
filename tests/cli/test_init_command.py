"""`ensvm init` for a user: what it prints, writes, refuses; and that the rest follows from it."""

import shlex
from pathlib import Path

import pytest
from made_up_records import invoke

ROWS = "\n".join(
    f"{i};{i * i % 7},5;{['rot', 'blau'][i % 2]};{'ab'[i % 5 // 3]}" for i in range(40)
)
FOREIGN = f"id;länge;farbe;label\n{ROWS}\n"


@pytest.fixture(autouse=True)
def foreign(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("foreign.csv")
    path.write_bytes(FOREIGN.encode("latin-1"))
    return path


@pytest.mark.usefixtures("in_this_process")
def test_a_foreign_file_becomes_a_table_without_a_question():
    drafted = invoke("init", "foreign.csv")
    assert drafted.exit_code == 0, drafted.output
    for told in (
        "40 rows, 4 columns",
        "semicolon",
        "decimal comma",
        "numbers the rows",
        "a 24, b 16",
    ):
        assert told in drafted.output
    checked = invoke("check", "foreign.yaml")
    assert checked.exit_code == 0, checked.output
    few = ("--realizations", 5, "--algorithms", "always_largest,svc")
    ran = invoke("run", "foreign.yaml", "--jobs", 1, *few)
    assert ran.exit_code == 0, ran.output
    shown = invoke("table", "results", "foreign")
    assert "| foreign " in shown.output
    ranked = invoke("rank", "results", "foreign", "--dataset", "foreign")
    assert ranked.exit_code == 0, ranked.output
    assert "| largest class | SVM " in ranked.output


def test_the_commands_it_names_are_those_that_work():
    drafted = invoke("init", "foreign.csv", "-o", "my 1st.yaml")
    named = [shlex.split(line)[1:] for line in drafted.output.splitlines() if "  ensvm " in line]
    assert [command[0] for command in named] == ["run", "table", "rank"]
    assert invoke(*named[0], "--dry-run").exit_code == 0


def test_nothing_is_written_over_without_force():
    assert invoke("init", "foreign.csv").exit_code == 0
    Path("foreign.yaml").write_text("mine")
    again = invoke("init", "foreign.csv")
    assert again.exit_code == 2
    assert "error: foreign.yaml: there already" in again.output
    assert Path("foreign.yaml").read_text() == "mine"
    assert invoke("init", "foreign.csv", "--force").exit_code == 0
    assert Path("foreign.yaml").read_text() != "mine"


@pytest.mark.parametrize("name", ["none.csv", ".", "/dev/null", "foreign.csv/x.csv"])
def test_what_is_no_file_is_refused(name):
    refused = invoke("init", name)
    assert refused.exit_code == 2
    assert refused.output.startswith("error: ")
    assert len(refused.output.splitlines()) == 1


def test_a_refused_file_leaves_nothing_behind():
    refused = invoke("init", "foreign.csv", "--target", "nowhere")
    assert refused.exit_code == 2
    assert "there is no column 'nowhere'" in refused.output
    assert [path.name for path in Path().iterdir()] == ["foreign.csv"]


@pytest.mark.parametrize("config", [None, "./own.yaml"])
def test_the_table_is_never_written_over(config):
    Path("own.yaml").write_bytes(FOREIGN.encode("latin-1"))
    refused = invoke("init", "own.yaml", "--force", *([] if config is None else ["-o", config]))
    assert refused.exit_code == 2
    assert "own.yaml: would be written over" in refused.output
    assert Path("own.yaml").read_bytes() == FOREIGN.encode("latin-1")


def test_a_place_that_cannot_be_written_is_told():
    refused = invoke("init", "foreign.csv", "-o", "foreign.csv/sub/x.yaml")
    assert refused.exit_code == 2
    assert "choose another place with -o" in refused.output


def test_many_columns_are_told_in_short(tmp_path):
    names = [f"gene{i}" for i in range(200)]
    lines = [",".join([*(str(i * j % 11) for j in range(200)), "ab"[i % 2]]) for i in range(30)]
    Path("wide.csv").write_text("\n".join([",".join([*names, "label"]), *lines]) + "\n")
    drafted = invoke("init", "wide.csv")
    assert drafted.exit_code == 0, drafted.output
    assert "more columns" in drafted.output
    assert len(drafted.output.splitlines()) < 70
    assert max(map(len, drafted.output.splitlines())) <= 100


def test_control_characters_of_a_file_do_not_reach_the_terminal():
    text = FOREIGN.replace("länge", "l\u202e\x85nge [red]").replace(";a\n", ";a\u202e\n")
    Path("foreign.csv").write_text(text, encoding="utf-8")
    drafted = invoke("init", "foreign.csv")
    assert drafted.exit_code == 0, drafted.output
    assert "\u202e" not in drafted.output
    assert "\x85" not in drafted.output
    assert "[red]" in drafted.output
