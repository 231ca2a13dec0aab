"""What D is made of, in numbers: the formula that is shown gives D again."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from made_up_records import errors, make_study, read_results, settings_of

from ensvm.report.evidence import evidence_of
from ensvm.report.interval_texts import interval_formula
from ensvm.report.intervals import Comparison
from ensvm.report.tables import TableCell, build_table
from ensvm.report.verdict import judge
from ensvm.report.write import write_claims, write_tables
from ensvm.shipped import shipped_results
from ensvm.study.printed import Published

VALUES = np.array([20.0, 22, 24, 26, 28, 31])
PRINTED = Published(24.0, None, 0.05, "24.0")
COMPARISONS = {
    "exact": Comparison(VALUES[:1], PRINTED, fixed=True),
    "one more of ours": Comparison(VALUES, PRINTED, VALUES),
    "test rows": Comparison(VALUES[:1], PRINTED, n_test=50),
    "means, of print unknown": Comparison(VALUES, PRINTED, n_printed=3),
    "means, both known": Comparison(VALUES, replace(PRINTED, std=3.0), n_printed=10),
    "means, of orders": Comparison(VALUES, PRINTED, n_printed=3, spread=4.0),
}


def ends(formula: str) -> tuple[float, float]:
    """Return the ends of the interval that a formula gives."""
    middle, half = re.search(r": (-?[\d.e-]+) ± (.*?)(?:,|$)", formula).groups()
    half = half.replace("·", "*").replace("√", "sqrt").replace("²", "**2")
    half = eval(half, {"sqrt": math.sqrt})
    return float(middle) - half, float(middle) + half


@pytest.mark.parametrize("name", COMPARISONS)
def test_the_formula_gives_the_interval(name):
    one = COMPARISONS[name]
    judged = judge(one, 1.0)
    formula = interval_formula(one)
    assert formula.startswith(f"{name.partition(',')[0]}: ")
    assert ends(formula) == pytest.approx((judged.low, judged.high), rel=1e-3, abs=1e-3)


def test_every_d_of_a_shipped_table_comes_out_of_what_is_shown():
    study = read_results(shipped_results() / "ijcai07")
    table = study.config.table("2")
    bases = set()
    for cell in build_table(study, table):
        if cell.difference_low is None:
            continue
        formula = evidence_of(study, table, cell).compared["D is computed from"]
        bases.add(formula.partition(":")[0])
        shown = cell.difference_low, cell.difference_high
        assert ends(formula) == pytest.approx(shown, rel=1e-3, abs=1e-3), (cell.row, cell.column)
    assert len(bases) == 4


DRAWN = """\
study: s
realizations: 5
datasets:
  - {name: german, drawn_again: [one, two]}
  - {name: one, card: german}
  - {name: two, card: german}
  - cancer
algorithms: {a: {label: A, estimator: SVC}, b: {label: B, estimator: SVC}}
published: p.csv
tables:
  - {id: 2, caption: Errors., columns: [a, b], rows: [german, cancer]}
claims:
  - {id: c, text: t, left: a, right: b, relation: less, rows: [german, cancer]}
"""


def test_a_mean_over_draws_says_so_wherever_it_or_one_draw_stands(tmp_path):
    """A table showed 12.0, the mean of three draws, and a claim 12.2, that of the first."""
    shifts = {"german": 0.122, "one": 0.10, "two": 0.14, "cancer": 0.2}
    records = [
        replace(
            line, settings=settings_of(split={"protocol": "random", "n_train": 700, "n_test": 300})
        )
        for row, value in shifts.items()
        for name, more in (("a", 0.0), ("b", 0.1))
        for line in errors(row, name, value + more + 0.001 * np.arange(-2, 3))
    ]
    printed = "table,row,column,value,std\n2,german,a,12.1,\n2,cancer,a,20,\n"
    study = make_study(tmp_path / "s", DRAWN, records, printed)
    table = study.config.table("2")
    first, _, other, _ = (evidence_of(study, table, one) for one in build_table(study, table))
    assert isinstance(first.cell, TableCell)
    assert first.cell.mean == pytest.approx(12.0 + 0.2 / 3)
    assert "mean over 3 draws of the data" in first.compared["draws"]
    assert "12.2 %" in first.compared["draws"]
    assert np.mean(first.values) == pytest.approx(first.cell.mean)
    assert "3 draws of the data" in first.compared["D is computed from"]
    assert "draws" not in other.compared
    ((text, _),) = write_tables(study, "md")
    assert "Means over 3 draws of the data (german); claims, ranks and figures take one." in text
    claims, _ = write_claims(study)
    assert "| german (one draw) | 12.20 |" in re.sub(" +", " ", claims)
    assert "| cancer | 20.00 |" in re.sub(" +", " ", claims)


@pytest.mark.parametrize(("rows", "is_said"), [(("german",), True), (("german", "one"), False)])
def test_a_single_draw_says_that_the_others_have_no_results(tmp_path, rows, is_said):
    """A run of one draw of eleven lost the others, and D grew narrow without a word."""
    records = [line for row in rows for line in errors(row, "a", 0.12 + 0.001 * np.arange(-2, 3))]
    printed = "table,row,column,value,std\n2,german,a,12.1,\n"
    study = make_study(tmp_path / "s", DRAWN, records, printed)
    ((text, _),) = write_tables(study, "md")
    assert ("german: D is computed from one draw of the data" in text) == is_said
    assert ("without results of the other 2" in text) == is_said
