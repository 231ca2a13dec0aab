"""What the linear classifiers sgn(w.x + w_0) of COMP 6321, lecture 5, share."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ensvm.classifiers.base import (
    BinaryClassifier,
    Solution,
    checked_weights,
    dense,
    signed_labels,
    validated,
)
from ensvm.classifiers.shared_docs import documented
from ensvm.classifiers.sklearn_private import fit_context

COPIES = 3.0  # copies of the rows in memory: the rows, and what the solvers make of them


@documented
class LinearClassifier(BinaryClassifier):
    """Base of the binary classifiers f(x) = w.x + w_0.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        The normal vector w of the plane.
    intercept_ : ndarray of shape (1,)
        The offset w_0.
    """

    @abstractmethod
    def _solve(
        self,
        X: NDArray[np.float64],
        signs: NDArray[np.float64],
        sample_weight: NDArray[np.float64] | None,
    ) -> Solution:
        """Return the plane, w as its coefficients; sets nothing on `self`.

        X is the validated training input, shape (m, n_features), `signs` are the labels as -1, +1,
        and `sample_weight` is >= 0 of shape (m,), or None if `fit` got none.
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
        self : classifier
            The fitted classifier.

        Raises
        ------
        ValueError
            If there are not two classes, an input is not finite, or a parameter is out of its
            range.
        """
        return self._fit(X, y, None)

    @fit_context(prefer_skip_nested_validation=True)
    def _fit(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Self:
        """Validate, find the plane, and set every fitted attribute."""
        X, y = validated(self, X, y, accept_sparse="csr", dtype=np.float64, order="C")
        X = dense(X, COPIES, type(self).__name__)
        self.classes_, signs = signed_labels(y, type(self).__name__)
        weight = checked_weights(sample_weight, X)
        plane = self._solve(X, signs, weight)
        self.coef_, self.intercept_ = plane.coefficients[None, :], np.array([plane.intercept])
        self._keep(plane.attributes, plane.ending)
        return self

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return f(x) = w.x + w_0 of each row."""
        check_is_fitted(self)
        X = validated(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return X @ self.coef_[0] + self.intercept_[0]
