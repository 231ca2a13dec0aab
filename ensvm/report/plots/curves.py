"""Figures of lines: curves and sweeps from the records, and their drawing.

The mean of curves ends where the first realization ends, and a stage that a realization did not
reach has no point.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ensvm.report.plots.looks import MARK_WIDTH, MARKER_SIZE, Key, Look, line_keys, look_of
from ensvm.report.query import Answer, Question, Study, ask
from ensvm.report.tables import algorithm_label
from ensvm.study.figure_kinds import (
    CurvesConfig,
    LinesConfig,
    PanelConfig,
    SweepFigureConfig,
    axis_label,
    pass_of,
)
from ensvm.study.metrics import unit_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BAND_ALPHA = 0.15  # of the band of one standard error around a mean
BAND = "band: ± one standard error"


@dataclass(frozen=True)
class Curve:
    """One line of a panel: points (x, y), each the mean of `n` realizations.

    `panel` is the panel's number from 0; `std` is the standard deviation over the realizations,
    None at a point of one; `mark` is the x of the curve's mark, if any.
    """

    panel: int
    series: str
    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    std: tuple[float | None, ...]
    n: tuple[int, ...]
    mark: float | None = None


def read(study: Study, figure: LinesConfig) -> tuple[list[Curve], tuple[str, ...]]:
    """Return the figure's curves, panel by panel, and a line of text for each that is missing."""
    curves: list[Curve] = []
    missing: list[str] = []
    for number, panel in enumerate(figure.panels):
        for y, text in figure.ys_of(panel).items():
            drawn = _Drawn(number, panel, y, text)
            if isinstance(figure, CurvesConfig):
                curves += _curves_of_fits(study, figure, drawn, missing)
            elif isinstance(figure, SweepFigureConfig):
                curves += _curves_of_sweeps(study, figure, drawn, missing)
    return curves, tuple(missing)


def frame_of(figure: LinesConfig, curves: list[Curve]) -> pd.DataFrame:
    """Return the data behind a figure: a line for each point and for each mark (without y)."""
    columns = ["figure", "panel", "series", "what", "x", "y", "std", "n"]
    lines: list[tuple[object, ...]] = []
    for curve in curves:
        head = (figure.id, figure.panels[curve.panel].name, curve.label)
        lines += [
            (*head, "curve", *point)
            for point in zip(curve.x, curve.y, curve.std, curve.n, strict=True)
        ]
        if curve.mark is not None:
            lines.append((*head, "mark", curve.mark, None, None, None))
    return pd.DataFrame(lines, columns=columns).astype({"n": "Int64"})


@dataclass(frozen=True)
class _Drawn:
    """A metric or curve that a panel draws, and the text of its lines in the legend."""

    number: int
    panel: PanelConfig
    y: str
    text: str

    def named(self, series: str, label: str, of_one: bool) -> tuple[str, str]:
        """Return the name and the label of a line; both include the text if there is one."""
        if not self.text:
            return series, label
        return f"{series} {self.y}", self.text if of_one else f"{label}, {self.text}"


def _curves_of_fits(
    study: Study, figure: CurvesConfig, drawn: _Drawn, missing: list[str]
) -> Iterator[Curve]:
    panel = drawn.panel
    first = figure.first if panel.first is None else panel.first
    for series in figure.series:
        answer = _curves(study, drawn.y, panel.about, series)
        one = figure.realization if isinstance(figure.realization, int) else None
        chosen = [at for at in answer.values if one is None or at == one]
        name, label = drawn.named(series, algorithm_label(study, series), len(figure.series) == 1)
        if not chosen:
            why = answer.why if not answer.values else f"not run yet (realization {one})"
            missing.append(f"{panel.name}, {name}: {why}")
            continue
        curves = [answer.values[at] for at in chosen]
        # Nothing was measured past a curve's end: the mean ends where the first realization does.
        points = list(np.array([curve[: min(map(len, curves))] for curve in curves], float).T)
        mark = answer.records[chosen[0]].metrics.get(str(figure.marks)) or None
        if len(chosen) > 1 or isinstance(mark, str):
            mark = None
        x = range(first, first + len(points))
        yield _curve(drawn.number, name, label, x, points, drawn.y, mark)


def _curves_of_sweeps(
    study: Study, figure: SweepFigureConfig, drawn: _Drawn, missing: list[str]
) -> Iterator[Curve]:
    panel = drawn.panel
    for series in figure.series:
        swept, swept_points = _points_of(study, panel, series)
        line, label = drawn.named(series, swept, len(figure.series) == 1)
        for stage in figure.stages or (None,):
            name = label if stage is None else f"stage {stage}"
            if stage is not None and (len(figure.series) > 1 or drawn.text):
                name = f"{label}, {name}"
            measured: list[tuple[float, list[float]]] = []
            missing_x: dict[str, list[str]] = {}
            for x, row, algorithm in swept_points:
                values, why = _values(study, drawn.y, row, algorithm, stage)
                if values:
                    measured.append((float(x), values))
                else:
                    missing_x.setdefault(why, []).append(f"{x}")
            missing += [
                f"{panel.name}, {name} at {', '.join(at)}: {why}" for why, at in missing_x.items()
            ]
            if measured:
                yield _curve(
                    drawn.number,
                    line if stage is None else name,
                    name,
                    [x for x, _ in measured],
                    [values for _, values in measured],
                    drawn.y,
                )


def _points_of(
    study: Study, panel: PanelConfig, series: str
) -> tuple[str, list[tuple[Any, str, str]]]:
    """Return a series' label, and each of its points as x, row and algorithm."""
    if panel.over is not None:
        rows = study.config.sweep_values(panel.over)
        return algorithm_label(study, series), [(x, row, series) for row, x in rows.items()]
    swept = study.config.sweep_values(series)
    label = study.config.algorithms[next(iter(swept))].label or series
    return label, [(x, panel.about, name) for name, x in swept.items()]


def _values(
    study: Study, y: str, row: str, algorithm: str, stage: int | None
) -> tuple[list[float], str]:
    """Return the finite values of the realizations behind a point, or why there are none.

    With `stage`, the values are that entry of the curves, and all curves must be long enough.
    """
    if stage is None:
        question = Question(row, algorithm, y, pass_of(y))
        answer = ask(study, question)
        values = list(answer.values.values())
    else:
        answer = _curves(study, y, row, algorithm)
        curves = answer.values.values()
        ended = sum(len(curve) < stage for curve in curves)
        if ended:
            return [], f"{ended} of {len(curves)} realizations ended before"
        values = [curve[stage - 1] for curve in curves]
    if not values:
        return [], answer.why
    finite = [
        float(value) for value in values if isinstance(value, int | float) and math.isfinite(value)
    ]
    return finite, "no finite value"


def _curves(study: Study, y: str, row: str, algorithm: str) -> Answer:
    return ask(study, Question(row, algorithm, y, pass_of(y), "all"))


def _curve(
    panel: int,
    series: str,
    label: str,
    x: Sequence[float],
    values: Sequence[NDArray[np.float64] | list[float]],
    metric: str,
    mark: float | None = None,
) -> Curve:
    scale = unit_of(metric).scale
    arrays = [scale * np.asarray(of_point, dtype=float) for of_point in values]
    std = [float(array.std(ddof=1)) if array.size > 1 else None for array in arrays]
    means = [float(array.mean()) for array in arrays]
    return Curve(
        panel,
        series,
        label,
        tuple(x),
        tuple(means),
        tuple(std),
        tuple(array.size for array in arrays),
        mark,
    )


def draw(config: LinesConfig, curves: list[Curve], axes: "list[Axes]") -> "list[Key]":
    """Draw the curves, panel by panel, and return the entries of the legend."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    looks = _looks(config, curves)
    labels = {curve.series: curve.label for curve in curves}
    for number, of_panel in groupby(curves, key=lambda curve: curve.panel):
        _draw_panel(axes[number], config, list(of_panel), looks)
    keys = line_keys(looks, labels)
    if isinstance(config, CurvesConfig) and any(curve.mark is not None for curve in curves):
        line = Line2D([], [], color="#444444", linewidth=MARK_WIDTH)
        keys.append((line, axis_label(str(config.marks))))
    if any(_has_band(curve) for curve in curves):
        keys.append((Patch(color="black", alpha=BAND_ALPHA, linewidth=0), BAND))
    return keys


def _looks(config: LinesConfig, curves: list[Curve]) -> dict[str, Look]:
    """Return how each series looks; the first is the one the figure is about."""
    order = {name: at for at, name in enumerate(config.series)}
    names = sorted(
        dict.fromkeys(curve.series for curve in curves), key=lambda name: order.get(name, 0)
    )
    # An algorithm keeps its number, and so its look, whether or not others are missing.
    numbers = {name: order.get(name, at) for at, name in enumerate(names)}
    marker = (
        {"marker": "o", "markersize": MARKER_SIZE} if isinstance(config, SweepFigureConfig) else {}
    )
    return {name: {**look_of(number), **marker} for name, number in numbers.items()}


def _draw_panel(
    axes: "Axes", config: LinesConfig, curves: list[Curve], looks: Mapping[str, Look]
) -> None:
    # Set limits first: matplotlib finds none for a curve without positive values.
    if config.x_scale == "log":
        # Curves start at x = 0, which has no place on this axis.
        low, high = _decades(np.concatenate([curve.x for curve in curves]))
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
    """Return one standard error at each point; 0 for a single realization."""
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
