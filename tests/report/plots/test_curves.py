"""Figures hold the curves of the records, nothing else, and the same files come out twice."""

import io
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from made_up_records import make_study, record
from matplotlib.axes import Axes
from matplotlib.image import imread

from ensvm.errors import UserError
from ensvm.report.documents.document import csv_of
from ensvm.report.plots.curves import _listed, _looks
from ensvm.report.plots.drawing import draw, read_figure
from ensvm.report.plots.log_axes import log_limits
from ensvm.report.plots.looks import COLOURS, look_numbers, look_of
from ensvm.report.write import write_figures
from ensvm.study.read_config import read_config

CONFIG = """\
study: s
realizations: 2
datasets: [german, titanic, cancer]
algorithms:
  a: {label: "A, the first", estimator: RhoSVC, record: [path_]}
  b: {estimator: RhoSVC, record: [path_]}
figures:
  - {id: 1, caption: Curves., panels: [titanic, german], series: [b, a], y: path_, marks: jump_,
     x_label: steps, y_label: y, x_scale: log, y_scale: log, realization: 2}
  - {id: none, caption: Nothing yet., panels: [cancer], series: [a], y: path_,
     x_label: x, y_label: y}
"""
CURVES = {
    ("german", 2, "a"): [0.1 + 0.2, 1 / 3, 1e-5],
    ("german", 2, "b"): [1.0, 0.5, float("nan"), 0.25],
    ("titanic", 2, "a"): [0.7],
}


@pytest.fixture
def study(tmp_path):
    lines = [
        record(*place, curve=curve, jump_=3 if place[2] == "b" else 0)
        for place, curve in CURVES.items()
    ]
    lines += [
        record("german", 1, "a", curve=[9.0, 9.0]),
        record("titanic", 2, "b", status="failed", reason="ouch"),
    ]
    return make_study(tmp_path / "s", CONFIG, lines)


def test_every_point_of_a_curve_with_a_place_is_seen(study, monkeypatch):
    """Points beside NaN, or alone, have no line to another point; they are drawn as dots."""
    drawn = []
    plot = Axes.plot

    def plotted(axes, x, y, **look):
        drawn.append((look.get("linestyle"), list(x), list(y)))
        return plot(axes, x, y, **look)

    monkeypatch.setattr(Axes, "plot", plotted)
    content = read_figure(study, study.config.figures[0])
    assert "german, b: no finite number: 1 of 4 values" in content.missing
    draw(study, content, [".png"])
    dots = [(x, y) for style, x, y in drawn if style == "none"]
    # of german, b: the first value, at 0, has no place on this axis, and the third is NaN
    assert [dot for dot in dots if dot[0]] == [([1, 3], [0.5, 0.25])]
    drawn.clear()
    linear = content.config.model_copy(update={"x_scale": "linear"})
    draw(study, replace(content, config=linear), [".png"])
    dots = [(x, y) for style, x, y in drawn if style == "none"]
    assert [dot for dot in dots if dot[0]] == [([0], [0.7]), ([3], [0.25])]


def read_curves(study, figure):
    shown = read_figure(study, figure)
    return shown.items, shown.missing


def data_behind(study):
    figure = study.config.figures[0]
    text = csv_of(read_figure(study, figure).columns)
    frame = pd.read_csv(io.StringIO(text), dtype={"figure": str, "y": str})
    # The quick way with numbers of pandas before 3.0 is off by their last digit.
    return frame.assign(y=frame["y"].map(float))


def test_the_csv_is_the_records_unrounded(study):
    frame = data_behind(study)
    assert set(frame["figure"]) == {"1"}
    points = frame[frame["what"] == "curve"]
    found = dict(iter(points.groupby(["panel", "series"])))
    shown = {
        (panel, {"a": "A, the first"}.get(series, series)): curve
        for (panel, _, series), curve in CURVES.items()
    }
    assert set(found) == set(shown)
    for place, curve in shown.items():
        assert found[place]["x"].tolist() == list(range(len(curve)))
        assert np.array_equal(found[place]["y"], curve, equal_nan=True)


def test_marks_stand_where_the_scalar_says_and_zero_is_none(study):
    frame = data_behind(study)
    marks = frame[frame["what"] == "mark"]
    assert marks[["panel", "series", "x"]].values.tolist() == [["german", "b", 3]]


def test_a_mark_at_a_number_stands_in_every_panel_and_in_the_legend(study, texts_of, monkeypatch):
    lines = []
    monkeypatch.setattr(Axes, "axvline", lambda self, x, **look: lines.append(x))
    figure = study.config.figures[0]
    changed = type(figure).model_validate({**figure.model_dump(), "marks": 2})
    assert "steps = 2" in texts_of(study, changed)
    assert lines == [2.0, 2.0]


def test_curves_come_in_the_order_of_the_paper(study):
    curves, _ = read_curves(study, study.config.figures[0])
    assert [curve.label for curve in curves] == ["A, the first", "b", "A, the first"]


def test_an_algorithm_that_leaves_no_curve_is_missing(study):
    figure = study.config.figures[0].model_copy(update={"y": "other_"})
    curves, missing = read_curves(study, figure)
    assert curves == []
    assert "german, a: the algorithm leaves no number 'other_'" in missing


@pytest.mark.slow
def test_the_files_of_a_figure_are_the_same_twice_and_a_figure_of_nothing_has_none(study):
    (first, paths), (nothing, no_paths) = write_figures(study)
    assert first.missing == (
        "titanic, b: failed: ouch",
        "german, b: no finite number: 1 of 4 values",
    )
    assert (no_paths, nothing.missing) == ([], ("cancer, a: not run yet",))
    endings = ("csv", "png", "svg", "pdf")
    assert [path.name for path in paths] == [f"figure-1.{ending}" for ending in endings]
    assert not list(study.folder.glob("figure-none*"))
    before = [path.read_bytes() for path in paths]
    _, paths_again = next(write_figures(study))
    assert [path.read_bytes() for path in paths_again] == before
    csv, _, svg, pdf = paths
    assert csv.read_text() == csv_of(read_figure(study, study.config.figures[0]).columns)
    assert "<dc:date>" not in svg.read_text()
    assert pdf.read_bytes().startswith(b"%PDF")
    assert b"Date" not in pdf.read_bytes()


MANY = """\
study: s
realizations: 1
datasets: [german]
algorithms:
  {algorithms}
figures:
  - {{id: 1, caption: Legend., panels: [german], series: [{series}], y: path_,
      x_label: x, y_label: y}}
"""


@pytest.mark.parametrize(("count", "letters"), [(1, 1), (5, 14), (3, 28), (5, 45)])
def test_the_legend_stays_within_the_figure(tmp_path, count, letters):
    names = "abcde"[:count]
    algorithms = "\n  ".join(
        f"{n}: {{label: {n * letters}, estimator: RhoSVC, record: [path_]}}" for n in names
    )
    lines = [record("german", 1, name, curve=[1.0, 2.0]) for name in names]
    config = MANY.format(algorithms=algorithms, series=", ".join(names))
    study = make_study(tmp_path / "s", config, lines)
    (figure,) = study.config.figures
    png, svg = draw(study, read_figure(study, figure), [".png", ".svg"])
    pixels = imread(io.BytesIO(png))[..., :3]
    assert (pixels[:, [0, 1, -2, -1]] == 1.0).all()
    assert (pixels[[0, 1, -2, -1]] == 1.0).all()
    assert all(f">{name * letters}</text>" in svg.decode() for name in names)


SWEPT = """\
study: s
realizations: 2
datasets:
  - {name: size, card: german, sweep: {split.n_train: [50, 100]}}
  - titanic
algorithms:
  a: {label: A, estimator: RhoSVC, params: {kernel: poly}, record: [staged_test_error]}
  b: {estimator: RhoSVC, params: {kernel: poly}, sweep: {params.degree: [2, 3]}, record: [path_]}
figures:
  - {id: 1, kind: sweep, caption: Errors., panels: [size], series: [a], y: error}
  - {id: 2, kind: sweep, caption: Stages., panels: [{dataset: titanic, title: T}], series: [b],
     y: path_, stages: [1, 3]}
  - {id: 3, caption: Means., panels: [titanic], series: [b-2], y: path_,
     realization: mean, first: 1}
"""


@pytest.fixture
def swept(tmp_path):
    lines = [record(f"size-{n}", r, "a", error=(n + r) / 1000) for n in (50, 100) for r in (1, 2)]
    lines += [
        record("titanic", 1, "b-2", curve=[4.0, 2.0, 1.0]),
        record("titanic", 2, "b-2", curve=[6.0, 3.0]),
    ]
    lines += [record("titanic", 1, "b-3", status="failed", reason="ouch")]
    return make_study(tmp_path / "s", SWEPT, lines)


def test_a_sweep_of_data_sets_is_drawn_against_its_values_in_percent(swept):
    (curve,), missing = read_curves(swept, swept.config.figures[0])
    assert missing == ()
    assert (curve.label, curve.x, curve.n) == ("A", (50.0, 100.0), (2, 2))
    assert curve.y == pytest.approx((5.15, 10.15))
    assert curve.std == pytest.approx((0.1 / np.sqrt(2),) * 2)


def test_printed_values_of_a_table_are_marked_along_a_sweep(tmp_path, texts_of):
    config = SWEPT.replace("series: [a], y: error}", "series: [a], y: error, table: t}")
    config += "published: p.csv\ntables:\n  - {id: t, caption: c, rows: [size], columns: [a]}\n"
    printed = "table,row,column,value,std\nt,size-100,a,9.5,\n"
    lines = [record(f"size-{n}", r, "a", error=(n + r) / 1000) for n in (50, 100) for r in (1, 2)]
    study = make_study(tmp_path / "s", config, lines, printed)
    figure = study.config.figures[0]
    ((curve,), _) = read_curves(study, figure)
    assert curve.printed == (None, 9.5)
    frame = read_figure(study, figure).frame
    assert frame[frame.what == "printed"][["x", "y"]].to_numpy().tolist() == [[100.0, 9.5]]
    assert "printed" in texts_of(study, figure)
    without = figure.model_copy(update={"table": None})
    assert "printed" not in texts_of(study, without)


def test_a_sweep_of_an_algorithm_has_a_line_for_each_stage(swept):
    curves, missing = read_curves(swept, swept.config.figures[1])
    assert [(curve.label, curve.x, curve.y) for curve in curves] == [("1 round", (2.0,), (5.0,))]
    assert missing == (
        "T, 1 round at 3: failed: ouch",
        "T, 3 rounds at 2: 1 of 2 realizations ended before",
        "T, 3 rounds at 3: failed: ouch",
    )


def test_the_mean_of_curves_ends_where_the_first_of_them_does(swept):
    (curve,), _ = read_curves(swept, swept.config.figures[2])
    assert (curve.x, curve.y, curve.n) == ((1, 2), (5.0, 2.5), (2, 2))


def test_the_legend_says_if_a_band_is_drawn(swept, texts_of):
    for figure in swept.config.figures:
        curves, _ = read_curves(swept, figure)
        banded = any(std for curve in curves for std in curve.std if std is not None)
        assert any("one standard error" in text for text in texts_of(swept, figure)) == banded


def test_several_curves_in_one_panel_are_named_by_their_texts(tmp_path):
    config = """\
study: s
realizations: 1
datasets: [german]
algorithms:
  a: {label: A, estimator: RhoSVC, record: [path_, other_]}
  b: {label: B, estimator: RhoSVC, record: [path_, other_]}
figures:
  - {id: 1, caption: One., panels: [german], series: [a], y: {path_: the path, other_: a bound}}
  - {id: 2, caption: Two., panels: [{dataset: german, y: {path_: the path}}], series: [a, b]}
"""
    first, second = (record("german", 1, name, curve=[1.0, 0.5]) for name in "ab")
    first.curves["other_"] = [2.0, 1.0]
    study = make_study(tmp_path / "s", config, [first, second])
    one, two = study.config.figures
    curves, _ = read_curves(study, one)
    assert [(curve.label, curve.y) for curve in curves] == [
        ("the path", (1.0, 0.5)),
        ("a bound", (2.0, 1.0)),
    ]
    assert [look["color"] for look in _looks(study, one, curves).values()] == [*COLOURS[:2]]
    assert [curve.label for curve in read_curves(study, two)[0]] == ["A, the path", "B, the path"]


LOOKS = """\
study: s
realizations: 1
datasets: [german, titanic, cancer]
algorithms:
  a: {label: A, estimator: RhoSVC, record: [path_, other_]}
  b: {label: B, estimator: RhoSVC, record: [path_, other_]}
figures:
  - {id: 1, caption: One., panels: [german, titanic, cancer], series: [a], y: path_}
  - {id: 2, caption: Two., panels: [german], series: [b, a], y: path_, ends: no more rounds}
  - {id: 3, caption: Three., panels: [german], series: [a, b], y: {path_: p, other_: o}}
  - {id: 4, caption: Four., panels: [german], series: [a], y: other_, cumulative: true}
"""


@pytest.fixture
def looks(tmp_path):
    records = [
        record(row, 1, name, curve=[3.0, 1.0] if name == "a" else [3.0, 2.0, 1.0])
        for row in ("german", "titanic", "cancer")
        for name in "ab"
    ]
    for each in records:
        each.curves["other_"] = [0.5, -1.0, 2.0]
    return make_study(tmp_path / "s", LOOKS, records)


def test_an_algorithm_looks_the_same_in_every_figure(looks):
    figures = looks.config.figures
    # A comes first: it is in more figures
    one, two, both = (_looks(looks, each, read_curves(looks, each)[0]) for each in figures[:3])
    assert one == {"A": look_of(0)}
    assert two == {"A": look_of(0), "B": look_of(1)}
    parts = {"A, p": (0, 0), "B, p": (1, 0), "A, o": (0, 1), "B, o": (1, 1)}
    assert both == {label: look_of(*numbers) for label, numbers in parts.items()}


def test_the_distribution_of_a_curve_counts_the_values_up_to_each(looks):
    ((curve,), _) = read_curves(looks, looks.config.figures[3])
    assert (curve.x, curve.y) == ((-1.0, 0.5, 2.0), pytest.approx((1 / 3, 2 / 3, 1.0)))


def test_a_curve_that_ends_before_another_is_marked_with_the_reason(looks, texts_of):
    texts = [texts_of(looks, figure) for figure in looks.config.figures[:2]]
    assert ["no more rounds" in " ".join(of_figure) for of_figure in texts] == [False, True]


def test_a_line_of_a_sweep_that_ends_before_another_is_marked(swept, texts_of):
    lines = [record("titanic", r, "b-3", curve=[1.0, 1.0]) for r in (1, 2)]
    lines += [record("titanic", r, "b-2", curve=[1.0, 1.0, 1.0]) for r in (1, 2)]
    study = make_study(swept.folder.parent / "ended", SWEPT, lines)
    figure = study.config.figures[1]
    shorter = figure.model_copy(update={"stages": (1, 2)})
    ended = "not all realizations reach this round"
    texts = [" ".join(texts_of(study, shown)) for shown in (figure, shorter)]
    assert [ended in of_figure for of_figure in texts] == [True, False]


def test_three_panels_take_one_row(looks):
    figure = looks.config.figures[0]
    (png,) = draw(looks, read_figure(looks, figure), [".png"])
    height, width, _ = imread(io.BytesIO(png)).shape
    assert width == pytest.approx(200 * 6.45)
    assert height < 0.5 * width


PANELS = """\
study: s
realizations: 1
datasets: [german]
algorithms:
  a: {estimator: RhoSVC, record: [path_]}
  b: {estimator: RhoSVC, record: [path_]}
  c: {estimator: RhoSVC, record: [path_]}
figures:
  - id: 1
    caption: x
    panels: [{dataset: german, title: left, series: [a, b]}, {dataset: german, series: [c]}]
    series: [a, b, c]
    y: path_
    y_scale: log
"""


def paneled(tmp_path, b_path):
    lines = [
        record("german", 1, name, curve=curve)
        for name, curve in (("a", [9.0, 5.0, 2.0]), ("b", b_path), ("c", [90.0, 70.0, 50.0, 40.0]))
    ]
    return make_study(tmp_path / "s", PANELS, lines)


def test_a_panel_shows_its_own_series_on_the_axes_of_the_others(tmp_path, monkeypatch):
    study = paneled(tmp_path, [8.0, 6.0, 5.0])
    (figure,) = study.config.figures
    content = read_figure(study, figure)
    assert [[curve.label for curve in panel] for panel in content.panels] == [["a", "b"], ["c"]]
    shown = []
    monkeypatch.setattr(
        "ensvm.report.plots.drawing.files_of", lambda drawn, endings: shown.append(drawn)
    )
    draw(study, content, [".svg"])
    left, right = shown[0].axes
    assert left.get_xlim() == right.get_xlim()
    assert left.get_ylim() == right.get_ylim()
    assert left.get_ylim()[1] >= 90.0


def test_a_series_of_a_panel_that_the_figure_does_not_have_is_refused(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text(PANELS.replace("series: [c]}", "series: [d]}"))
    with pytest.raises(UserError, match=r"a panel shows 'd', .* accepted: a, b, c"):
        read_config(path)


@pytest.mark.parametrize(("b_path", "alike"), [([9.0, 5.0, 2.001], True), ([9.0, 5.0, 3.0], False)])
def test_the_legend_says_which_lines_cannot_be_told_apart(tmp_path, texts_of, b_path, alike):
    study = paneled(tmp_path, b_path)
    (figure,) = study.config.figures
    assert ("(a) one line: a and b" in texts_of(study, figure)) == alike


def test_a_logarithmic_axis_says_so(tmp_path, texts_of):
    study = paneled(tmp_path, [8.0, 6.0, 5.0])
    (figure,) = study.config.figures
    linear = figure.model_copy(update={"y_scale": "linear"})
    said = [any("log scale" in text for text in texts_of(study, each)) for each in (figure, linear)]
    assert said == [True, False]


def test_single_realizations_have_the_error_of_their_test_rows(tmp_path, texts_of):
    lines = [record(f"size-{n}", 1, "a", error=0.1, n_test=300) for n in (50, 100)]
    lines += [record("titanic", 1, name, curve=[4.0, 2.0, 1.0]) for name in ("b-2", "b-3")]
    config = SWEPT.replace("realizations: 2", "realizations: 1")
    study = make_study(tmp_path / "s", config, lines)
    of_rates, of_curves, _ = study.config.figures
    (curve,), _ = read_curves(study, of_rates)
    assert curve.band == pytest.approx([100.0 * np.sqrt(0.1 * 0.9 / 300)] * 2, rel=0.05)
    assert "band: ± one standard error, from the test rows" in texts_of(study, of_rates)
    assert "single realizations: no spread" in texts_of(study, of_curves)


@pytest.mark.parametrize(("label", "text"), [("c", "a; b, c"), ("c d", "a and c d")])
def test_labels_with_commas_are_told_apart_in_a_list(label, text):
    assert _listed(["a", "b, c" if label == "c" else label]) == text


def test_panels_of_one_unit_begin_at_0_if_one_of_them_does(tmp_path, monkeypatch):
    config = PANELS.replace("y_scale: log", "y_scale: linear")
    config = config.replace("datasets: [german]", "datasets: [german, titanic]")
    config = config.replace("{dataset: german, series: [c]}", "{dataset: titanic, series: [c]}")
    lines = [
        record(row, 1, name, curve=curve)
        for row in ("german", "titanic")
        for name, curve in (("a", [0.3, 0.2, 0.01]), ("b", [0.3, 0.1, 0.1]), ("c", [0.3, 0.28]))
    ]
    study = make_study(tmp_path / "s", config, lines)
    shown = []
    monkeypatch.setattr(
        "ensvm.report.plots.drawing.files_of", lambda drawn, endings: shown.append(drawn)
    )
    draw(study, read_figure(study, study.config.figures[0]), [".svg"])
    assert [axes.get_ylim()[0] for axes in shown[0].axes] == [0.0, 0.0]


@pytest.mark.parametrize("steps", [15, 104, 150, 990])
@pytest.mark.parametrize("n_panels", [1, 2, 3])
def test_numbers_at_an_axis_have_room_between_them(tmp_path, monkeypatch, n_panels, steps):
    config = MANY.format(algorithms="a: {estimator: RhoSVC, record: [path_]}", series="a")
    panels = ", ".join(["{dataset: german}"] * n_panels)
    config = config.replace("panels: [german]", f"panels: [{panels}]")
    curve = list(np.linspace(1.0, 2.0, steps))
    study = make_study(tmp_path / "s", config, [record("german", 1, "a", curve=curve)])
    shown = []
    monkeypatch.setattr(
        "ensvm.report.plots.drawing.files_of", lambda drawn, endings: shown.append(drawn)
    )
    draw(study, read_figure(study, study.config.figures[0]), [".svg"])
    shown[0].draw_without_rendering()
    for axes in shown[0].axes:
        low, high = axes.get_xlim()
        labels = [one for one in axes.get_xticklabels() if low <= one.get_position()[0] <= high]
        boxes = [one.get_window_extent() for one in labels]
        letter = boxes[-1].width / len(labels[-1].get_text())
        assert len(boxes) > 1
        assert all(right.x0 - left.x1 > letter for left, right in pairwise(boxes))


@pytest.mark.parametrize("panels", ["[german]", "[{dataset: german}, {dataset: german}]"])
def test_a_long_label_of_an_axis_stays_within_the_figure(tmp_path, panels):
    long = "a label of an axis with many more words than an axis has room for"
    config = MANY.format(algorithms="a: {estimator: RhoSVC, record: [path_]}", series="a")
    config = config.replace("x_label: x, y_label: y", f"x_label: {long}, y_label: {long}")
    config = config.replace("panels: [german]", f"panels: {panels}")
    study = make_study(tmp_path / "s", config, [record("german", 1, "a", curve=[1.0, 2.0])])
    (png,) = draw(study, read_figure(study, study.config.figures[0]), [".png"])
    pixels = imread(io.BytesIO(png))[..., :3]
    assert (pixels[:, [0, 1, -2, -1]] == 1.0).all()
    assert (pixels[[0, 1, -2, -1]] == 1.0).all()


@pytest.mark.parametrize(
    ("values", "limits"),
    [
        ([0.03, 0.4, -1.0, np.inf], (0.02, 0.5)),
        ([15.0, 1400.0], (10.0, 2000.0)),
        ([1.0, 10.0], (1.0, 10.0)),
        ([3.0], (2.0, 5.0)),
        ([1.0], (0.5, 2.0)),
        ([1000.0, 1000.0], (500.0, 2000.0)),
        ([0.0], (1.0, 10.0)),
    ],
)
def test_a_logarithmic_axis_has_no_empty_decade(values, limits):
    assert log_limits(np.array(values)) == pytest.approx(limits)


def test_algorithms_of_one_figure_differ_in_colour(tmp_path):
    names = "abcdefghij"
    figures = ["abcdef", "ab", "ahij"]
    config = "study: s\nrealizations: 1\ndatasets: [german]\nalgorithms:\n"
    config += "".join(f"  {n}: {{estimator: RhoSVC, record: [path_]}}\n" for n in names)
    config += "figures:\n" + "".join(
        f"  - {{id: {n}, caption: c, panels: [german], series: [{', '.join(series)}], y: path_}}\n"
        for n, series in enumerate(figures)
    )
    numbers = look_numbers(make_study(tmp_path / "s", config, []))
    for series in figures:
        assert len({numbers[name] % len(COLOURS) for name in series}) == len(series)
    assert len(set(numbers.values())) == len(numbers)
