"""`TunedSVC` beside a grid search over `SVC`: errors, log losses and CPU seconds.

`python benchmarks/tuned_svc.py FOLDER HALF ROWS SPLITS` reads `split.json`, whose key HALF lists
names, and NAME.npz with `X` and `y` for each. A third of the rows, at most 1,500, are for testing,
at most ROWS for training, in SPLITS random splits. Sets with fewer than half of ROWS training rows
are left out if ROWS is more than 1,000. CPU seconds are those of the process, on one thread.
"""

import json
import sys
import time
import warnings
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from tabulate import tabulate
from threadpoolctl import threadpool_limits

from ensvm import TunedSVC

TEST_ROWS = 1500
WIDTHS = (0.03, 0.1, 0.33, 1.0, 3.3)  # times 1 / n_features, of scaled inputs
PRICES = tuple(np.geomspace(0.1, 100.0, 6))
COLUMNS = ("tuned", "grid", "SVC", "tuned loss", "calibrated loss", "tuned CPU", "grid CPU")


def cpu(work: Any) -> tuple[float, Any]:
    """Return the CPU seconds of a call, and what it returns."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def measured(
    X: NDArray[Any], y: NDArray[Any], train: NDArray[Any], test: NDArray[Any]
) -> tuple[float, ...]:
    """Return the values of `COLUMNS` for one split; errors are in per cent."""
    A, B, a, b = X[train], X[test], y[train], y[test]
    classes = np.unique(a)
    seconds, tuned = cpu(lambda: TunedSVC().fit(A, a))
    machine = make_pipeline(StandardScaler(), SVC())
    widths = [width / X.shape[1] for width in WIDTHS]
    grid = GridSearchCV(machine, {"svc__gamma": widths, "svc__C": PRICES}, cv=5)
    grid_seconds, grid = cpu(lambda: grid.fit(A, a))
    calibrated = CalibratedClassifierCV(grid.best_estimator_, ensemble=False).fit(A, a)
    errors = [100.0 * (1.0 - one.score(B, b)) for one in (tuned, grid, machine.fit(A, a))]
    known = np.isin(b, classes)
    losses = [
        log_loss(b[known], one.predict_proba(B[known]), labels=classes)
        for one in (tuned, calibrated)
    ]
    return (*errors, *losses, seconds, grid_seconds)


def rows_of(folder: Path, half: str, most: int, splits: int) -> dict[str, list[Any]]:
    """Return the mean values of each set."""
    table: dict[str, list[Any]] = {}
    for name in json.loads((folder / "split.json").read_text(encoding="utf-8"))[half]:
        with np.load(folder / f"{name}.npz", allow_pickle=True) as file:
            X, y = np.asarray(file["X"], dtype=np.float64), file["y"]
        if most > 1000 and len(y) * 2 / 3 < most / 2:
            continue
        values = []
        for seed in range(splits):
            stratify = y if np.unique(y, return_counts=True)[1].min() > 1 else None
            train, test = train_test_split(
                np.arange(len(y)), test_size=1 / 3, random_state=seed, stratify=stratify
            )
            values.append(measured(X, y, train[:most], test[:TEST_ROWS]))
        means = np.mean(values, axis=0)
        table[name] = [min(len(train), most), np.unique(y).size, *means]
        print(name, *np.round(means, 3), flush=True)
    return table


def compile_first() -> None:
    """Fit small rows, so that no measured fit compiles."""
    X = np.random.default_rng(0).normal(size=(90, 2))
    for y in (X[:, 0] > 0.0, np.arange(90) % 3):
        TunedSVC().fit(X, y).predict_proba(X)


if __name__ == "__main__":
    folder, half, most, splits = sys.argv[1:]
    warnings.simplefilter("ignore")  # classes with fewer rows than folds
    with threadpool_limits(1):
        compile_first()
        table = rows_of(Path(folder), half, int(most), int(splits))
    groups = defaultdict(list)
    for name, row in table.items():
        groups["mean"].append(row)
        groups["mean, two classes" if row[1] == 2 else "mean, more classes"].append(row)
        table[name] = [*row, row[-2] / row[-1]]
    for group, members in groups.items():
        means = np.mean(members, axis=0)
        ratios = np.mean([row[-2] / row[-1] for row in members])
        table[f"{group} of {len(members)}"] = [*means, ratios]
    print(f"Errors in per cent, log losses and CPU seconds, at most {most} training rows")
    print(
        tabulate(
            [[name, *row] for name, row in table.items()],
            headers=["set", "rows", "classes", *COLUMNS, "CPU ratio"],
            floatfmt=("", ".0f", ".0f", ".2f", ".2f", ".2f", ".3f", ".3f", ".2f", ".2f", ".3f"),
        )
    )
