"""The weakened SVM for editing, WSVE, of Rangel, Lozano & Garcia (ICMLA-05, Figure 3)."""

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from ensvm.classifiers.base.kernel_expansion import Expansion
from ensvm.classifiers.base.weights import as_distribution
from ensvm.classifiers.weighted_nu_svm.weakened_svc import WeakenedSVC
from ensvm.kernels import KernelFunction


class EditingSVC(WeakenedSVC):
    """Weakened SVM trained without the heaviest examples either, in total weight at most sigma.

    Editing removes training rows, the examples, that mislead a classifier. The weights are meant to
    come from boosting, which gives the most weight to the examples that keep being wrong, mostly
    those on the wrong side of the best possible boundary. This classifier leaves out the heaviest,
    as many as weigh at most sigma together, then the lightest, as `WeakenedSVC` does, and trains
    the machine of `WeightedNuSVC` on the others.

    Where rho_ > 0, the weighted training error among all but the heaviest is at most nu + mu, in
    weights rescaled to the sum 1; the heaviest themselves are promised nothing.

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
        The largest total weight of the light examples left out, in [0, 1); where heavy ones are
        left out first, as a share of the weight that they leave.
    gamma_weak : float or None, default None
        The weakness in [0, 1/2), by how much the error bound nu + mu lies below 1/2; not the factor
        `gamma` of the kernel. Together with lam it takes the place of nu and mu: nu = lam (1/2 -
        gamma_weak) and mu = (1 - lam) (1/2 - gamma_weak).
    lam : float or None, default None
        The share of the error bound that goes to nu, in (0, 1]. Where none of the four parameters
        is given, gamma_weak is 0.1 and lam 1/2, so that nu and mu are 0.2 each.
    sigma : float, default 0.1
        The largest total weight of the heavy examples left out, in [0, 1).
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
    edited_ : ndarray of int, shape (n_edited,)
        The row numbers of the heavy examples left out, in ascending order.
    edited_weight_ : float
        Their total weight, in a distribution of sum 1.
    rejected_ : ndarray of int, shape (n_rejected,)
        The row numbers of the light examples left out, in ascending order.
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
    2005, section 3.3, Figure 3. The pseudocode prints that the set J has minimum cardinality, which
    would be the empty set, and trains on it. Here J is what the text says, the heaviest examples,
    and the others are kept.

    Examples
    --------
    A heavy example with a wrong label is left out, and no longer misleads its neighbourhood:

    >>> from ensvm import EditingSVC
    >>> X = [[0.0], [0.5], [1.0], [4.0], [4.5], [5.0], [0.7]]
    >>> y = [0, 0, 0, 1, 1, 1, 1]
    >>> weight = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 4.0]
    >>> machine = EditingSVC(nu=0.3, mu=0.0, sigma=0.4).fit(X, y, sample_weight=weight)
    >>> machine.edited_
    array([6])
    >>> machine.predict([[0.7]])
    array([0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **WeakenedSVC._parameter_constraints,
        "sigma": [Interval(Real, 0.0, 1.0, closed="left")],
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
        sigma: float = 0.1,
        normalize: bool = True,
        tol: float = 1e-3,
        max_iter: int = 1_000_000,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(
            kernel,
            gamma=gamma,
            degree=degree,
            coef0=coef0,
            nu=nu,
            mu=mu,
            gamma_weak=gamma_weak,
            lam=lam,
            normalize=normalize,
            tol=tol,
            max_iter=max_iter,
            random_state=random_state,
        )
        self.sigma = sigma

    def _solve(
        self, X: Any, signs: NDArray[np.float64], sample_weight: NDArray[np.float64] | None
    ) -> Expansion:
        distribution = as_distribution(sample_weight, signs.size)
        result = self._train(X, signs, distribution, sigma=self.sigma)
        return self._expansion(
            result,
            signs,
            distribution,
            edited_=result.edited,
            edited_weight_=float(distribution[result.edited].sum()),
        )
