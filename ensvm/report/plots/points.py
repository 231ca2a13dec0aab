"""One algorithm's values against another's over data sets: the points, and their drawing."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ensvm.report.plots.looks import Key
from ensvm.report.query import Question, Study, ask
from ensvm.study.figure_kinds import ScatterConfig, ScatterPanel, pass_of
from ensvm.study.metrics import unit_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = ("row", "x", "y", "x_std", "y_std", "n")
POINT, LINE = "#0072B2", "#888888"
BARS = "bars: ± one standard error"
ROOM = 0.08  # beyond the outermost points, as a share of their range
# In print points: the size of labels, how far from its point a label is tried, half the width of a
# point, and by how much a label is nearer to its own point than to another. Then in how many
# directions it is tried, and how often all labels are placed, each beside the others.
LABEL_SIZE = 6.5
DISTANCES = (5.0, 9.0, 14.0, 20.0, 27.0, 35.0)
RADIUS, NEARER = 3.0, 3.0
DIRECTIONS, ROUNDS = 24, 4
# Print points of distance that a label takes rather than hide a point or a label, be as near to
# another point, cross a bar, or cross the diagonal.
HIDES, NEAR, CROSSES, DIAGONAL = 100.0, 30.0, 15.0, 6.0

ON_LINE = 12  # points on the line from a point to its label that are tried for crossings

Place: TypeAlias = tuple[float, float]
Box: TypeAlias = tuple[float, float, float, float]


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
    scale = unit_of(figure.metric).scale
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
        x, y = (scale * np.array([answer.values[at] for at in shared], float) for answer in answers)
        x_std, y_std = (float(of.std(ddof=1)) if of.size > 1 else None for of in (x, y))
        points.append(Point(row, float(x.mean()), float(y.mean()), x_std, y_std, len(shared)))
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

    `side` is the width of the panel, and `widths` those of the labels, in print points. Of places
    around a point the cheapest is taken, see `_cost`.
    """
    scale = side / (limits[1] - limits[0])
    at = [((point.x - limits[0]) * scale, (point.y - limits[0]) * scale) for point in points]
    bars: list[Box] = []
    for point, (x, y) in zip(points, at, strict=True):
        across, up = (scale * bar for bar in _bars(point))
        bars += [(x - across, y - 0.5, x + across, y + 0.5), (x - 0.5, y - up, x + 0.5, y + up)]
    places = np.array([_places(own, width) for own, width in zip(at, widths, strict=True)])
    costs = np.array(
        [
            [_cost(box, own, [other for other in at if other != own], bars, side) for box in boxes]
            for own, boxes in zip(at, places.tolist(), strict=True)
        ]
    )
    chosen = _best_together(costs, _hidden_pairs(places, np.array(at)))
    boxes = places[np.arange(len(points)), chosen]
    return [
        (box[0] - x, (box[1] + box[3]) / 2.0 - y)
        for box, (x, y) in zip(boxes.tolist(), at, strict=True)
    ]


def _places(point: Place, width: float) -> list[Box]:
    """Return the boxes around a point where its label may stand, the nearest first."""
    boxes = []
    for distance in DISTANCES:
        for angle in 2.0 * math.pi * np.arange(DIRECTIONS) / DIRECTIONS:
            x = point[0] + math.cos(angle) * (distance + width / 2.0)
            y = point[1] + math.sin(angle) * (distance + LABEL_SIZE / 2.0)
            across, up = width / 2.0, LABEL_SIZE / 2.0
            boxes.append((x - across, y - up, x + across, y + up))
    return boxes


def _cost(box: Box, own: Place, others: list[Place], bars: list[Box], side: float) -> float:
    """Return what speaks against a place, whatever the other labels, in points of distance."""
    distance = _distance(box, own)
    hidden = sum(_distance(box, point) < RADIUS for point in (own, *others))
    hidden += len(others) * (min(box) < 0.0 or max(box) > side)
    nearer = (distance + NEARER - _distance(box, other) for other in others)
    near = sum(max(by, 0.0) / NEARER for by in nearer)
    end = min(max(own[0], box[0]), box[2]), min(max(own[1], box[1]), box[3])
    line = np.linspace(own, end, ON_LINE).tolist()
    near += sum(any(math.dist(at, other) < RADIUS for at in line) for other in others)
    crossed = sum(_overlap(box, bar) for bar in bars)
    on_diagonal = box[1] < box[2] and box[3] > box[0]
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


def _best_together(costs: NDArray[np.float64], pairs: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the place of each label: the cheapest found, beginning once with each of them."""
    n = len(costs)
    best, least = np.argmin(costs, axis=1), math.inf
    for start in range(n):
        chosen = np.argmin(costs, axis=1)
        for number in [*range(start, n), *range(start)] * ROUNDS:
            others = [other for other in range(n) if other != number]
            hidden = pairs[number][:, others, chosen[others]].sum(axis=1)
            chosen[number] = np.argmin(costs[number] + HIDES * hidden)
        every = np.arange(n)
        hidden = pairs[every, chosen][:, every, chosen].sum() - n
        total = costs[every, chosen].sum() + HIDES * hidden
        if total < least:
            best, least = chosen, total
    return best


def _bars(point: Point) -> tuple[float, float]:
    """Return one standard error of x and of y; 0 for a single realization."""
    x, y = (0.0 if std is None else std / math.sqrt(point.n) for std in (point.x_std, point.y_std))
    return x, y


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _distance(box: Box, point: Place) -> float:
    """Return the distance from a point to the nearest point of a box."""
    across = max(box[0] - point[0], 0.0, point[0] - box[2])
    up = max(box[1] - point[1], 0.0, point[1] - box[3])
    return math.hypot(across, up)
