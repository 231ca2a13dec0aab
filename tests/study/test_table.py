"""The numbers as printed are checked with the config: none of them is silently left out."""

from pathlib import Path

import pytest

from ensvm.errors import UserError
from ensvm.runner.plan import make_plan
from ensvm.study.metrics import direction_of
from ensvm.study.read_config import read_config
from ensvm.study.table_layout import TableConfig

STUDY = """
study: t
datasets: [german]
algorithms: {a: {estimator: SVC}}
published: p.csv
tables: [{id: 1, caption: c, columns: [a]}]
"""
HEADER = "table,row,column,value,std\n"
WRONG = {
    "a table": ("2,german,a,23.0,", r"line 5: published: .*unknown table '2'; accepted: 1"),
    "a row": ("1,germn,a,23.0,", r"unknown row 'germn'; accepted: german; did you mean 'german'"),
    "a column": ("1,german,b,23.0,", r"unknown column 'b'; accepted: a"),
    "a value": ("1,german,a,many,", r"p\.csv, line 2: a has 'many'"),
}


def plan(folder, line, more="", study=STUDY):
    (folder / "t.yaml").write_text(study + more)
    (folder / "p.csv").write_text(f"{HEADER}{line}\n")
    return make_plan(folder / "t.yaml")


@pytest.mark.parametrize(("line", "message"), WRONG.values(), ids=list(WRONG))
def test_a_printed_number_without_a_place_is_refused(tmp_path, line, message):
    with pytest.raises(UserError, match=message):
        plan(tmp_path, line)


def test_a_variant_of_a_study_may_show_a_part_of_the_paper(tmp_path):
    assert plan(tmp_path, "2,german,a,23.0,", "reproduce: false\n").published
    assert plan(tmp_path, "1,german,a,23.0,").published


MORE = "  - {{id: 2, caption: c, columns: [a], metric: {}, best: {}}}\n".format
WITH_TABLE = STUDY.replace("tables: [{", "tables:\n  - {").replace("]}]", "]}")


@pytest.mark.parametrize(("metric", "best"), [("error", "max"), ("accuracy", "min")])
def test_a_best_value_against_the_metric_is_refused(tmp_path, metric, best):
    with pytest.raises(UserError, match=rf"line 8: tables\[2\]\.best: {best} is wrong for the"):
        plan(tmp_path, "1,german,a,23.0,", MORE(metric, best), WITH_TABLE)
    for other in {"min", "max", "none", "auto"} - {best}:
        assert plan(tmp_path, "1,german,a,23.0,", MORE(metric, other), WITH_TABLE)


def test_the_better_end_of_a_metric():
    assert direction_of("accuracy") == direction_of("staged_test_accuracy") != direction_of("error")
    smaller = ("train_error", "staged_test_error", "train_seconds", "n_iter_", "size")
    assert {direction_of(name) for name in smaller} == {direction_of("error")}
    assert direction_of("variance_") is None


def test_underlined_columns_need_a_better_end(tmp_path):
    more = "  - {id: 2, caption: c, columns: [a, b], metric: intercept_, underline: {a: b}}\n"
    algorithms = "{a: {estimator: SVC}, b: {estimator: SVC}}"
    two = WITH_TABLE.replace("{a: {estimator: SVC}}", algorithms)
    with pytest.raises(UserError, match="which values of intercept_ are better"):
        plan(tmp_path, "1,german,a,23.0,", more, two)


def test_a_chosen_parameter_is_the_papers_or_another_one_and_shows_its_digits():
    table = TableConfig(id=1, caption="c", metric="best_params_.C", columns=["a"])
    (column,) = table.columns
    assert table.margin_of(column).at(2.0) == 0.0
    given = TableConfig.model_validate({**table.model_dump(by_alias=True), "margin": 2})
    assert given.margin_of(column).at(2.0) == 2
    shown = {value: table.decimals_of(column, value) for value in (8.0, 0.5, 2**-7, 2**-15)}
    assert shown == {8.0: 0, 0.5: 1, 2**-7: 4, 2**-15: 6}


@pytest.mark.parametrize(
    ("metric", "printed", "margin"),
    [
        ("error", 1.7, 0.17),
        ("error", 25.0, 1.0),
        ("accuracy", 97.0, 0.3),
        ("balanced_accuracy", 60.0, 1.0),
        ("train_error", 3.0, 0.3),
        ("auc", 0.97, 0.003),
        ("f1", 0.5, 0.01),
        ("size", 120.0, 12.0),
        ("weights_", -0.5, 0.05),
        ("brier", 0.2, 0.02),
    ],
)
def test_the_margin_keeps_step_with_the_printed_value(metric, printed, margin):
    """One rule: a tenth of the error, at most 1 point; a tenth of any other value."""
    table = TableConfig(id=1, caption="c", metric=metric, columns=["a"])
    (column,) = table.columns
    assert table.margin_of(column).at(printed) == pytest.approx(margin)
    given = TableConfig.model_validate({**table.model_dump(by_alias=True), "margin": 0.7})
    assert given.margin_of(column).at(printed) == 0.7
    assert given.margin_of(column).text == "±0.7"
    word = "value" if metric in ("size", "weights_", "brier") else "error"
    assert table.margin_of(column).text.startswith(f"10 % of the printed {word}")


def test_no_shipped_study_has_a_margin_of_its_own():
    for path in sorted(Path(__file__).parents[2].glob("configs/*.yaml")):
        for table in read_config(path)[0].tables:
            given = [table.margin, table.relative_margin]
            given += [each for c in table.columns for each in (c.margin, c.relative_margin)]
            assert set(given) == {None}, f"{path}: table {table.id}"


def test_short_seconds_have_two_digits_unless_decimals_are_given():
    table = TableConfig(id=1, caption="c", of="timing", metric="fit_seconds", columns=["a"])
    (column,) = table.columns
    shown = {value: table.decimals_of(column, value) for value in (0.0, 12.3, 0.1, 0.094, 0.00123)}
    assert shown == {0.0: 1, 12.3: 1, 0.1: 1, 0.094: 3, 0.00123: 4}
    assert table.decimals_of(column, 1e-9) == 6
    given = TableConfig.model_validate({**table.model_dump(exclude_unset=True), "decimals": 1})
    assert given.decimals_of(column, 0.00123) == 1
