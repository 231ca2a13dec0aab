"""Figures of lines: the drawing of curves and sweeps."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from string import ascii_lowercase
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

from ensvm.report.documents.document import enumerated
from ensvm.report.plots.boxes import PRINTED
from ensvm.report.plots.curve_values import COLUMNS, Curve, lines_of, read_panel
from ensvm.report.plots.log_axes import LOG_AXIS, log_limits, log_ticks, without_place
from ensvm.report.plots.looks import (
    COLOURS,
    GREY,
    MARK_WIDTH,
    MARKER_SIZE,
    MARKERS,
    OTHER_WIDTH,
    LegendKey,
    Look,
    look_numbers,
    look_of,
)
from ensvm.report.plots.shared_axes import share_limits, share_origin
from ensvm.report.study_folder import Study
from ensvm.study.figure_kinds import axis_label
from ensvm.study.figures import CurvesConfig, LinesConfig, SweepFigureConfig
from ensvm.study.metrics import unit_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["COLUMNS", "draw", "lines_of", "read_panel"]  # what a module of a kind has

BAND_ALPHA = 0.15  # of the band of one standard error around a mean
BAND = "band: ± one standard error"
BAND_OF_ROWS = f"{BAND}, from the test rows"
NO_BAND = "single realizations: no spread"
DOT, RING = "●", "○"
RING_SIZE = 7.0  # points; around the last point of a curve that has markers
MANY_TICKS, FEW_TICKS, LONG_NUMBER = 10, 5, 1000  # few if numbers have four digits or more
FROM_ZERO = 0.5  # an axis begins at 0 if the lowest value is below this share of the highest
NOTE_WIDTH = 40  # letters of a line of a note: no wider than an entry of the legend with its line
ALONE: Look = {"marker": "o", "markersize": MARKER_SIZE, "linestyle": "none"}
LOG_ROOM = 0.03  # free space at both ends of an axis, as a share of its length


def draw(
    study: Study, config: LinesConfig, panels: list[list[Curve]], axes: "list[Axes]"
) -> list[LegendKey]:
    """Draw the curves, panel by panel, and return the entries of the legend."""
    from matplotlib.lines import Line2D

    every = list(chain(*panels))
    looks = _looks(study, config, every)
    last: dict[str, float] = {}  # of the curves on each data set
    for panel, curves in zip(config.panels, panels, strict=True):
        ends_of_curves = (max(curve.x) for curve in curves)
        last[panel.about] = max(last.get(panel.about, -math.inf), *ends_of_curves)
    ends = [
        _draw_panel(panel_axes, config, curves, looks, last[panel.about])
        for panel, panel_axes, curves in zip(config.panels, axes, panels, strict=True)
        if curves
    ]
    _share_axes(config, panels, axes)
    keys: list[LegendKey] = [(Line2D([], [], **look), label) for label, look in looks.items()]
    keys += [(None, text) for text in _alike(axes, panels)]
    if mark := _mark_label(config, every):
        keys.append((Line2D([], [], color=GREY, linewidth=MARK_WIDTH), mark))
    if any(ends):
        mark = RING if isinstance(config, SweepFigureConfig) else DOT
        keys.append((None, f"{mark} {config.ends or config.default_ends}"))
    if any(value is not None for curve in every for value in curve.printed):
        keys.append((Line2D([], [], **PRINTED), "printed"))
    keys += [(None, text) for text in _about_bands(config, every)]
    for scale, axis in ((config.x_scale, "x"), (config.y_scale, "y")):
        of_axis = [getattr(curve, axis) for curve in every if axis == "y" or not curve.names]
        if axis == "y":
            of_axis += [[value for value in one.printed if value is not None] for one in every]
        if of_axis and (left_out := without_place(scale, np.concatenate(of_axis), axis)):
            keys.append((None, left_out))
    return keys


def _about_bands(config: LinesConfig, curves: Sequence[Curve]) -> Iterator[str]:
    """Yield what the bands around the curves are, or that single realizations have none."""
    if any(any(curve.band) for curve in curves):
        yield BAND if any(curve.has_spread for curve in curves) else BAND_OF_ROWS
    elif isinstance(config, SweepFigureConfig) and not any(curve.has_spread for curve in curves):
        yield NO_BAND


def _share_axes(config: LinesConfig, panels: list[list[Curve]], axes: "list[Axes]") -> None:
    """Give panels of the same curves on the same data set the same limits.

    Panels of one unit, or without units, begin at 0 if one of them shows 0: their heights can then
    be compared.
    """
    same, comparable = defaultdict(list), defaultdict(list)
    for panel, curves, of_panel in zip(config.panels, panels, axes, strict=True):
        if not curves:
            continue
        ys = config.ys_of(panel)
        same[panel.about, *ys].append(of_panel)
        units = {unit_of(y).name for y in ys}
        lowest = min(min(curve.y) for curve in curves)
        comparable[frozenset(units)].append((of_panel, lowest))
    if isinstance(config, CurvesConfig):
        for group in same.values():
            share_limits(group)
    for pairs in comparable.values() if config.y_scale == "linear" else ():
        of_unit, lowest_values = zip(*pairs, strict=True)
        if min(lowest_values) >= 0.0:
            share_origin(of_unit)


def _alike(axes: "list[Axes]", panels: list[list[Curve]]) -> Iterator[str]:
    """Yield a note for curves of a panel that look alike in the picture."""
    for letter, of_panel, curves in zip(ascii_lowercase, axes, panels, strict=False):
        groups: list[list[Curve]] = []
        for curve in curves:
            group = next((one for one in groups if _look_equal(of_panel, one[0], curve)), None)
            if group is None:
                groups.append(group := [])
            group.append(curve)
        where = f"({letter}) " if len(panels) > 1 else ""
        for group in groups:
            if len(group) > 1:
                labels = _listed([one.label for one in group])
                yield fill(f"{where}one line: {labels}", NOTE_WIDTH, break_long_words=False)


def _listed(labels: list[str]) -> str:
    """Return labels as a text; semicolons stand between them if they have commas."""
    return "; ".join(labels) if any("," in label for label in labels) else enumerated(labels)


def _look_equal(axes: "Axes", one: Curve, other: Curve) -> bool:
    """Return whether two curves are everywhere closer than the width of a line."""
    if len(one.x) < 2 or one.x != other.x:
        return False
    heights = [axes.transData.transform(np.column_stack([c.x, c.y]))[:, 1] for c in (one, other)]
    line = OTHER_WIDTH / 72.0 * axes.figure.dpi
    return bool(np.abs(heights[0] - heights[1]).max() < line)


def _mark_label(config: LinesConfig, curves: Sequence[Curve]) -> str:
    """Return the legend's text about vertical marks, empty if there are none."""
    if not isinstance(config, CurvesConfig) or config.marks is None:
        return ""
    if isinstance(config.marks, float):
        return f"{config.x_label or 'step'} = {config.marks:g}"
    return axis_label(config.marks) if any(curve.mark is not None for curve in curves) else ""


def _looks(study: Study, config: LinesConfig, curves: Sequence[Curve]) -> dict[str, Look]:
    """Return the look of each curve by its label: a colour per algorithm, dashes per part of it.

    If all lines are of one algorithm, the colours tell its parts apart. Sweeps have markers.
    """
    numbers = look_numbers(study)
    parts = list(dict.fromkeys(curve.part for curve in curves))
    of_one = len({curve.algorithm for curve in curves}) == 1
    looks = {}
    for curve in curves:
        number, form = numbers[curve.algorithm], None
        if len(parts) > 1:
            part = parts.index(curve.part)
            number, form = (part, None) if of_one else (number, part)
        looks[curve.label] = look_of(number, form)
        if isinstance(config, SweepFigureConfig):
            marker = MARKERS[number % len(COLOURS)]
            looks[curve.label] |= {"marker": marker, "markersize": MARKER_SIZE}
    return looks


def _end_mark(config: LinesConfig) -> Look:
    """Return the mark of a curve's end: a dot, or a ring if its other points have markers too."""
    if isinstance(config, SweepFigureConfig):
        return {"marker": "o", "markersize": RING_SIZE, "markerfacecolor": "none"}
    return {"marker": "o", "markersize": MARKER_SIZE}


def _draw_panel(
    axes: "Axes", config: LinesConfig, curves: list[Curve], looks: Mapping[str, Look], last: float
) -> bool:
    """Draw the curves of a panel and return whether one of them ends before `last`."""
    _limit(axes, config, curves)
    cumulative = isinstance(config, CurvesConfig) and config.cumulative
    ends = [curve for curve in curves if not cumulative and curve.x[-1] < last]
    # The first curve is drawn last, on top: it is the one the figure is about.
    for curve in reversed(curves):
        look = looks[curve.label]
        if cumulative:
            steps = (curve.x[0], *curve.x), (0.0, *curve.y)
            axes.plot(*steps, **look, drawstyle="steps-post")
        else:
            axes.plot(curve.x, curve.y, **look)
            axes.plot(*_points_alone(config, curve), color=look["color"], **ALONE)
        if any(curve.band):
            lower, upper = curve.edges
            if config.y_scale == "log":  # a band that goes down to 0 ends at the axis
                lower = np.maximum(lower, axes.get_ylim()[0])
            axes.fill_between(
                curve.x, lower, upper, color=look["color"], alpha=BAND_ALPHA, linewidth=0
            )
        pairs = zip(curve.x, curve.printed, strict=False)
        if printed := [(x, value) for x, value in pairs if value is not None]:
            marker: Look = {**PRINTED, "markeredgecolor": look["color"]}
            axes.plot(*zip(*printed, strict=True), **marker, zorder=4)
        if curve.mark is not None:
            axes.axvline(curve.mark, color=look["color"], linewidth=MARK_WIDTH, alpha=0.6)
        if curve in ends:
            mark = _end_mark(config)
            axes.plot(curve.x[-1:], curve.y[-1:], color=look["color"], clip_on=False, **mark)
    if isinstance(config, CurvesConfig) and isinstance(config.marks, float):
        axes.axvline(config.marks, color=GREY, linewidth=MARK_WIDTH)
    lowest, highest = (pick(pick(curve.y) for curve in curves) for pick in (min, max))
    if config.y_scale == "linear" and 0.0 < lowest < FROM_ZERO * highest:
        axes.set_ylim(bottom=0.0)
    return bool(ends)


def _points_alone(config: LinesConfig, curve: Curve) -> tuple[np.ndarray, np.ndarray]:
    """Return x and y of the points of a curve that no line leads to, as on both sides of a NaN."""
    x, y = np.array(curve.x), np.array(curve.y)
    has_place = np.isfinite(y)
    for values, scale in ((x, config.x_scale), (y, config.y_scale)):
        has_place &= (values > 0.0) | (scale == "linear" or bool(curve.names))
    beside = np.pad(has_place, 1)
    alone = has_place & ~beside[:-2] & ~beside[2:]
    return x[alone], y[alone]


def _limit(axes: "Axes", config: LinesConfig, curves: list[Curve]) -> None:
    """Set the limits of logarithmic axes, and ticks that do not overlap or split whole numbers."""
    from matplotlib.ticker import MaxNLocator

    x = np.concatenate([curve.x for curve in curves])
    if names := {at: name for one in curves for at, name in zip(one.x, one.names, strict=False)}:
        axes.set_xscale("linear")  # names have no scale
        axes.set_xlabel(axes.get_xlabel().removesuffix(LOG_AXIS))
        axes.set_xticks(sorted(names), [names[at] for at in sorted(names)])
    elif config.x_scale == "log":
        # Curves may start at x = 0, which has no place on this axis.
        positive = x[x > 0.0]
        low, high = log_limits(positive)
        if positive.size > 1 and positive.min() < positive.max():
            low, high = positive.min(), positive.max()
        log_ticks(axes.xaxis, low, high)
        # Markers and vertical lines at the ends of the axis need room.
        has_room = not isinstance(config, CurvesConfig) or config.cumulative
        room = (high / low) ** LOG_ROOM if has_room else 1.0
        axes.set_xlim(low / room, high * room)
    elif (x == np.round(x)).all():
        ticks = FEW_TICKS if x.max() >= LONG_NUMBER else MANY_TICKS
        axes.xaxis.set_major_locator(MaxNLocator(ticks, integer=True, steps=[1, 2, 5, 10]))
    if config.y_scale == "log":
        printed = [value for curve in curves for value in curve.printed if value is not None]
        edges = [edge for curve in curves for edge in curve.edges]
        low, high = log_limits(np.concatenate([*edges, np.array(printed)]))
        log_ticks(axes.yaxis, low, high)
        axes.set_ylim(low, high)  # matplotlib finds no limits without positive values
