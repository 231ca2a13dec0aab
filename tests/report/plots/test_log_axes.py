"""Logarithmic axes of every kind of figure: plain ticks, and zeros that are named."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from made_up_records import errors, make_study
from matplotlib.figure import Figure

from ensvm.report.plots import boxes, curves
from ensvm.report.plots.curve_values import Curve
from ensvm.report.plots.drawing import drawn_figure, read_figure
from ensvm.report.plots.log_axes import log_limits
from ensvm.report.write import write_figures, write_pages

CONFIG = """\
study: s
realizations: 2
datasets: [german]
algorithms:
  a: {label: "smooth {value}", estimator: SVC, sweep: {params.gamma: [scale, auto, 0.1]}}
  c: {label: "C = {value:.1f}", estimator: SVC, sweep: {params.C: [1, 10]}}
  d: {label: "{value}", estimator: SVC, sweep: {params.C: [1, 10]}}
figures:
  - {id: box, kind: box, caption: x, rows: [german], series: [c-1, c-10], y_scale: log}
  - {id: bar, kind: bar, caption: x, rows: [german], series: [c-1, c-10], y_scale: log}
  - {id: s, kind: sweep, caption: x, panels: [{dataset: german}], series: [c, d], y_scale: log}
  - {id: n, kind: sweep, caption: x, panels: [{dataset: german}], series: [a], x_scale: log}
"""


@pytest.fixture
def study(tmp_path):
    rates = {"c-1": [0.0, 0.03], "c-10": [0.2, 0.3], "d-1": [0.0, 0.0], "d-10": [0.1, 0.1]}
    rates |= {"a-scale": [0.1, 0.2], "a-auto": [0.2, 0.3], "a-0.1": [0.3, 0.3]}
    lines = [line for name, values in rates.items() for line in errors("german", name, values)]
    return make_study(tmp_path / "s", CONFIG, lines)


def figure_of(study, name):
    return next(one for one in study.config.figures if one.id == name)


@pytest.mark.parametrize("name", ["box", "bar", "s"])
def test_ticks_are_text_and_zeros_are_named(study, texts_of, name):
    texts = texts_of(study, figure_of(study, name))
    assert not any(set("${\\") & set(text) for text in texts)
    assert "not shown: 1 value of 0 or less on the logarithmic y axis" in texts


@pytest.mark.parametrize("values", [None, {1: 1.0, 2: 1.0}, {1: 20.0}])
def test_bars_have_a_body(study, values):
    figure = figure_of(study, "bar")
    axes = Figure().add_subplot()
    axes.set_yscale("log")
    panels = read_figure(study, figure).panels
    if values is not None:
        panels = [[replace(item, values=values) for item in panel] for panel in panels]
    boxes.draw(study, figure, panels, [axes])
    low, high = axes.get_ylim()
    assert low > 0.0
    for bar in axes.patches:
        assert bar.get_y() == low
        assert low < bar.get_y() + bar.get_height() < high


def test_printed_zeros_are_named_and_bands_have_a_lower_edge(study):
    """The standard error of two values is half of their difference: the lower edge here is 0."""
    figure = figure_of(study, "s")
    ((curve, *others),) = read_figure(study, figure).panels
    curve = replace(curve, y=(0.1, 0.2), std=(0.1, 0.2 * 2**0.5), n=(2, 2), printed=(0.0, 0.1))
    axes = Figure().add_subplot()
    axes.set_yscale("log", nonpositive="mask")
    keys = curves.draw(study, figure, [[curve, *others]], [axes])
    assert (None, "not shown: 2 values of 0 or less on the logarithmic y axis") in keys
    low, high = axes.get_ylim()
    assert 1e-3 < low < high
    for band in axes.collections:
        assert band.get_paths()[0].vertices[:, 1].min() >= low


@given(hnp.arrays(float, st.integers(1, 5), elements=st.floats(1e-300, 1e300)))
def test_limits_with_room_leave_every_value_inside(values):
    low, high = log_limits(values, with_room=True)
    assert low < values.min()
    assert values.max() < high
    assert low >= values.min() / 10
    assert high <= 10 * values.max()


def test_the_edge_of_a_band_is_zero_and_not_a_rounding_of_it():
    for value in np.linspace(0.001, 1.0, 500):
        pair = np.array([0.0, value])
        curve = Curve("", "", "", (1.0,), (pair.mean(),), (pair.std(ddof=1),), (2,))
        assert curve.edges[0] == 0.0
        assert curve.edges[1] == pytest.approx(value)


def test_a_legend_has_no_placeholder(study, texts_of):
    texts = texts_of(study, figure_of(study, "s"))
    assert {"C", "d"} <= texts
    assert not any("{" in text for text in texts)


def test_names_stand_at_equal_distances(study, texts_of):
    figure = figure_of(study, "n")
    content = read_figure(study, figure)
    ((curve,),) = content.panels
    assert (curve.x, curve.names) == ((0.0, 1.0, 2.0), ("scale", "auto", "0.1"))
    assert content.frame["x"].tolist() == ["scale", "auto", "0.1"]
    assert {"scale", "auto", "0.1", "smooth"} <= texts_of(study, figure)


def test_a_figure_that_fails_is_missing_and_keeps_no_other_from_being_written(
    study, tmp_path, monkeypatch
):
    def fail(study, config, panels, axes):
        raise ValueError("no such thing")

    monkeypatch.setattr("ensvm.report.plots.boxes.draw", fail)
    content, files = drawn_figure(study, figure_of(study, "box"), [".svg"])
    assert not files
    assert content.missing == ("cannot be drawn: ValueError: no such thing",)
    written = {content.config.id: bool(paths) for content, paths in write_figures(study)}
    assert written == {"box": False, "bar": False, "s": True, "n": True}
    assert [path.name for path in write_pages([study], tmp_path)] == ["s.html", "index.html"]


def test_a_study_without_a_page_keeps_no_other_from_having_one(study, tmp_path, monkeypatch):
    failed = []
    monkeypatch.setattr(
        "ensvm.report.render.study_page.warnings_of",
        lambda one: [1 / (one.folder != study.folder)][1:],
    )
    other = make_study(tmp_path / "z", CONFIG.replace("study: s", "study: z"), [])
    paths = write_pages([study, other], tmp_path / "p", lambda *why: failed.append(why))
    assert [path.name for path in paths] == ["z.html", "index.html"]
    ((one, error),) = failed
    assert (one, type(error)) == (study, ZeroDivisionError)
