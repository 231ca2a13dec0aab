"""The weighted nu-SVM made weak, and fast, by leaving examples out.

Rangel, Lozano & Garcia, ICMLA-05, Figures 2 and 3.

WSV leaves out as many examples as it can without rejecting more than mu of the distribution: the
lightest. Its weighted error is at most nu + mu, what the machine errs on those kept and all of
those rejected. WSVE first leaves out the heaviest, up to sigma of the distribution: where boosting
has put most weight are the examples on the wrong side of the Bayes boundary. The bound then covers
the rest alone. (Figure 3 prints "minimum cardinality", which is the empty set.)
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.array_types import Vector
from ensvm.solvers.weighted_nu_svm.solver import (
    NU_ROUNDING,
    WeightedNuSVMResult,
    nu_max,
    weighted_nu_svm,
)

__all__ = ["WeakenedResult", "weakened_nu_svm"]

# Weights that differ by a smaller part are tied, and a total may exceed its bound by it: what
# boosting makes of equal weights, and what they sum to, differ by their roundings.
SAME_WEIGHT = 1e-9


@dataclass(frozen=True, eq=False)
class WeakenedResult:
    """The machine trained on what was kept, and what was not.

    Attributes
    ----------
    machine : WeightedNuSVMResult
        The machine; its rho is in the scale of the distribution of what was kept, which sums to 1
        if it was normalised.
    rejected : ndarray of int, shape (n_rejected,)
        The numbers of the lightest examples, ascending.
    edited : ndarray of int, shape (n_edited,)
        The numbers of the heaviest examples, ascending.
    nu : float
        The nu of the training: nu_max where more was asked for.
    nu_clipped : bool
        Whether more than nu_max was asked for.
    """

    machine: WeightedNuSVMResult
    rejected: NDArray[np.intp]
    edited: NDArray[np.intp]
    nu: float
    nu_clipped: bool


def weakened_nu_svm(
    gram: NDArray[Any],
    signs: Vector,
    distribution: Vector,
    nu: float,
    mu: float,
    *,
    sigma: float = 0.0,
    normalize: bool = True,
    by_count: bool = False,
    random: np.random.RandomState | None,
    tol: float = 1e-3,
    max_iter: int = 1_000_000,
    start: Vector | None = None,
) -> WeakenedResult | None:
    """Train on all but the heaviest, then the lightest examples; None if they are all of one class.

    Parameters
    ----------
    gram : array of shape (m, m)
        The positive semidefinite Gram matrix K, as for `weighted_nu_svm`.
    signs : ndarray of shape (m,)
        The labels, -1 and +1.
    distribution : ndarray of shape (m,)
        The weights D of the examples, >= 0 and of sum 1.
    nu : float
        The least sum of D_i alpha_i, positive; more than is feasible is lowered to nu_max and
        flagged.
    mu : float
        What the lightest may weigh together, in [0, 1): in Figure 2 of the distribution given, in
        Figure 3 of what the heaviest left, rescaled to sum 1.
    sigma : float, default 0.0
        What the heaviest may weigh together, in [0, 1).
    normalize : bool, default True
        Whether the distribution of what is kept is rescaled to sum 1 before training; Figure 2,
        read literally, does not, which asks for nu / (1 - mu).
    by_count : bool, default False
        Whether mu bounds the share of examples that are left out as the lightest, not their weight.
    random : RandomState or None
        Breaks ties between equal weights, as between all in the first round of boosting. None
        leaves out the last of them, as where the rows come in random order: then the first round
        keeps the first rows, whose kernel values are read where they lie.
    tol : float, default 1e-3
        The relative duality gap to stop at, positive.
    max_iter : int, default 1_000_000
        The most steps, at least 0.
    start : ndarray of shape (m,), default None
        Weights to start near, as for `weighted_nu_svm`.

    Returns
    -------
    WeakenedResult or None
        The machine and the examples left out; None if those kept are all of one class.
    """
    everyone = np.arange(signs.size)
    edited = chosen_within(distribution, distribution, sigma, random, heaviest=True)
    members = np.setdiff1d(everyone, edited, assume_unique=True)
    weight = np.zeros(signs.size)
    weight[members] = distribution[members] / distribution[members].sum()
    share = np.full(members.size, 1.0 / members.size) if by_count else weight[members]
    rejected = members[chosen_within(weight[members], share, mu, random)]
    members = np.setdiff1d(members, rejected, assume_unique=True)
    if np.ptp(signs[members]) == 0.0:
        return None
    if normalize:
        weight /= weight[members].sum()
    largest = nu_max(signs[members], weight[members])
    clipped = nu > largest * (1.0 + NU_ROUNDING)
    kept = members if members.size < signs.size else None
    machine = weighted_nu_svm(
        gram, signs, weight, min(nu, largest), tol=tol, max_iter=max_iter, members=kept, start=start
    )
    return WeakenedResult(machine, rejected, edited, min(nu, largest), clipped)


def with_row_numbers(result: WeakenedResult, order: NDArray[np.intp]) -> WeakenedResult:
    """Return what was found on the rows `order`, a permutation, with the rows' own numbers."""
    weights = np.empty_like(result.machine.weights)
    weights[order] = result.machine.weights
    return replace(
        result,
        machine=replace(result.machine, weights=weights),
        rejected=np.sort(order[result.rejected]),
        edited=np.sort(order[result.edited]),
    )


def chosen_within(
    weight: Vector,
    share: Vector,
    limit: float,
    random: np.random.RandomState | None,
    *,
    heaviest: bool = False,
) -> NDArray[np.intp]:
    """Return the lightest (or, if `heaviest`, the heaviest) rows of total weight at most `limit`.

    `weight` orders the rows, `share` is what they count. The row numbers are ascending.
    """
    if limit == 0.0:
        return np.empty(0, dtype=np.intp)
    ascending = np.argsort(weight, kind="stable")
    steps = np.diff(weight[ascending], prepend=0.0) > SAME_WEIGHT * weight[ascending]
    rank = np.empty(weight.size, dtype=np.intp)
    rank[ascending] = np.cumsum(steps)  # equal for weights that are tied
    last_first = np.arange(weight.size)[::-1]
    ties = last_first if random is None else random.permutation(weight.size)
    rows = np.lexsort((ties, -rank if heaviest else rank))
    total = np.cumsum(share[rows])
    count = int(np.searchsorted(total, limit * (1.0 + SAME_WEIGHT), side="right"))
    return np.sort(rows[:count])
