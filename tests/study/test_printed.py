"""The file of printed values: a line for each number, or laid out as in the paper."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up_records import invoke
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer_names

from ensvm.errors import UserError
from ensvm.study.config import StudyConfig
from ensvm.study.metrics import PREDICTED, range_of, scorer_of, unit_of
from ensvm.study.printed import (
    Published,
    _out_of_range,
    half_unit,
    read_published,
)
from ensvm.study.printed_questions import first_values
from ensvm.study.read_config import read_config
from ensvm.study.table_layout import TableConfig

TABLES = [TableConfig(id=1, caption="c", columns=["svm", "lvm"])]
LONG = """\
table,row,column,value,std
1,labor,svm,6.0,
1,labor,lvm,14.0,1.5
1,bridges,svm,15,
1,wine,svm,-1.5e-3,0.2
"""


def read(tmp_path, text, tables=TABLES):
    path = tmp_path / "p.csv"
    path.write_bytes(text.encode())
    config = StudyConfig.model_construct(datasets=(), algorithms={}, tables=tables)
    return read_published(path, config)


@pytest.mark.parametrize(
    "text",
    [
        "row,svm,lvm\nlabor,6.0,14.0 ± 1.5\nbridges,15,\nwine,-1.5e-3 ±0.2,\n",
        "\ufefftable,row,svm,lvm\r\n1,labor,6.0,14.0 +- 1.5\r\n\r\n1,bridges,15,-\r\n"
        "1,wine,−1.5e-3±0.2,—\r\n",
        "row , lvm, svm\nlabor, 14.0 (1.5),6.0\nbridges,–,15\nwine,,-1.5e-3 (±0.2)\n",
        "row,svm,lvm\nlabor,6.0,14.0 +/- 1.5\nbridges,15,\nwine,-1.5e-3 \\pm 0.2,\n",
        LONG.replace("14.0,1.5", "14.0 ± 1.5,"),
    ],
)
def test_all_layouts_hold_the_same_numbers(tmp_path, text):
    assert read(tmp_path, text) == read(tmp_path, LONG)
    assert read(tmp_path, LONG)["1", "labor", "lvm"].half_unit == pytest.approx(0.05)


def test_without_standard_deviations_their_column_may_be_missing(tmp_path):
    numbers = read(tmp_path, "table,row,column,value\n1,labor,svm,6.0\n", ())
    assert numbers["1", "labor", "svm"].std is None


@pytest.mark.parametrize(
    ("text", "tables", "message"),
    [
        ("row,svm,lvm\nlabor,6.0\n", TABLES, "line 2: 'labor,6.0' has 2 fields, .* has 3"),
        ("row,svm,lvm\nlabor,6.0,about 14\n", TABLES, "line 2: lvm has 'about 14'; accepted: a nu"),
        ("row,svm,lvm\nlabor,6.0,nan\n", TABLES, "line 2: lvm has 'nan'"),
        ("row,svm,lvm\nlabor,6.0,1e999\n", TABLES, "line 2: lvm has '1e999'"),
        (
            "row,svm\nlabor,6\nlabor,7\n",
            TABLES,
            "line 3: the value of 1, labor, svm is given tw",
        ),
        ("row,svm,lvm\nlabor,6.0,5.9 ± -1.2\n", TABLES, "line 2: lvm has '5.9 ± -1.2'"),
        ("row,svm,lvm\nlabor,6.0,5.9 ± 1e999\n", TABLES, "line 2: lvm has '5.9 ± 1e999'"),
        ("row,svm,svm\nlabor,6,7\n", TABLES, "line 1: the header names 'svm' twice"),
        ("data set;svm\nlabor;6\n", TABLES, "line 1: semicolons stand between .* accepted: commas"),
        ("row,svm\nlabor,6\n", (), "line 1: which table\\? add a column `table`"),
        ("row,svm\nlabor,6\n", TABLES * 2, "line 1: which table\\? add a column `table`"),
        ("table,row,column,value,std\n1,r,c,,\n", TABLES, "line 2: c has ''"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path, text, tables, message):
    with pytest.raises(UserError, match=f"p.csv, {message}"):
        read(tmp_path, text, tables)


def test_what_was_read_is_shown_table_by_table(tmp_path):
    text = LONG + "2,labor,svm,7,\n"
    assert list(first_values(read(tmp_path, text))) == [
        "table 1: 4 printed values; labor: svm 6.0, lvm 14.0 ±1.5",
        "table 2: 1 printed value; labor: svm 7",
    ]


def test_each_table_may_have_a_header_of_its_own_and_lines_may_be_comments(tmp_path):
    text = "# made up\ntable,row,svm\n1,labor,6.0\n\ntable,row,lvm,size\n# and this\n2,wine,7,8\n"
    numbers = read(tmp_path, text)
    assert set(numbers) == {("1", "labor", "svm"), ("2", "wine", "lvm"), ("2", "wine", "size")}
    with pytest.raises(UserError, match="holds no header line"):
        read(tmp_path, "# nothing\n")


def test_labels_name_rows_and_columns_as_names_do(tmp_path):
    (tmp_path / "s.yaml").write_text(
        "study: s\ndatasets: [{name: titanic, label: The Titanic}]\nalgorithms:\n"
        "  svm: {label: an SVM, estimator: SVC}\n  lda: {estimator: LinearDiscriminantAnalysis}\n"
        "tables: [{id: 1, caption: c, columns: [svm, lda, {name: nn, label: 1-NN, unavailable: w}]}"
        "]\npublished: p.csv\n"
    )
    (tmp_path / "p.csv").write_text("row,an SVM,lda,1-NN\nThe Titanic,22.70 ± 0.5,23,24\n")
    answer = invoke("check", tmp_path / "s.yaml")
    assert "3 printed values; titanic: svm 22.70 ±0.5, lda 23, nn 24" in answer.output
    assert "published_realizations:" in answer.output


@pytest.mark.parametrize(
    "written", ["Thr\u00e9e  sets", "Thre\u0301e sets", "Thr\u00e9e\u00a0sets"]
)
@pytest.mark.parametrize("label", ["Thr\u00e9e sets", "Thre\u0301e  sets"])
def test_labels_that_look_alike_are_one(tmp_path, label, written):
    (tmp_path / "s.yaml").write_text(
        f"study: s\ndatasets: [{{name: titanic, label: '{label}'}}]\n"
        f"algorithms: {{svm: {{label: '{label} a', estimator: SVC}}}}\n"
        "tables: [{id: 1, caption: c, columns: [svm]}]\npublished: p.csv\n"
    )
    (tmp_path / "p.csv").write_text(f"row,{written} a\n{written},22.7\n")
    assert "1 printed value; titanic: svm 22.7" in invoke("check", tmp_path / "s.yaml").output


@pytest.mark.parametrize(
    ("rows", "are_ranks"),
    [
        (("5.9 (1),6.1 (2)", "7.0 (2),6 (1)"), True),
        (("5.9 (2),6.1 (1)", "7.0 (1),6 (2)"), True),  # of accuracies
        (("5.9 (1),6.1 (2)", "7.0 (1),6 (2)"), False),
        (("5.9 (1.2),6.1 (2)", "7.0 (2),6 (1)"), False),
    ],
)
def test_ranks_beside_values_are_not_taken_for_deviations_in_silence(tmp_path, rows, are_ranks):
    (tmp_path / "s.yaml").write_text(
        "study: s\ndatasets: [titanic, german]\n"
        "algorithms: {a: {estimator: SVC}, b: {estimator: LinearSVC}}\n"
        "tables: [{id: 1, caption: c, columns: [a, b]}]\npublished: p.csv\n"
    )
    (tmp_path / "p.csv").write_text(f"row,a,b\ntitanic,{rows[0]}\ngerman,{rows[1]}\n")
    shown = " ".join(invoke("check", tmp_path / "s.yaml").output.split())
    assert ("are these ranks?" in shown) == are_ranks


def test_check_shows_what_was_read(tmp_path):
    (tmp_path / "s.yaml").write_text(
        "study: s\ndatasets: [titanic]\nalgorithms: {svm: {estimator: SVC}}\n"
        "tables: [{id: 1, caption: c, columns: [svm]}]\npublished: p.csv\n"
    )
    (tmp_path / "p.csv").write_text("row,svm\ntitanic,22.4 ± 1.0\n")
    shown = invoke("check", tmp_path / "s.yaml")
    assert shown.exit_code == 0
    assert "p.csv, table 1: 1 printed value; titanic: svm 22.4 ±1" in shown.stdout
    (tmp_path / "p.csv").write_text("row,svn\ntitanic,22.4\n")
    assert "unknown column 'svn'; accepted: svm" in invoke("check", tmp_path / "s.yaml").stderr


@pytest.mark.parametrize(
    ("metric", "field", "message"),
    [
        ("error", "226", "226 is not a percentage"),
        ("accuracy", "-1", "-1 is not a percentage"),
        ("balanced_accuracy", "100.1", "100.1 is not a percentage"),
        ("error", "5 (100)", "the standard deviation 100 is larger"),
        ("error", "50 ± 70", ""),
        ("error", "100 ± 70", "larger than percentages with the mean 100 can have"),
        ("error", "1.7 ± 50", "larger than percentages with the mean 1.7 can have"),
        ("auc", "0.99 ± 0.2", "larger than values of auc with the mean 0.99 can have"),
        ("error", "0", ""),
        ("n_iter_", "226 ± 300", ""),
        ("n_iter_", "-1", "-1 is not a value of n_iter_: at least 0"),
        ("auc", "80.3", "80.3 is not a value of auc: 0 to 1"),
        ("f1_macro", "0.8 ± 0.9", "the standard deviation 0.9 is larger than values of f1_macro"),
        ("matthews", "-0.2 ± 0.5", ""),
        ("matthews", "-1.2", "-1.2 is not a value of matthews: -1 to 1"),
        ("log_loss", "-0.1", "-0.1 is not a value of log_loss: at least 0"),
        ("neg_log_loss", "0.1", "0.1 is not a value of neg_log_loss: at most 0"),
    ],
)
def test_numbers_that_a_metric_cannot_have_are_refused(tmp_path, metric, field, message):
    (tmp_path / "s.yaml").write_text(
        "study: s\ndatasets: [titanic]\nalgorithms: {svm: {estimator: SVC}}\n"
        f"tables: [{{id: 1, caption: c, columns: [svm], metric: {metric}}}]\npublished: p.csv\n"
    )
    (tmp_path / "p.csv").write_text(f"row,svm\ntitanic,{field}\n")
    shown = invoke("check", tmp_path / "s.yaml")
    assert shown.exit_code == (2 if message else 0), shown.output
    assert message in " ".join(shown.stderr.split())


@given(st.lists(st.floats(0, 100), min_size=2, max_size=8), st.integers(0, 3))
def test_what_values_have_as_mean_and_deviation_is_accepted(values, decimals):
    mean, std = (f"{number:.{decimals}f}" for number in (np.mean(values), np.std(values, ddof=1)))
    shown = Published(float(mean), float(std), half_unit(mean))
    assert _out_of_range("error", shown) == ""


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_a_range_holds_what_scorers_give():
    """Of a perfect classifier, of one that is always wrong, and of one that guesses."""
    y = np.tile([-1, 1], 10)
    X = y[:, None].astype(float)
    for metric in ["error", "accuracy", *PREDICTED, *get_scorer_names()]:
        low, high = range_of(metric)
        for labels in (y, -y, np.roll(np.repeat([-1, 1], 10), 3)):
            fitted = LogisticRegression().fit(X, labels)
            try:
                scorer, sign = scorer_of("accuracy" if metric == "error" else metric)
                value = sign * unit_of(metric).scale * scorer(fitted, X, y)
            except ValueError:  # of a regression, for instance
                continue
            assert low <= value <= high, metric


@pytest.mark.parametrize(
    ("table", "claim", "message"),
    [
        ("margin: 100", "", r"tables\[1\].margin: every two values of error .*column svm"),
        ("metric: auc, margin: 1", "", "every two values of auc .* lie within 1,"),
        ("metric: auc, margin: 0.5", "", ""),
        ("margin: 99", "{left: svm, relation: at-most, limit: 300}", "300 is not a value of error"),
        ("margin: 99", "{left: svm, right: other, relation: less, margin: 100}", "differ by more"),
        ("margin: 99", "{left: svm, right: other, relation: less, of: ratio, factor: 300}", ""),
    ],
)
def test_a_threshold_that_every_value_keeps_to_is_refused(tmp_path, table, claim, message):
    claim = claim.replace("less, of: ratio", "at-least, of: ratio")
    claims = f"claims: [{{id: a, text: t, tests: [{claim}]}}]\n" if claim else ""
    (tmp_path / "s.yaml").write_text(
        "study: s\ndatasets: [titanic]\n"
        "algorithms: {svm: {estimator: SVC}, other: {estimator: SVC}}\n"
        f"tables: [{{id: 1, caption: c, columns: [svm], {table}}}]\n{claims}"
    )
    if message:
        with pytest.raises(UserError, match=message):
            read_config(tmp_path / "s.yaml")
    else:
        read_config(tmp_path / "s.yaml")


@pytest.mark.parametrize(
    ("metric", "values", "question"),
    [
        ("error", (0.224, 0.23), "are these fractions?"),
        ("error", (22.4, 0.23), ""),
        ("error", (78.0, 90.0), "are these accuracies?"),
        ("error", (22.0, 90.0), ""),
        ("accuracy", (22.0, 30.0), "are these errors?"),
        ("accuracy", (0.78, 0.9), "are these fractions?"),
        ("balanced_accuracy", (78.0, 90.0), ""),
    ],
)
def test_percentages_that_look_like_something_else_are_named(tmp_path, metric, values, question):
    (tmp_path / "s.yaml").write_text(
        "study: s\ndatasets: [titanic, german]\nalgorithms: {svm: {estimator: SVC}}\n"
        f"tables: [{{id: 1, caption: c, columns: [svm], metric: {metric}}}]\npublished: p.csv\n"
    )
    (tmp_path / "p.csv").write_text(f"row,svm\ntitanic,{values[0]}\ngerman,{values[1]}\n")
    shown = " ".join(invoke("check", tmp_path / "s.yaml").stdout.split())
    assert question in shown
    assert ("are these" in shown) == bool(question)
