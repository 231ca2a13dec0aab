"""Bias and variance of a classifier, estimated on the rows that bootstrap replicates leave out."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier
from sklearn.utils import check_random_state

from ensvm.classifiers.meta_estimator import BinaryMetaEstimator, seeded_clone
from ensvm.classifiers.shared_docs import documented
from ensvm.classifiers.sklearn_private import Interval, fit_context


@dataclass(frozen=True, eq=False)
class BiasVarianceEstimate:
    """Bias and variance at each of m rows, from the K replicates that leave it out.

    Labels y and predictions h_k(x) are -1 and +1.

    Attributes
    ----------
    bias : ndarray of shape (m,)
        y - mean_k h_k(x); nan where K = 0.
    variance : ndarray of shape (m,)
        sum_k (h_k(x) - mean_k h_k(x))^2 / (K - 1); nan where K < 2.
    error : ndarray of shape (m,)
        The share of the K hypotheses that are wrong at x; nan where K = 0.
    n_replicates : ndarray of int, shape (m,)
        K.
    """

    bias: NDArray[np.float64]
    variance: NDArray[np.float64]
    error: NDArray[np.float64]
    n_replicates: NDArray[np.int64]


def bias_variance(
    labels: NDArray[np.float64], total: NDArray[np.float64], count: NDArray[np.int64]
) -> BiasVarianceEstimate:
    """Return the estimate at each of m rows, whose labels are -1 or +1.

    `total` is sum_k h_k(x) over the replicates that leave the row out, `count` is their number K.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(count > 0, total / count, np.nan)
        # sum_k (h_k - mean)^2 = K (1 - mean^2), as h_k^2 = 1
        variance = np.where(count > 1, count * (1.0 - mean**2) / (count - 1), np.nan)
    return BiasVarianceEstimate(labels - mean, variance, (1.0 - labels * mean) / 2.0, count)


@documented
@dataclass(eq=False, repr=False)
class BiasVariance(BinaryMetaEstimator):
    """Bootstrap estimate of a classifier's bias and variance; it predicts by majority vote.

    A classifier errs where it is wrong on average (bias), and where its prediction depends on which
    training rows it happened to see (variance). Both are estimated from B bootstrap replicates,
    which are drawn from the training rows with replacement; a copy of the estimator is fitted to
    each. At every row x with label y in {-1, +1}, the K hypotheses h_k whose replicates lack the
    row are compared with y: bias(x) = y - mean_k h_k(x), and variance(x) = sum_k (h_k(x) - mean_k
    h_k(x))^2 / (K - 1). Noise in the labels looks like bias, and counts as bias.

    As h_k(x) is -1 or +1, the share of wrong h_k is (bias(x)^2 + (1 - 1/K) variance(x)) / 4. The
    vote of all B hypotheses, which is bagging, predicts.

    Parameters
    ----------
    estimator : classifier, default None
        The classifier whose bias and variance are estimated; None is an unpruned decision tree.
    n_replicates : int, default 200
        The number B of replicates, at least 2.
    random_state : int, RandomState or None, default None
        Draws the replicates and seeds the copies.

    Attributes
    ----------
    squared_bias_ : float
        The mean of bias(x)^2, in [0, 4], over the training rows with K >= 1.
    variance_ : float
        The mean of variance(x) over the training rows with K >= 2.
    error_ : float
        The mean share of wrong hypotheses over the rows with K >= 1: the out-of-bag error of a
        single hypothesis.
    estimate_ : BiasVarianceEstimate
        Bias, variance, error and K at each training row.
    estimators_ : list
        The B fitted copies; that of a replicate with one class only predicts this class.
    classes_ : ndarray of shape (2,)
        The two classes in sorted order; the second is +1. A tied vote counts as -1.

    References
    ----------
    COMP 6321 lecture 5, "Measuring bias and variance in practice" to "Bagging: Bootstrap
    aggregation".

    Examples
    --------
    A constant prediction has no variance, a deep tree has much and less bias:

    >>> from sklearn.datasets import make_moons
    >>> from sklearn.dummy import DummyClassifier
    >>> from ensvm.experiments import BiasVariance
    >>> X, y = make_moons(60, noise=0.2, random_state=0)
    >>> constant = DummyClassifier(strategy="constant", constant=1)
    >>> rigid = BiasVariance(constant, n_replicates=20, random_state=0).fit(X, y)
    >>> rigid.variance_
    0.0
    >>> flexible = BiasVariance(n_replicates=20, random_state=0).fit(X, y)
    >>> bool(flexible.variance_ > 0.0 and flexible.squared_bias_ < rigid.squared_bias_)
    True
    """

    estimator: Any = None
    _: KW_ONLY
    n_replicates: int = 200
    random_state: int | np.random.RandomState | None = None

    n_copies = 1  # of each replicate; `VarianceComponents` has a parameter of the name

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BinaryMetaEstimator._parameter_constraints,
        "n_replicates": [Interval(Integral, 2, None, closed="left")],
    }

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> Self:
        """Fit the copies to replicates of the rows.

        Raises
        ------
        ValueError
            For another number of classes, or if no row is left out by two replicates.
        """
        X, y, signs = self._validated_training(X, y)
        self.estimators_: list[Any] = []
        sums, squares = np.zeros(signs.size), np.zeros(signs.size)  # of the means of the copies
        count = np.zeros(signs.size, dtype=np.int64)
        generator = check_random_state(self.random_state)
        for _ in range(self.n_replicates):
            drawn = generator.randint(signs.size, size=signs.size)
            left_out = np.setdiff1d(np.arange(signs.size), drawn)
            mean = np.zeros(left_out.size)
            hypotheses = self._unfitted(generator, y[drawn])
            for hypothesis in hypotheses:
                self.estimators_.append(hypothesis.fit(X[drawn], y[drawn]))
                if left_out.size:
                    mean += self._signs(hypothesis.predict(X[left_out])) / len(hypotheses)
            sums[left_out] += mean
            squares[left_out] += mean**2
            count[left_out] += 1
        if not (count > 1).any():
            raise ValueError(
                f"no row is left out by two of n_replicates = {self.n_replicates} replicates of "
                f"{signs.size} rows: raise it"
            )
        self._keep_estimates(signs, sums, squares, count)
        return self

    def _unfitted(self, generator: np.random.RandomState, labels: NDArray[Any]) -> list[Any]:
        """Return the unfitted copies for a replicate of these labels; constants for one class."""
        unfitted = [seeded_clone(self._base(), generator) for _ in range(self.n_copies)]
        if np.unique(labels).size == 2:
            return unfitted
        return [DummyClassifier(strategy="most_frequent") for _ in unfitted]

    def _keep_estimates(
        self,
        signs: NDArray[np.float64],
        sums: NDArray[np.float64],
        squares: NDArray[np.float64],
        count: NDArray[np.int64],
    ) -> None:
        """Set the estimates, from the sums of the replicates' means and of their squares."""
        self.estimate_ = bias_variance(signs, sums, count)
        self.squared_bias_ = float(np.nanmean(self.estimate_.bias**2))
        self.variance_ = float(np.nanmean(self.estimate_.variance))
        self.error_ = float(np.nanmean(self.estimate_.error))

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the mean prediction of all B hypotheses.

        Returns
        -------
        ndarray of shape (n,)
            The mean of each row, in [-1, 1].
        """
        X = self._validated(X)
        votes = np.zeros(X.shape[0])
        for hypothesis in self.estimators_:
            votes += self._signs(hypothesis.predict(X))
        return votes / len(self.estimators_)


@documented
@dataclass(eq=False, repr=False, kw_only=True)
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
    n_copies : int, default 2
        The number R of copies fitted to each replicate, at least 2.

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
    estimators_ : list
        The B R fitted copies; those of a replicate with one class only predict this class.

    References
    ----------
    COMP 6321 lecture 5, "Extremely randomized trees" and "Estimating bias and variance".

    Examples
    --------
    All the variance of a tree that takes its questions at random is not that of the training rows:

    >>> from sklearn.datasets import make_moons
    >>> from sklearn.tree import ExtraTreeClassifier
    >>> from ensvm.experiments import VarianceComponents
    >>> X, y = make_moons(60, noise=0.2, random_state=0)
    >>> tree = ExtraTreeClassifier(max_features=1)
    >>> parts = VarianceComponents(tree, n_replicates=30, random_state=0).fit(X, y)
    >>> bool(0.0 < parts.own_variance_ < parts.variance_)
    True
    """

    n_copies: int = 2

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BiasVariance._parameter_constraints,
        "n_copies": [Interval(Integral, 2, None, closed="left")],
    }

    def _keep_estimates(
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
