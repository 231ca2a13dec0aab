"""How seconds of a fit grow with the training rows, of every method and of its peers.

Class 0 of Breiman's waveforms against the others, 200 to 12,800 rows in steps of 2, kernel values
included, one thread. A method ends at the size at which one fit took longer than a limit. The
exponent is that of the last three sizes. Writes growth.csv, growth.md and growth.svg.
"""

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.svm import SVC, NuSVC
from threadpoolctl import threadpool_limits

import ensvm
from ensvm.data.generators import waveform

SIZES = tuple(200 * 2**k for k in range(7))
SECONDS = 20.0  # of one fit, beyond which the next size is not tried
REPEATS = 3  # of fits shorter than a second, the least counts
FITTED = 3  # sizes that the exponent is of
GRID = np.geomspace(1e-2, 1e4, 20)


class Grid:
    """Twenty values of C, each fitted: what a path is an alternative to."""

    def fit(self, X: Any, y: Any) -> None:
        """Fit all."""
        for C in GRID:
            SVC(C=C, gamma="scale", cache_size=1000).fit(X, y)


METHODS: dict[str, tuple[str, Callable[[], Any]]] = {
    "Parzen window": ("ensvm", lambda: ensvm.ParzenWindowClassifier()),
    "partially trained ensemble": ("ensvm", lambda: ensvm.PartiallyTrainedEnsemble()),
    "the same, rank 500": (
        "ensvm",
        lambda: ensvm.PartiallyTrainedEnsemble(low_rank=500, random_state=0),
    ),
    "whole path": ("ensvm", lambda: ensvm.SVMPathClassifier()),
    "approximate path": ("ensvm", lambda: ensvm.SVMPathClassifier(tol=0.1)),
    "weighted nu-SVM": ("ensvm", lambda: ensvm.WeightedNuSVC(nu=0.3, gamma="scale")),
    "boosted SVM": ("ensvm", lambda: ensvm.BoostedSVM(gamma="scale", random_state=0)),
    "leveraged vector machine": ("ensvm", lambda: ensvm.LeveragedVectorMachine()),
    "mixed-kernel bagging": ("ensvm", lambda: ensvm.MixedKernelBagging(random_state=0)),
    "mixed-kernel AdaBoost": ("ensvm", lambda: ensvm.MixedKernelAdaBoost(random_state=0)),
    "LIBSVM, C = 1": ("scikit-learn", lambda: SVC(gamma="scale", cache_size=1000)),
    "LIBSVM, grid of 20 C": ("scikit-learn", Grid),
    "LIBSVM, nu-SVM": ("scikit-learn", lambda: NuSVC(nu=0.3, gamma="scale", cache_size=1000)),
    "gradient boosting": ("scikit-learn", lambda: HistGradientBoostingClassifier(random_state=0)),
}


def seconds(make: Callable[[], Any], X: Any, y: Any) -> float:
    """Return the least wall time of a few fits, of one where it takes long."""
    least = np.inf
    for _ in range(REPEATS):
        start = time.perf_counter()
        make().fit(X, y)
        least = min(least, time.perf_counter() - start)
        if least > 1.0:
            break
    return least


def measure() -> pd.DataFrame:
    """Return a row a method, a column a size, and the exponent."""
    X, classes = waveform(max(SIZES), seed=1)
    X, y = (X - X.mean(axis=0)) / X.std(axis=0), np.where(classes == 0, 1, -1)
    rows = []
    for name, (library, make) in METHODS.items():
        make().fit(X[:60], y[:60])  # compiled before anything is timed
        times: dict[int, float] = {}
        for m in SIZES:
            times[m] = seconds(make, X[:m], y[:m])
            if times[m] > SECONDS:
                break
        last = list(times)[-FITTED:]
        exponent = np.polyfit(np.log(last), np.log([times[m] for m in last]), 1)[0]
        rows.append({"method": name, "library": library, **times, "exponent": exponent})
    return pd.DataFrame(rows)[["method", "library", *SIZES, "exponent"]]


def draw(table: pd.DataFrame, path: Path) -> None:
    """Draw seconds against rows, log-log: ours solid, peers dashed."""
    figure = Figure(figsize=(7.2, 4.2), layout="constrained")
    axes = figure.subplots()
    for number, row in enumerate(table.to_dict("records")):
        known = [m for m in SIZES if not np.isnan(row[m])]
        style = "-" if row["library"] == "ensvm" else "--"
        axes.loglog(
            known, [row[m] for m in known], style, color=f"C{number % 10}", marker=".",
            label=f"{row['method']}: m^{row['exponent']:.1f}",
        )  # fmt: skip
    axes.set(xlabel="training rows m", ylabel="seconds of a fit, one thread")
    axes.set_xticks(SIZES, [f"{size:,}" for size in SIZES])
    axes.minorticks_off()
    axes.legend(frameon=False, fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Measure, print and write."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--output", type=Path, default=Path("results/bench"))
    folder: Path = options.parse_args().output
    folder.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        table = measure()
    table.to_csv(folder / "growth.csv", index=False)
    shown = table.astype(object).where(table.notna(), None)
    text = shown.to_markdown(index=False, floatfmt=".3g", missingval="")
    page = (
        f"# How seconds grow\n\n{text}\n\nSeconds of one fit on one thread, kernel values "
        f"included, of class 0 of Breiman's waveforms against the others. Empty: a fit of half the "
        f"size took more than {SECONDS:g} s. The exponent is that of the last {FITTED} sizes.\n\n"
        "![seconds against rows](growth.svg)\n"
    )
    (folder / "growth.md").write_text(page)
    draw(table, folder / "growth.svg")
    print(page)


if __name__ == "__main__":
    main()
