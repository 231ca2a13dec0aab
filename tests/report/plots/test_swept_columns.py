"""Figures along a sweep draw computed columns: at each value, what the table shows."""

import numpy as np
import pytest
from made_up_records import errors, make_study

from ensvm.errors import UserError
from ensvm.report.claims import judge_claim
from ensvm.report.plots import curves
from ensvm.report.plots.drawing import drawn_figure
from ensvm.report.tables import build_table
from ensvm.study.published_part import published_values
from ensvm.study.read_config import read_config

CONFIG = """\
study: s
realizations: 3
datasets: [titanic, {name: size, card: german, sweep: {split.n_train: [50, 100]}}]
algorithms:
  clean: {estimator: SVC}
  noisy: {estimator: SVC, sweep: {params.C: [1, 2.5]}}
  other: {estimator: SVC, sweep: {params.C: [1, 2.5]}}
published: p.csv
tables:
  - id: 1
    caption: Rises.
    columns:
      - {name: rise, label: 'C {value}', heading: Noisy, of: [noisy, clean], as: percent}
      - {name: more, of: [other, clean], as: percent}
      - {name: gap, of: [noisy, other], as: difference}
      - {name: single, label: Single, of: [noisy-1, clean], as: difference}
figures:
  - {id: along, kind: sweep, caption: F., table: 1, series: [rise, more],
     panels: [{dataset: titanic}]}
  - {id: sizes, kind: sweep, caption: F., table: 1, series: [single], panels: [{over: size}]}
  - {id: bars, kind: bar, caption: F., table: 1, series: [rise, more], rows: [titanic]}
claims:
  - {id: c, text: Noise hurts., table: 1, left: rise, right: more, relation: less, rows: [titanic]}
"""
PRINTED = "table,row,column,value,std\n1,titanic,rise-2.5,20,\n1,size-50,single,2,\n"
ROWS = ("titanic", "size-50", "size-100")
NAMES = ("clean", "noisy-1", "noisy-2.5", "other-1", "other-2.5")


@pytest.fixture
def study(tmp_path):
    draw = np.random.default_rng(0)
    lines = [
        line
        for row in ROWS
        for name in NAMES
        for line in errors(row, name, draw.uniform(0.1, 0.3, 3))
    ]
    return make_study(tmp_path / "s", CONFIG, lines, PRINTED)


def test_a_line_has_the_values_of_its_table(study):
    (table,) = study.config.tables
    cells = {(one.row, one.column): one.mean for one in build_table(study, table)}
    along, sizes, _ = study.config.figures
    lines, missing = curves.read_panel(study, along, along.panels[0])
    assert missing == []
    assert [line.label for line in lines] == ["Noisy C", "more"]
    for line, name in zip(lines, ("rise", "more"), strict=True):
        assert line.x == (1.0, 2.5)
        expected = [cells["titanic", f"{name}-{value}"] for value in ("1", "2.5")]
        assert line.y == pytest.approx(expected)
    assert lines[0].printed == (None, 20.0)
    (line,), _ = curves.read_panel(study, sizes, sizes.panels[0])
    assert line.x == (50.0, 100.0)
    assert line.y == pytest.approx([cells["size-50", "single"], cells["size-100", "single"]])
    assert line.printed == (2.0, None)


def test_the_axes_say_what_is_swept_and_what_is_computed(study):
    along, sizes, _ = study.config.figures
    assert along.labels_of(along.panels[0]) == ("C", "rise of the test error (%)")
    assert sizes.labels_of(sizes.panels[0])[1] == (
        "difference of the test error (percentage points)"
    )
    for figure in study.config.figures:
        content, files = drawn_figure(study, figure, [".svg"])
        assert files, content.missing


def test_the_name_of_columns_of_a_sweep_stands_for_all_of_them(study):
    members = ("rise-1", "rise-2.5")
    assert study.config.figures[2].series == (*members, "more-1", "more-2.5")
    (test,) = study.config.claims[0].tests
    assert test.left == members
    assert len(judge_claim(study, study.config.claims[0]).tests[0].comparisons) == 4


def test_the_paper_shows_the_values_behind_such_a_figure(study):
    needed = published_values(study.config, {})
    assert {row for row, *_ in needed} == {*ROWS}
    assert {("titanic", name, "error") for name in NAMES} <= needed.keys()
    assert ("size-100", "other-1", "error") not in needed


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[rise, more]", "[rise, gap]", "gap, rise: computed columns of table 1; accepted: only"),
        ("[rise, more]", "[rise, noisy]", "rise: computed columns of table 1; accepted: only"),
        ("[rise, more]", "[ryse]", "unknown sweep of algorithms 'ryse'"),
        ("table: 1, series: [rise, more]", "series: [rise]", "'rise' is a column of table 1; add"),
        ("series: [single]", "y: auc, series: [single]", "show their own metric; leave out `y:`"),
        ("series: [single]", "stages: [1], series: [single]", "metric; leave out `stages:`"),
        ("{over: size}", "{over: size}, {dataset: titanic}", "unknown algorithm 'single'"),
        ("'C {value}'", "'C {value:d}'", "the label of rise-2.5: its format does not fit"),
    ],
)
def test_slips_are_refused(tmp_path, old, new, message):
    assert old in CONFIG
    (tmp_path / "s.yaml").write_text(CONFIG.replace(old, new))
    (tmp_path / "p.csv").write_text(PRINTED)
    with pytest.raises(UserError, match=message):
        read_config(tmp_path / "s.yaml")
