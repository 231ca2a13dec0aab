"""Small two-class problems with their Gram matrices, those that break textbook rules among them."""

import numpy as np
from sklearn.datasets import make_classification
from sklearn.svm import OneClassSVM

from ensvm.kernels import gram, resolve_gamma


def clouds(m=40, seed=0, n_positive=None):
    rng = np.random.default_rng(seed)
    n_positive = m // 3 if n_positive is None else n_positive
    y = np.where(np.arange(m) < n_positive, 1.0, -1.0)
    return rng.normal(size=(m, 2)) + 0.5 * y[:, None], y


def rbf(X, gamma=0.5):
    return gram(X, kernel="rbf", gamma=gamma)


def noisy_rows(seed=0, m=60, d=5, noise=1.0):
    """Return normal rows, and labels by the sign of the first input, which noise changes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, d))
    return X, np.where(X[:, 0] + noise * rng.normal(size=m) > 0.0, 1.0, -1.0)


def noisy_gram(seed=0, m=60, d=5, noise=1.0):
    """Return the Gaussian Gram matrix of `noisy_rows`, and their labels."""
    X, y = noisy_rows(seed, m, d, noise)
    return gram(X, kernel="rbf", gamma=resolve_gamma("mean-distance", X)), y


def simplex_optimum(signed, nu):
    """Return the least `a' signed a` of weights that sum to 1, none above 1 / (nu m), and them.

    They are those of LIBSVM, whose one-class machine has the same constraints.
    """
    machine = OneClassSVM(kernel="precomputed", nu=nu, tol=1e-10).fit(signed)
    weights = np.zeros(len(signed))
    weights[machine.support_] = machine.dual_coef_.ravel() / machine.dual_coef_.sum()
    return float(weights @ signed @ weights), weights


def crossed_rows(seed=0, m=120, d=3, noise=0.5):
    """Return normal rows, and labels by the sign of the product of two inputs, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, d))
    return X, np.where(X[:, 0] * X[:, 1] + noise * rng.normal(size=m) > 0.0, 1.0, -1.0)


def letters(n_classes=3, n=200):
    """Return rows of overlapping classes that are named by letters."""
    X, y = make_classification(
        n,
        6,
        n_informative=4,
        n_classes=n_classes,
        n_clusters_per_class=1,
        class_sep=0.8,
        flip_y=0.05,
        random_state=1,
    )
    return X, np.array(list("abcde"))[y]


def lattice():
    side = np.arange(6.0)
    X = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    return X, np.where(X.sum(axis=1) % 2 == 0, 1.0, -1.0)


def difficult(name):
    """Return a Gram matrix and labels on which textbook rules divide by zero or cycle."""
    X, y = clouds()
    if name == "one row in ten twice":
        X[-4:] = X[:4]
        return rbf(X), y
    if name == "every row three times":
        return rbf(np.repeat(X[8:20], 3, axis=0)), np.repeat(y[8:20], 3)
    if name == "opposite labels on identical rows":
        X[20:] = X[:20]
        return rbf(X), y
    if name == "two identical points of opposite labels":
        return np.ones((2, 2)), np.array([1.0, -1.0])
    if name == "all rows identical":
        return np.ones((5, 5)), y[10:15]
    if name == "constant features":
        return gram(np.column_stack([X, np.ones((40, 3))]), kernel="linear", gamma=None), y
    if name == "one positive point":
        X, y = clouds(n_positive=1)
        return rbf(X), y
    if name == "one negative point":
        X, y = clouds(n_positive=39)
        return rbf(X), y
    if name == "linear kernel of rank two":
        return X @ X.T, y
    if name == "linear kernel far from the origin":
        return (100.0 * X + 50.0) @ (100.0 * X + 50.0).T, y
    if name == "balanced classes on a lattice":
        X, y = lattice()
        return rbf(X), y
    if name == "rounded inputs, wide kernel":
        return rbf(np.round(X), 1e-3), y
    return np.zeros((6, 6)), np.array([1.0, 1.0, 1.0, 1.0, -1.0, -1.0])


DIFFICULTIES = (
    "one row in ten twice", "every row three times", "opposite labels on identical rows",
    "two identical points of opposite labels",
    "all rows identical", "constant features", "one positive point", "one negative point",
    "linear kernel of rank two",
    "linear kernel far from the origin", "balanced classes on a lattice",
    "rounded inputs, wide kernel", "zero kernel",
)  # fmt: skip
