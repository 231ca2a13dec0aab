"""A trade-off shows one point an algorithm: means over the data sets that all of them have."""

import pytest
from made_up_records import make_study, record

from ensvm.report.plots.drawing import draw, read_figure

CONFIG = """\
study: s
realizations: 2
datasets: [german, titanic, cancer]
algorithms:
  a: {label: A, estimator: RhoSVC}
  b: {estimator: RhoSVC}
figures:
  - {id: 1, kind: tradeoff, caption: c, rows: [german, titanic, cancer], series: [a, b], x: size,
     x_scale: log, panels: [{title: All}, {rows: titanic}]}
"""


@pytest.fixture
def shown(tmp_path):
    lines = [
        record("german", 1, "a", error=0.1, size=10),
        record("german", 2, "a", error=0.3, size=30),
        record("german", 1, "b", error=0.5, size=100),
        record("titanic", 1, "a", error=0.4, size=60),
        record("titanic", 1, "b", error=0.3, size=300),
        record("cancer", 1, "a", error=0.9, size=999),
        record("cancer", 1, "b", status="failed", reason="ouch"),
    ]
    study = make_study(tmp_path / "s", CONFIG, lines)
    return study, read_figure(study, study.config.figures[0])


def test_a_point_is_the_mean_over_data_sets_of_the_means_over_realizations(shown):
    _, content = shown
    points = [
        [(point.label, point.x, point.y, point.n) for point in panel] for panel in content.panels
    ]
    assert points == [
        [
            ("A", pytest.approx(40.0), pytest.approx(30.0), 2),
            ("b", pytest.approx(200.0), pytest.approx(40.0), 2),
        ],
        [
            ("A", pytest.approx(60.0), pytest.approx(40.0), 1),
            ("b", pytest.approx(300.0), pytest.approx(30.0), 1),
        ],
    ]
    assert content.missing == ("cancer, b: failed: ouch",)
    assert content.frame["panel"].tolist() == ["All", "All", "titanic", "titanic"]


def test_it_is_drawn_with_a_legend(shown):
    (drawn,) = draw(*shown, [".svg"])
    svg = drawn.decode()
    texts = ("A", "b", "(a) All", "kernel evaluations of a prediction", "test error (%)")
    assert all(f">{text}</text>" in svg for text in texts)
