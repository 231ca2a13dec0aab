"""One algorithm's values against another's over data sets: the points, and their drawing."""

import math
from dataclasses import astuple, dataclass
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pandas as pd

from ensvm.report.plots.looks import Key
from ensvm.report.query import Question, Study, ask
from ensvm.study.figure_kinds import ScatterConfig, pass_of
from ensvm.study.metrics import unit_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINT, LINE = "#0072B2", "#888888"
BARS = "bars: ± one standard error"
ROOM = 0.08  # beyond the outermost points, as a share of their range
# In print points: the size of labels, about the width of a letter, and how far above or below its
# point a label is tried.
LABEL_SIZE, LETTER = 6.5, 3.6
HEIGHTS = (0.0, -7.0, 7.0, -14.0, 14.0, -21.0, 21.0)

Box: TypeAlias = tuple[float, float, float, float]


@dataclass(frozen=True)
class Point:
    """One data set of a panel: means over the `n` realizations that both algorithms have.

    `panel` is the panel's number from 0; the standard deviations are None if n = 1.
    """

    panel: int
    row: str
    x: float
    y: float
    x_std: float | None
    y_std: float | None
    n: int


def read(study: Study, figure: ScatterConfig) -> tuple[list[Point], tuple[str, ...]]:
    """Return the figure's points, panel by panel, and a line of text for each that is missing."""
    points: list[Point] = []
    missing: list[str] = []
    scale = unit_of(figure.metric).scale
    for number, panel in enumerate(figure.panels):
        for row in figure.rows:
            answers = [
                ask(study, Question(row, name, figure.metric, pass_of(figure.metric)))
                for name in (panel.x, panel.y)
            ]
            shared = sorted(set(answers[0].values) & set(answers[1].values))
            if not shared:
                why = next((answer.why for answer in answers if not answer.values), "")
                missing.append(f"{panel.name}, {row}: {why or 'no realization of both'}")
                continue
            x, y = (
                scale * np.array([answer.values[at] for at in shared], float) for answer in answers
            )
            x_std, y_std = (float(of.std(ddof=1)) if of.size > 1 else None for of in (x, y))
            head = (number, row, float(x.mean()), float(y.mean()))
            points.append(Point(*head, x_std, y_std, len(shared)))
    return points, tuple(missing)


def frame_of(figure: ScatterConfig, points: list[Point]) -> pd.DataFrame:
    """Return the data behind a figure, a line for each point."""
    lines = [(figure.id, figure.panels[point.panel].name, *astuple(point)[1:]) for point in points]
    columns = ["figure", "panel", "row", "x", "y", "x_std", "y_std", "n"]
    return pd.DataFrame(lines, columns=columns)


def draw(config: ScatterConfig, points: list[Point], axes: "list[Axes]") -> list[Key]:
    """Draw the points, panel by panel, and return the entries of the legend."""
    from matplotlib.lines import Line2D

    panels = [
        (axes[number], list(of_panel))
        for number, of_panel in groupby(points, key=lambda point: point.panel)
    ]
    for panel_axes, of_panel in panels:
        _draw_panel(panel_axes, of_panel)
    # Labels are placed by the size of the panels, which is known after the layout only.
    axes[0].figure.draw_without_rendering()  # type: ignore[union-attr]
    for panel_axes, of_panel in panels:
        _label(panel_axes, of_panel)
    if not any(point.x_std or point.y_std for point in points):
        return []
    bar = Line2D([], [], color=POINT, marker="o", markersize=4, linewidth=0.8)
    return [(bar, BARS)]


def _draw_panel(axes: "Axes", points: list[Point]) -> None:
    """Draw a panel's points with bars of one standard error, and the line x = y."""
    ends = np.array([[point.x, point.y] for point in points])
    low, high = float(ends.min()), float(ends.max())
    room = ROOM * (high - low or 1.0)
    limits = (low - room, high + room)
    axes.plot(limits, limits, color=LINE, linewidth=0.8, linestyle="--")
    for point in points:
        bars = _bars(point)
        axes.errorbar(
            point.x,
            point.y,
            xerr=bars[0],
            yerr=bars[1],
            color=POINT,
            marker="o",
            markersize=4,
            elinewidth=0.8,
        )
    axes.set_xlim(limits)
    axes.set_ylim(limits)
    axes.set_aspect("equal")


def _label(axes: "Axes", points: list[Point]) -> None:
    """Write the name of its row beside each point, with a line from one to the other."""
    side = 72.0 * axes.get_window_extent().width / axes.figure.dpi
    offsets = label_offsets(points, axes.get_xlim(), side)
    for point, offset in zip(points, offsets, strict=True):
        axes.annotate(
            point.row,
            (point.x, point.y),
            xytext=offset,
            textcoords="offset points",
            va="center",
            fontsize=LABEL_SIZE,
            arrowprops={"arrowstyle": "-", "color": LINE, "linewidth": 0.5, "shrinkB": 2},
        )


def label_offsets(
    points: list[Point], limits: tuple[float, float], side: float
) -> list[tuple[float, float]]:
    """Return where each point's label begins, in print points from it, so that none hides another.

    `side` is the width of the panel in print points. Of some places around a point, the first is
    taken that overlaps the fewest of the points, their bars and the labels before, and is nearer to
    its own point than to any other.
    """
    scale = side / (limits[1] - limits[0])
    at = [((point.x - limits[0]) * scale, (point.y - limits[0]) * scale) for point in points]
    taken: list[Box] = []
    for point, (x, y) in zip(points, at, strict=True):
        across, up = (scale * bar for bar in _bars(point))
        taken += [
            (x - 3.0, y - 3.0, x + 3.0, y + 3.0),
            (x - across, y - 0.5, x + across, y + 0.5),
            (x - 0.5, y - up, x + 0.5, y + up),
        ]
    offsets = []
    for point, (x, y) in zip(points, at, strict=True):
        width = LETTER * len(point.row)
        right, left = 5.0, -width - 5.0
        # Below the diagonal there is room to the right of a point, above it to the left.
        sides = (right, left) if point.y <= point.x else (left, right)
        candidates = [(sides[0], 0.0), (-width / 2.0, 9.0), (-width / 2.0, -9.0)]
        candidates += [(side, height) for height in HEIGHTS for side in sides]
        boxes = [(x + dx, y + dy - 4.0, x + dx + width, y + dy + 4.0) for dx, dy in candidates]
        others = [other for other in at if other != (x, y)]
        chosen = min(
            range(len(boxes)), key=lambda number: _cost(boxes[number], (x, y), others, taken, side)
        )
        taken.append(boxes[chosen])
        offsets.append(candidates[chosen])
    return offsets


def _bars(point: Point) -> tuple[float, float]:
    """Return one standard error of x and of y; 0 for a single realization."""
    x, y = (0.0 if std is None else std / math.sqrt(point.n) for std in (point.x_std, point.y_std))
    return x, y


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _cost(
    box: Box,
    own: tuple[float, float],
    others: list[tuple[float, float]],
    taken: list[Box],
    side: float,
) -> int:
    """Return how much speaks against a place for a label: overlaps, and points that are nearer."""
    outside = min(box) < 0.0 or max(box) > side
    nearest = _distance(box, own)
    nearer = sum(_distance(box, other) < nearest for other in others)
    return 10 * outside + 3 * sum(_overlap(box, other) for other in taken) + 2 * nearer


def _distance(box: Box, point: tuple[float, float]) -> float:
    """Return the distance from a point to the nearest point of a box."""
    across = max(box[0] - point[0], 0.0, point[0] - box[2])
    up = max(box[1] - point[1], 0.0, point[1] - box[3])
    return math.hypot(across, up)
