"""The weakened SVM for editing, WSVE, of Rangel, Lozano & Garcia (ICMLA-05, Figure 3)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from ensvm.classifiers.base import Solution, as_distribution
from ensvm.classifiers.shared_docs import documented
from ensvm.classifiers.weakened_svc import WeakenedSVC


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class EditingSVC(WeakenedSVC):
    """Weakened SVM trained without the heaviest examples either, in total weight at most sigma.

    Editing removes training rows, the examples, that mislead a classifier. The weights are meant to
    come from boosting, which gives the most weight to the examples that keep being wrong, mostly
    those on the wrong side of the best possible boundary. This classifier leaves out the heaviest,
    as many as weigh at most sigma together, then the lightest, as `WeakenedSVC` does, and trains
    the machine of `WeightedNuSVC` on the others.

    If rho_ > 0, the weighted training error among all but the heaviest is at most nu + mu, in
    weights rescaled to the sum 1; nothing is promised for the heaviest.

    Parameters
    ----------
    sigma : float, default 0.1
        The largest total weight of the heavy examples left out, in [0, 1).

    Attributes
    ----------
    edited_ : ndarray of int, shape (n_edited,)
        The row numbers of the heavy examples left out, in ascending order.
    edited_weight_ : float
        Their total weight, in a distribution of sum 1.
    rejected_ : ndarray of int, shape (n_rejected,)
        The row numbers of the light examples left out, in ascending order.

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

    sigma: float = 0.1

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **WeakenedSVC._parameter_constraints,
        "sigma": [Interval(Real, 0.0, 1.0, closed="left")],
    }

    def _solve(
        self, X: Any, signs: NDArray[np.float64], sample_weight: NDArray[np.float64] | None
    ) -> Solution:
        distribution = as_distribution(sample_weight, signs.size)
        machine, edited = self._weakened(X, signs, distribution, self.sigma)
        weight = float(distribution[edited].sum())
        attributes = {**machine.attributes, "edited_": edited, "edited_weight_": weight}
        return replace(machine, attributes=attributes)
