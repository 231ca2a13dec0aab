"""The values of realizations by data set and algorithm, and their boxes, strips or bars."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ensvm.report.plots.looks import COLOURS, MARKERS, Key, form_of, look_numbers
from ensvm.report.query import Question, Study, ask
from ensvm.report.tables import algorithm_label, printed_value
from ensvm.study.figure_kinds import DistributionConfig, DistributionPanel, pass_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GROUP = 0.8  # width of the boxes of one data set; data sets are 1 apart
FILL = 0.35  # how strongly boxes and bars are coloured
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "---", "+++")
DENSE = 30.0  # print points of a value's mark, times the root of how many there are
GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0  # its multiples spread evenly however many there are
PRINTED: Any = {  # visible on every colour
    "marker": "D",
    "markersize": 4.0,
    "markerfacecolor": "white",
    "markeredgecolor": "black",
    "linestyle": "none",
}
LETTER = 4.0  # print points of a letter at the axis, about
WHISKERS = "quartiles, median, whiskers to 1.5 IQR"
ERROR = "± one standard error"
MEAN = "mean"


@dataclass(frozen=True)
class Values:
    """The values of one algorithm on one data set of a panel.

    `panel` is the panel's number from 0, `look` the number of the algorithm's colour and form. The
    values, by realization, are finite and in the unit they are shown in.
    """

    panel: int
    row: str
    series: str
    label: str
    look: int
    values: dict[int, float]
    printed: float | None = None


def read(study: Study, figure: DistributionConfig) -> tuple[list[Values], tuple[str, ...]]:
    """Return the figure's values, panel by panel, and a line of text for each that is missing."""
    items: list[Values] = []
    missing: list[str] = []
    numbers = look_numbers(study)
    for number, panel in enumerate(figure.panels):
        metric = figure.metric_of(panel)
        for row in figure.rows_of(panel):
            for series in figure.series:
                answer = ask(study, Question(row, series, metric, pass_of(metric)))
                numbered = zip(answer.values, answer.shown().tolist(), strict=True)
                values = {at: value for at, value in numbered if math.isfinite(value)}
                if not values:
                    why = answer.why if not answer.values else "no finite value"
                    missing.append(f"{row}, {series}: {why}")
                    continue
                label = algorithm_label(study, series)
                item = Values(number, row, series, label, numbers[label], values)
                if figure.table is not None:
                    table = study.config.table(figure.table)
                    printed = printed_value(study, table, row, series, metric, None)
                    item = replace(item, printed=printed)
                items.append(item)
    return items, tuple(dict.fromkeys(missing))


def frame_of(figure: DistributionConfig, items: list[Values]) -> pd.DataFrame:
    """Return the data behind a figure: a line for each realization and each printed value.

    The column `what` has `value` or `printed`.
    """
    lines = [line for values in items for line in _lines(figure, values)]
    columns = ["figure", "panel", "row", "series", "what", "realization", "value"]
    return pd.DataFrame(lines, columns=columns).astype({"realization": "Int64"})


def _lines(figure: DistributionConfig, item: Values) -> Iterator[tuple[Any, ...]]:
    head = (figure.id, figure.panels[item.panel].name, item.row, item.label)
    for realization, value in item.values.items():
        yield (*head, "value", realization, value)
    if item.printed is not None:
        yield (*head, "printed", None, item.printed)


def draw(config: DistributionConfig, items: list[Values], axes: "list[Axes]") -> list[Key]:
    """Draw the values, panel by panel, and return the entries of the legend."""
    for number, of_panel in groupby(items, key=lambda item: item.panel):
        _draw_panel(axes[number], config, config.panels[number], list(of_panel))
    return _keys(config, items)


def _draw_panel(
    axes: "Axes", figure: DistributionConfig, panel: DistributionPanel, items: Sequence[Values]
) -> None:
    """Draw a panel: a group for each data set, in it the algorithms in the order of the series."""
    rows = figure.rows_of(panel)
    width = GROUP / len(figure.series)
    draw = {"box": _draw_box, "strip": _draw_strip, "bar": _draw_bar}[figure.kind]
    for item in items:
        x = rows.index(item.row) - GROUP / 2 + width * (figure.series.index(item.series) + 0.5)
        draw(axes, x, 0.85 * width, np.array(list(item.values.values())), item.look)
        if item.printed is not None:
            axes.plot([x], [item.printed], **PRINTED, zorder=5)
    room = 72.0 * axes.bbox.width / axes.figure.dpi
    long = LETTER * sum(len(row) + 2 for row in rows) > room
    turned: Any = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"} if long else {}
    axes.set_xticks(range(len(rows)), rows, **turned)
    axes.set_xlim(-0.6, len(rows) - 0.4)
    axes.tick_params(axis="x", length=0)


def _keys(figure: DistributionConfig, items: Sequence[Values]) -> list[Key]:
    """Return the legend's entries: the algorithms, the spread that is drawn, printed values."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    looks = {item.label: item.look for item in items}
    keys: list[Key] = []
    for label, look in looks.items():
        if figure.kind == "strip":
            keys.append((Line2D([], [], linestyle="none", **look_of_point(look)), label))
        else:
            keys.append((Patch(**_face(look)), label))
    spreads = {"box": WHISKERS, "strip": MEAN, "bar": ERROR}
    has_spread = figure.kind != "bar" or any(len(item.values) > 1 for item in items)
    if has_spread:
        keys.append((Line2D([], [], color="black", linewidth=1.2), spreads[figure.kind]))
    if any(item.printed is not None for item in items):
        keys.append((Line2D([], [], **PRINTED), "printed"))
    return keys


def _face(number: int) -> Any:
    from matplotlib.colors import to_rgba

    colour = COLOURS[number % len(COLOURS)]
    return {
        "facecolor": to_rgba(colour, FILL),
        "edgecolor": colour,
        "hatch": HATCHES[form_of(number)],
        "linewidth": 0.9,
    }


def look_of_point(number: int) -> Any:
    """Return marker, colour and size of the points of the algorithm with a number."""
    look = {"marker": MARKERS[form_of(number)], "color": COLOURS[number % len(COLOURS)]}
    return {**look, "markersize": 3.0, "markeredgewidth": 0.0, "alpha": 0.6}


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


def _draw_strip(axes: "Axes", x: float, width: float, values: np.ndarray, number: int) -> None:
    across = x + width * ((GOLDEN * np.arange(1, values.size + 1)) % 1.0 - 0.5) * (values.size > 1)
    size = float(np.clip(DENSE / math.sqrt(values.size), 1.2, 3.0))
    axes.plot(across, values, linestyle="none", **look_of_point(number) | {"markersize": size})
    ends = (x - width / 2, x + width / 2)
    axes.plot(ends, (values.mean(), values.mean()), color="black", linewidth=1.2, zorder=3)


def _draw_bar(axes: "Axes", x: float, width: float, values: np.ndarray, number: int) -> None:
    error = values.std(ddof=1) / math.sqrt(values.size) if values.size > 1 else None
    axes.bar(x, values.mean(), width, yerr=error, ecolor="black", capsize=2.0, **_face(number))
