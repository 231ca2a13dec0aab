"""A classifier's variance split in two: from the training rows drawn, and from its own draws."""

from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from ensvm.classifiers.bias_variance import BiasVariance, bias_variance


class VarianceComponents(BiasVariance):
    """Bootstrap estimate of bias and variance that tells apart where the variance comes from.

    A randomised classifier, such as an extremely randomised tree, predicts differently because of
    the training rows drawn, and because of the random numbers that it draws itself. As in
    `BiasVariance`, each of B bootstrap replicates is judged at the rows x that it leaves out; but R
    copies with seeds of their own are fitted to it. With their predictions h_kr(x) in {-1, +1} and
    the mean h_k of the R copies of replicate k, the one-way analysis of variance over the K
    replicates that lack x estimates, without bias:

    - own(x) = sum_k sum_r (h_kr - h_k)^2 / (K (R - 1)), the variance of the classifier's own draws,
    - set(x) = sum_k (h_k - mean_k h_k)^2 / (K - 1) - own(x) / R, that of the training rows, which
      chance can make negative where it is small.

    Their sum is the variance of one copy.

    Parameters
    ----------
    estimator : classifier, default None
        The classifier whose bias and variance are estimated; None is an unpruned decision tree.
    n_replicates : int, default 200
        The number B of replicates, at least 2.
    n_copies : int, default 2
        The number R of copies fitted to each replicate, at least 2.
    max_samples : float, default 1.0
        The size of a replicate as a share of the training rows, in (0, 1].
    random_state : int, RandomState or None, default None
        Draws the replicates and seeds the copies.

    Attributes
    ----------
    squared_bias_ : float
        The mean of (y - mean_k h_k(x))^2, in [0, 4], over the training rows with K >= 1.
    set_variance_ : float
        The mean of set(x) over the training rows with K >= 2.
    own_variance_ : float
        The mean of own(x) over the same rows.
    variance_ : float
        Their sum.
    error_ : float
        The mean share of wrong copies over the rows with K >= 1.
    estimate_ : BiasVarianceEstimate
        Bias, total variance, error and K at each training row.
    estimators_ : list
        The B R fitted copies; those of a replicate with one class only predict this class.
    classes_ : ndarray of shape (2,)
        The two classes in sorted order; the second is +1. A tied vote counts as -1.
    n_features_in_ : int
        The number of features seen in `fit`.
    feature_names_in_ : ndarray of str, shape (n_features_in_,)
        The names of the columns; only where X is a DataFrame whose column names are all strings.

    References
    ----------
    COMP 6321 lecture 5, "Extremely randomized trees" and "Estimating bias and variance".

    Examples
    --------
    All the variance of a tree that takes its questions at random is not that of the training rows:

    >>> from sklearn.datasets import make_moons
    >>> from sklearn.tree import ExtraTreeClassifier
    >>> from ensvm import VarianceComponents
    >>> X, y = make_moons(60, noise=0.2, random_state=0)
    >>> tree = ExtraTreeClassifier(max_features=1)
    >>> parts = VarianceComponents(tree, n_replicates=30, random_state=0).fit(X, y)
    >>> bool(0.0 < parts.own_variance_ < parts.variance_)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BiasVariance._parameter_constraints,
        "n_copies": [Interval(Integral, 2, None, closed="left")],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_replicates: int = 200,
        n_copies: int = 2,
        max_samples: float = 1.0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(
            estimator,
            n_replicates=n_replicates,
            max_samples=max_samples,
            random_state=random_state,
        )
        self.n_copies = n_copies

    def _n_copies(self) -> int:
        return self.n_copies

    def _keep(
        self,
        signs: NDArray[np.float64],
        sums: NDArray[np.float64],
        squares: NDArray[np.float64],
        count: NDArray[np.int64],
    ) -> None:
        """Set the estimates, from the sums of the replicates' means h_k and of their squares."""
        R = self.n_copies
        judged, enough = count > 0, count > 1
        K = np.maximum(count, 1)
        # sum_r (h_kr - h_k)^2 = R (1 - h_k^2), as h_kr^2 = 1
        own = R * (1.0 - squares / K) / (R - 1)
        between = (squares - sums**2 / K) / np.maximum(count - 1, 1)
        self.own_variance_ = float(own[enough].mean())
        self.set_variance_ = float((between - own / R)[enough].mean())
        self.variance_ = self.own_variance_ + self.set_variance_
        estimate = bias_variance(signs, sums, count)
        total = np.where(enough, between + own * (1.0 - 1.0 / R), np.nan)
        self.estimate_ = replace(estimate, variance=total)
        self.squared_bias_ = float((estimate.bias[judged] ** 2).mean())
        self.error_ = float(estimate.error[judged].mean())
