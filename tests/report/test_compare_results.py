"""Two sets of results: what is equal, what differs, what flips, and how the command ends."""

import lzma
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from made_up_records import errors, invoke, make_study, record, settings_of

from ensvm.report.compare_results import compare_studies, compared_pairs, differing, summary, total
from ensvm.report.tables import build_table

CONFIG = """
study: s
realizations: 4
datasets: [titanic, german]
algorithms: {one: {estimator: SVC}, two: {estimator: SVC}}
tables:
  - {id: 1, caption: c, columns: [one, two]}
claims:
  - {id: less, text: t, relation: less, left: [one], right: [two], margin: 0, rows: [titanic]}
"""
PUBLISHED = "table,row,column,value,std\n1,titanic,one,22.0,\n"
ONE, TWO = [0.21, 0.22, 0.23, 0.22], [0.31, 0.32, 0.34, 0.33]


def side(folder, one=ONE, two=TWO, german=()):
    records = [*errors("titanic", "one", one), *errors("titanic", "two", two)]
    return make_study(folder, CONFIG, [*records, *errors("german", "one", german)], PUBLISHED)


def cell_of(comparison, row, column):
    return comparison.values.set_index(["row", "column"]).loc[row, column]


def test_a_study_is_equal_to_itself(tmp_path):
    study = side(tmp_path / "a")
    found = compare_studies(study, study)
    assert len(found.values) == 2
    assert (found.values["relative"] == 0.0).all()
    assert (found.values["first"] == found.values["second"]).all()
    assert not found.flips
    assert not found.claims
    assert not found.context
    assert not found.settings
    assert differing(found) == ""


def test_differences_are_paired(tmp_path):
    other = [0.22, 0.25, 0.23, 0.26]
    found = compare_studies(side(tmp_path / "a"), side(tmp_path / "b", one=other))
    cell = cell_of(found, "titanic", "one")
    assert cell.second - cell["first"] == pytest.approx(100 * np.mean(np.subtract(other, ONE)))
    assert cell.relative == pytest.approx(0.04 / 0.26)
    assert cell_of(found, "titanic", "two").relative == 0.0
    shorter = compare_studies(side(tmp_path / "a"), side(tmp_path / "c", one=ONE[:2]))
    cell = cell_of(shorter, "titanic", "one")
    assert (cell.shared, cell.relative) == (2, 0.0)
    assert cell["first"] == cell.second  # over the two realizations that both have
    assert not shorter.flips
    assert not shorter.claims


@pytest.mark.parametrize(
    "shown",
    ["metric: accuracy, columns: [one, two]", "columns: [{name: one, algorithm: two}]"],
)
def test_columns_that_show_something_else_are_named_and_not_compared(tmp_path, shown):
    lines = [*errors("titanic", "one", ONE), *errors("titanic", "two", TWO)]
    config = CONFIG.replace("columns: [one, two]", shown)
    found = compare_studies(side(tmp_path / "a"), make_study(tmp_path / "b", config, lines))
    assert "one" not in set(found.values["column"])
    assert any(text.startswith("table 1, column one, not compared: ") for text in found.settings)


COMPUTED = CONFIG.replace(
    "columns: [one, two]",
    "columns: [{name: more, of: [one, two], as: difference},"
    " {name: ratio, of: [one, two], as: ratio}]",
)


def computed(folder, two, config=COMPUTED, one=ONE):
    lines = [*errors("titanic", "one", one), *errors("titanic", "two", two)]
    printed = "table,row,column,value,std\n1,titanic,more,-10.5,\n"
    return make_study(folder, config, lines, printed)


def test_computed_columns_are_compared_as_what_they_are_computed_from(tmp_path):
    first = computed(tmp_path / "a", TWO)
    same = compare_studies(first, computed(tmp_path / "b", TWO))
    assert (len(same.values), same.values["relative"].max(), same.flips) == (2, 0.0, [])
    other = compare_studies(first, computed(tmp_path / "c", [0.41, *TWO[1:]]))
    assert other.values["relative"].tolist() == pytest.approx([0.1 / 0.41] * 2)
    assert [text.split(":")[0] for text in other.flips] == ["table 1, titanic, more"]
    # equal errors differ by rounding: their difference, 1e-17 in place of 0, is no large one
    rounded = np.nextafter(ONE, 1.0)
    near = compare_studies(computed(tmp_path / "d", ONE), computed(tmp_path / "e", rounded))
    assert near.values["is_rounding"].all()


def test_columns_that_are_computed_in_another_way_are_named_and_not_compared(tmp_path):
    turned = COMPUTED.replace("of: [one, two], as: difference", "of: [two, one], as: difference")
    found = compare_studies(computed(tmp_path / "a", TWO), computed(tmp_path / "b", TWO, turned))
    assert set(found.values["column"]) == {"ratio"}
    assert found.settings[-1] == (
        "table 1, column more, not compared: difference of error of one and error of two"
        " | difference of error of two and error of one"
    )


def test_fits_with_other_settings_are_named(tmp_path):
    def study(name, C):
        settings = settings_of(algorithm={"estimator": "SVC", "params": {"C": C}}, code=f"of {C}")
        fits = errors("titanic", "one", ONE)
        return make_study(
            tmp_path / name,
            CONFIG,
            [replace(fit, settings=settings, settings_key=f"{name}") for fit in fits],
        )

    found = compare_studies(study("a", 1), study("b", 10))
    text = "other parameters, data or splits on the second side: 4 of 4 fits: one on titanic"
    assert next(summary(found)) == f"s: {text}"
    assert not compare_studies(study("c", 1), study("d", 1)).settings


def test_a_study_is_compared_with_the_one_that_it_is_built_on(tmp_path):
    base = side(tmp_path / "r" / "s")
    change = "algorithms.one.params.C: 100 (not given)"
    derived = f"derived: {{base: s, differs: ['{change}']}}"
    built = CONFIG.replace("study: s", f"study: t\n{derived}")
    settings = settings_of(algorithm={"estimator": "SVC", "params": {"C": 100}})
    fits = [
        replace(fit, settings=settings, settings_key="t") for fit in errors("titanic", "one", TWO)
    ]
    other = make_study(tmp_path / "q" / "t", built, fits)
    result = invoke("compare", tmp_path / "r", tmp_path / "q", "--all")
    settings_line, *_, last = result.stdout.splitlines()
    assert settings_line == f"s | t: t: Built on s, from which it differs in {change}."
    assert "1 of 2 table values are on both sides" in last
    again = replace(other, config=other.config.model_copy(update={"study": "u"}))
    assert compared_pairs([{"t": other}, {"u": again}]) == [(other, again)]
    assert compared_pairs([{"s": base, "t": other}, {"t": other}]) == [(other, other)]
    assert (
        compared_pairs([{"s": base}, {"t": other, "u": again}]) == []
    )  # which of them is not known


def test_the_other_way_round_the_sides_change_places(tmp_path):
    a, b = side(tmp_path / "a"), side(tmp_path / "b", one=[0.3, 0.4, 0.5, 0.45])
    there, back = (compare_studies(*pair) for pair in ((a, b), (b, a)))
    assert there.flips == ["table 1, titanic, one: close -> cannot tell"]
    assert back.flips == ["table 1, titanic, one: cannot tell -> close"]
    pd.testing.assert_series_equal(there.values["first"], back.values["second"], check_names=False)
    assert there.values["relative"].tolist() == back.values["relative"].tolist()


def test_values_of_one_side_only_are_listed(tmp_path):
    found = compare_studies(side(tmp_path / "a"), side(tmp_path / "b", german=[0.3]))
    assert found.values.set_index("row")["only_on"].to_dict() == {"titanic": "", "german": "second"}
    assert any("only the second has 1 values: german" in line for line in summary(found))
    line = differing(found).splitlines()[-1]
    assert line.split() == ["1", "german", "one", "-", "-", "-", "-", "0"]


def test_fits_are_counted_apart_from_table_values(tmp_path):
    some = side(tmp_path / "a", one=[*ONE[:3], 0.24])
    found = compare_studies(some, side(tmp_path / "b", one=ONE[1:3], german=[0.3]))
    assert found.n_fits == (6, 4, 2, 1)
    assert "fits: 6 on both sides, 4 of them equal" in list(summary(found))[1]


@pytest.mark.parametrize(
    ("changed", "n_equal"),
    [
        ({"scores": {"auc": 0.75}}, 3),
        ({"curves": {"path_": [0.5]}}, 3),
        ({"stage": {"C": 1.0}}, 3),
        ({"seconds": {"fit_seconds": 9.0}}, 4),
        ({"scores": {"f1": 0.75}}, 4),
    ],
    ids=str,
)
def test_a_fit_is_equal_if_all_that_both_have_is(tmp_path, changed, n_equal):
    """Seconds differ between machines, and another config may ask for other metrics."""
    made = [replace(one, scores={"auc": 0.5}) for one in errors("titanic", "one", ONE)]
    made = [replace(one, curves={"path_": [0.25]}) for one in made]
    first = make_study(tmp_path / "a", CONFIG, made)
    second = make_study(tmp_path / "b", CONFIG, [replace(made[0], **changed), *made[1:]])
    assert compare_studies(first, second).n_fits == (4, n_equal, 0, 0)


def test_facts_of_the_data_are_no_fits(tmp_path):
    facts = record("titanic", 1, "data", dim=3, n_train=150, n_test=2051)
    side_a = make_study(tmp_path / "a", CONFIG, [facts, *errors("titanic", "one", ONE)])
    assert compare_studies(side_a, side_a).n_fits == (4, 4, 0, 0)


def test_what_one_side_alone_recorded_makes_no_fit_different(tmp_path):
    sides = [
        make_study(tmp_path / name, CONFIG, errors("titanic", "one", ONE, **more))
        for name, more in (("a", {}), ("b", {"margin_": 0.5}))
    ]
    assert compare_studies(*sides).n_fits == (4, 4, 0, 0)


def test_claims_are_tested_on_what_both_sides_have(tmp_path):
    found = compare_studies(side(tmp_path / "a", two=()), side(tmp_path / "b"))
    assert not found.claims
    assert found.values.set_index("column")["only_on"].to_dict() == {"one": "", "two": "second"}
    assert total([found]) == (
        "in all: 1 of 2 table values are on both sides; 1 are equal to the last bit; "
        "0 verdicts differ"
    )


def test_a_study_without_tables_counts_no_values_in_the_total(tmp_path):
    bare = CONFIG.partition("tables:")[0]
    without = make_study(tmp_path / "a", bare, errors("titanic", "one", ONE))
    found = [compare_studies(without, without)]
    assert total(found) == "in all: 0 of 0 table values are on both sides; 0 verdicts differ"
    found.append(compare_studies(side(tmp_path / "b"), side(tmp_path / "b")))
    assert total(found).startswith("in all: 2 of 2 table values are on both sides; 2 are equal")


@pytest.mark.parametrize(
    ("factor", "n_errors", "is_rounding"),
    [(1.0 + 1e-12, 63, True), (1.0 + 1e-12, 64, False), (1.01, 63, False)],
)
def test_rounding_changes_no_test_row(tmp_path, factor, n_errors, is_rounding):
    config = CONFIG.replace("columns: [one, two]", "metric: cost_, columns: [one]")
    sides = []
    for name, cost, count in (("a", 0.7, 63), ("b", 0.7 * factor, n_errors)):
        made = errors("titanic", "one", ONE, cost_=cost, n_errors=count)
        sides.append(make_study(tmp_path / name, config, made))
    found = compare_studies(*sides)
    (value,) = found.values.itertuples()
    assert value.is_rounding == is_rounding
    assert ("1 equal to rounding" in next(summary(found))) == is_rounding
    assert value.relative == pytest.approx(1.0 - 1.0 / factor, rel=1e-3)


def test_verdicts_rest_on_what_both_sides_have(tmp_path):
    config = CONFIG.replace("columns: [one, two]", "columns: [one, two], largest_class: two")
    ours = errors("titanic", "one", ONE)
    first = make_study(tmp_path / "a", config, ours, PUBLISHED)
    second = make_study(tmp_path / "b", config, [*ours, *errors("titanic", "two", ONE)], PUBLISHED)
    of_both = [build_table(study, study.config.tables[0])[0].verdict for study in (first, second)]
    assert of_both[0] != of_both[1] == "cannot tell"
    assert not compare_studies(first, second).flips


def test_a_claim_whose_verdict_changes_is_listed(tmp_path):
    found = compare_studies(side(tmp_path / "a"), side(tmp_path / "b", two=[0.1, 0.11, 0.12, 0.11]))
    assert found.claims == ["less: holds -> fails"]


def result(*arguments):
    return invoke("compare", *arguments)


def test_the_exit_status_guards_the_verdicts(tmp_path):
    side(tmp_path / "a" / "s")
    side(tmp_path / "b" / "s", one=[0.2101, 0.22, 0.23, 0.22])
    side(tmp_path / "c" / "s", one=[0.5, 0.6, 0.55, 0.5])
    same = result(tmp_path / "a", tmp_path / "b")
    assert same.exit_code == 0
    assert "2 of 2 table values are on both sides; 1 are equal to the last bit" in same.stdout
    other = result(tmp_path / "a", tmp_path / "c", "--all")
    assert other.exit_code == 1
    assert "table 1, titanic, one: close -> differs" in other.stdout
    assert "less: holds -> fails" in other.stdout


def test_a_side_may_be_the_results_that_come_with_ensvm(tmp_path, monkeypatch):
    side(tmp_path / "run" / "s")
    side(tmp_path / "shipped" / "s")
    lines = (tmp_path / "shipped" / "s" / "cells.jsonl").read_bytes()
    (tmp_path / "shipped" / "s" / "cells.jsonl.xz").write_bytes(lzma.compress(lines))
    monkeypatch.setattr(
        "ensvm.report.compare_results.shipped_records", lambda study: tmp_path / "shipped" / study
    )
    for pair in ((tmp_path / "run", "shipped"), ("shipped", tmp_path / "run" / "s")):
        found = result(*pair)
        assert found.exit_code == 0, (pair, found.output)
        assert "2 of 2 table values are on both sides; 2 are equal" in found.stdout


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("shipped", "shipped", "comes with ensvm: shipped"),
        ("a", "nowhere", "nowhere: there is no such folder"),
        ("a", "other", "no study in common: s and t"),
        ("a", "shipped", "no study of the other side comes with ensvm: s"),
    ],
)
def test_wrong_sides_are_one_message(tmp_path, monkeypatch, first, second, message):
    monkeypatch.chdir(tmp_path)
    side(tmp_path / "a" / "s")
    other = tmp_path / "other" / "t"
    make_study(other, CONFIG.replace("study: s", "study: t"), errors("german", "one", [0.1]))
    found = result(first, second)
    assert found.exit_code == 2
    assert found.stderr.startswith("error: ")
    assert message in found.stderr
