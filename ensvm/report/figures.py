"""From records to the data behind the paper's figures."""

from dataclasses import dataclass

import pandas as pd

from ensvm.report.render import algorithm_label
from ensvm.report.tables import Study
from ensvm.runner.figure_words import CurvesWords
from ensvm.runner.store import Record


@dataclass(frozen=True)
class Curve:
    """One line of a panel: an algorithm's curve on one realization, x = 0, 1, ... and `mark`, the x of its mark if any."""

    panel: str
    series: str
    label: str
    realization: int
    y: tuple[float, ...]
    mark: float | None = None


def read_curves(study: Study, figure: CurvesWords) -> tuple[list[Curve], tuple[str, ...]]:
    """Return the figure's curves, panel by panel in the paper's order, and a line for each that is missing."""
    curves, missing = [], []
    for panel in figure.panels:
        for series in figure.series:
            record = study.records.get((panel, figure.realization, series, "error"))
            y = (record or {}).get("curves", {}).get(figure.y)
            if record is None or not y:
                missing.append(f"{panel}, {series}: {_why(record, figure)}")
                continue
            mark = record["metrics"].get(figure.marks) or None
            curves.append(Curve(panel, series, algorithm_label(study, series), figure.realization, tuple(y), mark))
    return curves, tuple(missing)


def to_csv(figure: CurvesWords, curves: list[Curve]) -> str:
    """Return the data behind a figure in long form, unrounded: a line a point, and a line a mark (no y)"""
    columns = ["figure", "panel", "series", "realization", "what", "x", "y"]
    lines: list[tuple[object, ...]] = []
    for curve in curves:
        head = (figure.id, curve.panel, curve.series, curve.realization)
        lines += [(*head, "curve", x, y) for x, y in enumerate(curve.y)]
        if curve.mark is not None:
            lines.append((*head, "mark", curve.mark, None))
    return pd.DataFrame(lines, columns=columns).to_csv(index=False, lineterminator="\n")


def _why(record: Record | None, figure: CurvesWords) -> str:
    if record is None:
        return "not run yet"
    return f"leaves no curve {figure.y!r}" if record["status"] == "ok" else f"{record['status']}: {record['reason']}"
