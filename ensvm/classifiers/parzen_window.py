"""The Parzen window classifier: every training row votes with its kernel, and all have the same weight."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.classifiers.base.kernel_expansion import Expansion, KernelExpansionClassifier
from ensvm.kernels import KernelFunction


class ParzenWindowClassifier(KernelExpansionClassifier):
    """Binary classifier f(x) = (1/m) sum_i y_i k(x_i, x).

    It is the first hypothesis of `PartiallyTrainedEnsemble`. Nothing is optimised, and fitting
    makes no Gram matrix.

    Parameters
    ----------
    kernel : 'linear' | 'poly' | 'rbf' | 'precomputed' | callable of (X, Y), default 'rbf'
    gamma : positive float | 'scale' | 'auto' | 'mean-distance', default 'mean-distance': 1 over the
        mean squared distance of the training rows to their mean; read by 'rbf' and 'poly'
    degree : int >= 0, default 3; read by 'poly'
    coef0 : float, default 0.0; read by 'poly'

    Attributes
    ----------
    classes_ : array of shape (2,), sorted
    weights_ : array of shape (n_samples,), 1 / n_samples each
    support_, dual_coef_, X_fit_ : rows of the expansion, their coefficients y_i weights_i, their
        inputs (None if precomputed)
    intercept_ : 0.0
    gamma_ : float, the width used; None for kernels without one
    certificate_ : 0.0, for the weights are what the method asks for, exactly
    n_features_in_ : int

    Reference
    ---------
    Tsang & Kwok, Ensembles of Partially Trained SVMs with Multiplicative Updates, IJCAI-07, section
    3.1.
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
