"""The nu-SVM on a distribution over its examples (ICMLA-05, section 3.1)."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from ensvm.classifiers.base import Ending, Solution, as_distribution
from ensvm.classifiers.kernel_expansion import WeightedExpansionClassifier
from ensvm.classifiers.shared_docs import documented
from ensvm.solvers.weighted_nu_svm.solver import (
    WeightedNuSVMResult,
    nu_max,
    weighted_nu_svm,
)

AUTO_NU = 0.3  # nu='auto', where the distribution allows it


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class WeightedNuSVC(WeightedExpansionClassifier):
    """Support vector classifier whose weighted training error is at most nu.

    The machine f(x) = sum_i y_i a_i k(x_i, x) + b, with labels y_i in {-1, +1}, minimises |w|^2 / 2
    - nu rho + sum_i eta_i subject to y_i f(x_i) >= D_i rho - eta_i and eta_i >= 0. D is a
    distribution over the training rows, the examples: their sample weights, rescaled to the sum 1.
    D_i is the margin that an example is asked for, in units of rho. This is not what sample weights
    do in other support vector machines, where they bound the multipliers: here even an example of
    weight 0 must lie on its side, and one of weight 2 is not two of weight 1. For equal weights the
    machine is scikit-learn's `NuSVC` up to the scale of f.

    If rho_ > 0, the examples that f gets wrong weigh at most nu (Lemma 1), which makes the machine
    a weak learner for boosting. If rho is 0, which may happen if the classes overlap, f is constant
    and nothing is promised; then `stop_reason_` is 'gap_below_rounding' and a `ConvergenceWarning`
    says that the predicted classes are arbitrary.

    Parameters
    ----------
    nu : float or 'auto', default 'auto'
        The weighted training error allowed, in (0, 1] and at most `nu_max_`, which depends on the
        labels and the sample weights. 'auto' is 0.3, or `nu_max_` if that is smaller.
    tol : float, default 1e-3
        The duality gap to stop at, relative to the objective, a positive number.
    max_iter : int, default 1000000
        The largest number of steps, at least 1; reaching it gives a `ConvergenceWarning`.

    Attributes
    ----------
    weights_ : ndarray of shape (n_samples,)
        The multipliers a, in [0, 1].
    rho_ : float
        The margin per unit of weight; also the derivative of the objective by nu.
    objective_ : float
        The dual objective a'K~a / 2, with K~_ij = y_i y_j k(x_i, x_j).
    certificate_ : float
        The duality gap, at least 0: the optimum lies at most so far below `objective_`.
    nu_max_ : float
        The largest feasible nu.
    n_iter_ : int
        The number of steps.
    converged_ : bool
        Whether the gap came down to the tolerance or to rounding.
    stop_reason_ : str
        Why training ended: 'gap_below_tol', 'gap_below_rounding' (the optimum and rho are
        practically 0), 'no_progress' (rounding kept the objective from falling further),
        'not_positive_semidefinite' (the objective became negative) or 'max_iter'.
    intercept_ : float
        The intercept b; where the multipliers leave it open, the middle of its interval.

    References
    ----------
    Rangel, Lozano & Garcia, Boosting of Support Vector Machines with application to editing, ICMLA
    2005, equations (4)-(6).

    Examples
    --------
    The mistakes weigh at most nu, whatever the weights of the examples:

    >>> import numpy as np
    >>> from sklearn.datasets import make_moons
    >>> from ensvm import WeightedNuSVC
    >>> X, y = make_moons(60, noise=0.3, random_state=0)
    >>> distribution = np.where(X[:, 0] > 0.5, 3.0, 1.0)
    >>> distribution /= distribution.sum()
    >>> machine = WeightedNuSVC(gamma=1.0, nu=0.3).fit(X, y, sample_weight=distribution)
    >>> bool(machine.rho_ > 0.0)
    True
    >>> bool(distribution[machine.predict(X) != y].sum() <= 0.3)
    True
    """

    nu: float | Literal["auto"] = "auto"
    tol: float = 1e-3
    max_iter: int = 1_000_000

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **WeightedExpansionClassifier._parameter_constraints,
        "nu": [Interval(Real, 0.0, 1.0, closed="right"), StrOptions({"auto"})],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def _solve(
        self, X: Any, signs: NDArray[np.float64], sample_weight: NDArray[np.float64] | None
    ) -> Solution:
        distribution = as_distribution(sample_weight, signs.size)
        nu = min(AUTO_NU, nu_max(signs, distribution)) if self.nu == "auto" else self.nu
        machine = weighted_nu_svm(
            self._training_gram(X),
            signs,
            distribution,
            nu,
            tol=self.tol,
            max_iter=self.max_iter,
        )
        return machine_expansion(machine, signs, type(self).__name__)


def machine_expansion(
    machine: WeightedNuSVMResult, signs: NDArray[np.float64], name: str, **attributes: Any
) -> Solution:
    """Return a weighted nu-SVM as the expansion of the classifier `name`, with more attributes."""
    return Solution(
        signs * machine.weights,
        machine.intercept,
        {
            "weights_": machine.weights,
            "rho_": machine.rho,
            "objective_": machine.objective,
            "certificate_": machine.certificate,
            "nu_max_": machine.nu_max,
            **attributes,
        },
        Ending(machine.n_iter, machine.stop_reason, machine.converged, _zero_margin(machine, name)),
    )


def _zero_margin(machine: WeightedNuSVMResult, name: str) -> str:
    """Return a warning if rho is 0, so that the predicted classes are arbitrary; else ""."""
    if machine.stop_reason != "gap_below_rounding":
        return ""
    return (
        f"{name}: rho is 0 up to rounding: the classes overlap too much for this nu. f is then "
        "constant, and rounding decides which classes are predicted"
    )
