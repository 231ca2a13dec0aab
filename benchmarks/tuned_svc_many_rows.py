"""`TunedSVC` on many rows beside scikit-learn's classifiers: errors, log losses and CPU seconds.

`python benchmarks/tuned_svc_many_rows.py ROWS FILE...` reads `X` and `y` of each .npz file. Of the
shuffled rows, ROWS are for training, and at most 10,000 others for testing. CPU seconds are those
of the process, on one thread, for `fit` and for predicting the test rows.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import RidgeClassifierCV
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from tabulate import tabulate
from threadpoolctl import threadpool_limits
from tuned_svc import cpu

from ensvm import TunedSVC
from ensvm.kernels.named_kernels import TRIED_WIDTHS

TEST_ROWS = 10_000


def classifiers(columns: int) -> dict[str, Any]:
    """Return the classifiers; of the grid the widths are those that `TunedSVC` tries."""
    ridge = RidgeClassifierCV(np.geomspace(1e-4, 1e2, 13))
    features = Nystroem(n_components=1000, random_state=0)
    widths = [factor / columns for factor in TRIED_WIDTHS]
    grid = make_pipeline(StandardScaler(), features, ridge)
    return {
        "TunedSVC": TunedSVC(),
        "SVC": make_pipeline(StandardScaler(), SVC(cache_size=1000)),
        "grid": GridSearchCV(grid, {"nystroem__gamma": widths}, cv=3),
        "boosting": HistGradientBoostingClassifier(random_state=0),
    }


def rows_of(file: Path, training_rows: int) -> list[list[Any]]:
    """Return the table's rows of one file."""
    with np.load(file, allow_pickle=True) as arrays:
        X, y = np.asarray(arrays["X"], dtype=np.float64), arrays["y"]
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[:training_rows], order[training_rows:][:TEST_ROWS]
    table = []
    for name, classifier in classifiers(X.shape[1]).items():
        seconds, fitted = cpu(lambda classifier=classifier: classifier.fit(X[train], y[train]))
        predict_seconds, labels = cpu(lambda fitted=fitted: fitted.predict(X[test]))
        loss = np.nan
        if hasattr(fitted, "predict_proba"):
            loss = log_loss(y[test], fitted.predict_proba(X[test]))
        error = 100.0 * np.mean(labels != y[test])
        table.append([file.stem, len(train), name, error, loss, seconds, predict_seconds])
        print(*table[-1], flush=True)
    return table


if __name__ == "__main__":
    with threadpool_limits(1):
        table = [row for file in sys.argv[2:] for row in rows_of(Path(file), int(sys.argv[1]))]
    print(
        tabulate(
            table,
            headers=[
                "set",
                "rows",
                "classifier",
                "error (%)",
                "log loss",
                "fit CPU",
                "predict CPU",
            ],
            floatfmt=("", ".0f", "", ".2f", ".3f", ".1f", ".2f"),
        )
    )
