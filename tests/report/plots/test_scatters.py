"""Two algorithms against each other: points, printed values, counts, and labels that stay apart."""

from itertools import combinations

import numpy as np
import pytest
from made_up_records import errors, make_study
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Annotation, Text

from ensvm.report.plots.drawing import read_figure
from ensvm.report.plots.scatters import Point, _draw_panel, _label

CONFIG = """\
study: s
realizations: 2
datasets: [german, titanic, astro, cancer]
algorithms: {a: {label: A, estimator: SVC}, b: {label: B, estimator: SVC}}
published: p.csv
tables:
  - {id: 1, caption: Errors., columns: [a, b]}
figures:
  - {id: 1, kind: scatter, caption: c, rows: [german, titanic, astro, cancer], x: a, y: b, table: 1}
"""
PRINTED = "table,row,column,value,std\n1,german,a,20.0,\n1,german,b,21.0,\n1,titanic,a,9,\n"


@pytest.fixture
def study(tmp_path):
    lines = [
        *errors("german", "a", [0.1, 0.2]),
        *errors("german", "b", [0.2, 0.3]),
        *errors("titanic", "a", [0.3, 0.4]),
        *errors("titanic", "b", [0.3, 0.4]),
        *errors("astro", "a", [0.3, 0.4]),
        *errors("cancer", "a", [0.3, 0.4]),
        *errors("cancer", "b", [0.1, 0.1]),
    ]
    return make_study(tmp_path / "s", CONFIG, lines, PRINTED)


def test_a_point_has_the_means_of_both_and_print_if_it_has_both(study):
    (figure,) = study.config.figures
    content = read_figure(study, figure)
    lines = content.frame.set_index(["row", "what"])
    assert lines.loc["german", "value"][["x", "y"]].tolist() == pytest.approx([15.0, 25.0])
    assert lines.loc["german", "printed"][["x", "y"]].tolist() == [20.0, 21.0]
    assert ("titanic", "printed") not in lines.index
    assert content.missing == ("astro, b: not run yet",)


def test_the_legend_counts_all_data_sets_and_ties(study, texts_of):
    (figure,) = study.config.figures
    texts = texts_of(study, figure)
    assert {"3 of 4 data sets", "B: better on 1, worse on 1, equal on 1", "printed"} <= texts


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_labels_do_not_collide_even_where_points_do(study, scale):
    (figure,) = study.config.figures
    rng = np.random.default_rng(1)
    places = np.vstack([rng.uniform(5, 40, (12, 2)), rng.normal(20, 1.0, (8, 2))])
    points = [Point(f"data set {n}", str(n), x, y) for n, (x, y) in enumerate(places.tolist())]
    drawn = Figure(figsize=(4.5, 4.5), layout="constrained")
    canvas = FigureCanvasAgg(drawn)
    axes = drawn.subplots()
    axes.set_xscale(scale)
    axes.set_yscale(scale)
    _draw_panel(axes, figure.model_copy(update={"x_scale": scale}), points)
    drawn.draw_without_rendering()
    _label(axes, points)
    labels = [one for one in axes.texts if isinstance(one, Annotation)]
    assert [one.get_text() for one in labels] == [point.label for point in points]
    for one in labels:
        one.update_positions(canvas.get_renderer())
    # without the lines that tie labels to their points
    texts = [Text.get_window_extent(one).padded(-1.0) for one in labels]
    assert not [pair for pair in combinations(texts, 2) if pair[0].overlaps(pair[1])]
    assert all(axes.bbox.padded(2.0).contains(box.x0, box.y0) for box in texts)
