"""What every classifier sign(sum_i c_i k(x_i, x) + b) shares: kernel, labels, prediction."""

from abc import ABCMeta, abstractmethod
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from ensvm.classifiers.base.ending import Ending as Ending
from ensvm.classifiers.base.ending import keep_ending
from ensvm.classifiers.base.labels import signed_labels
from ensvm.classifiers.base.weights import checked_weights
from ensvm.kernels import (
    DENSE_COLUMNS,
    NAMED_KERNELS,
    Kernel,
    KernelFunction,
    gram,
    parameters_of,
    resolve_gamma,
)
from ensvm.kernels.input_rows import distinct_rows, slices
from ensvm.kernels.sums import KernelSums
from ensvm.kernels.threads import one_blas_thread
from ensvm.memory import require_memory

# Training rows from which on products are worth sharing between threads. Up to 600 the triangle of
# the Gram matrix that a product reads lies in one core's cache and takes 0.03 ms; with 800 it takes
# 0.087 ms on one thread and 0.031 on two.
SHARED_ROWS = 600
# Values of a kernel function held at once in prediction: 16 MiB of float64
PREDICTION_ENTRIES = 1 << 21
GRAM_DTYPES = (np.float64, np.float32)  # of a Gram matrix given; any other becomes the first


@dataclass(frozen=True)
class Expansion:
    """What `_solve` returns: the machine, and what is known of it."""

    coefficients: NDArray[np.float64]
    """Shape (n_samples,), of all training rows, signed: y_i a_i."""
    intercept: float = 0.0
    attributes: Mapping[str, Any] = field(default_factory=dict)
    """Fitted attributes to set: name with its underscore -> value."""
    ending: Ending | None = None
    """How the solver ended; None if nothing was iterated."""


class KernelExpansionClassifier(ClassifierMixin, BaseEstimator, metaclass=ABCMeta):
    """Base of the binary classifiers f(x) = sum_i dual_coef_i k(x_i, x) + intercept.

    A subclass computes the coefficients of the training rows in `_solve`. Labels may be any two
    values; the second in sorted order is the positive one, and f(x) = 0 counts as negative, as in
    scikit-learn's binary classifiers.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [StrOptions({*NAMED_KERNELS, "precomputed"}), callable],
        "gamma": [
            StrOptions({"scale", "auto", "mean-distance"}),
            Interval(Real, 0.0, None, closed="neither"),
        ],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
    }

    kernel: str | KernelFunction
    gamma: float | str
    degree: int
    coef0: float

    @abstractmethod
    def _solve(
        self, X: Any, signs: NDArray[np.float64], sample_weight: NDArray[np.float64] | None
    ) -> Expansion:
        """Return the expansion in the m training rows; sets nothing on `self`.

        X is the validated training input, whose Gram matrix is `_training_gram(X)`; `signs` are the
        labels as -1, +1; `sample_weight` is >= 0 of shape (m,), or None where none was given.
        """

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Fit the classifier to training rows and their labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The training rows, or their Gram matrix of shape (n_samples, n_samples) with
            `kernel='precomputed'`. Rows become float64, and their kernel values are float64; a
            Gram matrix may be float32, which halves its memory. With a low-rank factor float32
            rows, as those of a `numpy.memmap`, are read in blocks and not copied.
        y : array-like of shape (n_samples,)
            The labels, of two distinct values.

        Returns
        -------
        self : KernelExpansionClassifier
            The fitted classifier.

        Raises
        ------
        ValueError
            If there are not two classes, the Gram matrix is not square, or a parameter is out of
            its range.
        MemoryError
            If the Gram matrix takes more memory than is free; said before it is allocated.
        """
        return self._fit(X, y, None)

    @_fit_context(prefer_skip_nested_validation=True)
    def _fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> Self:
        """Validate, solve, and set every fitted attribute."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=self._dtypes())
        X = self._widened(X)
        self.classes_, signs = signed_labels(y, type(self).__name__)
        if self.kernel == "precomputed" and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"a precomputed Gram matrix must be square, got {X.shape[0]} x {X.shape[1]}"
            )
        weight = checked_weights(sample_weight, X)
        self.gamma_ = self._width(X, weight) if "gamma" in parameters_of(self.kernel) else None
        with one_blas_thread() if X.shape[0] < SHARED_ROWS else nullcontext():
            expansion = self._solve(X, signs, weight)
        # What is dropped changes f by less than a rounding of the largest coefficient's term.
        sizes = np.abs(expansion.coefficients)
        self.support_ = np.flatnonzero(sizes > np.finfo(np.float64).eps * sizes.max() / sizes.size)
        self.dual_coef_ = expansion.coefficients[self.support_]
        self.X_fit_: Any = None if self.kernel == "precomputed" else X[self.support_]
        if self.X_fit_ is not None:
            self._distinct = distinct_rows(self.X_fit_)
        self.intercept_ = expansion.intercept
        for name, value in expansion.attributes.items():
            setattr(self, name, value)
        if expansion.ending is not None:
            keep_ending(self, expansion.ending)
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return f(x) for each row.

        Rows are worked off in blocks: the memory taken beside the result does not grow with n.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            The rows to predict, or their kernel values with the training rows, of shape
            (n, n_samples), with `kernel='precomputed'`.

        Returns
        -------
        values : ndarray of shape (n,)
            The values of f.
        """
        check_is_fitted(self)
        return self._expand(X, self.dual_coef_) + self.intercept_

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row: `classes_[1]` where f(x) > 0.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            The rows to predict, or their kernel values with the training rows, of shape
            (n, n_samples), with `kernel='precomputed'`.

        Returns
        -------
        labels : ndarray of shape (n,)
            The classes predicted.
        """
        check_is_fitted(self)
        if not (self._is_one_sum() and self._in_blocks()):
            return self._classes_of(self.decision_function(X))
        positive = self._sums(self.dual_coef_).positive(self._validated(X), self.intercept_)
        return self.classes_[positive.astype(int)]

    def __sklearn_tags__(self) -> Tags:
        """Return scikit-learn's tags: binary, sparse too, pairwise with a precomputed kernel."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def _width(self, X: Any, sample_weight: NDArray[np.float64] | None) -> float:
        """Return the number that `gamma` stands for on the training rows."""
        return resolve_gamma(self.gamma, X)

    def _classes_of(self, decision: NDArray[np.float64]) -> NDArray[Any]:
        return self.classes_[(decision > 0.0).astype(int)]

    def _training_gram(self, X: Any) -> NDArray[Any]:
        """Return the Gram matrix of the validated training input."""
        if self.kernel == "precomputed":
            return X.toarray() if sparse.issparse(X) else X
        rows = X.shape[0]
        require_memory(8.0 * rows**2, f"{type(self).__name__}: the Gram matrix of {rows} rows")
        return self._gram(X, None)

    def _gram(self, X: Any, Y: Any) -> NDArray[Any]:
        if Y is not None and Y.shape[0] == 0:  # a machine may be its intercept alone
            return np.zeros((X.shape[0], 0))
        return gram(X, Y, **self._kernel_parameters())

    def _kernel_parameters(self) -> dict[str, Any]:
        """Return the kernel as `gram` takes it."""
        return {
            "kernel": self.kernel,
            "gamma": self.gamma_,
            "degree": self.degree,
            "coef0": self.coef0,
        }

    def _dtypes(self) -> Any:
        """Return what the validated input may be: kernel values of float32 rows are too coarse."""
        return GRAM_DTYPES if self.kernel == "precomputed" else np.float64

    def _either_precision(self) -> Any:
        """Return what the input may be where rows are made float64 in blocks, when they are read.

        float32 rows are then not copied. A kernel function is still given float64.
        """
        return np.float64 if callable(self.kernel) else GRAM_DTYPES

    def _widened(self, X: Any) -> Any:
        """Return the training input as `_solve` takes it: sparse rows in float64."""
        if self.kernel != "precomputed" and sparse.issparse(X):
            return X.astype(np.float64, copy=False)
        return X

    def _validated(self, X: Any) -> Any:
        """Return the rows to predict, or their kernel values with the training rows."""
        return validate_data(self, X, accept_sparse="csr", dtype=self._dtypes(), reset=False)

    def _expand(self, X: Any, coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sums of coefficients times kernel values, shape (n,) or (n, k).

        `coefficients` belong to the rows of `support_`: shape (n_support,) or (n_support, k).
        """
        X = self._validated(X)
        if self.kernel == "precomputed":
            everyone = np.zeros((self.n_features_in_, *coefficients.shape[1:]), dtype=X.dtype)
            everyone[self.support_] = coefficients
            return np.asarray(X @ everyone, dtype=np.float64)
        if self._in_blocks():
            return self._sums(coefficients).values(X)
        values = np.empty((X.shape[0], *coefficients.shape[1:]))
        for rows in slices(X.shape[0], PREDICTION_ENTRIES // max(self.support_.size, 1)):
            values[rows] = self._gram(X[rows], self.X_fit_) @ coefficients
        return values

    def _is_one_sum(self) -> bool:
        """Return whether f is the expansion itself, not a vote of several."""
        return True

    def _in_blocks(self) -> bool:
        """Return whether `KernelSums` can sum: it needs a named kernel, and rows to make dense."""
        return (
            isinstance(self.kernel, str)
            and self.kernel != "precomputed"
            and bool(self.support_.size)
            and not (sparse.issparse(self.X_fit_) and self.X_fit_.shape[1] > DENSE_COLUMNS)
        )

    def _sums(self, coefficients: NDArray[np.float64]) -> KernelSums:
        distinct = self._distinct
        kernel = Kernel(str(self.kernel), self.gamma_ or 0.0, self.degree, self.coef0)
        return KernelSums(self.X_fit_[distinct.first], distinct.summed(coefficients), kernel)
