"""What holds for figures of every kind: labelled axes, and names of wrong keys."""

import re

import pytest
from made_up_records import errors, make_study, record

from ensvm.errors import UserError
from ensvm.report.plots.drawing import draw, read_figure
from ensvm.study.figures import KINDS

CONFIG = """\
study: s
realizations: 2
datasets: [german, {name: size, card: german, sweep: {split.n_train: [50, 100]}}]
algorithms:
  a: {label: A, estimator: RhoSVC, record: [path_, points_, signs_, grid_, values_]}
  b: {estimator: RhoSVC}
figures:
  - {id: curves, caption: c, panels: [german], series: [a], y: path_}
  - {id: several, caption: c, panels: [german], series: [a], y: {path_: one, signs_: other}}
  - {id: sweep, kind: sweep, caption: c, panels: [size], series: [b], y: error}
  - {id: scatter, kind: scatter, caption: c, rows: [german], panels: [{x: a, y: b}]}
  - {id: tradeoff, kind: tradeoff, caption: c, rows: [german], series: [a], x: n_test}
  - {id: plane, kind: plane, caption: c, panels: [{dataset: german, series: a}]}
  - {id: box, kind: box, caption: c, rows: german, series: [a, b]}
  - {id: strip, kind: strip, caption: c, rows: german, series: [a, b], metric: accuracy}
  - {id: bar, kind: bar, caption: c, rows: german, series: [a, b], metric: n_test}
"""
LABELS = {
    "curves": ("step", "path"),
    "several": ("step", "value"),
    "sweep": ("size", "test error (%)"),
    "scatter": ("a, test error (%)", "b, test error (%)"),
    "tradeoff": ("n test", "test error (%)"),
    "plane": ("first input", "second input"),
    "box": ("data set", "test error (%)"),
    "strip": ("data set", "test accuracy (%)"),
    "bar": ("data set", "n test"),
}


@pytest.fixture
def study(tmp_path):
    made = record("german", 1, "a", curve=[2.0, 1.0], error=0.5, accuracy=0.5, n_test=300)
    made.curves.update(
        points_=[[0.0, 0.0], [1.0, 1.0]],
        signs_=[-1.0, 1.0],
        grid_=[[0.0, 1.0], [0.0, 1.0]],
        values_=[[-1.0, 0.0], [0.0, 1.0]],
    )
    return make_study(
        tmp_path / "s",
        CONFIG,
        [made, *errors("german", "b", [0.1, 0.2]), *errors("size-50", "b", [0.3, 0.4])],
    )


@pytest.mark.parametrize("name", LABELS)
def test_axes_without_labels_say_what_they_show(study, name):
    figure = next(each for each in study.config.figures if each.id == name)
    (svg,) = draw(study, read_figure(study, figure), [".svg"])
    texts = re.findall(r"<text[^>]*>(.+?)</text>", svg.decode())
    assert set(LABELS[name]) <= set(texts)
    own = figure.model_copy(update={"x_label": "across", "y_label": "up"})
    assert own.labels_of(own.panels[0]) == ("across", "up")


def test_every_kind_is_here():
    assert set(KINDS) <= set(LABELS)


REFUSED = [
    ("box, series: a", r"which data sets"),
    ("box, rows: german, series: a, colour: red", r"figures\[1\]\.colour: unknown key"),
    ("bar, rows: german, series: a, y_scale: log", r"a bar begins at 0"),
    ("bar, rows: german, series: a, metric: train_seconds", r"needs a `timing:` block"),
    ("bar, rows: german, series: a, metric: nothing", r"unknown metric 'nothing'"),
    ("scater, rows: [german], panels: [{x: a, y: b}]", r"accepted: .*scatter, tradeoff, plane"),
    ("tradeoff, series: a, x: size", r"which data sets"),
    ("tradeoff, rows: german, series: a, x: nothing", r"unknown metric 'nothing'"),
    (
        "plane, panels: [{dataset: german, series: a, sizes: alphas_}]",
        r"'alphas_' is not in the `record:` of a",
    ),
    ("plane, panels: [{dataset: german, series: b}]", r"'points_' is not in the `record:` of b"),
]


@pytest.mark.parametrize(("keys", "message"), REFUSED)
def test_wrong_keys_of_a_figure_are_named(tmp_path, keys, message):
    figure = f"figures: [{{id: 1, caption: c, kind: {keys}}}]\n"
    with pytest.raises(UserError, match=message):
        make_study(tmp_path / "s", CONFIG.partition("figures:")[0] + figure, [])
