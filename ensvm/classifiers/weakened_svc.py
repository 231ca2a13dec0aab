"""The weakened support vector machine WSV of Rangel, Lozano & Garcia (ICMLA-05, Figure 2)."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval

from ensvm.classifiers.base import Solution, as_distribution
from ensvm.classifiers.shared_docs import documented
from ensvm.classifiers.weighted_nu_svc import WeightedNuSVC, machine_expansion
from ensvm.solvers.weighted_nu_svm.weakened import weakened_nu_svm


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class WeakenedParameters:
    """Parameters of the weighted nu-SVMs that leave out examples, and of those that boost them.

    Parameters
    ----------
    nu : float, default 0.2
        The weighted training error allowed on the examples that are kept, in (0, 1]. A larger value
        than is feasible is lowered to the largest feasible one.
    mu : float, default 0.2
        The largest total weight of the light examples left out, in [0, 1); if heavy ones are left
        out first, as a share of the weight that they leave.
    normalize : bool, default True
        Whether the weights of the examples that are kept are rescaled to the sum 1. False is the
        paper's pseudocode read literally: it asks for nu over the total weight kept, which is often
        infeasible.
    random_state : int, RandomState or None, default None
        Draws which of several examples of equal weight are left out.
    """

    nu: float = 0.2
    mu: float = 0.2
    normalize: bool = True
    random_state: int | np.random.RandomState | None = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "nu": [Interval(Real, 0.0, 1.0, closed="right")],
        "mu": [Interval(Real, 0.0, 1.0, closed="left")],
        "normalize": ["boolean"],
        "random_state": ["random_state"],
    }


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class WeakenedSVC(WeakenedParameters, WeightedNuSVC):  # type: ignore[misc]  # nu: no "auto"
    """Weighted nu-SVM trained without the lightest examples, in total weight at most mu.

    Boosting trains many machines, each on other weights of the same training rows, the examples,
    and asks of each only that its weighted training error is below 1/2. Such a weak learner may
    ignore the examples that matter least in its round: this classifier leaves out the lightest, as
    many as weigh at most mu together, and trains the machine of `WeightedNuSVC` on the others,
    whose weights are its distribution D. That makes it weaker, and faster to train.

    If rho_ > 0, its weighted training error is at most nu + mu: nu on the examples that are kept,
    and mu if all of those left out are wrong. With equal weights, which is the default, the
    examples left out are drawn at random.

    Attributes
    ----------
    rejected_ : ndarray of int, shape (n_rejected,)
        The row numbers of the examples left out, in ascending order.
    rejected_weight_ : float
        Their total weight, in a distribution of sum 1.
    nu_ : float
        The nu that the machine was trained with.
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
    >>> bool(1.0 - machine.score(X, y) <= machine.nu_ + machine.mu)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = (
        WeightedNuSVC._parameter_constraints | WeakenedParameters._parameter_constraints
    )

    def _solve(
        self, X: Any, signs: NDArray[np.float64], sample_weight: NDArray[np.float64] | None
    ) -> Solution:
        return self._weakened(X, signs, as_distribution(sample_weight, signs.size))[0]

    def _weakened(
        self,
        X: Any,
        signs: NDArray[np.float64],
        distribution: NDArray[np.float64],
        sigma: float = 0.0,
    ) -> tuple[Solution, NDArray[np.intp]]:
        """Return the machine, and the row numbers of the heavy examples left out for `sigma`."""
        result = weakened_nu_svm(
            self._training_gram(X),
            signs,
            distribution,
            float(self.nu),
            self.mu,
            sigma=sigma,
            normalize=self.normalize,
            random=check_random_state(self.random_state),
            tol=self.tol,
            max_iter=self.max_iter,
        )
        if result is None:
            raise ValueError(
                f"mu = {self.mu!r} (and sigma, if any) leave the examples of one class only; a "
                "smaller mu keeps more"
            )
        attributes = {
            "rejected_": result.rejected,
            "rejected_weight_": float(distribution[result.rejected].sum()),
            "nu_": result.nu,
            "nu_clipped_": result.nu_clipped,
        }
        machine = machine_expansion(result.machine, signs, type(self).__name__, **attributes)
        return machine, result.edited
