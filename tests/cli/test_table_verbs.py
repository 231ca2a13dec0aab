"""`ensvm table`, `report`, `rank` and `export`: what they print, write and refuse."""

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pandas as pd
import pytest
from made_up_records import cells_run_here, copy_results, errors, invoke, make_study
from rich.console import Console

from ensvm.report.documents.ranking_document import who_is_best
from ensvm.report.render.markdown import unbroken
from ensvm.report.study_folder import read_study
from ensvm.report.write import write_pages
from ensvm.runner.plan import make_plan
from ensvm.shipped import find_config, shipped_records
from ensvm.study.read_config import read_config
from ensvm_cli import table_verbs as verbs

CONFIG = """\
study: trial
realizations: 3
datasets: [{name: small, card: circle, split: {protocol: random, n_train: 20, n_test: 20}}]
algorithms:
  slow: {estimator: MultiplicativeUpdateSVC, params: {max_iter: 20}, record: [objective_path_]}
  fast: {estimator: RhoSVC, record: [objective_path_]}
  bag: {estimator: "sklearn.ensemble:BaggingClassifier", params: {n_estimators: 3}}
published: p.csv
tables: [{id: 1, caption: c, columns: [bag, fast]}]
figures:
  - {id: 1, caption: c, panels: [small], series: [fast, slow], y: objective_path_,
     x_label: steps, y_label: objective}
claims:
  - {id: faster, text: It is faster., metric: objective_path_, left: fast, right: slow,
     relation: at-least, of: ratio, stage: end}
readings:
  - id: size
    question: How many members?
    table: 1
    columns: [bag]
    default: three
    variants:
      - {name: three, label: three again, algorithm: {params.n_estimators: 3}}
      - {name: five, label: five, algorithm: {params.n_estimators: 5}, realizations: 2}
    conclusion: Who knows.
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """Return the config and the results of a study that was run."""
    folder = tmp_path_factory.mktemp("ran")
    config, results = folder / "trial.yaml", folder / "results"
    config.write_text(CONFIG)
    (folder / "p.csv").write_text("table,row,column,value,std\n1,small,bag,25.0,\n")
    with pytest.MonkeyPatch.context() as patch:
        cells_run_here(patch)
        answer = invoke("run", config, "--results", results, "--jobs", 1)
    assert answer.exit_code == 0, answer.output
    commands = answer.stdout.splitlines()[-1]
    assert f"readings: ensvm report --only readings {results}" in commands
    return config, results


@pytest.mark.slow
def test_figures_and_claims_are_written(ran):
    _, results = ran
    figures = [results / "trial" / f"figure-1.{end}" for end in ("csv", "png", "svg", "pdf")]
    drawn = invoke("report", results, "--only", "figures")
    assert drawn.exit_code == 0
    assert drawn.stdout.splitlines() == list(map(str, figures))
    assert all(path.stat().st_size > 500 for path in figures)
    judged = invoke("report", results, "--only", "claims")
    assert judged.exit_code == 0
    assert "> It is faster." in judged.stdout
    assert judged.stdout.strip().startswith((results / "trial" / "claims.md").read_text().strip())
    assert "faster" in (results / "trial" / "claims.csv").read_text()


def test_one_claim_is_shown_whole_and_a_wrong_id_gets_the_nearest(ran):
    _, results = ran
    shown = invoke("report", results, "--only", "claims", "--claim", "faster")
    assert shown.exit_code == 0
    assert "> It is faster." in shown.stdout
    refused = invoke("report", results, "--only", "claims", "--claim", "fastr")
    assert refused.exit_code == 2
    assert "no claim 'fastr'" in refused.stderr
    assert "accepted: faster;" in refused.stderr  # all of them: no command has to list more
    assert "did you mean 'faster'?" in refused.stderr


def test_a_terminal_shows_a_line_for_each_claim(ran, monkeypatch):
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda self: True)
    shown = invoke("report", ran[1], "--only", "claims")
    assert shown.exit_code == 0
    lines = [" ".join(line.split()) for line in shown.stdout.splitlines()]
    (line,) = [line for line in lines if "It is faster." in line]
    assert line.split(" ", 1)[1].endswith("faster It is faster.")


@pytest.mark.parametrize("part", ["figures", "claims", "readings"])
def test_a_study_without_a_part_is_named_by_its_folder(part):
    answer = invoke("report", "ijcai07-lowrank", "--only", part)
    nothing = f"error: results: no records of a study with {part}; run a study with {part} first,"
    command = answer.stderr.strip().partition(f"{nothing} for example: ensvm run ")[2]
    assert getattr(read_config(find_config(command))[0], part)


@pytest.mark.parametrize("part", ["figures", "claims", "readings"])
def test_a_part_that_was_added_after_the_run_comes_with_the_command(tmp_path, part):
    config = CONFIG.partition("claims:")[0].replace("published: p.csv\n", "")
    make_study(tmp_path / "trial", config, errors("small", "fast", [0.1]))
    answer = invoke("report", tmp_path, "--only", part)
    assert answer.exit_code == 2
    assert f"if you added {part} after the run, `ensvm run trial.yaml" in answer.stderr


@pytest.mark.slow
def test_readings_are_written(ran, tmp_path):
    config, results = ran
    dry = invoke("run", config, "--results", results, "--dry-run").stdout
    assert "1 data set, 3 algorithms, 15 cells, 5 of them for readings; 15 done" in dry
    folder = Path(shutil.copytree(results, tmp_path / "results"), "trial")
    answer = invoke("report", folder.parent, "--only", "readings")
    assert answer.exit_code == 0
    assert unbroken(answer.stdout).strip() == (folder / "readings.md").read_text().strip()
    frame = pd.read_csv(folder / "readings.csv").set_index("reading")
    assert frame.loc["three", "value"] == frame.loc["default", "value"]  # bit for bit
    assert frame.loc["five", "n"] == 2


@pytest.mark.slow
def test_export_writes_tables_and_cells_with_seeds(ran, tmp_path):
    config, results = ran
    answer = invoke("export", results, "trial", "--per-realization")
    frame = pd.read_csv(io.StringIO(answer.stdout))
    planned = {
        cell.realization: cell.seed for cell in make_plan(config).cells if cell.algorithm == "fast"
    }
    seeds = frame[frame.algorithm == "fast"].set_index("realization").seed
    assert seeds.astype(int).to_dict() == planned

    written = invoke("export", results, "-o", tmp_path / "out.csv")
    assert "out.csv: 2 lines" in written.stderr
    cells = pd.read_csv(tmp_path / "out.csv")
    assert cells[["table", "row", "column", "n"]].to_numpy().tolist() == [
        [1, "small", "bag", 3],
        [1, "small", "fast", 3],
    ]


@pytest.mark.parametrize(
    ("verb", "example"),
    [
        ("report --only figures", "ijcai07-figure1"),
        ("report --only claims", "ijcai07-figure1"),
        ("report --only readings", "nips99"),
        ("table", "smoke"),
        ("rank", "comp6321"),
        ("export", "smoke"),
    ],
)
def test_without_records_it_says_what_to_do(tmp_path, verb, example):
    answer = invoke(*verb.split(), tmp_path)
    assert answer.exit_code == 2
    assert answer.stderr == (
        f"error: {tmp_path}: nothing was run here; run a study first, for example: "
        f"ensvm run {example}\n"
    )


def test_export_refuses_an_unknown_ending(tmp_path):
    answer = invoke("export", tmp_path, "-o", tmp_path / "x.xlsx")
    assert answer.exit_code == 2
    assert answer.stderr.endswith("an export is CSV; name the file *.csv\n")


ALGORITHMS = [f"algorithm_{n}" for n in range(9)]
WIDE = f"""
study: s
realizations: 3
datasets: [titanic, german]
algorithms: {{{", ".join(f"{name}: {{estimator: SVC}}" for name in ALGORITHMS)}}}
tables:
  - {{id: wide, caption: a caption, columns: [{", ".join(ALGORITHMS)}]}}
  - {{id: small, caption: another, columns: [algorithm_0]}}
"""


@pytest.fixture
def wide(tmp_path):
    records = [
        each
        for n, name in enumerate(ALGORITHMS)
        for row in ("titanic", "german")
        for each in errors(row, name, [0.1 + n / 100, 0.12 + n / 100, 0.11 + n / 100])
    ]
    make_study(tmp_path / "s", WIDE, records, "table,row,column,value,std\n")
    return tmp_path


@pytest.mark.parametrize("width", [80, 300])
def test_a_table_fits_the_terminal_and_is_whole(wide, monkeypatch, width):
    console = Console(width=width, record=True, force_terminal=True)
    monkeypatch.setattr(verbs, "fitting_console", lambda: console)
    answer = invoke("table", wide, "--table", "wide")
    assert answer.exit_code == 0, answer.output
    text = console.export_text()
    assert max(map(len, text.splitlines())) <= width
    assert all(text.count(f"{11 + n}.0") == 2 for n in range(len(ALGORITHMS)))
    assert "…" not in text
    assert "another" not in text


def test_a_chosen_table_is_plain_text_in_a_pipe_and_markdown_if_asked(wide):
    answer = invoke("table", wide, "s", "--table", "small")
    assert "\nTable small. another\n" in answer.stdout
    assert "\x1b" not in answer.stdout
    assert "11.0" in answer.stdout
    assert "**" not in answer.stdout  # one value has no best
    assert "Table wide" not in answer.stdout
    asked = invoke("table", wide, "s", "--table", "small", "--format", "md")
    assert asked.stdout.startswith("## Table small. another\n\n| data set")
    assert not (wide / "s" / "table-wide.csv").exists()
    wrong = invoke("table", wide, "--table", "smal")
    assert wrong.exit_code == 2
    message = "error: no table 'smal'; accepted: wide, small; did you mean 'small'?\n"
    assert wrong.stderr == message


READ = ("config.yaml", "cells.jsonl", "asked.jsonl", "published.csv")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A results folder with two studies, as a run leaves them."""
    folder = tmp_path_factory.mktemp("checkout") / "results"
    for study in ("ijcai07", "ijcai07-figure1"):
        copy_results(study, folder)
    return folder


@cache
def read_once(folder):
    return read_study(folder)


@pytest.fixture
def ours(checkout, monkeypatch):
    """The folder without rankings. Its records never change, so they are read only once."""
    monkeypatch.setattr("ensvm.report.study_folder.read_study", read_once)
    for path in checkout.glob("*/rank-*"):
        path.unlink()
    return checkout


def written(results):
    """Return the names of the files written beside the records."""
    return {path.name for path in results.rglob("*") if path.is_file()} - set(READ)


@pytest.mark.slow
def test_tables_are_ranked_but_those_that_cannot_be(ours):
    answer = invoke("rank", ours, "ijcai07", "--table", "2")
    assert answer.exit_code == 0
    assert written(ours) == {f"rank-2.{end}" for end in ("csv", "md", "png", "svg", "pdf")}
    assert answer.stdout.strip() == (ours / "ijcai07" / "rank-2.md").read_text().strip()
    assert "SVM (BEST): an oracle" in answer.stdout
    every = invoke("rank", ours)
    assert every.exit_code == 0
    assert "ijcai07, table 3: not ranked: its columns show train_seconds, n_iter_" in every.stderr
    assert "facts of the data" not in every.stderr  # such a table is ranked only if it is named
    assert "ijcai07, table 2-alternatives: not ranked: ranks need at least 5" in every.stderr
    assert "rank-2.md" in written(ours)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ijcai07-figure1"], "results: no table to rank"),
        (["--table", "1"], "ijcai07, table 1: not ranked: .*facts of the data"),
        (["--table", "2", "--metric", "auk"], "show error, not 'auk'; did you mean 'auc'"),
        (["--table", "2", "--metric", "auc"], "no table shows it: write one with `metric: auc`"),
        (["--table", "2", "--metric", "n_iter_"], "'n_iter_'; `--table 2-certificates` shows it"),
    ],
)
def test_what_cannot_be_ranked_is_refused_in_one_line(ours, arguments, message):
    answer = invoke("rank", ours, *arguments)
    assert answer.exit_code == 2
    assert not answer.stdout
    assert re.fullmatch(f"error: .*{message}.*\n", answer.stderr), answer.stderr
    assert not written(ours)


def test_a_name_shows_the_results_that_come_with_ensvm(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = invoke("table", "ijcai07-lowrank")
    assert result.exit_code == 0, result.output
    assert "showing the results that come with ensvm" in result.stderr
    written = sorted((tmp_path / "report" / "ijcai07-lowrank").glob("table-*.csv"))
    shipped = shipped_records("ijcai07-lowrank")
    assert [path.read_text() for path in written] == [
        (shipped / path.name).read_text() for path in written
    ]
    assert written
    assert not (tmp_path / "results").exists()
    assert invoke("table", "no-such-study").exit_code == 2


def test_a_folder_shows_what_was_run_in_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = CONFIG.replace("study: trial", "study: ijcai07-lowrank")
    results = tmp_path / "results"
    made = [replace(one, study="ijcai07-lowrank") for one in errors("small", "fast", [0.125])]
    make_study(results / "ijcai07-lowrank", config, made)
    of_folder = invoke("table", "results", "ijcai07-lowrank")
    assert "12.5" in of_folder.stdout
    assert "come with ensvm" not in of_folder.stderr
    of_name = invoke("table", "ijcai07-lowrank")
    assert "12.5" not in of_name.stdout
    assert "what was run here: results/ijcai07-lowrank" in of_name.stderr
    missing = invoke("table", "results", "ijcai07")
    assert missing.exit_code == 2
    assert "ijcai07 was not run here; the results that come with ensvm: give ijcai07 without a" in (
        missing.stderr
    )


@pytest.mark.parametrize("stdout", ["closed", "ascii"])
def test_a_poor_output_ends_no_command_and_keeps_no_file_from_being_written(ran, tmp_path, stdout):
    results = tmp_path / "results"
    shutil.copytree(ran[1], results)
    for path in results.glob("trial/table-*"):
        path.unlink()
    redirected = ">&-" if stdout == "closed" else f"> {tmp_path}/printed"
    command = [sys.executable, "-c", "from ensvm_cli import start; start()", "table", results]
    answer = subprocess.run(
        f"{shlex.join(map(str, command))} {redirected}",
        shell=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    assert (results / "trial" / "table-1.md").is_file()


def test_own_data_end_with_a_sentence_of_who_is_best(tmp_path):
    config = (
        "study: mine\ndatasets: [{name: own, path: own.csv, target: y, "
        "split: {protocol: random, n_train: 7, n_test: 3}}]\n"
        "algorithms: {a: {label: A, estimator: SVC}, b: {estimator: SVC}}\n"
        "tables: [{id: 1, caption: c, columns: [a, b]}]\n"
    )
    (tmp_path / "own.csv").write_text("x,y\n1,u\n2,v\n")
    lines = errors("own", "a", [0.1, 0.2, 0.15]) + errors("own", "b", [0.5, 0.62, 0.56])
    make_study(tmp_path / "results" / "mine", config, lines)
    text = " ".join(invoke("table", tmp_path / "results").stdout.split())
    best = (
        "On own: A has the best mean error (15.00 %). Significantly worse: b (41.00 points more, "
    )
    assert best in text


@pytest.mark.parametrize("ran", [False, True])
def test_a_misspelt_name_gets_the_nearest_of_shipped_studies_too(tmp_path, monkeypatch, ran):
    monkeypatch.chdir(tmp_path)
    if ran:
        make_study(tmp_path / "results" / "trial", CONFIG, errors("small", "fast", [0.125]))
    result = invoke("table", "ijcai70")
    assert result.exit_code == 2
    assert "did you mean 'ijcai07'?" in result.stderr


@pytest.mark.parametrize("has_assumption", [True, False])
@pytest.mark.parametrize("lacks_a_value", [True, False])
def test_the_line_below_tables_names_only_what_their_files_have(
    tmp_path, has_assumption, lacks_a_value
):
    config = (
        "study: s\ndatasets: [titanic]\nalgorithms: {a: {estimator: SVC}, b: {estimator: SVC}}\n"
    )
    config += "tables: [{id: 1, caption: c, columns: [a, b]}]\n"
    config += "assumptions: [{id: guess, text: We guess.}]\n" if has_assumption else ""
    names = "a" if lacks_a_value else "ab"
    made = [one for name in names for one in errors("titanic", name, [0.1, 0.2])]
    make_study(tmp_path / "s", config, made)
    shown = invoke("table", tmp_path).stdout
    text = (tmp_path / "s" / "table-1.md").read_text()
    for word, title, is_there in (
        ("assumptions", "Assumptions", has_assumption),
        ("reasons for missing values", "Missing", lacks_a_value),
    ):
        assert (title in text) == (word in shown) == is_there


def test_values_over_some_realizations_are_not_called_missing(own_data, monkeypatch):
    folder = own_data.parent
    monkeypatch.chdir(folder)
    cells_run_here(monkeypatch)
    (folder / "s.yaml").write_text(
        f"study: s\nrealizations: 20\ndatasets: [{{name: d, path: {own_data.name}, target: label,"
        " split: {protocol: random, n_train: 40, n_test: 20}}]\n"
        "algorithms: {a: {estimator: KNeighborsClassifier}, b: {estimator: GaussianNB}}\n"
        "tables: [{id: 1, caption: c, columns: [a, b]}]\n"
    )
    ran = invoke("run", "s.yaml", "--realizations", 6, "--jobs", 1)
    assert ran.exit_code == 0, ran.output
    shown = " ".join(invoke("table", "results").stdout.split())
    assert "reasons for missing realizations" in shown
    assert "missing values" not in shown
    part = "Compared over some of the realizations: d: over 6 of 20 realizations; 14 not run."
    study = read_study(folder / "results" / "s")
    (best,) = who_is_best(study, study.config.table("1"))
    assert part in best
    *_, index = write_pages([study], folder / "pages")
    assert "<summary>Missing realizations (1 reason)" in index.with_name("s.html").read_text()


def test_a_table_ends_with_its_signs_and_the_next_command(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    shown = invoke("table", "ijcai07", "--table", "2")
    last = shown.stderr.splitlines()[-1]
    assert re.match(r"ijcai07: \d+ = \(1 †\), \d+ ≈, \d+ ≠, \d+ \?; figures: ensvm report", last)
    assert "claims: ensvm report --only claims ijcai07" in last
