"""AdaBoost over machines f_t = sum_i u_ti k(x_i, .) + b_t (Rangel, Lozano & Garcia, ICMLA-05).

This is Figure 1 of the paper, on one Gram matrix. A hypothesis is h_t = f_t / max_i |f_t(x_i)| or
sign f_t, and its weight alpha_t minimises Z_t = sum_i D_i exp(-alpha y_i h_t(x_i)) (Schapire &
Singer, 1999), which also bounds the error: the vote misclassifies at most a share prod_t Z_t of the
examples. With h_t = f_t / max |f_t| the vote sum_t alpha_t h_t is one expansion; the paper uses the
sign, and drops it for its reduced model.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from ensvm.array_types import Vector
from ensvm.kernels.low_rank import partial_cholesky
from ensvm.solvers.boosting import BoostingResult, BoostingStop, Round, Step, boost
from ensvm.solvers.cholesky_update import add_products
from ensvm.solvers.weighted_nu_svm.weakened import WeakenedResult

__all__ = ["boosted_expansions"]

# Weights of examples with margin 1 fall by exp(-10) at most: more would leave the next round a
# handful of examples
LARGEST_ALPHA = 10.0
BALANCE = 1e-13  # |sum_i D_{t+1,i} y_i h_t(x_i)| at which alpha_t counts as the minimiser of Z_t
MOST_BISECTIONS = 200  # safeguarded Newton steps; about ten are the rule
# A hypothesis must agree with the labels by more than this, in D-weighted mean, to be better than
# random
RANDOM_EDGE = 1e-12

WeakLearner: TypeAlias = Callable[[Vector, Vector | None], WeakenedResult | None]


@dataclass(frozen=True, eq=False)
class Member:
    """One machine of the vote, scaled so that its values at the training examples reach 1."""

    weakened: WeakenedResult  # the machine and the rows left out of its training
    coef: Vector  # (m,) u_t / max |f_t|, so that h_t = K coef + intercept has |values| <= 1
    intercept: float  # b_t / max |f_t|


def boosted_expansions(
    gram: NDArray[Any],
    signs: Vector,
    weak: WeakLearner,
    n_rounds: int,
    *,
    use_sign: bool,
    closed_form: bool = False,
    start: Vector | None = None,
    after_round: Callable[[], None] | None = None,
) -> BoostingResult:
    """Boost a weak learner of kernel expansions, from equal row weights unless others are given.

    A last machine that is no better than random, or whose margin vanishes, is left out; but the
    first stays, with alpha = 1 if it is no better than random: without it there would be
    nothing to vote.

    Parameters
    ----------
    gram : ndarray of shape (m, m)
        The kernel values of the training rows, float32 or float64, rows contiguous.
    signs : ndarray of shape (m,)
        The labels, -1 and +1.
    weak : callable
        Maps row weights, and the weights of the last machine to start near (None at first), to a
        `WeakenedResult`; to None if it cannot train one.
    n_rounds : int
        The largest number of members, >= 1.
    use_sign : bool
        Whether h_t = sign f_t rather than f_t / max |f_t|; 0 counts as negative.
    closed_form : bool, default False
        Whether alpha_t is `closed_form_alpha` rather than the minimiser of Z_t.
    start : ndarray of shape (m,), default None
        The row weights of the first round, >= 0 and of sum 1, by which training errors are weighted
        too; None for equal ones.
    after_round : callable, default None
        Called without arguments when a round whose machine is kept is over.

    Returns
    -------
    BoostingResult
        Its learners are `Member`s, its certificate the least slack in train_errors <= prod Z_t;
        None if the weak learner could not train the first machine.
    """

    def learn(current: Round) -> tuple[Member, Vector] | None:
        """Return the member of a round and its values or signs; None if it could not be trained."""
        near = None if current.last is None else current.last.weakened.machine.weights
        weakened = weak(current.sample_weight, near)
        if weakened is None:
            return None
        member, values = _normalized(gram, signs, weakened)
        return member, np.where(values > 0.0, 1.0, -1.0) if use_sign else values

    first = np.full(signs.size, 1.0 / signs.size) if start is None else start
    rule = _Expansions(signs, first, use_sign=use_sign, closed_form=closed_form)
    result = boost(rule, learn, first, n_rounds, after_round=after_round)
    if not result.learners:
        return result
    return replace(result, certificate=float((result.error_bound - result.train_errors).min()))


def best_alpha(agreement: Vector, distribution: Vector) -> float:
    """Return the alpha in (0, LARGEST_ALPHA] that minimises Z = sum_i D_i exp(-alpha agreement_i).

    A hypothesis that is right on all examples has no best alpha, so alpha is capped.

    The sum of D_i agreement_i must be positive. Newton's method on the logarithm of Z, whose slope
    is minus the mean agreement under the tilted distribution, kept within a bracket.
    """
    low, high, alpha = 0.0, LARGEST_ALPHA, LARGEST_ALPHA
    least = agreement.min()
    for _ in range(MOST_BISECTIONS):
        tilted = distribution * np.exp(-alpha * (agreement - least))
        tilted /= tilted.sum()
        mean = float(tilted @ agreement)
        if abs(mean) <= BALANCE or (mean > 0.0 and alpha == LARGEST_ALPHA):
            break
        low, high = (alpha, high) if mean > 0.0 else (low, alpha)
        spread = float(tilted @ (agreement - mean) ** 2)
        step = alpha + mean / spread if spread > 0.0 else high
        following = step if low < step < high else 0.5 * (low + high)
        if following == alpha:
            break
        alpha = following
    return alpha


def closed_form_alpha(edge: float) -> float:
    """Return ln((1 + r) / (1 - r)) / 2 for the edge r = sum_i D_i y_i h(x_i) > 0, at most the cap.

    It minimises a bound on Z (Schapire & Singer, 1999): exp(-alpha u) lies below the line through
    its ends for |u| <= 1, so that Z is at most sqrt(1 - r^2). With signs it minimises Z itself.
    """
    return float(np.arctanh(min(edge, np.tanh(LARGEST_ALPHA))))


class _Expansions:
    """The rule of `boosted_expansions`."""

    def __init__(self, signs: Vector, first: Vector, *, use_sign: bool, closed_form: bool) -> None:
        self._signs = signs
        self._use_sign = use_sign
        self._closed_form = closed_form
        self._first = first
        self._vote = np.zeros(signs.size)

    def step(self, current: Round, learner: Member, vote: Vector) -> Step:
        """Return a member's weight, the new distribution, and why boosting ends if it does."""
        before = current.sample_weight
        agreement = self._signs * vote
        edge = float(before @ agreement)
        reason = self._why_it_ends(learner, edge, agreement)
        worthless = reason in ("no_better_than_random", "vanishing_margin")
        if edge <= RANDOM_EDGE:
            alpha = 1.0
        elif self._closed_form:
            alpha = closed_form_alpha(edge)
        else:
            alpha = best_alpha(agreement, before)
        tilted = before * np.exp(-alpha * agreement)
        normalizer = tilted.sum()
        return Step(
            alpha,
            self._share_wrong(vote, before),
            float(normalizer),
            tilted / normalizer,
            reason,
            kept=not (worthless and current.weights),
        )

    def add(self, weight: float, vote: Vector) -> tuple[Vector, float]:
        self._vote += weight * vote
        return self._signs * self._vote, self._share_wrong(self._vote, self._first)

    def _why_it_ends(self, member: Member, edge: float, agreement: Vector) -> BoostingStop | None:
        if member.weakened.machine.stop_reason == "gap_below_rounding":
            return "vanishing_margin"
        if edge <= RANDOM_EDGE:
            return "no_better_than_random"
        # If a hypothesis is right everywhere, D does not change with signs; with real values
        # boosting goes on, because the margins still differ.
        return "perfect" if self._use_sign and agreement.min() > 0.0 else None

    def _share_wrong(self, values: Vector, distribution: Vector) -> float:
        return float(distribution[(values > 0.0) != (self._signs > 0.0)].sum())


def _normalized(
    gram: NDArray[Any], signs: Vector, weakened: WeakenedResult
) -> tuple[Member, Vector]:
    """Return f / max |f| and its values on the training examples; f = 0 itself where it is 0."""
    machine = weakened.machine
    coef = signs * machine.weights
    points = np.flatnonzero(coef)
    values = np.full(signs.size, machine.intercept)
    add_products(gram, points, coef[points], values)
    largest = float(np.abs(values).max())
    scale = 1.0 / largest if largest > 0.0 else 1.0
    return Member(weakened, coef * scale, machine.intercept * scale), values * scale


def reduce_expansion(
    gram: NDArray[Any], coefs: NDArray[np.float64], allowed: float
) -> tuple[NDArray[np.intp], NDArray[np.float64], float]:
    """Project expansions onto the fewest pivots that change the first one by at most `allowed`.

    `coefs`, shape (n, k), holds an expansion per column. Return the r rows kept, ascending, the
    coefficients in them, shape (r, k), and the largest change |f - f_reduced| of the first
    expansion at an x with k(x, x) <= max_i K_ii. Points that depend linearly on others up to
    rounding are dropped even if `allowed` is 0.

    Downs, Gates & Masters, Exact simplification of support vector solutions, JMLR 2, 2001.
    """
    gram = np.asarray(gram, dtype=np.float64)
    # Cholesky's method with pivots takes next the point that the ones before it explain least.
    # Leaving out the last directions of the orthonormal basis that it builds leaves out exactly
    # these coordinates of the expansion, so the error is known before any point is left out.
    factor = partial_cholesky(lambda rows: gram[:, rows], gram.diagonal())
    coordinates = factor.factor.T @ coefs  # of each expansion, in the basis that the pivots build
    # Squared norm of what follows the first r directions
    left_out = np.append(np.cumsum(coordinates[::-1, 0] ** 2)[::-1], 0.0)
    errors = np.sqrt(left_out * gram.diagonal().max())
    rank = int(np.argmax(errors <= allowed))
    pivots = factor.pivots[:rank]
    lower = factor.factor[pivots, :rank]
    order = np.argsort(pivots)
    reduced = (
        solve_triangular(lower, coordinates[:rank], lower=True, trans="T")
        if rank
        else coordinates[:0]
    )
    return pivots[order], reduced[order], float(errors[rank])


def reduce_members(
    gram: NDArray[Any],
    alphas: NDArray[np.float64],
    member_coefs: NDArray[np.float64],
    intercepts: NDArray[np.float64],
    reduce_tol: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Rewrite kernel expansions, and a weighted sum of them, in linearly independent rows.

    `member_coefs` has shape (n_members, m). Return the coefficients of the sum, shape (m,), those
    of each expansion, and the largest change of the sum, relative to its largest value; it is at
    most `reduce_tol`.
    """
    rows = np.flatnonzero(member_coefs.any(axis=0))
    members = member_coefs[:, rows].T
    vote = members @ alphas
    values = gram[:, rows] @ vote + alphas @ intercepts
    largest = float(np.abs(values).max())
    points, reduced, error = reduce_expansion(
        gram[np.ix_(rows, rows)], np.column_stack([vote, members]), reduce_tol * largest
    )
    coefs = np.zeros((gram.shape[0], alphas.size + 1))
    coefs[rows[points]] = reduced
    return coefs[:, 0], coefs[:, 1:].T, error / largest if largest > 0.0 else 0.0
