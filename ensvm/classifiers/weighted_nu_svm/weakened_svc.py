"""The weakened support vector machine WSV of Rangel, Lozano & Garcia (ICMLA-05, Figure 2)."""

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval

from ensvm.classifiers.base.kernel_expansion import Expansion
from ensvm.classifiers.weighted_nu_svm.weighted_nu_svc import (
    WeightedNuSVC,
    as_distribution,
    machine_expansion,
)
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

    Leaving them out makes the machine weaker, and faster to train.
    Its weighted training error is at most nu + mu where rho_ > 0. With equal sample weights, the
    default, the examples rejected are random.

    Parameters
    ----------
    kernel, gamma, degree, coef0, tol, max_iter : as of `WeightedNuSVC`
    nu : float in (0, 1] or None, the error allowed on what is kept; lowered to nu_max_ where that
        is less
    mu : float in [0, 1) or None, the largest weight rejected
    gamma_weak : float in [0, 1/2) or None, the weakness: with lam in place of nu and mu, nu = lam
        (1/2 - gamma_weak) and mu = (1 - lam) (1/2 - gamma_weak). (Not to be confused with gamma,
        the kernel's width.)
    lam : float in (0, 1] or None. Default, if none of the four is given: gamma_weak = 0.1 and lam =
        0.5, nu = mu = 0.2
    normalize : bool, default True: the distribution over what is kept is rescaled to sum 1. False
        is Figure 2 read literally: it asks for nu / (1 - rejected_weight_), which is often
        infeasible
    random_state : int | RandomState | None, default None; breaks ties between equal weights

    Attributes
    ----------
    rejected_ : array of int, the rows rejected, ascending
    rejected_weight_ : float, their total weight
    nu_, mu_ : float, what was trained with
    nu_clipped_ : bool, whether nu_ = nu_max_ is less than was asked for
    nu_max_ : float, the largest nu feasible with what is kept
    rho_, certificate_, ... : as of `WeightedNuSVC`, of the machine trained on what is kept;
        weights_ has shape (n_samples,)

    Reference
    ---------
    Rangel, Lozano & Garcia, Boosting of Support Vector Machines with application to editing, ICMLA
    2005, section 3.2, Figure 2.
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
            rejected_=result.rejected,
            rejected_weight_=float(distribution[result.rejected].sum()),
            nu_=result.nu,
            mu_=resolve_shares(self.nu, self.mu, self.gamma_weak, self.lam)[1],
            nu_clipped_=result.nu_clipped,
            **attributes,
        )
