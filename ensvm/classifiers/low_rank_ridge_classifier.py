"""Ridge regression of the labels on the features of a low-rank factor, in blocks of rows."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from ensvm.classifiers.base import Solution
from ensvm.classifiers.kernel_expansion import PivotedClassifier
from ensvm.classifiers.shared_docs import documented
from ensvm.kernels import NAMED_KERNELS
from ensvm.kernels.low_rank import pivot_features
from ensvm.solvers.one_pass_ridge import RidgeSums


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class LowRankRidgeClassifier(PivotedClassifier):
    """Ridge regression of the labels -1 and +1 on the features of a low-rank kernel, in blocks.

    The features of a row are its row of L, from the factor LL' of the Gram matrix that
    `PartiallyTrainedEnsemble(low_rank=...)` trains on, with the same pivots. Only their second
    moments are kept, not the features of all rows. Compare an ensemble on many rows with this
    classifier. The decision function is a sum over the pivots, plus an intercept.

    Parameters
    ----------
    kernel : {KERNEL_NAMES} or callable, default 'rbf'
        The kernel k(x, z): KERNEL_FORMULAS. A callable takes two arrays of rows and returns the
        matrix of their kernel values. The kernel must be positive semidefinite.
    alpha : float or {'loo', 'gcv'}, default 'loo'
        The penalty, a positive number: the factor of the squared length of the weights, which is
        added to the squared errors. 'loo' chooses the one with the least squared leave-one-out
        error, which is exact and takes a second pass over the rows. 'gcv' needs no second pass: it
        takes the one of least generalised cross-validation (Golub, Heath & Wahba, 1979), which can
        fail badly where there are about as many pivots as rows.
    low_rank : int or float, default 1000
        An int is the largest number of pivots, at least 1; a float in (0, 1) is the share of the
        trace of the Gram matrix that they may leave out.
    gram_dtype : {'float64', 'float32'}, default 'float64'
        The precision of the features; their moments are summed in float64 over blocks of rows.

    Attributes
    ----------
    alpha_ : float
        The alpha used.
    rank_ : int
        The number of pivots.
    trace_residual_ : float
        The share of the trace that the pivots leave out, of the rows they were chosen among.
    support_ : ndarray of int, shape (n_support,)
        The row numbers of the pivots whose coefficient is not 0.
    dual_coef_ : ndarray of shape (n_support,)
        Their coefficients in f.

    References
    ----------
    Golub, Heath & Wahba, Generalized cross-validation as a method for choosing a good ridge
    parameter, Technometrics 21, 1979.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from ensvm import LowRankRidgeClassifier
    >>> X, y = make_moons(500, noise=0.1, random_state=0)
    >>> machine = LowRankRidgeClassifier(gamma=2.0, low_rank=30, random_state=0).fit(X, y)
    >>> machine.rank_
    30
    >>> machine.score(X, y) > 0.99
    True
    """

    alpha: float | Literal["loo", "gcv"] = "loo"
    low_rank: int | float = 1000
    gram_dtype: Literal["float64", "float32"] = "float64"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **PivotedClassifier._parameter_constraints,
        "kernel": [StrOptions({*NAMED_KERNELS}), callable],
        "alpha": [StrOptions({"loo", "gcv"}), Interval(Real, 0.0, None, closed="neither")],
        "low_rank": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0.0, 1.0, closed="neither"),
        ],
        "gram_dtype": [StrOptions({"float64", "float32"})],
    }

    def __sklearn_tags__(self) -> Tags:
        """Return scikit-learn's tags; features are made of inputs, not of a Gram matrix."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = False
        return tags

    def _solve(
        self, X: Any, signs: NDArray[np.float64], sample_weight: NDArray[np.float64] | None
    ) -> Solution:
        features = pivot_features(
            X,
            self._kernel_parameters() | {"dtype": self.gram_dtype},
            self._pivot_choice(self.low_rank),
        )
        sums = RidgeSums(features.pivots.size)
        for rows, block in features.blocks(X):
            sums.add(block, signs[rows])
        alpha = self.alpha if isinstance(self.alpha, Real) else None
        if self.alpha == "loo":
            alpha = sums.left_out_penalty(
                (block, signs[rows]) for rows, block in features.blocks(X)
            )
        solution = sums.solve(alpha)
        coefficients = np.zeros(signs.size)
        coefficients[features.pivots] = features.at_pivots(solution.weights)
        attributes = {
            "alpha_": solution.alpha,
            "rank_": features.pivots.size,
            "trace_residual_": features.residual,
        }
        return Solution(coefficients, solution.intercept, attributes)

    def _dtypes(self) -> Any:
        return self._either_precision()
