"""Rows in the plane and the lines where classifiers decide: what was recorded, and its drawing."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ensvm.report.plots.looks import GREY, LegendKey, look_of
from ensvm.report.query import Query, ask
from ensvm.report.study_folder import Study
from ensvm.report.tables import algorithm_label
from ensvm.study.figure_kinds import MAP, PlaneConfig, PlanePanel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = ("series", "what", "x", "y", "value", "weight", "marked")
SIDES = ("#D55E00", "#0072B2")  # of the rows of class -1 and +1, and of the parts of the plane
MARKERS = ("_", "+")
SHADE = 0.10  # how strongly the two parts of the plane are coloured
AREA = 45.0  # of the mark of a row of average weight, in points squared
RING = 90.0
FINER = 8  # points for each point of the grid, so that steps have right angles


@dataclass(frozen=True)
class DrawnPlane:
    """A classifier on a panel: the training rows with labels and weights, and a map of decisions.

    `points` has shape (m, 2) and `signs` the labels -1 and +1. `grid` has the values on both axes,
    and `values`, of shape (g, g), the decision value at each point of the grid, with a row for each
    value of the vertical axis. The rows numbered in `marks` are ringed, and marks are sized by
    `sizes`, if any.
    """

    series: str
    label: str
    points: NDArray[np.float64]
    signs: NDArray[np.float64]
    grid: NDArray[np.float64]
    values: NDArray[np.float64]
    marks: NDArray[np.int64]
    sizes: NDArray[np.float64] | None = None


def read_panel(
    study: Study, figure: PlaneConfig, panel: PlanePanel
) -> tuple[list[DrawnPlane], list[str]]:
    """Return the classifiers of a panel, and a line of text for each that is missing."""
    planes: list[DrawnPlane] = []
    missing: list[str] = []
    for series in panel.series:
        curves, why = _recorded(study, figure, panel, series)
        if why:
            missing.append(f"{panel.name}, {series}: {why}")
            continue
        points, signs, grid, values = (np.array(curves[name], float) for name in MAP)
        marks = np.array(curves[panel.marks] if panel.marks else [], dtype=np.int64)
        sizes = np.array(curves[panel.sizes], float) if panel.sizes else None
        label = algorithm_label(study, series)
        planes.append(DrawnPlane(series, label, points, signs, grid, values, marks, sizes))
    return planes, missing


def _recorded(
    study: Study, figure: PlaneConfig, panel: PlanePanel, series: str
) -> tuple[dict[str, Any], str]:
    """Return the recorded lists of a classifier in a panel, or why one is missing."""
    recorded: dict[str, Any] = {}
    for name in (*MAP, panel.marks, panel.sizes):
        if name is None:
            continue
        result = ask(study, Query(panel.dataset, series, name, stage="all"))
        if figure.realization not in result.values:
            not_run = f"not run yet (realization {figure.realization})"
            return {}, not_run if result.values else result.why
        recorded[name] = result.values[figure.realization]
    return recorded, ""


def lines_of(plane: DrawnPlane) -> Iterator[tuple[Any, ...]]:
    """Yield a line of the frame behind a figure for each row and each point of the grid.

    The column `value` has a row's label or the decision value, `weight` a row's, and `marked`
    whether the row is ringed.
    """
    for number, (x, y) in enumerate(plane.points.tolist()):
        weight = None if plane.sizes is None else float(plane.sizes[number])
        marked = number in plane.marks
        yield plane.label, "row", x, y, int(plane.signs[number]), weight, marked
    for y, line in zip(plane.grid[1].tolist(), plane.values.tolist(), strict=True):
        for x, value in zip(plane.grid[0].tolist(), line, strict=True):
            yield plane.label, "decision", x, y, value, None, None


def draw(
    study: Study, config: PlaneConfig, panels: list[list[DrawnPlane]], axes: "list[Axes]"
) -> list[LegendKey]:
    """Draw the classifiers, panel by panel, and return the entries of the legend.

    The legend has the classes, the lines, and what rings and sizes mean.
    """
    from matplotlib.lines import Line2D

    # A colour for each classifier that shares a panel with others.
    shared = [panel.series for panel in config.panels if len(panel.series) > 1]
    looks = {name: look_of(index) for index, name in enumerate(dict.fromkeys(chain(*shared)))}
    planes = list(chain(*panels))
    labels = {plane.series: plane.label for plane in planes}
    weighed = [plane.sizes for plane in planes if plane.sizes is not None]
    weights = np.concatenate(weighed or [np.ones(1)])
    area = AREA / weights.mean()
    for panel_axes, panel, shown in zip(axes, config.panels, panels, strict=True):
        alone = len(panel.series) == 1
        panel_looks = [look_of(0) if alone else looks[plane.series] for plane in shown]
        if shown:
            _draw_panel(panel_axes, panel, shown, panel_looks, area)
    # The legend: classes, lines, levels, rings, and the smallest and the largest weight.
    keys = list(_classes(any(len(panel.series) == 1 for panel in config.panels)))
    lines = [(looks[name], labels[name]) for name in looks if name in labels]
    if not looks:
        lines = [(look_of(0), "decision boundary")]
    keys += [(Line2D([], [], **look), label) for look, label in lines]
    dashed = sorted({abs(level) for panel in config.panels for level in panel.levels} - {0.0})
    if dashed:
        line = Line2D([], [], color="black", linestyle=(0, (4, 2)), linewidth=0.9)
        keys.append((line, "decision value " + ", ".join(f"±{level:g}" for level in dashed)))
    if any(plane.marks.size for plane in planes):
        ring = Line2D([], [], marker="o", linestyle="none", color=GREY, markerfacecolor="none")
        ring.set_markersize(math.sqrt(RING))
        keys.append((ring, config.ring))
    if weighed:
        for weight in (weights.min(), weights.max()):
            plus = Line2D([], [], color=GREY, marker=MARKERS[1], linestyle="none")
            plus.set_markersize(math.sqrt(area * weight))
            keys.append((plus, f"{config.size} {weight:.2g}"))
    return keys


def _classes(shaded: bool) -> Iterator[LegendKey]:
    """Yield the legend's entries of the two classes, with the shade of where each is predicted."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    for text, colour, marker in zip(("−1", "+1"), SIDES, MARKERS, strict=True):
        row = Line2D([], [], color=colour, marker=marker, markersize=6, linestyle="none")
        if shaded:
            shade = Patch(facecolor=colour, alpha=2 * SHADE, linewidth=0)
            yield (shade, row), f"class {text}, shaded where predicted"
        else:
            yield row, f"class {text}"


def _draw_panel(
    axes: "Axes",
    panel: PlanePanel,
    planes: Sequence[DrawnPlane],
    looks: Sequence[dict[str, Any]],
    area: float,
) -> None:
    """Draw a panel: rows by class, each classifier's lines at the levels, rings of marked rows.

    `looks` has the look of each classifier's lines. The mark of a row of weight 1 has `area`, or
    AREA in a panel without weights. If there is one classifier, both parts of the plane are shaded.
    """
    for plane, look in zip(planes, looks, strict=True):
        (x, y), values = _finer(plane)
        if len(planes) == 1:
            ends = min(values.min(), 0.0) - 1.0, max(values.max(), 0.0) + 1.0
            axes.contourf(x, y, values, levels=[ends[0], 0.0, ends[1]], colors=SIDES, alpha=SHADE)
        for level in panel.levels:
            boundary = level == 0.0
            axes.contour(
                x,
                y,
                values,
                levels=[level],
                colors=[look["color"]],
                linewidths=look["linewidth"] if boundary else 0.9,
                linestyles=[look["linestyle"] if boundary else (0, (4, 2))],
            )
        if plane.marks.size:
            x, y = plane.points[plane.marks].T
            axes.scatter(x, y, s=RING, facecolors="none", edgecolors=GREY, linewidths=0.9)
    first = planes[0]
    areas = np.full(first.signs.size, AREA) if first.sizes is None else area * first.sizes
    for sign, colour, marker in zip((-1.0, 1.0), SIDES, MARKERS, strict=True):
        of_class = first.signs == sign
        x, y = first.points[of_class].T
        axes.scatter(x, y, s=areas[of_class], c=colour, marker=marker, linewidths=1.3)


def _finer(plane: DrawnPlane) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return a plane's grid and values; if these are constant in parts, on a finer grid.

    A vote of stumps has fewer different values than the grid has points along an axis. Contours
    interpolate between the points of a grid, which cuts the corners of such steps: on the finer
    grid every point takes the value of the nearest point of the recorded one.
    """
    points = plane.grid.shape[1]
    if np.unique(np.round(plane.values, 9)).size >= points:
        return plane.grid, plane.values
    at = np.linspace(0, points - 1, FINER * (points - 1) + 1)
    grid = np.array([np.interp(at, np.arange(points), axis) for axis in plane.grid])
    nearest = np.round(at).astype(int)
    return grid, plane.values[np.ix_(nearest, nearest)]
