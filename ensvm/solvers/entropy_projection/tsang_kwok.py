"""Training the hard-margin rho-SVM by entropy projections (Tsang & Kwok, IJCAI-07, Algorithm 1).

The problem is min a'K~a over the simplex, equation (2), with K~ = diag(y) K diag(y). The paper's
symbols and our names: alpha_t `weights`, rho_bar_t = alpha_t'K~alpha_t `objective`, eta_t
`learning_rate`, epsilon_t `epsilon`, epsilon `tol`, epsilon_1 `initial_tol`, g_t = K~alpha_t
`gradient` (its entries are y_i f_t(x_i)); rho* is the optimum.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ensvm.array_types import Vector
from ensvm.solvers.entropy_projection.simplex import (
    EntropyProjectionResult,
    ProjectionStop,
    SignedGram,
    SimplexPoint,
    SimplexRun,
    inner_product,
)

__all__ = ["entropy_projection"]

RELATIVE_PRECISION = 1e-11  # of the rate: one digit more than the 1e-10 promised
# The most one step may lengthen a rate with no upper end: Newton overshoots on flat tails.
STRETCH = 8.0
MAX_EVALUATIONS = 200  # bisection alone covers the exponents of float64 in fewer
# Of a weighted mean, in standard deviations of what it averages.
MEAN_ROUNDING = 8 * np.finfo(np.float64).eps


@dataclass(frozen=True)
class Projection:
    """The solution of one entropy projection: the rate and the weights (8) it leads to.

    `log_weights` are the logarithms of the new weights, normalised: exp(log_weights) sums to 1.
    """

    learning_rate: float
    log_weights: NDArray[np.float64]
    weights: NDArray[np.float64]


class _Tilt:
    """The weights a_i exp(-eta h_i), mean and variance of h under them; buffers are used again.

    Weights enter by their logarithms, so that none underflows; every exponent is at most 0.
    """

    def __init__(self, log_weights: NDArray[np.float64], offsets: NDArray[np.float64]) -> None:
        self._log_weights = log_weights
        self._offsets = offsets
        self._weights = np.empty_like(offsets)
        self._scratch = np.empty_like(offsets)

    def at(self, eta: float) -> tuple[float, float]:
        """Go to eta and return the mean and the variance of the offsets there."""
        weights = np.multiply(self._offsets, -eta, out=self._weights)
        weights += self._log_weights
        self._top = weights.max()
        weights -= self._top
        np.exp(weights, out=weights)
        self._total = total = weights.sum()
        np.multiply(weights, self._offsets, out=self._scratch)
        mean = float(self._scratch.sum() / total)
        return mean, float(inner_product(self._scratch, self._offsets) / total) - mean * mean

    def projection(self, eta: float) -> Projection:
        """Return the update (8) at eta, where `at` was called last, and give the buffers away."""
        log_weights = np.multiply(self._offsets, -eta, out=self._scratch)
        log_weights += self._log_weights
        log_weights -= self._top + np.log(self._total)
        self._weights /= self._total
        return Projection(eta, log_weights, self._weights)


def project(
    log_weights: NDArray[np.float64], gradient: NDArray[np.float64], target: float
) -> Projection | None:
    """Return the entropy projection onto {w in the simplex : w'g <= target}, None if empty.

    `log_weights` are the logarithms of the current weights a, `gradient` is g = K~a, and `target`
    is less than a'g, so that the rate is positive. The rate is exact to 1e-10 of itself unless the
    rounding of w'g is coarser. If min g >= target, the half-space does not meet the simplex, or at
    equality only at an infinite rate.
    """
    offsets = gradient - target
    if not offsets.min() < 0.0:
        return None
    tilt = _Tilt(log_weights, offsets)
    eta = _root(tilt)
    return None if eta is None else tilt.projection(eta)


def _root(tilt: _Tilt) -> float | None:
    """Return the eta > 0 where the tilted mean vanishes, by Newton in a shrinking bracket.

    It minimises psi(eta) = ln sum_i a_i exp(-eta g_i) + rho eta, convex in one variable. With the
    tilted weights w_i ~ a_i exp(-eta g_i), the update (8), psi' = rho - sum w_i g_i and psi'' =
    Var_w(g): the updated weights meet the constraint sum w_i g_i = rho.
    """
    low, high = 0.0, np.inf
    eta = 0.0
    mean, variance = tilt.at(eta)
    if mean <= 0.0:  # only by rounding: the weights meet the constraint as they are
        return None
    for _ in range(MAX_EVALUATIONS):
        low, high = (eta, high) if mean > 0.0 else (low, eta)  # the mean falls as eta grows
        eta = _next(eta, mean, variance, low, high)
        mean, variance = tilt.at(eta)
        if (
            abs(mean) <= RELATIVE_PRECISION * eta * variance
            or high - low <= RELATIVE_PRECISION * eta
        ):
            return eta
        if variance > 0.0 and abs(mean) <= MEAN_ROUNDING * math.sqrt(variance):
            return eta
    return None


def _next(eta: float, mean: float, variance: float, low: float, high: float) -> float:
    """Return Newton's next rate, or one that halves the bracket or stretches one without end."""
    candidate = eta + mean / variance if variance > 0.0 else np.inf
    reach = high if math.isfinite(high) or eta == 0.0 else STRETCH * eta
    if low < candidate < reach:
        return candidate
    if math.isfinite(high):
        return 0.5 * (low + high)
    return STRETCH * low if low > 0.0 else 1.0


def entropy_projection(
    operator: Any,
    y: ArrayLike,
    *,
    tol: float = 0.005,
    initial_tol: float = 0.1,
    max_iter: int = 10_000,
    keep_members: bool = False,
    start: ArrayLike | None = None,
) -> EntropyProjectionResult:
    """Minimise a'K~a over the simplex by multiplicative updates from equal weights (Algorithm 1).

    Stopping at epsilon_t < tol proves nothing, because overshoot halves epsilon as well as
    infeasibility does. What is proved is a bracket: any weights on the simplex give rho* >= max(0,
    min_i g_i)^2 / rho_bar, the squared margin of their plane.

    Parameters
    ----------
    operator : array of shape (m, m) or operator
        The positive semidefinite Gram matrix K, float32 or float64, or an object with `matvec` and
        `dtype`; the certificate is only as precise as these products.
    y : array of shape (m,)
        The labels, -1 and +1.
    tol : float, default 0.005
        Positive. The method stops at epsilon < tol.
    initial_tol : float, default 0.1
        The first epsilon, epsilon_1, at least tol.
    max_iter : int, default 10_000
        The most steps taken, at least 0.
    keep_members : bool, default False
        Whether to return alpha_1..alpha_T, which takes m floats a step.
    start : array of shape (m,), default None
        The weights alpha_1, positive and of sum 1; None for 1 / m. With identical inputs taken as
        one, those of `merge_identical` are the same start.

    Returns
    -------
    EntropyProjectionResult
        The weights, what is proved about them, and the ensemble they passed through.

    Raises
    ------
    ValueError
        If initial_tol is less than tol.
    """
    if tol > initial_tol:
        raise ValueError(f"initial_tol must be at least tol = {tol!r}, got {initial_tol!r}")
    run = SimplexRun(SignedGram(operator, y), keep_members)
    steps = _Steps(run, tol, initial_tol)
    first = run.first_weights(start)
    logs = np.full(run.size, -np.log(run.size)) if start is None else np.log(first)
    current = _evaluate(run, Projection(0.0, logs, first))
    while True:
        run.note(current.objective)
        following = run.why_no_step(current.objective) or steps.after(current)
        if not isinstance(following, str) and run.n_iter >= max_iter:
            following = "max_iter"
        if isinstance(following, str):
            return run.result(current.weights, current.objective, following)
        run.leave(current.weights, following.learning_rate, steps.epsilon)
        current = following


@dataclass(frozen=True)
class _Iterate(SimplexPoint):
    """A point, the logarithms of its weights, and the rate that led to it."""

    log_weights: Vector
    learning_rate: float


def _evaluate(run: SimplexRun, update: Projection) -> _Iterate:
    """Multiply with new weights, whose gradient may raise the lower bound."""
    point = run.evaluate(update.weights)
    run.prove(float(point.gradient.min()), point.objective)
    return _Iterate(
        **vars(point), log_weights=update.log_weights, learning_rate=update.learning_rate
    )


class _Steps:
    """Lines 4 to 8 of Algorithm 1."""

    def __init__(self, run: SimplexRun, tol: float, initial_tol: float) -> None:
        self._run, self._tol, self.epsilon = run, tol, initial_tol

    def after(self, current: _Iterate) -> _Iterate | ProjectionStop:
        """Return the next accepted iterate, or that epsilon fell below tol in search of one."""
        while self.epsilon >= self._tol:
            rho = current.objective / (1.0 + self.epsilon)  # (15)
            update = project(current.log_weights, current.gradient, rho)  # (9) and (8)
            if update is not None:  # (10) is feasible
                candidate = _evaluate(self._run, update)
                if candidate.objective <= current.objective:
                    return candidate
            self.epsilon /= 2.0
        return "epsilon_below_tol"
