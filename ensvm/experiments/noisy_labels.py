"""A classifier trained on some wrong labels, to measure how much they harm it."""

from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.multiclass import OneVsRestClassifier
from sklearn.utils import Tags, check_random_state

from ensvm.classifiers.base import coded_labels
from ensvm.classifiers.meta_estimator import FittedCopy, seeded_clone
from ensvm.classifiers.shared_docs import documented
from ensvm.classifiers.sklearn_private import HasMethods, Interval, fit_context
from ensvm.many_classes import takes_many_classes


@documented
@dataclass(eq=False, repr=False)
class NoisyLabels(FittedCopy):
    """Classifier that is fitted after a share of the training labels was flipped.

    Of more than two classes, a flipped label becomes each of the other ones with equal probability;
    an estimator for two classes is then fitted to one class against the rest.
    It shows how much an algorithm suffers from wrong labels. The rows turned are drawn at random.
    They depend on `random_state` alone, not on the estimator, and those of a smaller share are
    among those of a larger one, so that estimators and shares are compared on the same noise.

    Parameters
    ----------
    estimator : classifier, default None
        The classifier that is fitted; None is an unpruned decision tree.
    noise : float, default 0.0
        The share of labels flipped, in [0, 1], to the nearest whole number of rows.
    random_state : int, RandomState or None, default None
        Draws the rows turned and seeds the estimator.

    Attributes
    ----------
    estimator_ : classifier
        The fitted copy of the estimator.
    turned_ : ndarray of int, shape (n_turned,)
        The row numbers of the rows whose labels were turned, in ascending order.

    References
    ----------
    COMP 6321 lecture 5, "Parallel of bagging and boosting", on mislabelled data.

    Examples
    --------
    A classifier by the nearest neighbour repeats every wrong label that it was given:

    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from ensvm.experiments import NoisyLabels
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> taught = NoisyLabels(KNeighborsClassifier(1), noise=0.25, random_state=0).fit(X, y)
    >>> taught.turned_
    array([2])
    >>> taught.predict(X)
    array([0, 0, 0, 1])
    """

    estimator: Any = None
    _: KW_ONLY
    noise: float = 0.0
    random_state: int | np.random.RandomState | None = None

    wraps_parts: ClassVar[bool] = True  # labels are flipped once, among all classes

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FittedCopy._parameter_constraints,
        # scikit-learn's StackingClassifier has `predict` only once it is fitted
        "estimator": [None, HasMethods(["fit"])],
        "noise": [Interval(Real, 0.0, 1.0, closed="both")],
    }

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> Self:
        """Turn labels, of a copy, then fit the estimator.

        Raises
        ------
        ValueError
            For a single class, or noise that leaves only one.
        """
        X, y = self._validated_pair(X, y)
        self.classes_, codes = coded_labels(y, "NoisyLabels")
        n_classes = self.classes_.size
        generator = check_random_state(self.random_state)
        self.turned_ = np.sort(generator.permutation(codes.size)[: round(self.noise * codes.size)])
        # Two classes leave no choice, so no number is drawn: their fits stay what they were.
        steps = 1 if n_classes == 2 else generator.randint(1, n_classes, self.turned_.size)
        codes[self.turned_] = (codes[self.turned_] + steps) % n_classes
        if np.unique(codes).size == 1:
            raise ValueError(
                f"noise = {self.noise!r} turns the labels of {codes.size} rows so that one class "
                "is left"
            )
        base = self._base()
        if n_classes > 2 and not takes_many_classes(base):
            # Labels are flipped once among all classes, so the wrapper stands inside.
            base = OneVsRestClassifier(base)
        copy = seeded_clone(base, generator, keep_given=True)
        self.estimator_ = copy.fit(X, self.classes_[codes])
        return self

    def __sklearn_tags__(self) -> Tags:
        """Return scikit-learn's tags: any number of classes."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        return tags
