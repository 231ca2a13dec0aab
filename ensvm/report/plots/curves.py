"""From records to the data behind the paper's figures.

A figure shows what was measured: the mean of curves ends where the first realization ends, and a
stage that a realization did not reach has no point.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ensvm.records.writing import csv_of
from ensvm.report.query import Answer, Question, Study, ask
from ensvm.report.tables.legend import algorithm_label
from ensvm.study.figure_kinds import (
    CurvesConfig,
    LinesConfig,
    PanelConfig,
    SweepFigureConfig,
    pass_of,
)
from ensvm.study.metrics import unit_of


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


def read_curves(study: Study, figure: LinesConfig) -> tuple[list[Curve], tuple[str, ...]]:
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


def to_csv(figure: LinesConfig, curves: list[Curve]) -> str:
    """Return the data behind a figure, unrounded: a line a point, and a line a mark (no y)."""
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
    frame = pd.DataFrame(lines, columns=columns).astype({"n": "Int64"})
    return csv_of(frame)


@dataclass(frozen=True)
class _Drawn:
    """What is drawn in a panel, the figure's `number`-th: a metric or curve, and its text."""

    number: int
    panel: PanelConfig
    y: str
    text: str

    def named(self, series: str, label: str, of_one: bool) -> tuple[str, str]:
        """Return the name and the label of a line, which a text of its own is part of."""
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
        swept, places = _places(study, panel, series)
        line, label = drawn.named(series, swept, len(figure.series) == 1)
        for stage in figure.stages or (None,):
            name = label if stage is None else f"stage {stage}"
            if stage is not None and (len(figure.series) > 1 or drawn.text):
                name = f"{label}, {name}"
            found: list[tuple[float, list[float]]] = []
            lacking: dict[str, list[str]] = {}
            for x, row, algorithm in places:
                values, why = _values(study, drawn.y, row, algorithm, stage)
                if values:
                    found.append((float(x), values))
                else:
                    lacking.setdefault(why, []).append(f"{x}")
            missing += [
                f"{panel.name}, {name} at {', '.join(at)}: {why}" for why, at in lacking.items()
            ]
            if found:
                yield _curve(
                    drawn.number,
                    line if stage is None else name,
                    name,
                    [x for x, _ in found],
                    [values for _, values in found],
                    drawn.y,
                )


def _places(
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

    With `stage` they are that entry of their curves, and all curves must reach it.
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
