"""The beginning of a paper's study is a config that `check` accepts, and names what is left."""

import csv
from pathlib import Path

import pytest
from made_up_records import invoke

from ensvm.drafting.paper_draft import TO_DO
from ensvm.runner.plan import make_plan
from ensvm.study.read_config import read_config

ASKED = ("--title", "Soft: margins, 'quoted'", "--rows", "Titanic, banana", "--columns")
COLUMNS = "SVM=SVC, AdaBoostClassifier, RBF net"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def begin(*more, columns=COLUMNS, split="100 random 0.6"):
    return invoke("init", "--paper", *ASKED, columns, "--split", split, *more)


def test_the_study_is_good_and_check_names_what_is_left(here):
    answer = begin("-o", "soft.yaml")
    assert answer.exit_code == 0, answer.output
    config = make_plan(here / "soft.yaml").config
    assert config.title == "Soft: margins, 'quoted'"
    assert list(config.algorithms) == ["svm", "adaboostclassifier"]
    with (here / "soft" / "published.csv").open(newline="") as file:
        head, *rows = csv.reader(file)
    assert head == ["row", *(column.name for column in config.tables[0].columns)]
    assert [row for row, *_ in rows] == [entry.name for entry in config.datasets]
    checked = invoke("check", "soft.yaml").output
    assert f"not computed: banana: {TO_DO}" in checked
    assert f"not computed: table 1, rbf-net: {TO_DO}" in checked
    assert f"{len(rows) * (len(head) - 1)} fields are still empty" in checked
    (here / "soft" / "published.csv").write_text("row,svm,rbf-net\ntitanic,22.4,-\n")
    assert "still empty" not in invoke("check", "soft.yaml").output


@pytest.mark.parametrize(
    ("split", "protocol", "n"),
    [("10-fold", "kfold", 10), ("3x5-fold", "kfold", 15), ("7 random 0.5", "random", 7)],
)
def test_a_split_is_the_one_that_was_meant(here, split, protocol, n):
    assert begin("-o", "s.yaml", split=split).exit_code == 0
    plan = make_plan(here / "s.yaml")
    assert plan.cards["titanic"].split.protocol == protocol
    assert max(cell.realization for cell in plan.cells) == n


def test_without_any_estimator_the_study_is_good_too(here):
    assert begin("-o", "s.yaml", columns="A,B", split="card").exit_code == 0
    assert invoke("check", "s.yaml").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--paper"], "without a terminal nothing is asked; give --title"),
        (["--paper", "my.csv"], "give a TABLE, or --paper"),
        (["my.csv", "--title", "x"], "--title: only with --paper"),
        ([*("--paper", *ASKED, "A"), "--split", "some"], "'some' is not accepted; accepted: 10-f"),
        ([*("--paper", *ASKED, "A=B"), "--split", "card"], "--columns: A=B: "),
        ([*("--paper", *ASKED, "A,a"), "--split", "card"], "--columns: 'a' is given twice"),
        ([*("--paper", *ASKED, "A"), "--split", "card", "-o", "ijcai07.yaml"], "a shipped study"),
    ],
)
def test_a_wrong_answer_is_refused_in_one_line(arguments, message):
    answer = invoke("init", *arguments)
    assert answer.exit_code == 2
    assert message in " ".join(answer.stderr.split())


def test_nothing_is_overwritten(here):
    assert begin("-o", "s.yaml").exit_code == 0
    assert "s.yaml exists" in begin("-o", "s.yaml").stderr
    assert begin("-o", "s.yaml", "--force").exit_code == 0


@pytest.mark.parametrize("word", ["no", "ON", "null", "1e3", "0x1F", "5", "~yes"])
def test_a_name_that_yaml_reads_as_something_else_is_a_name(here, word):
    title, rows = ("--title", word), ("--rows", f"titanic,{word}")
    columns = ("--columns", f"{word}=SVC,other")
    answer = invoke(
        "init", "--paper", *title, *rows, *columns, "--split", "10-fold", "-o", "s.yaml"
    )
    assert answer.exit_code == 0
    assert invoke("check", "s.yaml").exit_code == 0
    (table,) = read_config(Path("s.yaml"))[0].tables
    assert table.columns[0].name == word.lower().strip("~")


@pytest.mark.parametrize("title", ["No", "Con", "Index", "1e3"])
def test_a_title_gives_a_name_that_every_system_takes(here, title):
    answer = invoke(
        "init",
        "--paper",
        "--title",
        title,
        "--rows",
        "titanic",
        "--columns",
        "a=SVC",
        "--split",
        "10-fold",
    )
    assert answer.exit_code == 0
    (path,) = Path().glob("*.yaml")
    assert invoke("check", path).exit_code == 0
