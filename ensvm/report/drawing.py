"""Figures drawn for print: panels side by side, one legend in the paper's order, told apart without colour too."""

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import numpy as np
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ensvm.report.figures import Curve
from ensvm.runner.figure_words import CurvesWords, FigureWords

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
FIRST_WIDTH, OTHER_WIDTH, MARK_WIDTH = 1.8, 1.4, 0.6  # points

# What a logarithmic axis has no place for leaves a gap, where it would be drawn at the edge otherwise.
SCALES: dict[str, dict[str, Any]] = {"linear": {}, "log": {"nonpositive": "mask"}}

PANEL_SIZE = (3.4, 2.8)  # inches: two panels fill a page's text width
LEGEND_HEIGHT = 0.4
LEGEND_COLUMNS = 5
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
METADATA = {".svg": {"Date": None, "Creator": None}, ".png": {"Software": None}}


def draw_curves(words: CurvesWords, curves: list[Curve], paths: Iterable[Path]) -> None:
    """Draw the curves, panel by panel, and write the figure to each path in the format of its ending (.png, .svg)."""
    with style.context(["default", STYLE]):  # whatever the user has set up for other plots
        figure, axes = _panels(words)
        for panel, of_panel in groupby(curves, key=lambda curve: curve.panel):
            _draw_panel(axes[words.panels.index(panel)], words, list(of_panel))
        _legend(figure, words, curves)
        for path in paths:
            figure.savefig(path, metadata=METADATA[path.suffix])


def _panels(words: FigureWords) -> tuple[Figure, list[Axes]]:
    count = len(words.panels)
    figure = Figure(figsize=(PANEL_SIZE[0] * count, PANEL_SIZE[1] + LEGEND_HEIGHT), layout="constrained")
    axes = list(figure.subplots(1, count, squeeze=False)[0])
    for letter, name, panel in zip(ascii_lowercase, words.panels, axes, strict=False):
        panel.set_title(f"({letter}) {name}")
        panel.set_xlabel(words.x_label)
        panel.set_ylabel(words.y_label)
        panel.set_xscale(words.x_scale, **SCALES[words.x_scale])
        panel.set_yscale(words.y_scale, **SCALES[words.y_scale])
    return figure, axes


def _draw_panel(axes: Axes, words: CurvesWords, curves: list[Curve]) -> None:
    # Limits come first: a curve with no place on a logarithmic axis has no limits to find.
    if words.x_scale == "log":
        axes.set_xlim(
            1.0, _decades(np.array([len(curve.y) - 1.0 for curve in curves]))[1]
        )  # the start, x = 0, is left out
    if words.y_scale == "log":
        axes.set_ylim(_decades(np.concatenate([curve.y for curve in curves])))
    # The first series is drawn last, on top: it is the one the figure is about.
    for curve in sorted(curves, key=lambda curve: -words.series.index(curve.series)):
        look = _look(words, curve.series)
        axes.plot(np.arange(len(curve.y)), curve.y, **look)
        if curve.mark is not None:
            axes.axvline(curve.mark, color=look["color"], linewidth=MARK_WIDTH, alpha=0.6)


def _decades(values: np.ndarray) -> tuple[float, float]:
    """Return the powers of ten that enclose the positive numbers among `values`, at least one decade apart."""
    exponents = np.log10(values[(values > 0.0) & np.isfinite(values)])
    if not exponents.size:
        return 1.0, 10.0
    low, high = np.floor(exponents.min()), np.ceil(exponents.max())
    return float(10.0**low), float(10.0 ** max(high, low + 1.0))


def _look(words: FigureWords, series: str) -> dict[str, Any]:
    number = words.series.index(series)
    return {
        "color": COLOURS[number % len(COLOURS)],
        "linestyle": DASHES[number % len(DASHES)],
        "linewidth": OTHER_WIDTH if number else FIRST_WIDTH,
    }


def _legend(figure: Figure, words: CurvesWords, curves: list[Curve]) -> None:
    labels = {curve.series: curve.label for curve in curves}
    shown = [series for series in words.series if series in labels]
    lines = [Line2D([], [], **_look(words, series)) for series in shown]
    texts = [labels[series] for series in shown]
    figure.legend(lines, texts, loc="outside lower center", ncols=min(len(shown), LEGEND_COLUMNS))
