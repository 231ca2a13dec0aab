"""The values of realizations by data set and algorithm, and their boxes or bars."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise, product
from typing import TYPE_CHECKING, Any

import numpy as np

from ensvm.report.column_values import drawn_result, linear, not_finite
from ensvm.report.plots.log_axes import log_limits, log_ticks, without_place
from ensvm.report.plots.looks import (
    COLOURS,
    LegendKey,
    drawn_label,
    form_of,
    look_numbers,
    look_of_point,
    table_of_figure,
)
from ensvm.report.plots.shared_axes import share_limits
from ensvm.report.study_folder import Study
from ensvm.report.tables import printed_value, row_label
from ensvm.study.figure_kinds import BoxConfig, RowsPanel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = ("row", "series", "what", "realization", "value")
GROUP = 0.8  # width of the boxes of one data set; data sets are 1 apart
FILL = 0.35  # how strongly boxes are coloured
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "---", "+++")
PRINTED: Any = {  # visible on every colour
    "marker": "D",
    "markersize": 4.0,
    "markerfacecolor": "white",
    "markeredgecolor": "black",
    "linestyle": "none",
}
LETTER = 4.0  # about how many print points a letter at the axis takes
MEANINGS = {
    "box": "box: quartiles, median, whiskers to 1.5 IQR",
    "bar": "bar: mean ± standard deviation over realizations",
}


@dataclass(frozen=True)
class Values:
    """The values of one algorithm on one data set, by realization, and the printed one.

    They are finite and in the unit they are shown in.
    """

    row: str
    series: str
    label: str
    values: dict[int, float]
    printed: float | None


def read_panel(study: Study, figure: BoxConfig, panel: RowsPanel) -> tuple[list[Values], list[str]]:
    """Return the values of a panel, and a line of text for each that is missing or partial."""
    items: list[Values] = []
    missing: list[str] = []
    table = table_of_figure(study, figure)
    for row, series in product(figure.rows_of(panel), figure.series):
        result = drawn_result(study, table, row, series, figure.metric)
        if figure.kind == "bar":
            result = linear(result)  # the mean is then that of the table
        numbered = zip(result.values, result.shown().tolist(), strict=True)
        values = {number: value for number, value in numbered if math.isfinite(value)}
        if not values:
            why = result.why if not result.values else "no finite value"
            missing.append(f"{row}, {series}: {why}")
            continue
        without = filter(None, (result.part_shown, not_finite(result.shown())))
        missing += [f"{row}, {series}: {why}" for why in without]
        found = table and printed_value(study, table, row, series, figure.metric, None)
        printed = found.value if found else None
        label = drawn_label(study, table, series)
        items.append(Values(row, series, label, values, printed))
    return items, missing


def lines_of(item: Values) -> Iterator[tuple[Any, ...]]:
    """Yield a line of the frame behind a figure for each realization and the printed value.

    The column `what` has `value` or `printed`.
    """
    for realization, value in item.values.items():
        yield item.row, item.label, "value", realization, value
    if item.printed is not None:
        yield item.row, item.label, "printed", None, item.printed


def draw(
    study: Study, config: BoxConfig, panels: list[list[Values]], axes: "list[Axes]"
) -> list[LegendKey]:
    """Draw the values, panel by panel, and return the entries of the legend.

    These are the algorithms, the meaning of boxes or bars, and the printed values.
    """
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    numbers = look_numbers(study)
    for panel_axes, panel, items in zip(axes, config.panels, panels, strict=True):
        if items:
            _draw_panel(study, panel_axes, config, config.rows_of(panel), items, numbers)
    drawn = [panel_axes for panel_axes, items in zip(axes, panels, strict=True) if items]
    if drawn and config.y_scale == "linear":
        share_limits(drawn, "y")
    items = list(chain(*panels))
    labels = dict.fromkeys(item.label for item in items)
    keys: list[LegendKey] = [(Patch(**_face(numbers[label])), label) for label in labels]
    if any(item.printed is not None for item in items):
        keys.append((Line2D([], [], **PRINTED), "printed"))
    keys.append((None, MEANINGS[config.kind]))
    if left_out := without_place(config.y_scale, _shown_values(items), "y"):
        keys.append((None, left_out))
    return keys


def _shown_values(items: Sequence[Values]) -> np.ndarray:
    """Return all values of some items, the printed ones too."""
    printed = [item.printed for item in items if item.printed is not None]
    return np.array([*chain(*(item.values.values() for item in items)), *printed])


def _draw_panel(
    study: Study,
    axes: "Axes",
    figure: BoxConfig,
    rows: Sequence[str],
    items: Sequence[Values],
    numbers: Mapping[str, int],
) -> None:
    """Draw a panel: a group for each data set, in it the algorithms in the order of the series."""
    width, bottom = GROUP / len(figure.series), 0.0
    if figure.y_scale == "log":
        means = [np.mean(list(item.values.values())) for item in items]
        bottom, top = log_limits(np.append(_shown_values(items), means), with_room=True)
        log_ticks(axes.yaxis, bottom, top)
        axes.set_ylim(bottom, top)
    for item in items:
        x = rows.index(item.row) - GROUP / 2 + width * (figure.series.index(item.series) + 0.5)
        values, number = np.array(list(item.values.values())), numbers[item.label]
        if figure.kind == "box":
            _draw_box(axes, x, 0.85 * width, values, number)
        else:
            _draw_bar(axes, x, 0.85 * width, values, number, bottom)
        if item.printed is not None:
            axes.plot([x], [item.printed], **PRINTED, zorder=5)
    room = 72.0 * axes.bbox.width / axes.figure.dpi
    labels = [row_label(study, row) for row in rows]
    widest = max((len(one) + len(other) for one, other in pairwise(labels)), default=0) / 2
    long = LETTER * (widest + 2) > room / len(rows)
    turned: Any = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"} if long else {}
    axes.set_xticks(range(len(rows)), labels, **turned)
    axes.set_xlim(-0.6, len(rows) - 0.4)
    if figure.y_scale == "linear" and figure.kind == "bar" and _shown_values(items).min() >= 0.0:
        axes.set_ylim(bottom=0.0)
    axes.tick_params(axis="x", length=0)


def _face(number: int) -> Any:
    from matplotlib.colors import to_rgba

    colour = COLOURS[number % len(COLOURS)]
    return {
        "facecolor": to_rgba(colour, FILL),
        "edgecolor": colour,
        "hatch": HATCHES[form_of(number)],
        "linewidth": 0.9,
    }


def _draw_bar(
    axes: "Axes", x: float, width: float, values: np.ndarray, number: int, bottom: float
) -> None:
    """Draw a bar from `bottom` to the mean; on a logarithmic axis, `bottom` is above 0."""
    spread = values.std(ddof=1) if values.size > 1 else None
    error: Any = {"linewidth": 1.0, "capsize": 2.0}
    height = values.mean() - bottom
    if bottom > 0.0:
        height = max(height, 0.0)
    axes.bar(x, height, width, bottom=bottom, yerr=spread, error_kw=error, **_face(number))


def _draw_box(axes: "Axes", x: float, width: float, values: np.ndarray, number: int) -> None:
    point, line = look_of_point(number), {"color": "black", "linewidth": 1.0}
    axes.boxplot(
        values,
        positions=[x],
        widths=width,
        manage_ticks=False,
        patch_artist=True,
        boxprops=_face(number),
        medianprops={**line, "linewidth": 1.6},
        whiskerprops=line,
        capprops=line,
        flierprops={**point, "markerfacecolor": point["color"], "linestyle": "none"},
    )
