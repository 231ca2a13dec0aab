"""One algorithm's values against another's over data sets: the points, and their drawing."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ensvm.report.plots.looks import Key
from ensvm.report.query import Question, Study, ask, paired_values
from ensvm.study.figure_kinds import ScatterConfig, ScatterPanel, pass_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = ("row", "x", "y", "x_std", "y_std", "n")
POINT, LINE = "#0072B2", "#888888"
BARS = "bars: ± one standard error"
ROOM = 0.08  # beyond the outermost points, as a share of their range
# Lengths are in print points.
LABEL_SIZE = 6.5
DISTANCES = (5.0, 9.0, 14.0, 20.0, 27.0, 35.0)  # of a label from its point, each of them tried
DIRECTIONS = 24  # in which each distance is tried
ROUNDS = 4  # how often each label is placed anew, given where the others are
RADIUS = 3.0  # of a point
NEARER = 3.0  # by how much a label should be nearer to its own point than to another
# What it costs a label, in points of distance from its point, to hide a point or a label, to be as
# near to another point, to cross a bar, and to cross the diagonal.
HIDES, NEAR, CROSSES, DIAGONAL = 100.0, 30.0, 15.0, 6.0
ON_LINE = 12  # how many places on the line from a point to its label are checked for crossings

Place: TypeAlias = tuple[float, float]


@dataclass(frozen=True)
class Point:
    """One data set of a panel: means over the `n` realizations that both algorithms have.

    The standard deviations are None if n = 1.
    """

    row: str
    x: float
    y: float
    x_std: float | None
    y_std: float | None
    n: int


def read_panel(
    study: Study, figure: ScatterConfig, panel: ScatterPanel
) -> tuple[list[Point], list[str]]:
    """Return the points of a panel, and a line of text for each that is missing."""
    points: list[Point] = []
    missing: list[str] = []
    for row in figure.rows:
        answers = [
            ask(study, Question(row, name, figure.metric, pass_of(figure.metric)))
            for name in (panel.x, panel.y)
        ]
        x, y = answers[0].unit.scale * paired_values(*answers).T
        if not x.size:
            why = next((answer.why for answer in answers if not answer.values), "")
            missing.append(f"{panel.name}, {row}: {why or 'no realization of both'}")
            continue
        x_std, y_std = (float(of.std(ddof=1)) if of.size > 1 else None for of in (x, y))
        points.append(Point(row, float(x.mean()), float(y.mean()), x_std, y_std, x.size))
    return points, missing


def lines_of(point: Point) -> Iterator[tuple[Any, ...]]:
    """Yield the line of a point in the frame behind a figure."""
    yield astuple(point)


def draw(
    study: Study, config: ScatterConfig, panels: list[list[Point]], axes: "list[Axes]"
) -> list[Key]:
    """Draw the points, panel by panel, and return the entries of the legend."""
    from matplotlib.lines import Line2D

    drawn = [each for each in zip(axes, panels, strict=True) if each[1]]
    for panel_axes, points in drawn:
        _draw_panel(panel_axes, points)
    # Labels are placed by the size of the panels, which is known after the layout only.
    axes[0].figure.draw_without_rendering()  # type: ignore[union-attr]
    for panel_axes, points in drawn:
        _label(panel_axes, points)
    if not any(point.x_std or point.y_std for _, points in drawn for point in points):
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
        x_error, y_error = _bars(point)
        axes.errorbar(
            point.x,
            point.y,
            xerr=x_error,
            yerr=y_error,
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
    from matplotlib.textpath import TextPath

    side = 72.0 * axes.get_window_extent().width / axes.figure.dpi
    sizes = [TextPath((0.0, 0.0), point.row, size=LABEL_SIZE).get_extents() for point in points]
    offsets = label_offsets(points, axes.get_xlim(), side, [size.width for size in sizes])
    for point, offset in zip(points, offsets, strict=True):
        axes.annotate(
            point.row,
            (point.x, point.y),
            xytext=offset,
            textcoords="offset points",
            va="center",
            fontsize=LABEL_SIZE,
            arrowprops={"arrowstyle": "-", "color": LINE, "linewidth": 0.5, "shrinkB": 3},
        )


def label_offsets(
    points: list[Point], limits: tuple[float, float], side: float, widths: Sequence[float]
) -> list[Place]:
    """Return where each point's label begins, in print points from it, so that none hides another.

    `side` is the width of the panel, and `widths` those of the labels, in print points. Each label
    in turn takes the place around its point that is cheapest, given where the others are.
    """
    scale = side / (limits[1] - limits[0])
    at = scale * (np.array([(point.x, point.y) for point in points]) - limits[0])
    errors = scale * np.array([_bars(point) for point in points])
    thin = np.full(len(at), 0.5)
    halves = np.vstack(
        [np.column_stack([errors[:, 0], thin]), np.column_stack([thin, errors[:, 1]])]
    )
    bars = np.hstack([np.tile(at, (2, 1)) - halves, np.tile(at, (2, 1)) + halves])
    places = np.array([_places(own, width) for own, width in zip(at, widths, strict=True)])
    costs = np.array([_costs(places[number], number, at, bars, side) for number in range(len(at))])
    pairs = _hidden_pairs(places, at)
    # Start with the cheapest place of each label, then move one label at a time.
    chosen = np.argmin(costs, axis=1)
    for number in [*range(len(at))] * ROUNDS:
        others = [other for other in range(len(at)) if other != number]
        hidden = pairs[number][:, others, chosen[others]].sum(axis=1)
        chosen[number] = np.argmin(costs[number] + HIDES * hidden)
    boxes = places[np.arange(len(at)), chosen]
    return [
        (left - x, (bottom + top) / 2.0 - y)
        for (left, bottom, _, top), (x, y) in zip(boxes.tolist(), at.tolist(), strict=True)
    ]


def _places(point: NDArray[np.float64], width: float) -> NDArray[np.float64]:
    """Return the boxes around a point where its label may stand, the nearest first."""
    angles = 2.0 * math.pi * np.arange(DIRECTIONS) / DIRECTIONS
    directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    half = np.array([width, LABEL_SIZE]) / 2.0
    distances = np.array(DISTANCES)[:, None, None]
    centres = (point + directions * (distances + half)).reshape(-1, 2)
    return np.hstack([centres - half, centres + half])


def _costs(
    boxes: NDArray[np.float64],
    number: int,
    at: NDArray[np.float64],
    bars: NDArray[np.float64],
    side: float,
) -> NDArray[np.float64]:
    """Return the cost of each place of a label without regard to other labels, in print points."""
    low, high = boxes[:, None, :2], boxes[:, None, 2:]
    nearest = np.clip(at, low, high)  # of each box, to each point
    distances = np.linalg.norm(nearest - at, axis=-1)
    others = np.arange(len(at)) != number
    distance = distances[:, number]
    outside = (boxes.min(axis=1) < 0.0) | (boxes.max(axis=1) > side)
    hidden = (distances < RADIUS).sum(axis=1) + others.sum() * outside
    nearer = np.maximum(distance[:, None] + NEARER - distances[:, others], 0.0)
    near = nearer.sum(axis=1) / NEARER
    # The line from the point to its label must not pass other points.
    lines = np.linspace(at[number], nearest[:, number], ON_LINE)
    to_others = np.linalg.norm(lines[:, :, None] - at[others], axis=-1)
    near += (to_others < RADIUS).any(axis=0).sum(axis=1)
    crossed = ((low < bars[:, 2:]) & (bars[:, :2] < high)).all(axis=-1).sum(axis=1)
    on_diagonal = (boxes[:, 1] < boxes[:, 2]) & (boxes[:, 3] > boxes[:, 0])
    return distance + HIDES * hidden + NEAR * near + CROSSES * crossed + DIAGONAL * on_diagonal


def _hidden_pairs(places: NDArray[np.float64], at: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return whether two labels, each at one of its places, hide each other or their lines.

    `places` has the boxes by point and place; the result has an axis for each of point, place,
    other point, other place.
    """
    low, high = places[..., :2], places[..., 2:]
    ends = np.clip(at[:, None], low, high)
    shares = np.linspace(0.0, 1.0, ON_LINE)[:, None, None, None]
    lines = at[:, None] + shares * (ends - at[:, None])  # points of each line
    overlaps = (low[:, :, None, None] < high) & (low < high[:, :, None, None])
    pairs = np.asarray(overlaps.all(axis=-1))
    for line in lines:
        on_line = (line >= low[:, :, None, None]) & (line <= high[:, :, None, None])
        hidden = np.asarray(on_line.all(axis=-1))
        pairs |= hidden | hidden.transpose(2, 3, 0, 1)
    return pairs


def _bars(point: Point) -> tuple[float, float]:
    """Return one standard error of x and of y; 0 for a single realization."""
    x, y = (0.0 if std is None else std / math.sqrt(point.n) for std in (point.x_std, point.y_std))
    return x, y
