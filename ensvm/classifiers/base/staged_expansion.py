"""Kernel expansions that can say what they predict at every stage of their training."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.classifiers.base.kernel_expansion import KernelExpansionClassifier


class StagedExpansionClassifier(KernelExpansionClassifier):
    """Base of the kernel expansions that are trained in stages, each of them a machine."""

    @abstractmethod
    def staged_decision_function(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Yield the values of f at each row, stage by stage.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            The rows to predict, or their kernel values with the training rows, of shape
            (n, n_samples), with `kernel='precomputed'`.

        Yields
        ------
        values : ndarray of shape (n,)
            The values of f at one stage.
        """

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the class of each row at the stages of `staged_decision_function`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            The rows to predict, or their kernel values with the training rows, of shape
            (n, n_samples), with `kernel='precomputed'`.

        Yields
        ------
        labels : ndarray of shape (n,)
            The classes predicted at one stage.
        """
        for decision in self.staged_decision_function(X):
            yield self._classes_of(decision)
