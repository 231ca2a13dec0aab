"""The hard-margin machine trained by multiplicative updates (Cristianini et al., 1999)."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ensvm.classifiers.base import Ending, Solution
from ensvm.classifiers.kernel_expansion import KernelExpansionClassifier
from ensvm.classifiers.shared_docs import documented
from ensvm.classifiers.sklearn_private import Interval
from ensvm.solvers.multiplicative_update import multiplicative_update


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class MultiplicativeUpdateSVC(KernelExpansionClassifier):
    """Hard-margin support vector classifier trained by multiplicative updates at a fixed rate.

    The decision function is f(x) = sum_i y_i a_i k(x_i, x), without an intercept, with labels y_i
    in {-1, +1}. The dual problem is to maximise W(b) = sum_i b_i - b'K~b / 2 over b >= 0, with
    K~_ij = y_i y_j k(x_i, x_j). Training starts at equal b_i, and each step is b_i <- b_i exp(eta
    (1 - (K~b)_i)) with a fixed learning rate eta. Too large a rate overshoots and never comes back,
    too small a one is slow: this is the method that the adaptive rate of `RhoSVC` is compared with.

    The machine kept is a = b / sum_i b_i of the best iterate, the one with the least a'K~a, since
    after an overshoot the last one is worth nothing. Weights of sum 1 have the scale of `RhoSVC`,
    which solves the same problem if `nu=None`.

    Parameters
    ----------
    learning_rate : float, default 0.005
        The rate eta, a positive number. The default is the one of the rates in the IJCAI-07 paper
        that does not overshoot within 1000 steps on its data.
    initial_weight : float or None, default None
        Every b_i at the start, a positive number; None for 1 / m, which makes their sum 1. The
        smaller it is, the later a rate that overshoots does.
    max_iter : int, default 1000
        The largest number of steps, at least 1. Reaching it, or leaving the range of floats, gives
        a `ConvergenceWarning`.
    tol : float, default 0.001
        The duality gap to stop at, relative to W(b), a positive number.

    Attributes
    ----------
    weights_ : ndarray of shape (n_samples,)
        The weights a of the best iterate, at least 0 and of sum 1.
    objective_ : float
        The value a'K~a of the best iterate.
    objective_path_ : ndarray of shape (n_iter_ + 1,)
        The value a'K~a at the start and after each step; nan where all of b underflowed to 0.
    dual_objective_ : float
        The value W(b) after the last step.
    certificate_ : float
        The duality gap of W after the last step; infinite if no iterate separated the classes.
    n_iter_ : int
        The number of steps.
    overshoot_ : int
        The first step after which W was lower than before; 0 if it never fell.
    converged_ : bool
        Whether the gap came down to `tol`.
    stop_reason_ : str
        Why training ended: 'gap_below_tol', 'diverged' (b left the range of floats) or 'max_iter'.

    References
    ----------
    Cristianini, Campbell & Shawe-Taylor, Multiplicative updatings for support vector machines,
    ESANN 1999. It is compared with in Tsang & Kwok, Ensembles of Partially Trained SVMs with
    Multiplicative Updates, IJCAI-07, section 4.1.

    Examples
    --------
    A rate that suits the data comes to the optimum without overshooting:

    >>> from ensvm import MultiplicativeUpdateSVC
    >>> X, y = [[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1]
    >>> machine = MultiplicativeUpdateSVC(learning_rate=0.5).fit(X, y)
    >>> machine.stop_reason_, machine.overshoot_
    ('gap_below_tol', 0)
    >>> bool(machine.objective_path_[-1] < machine.objective_path_[0])
    True
    >>> machine.predict([[-1.0], [6.0]])
    array([0, 1])
    """

    learning_rate: float = 0.005
    initial_weight: float | None = None
    max_iter: int = 1000
    tol: float = 1e-3

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelExpansionClassifier._parameter_constraints,
        "learning_rate": [Interval(Real, 0.0, None, closed="neither")],
        "initial_weight": [Interval(Real, 0.0, None, closed="neither"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
    }

    def _solve(
        self, X: Any, signs: NDArray[np.float64], sample_weight: NDArray[np.float64] | None
    ) -> Solution:
        result = multiplicative_update(
            # b may grow beyond float32, in which products with a float32 matrix would run.
            np.asarray(self._training_gram(X), dtype=np.float64),
            signs,
            learning_rate=self.learning_rate,
            initial_weight=self.initial_weight,
            tol=self.tol,
            max_iter=self.max_iter,
        )
        weights = result.best_weights / result.best_weights.sum()
        attributes = {
            "weights_": weights,
            "objective_": float(np.nanmin(result.simplex_objectives)),
            "objective_path_": result.simplex_objectives,
            "dual_objective_": result.objective,
            "certificate_": result.certificate,
            "overshoot_": result.overshoot_iteration or 0,
        }
        message = ""
        if result.stop_reason == "max_iter":
            message = (
                f"MultiplicativeUpdateSVC stopped after {result.n_iter} steps (max_iter) with a "
                f"duality gap of {result.certificate:.3g} at W = {result.objective:.3g}; a larger "
                "learning_rate or max_iter brings it nearer to the optimum, and RhoSVC(nu=None), "
                "which adapts the rate, solves the same problem in fewer steps"
            )
        ending = Ending(result.n_iter, result.stop_reason, result.converged, message)
        return Solution(signs * weights, attributes=attributes, ending=ending)
