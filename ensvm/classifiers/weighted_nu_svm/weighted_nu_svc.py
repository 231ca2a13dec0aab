"""The nu-SVM on a distribution over its examples (ICMLA-05, section 3.1)."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from ensvm.classifiers.base.kernel_expansion import Ending, Expansion
from ensvm.classifiers.base.weighted_expansion import WeightedExpansionClassifier
from ensvm.classifiers.base.weights import as_distribution
from ensvm.kernels import KernelFunction
from ensvm.solvers.weighted_nu_svm.solver import WeightedNuSVMResult, weighted_nu_svm


class WeightedNuSVC(WeightedExpansionClassifier):
    """Support vector classifier whose weighted training error is at most nu.

    The machine f(x) = sum_i y_i a_i k(x_i, x) + b, with labels y_i in {-1, +1}, minimises |w|^2 / 2
    - nu rho + sum_i eta_i where y_i f(x_i) >= D_i rho - eta_i and eta_i >= 0. D is a distribution
    over the training rows, the examples: their sample weights, rescaled to the sum 1. D_i is the
    margin that an example is asked for, in units of rho. This is not what sample weights do in
    other support vector machines, where they bound the multipliers: here an example of weight 0
    still acts, being asked to lie on its side, and one of weight 2 is not two of weight 1. For
    equal weights the machine is scikit-learn's `NuSVC` up to the scale of f.

    If rho_ > 0, the examples that f gets wrong weigh at most nu (Lemma 1), which makes the machine
    a weak learner for boosting. Where rho is 0, as it may be where the classes overlap, f is 0 but
    for the intercept and nothing is promised; then `stop_reason_` is 'gap_below_rounding' and a
    `ConvergenceWarning` says that the classes predicted are arbitrary.

    Parameters
    ----------
    kernel : {'linear', 'poly', 'rbf', 'precomputed'} or callable, default 'rbf'
        The kernel k(x, z): 'linear' is <x, z>, 'poly' is (gamma <x, z> + coef0)^degree and 'rbf' is
        exp(-gamma |x - z|^2). A callable takes two arrays of rows and returns the matrix of their
        kernel values; with 'precomputed' X is the Gram matrix itself. The kernel must be positive
        semidefinite.
    gamma : float or {'scale', 'auto', 'mean-distance'}, default 'mean-distance'
        The factor in 'rbf' and 'poly', a positive number. 'mean-distance' is 1 over the mean
        squared distance of the training rows to their mean; 'scale' is 1 / (n_features Var(X)) and
        'auto' 1 / n_features, as in scikit-learn.
    degree : int, default 3
        The degree of 'poly', at least 0.
    coef0 : float, default 0.0
        The constant of 'poly', a finite number.
    nu : float, default 0.1
        The weighted training error allowed, in (0, 1] and at most `nu_max_`, which depends on the
        labels and the sample weights.
    tol : float, default 1e-3
        The duality gap to stop at, relative to the objective, a positive number.
    max_iter : int, default 1000000
        The largest number of steps, at least 1; reaching it gives a `ConvergenceWarning`.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The two classes in sorted order; the second is +1, predicted where f(x) > 0.
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
    support_ : ndarray of int, shape (n_support,)
        The support vectors: the row numbers of the training rows whose weight is not 0.
    dual_coef_ : ndarray of shape (n_support,)
        Their coefficients in the expansion, the weight times the label -1 or +1.
    X_fit_ : ndarray or sparse matrix of shape (n_support, n_features), or None
        The support vectors themselves; None with kernel='precomputed'.
    intercept_ : float
        The intercept b; where the multipliers leave it open, the middle of its interval.
    gamma_ : float or None
        The number that `gamma` stands for; None for a kernel without one.
    n_features_in_ : int
        The number of features seen in `fit`.
    feature_names_in_ : ndarray of str, shape (n_features_in_,)
        The names of the columns; only where X is a DataFrame whose column names are all strings.

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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **WeightedExpansionClassifier._parameter_constraints,
        "nu": [Interval(Real, 0.0, 1.0, closed="right")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        kernel: str | KernelFunction = "rbf",
        *,
        gamma: float | str = "mean-distance",
        degree: int = 3,
        coef0: float = 0.0,
        nu: float = 0.1,
        tol: float = 1e-3,
        max_iter: int = 1_000_000,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.nu = nu
        self.tol = tol
        self.max_iter = max_iter

    def _solve(
        self, X: Any, signs: NDArray[np.float64], sample_weight: NDArray[np.float64] | None
    ) -> Expansion:
        machine = weighted_nu_svm(
            self._training_gram(X),
            signs,
            as_distribution(sample_weight, signs.size),
            self.nu,
            tol=self.tol,
            max_iter=self.max_iter,
        )
        return machine_expansion(machine, signs, type(self).__name__)


def machine_expansion(
    machine: WeightedNuSVMResult, signs: NDArray[np.float64], name: str, **attributes: Any
) -> Expansion:
    """Return a weighted nu-SVM as the expansion of the classifier `name`, with more attributes."""
    return Expansion(
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
        Ending(machine.n_iter, machine.stop_reason, machine.converged, _doubt(machine, name)),
    )


def _doubt(machine: WeightedNuSVMResult, name: str) -> str:
    """Return the warning where the classes predicted are arbitrary, "" where they are not."""
    if machine.stop_reason != "gap_below_rounding":
        return ""
    return (
        f"{name}: rho = 0 to rounding: the classes overlap too much for this nu. The machine is "
        "then f = 0 but for the intercept, and rounding decides the classes predicted"
    )
