"""What holds for figures of every kind: axes have labels, whatever a config leaves out."""

import pytest
from made_up_records import errors, make_study, record

from ensvm.report.plots import drawing
from ensvm.report.plots.drawing import read_figure
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
def test_axes_without_labels_say_what_they_show(study, name, monkeypatch):
    drawn = []
    kept = drawing._panels

    def panels(config):
        drawn.append(kept(config))
        return drawn[-1]

    monkeypatch.setattr(drawing, "_panels", panels)
    figure = next(each for each in study.config.figures if each.id == name)
    (pdf,) = drawing.draw(figure, read_figure(study, figure).items, [".pdf"])
    assert pdf.startswith(b"%PDF")
    ((_, (axes,)),) = drawn
    assert (axes.get_xlabel(), axes.get_ylabel()) == LABELS[name]
    own = figure.model_copy(update={"x_label": "across", "y_label": "up"})
    assert own.labels_of(own.panels[0]) == ("across", "up")


def test_every_kind_is_here():
    assert set(KINDS) <= set(LABELS)
