"""The Parzen window classifier: every training row votes with the same weight."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.classifiers.base.kernel_expansion import Expansion, KernelExpansionClassifier
from ensvm.kernels import KernelFunction


class ParzenWindowClassifier(KernelExpansionClassifier):
    """Kernel classifier in which every training row votes with the same weight.

    The decision function is f(x) = (1/m) sum_i y_i k(x_i, x). Nothing is optimised, and fitting
    makes no Gram matrix. It is the first member of `PartiallyTrainedEnsemble`.

    Parameters
    ----------
    kernel : {'linear', 'poly', 'rbf', 'precomputed'} or callable, default 'rbf'
        The kernel; a callable takes two arrays of rows and returns their kernel values.
    gamma : float or {'scale', 'auto', 'mean-distance'}, default 'mean-distance'
        The width of 'rbf' and 'poly', positive. 'mean-distance' is 1 over the mean squared distance
        of the training rows to their mean.
    degree : int, default 3
        The degree of 'poly', at least 0.
    coef0 : float, default 0.0
        The constant of 'poly'.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The two classes, sorted.
    weights_ : ndarray of shape (n_samples,)
        The weight of each training row, 1 / n_samples.
    support_ : ndarray of shape (n_support,)
        The training rows of the expansion: all of them.
    dual_coef_ : ndarray of shape (n_support,)
        Their coefficients, y_i / n_samples.
    X_fit_ : ndarray or sparse matrix of shape (n_support, n_features)
        Their inputs; None with kernel='precomputed'.
    intercept_ : float
        Always 0.0.
    gamma_ : float
        The width used; None for kernels without one.
    certificate_ : float
        Always 0.0, for the weights are what the method asks for, exactly.
    n_features_in_ : int
        The number of features seen in `fit`.

    References
    ----------
    Tsang & Kwok, Ensembles of Partially Trained SVMs with Multiplicative Updates, IJCAI-07, section
    3.1.

    Examples
    --------
    >>> from ensvm import ParzenWindowClassifier
    >>> X, y = [[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1]
    >>> ParzenWindowClassifier().fit(X, y).score(X, y)
    1.0
    """

    def __init__(
        self,
        kernel: str | KernelFunction = "rbf",
        *,
        gamma: float | str = "mean-distance",
        degree: int = 3,
        coef0: float = 0.0,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0

    def _solve(
        self, X: Any, signs: NDArray[np.float64], sample_weight: NDArray[np.float64] | None
    ) -> Expansion:
        weights = np.full(signs.size, 1.0 / signs.size)
        return Expansion(signs * weights, attributes={"weights_": weights, "certificate_": 0.0})
