"""Intervals of the committed results, computed anew from records and printed numbers alone."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
from made_up_records import read_results
from scipy.stats import t

from ensvm.shipped import shipped_results

RESULTS = shipped_results()
read_study = cache(read_results)


@dataclass(frozen=True)
class Worked:
    """The interval of a value of a table, and what the committed CSV has."""

    low: float
    high: float
    committed: pd.Series


def worked() -> list[Worked]:
    """Return a worked value for each basis that the committed results have."""
    parzen = line_of("ijcai07", "2", "astro", "parzen")
    middle = parzen["mean"] - parzen.published
    folds = values_of("nips99", "liver", "svm").reshape(-1, 10)  # ten a repetition
    return [
        Worked(middle - 0.05, middle + 0.05, parzen),
        around(line_of("nips99", "1", "liver", "error_svm"), folds.mean(axis=1), 1),
        around(
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


def around(line: pd.Series, values: np.ndarray, n_printed: int) -> Worked:
    """Return a value whose interval is that of a printed mean of `n_printed` values like ours.

    The printed mean has one decimal and no deviation: ours stands for it.
    """
    mean, std, n = values.mean(), values.std(ddof=1), values.size
    quantile = t.ppf(0.975, n - 1)
    half = quantile * std * np.sqrt(1 / n + 1 / n_printed) + 0.05
    middle = mean - line.published
    return Worked(middle - half, middle + half, line)
