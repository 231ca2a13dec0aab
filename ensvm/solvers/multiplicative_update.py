"""The multiplicative update of the hard-margin dual at a fixed rate (Cristianini et al., 1999).

The problem is max W(b) = sum_i b_i - b'K~b / 2 over b >= 0, with K~ = diag(y) K diag(y) and no
bias; one step is b_i <- b_i exp(eta (1 - (K~b)_i)). It is what Figure 1 of Tsang & Kwok (IJCAI-07)
compares with: a large eta overshoots and never comes back. The two problems are one: b / sum b lies
on the simplex, and the optima satisfy W* = 1 / (2 rho*).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ensvm.solvers.entropy_projection.simplex import SignedGram

Vector = NDArray[np.float64]

LARGEST_EXPONENT = 300.0  # b beyond e^300 has diverged, and b'K~b still is a float64


@dataclass(frozen=True)
class MultiplicativeUpdateState:
    """One iterate b, as a callback sees it.

    Attributes
    ----------
    iteration : int
        The number of steps before it; 0 is the start.
    weights : ndarray of shape (m,)
        The weights b, positive; never written to again, so that they may be kept.
    objective : float
        The value W(b).
    upper_bound : float
        The least primal objective so far, infinite until some plane separates.
    simplex_objective : float
        The value b'K~b / (sum b)^2, an upper bound of rho*; nan where sum b is 0.
    """

    iteration: int
    weights: Vector
    objective: float
    upper_bound: float
    simplex_objective: float


@dataclass(frozen=True)
class MultiplicativeUpdateResult:
    """The last weights and what is proved about them.

    Attributes
    ----------
    weights : ndarray of shape (m,)
        The last weights b > 0, not normalised.
    objective : float
        The value W(b), a lower bound of W*.
    upper_bound : float
        The least primal objective (|w| / min_i (K~b)_i)^2 / 2 seen; infinite until some plane
        separates.
    simplex_objective : float
        The value b'K~b / (sum b)^2.
    n_iter : int
        The number of steps.
    converged : bool
        Whether the duality gap came down to tol * objective.
    stop_reason : str
        'gap_below_tol', 'diverged' (b left the range of floats) or 'max_iter'.
    overshoot_iteration : int or None
        The first step after which W was lower than before; None if it never fell.
    """

    weights: Vector
    objective: float
    upper_bound: float
    simplex_objective: float
    n_iter: int
    converged: bool
    stop_reason: Literal["gap_below_tol", "diverged", "max_iter"]
    overshoot_iteration: int | None

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
    callback: Callable[[MultiplicativeUpdateState], None] | None = None,
) -> MultiplicativeUpdateResult:
    """Maximise sum b - b'K~b / 2 over b >= 0 by multiplicative updates from equal weights.

    Parameters
    ----------
    operator : array of shape (m, m) or operator
        The positive semidefinite Gram matrix K, float64, or an object with `matvec` or `@`; a
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
    callback : callable, default None
        Called with a `MultiplicativeUpdateState` at the start and after each step.

    Returns
    -------
    MultiplicativeUpdateResult
        The last weights and what is proved about them.

    References
    ----------
    Cristianini, Campbell & Shawe-Taylor, Multiplicative updatings for support vector learning,
    ESANN 1999.
    """
    gram = SignedGram(operator, y)
    start = 1.0 / gram.size if initial_weight is None else initial_weight
    log_weights = np.full(gram.size, np.log(start))
    upper_bound, overshoot, previous, iteration = np.inf, None, -np.inf, 0
    while True:
        weights = np.exp(log_weights)
        gradient = gram.matvec(weights)
        state = _state(iteration, weights, gradient, upper_bound)
        upper_bound = state.upper_bound
        if overshoot is None and state.objective < previous:
            overshoot = iteration
        previous = state.objective
        if callback is not None:
            callback(state)
        following = log_weights + learning_rate * (1.0 - gradient)
        reason = _stop_reason(state, tol, max_iter, following)
        if reason is not None:
            return MultiplicativeUpdateResult(
                weights, state.objective, upper_bound, state.simplex_objective, iteration,
                reason == "gap_below_tol", reason, overshoot,
            )  # fmt: skip
        log_weights = following
        iteration += 1


def _state(
    iteration: int, weights: Vector, gradient: Vector, upper_bound: float
) -> MultiplicativeUpdateState:
    squared_norm, total = float(weights @ gradient), float(weights.sum())
    margin = float(gradient.min())
    if margin > 0.0:
        upper_bound = min(upper_bound, 0.5 * squared_norm / margin**2)
    simplex_objective = squared_norm / total**2 if total > 0.0 else np.nan
    return MultiplicativeUpdateState(
        iteration, weights, total - 0.5 * squared_norm, upper_bound, simplex_objective
    )


def _stop_reason(
    state: MultiplicativeUpdateState, tol: float, max_iter: int, following: Vector
) -> Literal["gap_below_tol", "diverged", "max_iter"] | None:
    if state.upper_bound - state.objective <= tol * state.objective:
        return "gap_below_tol"
    if state.iteration >= max_iter:
        return "max_iter"
    return None if following.max() < LARGEST_EXPONENT else "diverged"
