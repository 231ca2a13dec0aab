"""A fitted classifier as the scorers of scikit-learn expect one, whatever it returns."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if

from ensvm.runner.answers import Misbehaves, numbers_of


class Scored(ClassifierMixin, BaseEstimator):
    """A fitted classifier as the scorers of scikit-learn expect one.

    Its classes are in increasing order, and what it predicts are arrays of the usual shapes:
    libraries return columns, data frames, or the probability of the second of two classes alone.

    Parameters
    ----------
    fitted : classifier
        The fitted classifier.
    classes : ndarray of shape (n_classes,)
        The labels that it may predict, in its own order.
    """

    def __init__(self, fitted: Any, classes: NDArray[Any]) -> None:
        self.fitted, self.classes = fitted, classes

    def __sklearn_is_fitted__(self) -> bool:
        return True

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels in increasing order."""
        return np.sort(self.classes)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predicted labels, shape (n,)."""
        labels = numbers_of(self.fitted.predict(X))
        return labels[:, 0] if labels.ndim == 2 and labels.shape[1] == 1 else labels

    @available_if(lambda self: hasattr(self.fitted, "predict_proba"))
    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Return the probabilities of `classes_`, shape (n, n_classes).

        Raises Misbehaves if the classifier returns another number of columns.
        """
        values = self._scores("predict_proba", X)
        if values.ndim == 1 and self.classes.size == 2:
            values = np.column_stack([1.0 - values, values])
        if values.ndim != 2 or values.shape[1] != self.classes.size:
            raise Misbehaves(
                f"predict_proba returned shape {values.shape}; a column for each of"
                f" {self.classes.size} classes is expected"
            )
        return self._in_order(values)

    @available_if(lambda self: hasattr(self.fitted, "decision_function"))
    def decision_function(self, X: Any) -> NDArray[Any]:
        """Return the decision values: shape (n,) for two classes, else (n, n_classes)."""
        values = self._scores("decision_function", X)
        if values.ndim == 2:
            return self._in_order(values)
        return values if self._is_in_order else -values

    def _scores(self, method: str, X: Any) -> NDArray[Any]:
        """Return an array; a column, or a list with one array for a single output, is unpacked."""
        values = getattr(self.fitted, method)(X)
        if isinstance(values, list) and len(values) == 1 and np.ndim(values[0]) == 2:
            values = values[0]
        array = numbers_of(values)
        return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array

    @property
    def _is_in_order(self) -> bool:
        return bool((self.classes[:-1] < self.classes[1:]).all())

    def _in_order(self, values: NDArray[Any]) -> NDArray[Any]:
        return values if self._is_in_order else values[:, np.argsort(self.classes)]
