"""Bases of the classifiers that fit copies of another classifier, and these copies."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import Tags, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ensvm.class_columns import aligned_decisions, aligned_probabilities
from ensvm.classifiers.base import BinaryClassifier, drawn_seed, signed_labels, validated
from ensvm.classifiers.shared_docs import documented
from ensvm.classifiers.sklearn_private import HasMethods, RoutingNotSupportedMixin

FLOATS = (np.float64, np.float32)  # what a base estimator gets; other numbers become the first


@documented
class BinaryMetaEstimator(RoutingNotSupportedMixin, MetaEstimatorMixin, BinaryClassifier):
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
        X, y = self._validated_pair(X, y)
        self.classes_, signs = signed_labels(y, type(self).__name__)
        return X, y, signs

    def _validated_pair(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Return the training input and its labels."""
        X, y = validated(self, X, y, accept_sparse="csr", dtype=FLOATS)
        return with_short_indices(X), y

    def _validated(self, X: Any) -> Any:
        """Return the rows to predict."""
        check_is_fitted(self)
        return with_short_indices(
            validated(self, X, accept_sparse="csr", dtype=FLOATS, reset=False)
        )

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
        values = np.asarray(self.estimator_.decision_function(X))
        return aligned_decisions(values, self._classes_of_copy(), self.classes_)

    @available_if(_copy_has("predict_proba"))
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class as the fitted copy does; only where it does.

        Returns
        -------
        ndarray of shape (n, n_classes)
            The probability of each class, in the order of `classes_`.
        """
        X = self._validated(X)
        values = np.asarray(self.estimator_.predict_proba(X))
        return aligned_probabilities(values, self._classes_of_copy(), self.classes_)

    def _classes_of_copy(self) -> NDArray[Any]:
        """Return the classes of the fitted copy, in its own order."""
        return np.asarray(getattr(self.estimator_, "classes_", self.classes_))


def with_short_indices(X: Any) -> Any:
    """Return validated rows; sparse ones with indices of 32 bits if these suffice.

    scikit-learn's trees take no others, and SciPy makes others when it adds up double entries.
    """
    if not issparse(X) or X.indices.dtype == np.int32 or max(X.nnz, *X.shape) >= 2**31:
        return X
    indices, starts = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return type(X)((X.data, indices, starts), shape=X.shape)


def seeded_clone(
    estimator: Any, generator: np.random.RandomState, *, keep_given: bool = False
) -> Any:
    """Return an unfitted copy with every `random_state` in it set to a number drawn.

    Estimators among its parameters get seeds of their own too, in the order of the names. With
    `keep_given` only those that are None are set, as for the one copy of a meta-estimator.
    """
    copy = clone(estimator)
    seeds = {
        name: drawn_seed(generator)
        for name, value in sorted(copy.get_params(deep=True).items())
        if name.rpartition("__")[2] == "random_state" and not (keep_given and value is not None)
    }
    return copy.set_params(**seeds)
