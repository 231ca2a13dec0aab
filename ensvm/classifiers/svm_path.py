"""The C-SVM of all C at once, with C chosen by the leave-one-out bound: SVM(LOO) and SVM(BEST) of Tsang & Kwok (IJCAI-07)."""

import warnings
from collections.abc import Callable, Iterator
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from ensvm.classifiers.base.kernel_expansion import KEPT_DTYPES, KernelExpansionClassifier
from ensvm.solvers.regularization_path.loo_bound import leave_one_out_bound
from ensvm.solvers.regularization_path.path import regularization_path


class SVMPathClassifier(KernelExpansionClassifier):
    """Soft-margin support vector classifier that knows its solution for every C, f(x) = sum_i y_i alpha_i k(x_i, x) + intercept.

    The whole regularization path is computed exactly, on kernel values in float64 whatever the type
    of X. C is given or is the one with the least leave-one-out bound, the smallest among equals.
    That bound, (1/m) #{i: alpha_i K_ii - y_i f(x_i) > 0}, is proved for the machine without an
    intercept; with one it is a heuristic.

    Parameters
    ----------
    kernel : 'linear' | 'poly' | 'rbf' | 'precomputed' | callable of (X, Y), default 'rbf'; positive
        semidefinite
    gamma : positive float | 'scale' | 'auto' | 'mean-distance', default 'mean-distance': 1 over the
        mean squared distance of the training rows to their mean; read by 'rbf' and 'poly'
    degree : int >= 0, default 3; read by 'poly'
    coef0 : float, default 0.0; read by 'poly'
    select : 'loo' (default), 'end' for C_max, or a positive float, C itself
    C_min : float >= 0, default 0.0; the least C that 'loo' may choose. The path's first breakpoint
        is a limit of its own: below it only the scale of f and the intercept change
    C_max : positive float, default 1e4; where the path ends
    fit_intercept : bool, default True

    Attributes
    ----------
    path_ : RegularizationPath, the breakpoints and the solution at any C up to C_max
    C_ : float, the C of this machine
    loo_bound_ : array of shape (n_breakpoints,), the bound at every breakpoint; only with
        select='loo'
    best_loo_bound_ : float, the bound at C_, which may lie between two breakpoints; only with
        select='loo'
    certificate_ : float, the largest violation of the optimality conditions seen along the path, in
        units of y f(x)
    n_iter_ : int, events of the path, those on the way to its start included
    converged_ : bool, whether the path reached C_max
    support_, dual_coef_, X_fit_ : rows with alpha > 0, their coefficients y_i alpha_i, their inputs
        (None if precomputed)
    X_path_ : all training inputs, which the stages need (None if precomputed)
    intercept_ : float
    classes_ : array of shape (2,), sorted
    gamma_ : float, the width used; None for kernels without one
    n_features_in_ : int

    References
    ----------
    Hastie, Rosset, Tibshirani & Zhu, The Entire Regularization Path for the Support Vector Machine,
    JMLR 5, 2004. Tsang & Kwok, Ensembles of Partially Trained SVMs with Multiplicative Updates,
    IJCAI-07, section 4.1.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelExpansionClassifier._parameter_constraints,
        "select": [StrOptions({"loo", "end"}), Interval(Real, 0.0, None, closed="neither")],
        "C_min": [Interval(Real, 0.0, None, closed="left")],
        "C_max": [Interval(Real, 0.0, None, closed="neither")],
        "fit_intercept": ["boolean"],
    }

    def __init__(
        self,
        kernel: str | Callable[[Any, Any], Any] = "rbf",
        *,
        gamma: float | str = "mean-distance",
        degree: int = 3,
        coef0: float = 0.0,
        select: float | str = "loo",
        C_min: float = 0.0,
        C_max: float = 1e4,
        fit_intercept: bool = True,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.select = select
        self.C_min = C_min
        self.C_max = C_max
        self.fit_intercept = fit_intercept

    def staged_decision_function(self, X: ArrayLike) -> Iterator[NDArray[np.float64]]:
        """Yield f at each row of X, shape (n,), for C = 1 / path_.lambdas, from the smallest to the largest.

        X as in `decision_function`. Takes the (n, n_samples) kernel values and those of a block of
        stages, whatever their number.
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=KEPT_DTYPES, reset=False)
        cross = X if self.kernel == "precomputed" else self._gram(X, self.X_path_)
        yield from self.path_.staged_decision_function(cross)

    def staged_predict(self, X: ArrayLike) -> Iterator[NDArray[Any]]:
        """Yield the class of each row of X, shape (n,), for C = 1 / path_.lambdas, from the smallest to the largest."""
        for decision in self.staged_decision_function(X):
            yield self._classes_of(decision)

    def _weigh(self, X: Any, signs: NDArray[np.float64]) -> NDArray[np.float64]:
        if not isinstance(self.select, str) and self.select > self.C_max:
            raise ValueError(
                f"select = {self.select!r} lies beyond the end of the path, C_max = {self.C_max!r}"
            )
        if self.C_min > self.C_max:
            raise ValueError(f"C_min = {self.C_min!r} is larger than C_max = {self.C_max!r}")
        if self.kernel != "precomputed":
            # Single precision would make the Gram matrix indefinite and its path inexact.
            X = X.astype(np.float64, copy=False)
        gram = self._training_gram(X)
        self.X_path_ = None if self.kernel == "precomputed" else X
        self.path_ = regularization_path(
            gram, signs, fit_intercept=self.fit_intercept, C_max=self.C_max
        )
        self.n_iter_ = self.path_.n_start_events + self.path_.n_events
        self.certificate_ = self.path_.largest_violation
        self.converged_ = self.path_.converged
        if not self.converged_:
            message = f"SVMPathClassifier stopped after {self.n_iter_} events, before C_max = {self.C_max!r}"
            warnings.warn(message, ConvergenceWarning, stacklevel=4)
        self.C_ = self._chosen_C(gram)
        self.intercept_ = self.path_.intercept_at(self.C_)
        return self.path_.coef_at(self.C_)

    def _chosen_C(self, gram: NDArray[np.float64]) -> float:
        if not isinstance(self.select, str):
            return float(self.select)
        if self.select == "end":
            return float(self.C_max)
        bound = leave_one_out_bound(self.path_, gram, C_min=self.C_min)
        self.loo_bound_ = bound.bounds
        self.best_loo_bound_ = bound.best_bound
        return bound.best_C
