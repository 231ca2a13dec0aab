"""Discrete AdaBoost with the bounds of its theorem evaluated in every round (Freund & Schapire, 1995)."""

from collections.abc import Iterator
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, _fit_context
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import Tags, check_random_state, get_tags
from sklearn.utils._param_validation import HasMethods, Interval
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, validate_data

from ensvm.classifiers.base.labels import signed_labels
from ensvm.classifiers.base.meta_estimator import seeded_clone

# A weight that rounding makes 0 stays 0, and a mistake on its row would count for nothing.
LEAST_WEIGHT = float(np.finfo(np.float64).tiny)


class AdaBoost(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """AdaBoost sign(sum_t alpha_t h_t(x)) for two classes, h_t(x) in {-1, +1}.

    Each round trains h_t with row weights m D_t(x_i), whose mean is 1, so that a base estimator's C
    keeps its meaning. With epsilon_t the weight of its mistakes, alpha_t = log((1 - epsilon_t) /
    epsilon_t) / 2, and D_{t+1}(x_i) is D_t(x_i) exp(-alpha_t y_i h_t(x_i)) over the normaliser Z_t
    = 2 sqrt(epsilon_t (1 - epsilon_t)).

    The formula ends where epsilon_t = 0, for alpha_t would be infinite: the round is the last, and
    alpha_t is 1 more than all before it together, so that h_t decides alone. A round with epsilon_t
    >= 1/2 is no weak learner: it is left out and the training ends; in the first round that is an
    error.

    Parameters
    ----------
    estimator : classifier whose fit takes `sample_weight`, default None: a decision stump
    n_estimators : int >= 1, default 50, T, the most rounds
    random_state : int | RandomState | None, default None; seeds the base estimators

    Attributes
    ----------
    estimators_ : list of the fitted h_t; n_iter_ : int, how many
    errors_, alphas_, normalizers_ : arrays of shape (n_iter_,), epsilon_t, alpha_t and Z_t
    train_errors_ : array of shape (n_iter_,), the share of rows with y_i f(x_i) <= 0 after each
        round, as the theorem counts
    error_bound_ : array of shape (n_iter_,), prod_{s<=t} Z_s
    exp_bound_ : array of shape (n_iter_,), exp(-2 sum_{s<=t} (1/2 - epsilon_s)^2)
    certificate_ : float, the least slack in train_errors_ <= error_bound_ <= exp_bound_; not
        negative, rounding aside
    min_margins_ : array of shape (n_iter_,), the least of the margins y_i f(x_i) / sum_s alpha_s
        after each round
    margins_ : array of shape (n_samples,), the margins after the last round in ascending order:
        their distribution
    min_margin_, train_error_bound_ : float, the last of min_margins_ and of error_bound_
    distribution_ : array of shape (n_samples,), D_{T+1}; D_T if epsilon_T = 0
    stop_reason_ : 'n_estimators' | 'no_error' | 'no_weak_learner'
    classes_ : array of shape (2,), sorted; the second is +1; f(x) = 0 counts as -1, as in
        scikit-learn
    n_features_in_ : int

    Reference
    ---------
    COMP 6321 lecture 5, "AdaBoost" to "Classification margin".
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [None, HasMethods(["fit", "predict"])],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> Self:
        """Fit to training rows X, shape (n_samples, n_features), dense or sparse, and their labels y, of two values.

        Raises ValueError for another number of classes, a base estimator whose fit does not take
        `sample_weight`, or one that is wrong on half of the rows in the first round.
        """
        X, y = validate_data(self, X, y, accept_sparse="csr")
        self.classes_, signs = signed_labels(y, "AdaBoost")
        base = self._base()
        if not has_fit_parameter(base, "sample_weight"):
            raise ValueError(
                f"AdaBoost needs a base estimator whose fit takes sample_weight, and {type(base).__name__} has none"
            )
        generator = check_random_state(self.random_state)
        rounds = _Rounds(signs)
        self.estimators_: list[Any] = []
        while not rounds.stop_reason and len(self.estimators_) < self.n_estimators:
            weak = seeded_clone(base, generator)
            weak.fit(X, y, sample_weight=signs.size * rounds.distribution)
            if rounds.add(signs * self._vote(weak, X)):
                self.estimators_.append(weak)
        if not self.estimators_:
            raise ValueError(
                f"the base estimator {type(base).__name__} is wrong on half of the training rows or more, so it is no weak "
                "learner and cannot be boosted"
            )
        self._keep(rounds)
        return self

    def staged_decision_function(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Yield f(x) = sum_{s<=t} alpha_s h_s(x) for each row of X, shape (n,), after each round t."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        votes = np.zeros(X.shape[0])
        for alpha, weak in zip(self.alphas_, self.estimators_, strict=True):
            votes = votes + alpha * self._vote(weak, X)
            yield votes

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return f(x) = sum_t alpha_t h_t(x) for each row of X, shape (n,)."""
        for votes in self.staged_decision_function(X):
            last = votes
        return last

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the class of each row of X, shape (n,), after each round."""
        for votes in self.staged_decision_function(X):
            yield self.classes_[(votes > 0.0).astype(int)]

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row of X, shape (n,): `classes_[1]` where f(x) > 0."""
        values = self.decision_function(X)
        return self.classes_[(values > 0.0).astype(int)]

    def staged_margins(self, X: Any, y: ArrayLike) -> Iterator[NDArray[np.float64]]:
        """Yield the margins y f(x) / sum_{s<=t} alpha_s in [-1, 1] of the rows of X with labels y, shape (n,), after each round t."""
        check_is_fitted(self)
        signs = np.where(np.asarray(y) == self.classes_[1], 1.0, -1.0)
        for votes, total in zip(
            self.staged_decision_function(X), np.cumsum(self.alphas_), strict=True
        ):
            yield signs * votes / total

    def __sklearn_tags__(self) -> Tags:
        """Return scikit-learn's tags: binary only, sparse where the base estimator is."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = get_tags(self._base()).input_tags.sparse
        return tags

    def _base(self) -> Any:
        return DecisionTreeClassifier(max_depth=1) if self.estimator is None else self.estimator

    def _vote(self, weak: Any, X: Any) -> NDArray[np.float64]:
        """Return h_t(x) in {-1, +1} of each row."""
        return np.where(weak.predict(X) == self.classes_[1], 1.0, -1.0)

    def _keep(self, rounds: "_Rounds") -> None:
        self.n_iter_ = len(self.estimators_)
        self.stop_reason_ = rounds.stop_reason or "n_estimators"
        self.distribution_ = rounds.distribution
        self.errors_ = np.array(rounds.errors)
        self.alphas_ = np.array(rounds.alphas)
        self.normalizers_ = 2.0 * np.sqrt(self.errors_ * (1.0 - self.errors_))
        self.error_bound_ = np.cumprod(self.normalizers_)
        self.exp_bound_ = np.exp(-2.0 * np.cumsum((0.5 - self.errors_) ** 2))
        self.train_errors_ = np.array(rounds.train_errors)
        slack = np.minimum(
            self.error_bound_ - self.train_errors_, self.exp_bound_ - self.error_bound_
        )
        self.certificate_ = float(slack.min())
        self.train_error_bound_ = float(self.error_bound_[-1])
        self.margins_ = np.sort(rounds.margins)
        self.min_margins_ = np.array(rounds.min_margins)
        self.min_margin_ = rounds.min_margins[-1]


class _Rounds:
    """What the rounds leave: the distribution over the rows, the votes, and the record of each round."""

    def __init__(self, signs: NDArray[np.float64]) -> None:
        self.stop_reason = ""
        self.distribution = np.full(signs.size, 1.0 / signs.size)
        self.margins = np.zeros(signs.size)
        self.errors: list[float] = []
        self.alphas: list[float] = []
        self.train_errors: list[float] = []
        self.min_margins: list[float] = []
        self._votes = np.zeros(signs.size)  # y_i f(x_i)

    def add(self, products: NDArray[np.float64]) -> bool:
        """Play a round with y_i h_t(x_i) = -1 or +1; return False, changing nothing, if h_t is no weak learner."""
        error = float(self.distribution[products < 0.0].sum())
        if error >= 0.5:
            self.stop_reason = "no_weak_learner"
            return False
        if error > 0.0:
            alpha = 0.5 * float(np.log((1.0 - error) / error))
            weights = np.maximum(self.distribution * np.exp(-alpha * products), LEAST_WEIGHT)
            self.distribution = weights / weights.sum()
        else:
            alpha = 1.0 + sum(self.alphas)
            self.stop_reason = "no_error"
        self.errors.append(error)
        self.alphas.append(alpha)
        self._votes += alpha * products
        self.margins = self._votes / sum(self.alphas)
        self.train_errors.append(float((self._votes <= 0.0).mean()))
        self.min_margins.append(float(self.margins.min()))
        return True
