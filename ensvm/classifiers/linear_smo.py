"""The linear support vector machine by sequential minimal optimization (SMO) on inner products."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ensvm.array_types import for_reading
from ensvm.classifiers.base import (
    CLASS_WEIGHT,
    Ending,
    Solution,
    as_codes,
    class_costs,
    require_finite_prices,
    rows_that_count,
)
from ensvm.classifiers.linear_classifier import LinearClassifier
from ensvm.classifiers.shared_docs import documented
from ensvm.classifiers.sklearn_private import Interval
from ensvm.memory import require_memory
from ensvm.solvers.separability import separability, signed_points
from ensvm.solvers.sequential_minimal_optimization import minimise


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class LinearSMO(LinearClassifier):
    """Linear support vector machine with a hard or soft margin.

    The plane w.x + w_0 = 0 leaves the widest strip without training rows between the two classes,
    and pays for rows in the strip or on the wrong side: it minimises |w|^2 / 2 + sum_i C_i xi_i
    under y_i (w.x_i + w_0) >= 1 - xi_i and xi_i >= 0, with labels y_i in {-1, +1}. C_i is C times
    the weight of the row and of its class, which are 1 unless given. Sequential minimal
    optimization (SMO) solves the dual problem by optimising two multipliers at a time. It takes the
    matrix of inner products of the rows: O(n_samples^2) memory.

    Parameters
    ----------
    C : float, default 1.0
        The price of a soft error xi_i, a positive number. `inf` is the hard margin, all xi_i = 0,
        which exists only where a plane separates the classes.
    tol : float, default 1e-3
        The KKT residual, the violation of the optimality conditions, to stop at; a positive number,
        in units of y f(x).
    max_iter : int, default 1000000
        The largest number of pairs of multipliers optimised, at least 1; reaching it gives a
        `ConvergenceWarning`.
    class_weight : dict, 'balanced' or None, default None
        What multiplies C for the rows of each class: label -> weight, a positive number, with 1 for
        a class that is not named; 'balanced' is n_samples / (2 * rows of the class); None is 1 for
        both.

    Attributes
    ----------
    alpha_ : ndarray of shape (n_samples,)
        The Lagrange multipliers in [0, C_i], with w = sum_i alpha_i y_i x_i.
    support_ : ndarray of int, shape (n_support,)
        The support vectors: the row numbers of the training rows with alpha_i > 0.
    margin_ : float
        The width 2 / |w| of the strip between the planes f(x) = -1 and f(x) = 1.
    soft_error_ : float
        The sum of the xi_i over the training rows, not weighted.
    objective_ : float
        The dual objective sum_i alpha_i - |w|^2 / 2.
    certificate_ : float
        The KKT residual; 0 at the solution.
    n_iter_ : int
        The number of pairs optimised.
    converged_ : bool
        Whether the residual came down to `tol`.
    stop_reason_ : str
        Why training ended: 'residual_below_tol' or 'max_iter'.

    References
    ----------
    COMP 6321 lecture 5, "Support Vector Machines" to "SMO (III)" (Platt, 1999). Equation (7) is the
    dual problem with all C_i = C; conditions (3) to (6) hold where `certificate_` is 0.

    Examples
    --------
    The strip of the hard margin lies between the nearest rows of the two classes:

    >>> import numpy as np
    >>> from ensvm import LinearSMO
    >>> X, y = [[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1]
    >>> machine = LinearSMO(C=np.inf).fit(X, y)
    >>> machine.support_
    array([1, 2])
    >>> round(machine.margin_, 1), round(machine.soft_error_, 1)
    (3.0, 0.0)
    """

    C: float = 1.0
    tol: float = 1e-3
    max_iter: int = 1_000_000
    class_weight: dict[Any, float] | Literal["balanced"] | None = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0.0, np.inf, closed="right")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "class_weight": CLASS_WEIGHT,
    }

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the classifier to training rows, their labels and weights.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), default None
            What multiplies C for each row, at least 0: a row of weight 2 is two rows, one of weight
            0 is none. None is 1 for all.

        Raises
        ------
        ValueError
            If there are not two classes, an input is not finite, a parameter or a weight is out of
            its range, or C is infinite and no plane separates the classes.
        MemoryError
            If the inner products of the rows take more memory than is free.
        """
        return self._fit(X, y, sample_weight)

    def _solve(
        self,
        X: NDArray[np.float64],
        signs: NDArray[np.float64],
        sample_weight: NDArray[np.float64] | None,
    ) -> Solution:
        codes = as_codes(signs)
        upper = self.C * class_costs(self.class_weight, self.classes_, codes)[codes]
        rows = np.arange(signs.size)
        if sample_weight is not None:
            require_finite_prices(self.C, sample_weight, "LinearSMO")
            rows = rows_that_count(sample_weight, self.classes_, codes, "LinearSMO")
            upper[rows] *= sample_weight[rows]
        X_of_rows, labels, m = X[rows], signs[rows], rows.size
        if np.isinf(self.C) and not separability(signed_points(X_of_rows, labels)).separable:
            raise ValueError(
                "C = inf asks for a hard margin, but no plane separates the two classes: "
                "give a finite C"
            )
        require_memory(8.0 * m**2, f"LinearSMO: the inner products of {m} rows")
        # A shift of all rows changes w_0 alone: around their mean, products and their rounding are
        # smallest.
        centre = X_of_rows.mean(axis=0)
        centred = np.ascontiguousarray(X_of_rows - centre)
        gram = for_reading(centred @ centred.T)
        machine = minimise(gram, labels, upper[rows], self.tol, self.max_iter)
        weights = machine.signed @ centred
        offset = float(machine.intercept - weights @ centre)
        alpha = np.zeros(signs.size)
        alpha[rows] = labels * machine.signed
        norm = float(np.linalg.norm(weights))
        slack = 1.0 - signs * (X @ weights + offset)
        certificate = max(float(machine.violation), 0.0)
        attributes = {
            "alpha_": alpha,
            "support_": np.flatnonzero(alpha),
            "margin_": 2.0 / norm if norm > 0.0 else np.inf,
            "soft_error_": float(np.maximum(slack, 0.0).sum()),
            "objective_": float(labels @ machine.signed - 0.5 * weights @ weights),
            "certificate_": certificate,
        }
        return Solution(weights, offset, attributes, self._ending(machine.n_iter, certificate))

    def _ending(self, n_iter: int, certificate: float) -> Ending:
        if certificate <= self.tol:
            return Ending(n_iter, "residual_below_tol", converged=True)
        message = (
            f"LinearSMO stopped after {n_iter} pairs with a KKT residual of "
            f"{certificate:.3g} > {self.tol!r}: scale the inputs, or give a smaller C or a "
            "larger max_iter"
        )
        return Ending(n_iter, "max_iter", converged=False, message=message)
