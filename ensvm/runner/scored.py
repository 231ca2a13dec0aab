"""A fitted classifier as the scorers of scikit-learn expect one, whatever it returns."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if

from ensvm.class_columns import aligned_decisions, aligned_probabilities
from ensvm.runner.estimator_output import Misbehaves, numbers_of


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
    labels : ndarray
        All labels of the data, which may be more.

    Attributes
    ----------
    doubt : str
        Why the last scores may not be those of the classes; empty if nothing speaks against it.
    """

    def __init__(self, fitted: Any, classes: NDArray[Any], labels: NDArray[Any]) -> None:
        self.fitted, self.classes, self.labels = fitted, classes, labels
        self.doubt = ""

    def __sklearn_is_fitted__(self) -> bool:
        return True

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels in increasing order."""
        return np.union1d(self.classes, self.labels)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predicted labels, shape (n,)."""
        labels = numbers_of(self.fitted.predict(X))
        return labels[:, 0] if labels.ndim == 2 and labels.shape[1] == 1 else labels

    @available_if(lambda self: hasattr(self.fitted, "predict_proba"))
    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Return the probabilities of `classes_`, shape (n, n_classes).

        Raises Misbehaves if the classifier does not return a column for each of its classes.
        """
        return self._scores("predict_proba", X, aligned_probabilities)

    @available_if(lambda self: hasattr(self.fitted, "decision_function"))
    def decision_function(self, X: Any) -> NDArray[Any]:
        """Return the decision values: shape (n,) for two classes, else (n, n_classes).

        Raises Misbehaves if the classifier does not return a column for each of its classes.
        """
        if self.classes.size > 2 and _is_of_pairs(self.fitted):
            raise Misbehaves("decision_function is of pairs of classes, not of classes")
        return self._scores("decision_function", X, aligned_decisions)

    def _scores(self, method: str, X: Any, aligned: Callable[..., NDArray[Any]]) -> NDArray[Any]:
        """Return scores of `classes_`; a column, or a list of one array, is unpacked."""
        values = getattr(self.fitted, method)(X)
        if isinstance(values, list) and len(values) == 1 and np.ndim(values[0]) == 2:
            values = values[0]
        array = numbers_of(values)
        array = array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array
        try:
            scores = aligned(array, self._classes_in_columns(values), self.classes_)
        except ValueError as error:
            raise Misbehaves(f"{method} returned {error}") from error
        if self._contradict(scores, X):
            self.doubt = (
                f"{method} contradicts predict: rows have low values of the class that is "
                "predicted; are its columns in the order of classes_?"
            )
        return scores

    def _contradict(self, scores: NDArray[Any], X: Any) -> bool:
        """Return whether scores of `classes_` say the opposite of the predicted labels.

        Of two classes any threshold may decide: then rows of one label have larger scores of it on
        average. Of more classes the largest score is that of the label, in half of the rows or
        more.
        """
        labels = self.predict(X)
        if self.classes_.size > 2:
            return bool(np.mean(self.classes_[scores.argmax(axis=1)] != labels) > 0.5)
        of_second = scores if scores.ndim == 1 else scores[:, 1]
        second = labels == self.classes_[1]
        if second.all() or not second.any():
            return False
        return bool(of_second[second].mean() < of_second[~second].mean())

    def _classes_in_columns(self, values: Any) -> NDArray[Any]:
        """Return the classes in the order of columns, which a data frame may name."""
        columns = getattr(values, "columns", None)
        if type(columns).__name__ == "RangeIndex":  # positions, not names
            return self.classes
        with suppress(TypeError, ValueError):
            named = np.asarray(columns, dtype=np.float64)
            if np.array_equal(np.sort(named), np.sort(self.classes)):
                return named
        return self.classes


def _is_of_pairs(fitted: Any) -> bool:
    """Return whether the decision values of a classifier, or of its last part, are of pairs."""
    parameters = fitted.get_params() if hasattr(fitted, "get_params") else {}
    return any(
        key.rpartition("__")[2] == "decision_function_shape" and value == "ovo"
        for key, value in parameters.items()
    )
