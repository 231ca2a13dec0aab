"""Discrete AdaBoost, the bounds of its theorem evaluated in every round (Freund & Schapire)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state
from sklearn.utils.validation import has_fit_parameter

from ensvm.classifiers.base import (
    StagedClassifier,
    as_codes,
    as_distribution,
    checked_weights,
    rows_that_count,
)
from ensvm.classifiers.meta_estimator import BinaryMetaEstimator, seeded_clone
from ensvm.classifiers.shared_docs import documented
from ensvm.classifiers.sklearn_private import Interval, fit_context
from ensvm.solvers.boosting import BoostingResult, Round, discrete_adaboost, exponential_bound


@documented
@dataclass(eq=False, repr=False)
class AdaBoost(StagedClassifier, BinaryMetaEstimator):
    """AdaBoost for two classes: a weighted vote of classifiers trained one after the other.

    The ensemble is sign f(x) with f(x) = sum_t alpha_t h_t(x), where each h_t(x) is -1 or +1. Round
    t trains h_t with a distribution D_t over the training rows, equal at first, and afterwards
    gives more weight to the rows that h_t gets wrong, so that the next round attends to them. A
    weak learner, which is a little better than guessing in every round, becomes a strong
    classifier.

    With epsilon_t the weight of the mistakes of h_t, alpha_t = log((1 - epsilon_t) / epsilon_t) /
    2, and D_{t+1}(x_i) is D_t(x_i) exp(-alpha_t y_i h_t(x_i)) over the normaliser Z_t = 2
    sqrt(epsilon_t (1 - epsilon_t)). The training error is at most the product of the Z_t, which is
    evaluated in every round. The base estimator is given the row weights m D_t(x_i), whose mean is
    1, so that a parameter C keeps its meaning. Sample weights are where D_1 starts, so that only
    their proportions matter; m is then the number of rows whose weight is not 0, and the training
    error is the weighted one.

    If epsilon_t is 0, the formula would make alpha_t infinite. The round is then the last, and
    alpha_t is 1 more than the sum of all before it, so that h_t decides alone. If epsilon_t is 1/2
    or more, h_t is not a weak learner: the round is left out and the training ends; in the first
    round this is an error.

    Parameters
    ----------
    estimator : classifier, default None
        The weak learner, whose `fit` takes `sample_weight`; None is a decision stump, a tree of one
        question.
    n_estimators : int, default 50
        The largest number T of rounds, at least 1.
    random_state : int, RandomState or None, default None
        Seeds the copies of the base estimator.

    Attributes
    ----------
    estimators_ : list
        The fitted classifiers h_t.
    n_iter_ : int
        The number of rounds kept.
    errors_ : ndarray of shape (n_iter_,)
        The weight epsilon_t of the mistakes in each round.
    alphas_ : ndarray of shape (n_iter_,)
        The weight alpha_t of each h_t in the vote.
    normalizers_ : ndarray of shape (n_iter_,)
        The normaliser Z_t of each round.
    train_errors_ : ndarray of shape (n_iter_,)
        The share of training rows with y_i f(x_i) <= 0 after each round, as the theorem counts;
        weighted, if there are sample weights.
    error_bound_ : ndarray of shape (n_iter_,)
        The product of Z_1, ..., Z_t after each round.
    exp_bound_ : ndarray of shape (n_iter_,)
        The weaker bound exp(-2 sum_{s<=t} (1/2 - epsilon_s)^2) after each round.
    certificate_ : float
        The least slack in train_errors_ <= error_bound_ <= exp_bound_; not negative, rounding
        aside.
    min_margins_ : ndarray of shape (n_iter_,)
        The least of the margins y_i f(x_i) / sum_s alpha_s, in [-1, 1], after each round.
    margins_ : ndarray of shape (n_samples,)
        The margins after the last round in ascending order: their distribution. Rows of sample
        weight 0 have none.
    min_margin_ : float
        The last of `min_margins_`.
    distribution_ : ndarray of shape (n_samples,)
        The distribution D_{T+1} that a further round would train with; D_T if epsilon_T = 0.
    unnormalized_distribution_ : ndarray of shape (n_samples,)
        The D_T exp(-alpha_T y h_T) before they are divided by their sum Z_T, with T = n_iter_.
    stop_reason_ : str
        Why training ended: 'n_rounds', 'perfect' (a round without error) or
        'no_better_than_random'.

    References
    ----------
    Freund & Schapire, A decision-theoretic generalization of on-line learning and an application to
    boosting, EuroCOLT 1995; COMP 6321 lecture 5, "AdaBoost" to "Classification margin".

    Examples
    --------
    No single stump separates these rows; the vote of three does:

    >>> from ensvm import AdaBoost
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [-1, -1, 1, 1, -1]
    >>> boosted = AdaBoost(n_estimators=3, random_state=0).fit(X, y)
    >>> boosted.errors_.round(3)
    array([0.2  , 0.25 , 0.167])
    >>> [int((labels != y).sum()) for labels in boosted.staged_predict(X)]
    [1, 1, 0]
    >>> bool(boosted.certificate_ >= 0.0)
    True
    """

    estimator: Any = None
    _: KW_ONLY
    n_estimators: int = 50
    random_state: int | np.random.RandomState | None = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BinaryMetaEstimator._parameter_constraints,
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
    }

    def _refusals(self) -> Iterator[str]:
        yield from super()._refusals()
        base = self._base()
        if not has_fit_parameter(base, "sample_weight"):
            yield (
                "AdaBoost needs a base estimator whose fit takes sample_weight, and "
                f"{type(base).__name__} has none"
            )

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to training rows, their labels and weights.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), default None
            The weights of the rows, at least 0, in whose proportions the first distribution starts;
            rows of weight 0 are left out. None for equal weights.

        Raises
        ------
        ValueError
            For another number of classes, weights out of their range, a base estimator whose `fit`
            does not take `sample_weight`, or one that is wrong on half of the rows in the first
            round.
        """
        X, y, signs = self._validated_training(X, y)
        base = self._base()
        used, start = self._first_weights(X, signs, sample_weight)
        rows, labels = X[used], y[used]
        generator = check_random_state(self.random_state)

        def learn(current: Round) -> tuple[Any, NDArray[np.float64]]:
            """Return the weak learner of a round and its signs on the training rows."""
            weights = labels.size * current.sample_weight
            weak = seeded_clone(base, generator).fit(rows, labels, sample_weight=weights)
            return weak, self._signs(weak.predict(rows))

        result = discrete_adaboost(signs[used], learn, self.n_estimators, start=start)
        if not result.learners:
            raise ValueError(
                f"the base estimator {type(base).__name__} is wrong on half of the training rows "
                "or more, so it is no weak learner and cannot be boosted"
            )
        self._keep_result(result)
        self.distribution_ = np.zeros(signs.size)
        self.distribution_[used] = result.sample_weight
        self.unnormalized_distribution_ = self.normalizers_[-1] * self.distribution_
        return self

    def _first_weights(
        self, X: Any, signs: NDArray[np.float64], sample_weight: ArrayLike | None
    ) -> tuple[Any, NDArray[np.float64] | None]:
        """Return an index of the rows that count, and their first distribution."""
        weight = checked_weights(sample_weight, X)
        if weight is None:
            return slice(None), None
        used = rows_that_count(weight, self.classes_, as_codes(signs), "AdaBoost")
        return used, as_distribution(weight, signs.size)[used]

    def staged_decision_function(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Yield f(x) = sum_{s<=t} alpha_s h_s(x) of each row after each round t."""
        X = self._validated(X)
        votes = np.zeros(X.shape[0])
        for alpha, weak in zip(self.alphas_, self.estimators_, strict=True):
            votes = votes + alpha * self._signs(weak.predict(X))
            yield votes

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return f(x) = sum_t alpha_t h_t(x) of each row."""
        *_, last = self.staged_decision_function(X)
        return last

    def _default_base(self) -> Any:
        return DecisionTreeClassifier(max_depth=1)

    def _keep_result(self, result: BoostingResult) -> None:
        self.estimators_ = result.learners
        self.n_iter_ = result.n_iter
        self.stop_reason_ = result.stop_reason
        self.errors_ = result.errors
        self.alphas_ = result.weights
        self.normalizers_ = result.normalizers
        self.error_bound_ = result.error_bound
        self.exp_bound_ = exponential_bound(result.errors)
        self.train_errors_ = result.train_errors
        self.certificate_ = result.certificate
        self.margins_ = np.sort(result.margins)
        self.min_margins_ = result.min_margins
        self.min_margin_ = float(result.min_margins[-1])
