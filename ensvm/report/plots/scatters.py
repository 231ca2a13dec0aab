"""Two algorithms against each other: a point for each data set, and the diagonal."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, product
from typing import TYPE_CHECKING, Any

import numpy as np

from ensvm.report.column_values import drawn_result, linear
from ensvm.report.plots.boxes import PRINTED
from ensvm.report.plots.log_axes import log_limits, log_ticks, without_place
from ensvm.report.plots.looks import (
    COLOURS,
    GREY,
    MARK_WIDTH,
    LegendKey,
    drawn_label,
    table_of_figure,
)
from ensvm.report.study_folder import Study
from ensvm.report.tables import printed_value, row_label
from ensvm.report.verdict import is_within
from ensvm.study.figure_kinds import ScatterConfig, ScatterPanel, axis_label
from ensvm.study.metrics import direction_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.transforms import Bbox

COLUMNS = ("row", "what", "x", "y")
ROOM = 0.06  # free space at both ends of an axis, as a share of the range of values
LETTERS = 6.5  # points
POINT: Any = {"marker": "o", "markersize": 4.0, "color": COLOURS[2], "linestyle": "none"}
HALF_POINT = 3.0  # print points around the middle of a point that labels keep free
# Where a label may stand: at these distances from its point, in print points, and in these
# directions, in sixteenths of a turn; those that are easy to read come first
DISTANCES = (4.0, 9.0, 15.0, 22.0, 30.0, 40.0, 52.0, 66.0)
DIRECTIONS = (0, 4, 12, 8, 2, 14, 6, 10, 1, 15, 7, 9, 3, 13, 5, 11)
NEAR = 9.0  # a label that is farther from its point is tied to it by a line


@dataclass(frozen=True)
class Point:
    """A data set: our means of both algorithms, and the printed values if there are both."""

    label: str
    row: str
    x: float
    y: float
    printed: tuple[float, float] | None = None


def read_panel(
    study: Study, figure: ScatterConfig, panel: ScatterPanel
) -> tuple[list[Point], list[str]]:
    """Return the points of a panel, and a line of text for each that is missing."""
    points: list[Point] = []
    missing: list[str] = []
    table = table_of_figure(study, figure)
    pair = figure.pair_of(panel)
    for row in figure.rows_of(panel):
        results = [drawn_result(study, table, row, name, figure.metric) for name in pair]
        is_drawn = all(result.values for result in results)
        missing += [
            f"{row}, {name}: {result.part_shown if is_drawn else result.why}"
            for name, result in zip(pair, results, strict=True)
            if result.is_partial or not result.values
        ]
        if not is_drawn:
            continue
        x, y = (float(linear(result).shown().mean()) for result in results)
        if not (math.isfinite(x) and math.isfinite(y)):
            missing.append(f"{row}: not all values are finite numbers")
            continue
        found = [
            table and printed_value(study, table, row, name, figure.metric, None) for name in pair
        ]
        values = [one.value for one in found if one]
        printed = (values[0], values[1]) if len(values) == len(pair) else None
        points.append(Point(row_label(study, row), row, x, y, printed))
    return points, missing


def lines_of(point: Point) -> Iterator[tuple[Any, ...]]:
    """Yield a line of the frame behind a figure for our values, and one for the printed ones.

    The column `what` has `value` or `printed`.
    """
    yield point.row, "value", point.x, point.y
    if point.printed is not None:
        yield point.row, "printed", *point.printed


def draw(
    study: Study, config: ScatterConfig, panels: list[list[Point]], axes: "list[Axes]"
) -> list[LegendKey]:
    """Draw the points, panel by panel, and return the entries of the legend."""
    from matplotlib.lines import Line2D

    keys: list[LegendKey] = [(Line2D([], [], **POINT), "ours, a point for each data set")]
    every = list(chain(*panels))
    if any(point.printed for point in every):
        keys.append((Line2D([], [], **PRINTED), "printed"))
    keys.append((Line2D([], [], color=GREY, linewidth=MARK_WIDTH, linestyle="--"), "equal"))
    table = table_of_figure(study, config)
    for panel_axes, panel, points in zip(axes, config.panels, panels, strict=True):
        names = [drawn_label(study, table, name) for name in config.pair_of(panel)]
        if points:
            _draw_panel(panel_axes, config, points)
        for axis, name, own in (
            (panel_axes.xaxis, names[0], panel.x_label or config.x_label),
            (panel_axes.yaxis, names[1], panel.y_label or config.y_label),
        ):
            axis.set_label_text(own or f"{name}: {axis_label(config.metric)}")
        title = f"{panel.name}: " if len(config.panels) > 1 and panel.name else ""
        keys.append((None, f"{title}{_counts(config, panel, points, names[1])}"))
    values = np.array([value for point in every for value in _values(point)])
    if left_out := without_place(config.x_scale, values, "x"):
        keys.append((None, left_out))
    if every:
        axes[0].figure.draw_without_rendering()  # type: ignore[union-attr]
    for panel_axes, points in zip(axes, panels, strict=True):
        _label(panel_axes, points)
    return keys


def _counts(config: ScatterConfig, panel: ScatterPanel, points: Sequence[Point], name: str) -> str:
    """Return on how many data sets the algorithm of the vertical axis is better, worse, equal."""
    n, of = len(points), len(config.rows_of(panel))
    equal = sum(is_within(point.x - point.y, 0.0) for point in points)
    below = sum(point.y < point.x for point in points if not is_within(point.x - point.y, 0.0))
    words = ("better", "worse") if direction_of(config.metric) == "min" else ("lower", "higher")
    if direction_of(config.metric) == "max":
        words = ("worse", "better")
    counts = f"{words[0]} on {below}, {words[1]} on {n - below - equal}, equal on {equal}"
    return f"{n} of {of} data sets\n{name}: {counts}"


def _values(point: Point) -> tuple[float, ...]:
    return (point.x, point.y, *(point.printed or ()))


def _draw_panel(axes: "Axes", config: ScatterConfig, points: Sequence[Point]) -> None:
    """Draw the points of a panel, with both axes from and to the same values, and the diagonal."""
    values = np.array([value for point in points for value in _values(point)])
    if config.x_scale == "log":
        low, high = log_limits(values, with_room=True)
        for axis in (axes.xaxis, axes.yaxis):
            log_ticks(axis, low, high)
    else:
        room = ROOM * float(np.ptp(values)) or 1.0
        low, high = float(values.min()) - room, float(values.max()) + room
    axes.set_xlim(low, high)
    axes.set_ylim(low, high)
    axes.set_aspect("equal")
    axes.plot([low, high], [low, high], color=GREY, linewidth=MARK_WIDTH, linestyle="--")
    for point in points:
        if point.printed is not None:
            across, up = zip((point.x, point.y), point.printed, strict=True)
            axes.plot(across, up, color=GREY, linewidth=MARK_WIDTH, zorder=2)
            axes.plot(across[1:], up[1:], **PRINTED, zorder=3)
    axes.plot([point.x for point in points], [point.y for point in points], **POINT, zorder=4)


def _label(axes: "Axes", points: Sequence[Point]) -> None:
    """Write the name of each data set beside its point, where it covers no other name or point."""
    from matplotlib.transforms import Bbox

    scale = axes.get_figure(root=True).dpi / 72.0  # type: ignore[union-attr]
    half = HALF_POINT * scale
    places = [
        axes.transData.transform(place)
        for point in points
        for place in ((point.x, point.y), point.printed)
        if place is not None
    ]
    taken = [Bbox.from_extents(x - half, y - half, x + half, y + half) for x, y in places]
    for point in points:
        text = axes.text(0, 0, point.label, fontsize=LETTERS, transform=axes.transAxes)
        size = text.get_window_extent()
        text.remove()
        middle = axes.transData.transform((point.x, point.y))
        distance, x, y, box = _place(middle, size.width, size.height, scale, taken, axes.bbox)
        taken.append(box)
        arrow: Any = {"arrowstyle": "-", "color": GREY, "linewidth": 0.4, "shrinkB": 2.0}
        axes.annotate(
            point.label,
            (point.x, point.y),
            xytext=(x, y),
            textcoords="offset points",
            fontsize=LETTERS,
            ha="center",
            va="center",
            arrowprops={**arrow, "shrinkA": 0.0} if distance > NEAR else None,
        )


def _place(
    middle: Any,
    width: float,
    height: float,
    scale: float,
    taken: "Sequence[Bbox]",
    within: "Bbox",
) -> "tuple[float, float, float, Bbox]":
    """Return how far a label is from its point, where its middle stands from it, and its box.

    It is the nearest place of the candidates that covers nothing, or else the one that covers
    least. Leaving the panel counts as covering.
    """
    from matplotlib.transforms import Bbox

    best: tuple[float, float, float, float, Bbox] | None = None
    for distance, part_of_turn in product(DISTANCES, DIRECTIONS):
        across, up = (part(part_of_turn * math.pi / 8) for part in (math.cos, math.sin))
        x = across * (distance * scale + width / 2)
        y = up * (distance * scale + height / 2)
        left, bottom = middle[0] + x - width / 2, middle[1] + y - height / 2
        box = Bbox.from_bounds(left, bottom, width, height)
        area = width * height
        inside = Bbox.intersection(box, within)
        covered = area - (inside.width * inside.height if inside else 0.0)
        for other in taken:
            common = Bbox.intersection(box, other)
            covered += common.width * common.height if common else 0.0
        if best is None or covered < best[0] - 1e-6:
            best = covered, distance, x / scale, y / scale, box
        if covered < 1e-6:
            break
    assert best is not None
    return best[1:]
