"""The linear support vector machine with hard or soft margin, by sequential minimal optimization."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from ensvm.classifiers.base.ending import Ending
from ensvm.classifiers.base.linear_classifier import LinearClassifier, Plane
from ensvm.solvers.linear.smo import LinearSMOResult, linear_smo


class LinearSMO(LinearClassifier):
    """Linear support vector machine sgn(w.x + w_0): least |w|^2 / 2 + C sum_i xi_i, y_i (w.x_i + w_0) >= 1 - xi_i, xi_i >= 0.

    Parameters
    ----------
    C : positive float, default 1.0, the price of a soft error; `inf` is the hard margin, xi = 0,
        which exists only where a plane separates the classes
    tol : positive float, default 1e-3; the KKT residual to stop at, in units of y f(x)
    max_iter : int >= 1, default 10000000, the most pairs of multipliers optimised; reaching it
        gives a `ConvergenceWarning`

    Attributes
    ----------
    coef_, intercept_ : w, shape (1, n_features), and w_0, shape (1,)
    alpha_ : array of shape (n_samples,), the Lagrange multipliers, w = sum_i alpha_i y_i x_i
    support_ : array of the rows with alpha_i > 0, the support vectors
    margin_ : float, 2 / |w|, the width of the strip between the planes f(x) = -1 and f(x) = 1
    soft_error_ : float, sum_i xi_i over the training rows
    objective_ : float, the dual objective sum_i alpha_i - |w|^2 / 2
    certificate_ : float, the KKT residual; 0 at the solution
    n_iter_ : int, pairs optimised
    converged_ : bool
    classes_ : array of shape (2,), sorted
    n_features_in_ : int

    Reference
    ---------
    COMP 6321 lecture 5, "Support Vector Machines" to "SMO (III)".
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0.0, np.inf, closed="right")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, *, C: float = 1.0, tol: float = 1e-3, max_iter: int = 10_000_000) -> None:
        self.C = C
        self.tol = tol
        self.max_iter = max_iter

    def _find_plane(self, X: NDArray[np.float64], signs: NDArray[np.float64]) -> Plane:
        result = linear_smo(X, signs, C=self.C, tol=self.tol, max_iter=self.max_iter)
        norm = float(np.linalg.norm(result.weights))
        slack = 1.0 - signs * (X @ result.weights + result.offset)
        attributes = {
            "alpha_": result.alpha,
            "support_": np.flatnonzero(result.alpha),
            "margin_": 2.0 / norm if result.weights.any() else np.inf,
            "soft_error_": float(np.maximum(slack, 0.0).sum()),
            "objective_": result.objective,
            "certificate_": result.certificate,
        }
        return Plane(result.weights, result.offset, attributes, self._ending(result))

    def _ending(self, result: LinearSMOResult) -> Ending:
        if result.converged:
            return Ending(result.n_iter, "residual_below_tol", converged=True)
        message = (
            f"LinearSMO stopped after {result.n_iter} pairs with a KKT residual of "
            f"{result.certificate:.3g} > {self.tol!r}"
        )
        return Ending(result.n_iter, "max_iter", converged=False, message=message)
