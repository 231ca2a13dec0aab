"""A scatter shows the means of the realizations that both algorithms have, and says what lacks."""

import numpy as np
import pytest
from made_up_records import errors, make_study, record

from ensvm.report.plots.drawing import draw, read_figure
from ensvm.report.plots.points import LABEL_SIZE, RADIUS, Point, label_offsets

CONFIG = """\
study: s
realizations: 3
datasets: [german, titanic, cancer]
algorithms:
  a: {label: A, estimator: RhoSVC}
  b: {estimator: RhoSVC}
figures:
  - {id: 1, kind: scatter, caption: A and b., rows: [german, titanic, cancer],
     panels: [{x: a, y: b}, {x: b, y: a, title: Turned, x_label: of b}]}
"""


@pytest.fixture
def study(tmp_path):
    lines = [
        *errors("german", "a", [0.1, 0.2, 0.6]),
        *errors("german", "b", [0.3, 0.5]),
        *errors("titanic", "a", [0.25]),
        *errors("titanic", "b", [0.125]),
        *errors("cancer", "a", [0.25]),
        record("cancer", 1, "b", status="failed", reason="ouch"),
    ]
    return make_study(tmp_path / "s", CONFIG, lines)


def test_a_point_is_the_mean_over_the_realizations_of_both_in_percent(study):
    shown = read_figure(study, study.config.figures[0])
    (german, titanic), (turned, _) = shown.panels
    assert (german.row, german.n, german.x, german.y) == ("german", 2, 15.0, 40.0)
    assert (german.x_std, german.y_std) == pytest.approx((np.sqrt(50.0), np.sqrt(200.0)))
    assert (titanic.x, titanic.y, titanic.x_std, titanic.n) == (25.0, 12.5, None, 1)
    assert (turned.x, turned.y) == (german.y, german.x)
    line = shown.frame[["panel", "row", "x", "y", "n"]].iloc[0]
    assert line.tolist() == ["b against a", "german", 15.0, 40.0, 2]
    assert shown.names == ("german", "titanic")
    assert shown.missing == ("b against a, cancer: failed: ouch", "Turned, cancer: failed: ouch")


def test_it_is_drawn(study):
    (figure,) = study.config.figures
    (drawn,) = draw(study, read_figure(study, figure), [".svg"])
    svg = drawn.decode()
    assert all(f">{text}</text>" in svg for text in ("german", "titanic", "of b", "(b) Turned"))


def test_labels_of_points_close_together_hide_neither_points_nor_each_other():
    rows = ["german", "titanic", "cancer", "diabetis", "waveform"]
    points = [Point(row, 20.0 + n, 20.0 - n / 3, None, None, 1) for n, row in enumerate(rows)]
    points.append(Point("far", 60.0, 60.0, None, None, 1))
    side = 165.0
    widths = [4.0 * len(point.row) for point in points]
    offsets = label_offsets(points, (10.0, 70.0), side, widths)
    scale = side / 60.0
    at = [((point.x - 10.0) * scale, (point.y - 10.0) * scale) for point in points]
    starts = [(x + dx, y + dy) for (x, y), (dx, dy) in zip(at, offsets, strict=True)]
    for n, (x, y) in enumerate(starts):
        for m, (other_x, other_y) in enumerate(starts[:n]):
            apart = x - other_x if x > other_x else other_x - x
            width = widths[m if x > other_x else n]
            assert apart >= width or abs(y - other_y) >= LABEL_SIZE
        away = (
            np.hypot(max(x - px, px - x - widths[n], 0.0), max(abs(y - py) - LABEL_SIZE / 2, 0.0))
            for px, py in at
        )
        assert min(away) >= RADIUS
