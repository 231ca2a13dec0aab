"""Bases of the classifiers sign(sum_i c_i k(x_i, x) + b): kernel, training, prediction."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import nullcontext
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from scipy import sparse
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from ensvm.classifiers.base import (
    BinaryClassifier,
    Solution,
    checked_weights,
    require_square,
    signed_labels,
    validated,
)
from ensvm.classifiers.shared_docs import documented
from ensvm.classifiers.sklearn_private import Interval, StrOptions, fit_context
from ensvm.kernels import (
    DENSE_COLUMNS,
    NAMED_KERNELS,
    Kernel,
    KernelFunction,
    gram,
    parameters_of,
    resolve_gamma,
)
from ensvm.kernels.gram_matrix import dense_rows, distinct_rows, slices
from ensvm.kernels.sums import KernelSums
from ensvm.kernels.threads import one_blas_thread
from ensvm.memory import require_memory

# Training rows from which on products are worth sharing between threads: the triangle of the Gram
# matrix that a product of fewer reads lies in one core's cache.
SHARED_ROWS = 600
# Values of a kernel function held at once in prediction: 16 MiB of float64
PREDICTION_ENTRIES = 1 << 21
# Sparse rows of so many entries (256 MiB of float64) are made dense for their width
DENSE_ENTRIES = 1 << 25
GRAM_DTYPES = (np.float64, np.float32)  # of a Gram matrix given; any other becomes the first


@documented
@dataclass(eq=False, repr=False)
class KernelExpansionClassifier(BinaryClassifier):
    """Base of the binary classifiers f(x) = sum_i dual_coef_i k(x_i, x) + intercept.

    A subclass computes the coefficients of the training rows in `_solve`. As in scikit-learn's
    binary classifiers, f(x) = 0 counts as negative.

    Parameters
    ----------
    kernel : {KERNEL_NAMES, 'precomputed'} or callable, default 'rbf'
        The kernel k(x, z): KERNEL_FORMULAS. A callable takes two arrays of rows and returns the
        matrix of their kernel values; with 'precomputed' X is the Gram matrix itself. The kernel
        must be positive semidefinite.
    gamma : float or {'scale', 'auto', 'mean-distance'}, default 'mean-distance'
        The factor in the kernel, a positive number; not read by 'linear'. 'mean-distance' is 1 over
        the mean squared distance of the training rows to their mean, for 'laplacian' over the mean
        of sum_j |x_j - mean_j|; 'scale' is 1 / (n_features Var(X)) and 'auto' 1 / n_features, as in
        scikit-learn.
    degree : int, default 3
        The degree of 'poly', at least 0.
    coef0 : float, default 0.0
        The constant of 'poly', a finite number.

    Attributes
    ----------
    support_ : ndarray of int, shape (n_support,)
        The support vectors: the row numbers of the training rows whose weight is not 0.
    dual_coef_ : ndarray of shape (n_support,)
        Their coefficients in the expansion, the weight times the label -1 or +1.
    X_fit_ : ndarray or sparse matrix of shape (n_support, n_features), or None
        The support vectors themselves; None with kernel='precomputed'.
    intercept_ : float
        The constant term of f; 0.0 for a machine without an intercept.
    gamma_ : float or None
        The number that `gamma` stands for; None for a kernel without one.
    """

    kernel: str | KernelFunction = "rbf"
    _: KW_ONLY
    gamma: float | str = "mean-distance"
    degree: int = 3
    coef0: float = 0.0

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [StrOptions({*NAMED_KERNELS, "precomputed"}), callable],
        "gamma": [
            StrOptions({"scale", "auto", "mean-distance"}),
            Interval(Real, 0.0, None, closed="neither"),
        ],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
    }

    @abstractmethod
    def _solve(
        self, X: Any, signs: NDArray[np.float64], sample_weight: NDArray[np.float64] | None
    ) -> Solution:
        """Return the expansion in the m training rows; sets nothing on `self`.

        X is the validated training input, whose Gram matrix is `_training_gram(X)`; `signs` are the
        labels as -1, +1; `sample_weight` is >= 0 of shape (m,), or None if `fit` got none.
        """

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Fit the classifier to training rows and their labels.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The training rows, or their Gram matrix of shape (n_samples, n_samples) with
            `kernel='precomputed'`. Rows become float64, and their kernel values are float64; a
            Gram matrix may be float32, which halves its memory.
        y : array-like of shape (n_samples,)
            The labels, of two distinct values.

        Returns
        -------
        self : classifier
            The fitted classifier.

        Raises
        ------
        ValueError
            If there are not two classes, the Gram matrix is not square, or a parameter is out of
            its range.
        MemoryError
            If the Gram matrix takes more memory than is free; raised before it is allocated.
        """
        return self._fit(X, y, None)

    @fit_context(prefer_skip_nested_validation=True)
    def _fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> Self:
        """Validate, solve, and set every fitted attribute."""
        # Sums over columns round by the order of the entries in memory, so that there is one order.
        order = None if self.kernel == "precomputed" else "C"
        X, y = validated(self, X, y, accept_sparse="csr", dtype=self._dtypes(), order=order)
        self.classes_, signs = self._targets(y)
        if self.kernel == "precomputed":
            require_square(X)
        weight = checked_weights(sample_weight, X)
        self.gamma_ = None
        if "gamma" in parameters_of(self.kernel):
            few = X.shape[0] * X.shape[1] <= DENSE_ENTRIES
            self.gamma_ = self._width(dense_rows(X) if few else X, weight)
        with one_blas_thread() if X.shape[0] < SHARED_ROWS else nullcontext():
            expansion = self._expansion(X, signs, weight)
        # What is dropped changes f by less than a rounding of the largest coefficient's term.
        sizes = np.abs(expansion.coefficients.reshape(len(signs), -1)).max(axis=1)
        self.support_ = np.flatnonzero(sizes > np.finfo(np.float64).eps * sizes.max() / sizes.size)
        self.dual_coef_ = expansion.coefficients[self.support_]
        self.X_fit_: Any = None if self.kernel == "precomputed" else X[self.support_]
        if self.X_fit_ is not None:
            self._distinct = distinct_rows(self.X_fit_)
        self.intercept_ = expansion.intercept
        self._keep(expansion.attributes, expansion.ending)
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return f(x) of each row.

        The rows are processed in blocks, so that the memory does not grow with their number.
        """
        check_is_fitted(self)
        return self._expand(X, self.dual_coef_) + self.intercept_

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row: `classes_[1]` where f(x) > 0.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n, n_features)
            The rows to predict, or their kernel values with the training rows, of shape
            (n, n_samples), with `kernel='precomputed'`.
        """
        check_is_fitted(self)
        if not (self._is_one_sum() and self._in_blocks()):
            return self._classes_of(self.decision_function(X))
        positive = self._sums(self.dual_coef_).positive(self._validated(X), self.intercept_)
        return self.classes_[positive.astype(int)]

    def __sklearn_tags__(self) -> Tags:
        """Return scikit-learn's tags: pairwise with a precomputed kernel."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def _expansion(
        self, X: Any, targets: NDArray[np.float64], sample_weight: NDArray[np.float64] | None
    ) -> Solution:
        """Return the expansion for the `targets` of the training rows."""
        return self._solve(X, targets, sample_weight)

    def _targets(self, y: Any) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return the classes in sorted order and the `signs` that `_solve` gets."""
        return signed_labels(y, type(self).__name__)

    def _width(self, X: Any, sample_weight: NDArray[np.float64] | None) -> float:
        """Return the number that `gamma` stands for on the training rows."""
        return resolve_gamma(self.gamma, X, sample_weight, kernel=self.kernel)

    def _training_gram(self, X: Any, dtype: DTypeLike = np.float64) -> NDArray[Any]:
        """Return the Gram matrix of the validated training input; a matrix given is left as it is.

        Raises MemoryError if it takes more memory than is free.
        """
        if self.kernel == "precomputed":
            return dense_rows(X)
        rows, width = X.shape[0], np.dtype(dtype).itemsize
        require_memory(width * rows**2, f"{type(self).__name__}: the Gram matrix of {rows} rows")
        return gram(X, None, **self._kernel_parameters(), dtype=dtype)

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
        """Return the dtypes of validated input: kernel values of float32 rows are too coarse."""
        return GRAM_DTYPES if self.kernel == "precomputed" else np.float64

    def _validated(self, X: Any) -> Any:
        """Return the rows to predict, or their kernel values with the training rows."""
        return validated(self, X, accept_sparse="csr", dtype=self._dtypes(), reset=False)

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


@documented
class WeightedExpansionClassifier(KernelExpansionClassifier):
    """Base of the kernel expansions that are fitted to a distribution over the training rows."""

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the classifier to training rows, their labels and the distribution over them.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), default None
            The weights of the rows, at least 0 and not all 0, divided by their sum; None for equal
            weights.

        Raises
        ------
        ValueError
            If there are not two classes, the Gram matrix is not square, a weight or a parameter is
            out of its range, or the method has no machine for this distribution.
        """
        return self._fit(X, y, sample_weight)
