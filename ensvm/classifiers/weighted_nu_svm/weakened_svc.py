"""The weakened support vector machine WSV of Rangel, Lozano & Garcia (ICMLA-05, Figure 2)."""

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval

from ensvm.classifiers.base.kernel_expansion import Expansion
from ensvm.classifiers.base.weights import as_distribution
from ensvm.classifiers.weighted_nu_svm.weighted_nu_svc import WeightedNuSVC, machine_expansion
from ensvm.kernels import KernelFunction
from ensvm.solvers.weighted_nu_svm.weakened import WeakenedResult, weakened_nu_svm

DEFAULT_SHARES = (0.2, 0.2)  # gamma_weak = 0.1 and lam = 1/2: a weighted error of at most 0.4


def resolve_shares(
    nu: float | None, mu: float | None, gamma_weak: float | None, lam: float | None
) -> tuple[float, float]:
    """Return nu and mu, from either pair of parameters, or `DEFAULT_SHARES`.

    The second pair gives lam (1/2 - gamma_weak) and (1 - lam) (1/2 - gamma_weak).

    Raises ValueError if one of a pair is given without the other, or both pairs are.
    """
    direct, weakness = (nu, mu), (gamma_weak, lam)
    for names, pair in (("nu and mu", direct), ("gamma_weak and lam", weakness)):
        if (pair[0] is None) != (pair[1] is None):
            raise ValueError(f"{names} must be given together, got {pair[0]!r} and {pair[1]!r}")
    if nu is not None and mu is not None:
        if gamma_weak is not None:
            raise ValueError(
                f"give either nu = {nu!r} and mu = {mu!r}, or gamma_weak = {gamma_weak!r} and "
                f"lam = {lam!r}, not both"
            )
        return nu, mu
    if gamma_weak is not None and lam is not None:
        error = 0.5 - gamma_weak
        return lam * error, (1.0 - lam) * error
    return DEFAULT_SHARES


class WeakenedSVC(WeightedNuSVC):
    """Weighted nu-SVM trained without the lightest examples, in total weight at most mu.

    Boosting trains many machines, each on other weights of the same training rows, the examples,
    and asks of each only that its weighted training error is below 1/2. Such a weak learner may
    ignore the examples that matter least in its round: this classifier leaves out the lightest, as
    many as weigh at most mu together, and trains the machine of `WeightedNuSVC` on the others,
    whose weights are its distribution D. That makes it weaker, and faster to train.

    Where rho_ > 0 its weighted training error is at most nu + mu: nu on the examples that are kept,
    and mu if all of those left out are wrong. With equal weights, which is the default, the
    examples left out are drawn at random.

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
    nu : float or None, default None
        The weighted training error allowed on the examples that are kept, in (0, 1]. Where so large
        a value is infeasible it is lowered to the largest feasible one. nu and mu are given
        together.
    mu : float or None, default None
        The largest total weight of the light examples left out, in [0, 1).
    gamma_weak : float or None, default None
        The weakness in [0, 1/2), by how much the error bound nu + mu lies below 1/2; not the factor
        `gamma` of the kernel. Together with lam it takes the place of nu and mu: nu = lam (1/2 -
        gamma_weak) and mu = (1 - lam) (1/2 - gamma_weak).
    lam : float or None, default None
        The share of the error bound that goes to nu, in (0, 1]. Where none of the four parameters
        is given, gamma_weak is 0.1 and lam 1/2, so that nu and mu are 0.2 each.
    normalize : bool, default True
        Whether the weights of the examples that are kept are rescaled to the sum 1. False is the
        paper's pseudocode read literally: it asks for nu over the total weight kept, which is often
        infeasible.
    tol : float, default 1e-3
        The duality gap to stop at, relative to the objective, a positive number.
    max_iter : int, default 1000000
        The largest number of steps, at least 1; reaching it gives a `ConvergenceWarning`.
    random_state : int, RandomState or None, default None
        Draws which of several examples of equal weight are left out.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The two classes in sorted order; the second is +1, predicted where f(x) > 0.
    rejected_ : ndarray of int, shape (n_rejected,)
        The row numbers of the examples left out, in ascending order.
    rejected_weight_ : float
        Their total weight, in a distribution of sum 1.
    nu_ : float
        The nu that the machine was trained with.
    mu_ : float
        The mu that the machine was trained with.
    nu_clipped_ : bool
        Whether the nu asked for was infeasible, so that `nu_` is the smaller `nu_max_`.
    nu_max_ : float
        The largest nu that is feasible with the examples kept.
    weights_ : ndarray of shape (n_samples,)
        The multipliers of the training rows, in [0, 1]; 0 for the examples left out.
    rho_ : float
        The margin per unit of weight among the examples kept.
    objective_ : float
        The dual objective a'K~a / 2 of the weights a, with K~_ij = y_i y_j k(x_i, x_j).
    certificate_ : float
        The duality gap, at least 0: the optimum lies at most so far below `objective_`.
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
        The intercept of the machine; where the multipliers leave it open, the middle of its
        interval.
    gamma_ : float or None
        The number that `gamma` stands for; None for a kernel without one.
    n_features_in_ : int
        The number of features seen in `fit`.
    feature_names_in_ : ndarray of str, shape (n_features_in_,)
        The names of the columns; only where X is a DataFrame whose column names are all strings.

    References
    ----------
    Rangel, Lozano & Garcia, Boosting of Support Vector Machines with application to editing, ICMLA
    2005, section 3.2, Figure 2.

    Examples
    --------
    A third of the examples is left out, and the training error keeps its bound:

    >>> from sklearn.datasets import make_moons
    >>> from ensvm import WeakenedSVC
    >>> X, y = make_moons(60, noise=0.2, random_state=0)
    >>> machine = WeakenedSVC(gamma=2.0, nu=0.1, mu=1 / 3, random_state=0).fit(X, y)
    >>> len(machine.rejected_)
    20
    >>> bool(machine.rho_ > 0.0)
    True
    >>> bool(1.0 - machine.score(X, y) <= machine.nu_ + machine.mu_)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **WeightedNuSVC._parameter_constraints,
        "nu": [None, Interval(Real, 0.0, 1.0, closed="right")],
        "mu": [None, Interval(Real, 0.0, 1.0, closed="left")],
        "gamma_weak": [None, Interval(Real, 0.0, 0.5, closed="left")],
        "lam": [None, Interval(Real, 0.0, 1.0, closed="right")],
        "normalize": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        kernel: str | KernelFunction = "rbf",
        *,
        gamma: float | str = "mean-distance",
        degree: int = 3,
        coef0: float = 0.0,
        nu: float | None = None,
        mu: float | None = None,
        gamma_weak: float | None = None,
        lam: float | None = None,
        normalize: bool = True,
        tol: float = 1e-3,
        max_iter: int = 1_000_000,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(
            kernel, gamma=gamma, degree=degree, coef0=coef0, tol=tol, max_iter=max_iter
        )
        self.nu = nu  # type: ignore[assignment]  # None here stands for gamma_weak and lam
        self.mu = mu
        self.gamma_weak = gamma_weak
        self.lam = lam
        self.normalize = normalize
        self.random_state = random_state

    def _solve(
        self, X: Any, signs: NDArray[np.float64], sample_weight: NDArray[np.float64] | None
    ) -> Expansion:
        distribution = as_distribution(sample_weight, signs.size)
        return self._expansion(self._train(X, signs, distribution, sigma=0.0), signs, distribution)

    def _train(
        self, X: Any, signs: NDArray[np.float64], distribution: NDArray[np.float64], *, sigma: float
    ) -> WeakenedResult:
        """Run the solver without the lightest examples, and the heaviest up to weight sigma."""
        nu, mu = resolve_shares(self.nu, self.mu, self.gamma_weak, self.lam)
        result = weakened_nu_svm(
            self._training_gram(X),
            signs,
            distribution,
            nu,
            mu,
            sigma=sigma,
            normalize=self.normalize,
            random=check_random_state(self.random_state),
            tol=self.tol,
            max_iter=self.max_iter,
        )
        if result is None:
            raise ValueError(
                f"mu = {mu!r} (and sigma, if any) leave the examples of one class only; a smaller "
                "mu keeps more"
            )
        return result

    def _expansion(
        self,
        result: WeakenedResult,
        signs: NDArray[np.float64],
        distribution: NDArray[np.float64],
        **attributes: Any,
    ) -> Expansion:
        """Return the machine found, with further fitted attributes."""
        return machine_expansion(
            result.machine,
            signs,
            type(self).__name__,
            rejected_=result.rejected,
            rejected_weight_=float(distribution[result.rejected].sum()),
            nu_=result.nu,
            mu_=resolve_shares(self.nu, self.mu, self.gamma_weak, self.lam)[1],
            nu_clipped_=result.nu_clipped,
            **attributes,
        )
