"""Kernel expansions that take weights of their training rows."""

from typing import Any, Self

from numpy.typing import ArrayLike

from ensvm.classifiers.base.kernel_expansion import KernelExpansionClassifier


class WeightedExpansionClassifier(KernelExpansionClassifier):
    """Base of the kernel expansions that are fitted to a distribution over the training rows."""

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the classifier to training rows, their labels and the distribution over them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The training rows, or their Gram matrix of shape (n_samples, n_samples) with
            `kernel='precomputed'`.
        y : array-like of shape (n_samples,)
            The labels, of two distinct values.
        sample_weight : array-like of shape (n_samples,), default None
            The weights of the rows, at least 0 and not all 0, divided by their sum; None for equal
            weights.

        Returns
        -------
        self : WeightedExpansionClassifier
            The fitted classifier.

        Raises
        ------
        ValueError
            If there are not two classes, the Gram matrix is not square, a weight or a parameter is
            out of its range, or the method has no machine for this distribution.
        """
        return self._fit(X, y, sample_weight)
