"""The Parzen window classifier: every training row votes, with the same weight or its own."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.classifiers.base.kernel_expansion import Expansion
from ensvm.classifiers.base.weighted_expansion import WeightedExpansionClassifier
from ensvm.classifiers.base.weights import as_distribution, rows_that_count
from ensvm.kernels import KernelFunction, resolve_gamma


class ParzenWindowClassifier(WeightedExpansionClassifier):
    """Kernel classifier in which every training row votes with the same weight.

    The decision function is f(x) = (1/m) sum_i y_i k(x_i, x) with labels y_i in {-1, +1}: a new row
    gets the class whose training rows have the larger sum of kernel values with it. Nothing is
    optimised, and fitting makes no Gram matrix. The multiplicative updates of `RhoSVC` start at
    this machine, and it is the first member of `PartiallyTrainedEnsemble`. With sample weights w_i,
    w_i / sum_j w_j takes the place of 1/m, in the width that `gamma` names too: a row of weight 2
    is two rows, one of weight 0 is none.

    Parameters
    ----------
    kernel : {'linear', 'poly', 'rbf', 'precomputed'} or callable, default 'rbf'
        The kernel k(x, z): 'linear' is <x, z>, 'poly' is (gamma <x, z> + coef0)^degree and 'rbf' is
        exp(-gamma |x - z|^2). A callable takes two arrays of rows and returns the matrix of their
        kernel values; with 'precomputed' X is the Gram matrix itself. The kernel must be positive
        semidefinite.
    gamma : float or {'scale', 'auto', 'mean-distance'}, default 'mean-distance'
        The factor in 'rbf' and 'poly', a positive number. 'mean-distance' is 1 over the mean
        squared distance of the training rows to their mean; 'scale' is 1 / (n_features Var(X)) and
        'auto' 1 / n_features, as in scikit-learn.
    degree : int, default 3
        The degree of 'poly', at least 0.
    coef0 : float, default 0.0
        The constant of 'poly', a finite number.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The two classes in sorted order; the second is +1, predicted where f(x) > 0.
    weights_ : ndarray of shape (n_samples,)
        The weight of each training row, 1 / n_samples without sample weights.
    support_ : ndarray of int, shape (n_support,)
        The row numbers of the rows in the expansion: all whose weight is not 0.
    dual_coef_ : ndarray of shape (n_support,)
        Their coefficients, the weight times the label -1 or +1.
    X_fit_ : ndarray or sparse matrix of shape (n_support, n_features), or None
        These rows themselves; None with kernel='precomputed'.
    intercept_ : float
        Always 0.0.
    gamma_ : float or None
        The number that `gamma` stands for; None for a kernel without one.
    certificate_ : float
        Always 0.0: the weights are exactly what the method asks for.
    n_features_in_ : int
        The number of features seen in `fit`.
    feature_names_in_ : ndarray of str, shape (n_features_in_,)
        The names of the columns; only where X is a DataFrame whose column names are all strings.

    References
    ----------
    Tsang & Kwok, Ensembles of Partially Trained SVMs with Multiplicative Updates, IJCAI-07, section
    3.1.

    Examples
    --------
    >>> from ensvm import ParzenWindowClassifier
    >>> X, y = [[0.0], [1.0], [4.0], [5.0]], ["low", "low", "high", "high"]
    >>> window = ParzenWindowClassifier(gamma=1.0).fit(X, y)
    >>> window.weights_
    array([0.25, 0.25, 0.25, 0.25])
    >>> window.predict([[2.0], [3.0]]).tolist()
    ['low', 'high']
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

    def _width(self, X: Any, sample_weight: NDArray[np.float64] | None) -> float:
        if sample_weight is None:
            return super()._width(X, None)
        used = np.flatnonzero(sample_weight)
        return resolve_gamma(self.gamma, X[used], sample_weight[used])

    def _solve(
        self, X: Any, signs: NDArray[np.float64], sample_weight: NDArray[np.float64] | None
    ) -> Expansion:
        if sample_weight is None:
            weights = np.full(signs.size, 1.0 / signs.size)
        else:
            rows_that_count(sample_weight, signs, "ParzenWindowClassifier")
            weights = as_distribution(sample_weight, signs.size)
        return Expansion(signs * weights, attributes={"weights_": weights, "certificate_": 0.0})
