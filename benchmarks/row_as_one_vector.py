"""Whether a printed row of a table is one more of our splits: Hotelling's test of all its columns.

If print has one unknown split, all columns of the row move with its rows, and ten intervals of
single columns say less than one test of the vector. Ours has n splits with the mean m and the
covariance S; the printed vector p, as one more split, has (m - p)' S^-1 (m - p) = (1 + 1/n) T^2.
The test is of the columns' deviations from their row's mean (what the methods differ by), and of
the columns themselves. For spam of Table 2 in ECDA-13:

    python benchmarks/row_as_one_vector.py ecda13 2 spam
"""

import sys

import numpy as np
from numpy.typing import NDArray
from scipy.stats import f
from tabulate import tabulate

from ensvm.report.column_values import query_of
from ensvm.report.query import ask, paired_values
from ensvm.report.study_folder import Study, read_study
from ensvm.shipped import shipped_results


def hotelling(ours: NDArray[np.float64], printed: NDArray[np.float64]) -> tuple[float, float]:
    """Return T^2 of one more observation beside those of `ours`, shape (n, p), and its p-value."""
    n, p = ours.shape
    away = ours.mean(axis=0) - printed
    spread = np.cov(ours.T).reshape(p, p) * (1.0 + 1.0 / n)
    squared = float(away @ np.linalg.solve(spread, away))
    return squared, float(f.sf(squared * (n - p) / (p * (n - 1)), p, n - p))


def vectors(
    study: Study, table_id: str, row: str
) -> tuple[NDArray[np.float64], NDArray[np.float64], list[str]]:
    """Return our values of a printed row, a line for each split, print's, and the columns."""
    table = study.config.table(table_id)
    columns = [one for one in table.columns if (table_id, row, one.name) in study.published]
    results = [ask(study, query_of(study, table, row, column)) for column in columns]
    ours = paired_values(*results) * results[0].unit.scale
    printed = [study.published[table_id, row, column.name].value for column in columns]
    return ours, np.array(printed), [column.name for column in columns]


def contrasts(p: int) -> NDArray[np.float64]:
    """Return p - 1 orthonormal vectors of sum 0, shape (p, p - 1)."""
    return np.linalg.svd(np.eye(p) - 1.0 / p)[0][:, : p - 1]


if __name__ == "__main__":
    name, table_id, row = sys.argv[1:] or ["ecda13", "2", "spam"]
    ours, printed, columns = vectors(read_study(shipped_results() / name), table_id, row)
    basis = contrasts(len(columns))
    away = ours.mean(axis=0) - printed
    lines = [
        [column, mine, theirs, mine - theirs, mine - theirs - away.mean()]
        for column, mine, theirs in zip(columns, ours.mean(axis=0), printed, strict=True)
    ]
    heads = ["column", "ours", "printed", "difference", "without the row's mean"]
    print(tabulate(lines, headers=heads, floatfmt=".2f"))
    for name, one, other in (
        ("deviations from the row's mean", ours @ basis, printed @ basis),
        ("the columns themselves", ours, printed),
        ("the row's mean", ours.mean(axis=1, keepdims=True), printed.mean(keepdims=True)),
    ):
        squared, p_value = hotelling(one, other)
        print(f"{name}: T^2 = {squared:.2f}, p = {p_value:.3f} ({len(ours)} splits)")
