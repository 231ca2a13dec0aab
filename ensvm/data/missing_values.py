"""Missing values: the texts that stand for them in files, and the numbers that replace them."""

import numpy as np
from numpy.typing import NDArray

# What stands for a missing value unless a file says otherwise: what pandas takes for it, the mark
# of the UCI repository, and the errors of a spreadsheet.
USUAL_MARKS = frozenset(
    {
        *("", "?", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND"),
        *("1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null", "<null>"),
        *("#DIV/0!", "#REF!", "#VALUE!", "#NUM!", "#NAME?", "#NULL!"),
    }
)
LABEL_MARKS = frozenset({"", "?"})  # a class may be called None, NA or null


def fill_with_training_mean(
    X_train: NDArray[np.float64], X_test: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return both parts with NaN replaced by the mean of the column's known values in training.

    A column without any known value in training becomes 0.
    """
    present = ~np.isnan(X_train)
    totals = np.where(present, X_train, 0.0).sum(axis=0)
    means = totals / np.maximum(present.sum(axis=0), 1)
    return np.where(present, X_train, means), np.where(np.isnan(X_test), means, X_test)
