"""The nu-SVM on a distribution over its examples, and its weakened forms (ICMLA-05, section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from ensvm.classifiers.base import Ending, Solution, as_distribution, warn_caller
from ensvm.classifiers.kernel_expansion import WeightedExpansionClassifier
from ensvm.classifiers.shared_docs import documented
from ensvm.classifiers.sklearn_private import Interval
from ensvm.kernels import resolve_gamma
from ensvm.solvers.weighted_nu_svm.solver import WeightedNuSVMResult
from ensvm.solvers.weighted_nu_svm.weakened import WeakenedResult, weakened_nu_svm


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class WeightedNuClassifier(WeightedExpansionClassifier):
    """Base of the weighted nu-SVM and of the classifier that boosts such machines.

    Parameters
    ----------
    nu : float, default 0.3
        The weighted training error allowed on the examples that are kept, in (0, 1]. A larger value
        than is feasible is lowered to the largest feasible one, with a `UserWarning`.
    mu : float, default 0.0
        The largest total weight of the light examples left out, in [0, 1), as a share of the weight
        that the heavy ones leave.
    sigma : float, default 0.0
        The largest total weight of the heavy examples left out, in [0, 1).
    normalize : bool, default True
        Whether the weights of the examples that are kept are rescaled to the sum 1. False is the
        paper's pseudocode read literally: it asks for nu over the total weight kept, which is often
        infeasible.
    tol : float, default 1e-3
        The duality gap at which training stops, relative to the objective, a positive number.
    max_iter : int, default 1000000
        The largest number of steps, at least 1; reaching it gives a `ConvergenceWarning`.
    random_state : int, RandomState or None, default None
        Draws which of several examples of equal weight are left out.
    """

    nu: float = 0.3
    mu: float = 0.0
    sigma: float = 0.0
    normalize: bool = True
    tol: float = 1e-3
    max_iter: int = 1_000_000
    random_state: int | np.random.RandomState | None = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **WeightedExpansionClassifier._parameter_constraints,
        "nu": [Interval(Real, 0.0, 1.0, closed="right")],
        "mu": [Interval(Real, 0.0, 1.0, closed="left")],
        "sigma": [Interval(Real, 0.0, 1.0, closed="left")],
        "normalize": ["boolean"],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def _width(self, X: Any, sample_weight: NDArray[np.float64] | None) -> float:
        # A weight is the margin that an example is asked for, not how often it counts.
        return resolve_gamma(self.gamma, X, kernel=self.kernel)

    def _warn_if_lowered(self, result: WeakenedResult) -> None:
        """Warn if a machine was trained with a smaller nu than the parameter."""
        if result.nu_clipped:
            warn_caller(
                f"{type(self).__name__}: nu = {self.nu:g} is not feasible with the examples that "
                f"are kept and their weights, and was lowered to {result.nu:.4g}, the largest "
                "feasible nu",
                UserWarning,
            )


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class WeightedNuSVC(WeightedNuClassifier):
    """Support vector classifier whose weighted training error is at most nu.

    The machine f(x) = sum_i y_i a_i k(x_i, x) + b, with labels y_i in {-1, +1}, minimises |w|^2 / 2
    - nu rho + sum_i eta_i subject to y_i f(x_i) >= D_i rho - eta_i and eta_i >= 0. D is a
    distribution over the training rows, the examples: their sample weights, rescaled to the sum 1.
    D_i is the margin that an example is asked for, in units of rho. This is not what sample weights
    do in other support vector machines, where they bound the multipliers: here even an example of
    weight 0 must lie on its side, and one of weight 2 is not two of weight 1. For equal weights the
    machine is scikit-learn's `NuSVC` up to the scale of f.

    Boosting trains many such machines, each on other weights of the same examples, and asks of each
    only that its weighted training error is below 1/2. With `mu` above 0 a machine leaves out the
    lightest examples, as many as weigh at most mu together: it is the weakened machine WSV, which
    is faster to train. With `sigma` above 0 it first leaves out the heaviest (WSVE). That is
    editing: boosting gives the most weight to the examples that keep being wrong, mostly those on
    the wrong side of the best possible boundary.

    If rho_ > 0, the examples that f gets wrong weigh at most nu + mu, not counting the heaviest
    that were left out (Lemma 1). If rho is 0, which may happen if the classes overlap, f is
    constant and nothing is promised; then `stop_reason_` is 'gap_below_rounding' and a
    `ConvergenceWarning` says that the predicted classes are arbitrary.

    Attributes
    ----------
    weights_ : ndarray of shape (n_samples,)
        The multipliers a, in [0, 1]; 0 for the examples left out.
    rho_ : float
        The margin per unit of weight among the examples kept; also the derivative of the objective
        by nu.
    objective_ : float
        The dual objective a'K~a / 2, with K~_ij = y_i y_j k(x_i, x_j).
    certificate_ : float
        The duality gap, at least 0: the optimum lies at most so far below `objective_`.
    nu_ : float
        The nu that the machine was trained with.
    nu_clipped_ : bool
        Whether the nu asked for was infeasible, so that `nu_` is the smaller `nu_max_`.
    nu_max_ : float
        The largest nu that is feasible with the examples kept.
    rejected_ : ndarray of int, shape (n_rejected,)
        The row numbers of the light examples left out, in ascending order.
    edited_ : ndarray of int, shape (n_edited,)
        The row numbers of the heavy examples left out, in ascending order.
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
    2005, equations (4)-(6), Figures 2 and 3. The pseudocode of Figure 3 prints that the set J has
    minimum cardinality, which would be the empty set, and trains on it. Here J is what the text
    says, the heaviest examples, and the others are kept.

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

    A third of the examples is left out:

    >>> machine = WeightedNuSVC(gamma=1.0, nu=0.1, mu=1 / 3, random_state=0).fit(X, y)
    >>> len(machine.rejected_)
    20

    A heavy example with a wrong label is left out, and does not mislead its neighbourhood:

    >>> X = [[0.0], [0.5], [1.0], [4.0], [4.5], [5.0], [0.7]]
    >>> y = [0, 0, 0, 1, 1, 1, 1]
    >>> weight = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 4.0]
    >>> machine = WeightedNuSVC(sigma=0.4).fit(X, y, sample_weight=weight)
    >>> machine.edited_
    array([6])
    >>> machine.predict([[0.7]])
    array([0])
    """

    def _solve(
        self, X: Any, signs: NDArray[np.float64], sample_weight: NDArray[np.float64] | None
    ) -> Solution:
        distribution = as_distribution(sample_weight, signs.size)
        result = weakened_nu_svm(
            self._training_gram(X),
            signs,
            distribution,
            self.nu,
            self.mu,
            sigma=self.sigma,
            normalize=self.normalize,
            random=check_random_state(self.random_state),
            tol=self.tol,
            max_iter=self.max_iter,
        )
        if result is None:
            raise ValueError(
                f"mu = {self.mu!r} and sigma = {self.sigma!r} leave the examples of one class "
                "only; smaller ones keep more"
            )
        self._warn_if_lowered(result)
        machine = result.machine
        attributes = {
            "weights_": machine.weights,
            "rho_": machine.rho,
            "objective_": machine.objective,
            "certificate_": machine.certificate,
            "nu_": result.nu,
            "nu_clipped_": result.nu_clipped,
            "nu_max_": machine.nu_max,
            "rejected_": result.rejected,
            "edited_": result.edited,
        }
        ending = Ending(
            machine.n_iter, machine.stop_reason, machine.converged, _zero_margin(machine)
        )
        return Solution(signs * machine.weights, machine.intercept, attributes, ending)


def _zero_margin(machine: WeightedNuSVMResult) -> str:
    """Return a warning if rho is 0, so that the predicted classes are arbitrary; else ""."""
    if machine.stop_reason != "gap_below_rounding":
        return ""
    return (
        "WeightedNuSVC: rho is 0 up to rounding: the classes overlap too much for this nu. f is "
        "then constant, and rounding decides which classes are predicted"
    )
