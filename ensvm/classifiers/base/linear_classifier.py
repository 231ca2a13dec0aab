"""What the linear classifiers sgn(w.x + w_0) of COMP 6321, lecture 5, share."""

from abc import ABCMeta, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from ensvm.classifiers.base.dense import dense
from ensvm.classifiers.base.ending import Ending, keep_ending
from ensvm.classifiers.base.labels import signed_labels
from ensvm.classifiers.base.weights import checked_weights

COPIES = 3.0  # of the rows: as they are, and what the solvers make of them


@dataclass(frozen=True)
class Plane:
    """What `_find_plane` returns: w and w_0, and what is known of them."""

    weights: NDArray[np.float64]
    """Shape (n_features,)."""
    offset: float
    attributes: Mapping[str, Any]
    """Fitted attributes to set: name with its underscore -> value."""
    ending: Ending


class LinearClassifier(ClassifierMixin, BaseEstimator, metaclass=ABCMeta):
    """Base of the binary classifiers f(x) = w.x + w_0.

    Labels may be any two values; the second in sorted order is +1. As the notes define sgn, f(x) =
    0 counts as +1.
    """

    @abstractmethod
    def _find_plane(
        self,
        X: NDArray[np.float64],
        signs: NDArray[np.float64],
        sample_weight: NDArray[np.float64] | None,
    ) -> Plane:
        """Return the plane; sets nothing on `self`.

        X is the validated training input, shape (m, n_features), `signs` are the labels as -1, +1,
        and `sample_weight` is >= 0 of shape (m,), or None where none was given.
        """

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the classifier to training rows and their labels.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The training rows; sparse ones are made dense.
        y : array-like of shape (n_samples,)
            The labels, of two distinct values.

        Returns
        -------
        self : LinearClassifier
            The fitted classifier.

        Raises
        ------
        ValueError
            If there are not two classes, an input is not finite, or a parameter is out of its
            range.
        """
        return self._fit(X, y, None)

    @_fit_context(prefer_skip_nested_validation=True)
    def _fit(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Self:
        """Validate, find the plane, and set every fitted attribute."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, order="C")
        X = dense(X, COPIES, type(self).__name__)
        self.classes_, signs = signed_labels(y, type(self).__name__)
        weight = checked_weights(sample_weight, X)
        plane = self._find_plane(X, signs, weight)
        self.coef_, self.intercept_ = plane.weights[None, :], np.array([plane.offset])
        for name, value in plane.attributes.items():
            setattr(self, name, value)
        keep_ending(self, plane.ending)
        return self

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return f(x) = w.x + w_0 for each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n, n_features)
            The rows to predict.

        Returns
        -------
        values : ndarray of shape (n,)
            The values of f.
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return X @ self.coef_[0] + self.intercept_[0]

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of each row: `classes_[1]` where f(x) >= 0.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n, n_features)
            The rows to predict.

        Returns
        -------
        labels : ndarray of shape (n,)
            The classes predicted.
        """
        values = self.decision_function(X)
        return self.classes_[(values >= 0.0).astype(int)]

    def __sklearn_tags__(self) -> Tags:
        """Return scikit-learn's tags: binary only, sparse too."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        return tags
