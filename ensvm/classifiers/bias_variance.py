"""Bias and variance of a learning algorithm, estimated on the rows that bootstrap replicates leave out."""

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, _fit_context
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import Tags, check_random_state, get_tags
from sklearn.utils._param_validation import HasMethods, Interval
from sklearn.utils.validation import check_is_fitted, validate_data

from ensvm.classifiers.base.labels import signed_labels
from ensvm.classifiers.base.meta_estimator import seeded_clone


@dataclass(frozen=True)
class BiasVarianceEstimate:
    """Bias and variance at each row, from the K replicates that leave it out; labels and predictions are -1 and +1."""

    bias: NDArray[np.float64]
    """shape (m,): y - mean_k h_k(x); nan where K = 0"""
    variance: NDArray[np.float64]
    """shape (m,): sum_k (h_k(x) - mean_k h_k(x))^2 / (K - 1); nan where K < 2"""
    error: NDArray[np.float64]
    """shape (m,): the share of the K hypotheses that are wrong at x; nan where K = 0"""
    n_replicates: NDArray[np.int64]
    """shape (m,): K"""


def bias_variance(
    labels: NDArray[np.float64], total: NDArray[np.float64], count: NDArray[np.int64]
) -> BiasVarianceEstimate:
    """Return the estimate from labels, sum_k h_k(x) and K at each row, shapes (m,); labels and h_k are -1 or +1."""
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(count > 0, total / count, np.nan)
        # sum_k (h_k - mean)^2 = K (1 - mean^2), as h_k^2 = 1
        variance = np.where(count > 1, count * (1.0 - mean**2) / (count - 1), np.nan)
    return BiasVarianceEstimate(labels - mean, variance, (1.0 - labels * mean) / 2.0, count)


class BiasVariance(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Bootstrap estimate of the bias and variance of a classifier; as a classifier, the vote of its replicates.

    B bootstrap replicates are drawn from the training rows with replacement, a copy of the
    estimator is fitted to each, and at each row the K hypotheses whose replicates lack it are
    compared with its label y in {-1, +1}: bias(x) = y - mean_k h_k(x), and variance(x) = sum_k
    (h_k(x) - mean_k h_k(x))^2 / (K - 1). Noise is taken for bias, as the notes take it.

    As h_k(x) is -1 or +1, the share of wrong h_k is (bias(x)^2 + (1 - 1/K) variance(x)) / 4.

    Parameters
    ----------
    estimator : classifier, default None: an unpruned decision tree
    n_replicates : int >= 2, default 200, B
    max_samples : float in (0, 1], default 1.0, the size of a replicate as a share of the training
        rows
    random_state : int | RandomState | None, default None; draws the replicates and seeds the copies

    Attributes
    ----------
    squared_bias_ : float, the mean of bias(x)^2 over the training rows with K >= 1
    variance_ : float, the mean of variance(x) over those with K >= 2
    error_ : float, the mean share of wrong hypotheses, over the rows with K >= 1: the out-of-bag
        error of one replicate
    estimate_ : BiasVarianceEstimate, bias, variance and error at each training row
    estimators_ : list of the B fitted copies; one of a replicate that holds one class predicts that
        class
    classes_ : array of shape (2,), sorted; the second is +1; a tied vote counts as -1
    n_features_in_ : int

    Reference
    ---------
    COMP 6321 lecture 5, "Measuring bias and variance in practice" to "Bagging: Bootstrap
    aggregation".
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [None, HasMethods(["fit", "predict"])],
        "n_replicates": [Interval(Integral, 2, None, closed="left")],
        "max_samples": [Interval(Real, 0.0, 1.0, closed="right")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_replicates: int = 200,
        max_samples: float = 1.0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_replicates = n_replicates
        self.max_samples = max_samples
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> Self:
        """Fit the copies to replicates of the rows X, shape (n_samples, n_features), dense or sparse, and labels y, of two values.

        Raises ValueError for another number of classes, or if no row is left out by two replicates.
        """
        X, y = validate_data(self, X, y, accept_sparse="csr")
        self.classes_, signs = signed_labels(y, "BiasVariance")
        self.estimators_: list[Any] = []
        total, count = np.zeros(signs.size), np.zeros(signs.size, dtype=np.int64)
        for drawn, copy in self._replicates(signs.size):
            hypothesis = (
                copy if np.unique(y[drawn]).size == 2 else DummyClassifier(strategy="most_frequent")
            )
            self.estimators_.append(hypothesis.fit(X[drawn], y[drawn]))
            left_out = np.setdiff1d(np.arange(signs.size), drawn)
            if left_out.size:
                total[left_out] += self._vote(hypothesis, X[left_out])
                count[left_out] += 1
        if not (count > 1).any():
            raise ValueError(
                f"no row is left out by two of n_replicates = {self.n_replicates} replicates of {signs.size} rows: raise it"
            )
        self.estimate_ = bias_variance(signs, total, count)
        self.squared_bias_ = float(np.nanmean(self.estimate_.bias**2))
        self.variance_ = float(np.nanmean(self.estimate_.variance))
        self.error_ = float(np.nanmean(self.estimate_.error))
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the mean prediction of all B hypotheses, in [-1, 1], at each row of X, shape (n,)."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        votes = np.zeros(X.shape[0])
        for hypothesis in self.estimators_:
            votes += self._vote(hypothesis, X)
        return votes / len(self.estimators_)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class that most of the B hypotheses predict at each row of X, shape (n,); `classes_[0]` in a tie."""
        values = self.decision_function(X)
        return self.classes_[(values > 0.0).astype(int)]

    def __sklearn_tags__(self) -> Tags:
        """Return scikit-learn's tags: binary only, sparse where the base estimator is."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = get_tags(self._base()).input_tags.sparse
        return tags

    def _replicates(self, m: int) -> Iterator[tuple[NDArray[np.int64], Any]]:
        """Yield the rows of each replicate and the copy of the estimator to be fitted to it."""
        generator = check_random_state(self.random_state)
        size = max(1, round(self.max_samples * m))
        for _ in range(self.n_replicates):
            yield generator.randint(m, size=size), seeded_clone(self._base(), generator)

    def _vote(self, hypothesis: Any, X: Any) -> NDArray[np.float64]:
        return np.where(hypothesis.predict(X) == self.classes_[1], 1.0, -1.0)

    def _base(self) -> Any:
        return DecisionTreeClassifier() if self.estimator is None else self.estimator
