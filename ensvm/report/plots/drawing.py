"""Figures drawn for print: panels side by side, told apart without colour too."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from io import BytesIO
from itertools import groupby
from string import ascii_lowercase
from typing import Any, TypeAlias

import numpy as np
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ensvm.report.plots.curves import Curve
from ensvm.report.plots.plane import Plane, draw_planes
from ensvm.report.plots.scatter import Point, draw_points
from ensvm.study.figure import (
    FigureConfig,
    LinesConfig,
    PlaneConfig,
    ScatterConfig,
    SweepFigureConfig,
)

Look: TypeAlias = dict[str, Any]

# Okabe & Ito's colours, told apart with any colour vision; black first, for the paper's own method.
COLOURS = ("#000000", "#E69F00", "#0072B2", "#009E73", "#D55E00", "#CC79A7", "#56B4E9")
DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 2)),
    (0, (1, 1.2)),
    (0, (5, 1.5, 1, 1.5)),
    (0, (6, 1.5, 1, 1.5, 1, 1.5)),
    (0, (9, 2)),
    (0, (1, 3)),
)
FIRST_WIDTH, OTHER_WIDTH, MARK_WIDTH, MARKER_SIZE = 1.8, 1.4, 0.6, 2.5  # points
BAND_ALPHA = 0.15  # of the band of one standard error around a mean

# What a logarithmic axis has no place for leaves a gap, where it would be drawn at the edge
# otherwise.
SCALES: dict[str, dict[str, Any]] = {"linear": {}, "log": {"nonpositive": "mask"}}

PANEL_SIZE = (3.4, 2.8)  # inches: two panels fill a page's text width
LEGEND_HEIGHT = 0.4
# Of the figure's width, what its legend may take: lines start within its frame, and measures are
# for another resolution
LEGEND_SHARE = 0.95
STYLE: Any = {
    "font.size": 8,
    "axes.titlesize": 9,
    "axes.labelsize": 8,
    "legend.fontsize": 7.5,
    "legend.handlelength": 2.4,
    "legend.columnspacing": 1.2,
    "legend.frameon": False,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "savefig.dpi": 200,
    # The same data give the same bytes: element ids are hashed with this instead of a random salt.
    "svg.hashsalt": "ensvm",
}
# No dates or versions in the files, for the same reason.
METADATA = {
    ".svg": {"Date": None, "Creator": None},
    ".png": {"Software": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def draw(config: FigureConfig, shown: list[Any], endings: Iterable[str]) -> Iterator[bytes]:
    """Draw what a figure of any kind shows; yield the file of each ending (.png, .svg)."""
    if isinstance(config, ScatterConfig):
        return draw_scatter(config, shown, endings)
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
        _legend(figure, labels, looks)

    return _page(config, fill, endings)


def draw_scatter(
    config: ScatterConfig, points: list[Point], endings: Iterable[str]
) -> Iterator[bytes]:
    """Draw the points, panel by panel; yield the file of each ending (.png, .svg)."""

    def fill(figure: Figure, axes: list[Axes]) -> None:
        for number, of_panel in groupby(points, key=lambda point: point.panel):
            draw_points(axes[number], config.panels[number], list(of_panel))

    return _page(config, fill, endings)


def draw_plane(config: PlaneConfig, planes: list[Plane], endings: Iterable[str]) -> Iterator[bytes]:
    """Draw the planes, panel by panel; yield the file of each ending (.png, .svg).

    Classifiers that share a panel are told apart by their lines, of which there is a legend.
    """
    shared = [panel.series for panel in config.panels if len(panel.series) > 1]
    names = list(dict.fromkeys(name for series in shared for name in series))
    looks = {name: _look(place) for place, name in enumerate(names)}
    labels = {plane.series: plane.label for plane in planes}

    def fill(figure: Figure, axes: list[Axes]) -> None:
        for number, of_panel in groupby(planes, key=lambda plane: plane.panel):
            found = list(of_panel)
            alone = len(config.panels[number].series) == 1
            own = [_look(0) if alone else looks[plane.series] for plane in found]
            draw_planes(axes[number], config.panels[number], found, own)
        if shown := {name: look for name, look in looks.items() if name in labels}:
            _legend(figure, labels, shown)

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
    return {name: {**_look(place), **marker} for name, place in places.items()}


def _look(place: int) -> Look:
    """Return how the line in a place looks."""
    return {
        "color": COLOURS[place % len(COLOURS)],
        "linestyle": DASHES[place % len(DASHES)],
        "linewidth": OTHER_WIDTH if place else FIRST_WIDTH,
    }


def _panels(config: FigureConfig) -> tuple[Figure, list[Axes]]:
    count = len(config.axes)
    figure = Figure(
        figsize=(PANEL_SIZE[0] * count, PANEL_SIZE[1] + LEGEND_HEIGHT), layout="constrained"
    )
    axes = list(figure.subplots(1, count, squeeze=False)[0])
    for letter, panel, drawn in zip(ascii_lowercase, config.axes, axes, strict=False):
        drawn.set_title(f"({letter}) {panel.name}" if count > 1 else panel.name)
        drawn.set_xlabel(panel.x_label or config.x_label)
        drawn.set_ylabel(panel.y_label or config.y_label)
        drawn.set_xscale(config.x_scale, **SCALES[config.x_scale])
        drawn.set_yscale(config.y_scale, **SCALES[config.y_scale])
    return figure, axes


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
        band = [_standard_error(std, n) for std, n in zip(curve.std, curve.n, strict=True)]
        if any(band):
            below, above = np.subtract(curve.y, band), np.add(curve.y, band)
            axes.fill_between(
                curve.x, below, above, color=look["color"], alpha=BAND_ALPHA, linewidth=0
            )
        if curve.mark is not None:
            axes.axvline(curve.mark, color=look["color"], linewidth=MARK_WIDTH, alpha=0.6)


def _standard_error(std: float | None, n: int) -> float:
    return 0.0 if std is None else std / math.sqrt(n)


def _decades(values: np.ndarray) -> tuple[float, float]:
    """Return the powers of ten that enclose the positive values, at least one decade apart."""
    exponents = np.log10(values[(values > 0.0) & np.isfinite(values)])
    if not exponents.size:
        return 1.0, 10.0
    low, high = np.floor(exponents.min()), np.ceil(exponents.max())
    return float(10.0**low), float(10.0 ** max(high, low + 1.0))


def _legend(figure: Figure, labels: Mapping[str, str], looks: Mapping[str, Look]) -> None:
    lines = [Line2D([], [], **look) for look in looks.values()]
    texts = [labels[series] for series in looks]
    for rows in range(1, len(texts) + 1):
        legend = figure.legend(
            lines, texts, loc="outside lower center", ncols=math.ceil(len(texts) / rows)
        )
        if legend.get_window_extent().width <= LEGEND_SHARE * figure.bbox.width or rows == len(
            texts
        ):
            break
        legend.remove()
