"""Copies of a classifier fitted on the same rows: what all of them would check is checked once."""

from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

from ensvm.classifiers.base.meta_estimator import seeded_clone
from ensvm.classifiers.base.seeds import drawn_seed


class SharedRows:
    """Checked rows, on which copies of a classifier are fitted and predict.

    scikit-learn's trees take float32 rows. They are made here once for all of them, as a small tree
    is fitted in less time than its rows are checked. The trees are the same.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n, n_features)
        The rows, finite.
    """

    def __init__(self, X: Any) -> None:
        self._X = X
        self._narrow: NDArray[np.float32] | None = None
        if not issparse(X):
            with np.errstate(over="ignore"):
                narrow = np.ascontiguousarray(X, dtype=np.float32)
            # A number beyond the range of float32 is left to the tree, which refuses it.
            if np.isfinite(narrow).all():
                self._narrow = narrow

    def take(self, rows: NDArray[np.int64]) -> Self:
        """Return some of the rows."""
        part = copy(self)
        part._X = self._X[rows]
        part._narrow = None if self._narrow is None else self._narrow[rows]
        return part

    def taken_by(self, classifier: Any) -> tuple[Any, dict[str, bool]]:
        """Return the rows as a classifier takes them, and what its methods are told about them."""
        if self._narrow is None or not _is_tree(classifier):
            return self._X, {}
        return self._narrow, {"check_input": False}

    def predict(self, fitted: Any) -> NDArray[Any]:
        """Return the labels that a fitted classifier predicts, shape (n,)."""
        X, told = self.taken_by(fitted)
        labels: NDArray[Any] = fitted.predict(X, **told)
        return labels


class SeededCopies:
    """Copies of a classifier with seeds of their own, as `seeded_clone` makes them.

    Parameters
    ----------
    base : estimator
        What is copied.
    generator : RandomState
        Draws the seeds.
    """

    def __init__(self, base: Any, generator: np.random.RandomState) -> None:
        self._base, self._generator = base, generator
        self._tree = clone(base) if _is_tree(base) else None
        self._valid: bool | None = None

    def new(self) -> Any:
        """Return an unfitted copy."""
        if self._tree is None:
            return seeded_clone(self._base, self._generator)
        tree = copy(self._tree)
        tree.random_state = drawn_seed(self._generator)
        return tree

    def fit(self, unfitted: Any, rows: SharedRows, y: NDArray[Any], **more: Any) -> Any:
        """Fit a copy on rows with their labels, and return it; `more` is given to its `fit`."""
        X, told = rows.taken_by(unfitted)
        # The parameters of all copies are those of the first, but for the seeds.
        with config_context(skip_parameter_validation=self._valid):
            fitted = unfitted.fit(X, y, **told, **more)
        self._valid = self._valid or type(unfitted) is type(self._base) or None
        return fitted


def _is_tree(classifier: Any) -> bool:
    """Return whether it is a tree of scikit-learn's, with the methods that it has there."""
    return type(classifier).__module__.startswith("sklearn.") and isinstance(
        classifier, DecisionTreeClassifier
    )
