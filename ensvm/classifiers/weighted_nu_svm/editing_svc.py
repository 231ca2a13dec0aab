"""The weakened SVM for editing, WSVE, of Rangel, Lozano & Garcia (ICMLA-05, Figure 3)."""

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from ensvm.classifiers.base.kernel_expansion import Expansion
from ensvm.classifiers.weighted_nu_svm.weakened_svc import WeakenedSVC
from ensvm.classifiers.weighted_nu_svm.weighted_nu_svc import as_distribution
from ensvm.kernels import KernelFunction


class EditingSVC(WeakenedSVC):
    """The weakened SVM trained without the heaviest examples either, in total weight at most sigma.

    The weights are meant to come from boosting, which puts most of them on examples on the wrong
    side of the Bayes boundary. The error bound nu + mu covers only what is left without the
    heaviest.

    Parameters
    ----------
    kernel, gamma, degree, coef0, nu, mu, gamma_weak, lam, normalize, tol, max_iter, random_state :
    as of `WeakenedSVC`; mu is a part of
        the weight that the heaviest leave
    sigma : float in [0, 1), default 0.1, the largest weight of the heaviest examples left out,
        which go before the lightest

    Attributes
    ----------
    edited_ : array of int, the heaviest rows left out, ascending
    edited_weight_ : float, their total weight
    rejected_, rejected_weight_, nu_, mu_, nu_clipped_, nu_max_, rho_, certificate_, ... : as of
    `WeakenedSVC`

    Reference
    ---------
    Rangel, Lozano & Garcia, Boosting of Support Vector Machines with application to editing, ICMLA
    2005, section 3.3, Figure 3. It prints that J has minimum cardinality, which is the empty set,
    and trains on S_J; here J is what the text says, and its complement is kept.
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
