"""Figures of lines: curves and sweeps from the records, and their drawing.

The mean of curves ends with the shortest curve. In a sweep, a round has no point unless all
realizations reached it.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product
from string import ascii_lowercase
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ensvm.counts import counted
from ensvm.report.documents.document import enumerated
from ensvm.report.plots.boxes import PRINTED
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
    series_label,
)
from ensvm.report.query import Query, QueryResult, ask
from ensvm.report.study_folder import Study
from ensvm.report.tables import printed_value
from ensvm.study.figure_kinds import axis_label
from ensvm.study.figures import CurvesConfig, LinesConfig, PanelConfig, SweepFigureConfig
from ensvm.study.metrics import unit_of
from ensvm.study.passes import pass_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = ("series", "what", "x", "y", "std", "n")
BAND_ALPHA = 0.15  # of the band of one standard error around a mean
BAND = "band: ± one standard error"
DOT, RING = "●", "○"
RING_SIZE = 7.0  # points; around the last point of a curve that has markers
MANY_TICKS, FEW_TICKS, LONG_NUMBER = 10, 5, 1000  # few if numbers have four digits or more
FROM_ZERO = 0.5  # an axis begins at 0 if the lowest value is below this share of the highest
NOTE_WIDTH = 40  # letters of a line of a note: no wider than an entry of the legend with its line
LOG_ROOM = 0.03  # free space at both ends of an axis, as a share of its length


@dataclass(frozen=True)
class Curve:
    """One line of a panel: points (x, y), each the mean of `n` realizations.

    `algorithm` is the label of the algorithm. `part` is the metric or the round that distinguishes
    its lines. `std` is the standard deviation over the realizations, None for a single one. `mark`
    is the x of the curve's mark, if it has one. If the values of a sweep are names, such as
    kernels, `names` has them, and `x` are 0, 1, 2 and so on.
    `printed` has the printed value at each point of a sweep, if there is one.
    """

    label: str
    algorithm: str
    part: str
    x: tuple[float, ...] = ()
    y: tuple[float, ...] = ()
    std: tuple[float | None, ...] = ()
    n: tuple[int, ...] = ()
    mark: float | None = None
    names: tuple[str, ...] = ()
    printed: tuple[float | None, ...] = ()

    @property
    def band(self) -> list[float]:
        """One standard error at each point; 0 for a single realization."""
        pairs = zip(self.std, self.n, strict=True)
        return [0.0 if std is None else std / math.sqrt(n) for std, n in pairs]

    @property
    def edges(self) -> tuple[np.ndarray, np.ndarray]:
        """The lower and the upper edge of the curve's band."""
        return np.subtract(self.y, self.band), np.add(self.y, self.band)


def read_panel(
    study: Study, figure: LinesConfig, panel: PanelConfig
) -> tuple[list[Curve], list[str]]:
    """Return the curves of a panel, and a line of text for each that is missing."""
    curves: list[Curve] = []
    missing: list[str] = []
    of_one = len(figure.series) == 1
    for (y, text), series in product(figure.ys_of(panel).items(), figure.series_of(panel)):
        algorithm = series_label(study, series)
        label = text if text and of_one else ", ".join(filter(None, [algorithm, text]))
        empty = Curve(label, algorithm, text)
        if isinstance(figure, CurvesConfig):
            curves += _curves_of_fits(study, figure, panel, series, y, empty, missing)
        elif isinstance(figure, SweepFigureConfig):
            curves += _curves_of_sweeps(study, figure, panel, series, y, empty, missing)
    return _placed(curves), missing


def _placed(curves: list[Curve]) -> list[Curve]:
    """Return curves over names at the places of the names; a number among them is a name, too."""
    if not any(curve.names for curve in curves):
        return curves
    names = [curve.names or tuple(f"{x:g}" for x in curve.x) for curve in curves]
    places = {name: float(place) for place, name in enumerate(dict.fromkeys(chain(*names)))}
    return [
        replace(curve, names=of_curve, x=tuple(places[name] for name in of_curve))
        for curve, of_curve in zip(curves, names, strict=True)
    ]


def lines_of(curve: Curve) -> Iterator[tuple[Any, ...]]:
    """Yield a line of the frame behind a figure for each point, and for the mark (without y)."""
    for point in zip(curve.names or curve.x, curve.y, curve.std, curve.n, strict=True):
        yield curve.label, "curve", *point
    for x, printed in zip(curve.names or curve.x, curve.printed, strict=False):
        if printed is not None:
            yield curve.label, "printed", x, printed, None, None
    if curve.mark is not None:
        yield curve.label, "mark", curve.mark, None, None, None


def _curves_of_fits(
    study: Study,
    figure: CurvesConfig,
    panel: PanelConfig,
    series: str,
    y: str,
    empty: Curve,
    missing: list[str],
) -> Iterator[Curve]:
    """Yield the curve that the fits of an algorithm recorded, or add to `missing` why not."""
    result = _curves(study, y, panel.about, series)
    one = figure.realization if isinstance(figure.realization, int) else None
    chosen = [number for number in result.values if one is None or number == one]
    if not chosen:
        why = result.why if not result.values else f"not run yet (realization {one})"
        missing.append(f"{panel.name}, {series}{empty.part and f' {y}'}: {why}")
        return
    if result.is_partial and one is None:
        missing.append(f"{panel.name}, {series}{empty.part and f' {y}'}: {result.why}")
    curves = [result.values[number] for number in chosen]
    if figure.cumulative:
        yield _cumulative(empty, curves, y)
        return
    # the mean ends with the shortest curve: nothing was measured behind its end
    points = list(np.array([curve[: min(map(len, curves))] for curve in curves], float).T)
    mark = result.records[chosen[0]].metrics.get(str(figure.marks)) or None
    if len(chosen) > 1 or isinstance(mark, str):
        mark = None
    first = figure.first if panel.first is None else panel.first
    yield replace(_means(empty, range(first, first + len(points)), points, y), mark=mark)


def _curves_of_sweeps(
    study: Study,
    figure: SweepFigureConfig,
    panel: PanelConfig,
    series: str,
    y: str,
    empty: Curve,
    missing: list[str],
) -> Iterator[Curve]:
    """Yield a curve for each stage of a sweep, and add to `missing` why points are missing."""
    text = empty.part
    for stage in figure.stages or (None,):
        after = "" if stage is None else counted(stage, "round")
        name = after or empty.label
        if after and (len(figure.series) > 1 or text):
            name = f"{empty.label}, {after}"
        measured: list[tuple[float, list[float]]] = []
        missing_x: dict[str, list[str]] = {}
        points = _points_of(study, panel, series)
        of_names = any(isinstance(x, str) for x, _, _ in points)
        names: list[str] = []
        printed: list[float | None] = []
        for number, (x, row, column) in enumerate(points):
            values, why = _values(study, y, row, column, stage)
            if values:
                measured.append((float(number if of_names else x), values))
                names.append(str(x))
                printed.append(_printed(study, figure, row, column, y, stage))
            if why:
                missing_x.setdefault(why, []).append(f"{x}")
        missing += [
            f"{panel.name}, {name} at {', '.join(xs)}: {why}" for why, xs in missing_x.items()
        ]
        if measured:
            of_stage = replace(empty, label=name, part=f"{text} {after}".strip())
            x_values, of_points = zip(*measured, strict=True)
            means = _means(of_stage, x_values, of_points, y)
            means = replace(means, printed=tuple(printed))
            yield replace(means, names=tuple(names)) if of_names else means


def _printed(
    study: Study, figure: SweepFigureConfig, row: str, algorithm: str, y: str, stage: int | None
) -> float | None:
    """Return the value printed in the figure's table at a point of a sweep; None without one."""
    if figure.table is None:
        return None
    found = printed_value(study, study.config.table(figure.table), row, algorithm, y, stage)
    return None if found is None else found.value


def _points_of(study: Study, panel: PanelConfig, series: str) -> list[tuple[Any, str, str]]:
    """Return each point of a sweep as x, row and algorithm."""
    if panel.over is not None:
        rows = study.config.sweep_values(panel.over)
        return [(x, row, series) for row, x in rows.items()]
    return [(x, panel.about, name) for name, x in study.config.sweep_values(series).items()]


def _values(
    study: Study, y: str, row: str, algorithm: str, stage: int | None
) -> tuple[list[float], str]:
    """Return the finite values of the realizations behind a point, and why some are missing.

    With `stage`, the values are that entry of the curves, and all curves must be long enough.
    """
    if stage is None:
        query = Query(row, algorithm, y, pass_of(y))
        result = ask(study, query)
        values = list(result.values.values())
    else:
        result = _curves(study, y, row, algorithm)
        curves = result.values.values()
        ended = sum(len(curve) < stage for curve in curves)
        if ended:
            return [], f"{ended} of {len(curves)} realizations ended before"
        values = [curve[stage - 1] for curve in curves]
    if not values:
        return [], result.why
    finite = [
        float(value) for value in values if isinstance(value, int | float) and math.isfinite(value)
    ]
    return finite, "no finite value" if not finite else result.why if result.is_partial else ""


def _curves(study: Study, y: str, row: str, algorithm: str) -> QueryResult:
    return ask(study, Query(row, algorithm, y, pass_of(y), "all"))


def _cumulative(empty: Curve, curves: list[Any], metric: str) -> Curve:
    """Return the cumulative distribution of recorded values, the mean of their sorted lists."""
    size = min(map(len, curves))
    ordered = np.mean([np.sort(np.asarray(curve, float)[:size]) for curve in curves], axis=0)
    shares = (np.arange(size) + 1.0) / size
    x = tuple(unit_of(metric).scale * ordered)
    return replace(empty, x=x, y=tuple(shares), std=(None,) * size, n=(len(curves),) * size)


def _means(
    empty: Curve,
    x: Sequence[float],
    values: Sequence[NDArray[np.float64] | list[float]],
    metric: str,
) -> Curve:
    """Return a curve through the means of the values at each x."""
    arrays = [unit_of(metric).scale * np.asarray(of_point, dtype=float) for of_point in values]
    return replace(
        empty,
        x=tuple(x),
        y=tuple(float(array.mean()) for array in arrays),
        std=tuple(float(array.std(ddof=1)) if array.size > 1 else None for array in arrays),
        n=tuple(array.size for array in arrays),
    )


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
    _share_axes(config, axes)
    keys: list[LegendKey] = [(Line2D([], [], **look), label) for label, look in looks.items()]
    keys += [(None, text) for text in _alike(axes, panels)]
    if mark := _mark_label(config, every):
        keys.append((Line2D([], [], color=GREY, linewidth=MARK_WIDTH), mark))
    if any(ends):
        mark = RING if isinstance(config, SweepFigureConfig) else DOT
        keys.append((None, f"{mark} {config.ends or config.default_ends}"))
    if any(value is not None for curve in every for value in curve.printed):
        keys.append((Line2D([], [], **PRINTED), "printed"))
    if any(any(curve.band) for curve in every):
        keys.append((None, BAND))
    for scale, axis in ((config.x_scale, "x"), (config.y_scale, "y")):
        of_axis = [getattr(curve, axis) for curve in every if axis == "y" or not curve.names]
        if of_axis and (left_out := without_place(scale, np.concatenate(of_axis), axis)):
            keys.append((None, left_out))
    return keys


def _share_axes(config: LinesConfig, axes: "list[Axes]") -> None:
    """Give panels of the same curves on the same data set the same limits."""
    groups = defaultdict(list)
    for panel, of_panel in zip(config.panels, axes, strict=True):
        groups[panel.about, *config.ys_of(panel)].append(of_panel)
    for group in groups.values() if isinstance(config, CurvesConfig) else ():
        for name in ("xlim", "ylim"):
            lows, highs = zip(*(getattr(each, f"get_{name}")() for each in group), strict=True)
            for each in group:
                getattr(each, f"set_{name}")(min(lows), max(highs))


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
                labels = enumerated([one.label for one in group])
                yield fill(f"{where}one line: {labels}", NOTE_WIDTH, break_long_words=False)


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
            # A line through single realizations would show what one of them happened to be.
            if all(max(one.n) == 1 for one in curves if one.label == curve.label):
                looks[curve.label]["linestyle"] = "none"
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
        if any(curve.band):
            axes.fill_between(
                curve.x, *curve.edges, color=look["color"], alpha=BAND_ALPHA, linewidth=0
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
        low, high = (positive.min(), positive.max()) if positive.size else (1.0, 10.0)
        high = high if high > low else 10.0 * low
        log_ticks(axes.xaxis, low, high)
        # Markers at the ends of the axis need room.
        room = (high / low) ** LOG_ROOM if isinstance(config, SweepFigureConfig) else 1.0
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
