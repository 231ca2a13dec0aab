"""What all classifiers share: two classes, weights, dense rows, seeds, how a solver ended."""

from __future__ import annotations

import sys
import warnings
from abc import ABCMeta, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, check_random_state
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import validate_data

from ensvm.classifiers.refused_values import (
    COMPOUND,
    is_table,
    refuse_masked,
    refuse_merged_columns,
    refuse_missing_labels,
    refuse_mixed_labels,
    refuse_out_of_range,
    refuse_types,
    refused_value,
)
from ensvm.classifiers.sklearn_private import Interval, StrOptions, check_sample_weight
from ensvm.kernels.gram_matrix import dense_rows
from ensvm.memory import require_memory

CLASS_WEIGHT: list[Any] = [StrOptions({"balanced"}), dict, None]
"""What the parameter `class_weight` may be."""
N_JOBS: list[Any] = [
    None,
    Interval(Integral, None, -1, closed="right"),
    Interval(Integral, 1, None, closed="left"),
]
"""What the parameter `n_jobs` may be: joblib refuses 0."""
WRONG_WEIGHTS = "class_weight must give every class a positive number, got {!r}"
# What scikit-learn and NumPy say of a value, and not of a shape or of names of columns
OF_A_VALUE = (
    *("contains NaN", "contains infinity", "could not convert", "bytes/strings"),
    *("could not be promoted", "float() argument", "setting an array element"),
    *("Cannot cast", "Complex data"),
)
# A warning points at the line of the user's code that called these modules.
INNER_MODULES = ("ensvm.classifiers.", "ensvm.experiments.", "sklearn.", "joblib.")


@dataclass(frozen=True)
class Ending:
    """How a solver ended."""

    n_iter: int
    stop_reason: str
    converged: bool
    message: str = ""
    """Text of the ConvergenceWarning; "" for the default text."""
    planned: bool = False
    """Whether the number of steps is a parameter of the method, so that using them all is fine."""


@dataclass(frozen=True)
class Solution:
    """What `_solve` returns: the machine and its fitted attributes."""

    coefficients: NDArray[np.float64]
    """Of all training rows, signed, y_i a_i: shape (n_samples,), or (n_samples, k) for k sums.

    A linear classifier's are those of the features, shape (n_features,).
    """
    intercept: Any = 0.0
    attributes: Mapping[str, Any] = field(default_factory=dict)
    """Fitted attributes to set: name with its underscore -> value."""
    ending: Ending | None = None
    """How the solver ended; None if nothing was iterated."""


class Classifier(ClassifierMixin, BaseEstimator, metaclass=ABCMeta):
    """Base of all classifiers: inputs may be sparse.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes in sorted order.
    n_features_in_ : int
        The number of features seen in `fit`.
    feature_names_in_ : ndarray of str, shape (n_features_in_,)
        The names of the columns, if X is a DataFrame whose column names are all strings.
    """

    classes_: NDArray[Any]
    _reads_tables: ClassVar[bool] = False  # whether texts and missing values of a DataFrame

    def __sklearn_tags__(self) -> Tags:
        """Return scikit-learn's tags: sparse too."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _validate_params(self) -> None:
        """Refuse a value out of its range, and parameters that do not go together.

        `fit` calls it first, and `ensvm check` calls it without any data.
        """
        super()._validate_params()
        if refusals := list(self._refusals()):
            raise ValueError("; ".join(refusals))

    def _refusals(self) -> Iterator[str]:
        """Yield why `fit` refuses the parameters, each of which is in its range, on any data."""
        class_weight = getattr(self, "class_weight", None)
        if isinstance(class_weight, Mapping) and not all(map(_is_weight, class_weight.values())):
            yield WRONG_WEIGHTS.format(class_weight)


class BinaryClassifier(Classifier):
    """Base of the classifiers of two classes.

    Labels may be any two values; the second in sorted order is the positive one.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The two classes in sorted order; the second is +1, predicted where f(x) > 0.
    """

    @abstractmethod
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return f(x) of each row.

        Returns
        -------
        ndarray of shape (n,)
            The values of f.
        """

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row: `classes_[1]` where f(x) > 0.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n, n_features)
            The rows to predict.

        Returns
        -------
        ndarray of shape (n,)
            The class of each row.
        """
        return self._classes_of(self.decision_function(X))

    def __sklearn_tags__(self) -> Tags:
        """Return scikit-learn's tags: binary only."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _classes_of(self, decision: NDArray[np.float64]) -> NDArray[Any]:
        """Return the class of each value of f, shape (n,)."""
        return self.classes_[(decision > 0.0).astype(int)]

    def _keep(self, attributes: Mapping[str, Any], ending: Ending | None) -> None:
        """Set fitted attributes, those of the ending too, and warn if the solver was cut short.

        An ending with a message of its own always warns.
        """
        for name, value in attributes.items():
            setattr(self, name, value)
        if ending is None:
            return
        self.n_iter_ = ending.n_iter
        self.stop_reason_ = ending.stop_reason
        self.converged_ = ending.converged
        if ending.message or not (ending.converged or ending.planned):
            default = f"{type(self).__name__} stopped after {ending.n_iter} steps"
            warn_caller(ending.message or f"{default} ({ending.stop_reason})", ConvergenceWarning)


class StagedClassifier(BinaryClassifier):
    """Base of the classifiers that are trained in stages, each of which is a classifier."""

    @abstractmethod
    def staged_decision_function(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Yield f(x) of each row, stage by stage.

        Yields
        ------
        ndarray of shape (n,)
            The values of f at one stage.
        """

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the class of each row at the stages of `staged_decision_function`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n, n_features)
            As in `predict`.

        Yields
        ------
        ndarray of shape (n,)
            The class of each row at one stage.
        """
        for decision in self.staged_decision_function(X):
            yield self._classes_of(decision)


def warn_caller(message: str, category: type[Warning]) -> None:
    """Warn at the line of the user's code that called us, whatever is between."""
    level, frame = 1, sys._getframe()
    while frame.f_back and f"{frame.f_globals.get('__name__', '')}.".startswith(INNER_MODULES):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, level)


def validated(estimator: Any, X: Any, *y: Any, **options: Any) -> Any:
    """Return the inputs, and labels if given, as scikit-learn's `validate_data` does.

    Raises ValueError for masked values and numbers out of range, too, and TypeError for a list or
    an object in a cell. The message says in which column, row or label.
    """
    for name, values in zip("Xy", (X, *y), strict=False):
        refuse_masked(values, name)
    if not options.get("skip_check_array"):
        refuse_types(X)
    for labels in y:
        refuse_missing_labels(labels)
        refuse_mixed_labels(labels)
    y = tuple(map(_without_nullable_type, y))
    if is_table(X) and not X.shape[1]:
        raise ValueError(
            f"Found array with 0 feature(s) (shape={X.shape}) while a minimum of 1 is required by "
            f"{type(estimator).__name__}."
        )
    try:
        checked = validate_data(estimator, X, *y, **options)
    except (TypeError, ValueError) as error:
        reason = ""
        if any(words in str(error) for words in OF_A_VALUE):
            reason = refused_value(X, reads_tables=getattr(estimator, "_reads_tables", False))
        if not reason:
            raise
        raise (TypeError if COMPOUND in reason else ValueError)(reason) from None
    if not options.get("skip_check_array"):
        numbers = checked[0] if y else checked
        refuse_out_of_range(numbers)
        refuse_merged_columns(X, numbers)
    return checked


def _without_nullable_type(y: Any) -> Any:
    """Return labels that are integers or booleans of pandas' nullable types as those of NumPy.

    scikit-learn makes floats of them, which do not tell all integers apart. None is missing.
    """
    kind = getattr(getattr(y, "dtype", None), "numpy_dtype", None)
    return y.to_numpy(kind) if kind is not None and kind.kind in "biu" else y


def signed_labels(y: Any, classifier: str) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Return the two classes in sorted order, shape (2,), and the labels as -1 and +1, shape (m,).

    Raises ValueError, which names the `classifier`, if y does not hold exactly two classes.
    """
    classes, codes = coded_labels(y, classifier)
    kind = type_of_target(y, input_name="y")
    if kind != "binary":
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {kind}. "
            "Wrap the classifier in sklearn.multiclass.OneVsRestClassifier for more than two "
            "classes."
        )
    return classes, np.where(codes == 1, 1.0, -1.0)


def as_codes(signs: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return labels -1 and +1 as their positions among the classes, 0 and 1."""
    return (signs > 0.0).astype(np.intp)


def coded_labels(y: Any, classifier: str) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the classes in sorted order, and each label's position among them, shape (m,).

    Raises ValueError, which names the `classifier`, if there is only one class.
    """
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    if classes.size == 1:
        raise ValueError(
            f"{classifier} needs two classes, but y holds only one class: {classes.tolist()[0]!r}"
        )
    return classes, codes


def require_square(gram: Any) -> None:
    """Raise ValueError if a precomputed Gram matrix of training rows is not square."""
    if gram.shape[0] != gram.shape[1]:
        raise ValueError(
            f"a precomputed Gram matrix must be square, got {gram.shape[0]} x {gram.shape[1]}"
        )


def checked_weights(sample_weight: ArrayLike | None, X: Any) -> NDArray[np.float64] | None:
    """Return the weights of the rows of X, shape (m,), or None if none are given.

    Raises ValueError for another number of weights, a weight that is negative or not finite, or
    if all weights are 0.
    """
    if sample_weight is None:
        return None
    refuse_masked(sample_weight, "sample_weight")
    weight: NDArray[np.float64] = check_sample_weight(
        sample_weight, X, dtype=np.float64, ensure_non_negative=True
    )
    if not weight.any():  # scikit-learn checks it from 1.9 on
        raise ValueError("sample_weight must contain at least one non-zero number")
    return weight


def _is_weight(value: Any) -> bool:
    """Return whether a value can be the weight of a class."""
    return isinstance(value, Real) and 0.0 < float(value) < np.inf


def class_costs(
    class_weight: Any,
    classes: NDArray[Any],
    codes: NDArray[np.intp],
    counts: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return by how much the rows of each class count more, shape (n_classes,).

    `codes` are the positions in `classes` of the labels of all rows, shape (n,), and `counts` says
    how many rows each stands for (None: one). A class that a dict does not name has the weight 1;
    'balanced' is n / (n_classes * rows of the class).

    Raises ValueError for a weight that is not a positive number, or the name of an unknown class.
    """
    costs = compute_class_weight(
        class_weight, classes=classes, y=classes[codes], sample_weight=counts
    )
    if not ((costs > 0.0) & np.isfinite(costs)).all():
        raise ValueError(WRONG_WEIGHTS.format(class_weight))
    return np.asarray(costs, dtype=np.float64)


def rows_that_count(
    sample_weight: NDArray[np.float64],
    classes: NDArray[Any],
    codes: NDArray[np.intp],
    classifier: str,
) -> NDArray[np.intp]:
    """Return the row numbers of positive weight, in ascending order.

    `codes` are the positions in `classes` of the labels of all rows. Raises ValueError, which names
    the class, if a class has no such row: nothing could be learned about it.
    """
    rows = np.flatnonzero(sample_weight)
    missing = np.setdiff1d(np.arange(classes.size), codes[rows])
    if missing.size:
        raise ValueError(
            f"{classifier} needs rows of positive sample_weight in every class, but class "
            f"{classes.tolist()[missing[0]]!r} has none; accepted: at least one in each class, so "
            "give them weight, or leave the rows of the class out of X and y"
        )
    return rows


def as_distribution(sample_weight: NDArray[np.float64] | None, m: int) -> NDArray[np.float64]:
    """Return the sample weights divided by their sum, shape (m,); 1 / m if none are given."""
    if sample_weight is None:
        return np.ones(m) / m
    # A power of 2 changes no quotient, and keeps the sum in the range of floats.
    weight = np.ldexp(sample_weight, -np.frexp(sample_weight.max())[1])
    return weight / weight.sum()


def relative_weights(sample_weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sample weights divided by the mean of those that are not 0, shape (m,)."""
    weight = sample_weight / sample_weight.max()  # so that equal weights become exactly 1
    return weight / (weight.sum() / np.count_nonzero(weight))


def require_finite_prices(C: float, sample_weight: NDArray[np.float64], classifier: str) -> None:
    """Raise ValueError if prices C times the weights are beyond the range of floats."""
    with np.errstate(over="ignore"):
        total = C * sample_weight.sum()
    if np.isfinite(C) and not np.isfinite(total):
        raise ValueError(
            f"{classifier}: sample_weight multiplies C, and C = {C:g} times the sum of the weights "
            "is beyond the range of floats: divide the weights by their mean"
        )


def dense(X: Any, copies: float, classifier: str) -> NDArray[Any]:
    """Return validated rows as an array, shape (n, n_features); sparse ones are made dense.

    `copies` is how many arrays of their size the classifier will hold. Raises MemoryError if they
    take more memory than is free.
    """
    if issparse(X):
        rows, inputs = X.shape
        what = f"{classifier}: what is made dense of {rows} sparse rows of {inputs} inputs"
        require_memory(8.0 * copies * rows * inputs, what)
    return dense_rows(X)


def drawn_seed(random_state: Any) -> int:
    """Return a seed drawn from scikit-learn's `random_state`: an int, a RandomState or None."""
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
