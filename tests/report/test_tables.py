"""Tables show what the records say: nothing rounded, mixed, or missing without a reason."""

import re
import shutil
import statistics
import subprocess
from dataclasses import replace
from math import inf
from shutil import copytree

import numpy as np
import pandas as pd
import pytest
from made_up_records import errors, make_study, read_results, record
from scipy.stats import ttest_rel

from ensvm.report.documents.document import how_to_read
from ensvm.report.documents.table_document import reasons, table_document, table_grid
from ensvm.report.tables import TableCell, best_of_row, build_table, underlined
from ensvm.report.write import write_tables
from ensvm.shipped import shipped_results
from ensvm.study.config import StudyConfig
from ensvm.study.passes import DISTURBED
from ensvm.study.printed import read_published

RESULTS = shipped_results()
CONFIG = """\
study: s
realizations: 3
datasets: [german, titanic, web2]
algorithms:
  a: {label: A, estimator: SVC}
  b: {label: B, estimator: SVC, params: {C: 2.0}}
  best: {estimator: SVC, grid: {C: [1.0]}, stage: best-on-test}
  later: {estimator: RhoSVC}
published: p.csv
tables:
  - {id: 1, caption: Facts., of: data, columns: [dim, n_test]}
  - {id: 2, caption: Errors., columns: [a, b, best, later], notes: [a note]}
assumptions:
  - {id: everywhere, text: for all}
  - {id: facts, text: for the facts, tables: [1]}
"""
PUBLISHED = (
    "table,row,column,value,std\n1,german,dim,20,\n1,german,n_test,301,\n"
    "2,german,a,24.0,\n2,web2,a,2.1,\n2,german,later,3,\n"
)
ERRORS = {1: 0.24, 2: 0.25, 3: 0.23}
OLD = {"settings_key": "old", "time": "2026-01-01T00:00:00Z"}


def records():
    return [
        record("german", 1, "data", dim=20, n_train=700, n_test=300),
        *errors("german", "a", ERRORS.values()),
        *(replace(one, **OLD) for one in errors("german", "b", [0.3, 0.3])),
        record("german", 3, "b", error=0.1, n_test=300),
        record("titanic", 1, "a", error=0.5, n_test=100),
        record("titanic", 2, "a", status="failed", reason="ouch"),
        *(
            record("web2", 1, name, status="unavailable", reason="ask the author")
            for name in ("data", "a", "b", "best")
        ),
    ]


@pytest.fixture
def study(tmp_path):
    return make_study(tmp_path / "s", CONFIG, records(), PUBLISHED)


@pytest.fixture
def cells(study):
    return {
        (cell.table, cell.row, cell.column): cell
        for table in study.config.tables
        for cell in build_table(study, table)
    }


def first_table(study):
    """Return the first table of a study, its cells, and which columns are bold in its first row."""
    table = study.config.tables[0]
    cells = build_table(study, table)
    first_row = [cell for cell in cells if cell.row == cells[0].row]
    return table, cells, best_of_row(study, table, first_row)


def test_mean_and_spread_are_unrounded_percent(cells):
    cell = cells["2", "german", "a"]
    assert cell.mean == pytest.approx(100 * statistics.fmean(ERRORS.values()), rel=1e-15)
    assert cell.std == pytest.approx(100 * statistics.stdev(ERRORS.values()), rel=1e-12)
    assert (cell.n, cell.published, cell.status) == (3, 24.0, "ok")
    assert cell.difference == cell.mean - 24.0


def test_records_of_other_settings_are_not_mixed_in(cells):
    assert (cells["2", "german", "b"].mean, cells["2", "german", "b"].n) == (pytest.approx(10.0), 1)


def test_facts_are_equal_or_differ(cells):
    assert cells["1", "german", "dim"].verdict == "within the margin"
    assert cells["1", "german", "n_test"].verdict == "differs"


def test_a_column_has_the_decimals_of_its_printed_values(tmp_path):
    printed = PUBLISHED.replace("2,german,a,24.0,", "2,german,a,24.125,")
    study = make_study(tmp_path / "s", CONFIG, records(), printed)
    grid = table_grid(study, study.config.tables[1])
    assert [value.ours for value in grid.rows[0][1:3]] == ["24.000", "10.0"]


def shown_as(folder, metric, value):
    """Return how a table without `decimals:` shows our value of a metric."""
    config = CONFIG.replace("columns: [a, b, best, later]", f"metric: {metric}, columns: [a]")
    lines = [record("german", 1, "a", error=0.2, n_test=300, **{metric: value})]
    lines[0] = replace(lines[0], scores={"auc": value})
    study = make_study(folder, config.replace("published: p.csv\n", ""), lines)
    return table_grid(study, study.config.tables[1]).rows[0][1].ours


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    "value", [0.0, 1e-300, 1e-12, 4e-7, 0.0004, 0.05, 0.9, 100, 12345678.9, 1e15 + 1, 1.5e300, inf]
)
def test_a_number_without_a_unit_is_shown_as_itself(tmp_path, value, sign):
    text = shown_as(tmp_path / "s", "left_", sign * value)
    assert len(text) < 20
    assert float(text.replace("∞", "inf")) == pytest.approx(sign * value, rel=0.06)
    assert text != "-0.0"


def test_scores_between_0_and_1_have_three_decimals(tmp_path):
    assert shown_as(tmp_path / "s", "auc", 0.9876) == "0.988"
    assert shown_as(tmp_path / "t", "auc", 1.0) == "1.000"


def test_seconds_that_do_not_compare_are_said_to(tmp_path):
    block = (
        "  - {id: 3, caption: Seconds., of: timing, metric: fit_seconds, columns: [a, b]}\n"
        "timing: {realizations: 1}\n"
    )
    config = CONFIG.replace("assumptions:", block + "assumptions:")
    seconds = {"fit_seconds": 2.0, "fit_cpu_seconds": 1.0}
    timed = [
        replace(record("german", 1, name, run_pass="timing", host="h"), seconds=seconds | more)
        for name, more in (("a", {"kernel_seconds": 0.5}), ("b", {"fit_cpu_seconds": 1.9}))
    ]
    *_, (text, _) = write_tables(make_study(tmp_path / "s", config, timed, PUBLISHED), "md")
    assert "leave out the kernel matrix of A, which" in text
    assert "1 of 2 timings waited for other programs" in text


@pytest.mark.parametrize("last", [0.9, 1.1])
def test_a_timing_far_above_the_others_of_its_value_is_named(tmp_path, last):
    block = (
        "  - {id: 3, caption: Seconds., of: timing, metric: train_seconds, columns: [a]}\n"
        "timing: {realizations: 5}\n"
    )
    config = CONFIG.replace("assumptions:", block + "assumptions:")
    seconds = [1.0, 2.0, 2.0, 2.0, last * DISTURBED * 2.0]
    timed = [
        replace(
            record("german", number, "a", run_pass="timing", host="h"),
            seconds={"train_seconds": wall, "fit_seconds": wall, "fit_cpu_seconds": wall},
        )
        for number, wall in enumerate(seconds, 1)
    ]
    *_, (text, _) = write_tables(make_study(tmp_path / "s", config, timed, PUBLISHED), "md")
    named = f"A on german, {seconds[-1]:.3g} s, median 2 s"
    assert (named in text) == (last > 1.0)


def test_seconds_of_other_machines_have_no_verdict(tmp_path):
    block = (
        "  - {id: 3, caption: Seconds., of: timing, metric: train_seconds, columns: [a]}\n"
        "timing: {realizations: 1}\n"
    )
    config = CONFIG.replace("assumptions:", block + "assumptions:")
    timed = record("german", 1, "a", run_pass="timing", seconds=0.5)
    study = make_study(tmp_path / "s", config, [timed], PUBLISHED + "3,german,a,80.0,\n")
    cell = build_table(study, study.config.tables[2])[0]
    assert (cell.row, cell.mean, cell.published) == ("german", 0.5, 80.0)
    assert (cell.verdict, cell.difference) == (None, None)
    *_, (text, _) = write_tables(study, "md")
    assert "of another machine: only ratios compare" in text
    assert "80" in text


def test_a_table_of_seconds_shows_the_machine_of_most_values_and_says_what_it_left_out(tmp_path):
    config = (
        "study: s\ndatasets: [german, titanic]\ntiming: {}\n"
        "algorithms: {a: {estimator: SVC}, b: {estimator: SVC}}\n"
        "tables: [{id: 1, caption: c, of: timing, metric: train_seconds, columns: [a, b]}]\n"
    )
    lines = [
        record(row, 1, name, run_pass="timing", seconds=seconds, host=host)
        for row, name, seconds, host in (
            ("german", "a", 3.0, "old"),
            ("german", "b", 1.0, "new"),
            ("titanic", "a", 4.0, "old"),
            ("titanic", "b", 5.0, "old"),
        )
    ]
    study = make_study(tmp_path / "s", config, lines)
    [(text, _)] = write_tables(study, "md")
    assert "| german     | 3.0 |   — |" in text
    assert "| titanic    | 4.0 | 5.0 |" in text
    assert "german: b: mixed: timed on new; the table shows seconds of old" in text
    assert "Timed on old." in text
    # As many values of each: the machine that timed last
    newer = replace(lines[1], time="2026-01-03T00:00:00Z")
    study = make_study(tmp_path / "t", config, [lines[0], newer])
    [(text, _)] = write_tables(study, "md")
    assert "Timed on new." in text


def test_every_cell_without_a_value_says_why(cells):
    assert (cells["2", "web2", "a"].status, cells["2", "web2", "a"].reason) == (
        "unavailable",
        "ask the author",
    )
    assert cells["2", "german", "best"].reason == "not run yet"
    assert cells["2", "titanic", "a"].status == "incomplete"
    assert "ouch" in cells["2", "titanic", "a"].reason
    assert all(cell.reason for cell in cells.values() if cell.status != "ok")
    assert cells["2", "german", "later"].published == 3.0
    assert cells["2", "titanic", "b"].published is None


def test_files_hold_the_values_and_what_is_to_be_known_of_them(study):
    (facts, _), (errors, paths) = write_tables(study, "md")
    frame = pd.read_csv(study.folder / "table-2.csv", dtype={"table": str})
    assert frame.loc[0, "mean"] == pytest.approx(24.0, rel=1e-15)
    assert len(frame) == 3 * 4
    assert {path.name for path in paths} == {"table-2.csv", "table-2.md"}
    for text in (
        *(
            "| 10.0 (n=1)",
            "24.0 ±1.0<br><sub>24.0 ? wide</sub>",
            "chosen on the test error, an oracle",
        ),
        *("ask the author", "a note", "for all", "2026-01-0"),
    ):
        assert text in errors
    assert "for the facts" in facts
    assert "for the facts" not in errors


def test_latex_is_written_when_asked_for(study):
    text = [text for text, _ in write_tables(study, "latex")][1]
    assert "& 10.0 (n$=$1) &" in text
    assert "24.0 $\\pm$1.0" in text
    assert "\\scriptsize 24.0 ? wide" in text
    assert (study.folder / "table-2.tex").read_text() == text
    lines = text.splitlines()
    rows = lines[lines.index("\\midrule") + 1 : lines.index("\\bottomrule")]
    assert len({row.count(" & ") for row in rows}) == 1
    (layout,) = re.findall(r"begin{tabular}{(l+r+)}", text)
    assert rows[0].count(" & ") == len(layout) - 1


@pytest.fixture(scope="module")
def shipped_latex(tmp_path_factory):
    """The tables of shipped studies in LaTeX."""
    finder = shutil.which("kpsewhich")
    if finder is None or subprocess.run([finder, "booktabs.sty"], capture_output=True).returncode:
        pytest.skip("LaTeX with booktabs is not installed")
    folders = [
        copytree(RESULTS / name, tmp_path_factory.mktemp("shipped") / name)
        for name in ("ijcai07", "nips99", "ecda13")
    ]
    return [text for each in folders for text, _ in write_tables(read_results(each), "latex")]


@pytest.mark.slow
@pytest.mark.parametrize("columns", ["", "twocolumn"])
def test_latex_of_shipped_studies_compiles_within_the_lines(shipped_latex, tmp_path, columns):
    text = "\n".join(
        [
            rf"\documentclass[{columns}]{{article}}",
            r"\usepackage[T1]{fontenc}\usepackage[utf8]{inputenc}\usepackage{booktabs,graphicx}",
            r"\begin{document}",
            *("\\clearpage\n" + table for table in shipped_latex),
            r"\end{document}",
        ]
    )
    (tmp_path / "all.tex").write_text(text)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    ran = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=120
    )
    assert ran.returncode == 0, ran.stdout[-2000:]
    assert "Overfull" not in ran.stdout
    assert "too large" not in ran.stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n", "line 1"),
        ("table,row,column,value,std\n1,r,c,x,\n", "line 2"),
        (PUBLISHED + "2,german,a,1,\n", "given twice"),
    ],
)
def test_wrong_printed_numbers_are_named(tmp_path, text, message):
    path = tmp_path / "p.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_published(path, StudyConfig.model_construct(datasets=(), tables=()))


MIXED = """\
study: s
realizations: 2
datasets: [german]
algorithms: {a: {estimator: SVC}, b: {estimator: SVC}}
published: p.csv
tables:
  - id: 1
    caption: Sizes and errors.
    metric: error
    columns:
      - {name: size_a, algorithm: a, metric: size, decimals: 0, margin: 5}
      - {name: size_b, algorithm: b, metric: size, decimals: 0, margin: 5}
      - {name: error_a, algorithm: a}
      - {name: error_b, algorithm: b}
"""


def test_columns_have_their_own_best_margin_and_decimals(tmp_path):
    sizes, rates = {"a": (20, 22), "b": (30, 32)}, {"a": (0.30, 0.31), "b": (0.20, 0.21)}
    lines = [
        record("german", r + 1, name, error=rates[name][r], n_test=300, size=sizes[name][r])
        for name in "ab"
        for r in (0, 1)
    ]
    printed = "table,row,column,value,std\n1,german,size_a,21,0\n1,german,size_b,100,0\n"
    study = make_study(tmp_path / "s", MIXED, lines, printed)
    _, cells, best = first_table(study)
    assert best == {"size_a", "error_b"}
    ((text, _),) = write_tables(study, "md")
    assert "**21**" in text
    assert "**20.5**" in text
    assert (
        "the margin M, ±5 for size_a and size_b, 10 % of the printed error, at most ±1 for error_a "
        "and error_b:"
    ) in text
    assert {cell.column: cell.verdict for cell in cells if cell.verdict} == {
        "size_a": "cannot tell",
        "size_b": "differs",
    }


@pytest.mark.parametrize(
    ("metric", "best", "bold"),
    [("accuracy", "", {"b"}), ("error", "", {"a"}), ("rank_", "", set()), ("rank_", "max", {"b"})],
)
def test_the_metric_says_which_value_is_bold(tmp_path, metric, best, bold):
    lines = [
        record("german", r, name, **{metric: 0.1 * at})
        for at, name in enumerate("ab")
        for r in (1, 2)
    ]
    said = f"best: {best}, " if best else ""
    config = (
        "study: s\ndatasets: [german]\nalgorithms: {a: {estimator: SVC}, b: {estimator: SVC}}\n"
        f"tables: [{{id: 1, caption: c, metric: {metric}, {said}columns: [a, b]}}]\n"
    )
    study = make_study(tmp_path / "s", config, lines)
    assert first_table(study)[2] == bold
    ((text, _),) = write_tables(study, "md")
    assert ("bold: the best" in text) == bool(bold)


GUESSED = """\
study: s
datasets: [german, titanic]
algorithms:
  a: {estimator: SVC}
  worse: {estimator: SVC}
  best: {estimator: SVC, grid: {C: [1.0]}, stage: best-on-test}
  guess: {estimator: "sklearn.dummy:DummyClassifier"}
published: p.csv
tables: [{id: 1, caption: c, columns: [a, worse, best], largest_class: guess, relative_margin: 0.1}]
"""


def guessed(tmp_path, error, guess):
    """Return a study of these errors, and of an oracle's smaller one, on 50,000 test rows."""
    rates = {"a": error, "worse": 0.4, "best": 0.02, "guess": guess}
    lines = [
        record("german", r, name, error=at, n_test=50_000)
        for name, at in rates.items()
        for r in (1, 2)
    ]
    printed = "table,row,column,value,std\n1,german,a,3.0,\n1,german,best,2.0,\n"
    return make_study(tmp_path / "s", GUESSED, lines, printed)


@pytest.mark.parametrize(
    ("error", "guess", "verdict", "bold"),
    [
        (0.03, 0.03, "cannot tell", set()),
        (0.03, 0.0325, "cannot tell", {"a"}),
        (0.03, 0.0335, "within the margin", {"a"}),
        (0.03, 0.029, "cannot tell", set()),
        (0.05, 0.03, "differs", set()),
    ],
)
def test_what_the_largest_class_also_gets_is_neither_reproduced_nor_bold(
    tmp_path, error, guess, verdict, bold
):
    """What differs does so whatever the largest class gets, and no oracle is bold."""
    study = guessed(tmp_path, error, guess)
    _, cells, best = first_table(study)
    assert cells[0].largest_class == pytest.approx(100 * guess)
    assert (cells[0].verdict, best) == (verdict, bold)
    ((text, _),) = write_tables(study, "md")
    assert "| largest class |" in " ".join(text.split())
    assert ("bold: the best of the row" in text) == bool(bold)


@pytest.mark.parametrize("missing", ["nothing", "b"])
def test_a_single_value_is_not_the_best_of_anything(tmp_path, missing):
    """A column of another metric, and a column whose neighbours have no values."""
    config = (
        "study: s\nrealizations: 4\ndatasets: [german]\n"
        "algorithms: {a: {estimator: AdaBoost, record: [staged_test_error]}, b: {estimator: SVC}}\n"
        "tables: [{id: 1, caption: c, columns: [a, b, {name: first, label: one round, "
        "algorithm: a, metric: staged_test_error, stage: 1}]}]\n"
    )
    lines = [
        replace(one, curves={"staged_test_error": [0.3, 0.1]} if name == "a" else {})
        for name, values in (("a", [0.1, 0.12]), ("b", [0.2, 0.21]))
        for one in errors("german", name, values)
        if name != missing
    ]
    _, cells, best = first_table(make_study(tmp_path, config, lines))
    assert cells[2].mean == pytest.approx(30.0)
    assert best == ({"a"} if missing == "nothing" else set())


ORDERED = """\
study: s
datasets: [german, titanic, web2]
algorithms: {a: {label: A, estimator: SVC}, b: {label: B, estimator: SVC}, c: {estimator: SVC}}
published: p.csv
tables: [{id: 1, caption: c, columns: [a, b, c]}]
claims:
  - {id: c, text: t, left: a, right: b, relation: less}
  - {id: d, text: t, left: a, right: c, relation: less, reading: of another kind}
"""


def test_the_order_of_two_columns_is_counted_for_the_pairs_of_claims(tmp_path):
    """Each value may lie within its margin though the order is another one."""
    errors_of = {"german": (0.2, 0.21), "titanic": (0.2, 0.21), "web2": (0.1, 0.10001)}
    lines = [
        one
        for row, of_row in errors_of.items()
        for name, value in zip("ab", of_row, strict=True)
        for one in errors(row, name, [value, value])
    ]
    printed = "table,row,a,b,c\n1,german,20,22,1\n1,titanic,21,20,1\n1,web2,10,10,1\n"
    study = make_study(tmp_path / "s", ORDERED, lines, printed)
    ((text, _),) = write_tables(study, "md")
    assert "Order of two columns as printed: A and B on 2 of 3 rows." in text


def test_a_relative_margin_is_a_share_of_the_printed_value(tmp_path):
    (table,) = guessed(tmp_path, 0.03, 0.5).config.tables
    assert table.margin_of(table.columns[0]).at(3.0) == pytest.approx(0.3)
    assert table.margin_of(table.columns[0]).at(30.0) == 1.0
    of_accuracy = table.model_copy(update={"metric": "accuracy"})
    assert of_accuracy.margin_of(table.columns[0]).at(97.0) == pytest.approx(0.3)
    of_size = table.model_copy(update={"metric": "size"})
    assert of_size.margin_of(table.columns[0]).at(30.0) == pytest.approx(3.0)


def test_underlined_is_what_a_paired_test_finds_better_than_all_it_is_compared_with(tmp_path):
    rng = np.random.default_rng(2)
    accuracies = {
        name: mean + 0.002 * rng.normal(size=10)
        for name, mean in {"a": 0.92, "b": 0.918, "c": 0.9, "d": 0.92}.items()
    }
    lines = [
        record("german", r, name, accuracy=float(value), n_test=300)
        for name, values in accuracies.items()
        for r, value in enumerate(values, start=1)
    ]
    config = (
        "study: s\nrealizations: 10\ndatasets: [german]\n"
        "algorithms:\n  {a: {estimator: SVC}, b: {estimator: SVC}, c: {estimator: SVC}, "
        "d: {estimator: SVC}}\n"
        "tables:\n  - {id: 1, caption: c, metric: accuracy, columns: [a, b, c, d],\n"
        "     underline: {a: [b, c], b: [c], c: b, d: [a, c]}}\n"
    )
    study = make_study(tmp_path / "s", config, lines)
    table, cells, _ = first_table(study)
    found = underlined(study, table, cells)
    by_hand = {
        one
        for one, others in {"a": "bc", "b": "c", "c": "b", "d": "ac"}.items()
        if all(
            ttest_rel(accuracies[one], accuracies[other], alternative="greater").pvalue < 0.05
            for other in others
        )
    }
    assert found == by_hand
    assert {"b"} <= found
    assert "c" not in found
    ((text, _),) = write_tables(study, "md")
    assert text.count("<u>") == len(found)
    assert "b against c" in text


OWN = """\
study: s
datasets: [{name: mine, path: mine.csv, target: y, split: {protocol: random, n_train: 0.8}}]
algorithms:
  a: {estimator: SVC}
  guess: {label: largest class, estimator: "sklearn.dummy:DummyClassifier"}
tables:
- {id: 1, caption: c, columns: [guess, a], largest_class: guess}
- {id: 2, caption: c, metric: balanced_accuracy, columns: [guess, a], largest_class: guess}
"""


@pytest.mark.parametrize(
    ("realizations", "errors_of_a", "bold"),
    [(1, [0.05], set()), (2, [0.05, 0.04], {"a"}), (2, [0.06, 0.06], set())],
)
def test_on_own_data_only_what_several_realizations_show_is_bold(
    tmp_path, realizations, errors_of_a, bold
):
    lines = [*errors("mine", "a", errors_of_a), *errors("mine", "guess", [0.06] * realizations)]
    study = make_study(tmp_path / "s", OWN, lines)
    table, _, best = first_table(study)
    assert best == bold
    ((text, _), *_) = write_tables(study, "md")
    assert ("bold: the best" in text) == bool(bold)
    assert text.splitlines()[2].count("largest class") == 1  # it is a column already
    for word in ("print", "≈", "verdict", "paper"):
        assert word not in text
    shown = how_to_read(table_grid(study, table))
    assert ("bold" in shown, "±" in shown) == (bool(bold), realizations > 1)
    assert "printed" not in shown


def test_guessing_the_largest_class_is_not_bold_in_other_metrics_either(tmp_path):
    lines = [
        record("mine", number, name, balanced_accuracy=0.5)
        for name in ("a", "guess")
        for number in (1, 2)
    ]
    study = make_study(tmp_path / "s", OWN, lines)
    table = study.config.tables[1]
    cells = build_table(study, table)
    assert [cell.mean for cell in cells] == [50.0, 50.0]
    assert best_of_row(study, table, cells) == set()


def test_reasons_name_no_value_that_is_there(tmp_path):
    datasets = "[{name: r, label: Row 1, card: iris}, {name: s, card: wine}, {name: t, card: ring}]"
    algorithms = "{a: {estimator: SVC}, b: {label: B it is, estimator: SVC}, c: {estimator: SVC}}"
    tables = "[{id: 1, caption: E, columns: [a, b, c]}]"
    config = f"study: s\ndatasets: {datasets}\nalgorithms: {algorithms}\ntables: {tables}\n"
    study = make_study(tmp_path / "s", config, [])
    cells = [
        TableCell("1", row, column, status="ok" if column == present else "missing", reason="why")
        for row, present in {"r": "a", "s": "b", "t": "b"}.items()
        for column in ("a", "b", "c")
    ]
    assert reasons(study, cells) == ["Row 1: B it is, c: missing: why", "s, t: a, c: missing: why"]
    assert reasons(study, [replace(cell, status="missing") for cell in cells]) == [
        "everything: missing: why"
    ]


def test_the_legend_says_which_columns_are_means_over_how_many_orders(tmp_path):
    by_order = {"a": [0.1, 0.2], "b": [0.2, 0.3, 0.1]}
    made = [
        replace(one, by_order={"error": by_order[one.algorithm]})
        for name in by_order
        for one in errors("german", name, [0.15, 0.2])
    ]
    study = make_study(tmp_path / "s", CONFIG, [*made, *errors("german", "later", [0.1])])
    [of_orders] = [
        text
        for text in table_document(study, study.config.table("2")).legend
        if "same problem" in text
    ]
    assert "2 orders for A; 3 orders for B." in of_orders


@pytest.mark.parametrize(
    ("a", "b", "guess", "bold"),
    [
        ((0.0012, 0.0012), (0.0015, 0.0015), 0.0014, {"a"}),
        ((0.0012, 0.0012), (0.0015, 0.0015), 0.0012, set()),
        ((0.0014, 0.0014, 0.0002), (0.0012, 0.0012), 0.0019, set()),  # the third one is easier
        ((0.0012, 0.0012, 0.0002), (0.0014, 0.0014), 0.0019, {"a"}),
    ],
)
def test_small_values_are_compared_with_the_decimals_that_they_are_shown_with(
    tmp_path, a, b, guess, bold
):
    config = (
        "study: s\nrealizations: 3\n"
        f"datasets: [{{name: german, realizations_of: {{a: {len(a)}, b: 2, guess: 1}}}}]\n"
        "algorithms: {a: {estimator: SVC}, b: {estimator: SVC}, guess: {estimator: SVC}}\n"
        "tables: [{id: 1, caption: c, metric: brier, columns: [a, b], largest_class: guess}]\n"
    )
    lines = [
        record("german", number, name, brier=value)
        for name, values in {"a": a, "b": b, "guess": (guess,)}.items()
        for number, value in enumerate(values, start=1)
    ]
    study = make_study(tmp_path / "s", config, lines)
    assert first_table(study)[2] == bold
    ((text, _),) = write_tables(study, "md")
    assert f"{guess:.4f}" in text
