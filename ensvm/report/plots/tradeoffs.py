"""Algorithms by two metrics, means over data sets: the points, and their drawing."""

from collections.abc import Iterator
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from ensvm.report.plots.looks import Key, look_numbers, look_of_point
from ensvm.report.query import Question, Study, ask
from ensvm.report.tables import algorithm_label
from ensvm.study.figure_kinds import RowsPanel, TradeoffConfig, pass_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = ("series", "label", "x", "y", "n")


@dataclass(frozen=True)
class AlgorithmPoint:
    """One algorithm of a panel: means over `n` data sets of its means over realizations."""

    series: str
    label: str
    x: float
    y: float
    n: int


def read_panel(
    study: Study, figure: TradeoffConfig, panel: RowsPanel
) -> tuple[list[AlgorithmPoint], list[str]]:
    """Return the points of a panel, and a line of text for each missing value."""
    rows = figure.rows_of(panel)
    means = pd.DataFrame(index=rows)
    missing: list[str] = []
    for series in figure.series:
        for metric in (figure.x, figure.y):
            answers = [ask(study, Question(row, series, metric, pass_of(metric))) for row in rows]
            missing += [
                f"{row}, {series}: {answer.why}"
                for row, answer in zip(rows, answers, strict=True)
                if not answer.values
            ]
            means[series, metric] = [
                answer.shown().mean() if answer.values else None for answer in answers
            ]
    shared = means.dropna()
    if shared.empty:
        return [], missing
    points = [
        AlgorithmPoint(
            series,
            algorithm_label(study, series),
            float(shared[series, figure.x].mean()),
            float(shared[series, figure.y].mean()),
            len(shared),
        )
        for series in figure.series
    ]
    return points, missing


def lines_of(point: AlgorithmPoint) -> Iterator[tuple[Any, ...]]:
    """Yield the line of a point in the frame behind a figure."""
    yield astuple(point)


def draw(
    study: Study, config: TradeoffConfig, panels: list[list[AlgorithmPoint]], axes: "list[Axes]"
) -> list[Key]:
    """Draw the points, panel by panel, and return the entries of the legend."""
    from matplotlib.lines import Line2D

    numbers = look_numbers(study)
    keys: dict[str, Key] = {}
    for panel_axes, points in zip(axes, panels, strict=True):
        for point in points:
            look = look_of_point(numbers[point.label]) | {"alpha": 1.0, "markersize": 6.0}
            panel_axes.plot([point.x], [point.y], linestyle="none", **look)
            keys[point.series] = (Line2D([], [], linestyle="none", **look), point.label)
    return list(keys.values())
