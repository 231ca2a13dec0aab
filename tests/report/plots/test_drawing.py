"""What holds for figures of every kind: labelled axes, and names of wrong keys."""

import json
from dataclasses import replace
from xml.sax.saxutils import escape

import pytest
from made_up_records import errors, make_study, record

from ensvm.errors import UserError
from ensvm.report.plots import search_maps
from ensvm.report.plots.drawing import draw, read_figure
from ensvm.study.figures import KINDS

CONFIG = """\
study: s
realizations: 2
datasets: [german, {name: size, card: german, sweep: {split.n_train: [50, 100]}}]
algorithms:
  a:
    label: A
    estimator: RhoSVC
    record: [path_, points_, signs_, grid_, values_, support_, weights_, cv_results_]
  b: {estimator: RhoSVC}
figures:
  - {id: curves, caption: c, panels: [german], series: [a], y: path_}
  - {id: several, caption: c, panels: [german], series: [a], y: {path_: one, signs_: other}}
  - {id: sweep, kind: sweep, caption: c, panels: [size], series: [b], y: error}
  - {id: plane, kind: plane, caption: c,
     panels: [{dataset: german, series: a, marks: support_, sizes: weights_}]}
  - {id: box, kind: box, caption: c, rows: german, series: [a, b]}
  - {id: bar, kind: bar, caption: c, rows: german, series: [a, b]}
  - {id: scatter, kind: scatter, caption: c, rows: german, x: a, y: b}
  - {id: map, kind: map, caption: c, x: C, y: gamma, panels: [{dataset: german, series: a}]}
"""
# The axes of each kind, and what else a reader needs: names of points, the legend
TEXTS = {
    "curves": ("step", "path"),
    "several": ("step", "value", "one", "other"),
    "sweep": ("size", "test error (%)"),
    "plane": ("first input", "second input", "support vector", "weight 0.5"),
    "box": ("data set", "test error (%)", "A", "box: quartiles, median, whiskers to 1.5 IQR"),
    "bar": ("data set", "test error (%)", "A", "bar: mean ± standard deviation over realizations"),
    "scatter": (
        "A: test error (%)",
        "b: test error (%)",
        "german",
        "equal",
        "1 of 1 data sets",
        "b: better on 1, worse on 0, equal on 0",
    ),
    "map": (
        "C",
        "gamma",
        ".500",
        ".750",
        "box: the best",
        "mean score over 2 realizations; darker is better",
    ),
}


@pytest.fixture
def study(tmp_path):
    made = record("german", 1, "a", curve=[2.0, 1.0], error=0.5, accuracy=0.5, n_test=300)
    made.curves.update(
        points_=[[0.0, 0.0], [1.0, 1.0]],
        signs_=[-1.0, 1.0],
        grid_=[[0.0, 1.0], [0.0, 1.0]],
        values_=[[1.0, 2.0], [2.0, 3.0]],
        support_=[0],
        weights_=[0.5, 0.5],
        cv_results_=[0.5, 0.75],
        **{"cv_results_.C": [1, 10], "cv_results_.gamma": ["scale", 0.5]},
    )
    again = replace(made, realization=2, key="again", metrics={**made.metrics, "error": 0.7})
    others = [*errors("german", "b", [0.1, 0.2]), *errors("size-50", "b", [0.3, 0.4])]
    return make_study(tmp_path / "s", CONFIG, [made, again, *others])


@pytest.mark.parametrize("name", TEXTS)
def test_a_figure_has_a_legend_and_axes_that_say_what_they_show(study, texts_of, name):
    figure = next(each for each in study.config.figures if each.id == name)
    assert set(TEXTS[name]) <= texts_of(study, figure)
    own = figure.model_copy(update={"x_label": "across", "y_label": "up"})
    assert own.labels_of(own.panels[0]) == ("across", "up")


@pytest.mark.parametrize("label", ["US$ vs A$", r"$\undefined{x}$ \frac", "a_b^c & 5 % <i> é ρ"])
def test_labels_come_out_as_written(tmp_path, texts_of, label):
    config = CONFIG.replace("label: A", f"label: {json.dumps(label)}")
    study = make_study(tmp_path / "s", config, errors("german", "a", [0.1, 0.2]))
    figure = next(each for each in study.config.figures if each.id == "box")
    assert label in texts_of(study, figure)
    (svg,) = draw(study, read_figure(study, figure), [".svg"])
    assert escape(label) in svg.decode()
    assert "oblique" not in svg.decode()  # the italics of math


def test_every_kind_is_here():
    assert set(KINDS) <= set(TEXTS)


REFUSED = [
    ("box, series: a", r"which data sets"),
    ("box, rows: german, series: a, metric: train_seconds", r"needs a `timing:` block"),
    ("box, rows: german, series: a, metric: nothing", r"unknown metric 'nothing'"),
    ("scatter, rows: german, x: a", r"which two algorithms"),
    ("scatter, x: a, y: b", r"which data sets"),
    ("scatter, rows: german, x: a, y: c", r"'c'"),
    (
        "plane, panels: [{dataset: german, series: a, sizes: alphas_}]",
        r"'alphas_' is not in the `record:` of a",
    ),
    (
        "map, x: C, y: gamma, panels: [{dataset: german, series: b}]",
        r"'cv_results_' is not in the `record:` of b",
    ),
    ("plane, panels: [{dataset: german, series: b}]", r"'points_' is not in the `record:` of b"),
]


@pytest.mark.parametrize(("keys", "message"), REFUSED)
def test_wrong_keys_of_a_figure_are_named(tmp_path, keys, message):
    figure = f"figures: [{{id: 1, caption: c, kind: {keys}}}]\n"
    with pytest.raises(UserError, match=message):
        make_study(tmp_path / "s", CONFIG.partition("figures:")[0] + figure, [])


def test_powers_of_two_are_written_as_such():
    assert search_maps._texts([2.0**-15, 0.5, 2.0**11]) == ["2⁻¹⁵", "2⁻¹", "2¹¹"]
    assert search_maps._texts([0.25, 0.5]) == ["0.25", "0.5"]
    assert search_maps._texts([0.0001, 3.0]) == ["0.0001", "3"]
    assert search_maps._texts(["rbf", 2.0]) == ["rbf", "2"]
