"""Small two-class problems with their Gram matrices, those that break textbook rules among them."""

import numpy as np
from sklearn.datasets import make_classification
from sklearn.svm import OneClassSVM

from ensvm.kernels import gram, resolve_gamma
from ensvm.solvers.regularization_path.leave_one_out import values_without_rows


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


def left_out_values(K, labels, alpha, intercept, upper, kept=None, exact=False):
    """Return f without row i at row i, for a machine with an intercept that any solver found."""
    matrix = K.view()
    matrix.flags.writeable = False
    kept = np.zeros_like(upper) if kept is None else kept
    return values_without_rows(
        matrix, labels, labels * alpha, intercept, upper, kept, True, exact, False
    )


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


def difficulties():
    """Return Gram matrices with labels on which textbook rules divide by zero or cycle."""
    X, y = clouds()
    half = np.vstack([X[:20], X[:20]])
    far = 100.0 * X + 50.0
    chessboard = np.stack(np.meshgrid(np.arange(6.0), np.arange(6.0)), axis=-1).reshape(-1, 2)
    colours = np.where(chessboard.sum(axis=1) % 2 == 0, 1.0, -1.0)
    one_positive, one_negative = clouds(n_positive=1), clouds(n_positive=39)
    return {
        "one row in ten twice": (rbf(np.vstack([X[:36], X[:4]])), y),
        "every row three times": (rbf(np.repeat(X[8:20], 3, axis=0)), np.repeat(y[8:20], 3)),
        "opposite labels on identical rows": (rbf(half), y),
        "two identical points of opposite labels": (np.ones((2, 2)), np.array([1.0, -1.0])),
        "all rows identical": (np.ones((5, 5)), y[10:15]),
        "constant features": (
            gram(np.column_stack([X, np.ones((40, 3))]), kernel="linear", gamma=None),
            y,
        ),
        "one positive point": (rbf(one_positive[0]), one_positive[1]),
        "one negative point": (rbf(one_negative[0]), one_negative[1]),
        "linear kernel of rank two": (X @ X.T, y),
        "linear kernel far from the origin": (far @ far.T, y),
        "balanced classes on a lattice": (rbf(chessboard), colours),
        "rounded inputs, wide kernel": (rbf(np.round(X), 1e-3), y),
        "zero kernel": (np.zeros((6, 6)), np.array([1.0, 1.0, 1.0, 1.0, -1.0, -1.0])),
    }


DIFFICULTIES = tuple(difficulties())


def difficult(name):
    """Return one of the difficulties, in arrays of its own."""
    return difficulties()[name]
