"""Kernel ridge regression of the labels; leave-one-out chooses the penalty and the width."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions

from ensvm.classifiers.base import (
    CLASS_WEIGHT,
    Solution,
    class_costs,
    coded_labels,
    relative_weights,
    rows_that_count,
)
from ensvm.classifiers.kernel_expansion import WeightedExpansionClassifier
from ensvm.classifiers.shared_docs import documented
from ensvm.kernels import gram, resolve_gamma
from ensvm.kernels.named_kernels import TRIED_WIDTHS
from ensvm.memory import require_memory
from ensvm.solvers.kernel_ridge import KernelRidge

MATRICES = 4.0  # as large as the Gram matrix that a fit holds at once


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class KernelRidgeClassifierCV(WeightedExpansionClassifier):
    """Kernel ridge regression of the labels that tunes itself by exact leave-one-out.

    For each class one function f(x) = sum_j c_j k(x_j, x) + b is fitted to +1 at the rows of the
    class and -1 at the others, with a penalty alpha c'Kc; two classes need one function. One
    eigendecomposition of the Gram matrix gives all functions, for every alpha, and the value of
    each without row i at row i, without a refit. The pair of alpha and gamma with the least mean
    squared error of these values is chosen. A fit takes O(n_samples^3) time for each width, and
    every training row is a support vector; see `LowRankRidgeClassifier` for more than some thousand
    rows. Inputs should be scaled.

    Parameters
    ----------
    gamma : float or {'loo', 'scale', 'auto', 'mean-distance'}, default 'loo'
        The factor in 'rbf' and 'poly', a positive number. 'loo' chooses among .1, .33, 1 and 3.3
        times 'mean-distance', which is 1 over the mean squared distance of the training rows to
        their mean; 'scale' is 1 / (n_features Var(X)) and 'auto' 1 / n_features.
    alpha : float or 'loo', default 'loo'
        The factor of c'Kc beside the squared errors, a positive number; 'loo' chooses among a grid
        with two values in a decade.
    class_weight : dict, 'balanced' or None, default None
        The factor of the squared errors of the rows of each class; 'balanced' is n_samples /
        (n_classes * rows of the class), None is 1.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes in sorted order.
    dual_coef_ : ndarray of shape (n_support,) or (n_support, n_classes)
        The coefficients c of f; of each class if there are more than two.
    intercept_ : float or ndarray of shape (n_classes,)
        The constants b.
    alpha_ : float
        The alpha used.
    loo_decision_function_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        The values of f fitted without each training row at that row, for the alpha and gamma used.
    loo_error_ : float
        The share of the training rows that these values put into a wrong class, weighted with
        `sample_weight`; as alpha and gamma were chosen on them, a little less than at new rows.

    References
    ----------
    Wahba, Spline models for observational data, 1990, section 4.2; Rifkin, Yeo & Poggio,
    Regularized least-squares classification, 2003.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from ensvm import KernelRidgeClassifierCV
    >>> X, y = load_wine(return_X_y=True)
    >>> machine = make_pipeline(StandardScaler(), KernelRidgeClassifierCV()).fit(X, y)
    >>> bool(machine[-1].loo_error_ < 0.02)
    True
    """

    gamma: float | str = "loo"
    alpha: float | Literal["loo"] = "loo"
    class_weight: Any = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **WeightedExpansionClassifier._parameter_constraints,
        "gamma": [
            StrOptions({"loo", "scale", "auto", "mean-distance"}),
            Interval(Real, 0.0, None, closed="neither"),
        ],
        "alpha": [StrOptions({"loo"}), Interval(Real, 0.0, None, closed="neither")],
        "class_weight": CLASS_WEIGHT,
    }

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the classifier to training rows, their labels and their weights.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            The labels, of two or more distinct values.
        sample_weight : array-like of shape (n_samples,), default None
            The factors of the squared errors of the rows, at least 0, which are divided by their
            mean: only their proportions matter. Leave-one-out leaves out a row with all of its
            weight; rows of weight 0 are left out of the training. None for equal weights.

        Raises
        ------
        ValueError
            If there is one class only, the Gram matrix is not square, or a weight or a parameter is
            out of its range.
        """
        return self._fit(X, y, sample_weight)

    def __sklearn_tags__(self) -> Tags:
        """Return scikit-learn's tags: any number of classes."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        return tags

    def _width(self, X: Any, sample_weight: NDArray[np.float64] | None) -> float:
        """Return the width; with 'loo' the base width, whose multiples are tried."""
        gamma = "mean-distance" if self.gamma == "loo" else self.gamma
        return resolve_gamma(gamma, X, sample_weight)

    def _targets(self, y: Any) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return the classes and the targets -1, +1, shape (m,), or (m, n_classes) if over two."""
        classes, codes = coded_labels(y, type(self).__name__)
        if classes.size == 2:
            return classes, np.where(codes == 1, 1.0, -1.0)
        return classes, np.where(codes[:, None] == np.arange(classes.size), 1.0, -1.0)

    def _classes_of(self, decision: NDArray[np.float64]) -> NDArray[Any]:
        return self.classes_[_codes(decision)]

    def _is_one_sum(self) -> bool:
        return self.classes_.size == 2

    def _solve(
        self, X: Any, signs: NDArray[np.float64], sample_weight: NDArray[np.float64] | None
    ) -> Solution:
        m, codes = len(signs), _codes(signs)
        what = f"{type(self).__name__}: the Gram matrix of {m} rows and its eigenvectors"
        require_memory(8.0 * MATRICES * m**2, what)
        counts = np.ones(m) if sample_weight is None else relative_weights(sample_weight)
        rows = rows_that_count(counts, codes.astype(np.float64), type(self).__name__)
        costs = class_costs(self.class_weight, self.classes_, codes)[codes]
        widths = [self.gamma_]
        if self.gamma == "loo" and self.gamma_ is not None:
            widths = [factor * self.gamma_ for factor in TRIED_WIDTHS]
        fits = (
            _tuned(self._gram_of_width(X, gamma), signs, rows, counts, costs, self.alpha)
            for gamma in widths
        )
        (_, best), gamma = min(zip(fits, widths, strict=True), key=lambda pair: pair[0][0])
        left_out = _codes(best.attributes["loo_decision_function_"])
        loo_error = float(np.average(left_out != codes, weights=counts))
        attributes = {**best.attributes, "gamma_": gamma, "loo_error_": loo_error}
        return replace(best, attributes=attributes)

    def _gram_of_width(self, X: Any, gamma: float | None) -> NDArray[Any]:
        if self.kernel == "precomputed":
            return self._training_gram(X)
        return gram(X, **(self._kernel_parameters() | {"gamma": gamma}))


def _tuned(
    kernel: NDArray[Any],
    signs: NDArray[np.float64],
    rows: NDArray[np.intp],
    counts: NDArray[np.float64],
    costs: NDArray[np.float64],
    alpha: float | str,
) -> tuple[float, Solution]:
    """Return the least leave-one-out loss of any alpha, and the machine of that alpha.

    `rows` are those of positive weight.
    """
    m, targets = len(signs), signs.reshape(len(signs), -1)[rows]
    weight = (counts * costs)[rows]
    among = kernel if rows.size == m else kernel[np.ix_(rows, rows)]
    ridge = KernelRidge(among, targets, weight)
    alphas = ridge.penalties() if alpha == "loo" else np.array([float(alpha)])
    left_out = ridge.leave_one_out(alphas)
    losses = np.average(np.square(left_out - targets).mean(axis=2), axis=1, weights=weight)
    best = int(losses.argmin())
    coefficients = np.zeros((m, targets.shape[1]))
    coefficients[rows], intercepts = ridge.solve(float(alphas[best]))
    if rows.size == m:
        values = left_out[best]
    else:  # a row of weight 0 was never in
        values = kernel @ coefficients + intercepts
        values[rows] = left_out[best]
    intercept = intercepts if signs.ndim == 2 else float(intercepts[0])
    attributes = {
        "alpha_": float(alphas[best]),
        "loo_decision_function_": values.reshape(signs.shape),
    }
    return float(losses[best]), Solution(coefficients.reshape(signs.shape), intercept, attributes)


def _codes(values: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the positions of the classes that values of f stand for."""
    return values.argmax(axis=1) if values.ndim == 2 else (values > 0.0).astype(np.intp)
