"""AdaBoost over machines f_t = sum_i u_ti k(x_i, .) + b_t (Rangel, Lozano & Garcia, ICMLA-05, Figure 1), on one Gram matrix.

A hypothesis is h_t = f_t / max_i |f_t(x_i)| or sign f_t, and its vote alpha_t minimises Z_t = sum_i
D_i exp(-alpha y_i h_t(x_i)) (Schapire & Singer, 1999), which also bounds the error: the share of
examples that the vote gets wrong is at most prod_t Z_t. With the former the vote sum_t alpha_t h_t
is again one expansion; the paper takes the latter, and drops the sign for its reduced model.

After D_i <- D_i exp(-alpha_t y_i h_t(x_i)) / Z_t the last hypothesis is no better than random. One
that is right on all examples has no best alpha: it is capped. With real values boosting goes on,
for the margins still differ; with signs D stays as it is, and boosting ends.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ensvm.solvers.regularization_path.events import add_products
from ensvm.solvers.weighted_nu_svm.solver import Vector
from ensvm.solvers.weighted_nu_svm.weakened import WeakenedResult

WeakLearner: TypeAlias = Callable[[Vector, Vector | None], WeakenedResult | None]
StopReason: TypeAlias = Literal[
    "n_rounds", "no_better_than_random", "vanishing_margin", "perfect", "one_class_left"
]

# Weights of examples with margin 1 fall by exp(-10) at most: more would leave the next round a
# handful of examples
LARGEST_ALPHA = 10.0
BALANCE = 1e-13  # |sum_i D_{t+1,i} y_i h_t(x_i)| at which alpha_t counts as the minimiser of Z_t
MOST_BISECTIONS = 200  # safeguarded Newton steps; about ten are the rule
# A hypothesis must agree with the labels by more than this, in D-weighted mean, to be better than
# random
RANDOM_EDGE = 1e-12


@dataclass(frozen=True, eq=False)
class BoostingResult:
    """The members of the vote, T of them, and what each round left.

    Attributes
    ----------
    coefs : array of shape (T, m), u_t / max |f_t|, f_t = K u_t + b_t, so that |values| <= 1 on the
        training examples
    intercepts : array of shape (T,), b_t / max |f_t|
    alphas : array of shape (T,), each in (0, LARGEST_ALPHA]
    errors : array of shape (T,), the D_t-weighted training errors of sign h_t
    normalizers : array of shape (T,), Z_t
    train_errors : array of shape (T,), the share of training examples that the vote of the first t
        members gets wrong
    round_seconds : array of shape (T,), wall time
    machines : list of T WeakenedResult
    distribution : array of shape (m,), D_{T+1}
    stop_reason : 'n_rounds'
        | 'no_better_than_random': the D_t-weighted mean of y h_t is not positive
        | 'vanishing_margin': rho is 0 up to rounding, and f / max |f| rounding blown up: the
        excluded case of Lemma 1
        | 'perfect': a sign right everywhere
        | 'one_class_left': the weak learner rejected all examples of a class
    """

    coefs: Vector
    intercepts: Vector
    alphas: Vector
    errors: Vector
    normalizers: Vector
    train_errors: Vector
    round_seconds: Vector
    machines: list[WeakenedResult]
    distribution: Vector
    stop_reason: StopReason


def adaboost(
    gram: NDArray[Any],
    signs: Vector,
    distribution: Vector,
    weak: WeakLearner,
    n_rounds: int,
    *,
    use_sign: bool,
) -> BoostingResult:
    """Boost a weak learner of kernel expansions.

    Parameters
    ----------
    gram : float32 or float64 array of shape (m, m), rows contiguous
    signs : float64 array of shape (m,) of -1 and +1
    distribution : float64 array of shape (m,), >= 0, of sum 1: D_1
    weak : maps a distribution, and the weights of the last machine to start near, None at first, to
        a machine; to None where it cannot train one
    n_rounds : int >= 1, the most members
    use_sign : whether h_t = sign f_t rather than f_t / max |f_t|; 0 counts as negative

    A last machine that is no better than random, or whose margin vanishes, is left out; but the
    first stays, with alpha = 1 if it is no better than random, for without it there would be
    nothing to vote. If there is none, ValueError is raised.
    """
    vote, rounds = np.zeros(signs.size), []
    machines: list[WeakenedResult] = []
    reason: StopReason = "n_rounds"
    while len(machines) < n_rounds and reason == "n_rounds":
        start = time.perf_counter()
        machine = weak(distribution, machines[-1].machine.weights if machines else None)
        if machine is None:
            reason = "one_class_left"
            break
        coef, intercept, values = _normalized(gram, signs, machine)
        hypothesis = np.where(values > 0.0, 1.0, -1.0) if use_sign else values
        agreement = signs * hypothesis
        edge = float(distribution @ agreement)
        reason = _why_it_ends(machine, edge, bool(use_sign and agreement.min() > 0.0))
        if reason in ("no_better_than_random", "vanishing_margin") and machines:
            break
        alpha = best_alpha(agreement, distribution) if edge > RANDOM_EDGE else 1.0
        error = _share_wrong(values, signs, distribution)
        tilted = distribution * np.exp(-alpha * agreement)
        distribution = tilted / tilted.sum()
        vote += alpha * hypothesis
        train_error = _share_wrong(vote, signs, np.full(signs.size, 1.0 / signs.size))
        machines.append(machine)
        rounds.append(
            (coef, intercept, alpha, error, tilted.sum(), train_error, time.perf_counter() - start)
        )
    if not rounds:
        raise ValueError(
            "the weak learner rejects all examples of a class in the first round; a smaller mu or sigma keeps more"
        )
    coefs, intercepts, alphas, errors, normalizers, train_errors, seconds = (
        np.array(column) for column in zip(*rounds, strict=True)
    )
    return BoostingResult(
        coefs,
        intercepts,
        alphas,
        errors,
        normalizers,
        train_errors,
        seconds,
        machines,
        distribution,
        reason,
    )


def _why_it_ends(machine: WeakenedResult, edge: float, perfect: bool) -> StopReason:
    """Return why the round of this machine is the last, or 'n_rounds' if it need not be."""
    if machine.machine.stop_reason == "gap_below_rounding":
        return "vanishing_margin"
    if edge <= RANDOM_EDGE:
        return "no_better_than_random"
    return "perfect" if perfect else "n_rounds"


def _share_wrong(values: Vector, signs: Vector, distribution: Vector) -> float:
    return float(distribution[(values > 0.0) != (signs > 0.0)].sum())


def best_alpha(agreement: Vector, distribution: Vector) -> float:
    """Return the alpha in (0, LARGEST_ALPHA] that minimises sum_i D_i exp(-alpha agreement_i), whose sum D_i agreement_i is positive.

    Newton's method on its logarithm, whose slope is minus the mean agreement under the tilted
    distribution, kept within a bracket.
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


def _normalized(
    gram: NDArray[Any], signs: Vector, machine: WeakenedResult
) -> tuple[Vector, float, Vector]:
    """Return coefficients, intercept and values on the training examples of f / max |f|; of f = 0 itself where it is 0."""
    coef = signs * machine.machine.weights
    points = np.flatnonzero(coef)
    values = np.full(signs.size, machine.machine.intercept)
    add_products(gram, points, coef[points], values)
    largest = float(np.abs(values).max())
    scale = 1.0 / largest if largest > 0.0 else 1.0
    return coef * scale, machine.machine.intercept * scale, values * scale
