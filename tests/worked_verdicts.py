"""Intervals of the committed results worked out by hand, for docs/explanation/verdicts.md.

The formulas are written anew here, from the values of the records and the printed numbers alone.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from made_up_records import read_results
from scipy.stats import t

from ensvm.report.documents.document import MARKS

RESULTS = Path(__file__).parents[1] / "results"
read_study = cache(read_results)


@dataclass(frozen=True)
class Worked:
    """A value of a table, how its interval is computed, and what the committed CSV has."""

    study: str
    formula: str
    low: float
    high: float
    committed: pd.Series


def worked() -> list[Worked]:
    """Return a worked value for each basis that the committed results have."""
    parzen = line_of("ijcai07", "2", "astro", "parzen")
    exact = f"{parzen['mean']:.2f} − {parzen.published:.1f} ± 0.05"
    middle = parzen["mean"] - parzen.published
    folds = values_of("nips99", "liver", "svm").reshape(-1, 10)  # ten a repetition
    return [
        Worked("ijcai07", exact, middle - 0.05, middle + 0.05, parzen),
        around("nips99", line_of("nips99", "1", "liver", "error_svm"), folds.mean(axis=1), 1),
        around(
            "ijcai07",
            line_of("ijcai07", "2", "cancer", "svm_best"),
            values_of("ijcai07", "cancer", "svm_best"),
            100,
        ),
    ]


def line_of(study: str, table: str, row: str, column: str) -> pd.Series:
    """Return a value's line of a committed table."""
    frame = pd.read_csv(RESULTS / study / f"table-{table}.csv", keep_default_na=False)
    line = frame[(frame.row == row) & (frame.column == column)].iloc[0]
    numbers = ["mean", "published", "difference_low", "difference_high"]
    return pd.concat([line.drop(numbers), line[numbers].astype(float)])


def values_of(study: str, row: str, algorithm: str) -> np.ndarray:
    """Return the errors of a cell over its realizations, in percent."""
    records = read_study(RESULTS / study).by_cell[row, algorithm, "error"]
    ordered = sorted(records, key=lambda one: one.realization)
    return 100.0 * np.array([record.metrics["error"] for record in ordered])


def around(study: str, line: pd.Series, values: np.ndarray, n_printed: int) -> Worked:
    """Return a value whose interval is that of a printed mean of `n_printed` values like ours.

    The printed mean has one decimal and no deviation: ours stands for it.
    """
    mean, std, n = values.mean(), values.std(ddof=1), values.size
    quantile = t.ppf(0.975, n - 1)
    half = quantile * std * np.sqrt(1 / n + 1 / n_printed) + 0.05
    share = "1" if n_printed == 1 else f"1/{n_printed}"
    formula = f"{mean:.2f} − {line.published:.1f} ± ({quantile:.3f} · {std:.3f} · "
    formula += f"√(1/{n} + {share}) + 0.05)"
    middle = mean - line.published
    return Worked(study, formula, middle - half, middle + half, line)


def worked_section() -> str:
    """Return the section of docs/explanation/verdicts.md, in Markdown."""
    lines = ["| value | D is computed from | ours − printed | D | sign |", "|:--|:--|:--|:--|:--|"]
    for one in worked():
        line = one.committed
        place = f"`{one.study}`, table {line.table}, {line.row}, `{line.column}`"
        ends = f"{one.low:.2f} to {one.high:.2f}"
        sign = f"`{' '.join(filter(None, [MARKS[line.verdict], line.why]))}`"
        lines.append(f"| {place} | {line.interval_of} | {one.formula} | {ends} | {sign} |")
    return "\n".join(lines)
