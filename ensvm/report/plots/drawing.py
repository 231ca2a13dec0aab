"""Figures for print: panels side by side, readable without colour."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain
from string import ascii_lowercase
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, MaxNLocator, ScalarFormatter

from ensvm.report.documents.document import NamedColumns, columns_of
from ensvm.report.plots import boxes, curves, decision_maps, scatters, search_maps
from ensvm.report.plots.log_axes import LOG_AXIS
from ensvm.report.plots.looks import FONT, STYLE, LegendKey, files_of, letters_without_glyph
from ensvm.report.study_folder import Study
from ensvm.report.tables import row_label
from ensvm.study.figure_kinds import (
    BoxConfig,
    FigureConfig,
    MapConfig,
    PlaneConfig,
    ScatterConfig,
)
from ensvm.study.figures import LinesConfig

if TYPE_CHECKING:
    import pandas as pd

# What is swept, in words
STEPS = dict.fromkeys(("n_train", "train_size"), "training rows")

# Each kind of figure has a module with `read_panel` (the items of a panel from the records, and a
# text for each that is missing), `lines_of` (an item as lines) with their `COLUMNS`, and
# `draw` (the items of all panels into axes; returns the keys of the legend).
KINDS: dict[type[FigureConfig], Any] = {
    BoxConfig: boxes,
    PlaneConfig: decision_maps,
    MapConfig: search_maps,
    ScatterConfig: scatters,
    LinesConfig: curves,
}

# A logarithmic axis masks values that are not positive; by default it clips them to its edge.
SCALES: dict[str, dict[str, Any]] = {"linear": {}, "log": {"nonpositive": "mask"}}

# Inches. A single panel is as wide as a column of a two-column page; two panels side by side are
# nearly as wide as a one-column page. So LaTeX keeps their letters at 6 points or more.
ALONE = (3.4, 2.5)
PANEL_SIZE = (2.8, 2.3)
OF_THREE = (2.15, 2.1)  # a panel if there are three, which stand in one row
PANELS_PER_ROW = 2
# The least side of a scatter for each of its points, and the most for all panels of a row
POINT_INCHES, WIDEST_SCATTER = 0.2, 5.6
GROUP_INCHES = 0.15  # the least width of a box, if the page is wide enough
LARGE = 1e6  # numbers at the ticks of an axis from here on get the letters of units
HUGE = 1e15  # from here on, few know the letters
# Numbers at the ticks of a horizontal axis: how many at most, the width of a letter, the least room
# between two, and how much of a panel's width lies beside its axis (inches)
MOST_TICKS, LETTER, LETTERS_BETWEEN, BESIDE_AXIS = 9, 0.062, 1, 0.55
LETTERS_PER_INCH = 13  # of the label of an axis, fewer than fit
# The largest share of the figure's width for its legend; its measured width is not exact.
LEGEND_SHARE = 0.95


@dataclass(frozen=True)
class FigureContent:
    """What a figure shows, as read from the records.

    `panels` has the curves, values or maps of each panel; `names` says what they are
    called, `columns` is the data behind the figure, and `missing` has a text for each part
    that is missing, or that is shown over some of its realizations.
    """

    config: FigureConfig
    panels: list[list[Any]]
    names: tuple[str, ...]
    columns: NamedColumns
    missing: tuple[str, ...]

    @property
    def items(self) -> list[Any]:
        """The curves, values or maps of all panels; empty if all are missing."""
        return list(chain(*self.panels))

    @property
    def frame(self) -> "pd.DataFrame":
        """The columns as a frame."""
        import pandas as pd

        frame = pd.DataFrame(self.columns)
        # Some lines have no count; with this type the counts of the others stay whole numbers.
        return frame.astype({name: "Int64" for name in ("n", "realization") if name in frame})


def read_figure(study: Study, figure: FigureConfig) -> FigureContent:
    """Return what a figure shows, from the records of its study."""
    kind = _kind(figure)
    panels: list[list[Any]] = []
    lines: list[tuple[Any, ...]] = []
    missing: list[str] = []
    for panel in figure.panels:
        items, missing_items = kind.read_panel(study, figure, panel)
        panels.append(items)
        missing += missing_items
        lines += [(figure.id, panel.name, *line) for item in items for line in kind.lines_of(item)]
    heads = ["figure", "panel", *kind.COLUMNS]
    columns = columns_of([dict(zip(heads, line, strict=True)) for line in lines], heads)
    names = dict.fromkeys(item.label for item in chain(*panels))
    return FigureContent(figure, panels, tuple(names), columns, tuple(dict.fromkeys(missing)))


def draw(study: Study, content: FigureContent, endings: Iterable[str]) -> list[bytes]:
    """Draw what a figure shows; return the content of a file of each ending (.png, .svg, .pdf).

    A figure without content has no files.
    """
    config = content.config
    if not content.items:
        return []
    with style.context(["default", STYLE]):  # not the user's own matplotlib settings
        figure, axes = _panels(study, config)
        keys = _kind(config).draw(study, config, content.panels, axes)
        _shorten_large_numbers(axes)
        _thin_ticks(figure, axes)
        legend_below(figure, keys)
        return files_of(figure, endings)


def drawn_figure(
    study: Study, figure: FigureConfig, endings: Iterable[str]
) -> tuple[FigureContent, list[bytes]]:
    """Return what a figure shows and a file of each ending; no files if it cannot be drawn.

    One figure that fails keeps no other from being drawn: it is missing, with the error as reason.
    """
    try:
        content = read_figure(study, figure)
        with letters_without_glyph() as letters:
            files = draw(study, content, endings)
    except Exception as error:
        reason = f"cannot be drawn: {type(error).__name__}: {error}"
        return FigureContent(figure, [], (), {}, (reason,)), []
    if letters and {*endings} != {".svg"}:  # whose letters the reader's own fonts show
        lacking = "".join(dict.fromkeys(letters))
        note = f"boxes in place of {lacking} in PNG and PDF files, since {FONT} lacks these letters"
        content = replace(content, missing=(f"{note}; SVG files have them", *content.missing))
    return content, files


def _kind(config: FigureConfig) -> Any:
    """Return the module of a figure's kind."""
    return next(
        module for config_class, module in KINDS.items() if isinstance(config, config_class)
    )


def _panels(study: Study, config: FigureConfig) -> tuple[Figure, list[Axes]]:
    """Return an empty figure and its panels."""
    count = len(config.panels)
    columns = 3 if count == 3 else min(count, PANELS_PER_ROW)
    rows = math.ceil(count / columns)
    width, height = {1: ALONE, 3: OF_THREE}.get(count, PANEL_SIZE)
    if isinstance(config, ScatterConfig):  # both axes have one scale, and names need room
        n_points = max(len(config.rows_of(panel)) for panel in config.panels)
        width = height = max(width, min(POINT_INCHES * n_points, WIDEST_SCATTER / columns))
    size = (max(width * columns, _width(config)), height * rows)
    figure = Figure(figsize=size, layout="constrained")
    axes = list(figure.subplots(rows, columns, squeeze=False).flat)
    for unused in axes[count:]:
        unused.remove()
    sweeps = [block.sweep for block in study.config.datasets]
    sweeps += [block.sweep for block in study.config.algorithms.values()]
    swept = {sweep.of: sweep.key for sweep in sweeps if sweep is not None}
    numbers_of_rows = {
        sweep.of
        for sweep in sweeps
        if sweep is not None and sweep.value != 1 and not isinstance(sweep.value, float)
    }
    letters = [round(LETTERS_PER_INCH * side) for side in (size[0] / columns, height)]
    for letter, panel, drawn in zip(ascii_lowercase, config.panels, axes, strict=False):
        title = panel.title or ", ".join(row_label(study, name) for name in panel.about.split(", "))
        drawn.set_title(f"({letter}) {title}" if count > 1 else title)
        x_label, y_label = config.labels_of(panel)
        key = swept.get(x_label, x_label)  # the name of a sweep says less than what is swept
        steps = STEPS.get(key, key)
        is_share = key in STEPS and x_label not in numbers_of_rows
        of_x, of_y = (LOG_AXIS * (each == "log") for each in (config.x_scale, config.y_scale))
        x_text = (f"share of the {steps}" if is_share else steps) + of_x
        drawn.set_xlabel(_folded(x_text, letters[0]))
        drawn.set_ylabel(_folded(y_label + of_y, letters[1]))
        drawn.set_xscale(config.x_scale, **SCALES[config.x_scale])
        drawn.set_yscale(config.y_scale, **SCALES[config.y_scale])
    return figure, axes[:count]


def _shorten_large_numbers(axes: list[Axes]) -> None:
    """Label ticks of a million and more with k, M or G; a power beside the axis is overlooked."""
    for panel in axes:
        for axis in (panel.xaxis, panel.yaxis):
            is_default = isinstance(axis.get_major_formatter(), ScalarFormatter)
            largest = np.abs(axis.get_view_interval()).max()
            if is_default and largest >= LARGE:
                axis.set_major_formatter(EngFormatter() if largest < HUGE else "{x:g}")


def _thin_ticks(figure: Figure, axes: list[Axes]) -> None:
    """Take fewer ticks on the horizontal axes whose labels would nearly touch."""
    for panel in axes:
        grid = panel.get_gridspec()
        assert grid is not None  # the panels are those of `subplots`
        length = figure.get_figwidth() / grid.ncols - BESIDE_AXIS
        low, high = sorted(panel.get_xlim())
        axis, locator = panel.xaxis, panel.xaxis.get_major_locator()
        if not isinstance(locator, MaxNLocator):
            continue  # names, or a logarithmic axis
        for most in range(MOST_TICKS, 0, -1):
            ticks = [tick for tick in axis.get_majorticklocs() if low <= tick <= high]
            labels = axis.get_major_formatter().format_ticks(ticks)
            letters = max(map(len, labels), default=0) + LETTERS_BETWEEN
            if len(ticks) < 2 or length / (high - low) * (ticks[1] - ticks[0]) > letters * LETTER:
                break
            locator.set_params(nbins=most, steps=[1, 2, 5, 10])


def _folded(label: str, letters: int) -> str:
    """Return the label of an axis, on several lines if it is longer than the axis."""
    return label if len(label) <= letters else fill(label, letters)


def _width(config: FigureConfig) -> float:
    """Return the least width of a figure for its boxes, in inches."""
    if not isinstance(config, BoxConfig):
        return 0.0
    groups = max(len(config.rows_of(panel)) for panel in config.panels)
    needed = GROUP_INCHES * groups * (len(config.series) + 1)
    return min(len(config.panels), PANELS_PER_ROW) * min(needed, 2 * PANEL_SIZE[0])


def legend_below(figure: Figure, keys: list[LegendKey]) -> None:
    """Put a legend below the panels, in as many rows as it needs; the figure grows by them.

    Notes stand above its entries.
    """
    lines, texts = [line for line, _ in keys if line], [text for line, text in keys if line]
    notes = "\n".join(text for line, text in keys if not line) or None
    for rows in range(1, len(texts) + 1):
        legend = figure.legend(
            lines,
            texts,
            loc="outside lower center",
            ncols=math.ceil(len(texts) / rows),
            title=notes,
        )
        size = legend.get_window_extent()
        if size.width <= LEGEND_SHARE * figure.bbox.width or rows == len(texts):
            width, height = figure.get_size_inches()
            width = max(width, size.width / LEGEND_SHARE / figure.dpi)
            figure.set_size_inches(width, height + size.height / figure.dpi)
            break
        legend.remove()
