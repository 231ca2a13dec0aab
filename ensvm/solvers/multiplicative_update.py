"""The multiplicative update of the hard-margin dual at a fixed rate.

Cristianini, Campbell & Shawe-Taylor, Multiplicative updatings for support vector learning, ESANN
1999.

The problem is max W(b) = sum_i b_i - b'K~b / 2 over b >= 0, with K~ = diag(y) K diag(y) and no
bias; one step is b_i <- b_i exp(eta (1 - (K~b)_i)). It is what Figure 1 of Tsang & Kwok (IJCAI-07)
compares with: a large eta overshoots and never comes back. The two problems are one: b / sum b lies
on the simplex, and the optima satisfy W* = 1 / (2 rho*).
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ensvm.array_types import Vector
from ensvm.solvers.entropy_projection.simplex import SignedGram

__all__ = ["multiplicative_update"]


UpdateStop = Literal["gap_below_tol", "diverged", "max_iter"]

LARGEST_EXPONENT = 300.0  # b beyond e^300 has diverged, and b'K~b still is a float64


@dataclass(frozen=True)
class MultiplicativeUpdateResult:
    """The last weights and what is proved about them."""

    weights: Vector  # (m,) the last b > 0, not normalised
    objective: float  # W(b), a lower bound of W*
    upper_bound: float  # the least (|w| / min_i (K~b)_i)^2 / 2; infinite until some plane separates
    # (n_iter + 1,) b'K~b / (sum b)^2 at the start and after each step, upper bounds of rho*; nan
    # where sum b is 0
    simplex_objectives: Vector
    best_weights: Vector  # (m,) the first b of least simplex objective
    n_iter: int
    converged: bool  # whether the duality gap came down to tol * objective
    stop_reason: UpdateStop  # 'diverged': b left the range of floats
    overshoot_iteration: int | None  # the first step after which W was lower; None if it never fell

    @property
    def certificate(self) -> float:
        """The duality gap: upper_bound - objective."""
        return self.upper_bound - self.objective


def multiplicative_update(
    operator: Any,
    y: ArrayLike,
    *,
    learning_rate: float,
    tol: float = 1e-3,
    max_iter: int = 1000,
    initial_weight: float | None = None,
) -> MultiplicativeUpdateResult:
    """Maximise sum b - b'K~b / 2 over b >= 0 by multiplicative updates from equal weights.

    Parameters
    ----------
    operator : array of shape (m, m) or operator
        The positive semidefinite Gram matrix K, float64, or an object with `matvec` and `dtype`; a
        float32 array serves rates that do not diverge (its products overflow long before b leaves
        float64).
    y : array of shape (m,)
        The labels, -1 and +1.
    learning_rate : float
        The rate eta, positive.
    tol : float, default 1e-3
        The duality gap to stop at, relative to W; positive.
    max_iter : int, default 1000
        The most steps, at least 0.
    initial_weight : float, default None
        Every b_i at the start, positive; None for 1 / m, the simplex's centre.

    Returns
    -------
    MultiplicativeUpdateResult
        The last weights and what is proved about them.
    """
    gram = SignedGram(operator, y)
    start = 1.0 / gram.size if initial_weight is None else initial_weight
    log_weights = np.full(gram.size, np.log(start))
    upper_bound, least, overshoot = np.inf, np.inf, None
    objectives: list[float] = []
    simplex_objectives: list[float] = []
    reason: UpdateStop | None = None
    while reason is None:
        weights = np.exp(log_weights)
        gradient = gram.matvec(weights)
        squared_norm, total = float(weights @ gradient), float(weights.sum())
        objective, iteration = total - 0.5 * squared_norm, len(objectives)
        margin = float(gradient.min())
        if margin > 0.0:
            upper_bound = min(upper_bound, 0.5 * squared_norm / margin**2)
        if overshoot is None and objectives and objective < objectives[-1]:
            overshoot = iteration
        simplex_objective = squared_norm / total**2 if total > 0.0 else np.nan
        if simplex_objective < least:
            least, best_weights = simplex_objective, weights
        objectives.append(objective)
        simplex_objectives.append(simplex_objective)
        log_weights = log_weights + learning_rate * (1.0 - gradient)
        if upper_bound - objective <= tol * objective:
            reason = "gap_below_tol"
        elif iteration >= max_iter:
            reason = "max_iter"
        elif not log_weights.max() < LARGEST_EXPONENT:
            reason = "diverged"
    return MultiplicativeUpdateResult(
        weights=weights,
        objective=objective,
        upper_bound=upper_bound,
        simplex_objectives=np.array(simplex_objectives),
        best_weights=best_weights,
        n_iter=iteration,
        converged=reason == "gap_below_tol",
        stop_reason=reason,
        overshoot_iteration=overshoot,
    )
