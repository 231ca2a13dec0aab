"""Leave-one-out values of a machine against machines that were trained without the row.

Ten data sets of two classes, at most 150 rows of each drawn with the shares of the classes, columns
standardised, the width 1 / mean squared distance, five C. Every row is left out in truth: `SVC` of
scikit-learn (LIBSVM) is trained without it, to a violation of 1e-6. Beside it stand the span rule,
which `TunedSVC` and `SVMPathClassifier` choose by, and the values of `leave_one_out_values(...,
exact=True)`, which follow each row until it is out. Writes leave-one-out.csv and leave-one-out.md.
"""

import argparse
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

import ensvm
from ensvm.kernels import gram, resolve_gamma
from ensvm.solvers.regularization_path.leave_one_out import leave_one_out_values
from ensvm.solvers.regularization_path.path import regularization_path

SHIPPED = ("breast-wisc", "bupa", "diabetis", "german", "hepatitis", "ionosphere", "spambase")
ROWS = 150
PRICES = (0.01, 0.1, 1.0, 10.0, 100.0)
TOL = 1e-6


def data_sets() -> Iterator[tuple[str, NDArray[np.float64], NDArray[np.float64]]]:
    """Yield the name, the rows and the labels -1, +1 of each data set."""
    X, y = load_breast_cancer(return_X_y=True)
    yield "wdbc", X, y
    X, y = load_digits(return_X_y=True)
    yield "digits 3, 8", X[(y == 3) | (y == 8)], y[(y == 3) | (y == 8)] == 3
    X, y = load_wine(return_X_y=True)
    yield "wine 0, 1", X[y < 2], y[y < 2]
    for name in SHIPPED:
        data = ensvm.load_data(name)
        yield name, data.X, data.y


def standardised(
    X: NDArray[np.float64], y: NDArray[np.float64], most: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return at most `most` rows without missing values, standardised, and their labels -1, +1."""
    complete = ~np.isnan(X).any(axis=1)
    X, y = X[complete], y[complete]
    y = np.where(y == np.unique(y)[1], 1.0, -1.0)
    if len(y) > most:
        X, _, y, _ = train_test_split(X, y, train_size=most, stratify=y, random_state=0)
    return StandardScaler().fit_transform(X), y


def without_each_row(
    K: NDArray[np.float64], y: NDArray[np.float64], C: float
) -> NDArray[np.float64]:
    """Return the value of f without row i at row i, from m machines of LIBSVM."""
    values = np.empty(y.size)
    for i in range(y.size):
        others = np.delete(np.arange(y.size), i)
        machine = SVC(C=C, kernel="precomputed", tol=TOL).fit(K[np.ix_(others, others)], y[others])
        values[i] = machine.decision_function(K[[i]][:, others])[0]
    return values


def compared(name: str, X: NDArray[np.float64], y: NDArray[np.float64]) -> list[dict[str, object]]:
    """Return a row for each C: differences of values from the true ones, and errors in per cent."""
    K = gram(X, kernel="rbf", gamma=resolve_gamma("mean-distance", X))
    path = regularization_path(K, y)
    rows = []
    for C in PRICES:
        true = without_each_row(K, y, C)
        row: dict[str, object] = {"set": name, "rows": y.size, "C": C}
        for kind in ("span", "exact"):
            values = leave_one_out_values(path, K, C, exact=kind == "exact")
            difference = np.abs(values - true)
            row |= {f"{kind} mean": difference.mean(), f"{kind} largest": difference.max()}
            row[f"{kind} error"] = 100.0 * np.mean(y * values <= 0.0)
        row["true error"] = 100.0 * np.mean(y * true <= 0.0)
        rows.append(row)
    return rows


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each C: mean and largest differences over all sets."""
    groups = table.groupby("C")
    off = (table["span error"] - table["true error"]).abs().groupby(table["C"])
    return pd.DataFrame(
        {
            "span rule: mean": groups["span mean"].mean(),
            "largest": groups["span largest"].max(),
            "error off by (points), mean": off.mean(),
            "at most": off.max(),
            "followed: mean": groups["exact mean"].mean(),
            "largest ": groups["exact largest"].max(),
        }
    ).reset_index()


def main() -> None:
    """Measure, print and write."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--output", type=Path, default=Path("results/bench"))
    options.add_argument("--rows", type=int, default=ROWS, help="of each set, at most")
    chosen = options.parse_args()
    folder: Path = chosen.output
    folder.mkdir(parents=True, exist_ok=True)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = [
            row
            for name, X, y in data_sets()
            for row in compared(name, *standardised(X, y, chosen.rows))
        ]
    table = pd.DataFrame(rows)
    table.to_csv(folder / "leave-one-out.csv", index=False, float_format="%.6g")
    page = (
        "# Leave-one-out values against machines trained without the row\n\n"
        f"{summary(table).to_markdown(index=False, floatfmt=('g', *['.2g'] * 6))}\n\n"
        "Absolute differences of the values of f, whose margins are at -1 and 1, over ten sets of "
        f"at most {chosen.rows} rows; the true ones are of LIBSVM to a violation of {TOL:g}. The "
        "page is written by `python benchmarks/leave_one_out.py`; leave-one-out.csv has each set.\n"
    )
    (folder / "leave-one-out.md").write_text(page, encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
