"""Figures drawn for print: panels side by side, told apart without colour too."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from io import BytesIO
from itertools import groupby
from string import ascii_lowercase
from typing import Any

import numpy as np
from matplotlib import style
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ensvm.report.plots.curves import Curve
from ensvm.report.plots.distribution import Values, draw_values, keys_of
from ensvm.report.plots.looks import (
    MARK_WIDTH,
    MARKER_SIZE,
    METADATA,
    STYLE,
    Look,
    look_of,
)
from ensvm.report.plots.plane import Plane, draw_planes
from ensvm.report.plots.scatter import POINT, Point, draw_points
from ensvm.study.figure_kinds import (
    CurvesConfig,
    DistributionConfig,
    FigureConfig,
    LinesConfig,
    PlaneConfig,
    ScatterConfig,
    SweepFigureConfig,
    axis_label,
)

BAND_ALPHA = 0.15  # of the band of one standard error around a mean
BAND = "band: ± one standard error"
BARS = "bars: ± one standard error"

# What a logarithmic axis has no place for leaves a gap, where it would be drawn at the edge
# otherwise.
SCALES: dict[str, dict[str, Any]] = {"linear": {}, "log": {"nonpositive": "mask"}}

PANEL_SIZE = (3.4, 2.8)  # inches: two panels fill a page's text width
LEGEND_HEIGHT = 0.4
GROUP_INCHES = 0.16  # what a box, a strip or a bar is to have at least, as far as the page goes
# Of the figure's width, what its legend may take: lines start within its frame, and measures are
# for another resolution
LEGEND_SHARE = 0.95


class CannotDraw(ValueError):
    """Matplotlib cannot draw a figure; the message names the figure and says why."""


def draw(config: FigureConfig, shown: list[Any], endings: Iterable[str]) -> list[bytes]:
    """Draw what a figure of any kind shows; return the file of each ending.

    Raises CannotDraw, for example for a label whose math is not valid.
    """
    try:
        return list(_drawn(config, shown, endings))
    except ValueError as error:
        reason = str(error).rpartition("\n")[2]  # matplotlib's own sentence is the last line
        raise CannotDraw(f"figure {config.id}: cannot be drawn: {reason}") from error


def _drawn(config: FigureConfig, shown: list[Any], endings: Iterable[str]) -> Iterator[bytes]:
    if isinstance(config, ScatterConfig):
        return draw_scatter(config, shown, endings)
    if isinstance(config, DistributionConfig):
        return draw_distribution(config, shown, endings)
    if isinstance(config, PlaneConfig):
        return draw_plane(config, shown, endings)
    assert isinstance(config, LinesConfig)
    return draw_curves(config, shown, endings)


def draw_curves(
    config: LinesConfig, curves: list[Curve], endings: Iterable[str]
) -> Iterator[bytes]:
    """Draw the curves, panel by panel; yield the file of each ending (.png, .svg, .pdf)."""
    looks = _looks(config, curves)
    labels = {curve.series: curve.label for curve in curves}

    def fill(figure: Figure, axes: list[Axes]) -> None:
        for number, of_panel in groupby(curves, key=lambda curve: curve.panel):
            _draw_panel(axes[number], config, list(of_panel), looks)
        keys = _lines(looks, labels)
        if isinstance(config, CurvesConfig) and any(curve.mark is not None for curve in curves):
            line = Line2D([], [], color="#444444", linewidth=MARK_WIDTH)
            keys.append((line, axis_label(str(config.marks))))
        if any(_has_band(curve) for curve in curves):
            keys.append((Patch(color="black", alpha=BAND_ALPHA, linewidth=0), BAND))
        _legend(figure, keys)

    return _page(config, fill, endings)


def draw_scatter(
    config: ScatterConfig, points: list[Point], endings: Iterable[str]
) -> Iterator[bytes]:
    """Draw the points, panel by panel; yield the file of each ending (.png, .svg, .pdf)."""

    def fill(figure: Figure, axes: list[Axes]) -> None:
        for number, of_panel in groupby(points, key=lambda point: point.panel):
            draw_points(axes[number], list(of_panel))
        if any(point.x_std or point.y_std for point in points):
            bar = Line2D([], [], color=POINT, marker="o", markersize=4, linewidth=0.8)
            _legend(figure, [(bar, BARS)])

    return _page(config, fill, endings)


def draw_distribution(
    config: DistributionConfig, values: list[Values], endings: Iterable[str]
) -> Iterator[bytes]:
    """Draw the values, panel by panel; yield the file of each ending (.png, .svg, .pdf)."""

    def fill(figure: Figure, axes: list[Axes]) -> None:
        for number, of_panel in groupby(values, key=lambda found: found.panel):
            draw_values(axes[number], config, config.panels[number], list(of_panel))
        _legend(figure, keys_of(config, values))

    return _page(config, fill, endings)


def draw_plane(config: PlaneConfig, planes: list[Plane], endings: Iterable[str]) -> Iterator[bytes]:
    """Draw the planes, panel by panel; yield the file of each ending (.png, .svg, .pdf).

    Classifiers that share a panel are told apart by their lines, of which there is a legend.
    """
    shared = [panel.series for panel in config.panels if len(panel.series) > 1]
    names = list(dict.fromkeys(name for series in shared for name in series))
    looks = {name: look_of(place) for place, name in enumerate(names)}
    labels = {plane.series: plane.label for plane in planes}

    def fill(figure: Figure, axes: list[Axes]) -> None:
        for number, of_panel in groupby(planes, key=lambda plane: plane.panel):
            found = list(of_panel)
            alone = len(config.panels[number].series) == 1
            own = [look_of(0) if alone else looks[plane.series] for plane in found]
            draw_planes(axes[number], config.panels[number], found, own)
        if shown := {name: look for name, look in looks.items() if name in labels}:
            _legend(figure, _lines(shown, labels))

    return _page(config, fill, endings)


def _page(
    config: FigureConfig, fill: Callable[[Figure, list[Axes]], None], endings: Iterable[str]
) -> Iterator[bytes]:
    """Yield the file of each ending, of panels that `fill` draws in."""
    with style.context(["default", STYLE]):  # whatever the user has set up for other plots
        figure, axes = _panels(config)
        fill(figure, axes)
        for ending in endings:
            file = BytesIO()
            figure.savefig(file, format=ending.removeprefix("."), metadata=METADATA[ending])
            yield file.getvalue()


def _looks(config: LinesConfig, curves: list[Curve]) -> dict[str, Look]:
    """Return how each series looks; the first is the one the figure is about."""
    order = {name: at for at, name in enumerate(config.series)}
    names = sorted(
        dict.fromkeys(curve.series for curve in curves), key=lambda name: order.get(name, 0)
    )
    # An algorithm keeps its place, and so its look, whether or not others are missing.
    places = {name: order.get(name, at) for at, name in enumerate(names)}
    marker = (
        {"marker": "o", "markersize": MARKER_SIZE} if isinstance(config, SweepFigureConfig) else {}
    )
    return {name: {**look_of(place), **marker} for name, place in places.items()}


def _panels(config: FigureConfig) -> tuple[Figure, list[Axes]]:
    count = len(config.panels)
    width = max(PANEL_SIZE[0] * count, _width(config))
    figure = Figure(figsize=(width, PANEL_SIZE[1] + LEGEND_HEIGHT), layout="constrained")
    axes = list(figure.subplots(1, count, squeeze=False)[0])
    for letter, panel, drawn in zip(ascii_lowercase, config.panels, axes, strict=False):
        drawn.set_title(f"({letter}) {panel.name}" if count > 1 else panel.name)
        x_label, y_label = config.labels_of(panel)
        drawn.set_xlabel(x_label)
        drawn.set_ylabel(y_label)
        drawn.set_xscale(config.x_scale, **SCALES[config.x_scale])
        drawn.set_yscale(config.y_scale, **SCALES[config.y_scale])
    return figure, axes


def _width(config: FigureConfig) -> float:
    """Return how wide a figure is to be for what stands side by side in it, in inches."""
    if not isinstance(config, DistributionConfig):
        return 0.0
    groups = max(len(config.rows_of(panel)) for panel in config.panels)
    needed = GROUP_INCHES * groups * (len(config.series) + 1)
    return len(config.panels) * min(needed, 2 * PANEL_SIZE[0])


def _draw_panel(
    axes: Axes, config: LinesConfig, curves: list[Curve], looks: Mapping[str, Look]
) -> None:
    # Limits come first: a curve with no place on a logarithmic axis has no limits to find.
    if config.x_scale == "log":
        low, high = _decades(
            np.concatenate([curve.x for curve in curves])
        )  # x = 0, a curve's start, is left out
        end = max(max(curve.x) for curve in curves)
        axes.set_xlim(low, end if end > low else high)
    if config.y_scale == "log":
        axes.set_ylim(_decades(np.concatenate([curve.y for curve in curves])))
    # The first series is drawn last, on top: it is the one the figure is about.
    names = list(looks)
    for curve in sorted(curves, key=lambda curve: -names.index(curve.series)):
        look = looks[curve.series]
        axes.plot(curve.x, curve.y, **look)
        if _has_band(curve):
            band = _band(curve)
            below, above = np.subtract(curve.y, band), np.add(curve.y, band)
            axes.fill_between(
                curve.x, below, above, color=look["color"], alpha=BAND_ALPHA, linewidth=0
            )
        if curve.mark is not None:
            axes.axvline(curve.mark, color=look["color"], linewidth=MARK_WIDTH, alpha=0.6)


def _band(curve: Curve) -> list[float]:
    """Return one standard error at each point; 0 where there is one realization."""
    pairs = zip(curve.std, curve.n, strict=True)
    return [0.0 if std is None else std / math.sqrt(n) for std, n in pairs]


def _has_band(curve: Curve) -> bool:
    return any(_band(curve))


def _decades(values: np.ndarray) -> tuple[float, float]:
    """Return the powers of ten that enclose the positive values, at least one decade apart."""
    exponents = np.log10(values[(values > 0.0) & np.isfinite(values)])
    if not exponents.size:
        return 1.0, 10.0
    low, high = np.floor(exponents.min()), np.ceil(exponents.max())
    return float(10.0**low), float(10.0 ** max(high, low + 1.0))


def _lines(looks: Mapping[str, Look], labels: Mapping[str, str]) -> list[tuple[Artist, str]]:
    """Return what a legend has of lines."""
    return [(Line2D([], [], **look), labels[series]) for series, look in looks.items()]


def _legend(figure: Figure, keys: list[tuple[Artist, str]]) -> None:
    """Put a legend below the panels, in as many rows as it needs."""
    lines, texts = [line for line, _ in keys], [text for _, text in keys]
    for rows in range(1, len(texts) + 1):
        legend = figure.legend(
            lines, texts, loc="outside lower center", ncols=math.ceil(len(texts) / rows)
        )
        if legend.get_window_extent().width <= LEGEND_SHARE * figure.bbox.width or rows == len(
            texts
        ):
            break
        legend.remove()
