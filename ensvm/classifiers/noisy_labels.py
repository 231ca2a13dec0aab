"""A classifier taught with some wrong labels, to see how much it minds."""

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, _fit_context
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import Tags, check_random_state, get_tags
from sklearn.utils._param_validation import HasMethods, Interval
from sklearn.utils.validation import check_is_fitted, validate_data

from ensvm.classifiers.base.labels import signed_labels
from ensvm.classifiers.base.meta_estimator import seeded_clone


class NoisyLabels(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """The estimator, fitted after a share of the training labels, drawn at random, has been turned to the other class.

    The rows turned depend on `random_state` alone, not on the estimator, and those of a smaller
    share are among those of a larger one, so that estimators and shares are compared on the same
    noise.

    Parameters
    ----------
    estimator : classifier, default None: an unpruned decision tree
    noise : float in [0, 1], default 0.0; the share of labels turned, to the nearest whole number of
        rows
    random_state : int | RandomState | None, default None; draws the rows turned and seeds the
        estimator

    Attributes
    ----------
    estimator_ : the fitted copy
    turned_ : array of the rows whose labels were turned, in ascending order
    classes_ : array of shape (2,), sorted
    n_features_in_ : int

    Reference
    ---------
    COMP 6321 lecture 5, "Parallel of bagging and boosting", on mislabelled data.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [None, HasMethods(["fit", "predict"])],
        "noise": [Interval(Real, 0.0, 1.0, closed="both")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        noise: float = 0.0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.noise = noise
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> Self:
        """Turn labels and fit to the rows X, shape (n_samples, n_features), dense or sparse; y holds two values.

        Raises ValueError for another number of classes, or noise that leaves only one.
        """
        X, y = validate_data(self, X, y, accept_sparse="csr")
        self.classes_, signs = signed_labels(y, "NoisyLabels")
        generator = check_random_state(self.random_state)
        self.turned_ = np.sort(generator.permutation(signs.size)[: round(self.noise * signs.size)])
        signs[self.turned_] *= -1.0
        if np.unique(signs).size == 1:
            raise ValueError(
                f"noise = {self.noise!r} turns the labels of {signs.size} rows so that one class is left"
            )
        self.estimator_ = seeded_clone(self._base(), generator).fit(
            X, self.classes_[(signs > 0.0).astype(int)]
        )
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row of X, shape (n,), as the fitted copy predicts it."""
        check_is_fitted(self)
        return self.estimator_.predict(validate_data(self, X, accept_sparse="csr", reset=False))

    def __sklearn_tags__(self) -> Tags:
        """Return scikit-learn's tags: binary only, sparse where the base estimator is."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = get_tags(self._base()).input_tags.sparse
        return tags

    def _base(self) -> Any:
        return DecisionTreeClassifier() if self.estimator is None else self.estimator
