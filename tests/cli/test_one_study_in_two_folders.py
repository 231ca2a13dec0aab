"""Two folders with one study: every command shows one of them and names the other."""

import pytest
from made_up_records import errors, invoke, make_study

import ensvm

CONFIG = """\
study: s
realizations: 1
datasets: [titanic]
algorithms: {a: {label: A, estimator: SVC}, b: {label: B, estimator: SVC}}
tables: [{id: 1, caption: E, columns: [a, b]}]
"""
READING = (
    "table results",
    "table results s",
    "status results",
    "rank results --dataset titanic",
    "export results --output e.csv",
    "show results s --dataset titanic --algorithm a",
    "report results --output pages",
    "list results",
)


@pytest.fixture(autouse=True)
def folders(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, error in [("a-copy", 0.5), ("s", 0.125), ("z", 0.25)]:
        lines = errors("titanic", "a", [error]) + errors("titanic", "b", [error / 2])
        make_study(tmp_path / "results" / name, CONFIG, lines)


@pytest.mark.parametrize("arguments", READING)
def test_the_other_folders_are_named(arguments):
    answer = invoke(*arguments.split())
    said = " ".join(answer.stderr.split())
    for name in ("a-copy", "z"):
        assert f"results/{name}: it holds the study s, as results/s does" in said
        assert f"ensvm merge results/s results/{name} -o" in said
    assert answer.exit_code == (0 if arguments.startswith("list") else 1)


def test_the_folder_with_the_name_of_the_study_is_shown():
    shown = invoke("table", "results").stdout
    assert "12.5" in shown
    assert "50.0" not in shown
    assert "50.0" in invoke("table", "results/a-copy").stdout


def test_a_notebook_warns():
    with pytest.warns(UserWarning, match="it holds the study s, as .* does") as warned:
        found = ensvm.load_results()
    assert len(warned) == 2
    assert found.frame()["error"].tolist() == [0.125, 0.0625]


def test_a_comparison_names_the_other_folders_of_one_side():
    answer = invoke("compare", "results", "results/z")
    assert answer.exit_code == 1
    assert "it holds the study s" in answer.stderr
    assert invoke("compare", "results/s", "results/z").exit_code in (0, 1)


def test_a_study_is_listed_by_its_own_name(tmp_path):
    make_study(tmp_path / "results" / "other", CONFIG.replace("study: s", "study: t"), [])
    make_study(
        tmp_path / "named" / "folder",
        CONFIG.replace("study: s", "study: u"),
        errors("titanic", "a", [0.5]),
    )
    (line,) = [line for line in invoke("list", "named").stdout.splitlines() if line[:2] == "u "]
    assert "not run" not in line
