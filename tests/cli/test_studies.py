"""`ensvm list`, `init` and `check`: what they print, write and refuse."""

import re
import shlex
import unicodedata
from pathlib import Path

import pytest
from made_up_records import errors, invoke, make_study, record

from ensvm.shipped import find_config, shipped_names
from ensvm.study.read_config import read_config, reproduced

SVC = "svc: {estimator: SVC, params: {kernel: rbf, gamma: mean-distance}}"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch) -> Path:
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def listed(*arguments):
    """Return what `ensvm list` prints about each study: a line of columns."""
    answer = invoke("list", *arguments)
    assert answer.exit_code == 0, answer.output
    rows = (re.split(" {2,}", line) for line in answer.stdout.splitlines())
    return {row[0]: row[1:] for row in rows}


def test_every_shipped_study_is_listed_before_any_run(here):
    studies = listed(here / "none")
    assert studies["study"] == ["takes", "here", "what it is"]
    assert set(reproduced()) < set(studies)
    names = [name for name in studies if name in shipped_names()]
    configs = {name: read_config(find_config(name))[0] for name in names}
    years = [config.year for config in configs.values() if config.year]
    assert years == sorted(years)
    assert all(configs[name].year for name in names[: len(years)])
    parts = [name for name in names if configs[name].part_of]
    assert parts
    for name in parts:
        main = configs[name].part_of
        between = names[names.index(main) + 1 : names.index(name)]
        assert {configs[one].part_of for one in between} <= {main}
    takes, ran, title = studies["ijcai07"]
    assert takes.endswith(" s (--published)")
    assert "(" not in studies["smoke"][0]
    assert ran == "not run; shipped"
    assert title == configs["ijcai07"].title


def test_your_own_studies_are_listed_with_what_was_run(here):
    config = (
        "study: mine\ntitle: Of my own\ndatasets: [german]\nalgorithms: {svc: {estimator: SVC}}"
    )
    failed = record("german", 3, "svc", status="failed")
    make_study(here / "mine", config, [*errors("german", "svc", [0.2, 0.3]), failed])
    assert listed(here)["mine"] == ["2 cells done, 1 cell failed", "Of my own"]


@pytest.fixture
def missing(here):
    """Return a study with one data set that is here, and three from two sources that are not."""
    path = here / "trial.yaml"
    rows = "[titanic, web2, {name: again, card: web2}, web1]"
    path.write_text(f"study: trial\nrealizations: 1\ndatasets: {rows}\nalgorithms:\n  {SVC}\n")
    return path


def ways_in(text):
    """Return the lines that say how to get missing data."""
    assert text.count("missing data: 3 of the 4") == 1
    return [line.strip() for line in text.splitlines() if "--data-dir" in line]


@pytest.mark.usefixtures("in_this_process")
def test_missing_data_are_printed_once_before_anything_runs(missing):
    ran = invoke("run", missing, "--jobs", 1)
    assert ran.exit_code == 0
    assert [line.split(":")[0] for line in ways_in(ran.stderr)] == ["web2, again", "web1"]
    assert ran.stderr.index("missing data") < ran.stderr.index("cells, ")
    [end] = [line for line in ran.stdout.splitlines() if line.startswith("no data")]
    assert "web2, again, web1" in end
    assert "6 no data" in invoke("run", missing, "--jobs", 1).stdout
    lines = Path("results", "trial", "cells.jsonl").read_text()
    assert lines.count('"kind": "cell"') == 8, "the same reason is not written twice"


def test_a_dry_run_and_a_check_print_missing_data_too(missing):
    dry, checked = invoke("run", missing, "--dry-run"), invoke("check", missing)
    assert ways_in(dry.stdout) == ways_in(checked.stdout)
    assert checked.exit_code == 0


ROWS = "\n".join(
    f"{i};{i * i % 7},5;{['rot', 'blau'][i % 2]};{'ab'[i % 5 // 3]}" for i in range(40)
)
FOREIGN = f"id;länge;farbe;label\n{ROWS}\n"


@pytest.fixture
def foreign(here):
    Path("foreign.csv").write_bytes(FOREIGN.encode("latin-1"))


@pytest.mark.usefixtures("in_this_process", "foreign")
def test_a_foreign_file_becomes_a_table_without_a_question():
    drafted = invoke("init", "foreign.csv")
    assert drafted.exit_code == 0, drafted.output
    for text in (
        "40 rows, 4 columns",
        "semicolon",
        "decimal comma",
        "numbers the rows",
        "a 24, b 16",
    ):
        assert text in drafted.output
    checked = invoke("check", "foreign.yaml", "--no-fit")  # as scripts still have it
    assert checked.exit_code == 0, checked.output
    few = ("--realizations", 5, "--algorithms", "always_largest,svc")
    ran = invoke("run", "foreign.yaml", "--jobs", 1, *few)
    assert ran.exit_code == 0, ran.output
    assert "\n foreign " in invoke("table", "results", "foreign").output
    ranked = invoke("rank", "results", "foreign", "--dataset", "foreign")
    assert ranked.exit_code == 0, ranked.output
    assert "largest class" in ranked.output


@pytest.mark.usefixtures("foreign")
def test_the_printed_commands_work():
    drafted = invoke("init", "foreign.csv", "-o", "my 1st.yaml")
    commands = [shlex.split(line)[1:] for line in drafted.output.splitlines() if "  ensvm " in line]
    assert [command[0] for command in commands] == ["run", "table", "rank"]
    assert invoke(*commands[0], "--dry-run").exit_code == 0


@pytest.mark.usefixtures("foreign")
def test_a_config_is_overwritten_only_with_force():
    Path("foreign.yaml").write_text("mine")
    again = invoke("init", "foreign.csv")
    assert again.exit_code == 2
    assert "error: foreign.yaml exists; choose another name with -o" in again.output
    assert Path("foreign.yaml").read_text() == "mine"
    assert invoke("init", "foreign.csv", "--force").exit_code == 0
    assert Path("foreign.yaml").read_text() != "mine"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.csv"], "none.csv"),
        (["."], ""),
        (["/dev/null"], "/dev/null"),
        (["foreign.csv/x.csv"], "foreign.csv/x.csv"),
        (["foreign.csv", "--target", "nowhere"], "there is no column 'nowhere'"),
        (["foreign.csv", "-o", "foreign.csv/x.yaml"], "choose another place with -o"),
        (["foreign.csv", "--force", "-o", "./foreign.csv"], "would be written over"),
    ],
)
@pytest.mark.usefixtures("foreign")
def test_init_refuses_in_one_line_and_writes_nothing(arguments, message):
    refused = invoke("init", *arguments)
    assert refused.exit_code == 2
    assert refused.stderr.startswith("error: ")
    assert len(refused.stderr.splitlines()) == 1
    assert message in refused.stderr
    assert [path.name for path in Path().iterdir()] == ["foreign.csv"]
    assert Path("foreign.csv").read_bytes() == FOREIGN.encode("latin-1")


def test_many_columns_are_summed_up():
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


BIG = 2**53 + 1
ALIKE = """\
study: alike
datasets: [{name: own, path: own.csv, target: label, drop: [Comment],
            split: {protocol: random, n_train: 20, n_test: 10}}]
algorithms: {a: {estimator: SVC}}
"""


def write_own(other, target="label"):
    """Write own.csv with two classes, some rows of the second class in another spelling."""
    labels = ["no", "caf\u00e9", other]
    rows = [f"{BIG + 10 * i},{i * i % 7},{labels[i % 3]}," for i in range(60)]
    text = "\n".join([f"big,a,{target},Comment", *rows]) + "\n"
    Path("own.csv").write_text(text, encoding="utf-8")


@pytest.mark.parametrize("other", [unicodedata.normalize("NFD", "caf\u00e9"), "caf\u00e9\u200b"])
def test_labels_that_look_the_same_are_named_once(other):
    write_own(other)
    Path("alike.yaml").write_text(ALIKE)
    drafted = invoke("init", "own.csv", "--target", "label")
    checked = invoke("check", "alike.yaml")
    for answer in (drafted, checked):
        assert answer.exit_code == 0, answer.output
        text = " ".join(answer.output.split())
        pair = sorted(["caf\u00e9", other])
        assert text.count(f"the classes {pair[0]!a} and {pair[1]!a} look alike") == 1
    assert "own: columns left out of the inputs: Comment" in checked.stdout
    assert "1 data set, 1 algorithm" in checked.stdout
    text = " ".join(drafted.stdout.split())
    assert text.count(f"whole numbers beyond 2^53, such as {BIG}, lose digits") == 1


def test_an_empty_last_column_holds_no_classes():
    write_own("no", target="kind")
    answer = invoke("init", "own.csv")
    assert answer.exit_code == 0
    assert "'kind'" in answer.output


TWO = "age,status,sex,ulcer\n" + "\n".join(
    f"{i * 37 % 101},{i % 3 + 1},{i % 2},{i // 2 % 2}" for i in range(60)
)


def test_without_a_terminal_two_plausible_columns_end_in_a_question():
    Path("two.csv").write_text(TWO)
    answer = invoke("init", "two.csv")
    assert answer.exit_code == 2
    assert "which column holds the classes? it might be 'status', 'sex', 'ulcer'" in answer.stderr
    assert not Path("two.yaml").exists()


def test_a_terminal_asks_which_column_is_meant(monkeypatch):
    Path("two.csv").write_text(TWO)
    monkeypatch.setattr("ensvm_cli.init.at_a_terminal", lambda: True)
    answer = invoke("init", "two.csv", stdin="ulcer\n")
    assert answer.exit_code == 0, answer.output
    assert "target: ulcer" in Path("two.yaml").read_text()


def test_each_decision_has_the_option_that_changes_it():
    rows = "\n".join(
        f"{i // 4}|{-9 if i % 7 == 0 else i * 37 % 101}|{'ab'[i % 2]}" for i in range(60)
    )
    Path("bars.txt").write_text(f"an export\nof today\nsubject|x|label\n{rows}\nend\n")
    answer = invoke("init", "bars.txt")
    assert answer.exit_code == 0, answer.output
    text = " ".join(answer.stdout.split())
    assert "lines left out 2 before the table, 1 after it --skip N, --footer N" in text
    assert "if it means a missing value, say so as the file writes it" in text
    assert "Look at this first: - 'subject' has 15 different values in 60 rows" in text
    said = (
        "--delimiter",
        "|",
        "--skip",
        2,
        "--footer",
        1,
        "--missing",
        "-9",
        "--groups",
        "subject",
    )
    again = invoke("init", "bars.txt", "-o", "again.yaml", *said)
    assert again.exit_code == 0, again.output
    assert "Look at this first" not in again.stdout
    assert "-9; replaced by the mean of the training rows --missing TEXT" in " ".join(
        again.stdout.split()
    )
    assert "groups subject --groups NAME" in " ".join(again.stdout.split())
    assert "groups: subject" in Path("again.yaml").read_text()
    checked = [invoke("check", path).output for path in ("bars.yaml", "again.yaml")]
    assert ["Look at this first" in output for output in checked] == [True, False]


@pytest.mark.usefixtures("in_this_process")
def test_alarms_are_in_init_check_the_first_page_and_the_page_of_a_study():
    rows = [
        f"{i * 37 % 101},{i * i % 89},{i % 2 + 2 * (i % 3 == 0)},{'ab'[i % 2]}" for i in range(60)
    ]
    leaking = [
        f"{row.rsplit(',', 1)[0]},{'xy'[i % 2]}{i % 3},{'ab'[i % 2]}" for i, row in enumerate(rows)
    ]
    Path("leak.csv").write_text("\n".join(["u,v,w,<code>,label", *leaking]) + "\n")
    shown = [invoke("init", "leak.csv").output, invoke("check", "leak.yaml").output]
    few = ("--realizations", 1, "--algorithms", "always_largest")
    ran = invoke("run", "leak.yaml", "--jobs", 1, *few)
    assert ran.exit_code == 0, ran.output
    assert invoke("table", "results", "leak").exit_code == 0
    shown.append(Path("results", "leak", "README.md").read_text().replace("\\<", "<"))
    assert invoke("report", "results", "leak", "-o", "pages").exit_code == 0
    page = Path("pages", "leak.html").read_text()
    shown.append(page.replace("&lt;", "<").replace("&gt;", ">").replace("&#39;", "'"))
    for text in shown:
        plain = " ".join(text.split())
        assert "Look at this first" in plain
        assert "'<code>' alone tells the class with an error of 0.0%" in plain
    assert "<code>' alone" not in page  # a name from a file is no HTML


def test_check_says_which_data_sets_have_fewer_realizations(tmp_path):
    (tmp_path / "s.yaml").write_text(
        "study: s\nrealizations: 8\nalgorithms: {svc: {estimator: SVC}}\n"
        "datasets:\n  - titanic\n  - {name: toy, card: toy-boosting}\n"
        "  - {name: other, card: toy-boosting, realizations: 1}\n"
    )
    (line,) = [
        line
        for line in invoke("check", tmp_path / "s.yaml").stdout.splitlines()
        if "realizations:" in line
    ]
    assert line.endswith(
        "line 2: realizations: some data sets have fewer than 8, and run all of theirs: toy 1"
    )


@pytest.mark.parametrize(
    ("test", "is_asked"),
    [
        ("relation: at-most, limit: 0.2", True),
        ("relation: at-most, limit: 20", False),
        ("relation: at-least, limit: 0.2", False),
        ("relation: at-most, limit: 0", False),
        ("metric: auc, relation: at-least, limit: 0.2", False),
    ],
)
def test_check_asks_whether_a_limit_of_percentages_is_a_fraction(tmp_path, test, is_asked):
    (tmp_path / "s.yaml").write_text(
        "study: s\nrealizations: 2\nalgorithms: {svc: {estimator: SVC}}\ndatasets: [titanic]\n"
        f"metrics: [auc]\nclaims: [{{id: c, text: t, left: svc, {test}}}]\n"
    )
    answer = invoke("check", tmp_path / "s.yaml")
    assert answer.exit_code == 0, answer.output
    question = "claim c: limit: 0.2 is below 1 %; is this a fraction? error is in percent: 20"
    assert (question in " ".join(answer.stdout.split())) == is_asked


@pytest.mark.parametrize(
    ("scope", "is_asked"),
    [
        ("scope: 2", True),
        ("scope: 2, scope_of: rows", False),
        ("scope: 2, scope_of: comparisons", False),
        ("scope: 3", False),  # more than there are data sets
    ],
)
def test_check_asks_what_a_number_of_comparisons_counts(tmp_path, scope, is_asked):
    (tmp_path / "s.yaml").write_text(
        "study: s\nrealizations: 2\nalgorithms: {svc: {estimator: SVC}, forest: {estimator: "
        "RandomForestClassifier}}\ndatasets: [titanic, {name: toy, card: toy-boosting, "
        "realizations: 1}]\nclaims: [{id: c, text: t, left: [svc, forest], relation: at-most, "
        f"limit: 50, {scope}}}]\n"
    )
    answer = invoke("check", tmp_path / "s.yaml")
    assert answer.exit_code == 0, answer.output
    said = " ".join(answer.stdout.split())
    assert ("scope: 2 counts comparisons, 2 on each data set" in said) == is_asked


@pytest.mark.parametrize(
    ("marks", "options", "said"),
    [
        (["n/a"], [], "n/a"),
        (["", "NaN"], [], "NaN, empty"),
        (["-9"], ["--missing", "-9"], "-9"),
        (["-9", "n/a"], ["--missing", "-9", "--missing", "n/a"], "-9, n/a"),
    ],
)
def test_init_names_the_marks_of_missing_values_that_the_file_has(marks, options, said):
    fields = [*marks, *map(str, range(20 - len(marks)))]
    lines = [f"{field},{number},{'ab'[number % 2]}" for number, field in enumerate(fields)]
    Path("own.csv").write_text("\n".join(["x,z,label", *lines, ""]))
    answer = invoke("init", "own.csv", "--target", "label", *options)
    assert answer.exit_code == 0
    assert f"missing values  {said}; replaced by the mean" in answer.output
