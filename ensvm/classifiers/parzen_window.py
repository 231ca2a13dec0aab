"""The Parzen window classifier: every training row votes, with the same weight or its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.classifiers.base import Solution, as_codes, as_distribution, rows_that_count
from ensvm.classifiers.kernel_expansion import WeightedExpansionClassifier
from ensvm.classifiers.shared_docs import documented


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class ParzenWindowClassifier(WeightedExpansionClassifier):
    """Kernel classifier in which every training row votes with the same weight.

    The decision function is f(x) = (1/m) sum_i y_i k(x_i, x) with labels y_i in {-1, +1}: a new row
    gets the class whose training rows have the larger sum of kernel values with it. Nothing is
    optimised, and fitting makes no Gram matrix. The multiplicative updates of `RhoSVC` start at
    this machine, and it is the first member of `PartiallyTrainedEnsemble`. With sample weights w_i,
    1/m becomes w_i / sum_j w_j, also where `gamma` names a mean over rows: a weight of 2 counts
    like two equal rows, and a weight of 0 like a row that is not there.

    Attributes
    ----------
    weights_ : ndarray of shape (n_samples,)
        The weight of each training row, 1 / n_samples without sample weights.
    certificate_ : float
        Always 0.0: the weights are exactly what the method asks for.

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

    def _solve(
        self, X: Any, signs: NDArray[np.float64], sample_weight: NDArray[np.float64] | None
    ) -> Solution:
        if sample_weight is None:
            weights = np.full(signs.size, 1.0 / signs.size)
        else:
            rows_that_count(sample_weight, self.classes_, as_codes(signs), "ParzenWindowClassifier")
            weights = as_distribution(sample_weight, signs.size)
        return Solution(signs * weights, attributes={"weights_": weights, "certificate_": 0.0})
