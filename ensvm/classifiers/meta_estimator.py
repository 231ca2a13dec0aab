"""Bases of the classifiers that fit copies of another classifier, and these copies."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn import config_context
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import Tags, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from ensvm.classifiers.base import BinaryClassifier, drawn_seed, signed_labels
from ensvm.classifiers.shared_docs import documented
from ensvm.classifiers.sklearn_private import HasMethods


@documented
class BinaryMetaEstimator(MetaEstimatorMixin, BinaryClassifier):
    """Base of the classifiers that fit copies of another classifier to two classes.

    A subclass has the parameters `estimator` and `random_state`, and may name a default base
    estimator of its own in `_default_base`. Inputs may be dense or sparse; sparse ones are accepted
    where the base estimator takes them.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [None, HasMethods(["fit", "predict"])],
        "random_state": ["random_state"],
    }

    estimator: Any
    random_state: int | np.random.RandomState | None

    @abstractmethod
    def fit(self, X: Any, y: Any) -> Self:
        """Fit to training rows and their labels.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The training rows.
        y : array-like of shape (n_samples,)
            Their labels, of two values.

        Returns
        -------
        self : classifier
            The fitted estimator.

        Raises
        ------
        ValueError
            For another number of classes, or a parameter out of range.
        """

    def __sklearn_tags__(self) -> Tags:
        """Return scikit-learn's tags: sparse where the base estimator is."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self._base()).input_tags.sparse
        return tags

    def _default_base(self) -> Any:
        """Return the base estimator where `estimator` is None: an unpruned decision tree."""
        return DecisionTreeClassifier()

    def _base(self) -> Any:
        return self._default_base() if self.estimator is None else self.estimator

    def _validated_training(self, X: Any, y: Any) -> tuple[Any, Any, NDArray[np.float64]]:
        """Return the training input, its labels, and these as -1 and +1, having set `classes_`."""
        X, y = validate_data(self, X, y, accept_sparse="csr")
        self.classes_, signs = signed_labels(y, type(self).__name__)
        return X, y, signs

    def _validated(self, X: Any) -> Any:
        """Return the rows to predict."""
        check_is_fitted(self)
        return validate_data(self, X, accept_sparse="csr", reset=False)

    def _signs(self, labels: ArrayLike) -> NDArray[np.float64]:
        """Return labels of the two classes as -1 and +1, shape (n,)."""
        return np.where(np.asarray(labels) == self.classes_[1], 1.0, -1.0)


def _copy_has(name: str) -> Callable[[Any], bool]:
    """Return the check of a `FittedCopy` that its copy, or what will be copied, has a method."""
    return lambda meta: hasattr(getattr(meta, "estimator_", None) or meta._base(), name)


@documented
class FittedCopy(BinaryMetaEstimator):
    """Base of the meta-estimators that predict as the one copy they fit, `estimator_`.

    `decision_function` and `predict_proba` are there where the copy has them.
    """

    estimator_: Any

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row as the fitted copy predicts it."""
        X = self._validated(X)
        return self.estimator_.predict(X)

    @available_if(_copy_has("decision_function"))
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return f(x) of each row as the fitted copy does; only where it does.

        Returns
        -------
        ndarray of shape (n,)
            The values of f.
        """
        X = self._validated(X)
        return self.estimator_.decision_function(X)

    @available_if(_copy_has("predict_proba"))
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class as the fitted copy does; only where it does.

        Returns
        -------
        ndarray of shape (n, 2)
            The probability of each class, in the order of `classes_`.
        """
        X = self._validated(X)
        return self.estimator_.predict_proba(X)


def seeded_clone(estimator: Any, generator: np.random.RandomState) -> Any:
    """Return an unfitted copy with every `random_state` in it set to a number drawn.

    Estimators among its parameters get seeds of their own too, in the order of the names.
    """
    copy = clone(estimator)
    seeds = {
        name: drawn_seed(generator)
        for name in sorted(copy.get_params(deep=True))
        if name.rpartition("__")[2] == "random_state"
    }
    return copy.set_params(**seeds)


class SharedRows:
    """Checked rows, on which copies of a classifier are fitted and predict.

    scikit-learn's trees take float32 rows. They are made here once for all of them, as a small tree
    is fitted in less time than its rows are checked. The trees are the same.
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
        """Return the rows as a classifier takes them, and further arguments of its methods."""
        if self._narrow is None or not _is_tree(classifier):
            return self._X, {}
        return self._narrow, {"check_input": False}

    def predict(self, fitted: Any) -> NDArray[Any]:
        """Return the labels that a fitted classifier predicts, shape (n,)."""
        X, options = self.taken_by(fitted)
        labels: NDArray[Any] = fitted.predict(X, **options)
        return labels


class SeededCopies:
    """Copies of a classifier with seeds of their own, as `seeded_clone` makes them."""

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
        X, options = rows.taken_by(unfitted)
        # The parameters of all copies are those of the first, but for the seeds.
        with config_context(skip_parameter_validation=self._valid):
            fitted = unfitted.fit(X, y, **options, **more)
        self._valid = self._valid or type(unfitted) is type(self._base) or None
        return fitted


def _is_tree(classifier: Any) -> bool:
    """Return whether it is a tree of scikit-learn's, with the methods that it has there."""
    return type(classifier).__module__.startswith("sklearn.") and isinstance(
        classifier, DecisionTreeClassifier
    )
