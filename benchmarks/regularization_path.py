"""Seconds for the whole regularization path against a grid of 20 LIBSVM fits.

Also how they grow with m; one thread, kernel excluded.

LIBSVM gets the Gram matrix and its default tolerance (1e-3); the path is exact. The target is 3
grids. The R package svmpath took 25 of LIBSVM's grids for german (8.7 s against 0.35 s on one
machine, quoted, not measured here) and does not end on titanic. With `--plot FILE` (.png or .svg)
the growth is drawn too.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from _stopwatch import best_of
from sklearn.svm import SVC
from tabulate import tabulate
from threadpoolctl import threadpool_limits

from ensvm.data import DataUnavailable, find_card, load
from ensvm.data.generators import waveform
from ensvm.kernels import gram, resolve_gamma
from ensvm.solvers.regularization_path.path import RegularizationPath, regularization_path

SETS = ("titanic", "breast-cancer", "waveform", "diabetis", "german", "a1a", "svmguide1")
GRID = np.geomspace(1e-2, 1e4, 20)
SIZES = (200, 400, 800, 1600, 3200)
REPEATS = 3


def mean_distance_gram(X: Any) -> Any:
    """Return the Gaussian Gram matrix at the paper's width."""
    return gram(X, kernel="rbf", gamma=resolve_gamma("mean-distance", X))


def kept(path: RegularizationPath) -> int:
    """Return the bytes that a path keeps."""
    return sum(value.nbytes for value in vars(path).values() if isinstance(value, np.ndarray))


def against_grid(name: str) -> list[object]:
    """Return one row of the first table."""
    try:
        data = load(find_card(name)).realization(1)
    except DataUnavailable:
        return [name, "not at hand"]
    K, y = mean_distance_gram(data.X_train), data.y_train
    seconds, path = best_of(REPEATS, lambda: regularization_path(K, y))
    grid, _ = best_of(
        1, lambda: [SVC(C=C, kernel="precomputed", cache_size=1000).fit(K, y) for C in GRID]
    )
    events = f"{path.n_start_events} + {path.n_events}"
    return [
        name,
        y.size,
        seconds,
        grid,
        seconds / grid,
        events,
        path.n_repeats,
        path.largest_violation,
        kept(path) / K.nbytes,
    ]


def growth(m: int) -> list[object]:
    """Return one row of the second table: class 0 of Breiman's waveforms against the others."""
    X, classes = waveform(m, seed=1)
    K, y = mean_distance_gram((X - X.mean(axis=0)) / X.std(axis=0)), np.where(classes == 0, 1, -1)
    seconds, path = best_of(REPEATS if m < 2000 else 1, lambda: regularization_path(K, y))
    return [
        m,
        seconds,
        path.n_start_events + path.n_events,
        path.largest_violation,
        kept(path) / K.nbytes,
    ]


def plot(rows: list[list[Any]], exponent: float, path: Path) -> None:
    """Draw seconds against m, log-log, with the fitted power."""
    from matplotlib.figure import Figure

    m, seconds = (np.array([row[j] for row in rows], dtype=float) for j in (0, 1))
    figure = Figure(figsize=(3.6, 2.8), dpi=200, layout="constrained")
    axes = figure.subplots()
    level = np.exp(np.mean(np.log(seconds) - exponent * np.log(m)))
    axes.loglog(m, level * m**exponent, "-", color="#0072B2", label=f"fit: m^{exponent:.2f}")
    axes.loglog(m, seconds, "o", color="black", label="measured")
    axes.set(xlabel="training rows m", ylabel="seconds for the whole path")
    axes.set_xticks(m, [f"{size:g}" for size in m])
    axes.minorticks_off()
    axes.legend(frameon=False)
    figure.savefig(path, metadata={"Software": None} if path.suffix == ".png" else {"Date": None})


def main() -> None:
    """Print both tables, and draw the second where asked."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument(
        "--plot", type=Path, metavar="FILE", help="draw the growth into this .png or .svg file"
    )
    drawing: Path | None = options.parse_args().plot
    regularization_path(np.eye(2), [1, -1])  # compiled before anything is timed
    rows = [against_grid(name) for name in SETS]
    heads = [
        "data",
        "m",
        "path s",
        "20 fits s",
        "path / fits",
        "events: start + path",
        "repeats",
        "violation",
        "kept / Gram",
    ]
    print(tabulate(rows, heads, floatfmt=".3g"))
    sizes = [growth(m) for m in SIZES]
    print(
        "\n"
        + tabulate(sizes, ["m", "path s", "events", "violation", "kept / Gram"], floatfmt=".3g")
    )
    exponent = np.polyfit(np.log(SIZES), np.log([row[1] for row in sizes]), 1)[0]
    print(f"\nseconds grow as m^{exponent:.2f} from m = {SIZES[0]} to {SIZES[-1]}")
    if drawing is not None:
        plot(sizes, float(exponent), drawing)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
