"""Verdicts of the committed results worked out by hand, for docs/explanation/verdicts.md.

The formulas are written anew here, from the values of the records and the printed numbers alone.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import t

from ensvm.report.query import Study
from ensvm.report.query import read_study as read

RESULTS = Path(__file__).parents[1] / "results"
read_study = cache(read)


@dataclass(frozen=True)
class Worked:
    """A value of a table, how its interval is computed, and what the committed CSV has."""

    study: str
    formula: str
    low: float
    high: float
    committed: pd.Series


def line_of(study: str, table: str, row: str, column: str) -> pd.Series:
    """Return a value's line of a committed table."""
    frame = pd.read_csv(RESULTS / study / f"table-{table}.csv")
    return frame[(frame.row == row) & (frame.column == column)].iloc[0]


def values_of(study: Study, row: str, algorithm: str, metric: str) -> np.ndarray:
    """Return the values of a cell over its realizations, errors and accuracies in percent."""
    records = sorted(study.by_cell[row, algorithm, "error"], key=lambda one: one.realization)
    scale = 1.0 if metric == "size" else 100.0
    return scale * np.array([record.metrics[metric] for record in records])


def worked() -> list[Worked]:
    """Return a worked value for each basis that the committed results have."""
    ijcai07, ecda13, nips99 = (
        read_study(RESULTS / name) for name in ("ijcai07", "ecda13", "nips99")
    )
    same_rows = line_of("ijcai07", "2", "astro", "parzen")
    difference = same_rows["mean"] - same_rows.published
    drawn = line_of("ecda13", "2", "spam", "svm")
    draws = values_of(ecda13, "spam", "svm~drawn", "accuracy")
    low, high = draws.min(), draws.max()
    folds = values_of(nips99, "liver", "svm", "error").reshape(-1, 10)  # ten a repetition
    [record] = ijcai07.by_cell["adult3", "ensemble", "error"]
    orders = 100 * np.array(record.by_order["error"])
    rows = ["waveform", *(f"drawn-waveform-draw-{number}" for number in range(1, 11))]
    other_rows = np.array([values_of(ijcai07, row, "ensemble", "error").mean() for row in rows])
    return [
        Worked(
            "ijcai07",
            f"{same_rows['mean']:.2f} − {same_rows.published:g}, no width",
            difference,
            difference,
            same_rows,
        ),
        _around(
            "ijcai07",
            line_of("ijcai07", "2", "cancer", "svm_best"),
            values_of(ijcai07, "cancer", "svm_best", "error"),
            n_printed=100,
        ),
        _around(
            "ecda13",
            line_of("ecda13", "2", "spam", "bagging_radpol"),
            values_of(ecda13, "spam", "bagging_radpol", "accuracy"),
        ),
        Worked(
            "ecda13",
            f"{low:.2f} to {high:.2f}, the range of {draws.size} draws, − {drawn.published:g}",
            low - drawn.published,
            high - drawn.published,
            drawn,
        ),
        _around("nips99", line_of("nips99", "1", "liver", "error_svm"), folds.mean(axis=1)),
        _around("ijcai07", line_of("ijcai07", "2", "adult3", "ensemble"), orders),
        _around("ijcai07", line_of("ijcai07", "2", "waveform", "ensemble"), other_rows),
    ]


def _around(study: str, line: pd.Series, values: np.ndarray, n_printed: int = 1) -> Worked:
    """Return a value whose interval holds the mean of as many values like ours as are printed.

    The printed mean has no deviation: ours stands for it.
    """
    mean, std, n = values.mean(), values.std(ddof=1), values.size
    quantile = t.ppf(0.975, n - 1)
    half = quantile * std * np.sqrt(1 / n + 1 / n_printed)
    share = "1" if n_printed == 1 else f"1/{n_printed}"
    formula = f"{mean:.2f} − {line.published:g} ± {quantile:.3f} · {std:.3f} · √(1/{n} + {share})"
    difference = mean - line.published
    return Worked(study, formula, difference - half, difference + half, line)


def worked_section() -> str:
    """Return the section of docs/explanation/verdicts.md, in Markdown."""
    lines = [
        "| value | interval of | ours − printed | 95 % interval | verdict |",
        "|:--|:--|:--|:--|:--|",
    ]
    for one in worked():
        line = one.committed
        place = f"`{one.study}`, table {line.table}, {line.row}, `{line.column}`"
        interval = f"{one.low:.2f} to {one.high:.2f}"
        lines.append(
            f"| {place} | {line.interval_of} | {one.formula} | {interval} | {line.verdict} |"
        )
    return "\n".join(lines)
