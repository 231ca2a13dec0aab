"""How often the interval of a mean over realizations that share rows covers what it estimates.

For each of many data sets drawn anew, two classifiers (Fisher's discriminant and the nearest mean)
are compared on realizations that split its rows. The 95 % interval of their mean difference is
taken as if the realizations were independent, by Nadeau and Bengio's n_test / n_train, and by
`ensvm.data.splits.overlap`. Where the test part is the larger, the second is many times too wide.
"""

import argparse

import numpy as np
from scipy.stats import t

from ensvm.data.splits import KFoldSplit, RandomSplit, Split, overlap, split_rows

DIM = 10
CASES: list[tuple[Split, int, int]] = [  # split, rows, realizations
    (RandomSplit(protocol="random", n_train=400, n_test=4600), 5000, 10),
    (RandomSplit(protocol="random", n_train=400, n_test=4600), 5000, 100),
    (RandomSplit(protocol="random", n_train=150, n_test=2051), 2201, 10),
    (RandomSplit(protocol="random", n_train=700, n_test=300), 1000, 10),
    (RandomSplit(protocol="random", n_train=700, n_test=300), 1000, 100),
    (KFoldSplit(protocol="kfold", n_splits=10), 500, 10),
]


def draw(rng: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return two overlapping normal classes, of which one has correlated inputs."""
    y = rng.integers(0, 2, rows)
    X = rng.normal(size=(rows, DIM))
    mixed = np.eye(DIM) + 0.15 * np.random.default_rng(0).normal(size=(DIM, DIM))
    X[y == 1] = X[y == 1] @ mixed + 0.45
    return X, y


def difference(X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> float:
    """Return the test error of Fisher's discriminant minus that of the nearest mean."""
    classes = [X[train][y[train] == label] for label in (0, 1)]
    first, second = (rows.mean(axis=0) for rows in classes)
    within = sum(np.cov(rows.T) for rows in classes)
    errors = [
        np.mean(((X[test] - (first + second) / 2) @ normal > 0.0) != y[test])
        for normal in (np.linalg.solve(within, second - first), second - first)
    ]
    return float(errors[0] - errors[1])


def main(sets: int) -> None:
    """Print coverage and mean width of the three intervals for each split."""
    rng = np.random.default_rng(1)
    for split, rows, n in CASES:
        means, spreads = np.empty(sets), np.empty(sets)
        for number in range(sets):
            X, y = draw(rng, rows)
            parts = [split_rows(split, f"set {number}", r, y, None) for r in range(1, n + 1)]
            found = [difference(X, y, train, test) for train, test in parts]
            means[number], spreads[number] = np.mean(found), np.std(found, ddof=1)
        n_train, n_test = (len(part) for part in parts[0])
        print(f"{n_train} training rows, {n_test} test rows, {n} realizations")
        ratios = {
            "independent": 0.0,
            "n_test / n_train": n_test / n_train,
            "overlap": overlap(split),
        }
        for name, ratio in ratios.items():
            half = t.ppf(0.975, n - 1) * spreads * np.sqrt(1 / n + ratio)
            covered = np.mean(np.abs(means - means.mean()) < half)
            print(f"  {name:<17} covers {100 * covered:5.1f} %, width {2 * half.mean():.4f}")


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sets", type=int, default=150, help="data sets drawn for each case")
    main(options.parse_args().sets)
