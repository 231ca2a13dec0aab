"""The nu-SVM on a distribution over its examples, to a proved duality gap.

Rangel, Lozano & Garcia, Boosting of Support Vector Machines with application to editing, ICMLA
2005, section 3.1:

    primal (4)    min |w|^2 / 2 - nu rho + sum_i eta_i
                  subject to y_i (<w, x_i> + b) >= D_i rho - eta_i, eta_i >= 0, rho >= 0
    dual (5)-(6)  min a'K~a / 2
                  subject to 0 <= a_i <= 1, sum_i y_i a_i = 0, sum_i D_i a_i >= nu

with K~_ij = y_i y_j k(x_i, x_j). The paper's slack xi_i = eta_i / D_i is counted with weight D_i,
so that D_i does not bound a multiplier, as the sample weights of other SVMs do: it is the margin
that an example must have, in units of rho. An example with D_i = 0 must still lie on its side. For
equal D this is the nu-SVM. Names: alpha `weights`, D `distribution`, y `signs`, D_i rho - y_i
f(x_i) the shortfall of a margin.

A lesser sum of D_i a_i costs no more, so that (6) is kept as an equality; its multiplier is rho, d
objective / d nu. The two equalities hold together up to nu_max, the total of the s heaviest D of
each class, s the size of the smaller one.
"""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ensvm.array_types import Vector, for_reading
from ensvm.solvers.cholesky_update import add_products
from ensvm.solvers.weighted_nu_svm.descent import (
    EPS,
    DescentState,
    certify,
    descend,
    find_direction,
)
from ensvm.solvers.weighted_nu_svm.faces import RIDGE, minimise_over_face, new_face

__all__ = ["WeightedNuSVMResult", "weighted_nu_svm"]

DescentStop: TypeAlias = Literal[
    "gap_below_tol", "gap_below_rounding", "no_progress", "not_positive_semidefinite", "max_iter"
]

# nu may exceed nu_max by this part: both are sums that callers round in their own order
NU_ROUNDING = 1e-12
# Steps between two minimisations over a face, which cost about as much as the steps of a phase
# (`constants` in benchmarks/weighted_nu_svm.py)
LEAST_PHASE = 200
# Phases have as many steps as this part of the points, but the first as many as points: before that
# no face is settled (`constants` in benchmarks/weighted_nu_svm.py)
PHASE_SHARE = 16
# Of the largest kernel value, times (sum of weights)^2: a gap within them that steps cannot close
# is theirs
ROUNDINGS = 100.0
PROGRESS = 1e-13  # a whole phase that lowers the objective by a smaller part has met rounding


@dataclass(frozen=True, eq=False)
class WeightedNuSVMResult:
    """A feasible point of the dual, f(x) = sum_i y_i weights_i k(x_i, x) + intercept, and its gap.

    Attributes
    ----------
    weights : ndarray of shape (m,)
        The multipliers alpha, in [0, 1]; 0 for examples that take no part.
    intercept : float
        The intercept b; if the weights and rho leave it open, the middle of its interval.
    rho : float
        The multiplier of nu, in the scale of the distribution given: d objective / d nu where that
        exists, and elsewhere one of its subgradients.
    objective : float
        The value weights' K~ weights / 2.
    certificate : float
        The duality gap, >= 0: the optimum lies in [objective - certificate, objective].
    nu_max : float
        The largest feasible nu.
    n_iter : int
        The number of steps in three coefficients.
    converged : bool
        Whether the gap came down to the tolerance or to rounding.
    stop_reason : str
        'gap_below_tol'; 'gap_below_rounding': the gap is what rounding of kernel values of this
        size makes, the optimum is practically 0, and with it rho, without which the nu-SVM promises
        nothing (Lemma 1's excluded case); 'no_progress': rounding kept the objective from falling
        further; 'not_positive_semidefinite': the objective became negative; or 'max_iter'.
    """

    weights: Vector
    intercept: float
    rho: float
    objective: float
    certificate: float
    nu_max: float
    n_iter: int
    converged: bool
    stop_reason: DescentStop


def weighted_nu_svm(
    gram: NDArray[Any],
    signs: ArrayLike,
    distribution: ArrayLike,
    nu: float,
    *,
    tol: float = 1e-3,
    max_iter: int = 1_000_000,
    members: ArrayLike | None = None,
    start: ArrayLike | None = None,
) -> WeightedNuSVMResult:
    """Solve (5)-(6) to a duality gap of at most tol times the objective; ties to the first index.

    Parameters
    ----------
    gram : array of shape (m, m)
        The positive semidefinite Gram matrix K, float32 or float64 (others become float64); its
        symmetry is trusted. Sums run in float64. To a float32 one, which rounding makes indefinite,
        eps sqrt(m) max K_ii is added on the diagonal, and objective and certificate are about the
        sum.
    signs : array of shape (m,)
        The labels, -1 and +1, both present among the members.
    distribution : array of shape (m,)
        The weights D of the examples, finite and >= 0; (c D, c nu) is the same problem for every
        c > 0.
    nu : float
        The least sum of D_i alpha_i, positive and at most nu_max.
    tol : float, default 1e-3
        The duality gap to stop at, relative to the objective; positive.
    max_iter : int, default 1_000_000
        The most steps, at least 0.
    members : array of int, default None
        Distinct numbers of the examples that take part; None for all. Only their entries of the
        distribution are read, and of K only the rows of those whose coefficients change. Those
        rows are copied, unless the members are the first rows, in order.
    start : array of shape (m,), default None
        Weights to start near, as those of the last round of boosting; used where the distribution
        gives them a total of at least nu once both classes have the same. None starts from the
        heaviest examples.

    Returns
    -------
    WeightedNuSVMResult
        The weights, the multipliers rho and b, and the duality gap.

    Raises
    ------
    ValueError
        If nu is not positive or exceeds nu_max.
    """
    gram, rows, labels, weight = _converted(gram, signs, distribution, members)
    largest = nu_max(labels, weight)
    if not 0.0 < nu <= largest * (1.0 + NU_ROUNDING):
        raise ValueError(
            f"nu must be positive and at most nu_max = {largest!r} for this distribution, "
            f"got {nu!r}"
        )
    # Mean 1: then slopes, steps and rho do not depend on how many examples share the distribution.
    scale = 1.0 / weight.mean()
    weight = weight * scale
    first = heaviest_first(labels, weight, min(nu, largest) * scale)
    if start is not None:
        near = np.clip(np.asarray(start, dtype=np.float64)[rows], 0.0, 1.0)
        first = _moved_to_feasible(near, first, labels, weight, min(nu, largest) * scale)
    state = _new_state(gram, rows, labels, weight, first)
    n_iter, reason = _minimise(state, tol, max_iter)
    weights = np.zeros(gram.shape[0])
    weights[rows] = labels * state.coef
    return WeightedNuSVMResult(
        weights=weights,
        intercept=float(state.intercept[0]),
        rho=float(state.rho[0]) * scale,
        objective=float(state.objective[0]),
        certificate=float(state.gap[0]),
        nu_max=largest,
        n_iter=n_iter,
        converged=reason in ("gap_below_tol", "gap_below_rounding"),
        stop_reason=reason,
    )


def nu_max(signs: Vector, distribution: Vector) -> float:
    """Return the largest nu, in the scale of the distribution, for which (5)-(6) is feasible.

    It is the total of the s heaviest of each class, s the size of the smaller one.
    """
    _, shares = _heaviest_pairs(signs, distribution)
    return float(shares.sum())


def heaviest_first(signs: Vector, distribution: Vector, nu: float) -> Vector:
    """Return feasible weights: the heaviest of each class at 1, in pairs, the last by a part."""
    pairs, shares = _heaviest_pairs(signs, distribution)
    reached = np.cumsum(shares)
    whole = int(np.searchsorted(reached, nu))
    weights = np.zeros(signs.size)
    weights[pairs[:, :whole]] = 1.0
    if whole < shares.size and shares[whole] > 0.0:
        part = (nu - (reached[whole - 1] if whole else 0.0)) / shares[whole]
        weights[pairs[:, whole]] = min(part, 1.0)
    return weights


def _heaviest_pairs(signs: Vector, distribution: Vector) -> tuple[NDArray[np.intp], Vector]:
    """Return the k-th heaviest of each class, shape (2, s), and their joint weights, shape (s,)."""
    classes = [np.flatnonzero(signs > 0.0), np.flatnonzero(signs < 0.0)]
    size = min(rows.size for rows in classes)
    pairs = np.array(
        [rows[np.argsort(-distribution[rows], kind="stable")[:size]] for rows in classes],
        dtype=np.intp,
    )
    return pairs, distribution[pairs].sum(axis=0)


def _moved_to_feasible(
    near: Vector, feasible: Vector, signs: Vector, distribution: Vector, nu: float
) -> Vector:
    """Return the given weights scaled down to feasible ones; `feasible` if they do not reach nu."""
    for sign in (-1.0, 1.0):
        mine, other = near[signs == sign].sum(), near[signs == -sign].sum()
        if mine > other:
            near = np.where(signs == sign, near * (other / mine), near)
    reached = float(distribution @ near)
    return near * (nu / reached) if reached >= nu else feasible


def _converted(
    gram: Any,
    signs: ArrayLike,
    distribution: ArrayLike,
    members: ArrayLike | None,
) -> tuple[NDArray[Any], NDArray[np.int64], Vector, Vector]:
    """Return the Gram matrix, rows contiguous, the members, and their labels and weights."""
    gram = np.asarray(gram)  # a mapped file, too, becomes a plain array
    if gram.dtype not in (np.float32, np.float64):
        gram = gram.astype(np.float64)
    labels, weight = np.asarray(signs, dtype=np.float64), np.asarray(distribution, dtype=np.float64)
    rows = np.arange(labels.size) if members is None else np.array(members, dtype=np.int64)
    if not gram.flags.c_contiguous:
        gram = np.ascontiguousarray(gram.T)  # no copy if the columns are: K is symmetric
    return gram, rows, labels[rows], weight[rows]


def _new_state(
    gram: Any, members: NDArray[np.int64], labels: Vector, distribution: Vector, weights: Vector
) -> DescentState:
    n, coef = members.size, labels * weights
    # The kernel values among the first rows lie at the start of those rows: nothing is copied.
    in_place = bool(np.array_equal(members, np.arange(n)))
    # What is never filled in takes no memory.
    buffer = np.empty((0, 0) if in_place else (n, n), dtype=gram.dtype)
    gram = for_reading(gram)
    state = DescentState(
        gram=gram,
        members=members,
        rows=gram if in_place else for_reading(buffer),
        buffer=buffer,
        slots=np.arange(n) if in_place else np.full(n, -1),
        n_filled=np.zeros(1, dtype=np.int64),
        labels=labels,
        targets=labels * distribution,
        coef=coef,
        values=np.empty(n),
        ridge=_ridge(gram),
        no_growth=np.where(coef >= np.maximum(labels, 0.0), -np.inf, 0.0),
        no_shrinking=np.where(coef <= np.minimum(labels, 0.0), np.inf, 0.0),
        lines=np.full((2, 2), -1),
        rho=np.zeros(1),
        intercept=np.zeros(1),
        gap=np.zeros(1),
        objective=np.zeros(1),
        size=np.zeros(1),
        points=np.empty(4, dtype=np.int64),
        direction=np.empty(4),
    )
    _refresh(state)
    return state


def _ridge(gram: NDArray[Any]) -> float:
    """Return what rounding to float32 may have taken from the smallest eigenvalue; 0 for float64.

    It is about sqrt(m) independent errors strong. Without it the objective has no minimum near 0.
    """
    if gram.dtype == np.float64:
        return 0.0
    return float(np.finfo(gram.dtype).eps * np.sqrt(len(gram)) * np.abs(gram.diagonal()).max())


def _refresh(state: DescentState) -> None:
    """Recompute g = Ku, in which steps add up their roundings."""
    points = np.flatnonzero(state.coef)
    in_place = state.buffer.size == 0
    values = np.zeros(state.coef.size if in_place else state.gram.shape[0])
    add_products(state.gram, state.members[points], state.coef[points], values)
    values = values if in_place else values[state.members]
    state.values[:] = values + state.ridge * state.coef


def _minimise(state: DescentState, tol: float, max_iter: int) -> tuple[int, DescentStop]:
    """Alternate steps and faces up to the duality gap; return the steps and why they ended."""
    largest = float(np.abs(state.gram.diagonal()[state.members]).max())
    precision = float(np.finfo(state.gram.dtype).eps)
    floor, ridge = EPS * largest, RIDGE * precision * largest
    face = new_face(state.coef.size)
    n_iter, before = 0, np.inf
    while True:
        # Steps along the steepest direction in three coefficients
        phase = max(LEAST_PHASE, state.coef.size // (PHASE_SHARE if n_iter else 1))
        n_iter += descend(state, tol, floor, min(phase, max_iter - n_iter))
        # What is proved, of values without the roundings that steps add up
        _refresh(state)
        find_direction(state)
        certify(state)
        objective, gap = state.objective[0], state.gap[0]
        square = state.size[0] ** 2
        rounding = ROUNDINGS * largest * square
        if objective < -rounding * precision:
            return n_iter, "not_positive_semidefinite"
        if gap <= max(tol * objective, floor * square):
            without_ridge = objective - 0.5 * state.ridge * float(state.coef @ state.coef)
            vanishing = gap > tol * objective or without_ridge <= floor * square
            return n_iter, "gap_below_rounding" if vanishing else "gap_below_tol"
        if n_iter >= max_iter:
            return n_iter, "max_iter"
        if not before - objective > PROGRESS * abs(objective):  # nor if it is not a number
            proved = gap <= rounding * EPS
            return n_iter, "gap_below_rounding" if proved else "no_progress"
        before = objective
        # The minimum over all coefficients that are free now
        minimise_over_face(state, face, ridge)
