"""What every classifier sign(sum_i c_i k(x_i, x) + b) shares: kernel, labels, validation, prediction."""

import warnings
from abc import ABCMeta, abstractmethod
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from ensvm.classifiers.base.labels import signed_labels
from ensvm.kernels import (
    NAMED_KERNELS,
    KernelFunction,
    gram,
    parameters_of,
    resolve_gamma,
)

PREDICTION_ENTRIES = 1 << 21  # kernel values held at once in prediction: 16 MiB of float64
KEPT_DTYPES = (np.float64, np.float32)  # any other becomes the first


class KernelExpansionClassifier(ClassifierMixin, BaseEstimator, metaclass=ABCMeta):
    """Base of the binary classifiers f(x) = sum_i dual_coef_i k(x_i, x) + intercept.

    A subclass finds the weights of the training rows in `_weigh`, and the intercept if it has one.
    Labels may be any two values; the second in sorted order is the positive one, and f(x) = 0
    counts as negative, as in scikit-learn's binary classifiers.
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
    def _weigh(self, X: Any, signs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weights of the m training rows, shape (m,), having set the attributes about them.

        A row's coefficient is its weight times its sign. X is the validated training input, whose
        Gram matrix is `_training_gram(X)`; `signs` are the labels as -1, +1. `intercept_` is 0.0
        unless set here.
        """

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Fit to training rows X and their labels y.

        X has shape (n_samples, n_features), dense or sparse, or (n_samples, n_samples) when it is
        the precomputed Gram matrix; float32 stays float32, and so do its kernel values. y has shape
        (n_samples,) and two distinct values.

        Raises ValueError for another number of classes, a Gram matrix that is not square, or a
        parameter out of range.
        """
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=KEPT_DTYPES)
        self.classes_, signs = signed_labels(y, type(self).__name__)
        if self.kernel == "precomputed" and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"a precomputed Gram matrix must be square, got {X.shape[0]} x {X.shape[1]}"
            )
        self.gamma_ = resolve_gamma(self.gamma, X) if "gamma" in parameters_of(self.kernel) else None
        self.intercept_ = 0.0
        weights = self._weigh(X, signs)
        # What is dropped changes f by less than a rounding of the largest weight's term.
        sizes = np.abs(weights)
        self.support_ = np.flatnonzero(sizes > np.finfo(np.float64).eps * sizes.max() / sizes.size)
        self.dual_coef_ = (signs * weights)[self.support_]
        self.X_fit_: Any = None if self.kernel == "precomputed" else X[self.support_]
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return f(x) for each row of X, shape (n,).

        X has shape (n, n_features), or (n, n_samples) of kernel values with the training rows when
        precomputed. Rows are worked off in blocks: the memory taken beside the result does not grow
        with n.
        """
        check_is_fitted(self)
        return self._expand(X, self.dual_coef_) + self.intercept_

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row of X, shape (n,): `classes_[1]` where the decision function is > 0."""
        return self._classes_of(self.decision_function(X))

    def __sklearn_tags__(self) -> Tags:
        """Return scikit-learn's tags: binary only, sparse too, pairwise when the kernel is precomputed."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def _keep_ending(self, n_iter: int, stop_reason: str, *, converged: bool) -> None:
        """Keep how the solver ended, and warn if it was cut short. Called by what `_weigh` calls."""
        self.n_iter_, self.stop_reason_, self.converged_ = n_iter, stop_reason, converged
        if not converged:
            message = f"{type(self).__name__} stopped after {n_iter} steps ({stop_reason})"
            warnings.warn(message, ConvergenceWarning, stacklevel=5)

    def _classes_of(self, decision: NDArray[np.float64]) -> NDArray[Any]:
        return self.classes_[(decision > 0.0).astype(int)]

    def _training_gram(self, X: Any) -> NDArray[Any]:
        """Return the Gram matrix of the validated training input."""
        if self.kernel == "precomputed":
            return X.toarray() if sparse.issparse(X) else X
        return self._gram(X, None)

    def _gram(self, X: Any, Y: Any) -> NDArray[Any]:
        if Y is not None and Y.shape[0] == 0:  # a machine may be its intercept alone
            return np.zeros((X.shape[0], 0), dtype=X.dtype)
        return gram(X, Y, **self._kernel_words(X))

    def _kernel_words(self, X: Any) -> dict[str, Any]:
        """Return the kernel as `gram` takes it, with the precision of X."""
        return {
            "kernel": self.kernel,
            "gamma": self.gamma_,
            "degree": self.degree,
            "coef0": self.coef0,
            "dtype": X.dtype,
        }

    def _expand(self, X: Any, coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sums of coefficients times kernel values, shape (n,) or (n, k).

        `coefficients` belong to the rows of `support_`: shape (n_support,) or (n_support, k).
        """
        X = validate_data(self, X, accept_sparse="csr", dtype=KEPT_DTYPES, reset=False)
        if self.kernel == "precomputed":
            everyone = np.zeros((self.n_features_in_, *coefficients.shape[1:]), dtype=X.dtype)
            everyone[self.support_] = coefficients
            return np.asarray(X @ everyone, dtype=np.float64)
        X = X.astype(self.X_fit_.dtype, copy=False)
        values = np.empty((X.shape[0], *coefficients.shape[1:]))
        coefficients = coefficients.astype(X.dtype)
        length = max(PREDICTION_ENTRIES // max(self.support_.size, 1), 1)
        for start in range(0, X.shape[0], length):
            rows = slice(start, start + length)
            values[rows] = self._gram(X[rows], self.X_fit_) @ coefficients
        return values
