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
from matplotlib import style
from matplotlib.figure import Figure
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.svm import SVC, NuSVC
from threadpoolctl import threadpool_limits

import ensvm
from ensvm.compiled import compiling_counted
from ensvm.data.generators import Waveform
from ensvm.report.plots.looks import MARKER_SIZE, STYLE, files_of, look_of

SIZES = tuple(200 * 2**k for k in range(7))
SHOWN = (200, 800, 3200, 6400, 12800)  # in the page's table, which fits the width of GitHub's
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
# What each panel of the picture shows: up to seven methods, each in a colour of its own
PANELS = {
    "one machine": (
        "Parzen window",
        "weighted nu-SVM",
        "leveraged vector machine",
        "LIBSVM, C = 1",
        "LIBSVM, nu-SVM",
    ),
    "machines of many C": ("whole path", "approximate path", "LIBSVM, grid of 20 C"),
    "ensembles": (
        "partially trained ensemble",
        "the same, rank 500",
        "boosted SVM",
        "mixed-kernel bagging",
        "mixed-kernel AdaBoost",
        "gradient boosting",
    ),
}


def seconds(make: Callable[[], Any], X: Any, y: Any) -> float:
    """Return the least wall time of a few fits, of one where it takes long.

    A fit within which a function is compiled does not count.
    """
    least, counted = np.inf, 0
    while counted < REPEATS and not 1.0 < least < np.inf:
        start = time.perf_counter()
        with compiling_counted() as compiled:
            make().fit(X, y)
        if not compiled:
            least, counted = min(least, time.perf_counter() - start), counted + 1
    return least


def measure(sizes: list[int]) -> pd.DataFrame:
    """Return a row a method, a column a size, and the exponent."""
    X, classes = Waveform(rows=max(sizes), seed=1).draw()
    X, y = (X - X.mean(axis=0)) / X.std(axis=0), np.where(classes == 0, 1, -1)
    rows = []
    for name, (library, make) in METHODS.items():
        times: dict[int, float] = {}
        for m in sizes:
            times[m] = seconds(make, X[:m], y[:m])
            if times[m] > SECONDS:
                break
        last = list(times)[-FITTED:]
        exponent = np.polyfit(np.log(last), np.log([times[m] for m in last]), 1)[0]
        rows.append({"method": name, "library": library, **times, "exponent": exponent})
    return pd.DataFrame(rows)[["method", "library", *sizes, "exponent"]]


def sizes_of(table: pd.DataFrame) -> list[int]:
    """Return the numbers of rows that a table has columns for."""
    return [int(name) for name in table.columns if name.isdigit()]


def draw(table: pd.DataFrame, path: Path) -> None:
    """Draw seconds against rows, log-log: ours with filled circles, peers with open squares."""
    rows, sizes = table.set_index("method"), sizes_of(table)
    with style.context(["default", STYLE]):
        figure = Figure(figsize=(10.0, 4.4), layout="constrained")
        panels = figure.subplots(1, len(PANELS), sharey=True)
        for letter, axes, (title, methods) in zip("abc", panels, PANELS.items(), strict=True):
            for number, method in enumerate(methods):
                row = rows.loc[method]
                times = row[[str(m) for m in sizes]].astype(float)
                ours = row["library"] == "ensvm"
                marks = {"marker": "o"} if ours else {"marker": "s", "markerfacecolor": "white"}
                axes.loglog(
                    sizes, times, **look_of(number), **marks, markersize=MARKER_SIZE,
                    label=f"{method}, m^{row['exponent']:.1f}",
                )  # fmt: skip
            axes.set_title(f"({letter}) {title}")
            axes.set_xlabel("training rows m")
            axes.set_xticks(sizes[::3], [f"{size:,}" for size in sizes[::3]])
            axes.minorticks_off()
            # A handle as long as the longest pattern of dashes shows it whole.
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), handlelength=4.0)
        panels[0].set_ylabel("seconds of a fit, one thread")
        panels[0].yaxis.set_major_formatter("{x:g}")
        path.write_bytes(files_of(figure, [path.suffix])[0])


def page_of(table: pd.DataFrame) -> str:
    """Return the page: what grows fastest, the table, and the picture."""
    peers = table["library"] != "ensvm"
    shown = pd.DataFrame({"method": table["method"].mask(peers, "*" + table["method"] + "*")})
    largest_size, in_page = max(sizes_of(table)), [m for m in sizes_of(table) if m in SHOWN]
    for m in in_page:
        # a number stays on one line with its unit
        texts = [duration(seconds).replace(" ", "\u00a0") for seconds in table[str(m)]]
        shown[f"{m:,}"] = texts
    shown["grows as"] = [f"m^{exponent:.1f}" for exponent in table["exponent"]]
    text = shown.to_markdown(index=False, colalign=["left", *["right"] * (len(in_page) + 1)])
    largest = table.dropna(subset=str(largest_size))
    least, most = largest.loc[largest[str(largest_size)].agg(["idxmin", "idxmax"]), "method"]
    return (
        f"# How seconds grow\n\nOne fit on {largest_size:,} rows takes from "
        f"{duration(largest[str(largest_size)].min())} ({least}) to "
        f"{duration(largest[str(largest_size)].max())} ({most}).\n\n"
        "![seconds of a fit against the training rows, of our methods and of scikit-learn's]"
        f"(growth.svg)\n\n{text}\n\nOne fit on one thread, kernel values "
        f"included, of class 0 of Breiman's waveforms against the others, by training rows m; "
        f"scikit-learn's are in italics. Empty: a fit of fewer rows took more than {SECONDS:g} s. "
        f"What it grows as is fitted to the last {FITTED} of the sizes in growth.csv, each twice "
        "the one before.\n"
    )


def duration(seconds: float) -> str:
    """Return seconds as text, with the milliseconds of what is shorter; empty for NaN."""
    if np.isnan(seconds):
        return ""
    return f"{seconds:.3g} s" if seconds >= 1.0 else f"{float(f'{1000 * seconds:.2g}'):g} ms"


def main() -> None:
    """Measure, print and write."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--output", type=Path, default=Path("results/bench"))
    options.add_argument("--sizes", type=int, nargs="*", default=[*SIZES])
    options.add_argument("--draw", action="store_true", help="only draw what is in growth.csv")
    given = options.parse_args()
    folder: Path = given.output
    folder.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    if not given.draw:
        with threadpool_limits(1):
            measure(given.sizes).to_csv(folder / "growth.csv", index=False)
    table = pd.read_csv(folder / "growth.csv")
    page = page_of(table)
    (folder / "growth.md").write_text(page, encoding="utf-8")
    draw(table, folder / "growth.svg")
    print(page)


if __name__ == "__main__":
    main()
