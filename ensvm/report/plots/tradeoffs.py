"""Algorithms by two metrics, means over data sets: the points, and their drawing."""

from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING

import pandas as pd

from ensvm.report.plots.boxes import look_of_point
from ensvm.report.plots.looks import Key, look_numbers
from ensvm.report.query import Question, Study, ask
from ensvm.report.tables import algorithm_label
from ensvm.study.figure_kinds import TradeoffConfig, pass_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class AlgorithmPoint:
    """One algorithm of a panel: means over `n` data sets of its means over realizations.

    `panel` is the panel's number from 0, `look` the number of the algorithm's colour and marker.
    """

    panel: int
    series: str
    label: str
    x: float
    y: float
    n: int
    look: int


def read(study: Study, figure: TradeoffConfig) -> tuple[list[AlgorithmPoint], tuple[str, ...]]:
    """Return the figure's points, panel by panel, and a line of text for each missing value."""
    points: list[AlgorithmPoint] = []
    missing: list[str] = []
    numbers = look_numbers(study)
    for number, panel in enumerate(figure.panels):
        rows = figure.rows_of(panel)
        means = pd.DataFrame(index=rows)
        for series in figure.series:
            for metric in (figure.x, figure.y):
                answers = [
                    ask(study, Question(row, series, metric, pass_of(metric))) for row in rows
                ]
                missing += [
                    f"{row}, {series}: {answer.why}"
                    for row, answer in zip(rows, answers, strict=True)
                    if not answer.values
                ]
                means[series, metric] = [
                    answer.shown().mean() if answer.values else None for answer in answers
                ]
        shared = means.dropna()
        labels = {series: algorithm_label(study, series) for series in figure.series}
        points += [
            AlgorithmPoint(
                number,
                series,
                labels[series],
                float(shared[series, figure.x].mean()),
                float(shared[series, figure.y].mean()),
                len(shared),
                numbers[labels[series]],
            )
            for series in figure.series
            if len(shared)
        ]
    return points, tuple(dict.fromkeys(missing))


def frame_of(figure: TradeoffConfig, points: list[AlgorithmPoint]) -> pd.DataFrame:
    """Return the data behind a figure, a line for each point."""
    lines = [
        (figure.id, figure.panels[point.panel].name, *astuple(point)[1:-1]) for point in points
    ]
    columns = ["figure", "panel", "series", "label", "x", "y", "n"]
    return pd.DataFrame(lines, columns=columns)


def draw(config: TradeoffConfig, points: list[AlgorithmPoint], axes: "list[Axes]") -> list[Key]:
    """Draw the points, panel by panel, and return the entries of the legend."""
    from matplotlib.lines import Line2D

    keys: dict[str, Key] = {}
    for point in points:
        look = look_of_point(point.look) | {"alpha": 1.0, "markersize": 6.0}
        axes[point.panel].plot([point.x], [point.y], linestyle="none", **look)
        keys[point.series] = (Line2D([], [], linestyle="none", **look), point.label)
    return list(keys.values())
