"""Two sets of results: what is equal, what differs, what flips, and how the command ends."""

import lzma
from shutil import copytree, ignore_patterns

import numpy as np
import pytest
from made_up_records import errors, invoke, make_study
from scipy.stats import ttest_rel

from ensvm.report.comparison import compare, differing, summary, total
from ensvm.report.tables import build_table

CONFIG = """
study: s
realizations: 4
datasets: [titanic, german]
algorithms: {one: {estimator: SVC}, two: {estimator: SVC}}
tables:
  - {id: 1, caption: c, columns: [one, two]}
claims:
  - {id: less, text: t, relation: less, better: [one], than: [two], margin: 0, rows: [titanic]}
"""
PUBLISHED = "table,row,column,value,std\n1,titanic,one,22.0,\n"
ONE, TWO = [0.21, 0.22, 0.23, 0.22], [0.31, 0.32, 0.34, 0.33]


def side(folder, one=ONE, two=TWO, german=()):
    records = [*errors("titanic", "one", one), *errors("titanic", "two", two)]
    return make_study(folder, CONFIG, [*records, *errors("german", "one", german)], PUBLISHED)


def cell_of(comparison, row, column):
    return next(c for c in comparison.cells if (c.first.row, c.first.column) == (row, column))


def test_a_study_is_equal_to_itself(tmp_path):
    study = side(tmp_path / "a")
    found = compare(study, study)
    assert found.cells
    assert all(cell.equal and cell.difference == 0.0 for cell in found.cells)
    assert not found.flips
    assert not found.claims
    assert not found.context
    assert differing(found) == ""


def test_differences_are_paired(tmp_path):
    other = [0.22, 0.25, 0.23, 0.26]
    found = compare(side(tmp_path / "a"), side(tmp_path / "b", one=other))
    cell = cell_of(found, "titanic", "one")
    expected = ttest_rel(other, ONE).confidence_interval(0.95)
    assert cell.difference == pytest.approx(100 * np.mean(np.subtract(other, ONE)))
    assert (cell.low, cell.high) == pytest.approx((100 * expected.low, 100 * expected.high))
    assert not cell.equal
    assert cell_of(found, "titanic", "two").equal
    shorter = compare(side(tmp_path / "a"), side(tmp_path / "c", one=ONE[:2]))
    cell = cell_of(shorter, "titanic", "one")
    assert (cell.shared, cell.equal) == (2, True)
    assert cell.first.mean == cell.second.mean  # over the two realizations that both have
    assert not shorter.flips
    assert not shorter.claims


def test_the_other_way_round_the_sign_turns(tmp_path):
    a, b = side(tmp_path / "a"), side(tmp_path / "b", one=[0.3, 0.4, 0.5, 0.45])
    there, back = (cell_of(compare(*pair), "titanic", "one") for pair in ((a, b), (b, a)))
    assert there.difference == pytest.approx(-back.difference)
    assert there.flips
    assert back.flips
    assert (there.first, there.second) == (back.second, back.first)


def test_values_of_one_side_only_are_listed(tmp_path):
    found = compare(side(tmp_path / "a"), side(tmp_path / "b", german=[0.3]))
    assert [cell.first.row for cell in found.only(1)] == ["german"]
    assert not found.only(0)
    assert any("only the second has 1 cells: german" in line for line in summary(found))


def test_claims_are_tested_on_what_both_sides_have(tmp_path):
    found = compare(side(tmp_path / "a", two=()), side(tmp_path / "b"))
    assert not found.claims
    assert [cell.first.column for cell in found.only(1)] == ["two"]
    assert total([found], run_here=True) == (
        "in all: 1 of 2 cells were run here; 1 of these agree to the last bit, 0 verdicts differ"
    )


def test_verdicts_rest_on_what_both_sides_have(tmp_path):
    config = CONFIG.replace("columns: [one, two]", "columns: [one, two], largest_class: two")
    ours = errors("titanic", "one", ONE)
    first = make_study(tmp_path / "a", config, ours, PUBLISHED)
    second = make_study(tmp_path / "b", config, [*ours, *errors("titanic", "two", ONE)], PUBLISHED)
    of_both = [build_table(study, study.config.tables[0])[0].verdict for study in (first, second)]
    assert of_both[0] != of_both[1] == "cannot tell"
    assert not compare(first, second).flips


def test_a_claim_whose_verdict_changes_is_listed(tmp_path):
    found = compare(side(tmp_path / "a"), side(tmp_path / "b", two=[0.1, 0.11, 0.12, 0.11]))
    assert found.claims == [("less", "holds", "fails")]


def answer(*arguments):
    return invoke("compare", *arguments)


def test_the_exit_status_guards_the_verdicts(tmp_path):
    side(tmp_path / "a" / "s")
    side(tmp_path / "b" / "s", one=[0.2101, 0.22, 0.23, 0.22])
    side(tmp_path / "c" / "s", one=[0.5, 0.6, 0.55, 0.5])
    same = answer(tmp_path / "a", tmp_path / "b")
    assert same.exit_code == 0
    assert "2 cells with values on both sides, 1 equal to the last bit" in same.stdout
    other = answer(tmp_path / "a", tmp_path / "c", "--all")
    assert other.exit_code == 1
    assert "table 1, titanic, one: close -> differs" in other.stdout
    assert "less: holds -> fails" in other.stdout


def test_sides_may_be_files_and_shipped_records(tmp_path):
    folder = tmp_path / "s"
    side(folder)
    head = b'{"kind": "config", "config": ""}\n'
    lines = (folder / "cells.jsonl").read_bytes()
    (folder / "cells.jsonl.xz").write_bytes(lzma.compress(head + lines))
    for pair in (
        (folder, "shipped"),
        ("shipped", tmp_path),
        (folder / "cells.jsonl", "shipped"),
        (folder / "cells.jsonl", folder),
        (folder / "cells.jsonl.xz", folder / "cells.jsonl"),
    ):
        found = answer(*pair)
        assert found.exit_code == 0, (pair, found.output)
        assert "2 cells with values on both sides, 2 equal" in found.stdout
    # A study that was not run here is not compared with itself.
    (tmp_path / "not-run").mkdir()
    copytree(folder, tmp_path / "not-run" / "s", ignore=ignore_patterns("cells.jsonl"))
    found = answer(tmp_path / "not-run", "shipped")
    assert (found.exit_code, "no records here" in found.stderr) == (2, True)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("shipped", "shipped", "name a folder"),
        ("a", "nowhere", "nowhere: no records here"),
        ("a", "a/s/config.yaml", "line 1: not a record"),
        ("a", "other", "no study in common: s and t"),
        ("a", "alone.jsonl", "no config.yaml beside it"),
        ("a", "shipped", "no records here"),
    ],
)
def test_wrong_sides_are_one_message(tmp_path, monkeypatch, first, second, message):
    monkeypatch.chdir(tmp_path)
    side(tmp_path / "a" / "s")
    (tmp_path / "alone.jsonl").write_text("")
    other = tmp_path / "other" / "t"
    make_study(other, CONFIG.replace("study: s", "study: t"), errors("german", "one", [0.1]))
    found = answer(first, second)
    assert found.exit_code == 2
    assert found.stderr.startswith("error: ")
    assert message in found.stderr
