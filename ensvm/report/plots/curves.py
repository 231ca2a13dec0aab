"""From records to the data behind the paper's figures."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ensvm.records.record import Record, RunPass
from ensvm.report.tables.cells import PERCENT_METRICS, Study, figure_of, of_one_settings
from ensvm.report.tables.render import algorithm_label
from ensvm.study.figure import CurvesWords, FigureWords, PanelWords, SweepFigureWords


@dataclass(frozen=True)
class Curve:
    """One line of a panel: points (x, y), y in percent for errors, each the mean of `n` realizations.

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


def read_curves(study: Study, figure: FigureWords) -> tuple[list[Curve], tuple[str, ...]]:
    """Return the figure's curves, panel by panel in the paper's order, and a line for each that is missing."""
    curves: list[Curve] = []
    missing: list[str] = []
    for number, panel in enumerate(figure.panels):
        if isinstance(figure, CurvesWords):
            found = _curves_of_fits(study, figure, panel, number, missing)
        elif isinstance(figure, SweepFigureWords):
            found = _curves_of_sweeps(study, figure, panel, number, missing)
        curves += found
    return curves, tuple(missing)


def to_csv(figure: FigureWords, curves: list[Curve]) -> str:
    """Return the data behind a figure in long form, unrounded: a line a point, and a line a mark (no y)."""
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
    return frame.to_csv(index=False, lineterminator="\n")


def _curves_of_fits(
    study: Study, figure: CurvesWords, panel: PanelWords, number: int, missing: list[str]
) -> Iterator[Curve]:
    y = figure.y_of(panel)
    kept: dict[str, list[Record]] = {}
    for series in figure.series:
        records = _records(study, figure.pass_of(panel), str(panel.dataset), series)
        if isinstance(figure.realization, int):
            records = [record for record in records if record.realization == figure.realization]
        found = [record for record in records if record.curves.get(y)]
        if found:
            kept[series] = found
        else:
            missing.append(f"{panel.name}, {series}: {_why(records, f'curve {y!r}')}")
    longest = max(
        (len(record.curves[y]) for records in kept.values() for record in records), default=0
    )
    first = figure.first if panel.first is None else panel.first
    for series, records in kept.items():
        curves = [record.curves[y] for record in records]
        if figure.realization == "mean":  # a curve that ended early stays where it ended
            curves = [[*curve, *[curve[-1]] * (longest - len(curve))] for curve in curves]
        mark = records[0].metrics.get(str(figure.marks)) or None if len(records) == 1 else None
        points = list(np.array(curves, dtype=float).T)
        yield _curve(
            number,
            series,
            algorithm_label(study, series),
            range(first, first + len(points)),
            points,
            y,
            mark,
        )


def _curves_of_sweeps(
    study: Study, figure: SweepFigureWords, panel: PanelWords, number: int, missing: list[str]
) -> Iterator[Curve]:
    y = figure.y_of(panel)
    for series in figure.series:
        if panel.over is not None:
            label = algorithm_label(study, series)
            points = [
                (value, row, series) for row, value in study.config.sweep_values(panel.over).items()
            ]
        else:
            swept = study.config.sweep_values(series)
            label = study.config.algorithms[next(iter(swept))].label or series
            points = [(value, str(panel.dataset), name) for name, value in swept.items()]
        cells = [(x, _records(study, figure.pass_of(panel), row, name)) for x, row, name in points]
        for stage in figure.stages or (None,):
            found = [(x, values) for x, records in cells if (values := _values(records, y, stage))]
            name = label if stage is None else f"{figure.stage_label} {stage}"
            if stage is not None and len(figure.series) > 1:
                name = f"{label}, {name}"
            if len(found) < len(points):
                lacking = [f"{x}" for x, records in cells if not _values(records, y, stage)]
                why = _why([record for _, records in cells for record in records], f"figure {y!r}")
                missing.append(f"{panel.name}, {name} at {', '.join(lacking)}: {why}")
            if found:
                line = series if stage is None else name
                yield _curve(
                    number,
                    line,
                    name,
                    [float(x) for x, _ in found],
                    [values for _, values in found],
                    y,
                )


def _curve(
    panel: int,
    series: str,
    label: str,
    x: Sequence[float],
    values: Sequence[NDArray[np.float64] | list[float]],
    metric: str,
    mark: float | None = None,
) -> Curve:
    scale = 100.0 if metric in PERCENT_METRICS else 1.0
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


def _records(study: Study, run_pass: RunPass, dataset: str, algorithm: str) -> list[Record]:
    wanted = (dataset, algorithm, run_pass)
    found = (
        record
        for (row, _, name, of_pass), record in sorted(study.records.items())
        if (row, name, of_pass) == wanted
    )
    return of_one_settings(list(found))


def _values(records: list[Record], y: str, stage: int | None) -> list[float]:
    """Return the figures of the realizations: a metric, or the entry `stage` of a curve, its last where it ended before."""
    values = [figure_of(record, y, stage) for record in records if record.status == "ok"]
    return [
        float(value) for value in values if isinstance(value, int | float) and math.isfinite(value)
    ]


def _why(records: list[Record], what: str) -> str:
    troubles = [record for record in records if record.status != "ok"]
    if troubles:
        return f"{troubles[0].status}: {troubles[0].reason}"
    return f"leaves no {what}" if records else "not run yet"
