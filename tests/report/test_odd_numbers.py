"""Numbers at the ends of floats, and what is no number, in every medium of a study."""

import base64
import gzip
import json
import math
import re

import numpy as np
import pandas as pd
import pytest
from made_up_records import invoke, make_study, record

from ensvm.report.export import frame_of, table_cells
from ensvm.report.tables import build_table
from ensvm.report.write import write_pages

pytestmark = pytest.mark.usefixtures("in_this_process")

NAN, INF = math.nan, math.inf
ODD = {
    "huge": [1e308, 1.7e308, 1.7976931348623157e308],
    "of both signs": [1e308, -1e308, 0.0],
    "tiny": [1e-300, 5e-324, 2e-300],
    "minus zero": [-0.0, -0.0, -0.0],
    "nan": [NAN, NAN, NAN],
    "some nan": [1.0, NAN, 2.0],
    "infinite": [INF, 1.0, 2.0],
    "infinite both ways": [INF, -INF, 1.0],
    "negative": [-5.5, -3.25, -1e-9],
    "whole": [10**18, 10**19, 1],
}
CONFIG = """\
study: s
realizations: 3
datasets: [titanic, german]
algorithms: {a: {estimator: SVC}, b: {estimator: SVC}}
tables:
  - {id: 1, caption: C, metric: n_iter_, columns: [a, b]}
  - id: 2
    caption: D
    metric: n_iter_
    columns: [a, b, {name: d, of: [a, b], as: difference}, {name: r, of: [a, b], as: ratio},
              {name: p, of: [a, b], as: percent}]
    summary: [mean, geometric-mean, mean-rank, winner]
figures:
  - {id: box, kind: box, caption: X, metric: n_iter_, series: [a, b], rows: [titanic, german]}
  - {id: bar, kind: bar, caption: X, metric: n_iter_, series: [a, b], rows: [titanic, german]}
claims:
  - {id: c, text: t, relation: less, left: [a], right: [b], metric: n_iter_, margin: 0}
published: published.csv
"""
PUBLISHED = "table,row,column,value,std\n1,titanic,a,22.0,1\n1,german,b,-3,0.5\n1,german,a,1e308,\n"
VERBS = [
    ("table", "results"),
    ("table", "results", "--format", "latex"),
    ("report", "results", "--only", "claims"),
    ("export", "results"),
    ("show", "results", "--dataset", "titanic", "--algorithm", "a"),
    ("compare", "results", "results"),
    ("rank", "results", "--table", "1", "--dataset", "titanic"),
]


@pytest.fixture
def study(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = [
        record(row, number, name, error=0.25, n_test=300, n_iter_=value)
        for row in ("titanic", "german")
        for name, values in (("a", ODD[request.param]), ("b", [1.0, 2.0, 3.0]))
        for number, value in enumerate(values, start=1)
    ]
    study = make_study(tmp_path / "results" / "s", CONFIG, made, PUBLISHED)
    return study, np.array(ODD[request.param], dtype=float)


@pytest.mark.parametrize("study", ODD, indirect=True)
def test_every_verb_shows_the_numbers(study):
    for verb in VERBS:
        answer = invoke(*verb)
        assert isinstance(answer.exception, SystemExit | None), (verb, answer.exception)
        assert answer.exit_code == 0 or verb[0] == "rank", verb
        assert "Warning" not in answer.output


@pytest.mark.parametrize("study", ODD, indirect=True)
def test_a_mean_is_that_of_the_numbers(study):
    found, values = study
    frame = frame_of(table_cells(found)).set_index(["table", "row", "column"])
    shown = frame.loc[("1", "titanic", "a"), "mean"]
    with np.errstate(all="ignore"):
        mean = values.mean()
    assert (pd.isna(shown) and not np.isfinite(mean)) or shown == pytest.approx(mean, rel=1e-12)


@pytest.mark.parametrize("study", ODD, indirect=True)
def test_the_script_of_a_page_can_read_its_numbers(study, tmp_path):
    """JSON has neither NaN nor infinite numbers."""
    found, _ = study
    text = next(write_pages([found], tmp_path / "pages")).read_text(encoding="utf-8")
    packed = [
        one for one in re.findall(r"<script[^>]*>\s*(\S+)\s*</script>", text) if len(one) > 99
    ]
    assert packed
    for one in packed:

        def refuse(constant):
            raise AssertionError(constant)

        content = json.loads(gzip.decompress(base64.b64decode(one)), parse_constant=refuse)
        numbers = [x for value in content.values() for x in (*value["values"], *value["interval"])]
        assert all(isinstance(x, int | float) for x in numbers)


@pytest.mark.parametrize("study", ODD, indirect=True)
def test_a_place_without_a_number_has_a_reason_and_neither_sign_nor_interval(study):
    found, _ = study
    for table in found.config.tables:
        for cell in build_table(found, table):
            ends = [each for each in (cell.low, cell.high) if each is not None]
            assert not any(map(math.isnan, ends)), cell
            assert cell.mean is None or not math.isnan(cell.mean), cell
            if cell.mean is None:
                assert cell.reason, cell
                assert (cell.verdict, ends) == (None, []), cell
            elif not math.isfinite(cell.mean):
                assert (cell.verdict in (None, "cannot tell"), ends) == (True, []), cell
