"""A plane shows what a map of decisions recorded: rows, labels, rings, weights and lines."""

import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from made_up_records import make_study, record

from ensvm.report.documents.document import csv_of
from ensvm.report.plots.decision_maps import DrawnPlane, _finer
from ensvm.report.plots.drawing import read_figure

CONFIG = """\
study: s
realizations: 2
datasets: [german]
algorithms:
  a: {label: A, estimator: DecisionMap,
      record: [points_, signs_, grid_, values_, support_, weights_]}
  b: {label: B, estimator: DecisionMap, record: [points_, signs_, grid_, values_, support_]}
figures:
  - id: 1
    kind: plane
    caption: Planes.
    realization: 2
    panels:
      - {dataset: german, series: a, title: One, marks: support_, sizes: weights_,
         levels: [-1, 0, 1]}
      - {dataset: german, series: [a, b]}
"""
MAP = {
    "points_": [[0.0, 0.0], [1.0, 0.5], [2.0, 1.0]],
    "signs_": [-1, 1, 1],
    "grid_": [[0.0, 2.0], [0.0, 1.0]],
    "values_": [[-1.0, 3.0], [-1.5, 2.5]],
    "support_": [0, 1],
    "weights_": [0.5, 0.25, 0.25],
}


def mapped(algorithm, realization, **curves):
    return replace(record("german", realization, algorithm), curves={**MAP, **curves})


@pytest.fixture
def study(tmp_path):
    lines = [mapped("a", 1, signs_=[1, 1, 1]), mapped("a", 2), mapped("b", 1)]
    return make_study(tmp_path / "s", CONFIG, lines)


def test_a_panel_has_the_realization_s_record_and_says_what_is_missing(study):
    shown = read_figure(study, study.config.figures[0])
    (one,), (again,) = shown.panels
    assert (one.label, one.marks.tolist()) == ("A", [0, 1])
    for name in ("points", "signs", "grid", "values"):
        np.testing.assert_array_equal(getattr(one, name), MAP[f"{name}_"])
        np.testing.assert_array_equal(getattr(again, name), MAP[f"{name}_"])
    np.testing.assert_array_equal(one.sizes, MAP["weights_"])
    assert (again.marks.size, again.sizes) == (0, None)
    assert shown.missing == ("german, b: not run yet (realization 2)",)


def test_the_csv_has_the_rows_and_the_grid(study):
    frame = pd.read_csv(io.StringIO(csv_of(read_figure(study, study.config.figures[0]).columns)))
    first = frame[frame["panel"] == "One"]
    rows, grid = (first[first["what"] == what] for what in ("row", "decision"))
    assert rows[["x", "y"]].values.tolist() == MAP["points_"]
    assert rows["value"].tolist() == MAP["signs_"]
    assert rows["weight"].tolist() == MAP["weights_"]
    assert rows["marked"].tolist() == [True, True, False]
    assert grid[["x", "y", "value"]].values.tolist() == [
        [0.0, 0.0, -1.0],
        [2.0, 0.0, 3.0],
        [0.0, 1.0, -1.5],
        [2.0, 1.0, 2.5],
    ]


def test_the_legend_names_lines_rings_weights_and_shades(tmp_path, texts_of):
    study = make_study(tmp_path / "s", CONFIG, [mapped("a", 2), mapped("b", 2)])
    legend = {"A", "B", "decision value ±1", "support vector", "weight 0.25", "weight 0.5"}
    legend |= {"class −1, shaded where predicted", "class +1, shaded where predicted"}
    (figure,) = study.config.figures
    assert {"(a) One", "(b) german"} | legend <= texts_of(study, figure)


def test_a_vote_of_stumps_is_drawn_with_right_angles():
    grid = np.array([[0.0, 1.0, 2.0], [0.0, 1.0, 2.0]])
    values = np.array([[-1.0, -1.0, 1.0], [-1.0, -1.0, 1.0], [1.0, 1.0, 1.0]])
    rows = np.zeros((1, 2))
    plane = DrawnPlane("a", "A", rows, np.ones(1), grid, values, np.array([], dtype=int))
    finer, steps = _finer(plane)
    corner = finer[0] < 1.4
    assert (steps[np.ix_(corner, corner)] == -1.0).all()
    assert (steps[:, finer[0] > 1.6] == 1.0).all()
    assert (steps[finer[1] > 1.6] == 1.0).all()
