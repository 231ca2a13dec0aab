"""The rho-SVM's problem by accelerated entropic descent, with restarts and a soft margin.

The problem is that of Algorithm 1, min a'K~a over the simplex, or over the simplex with upper
bounds of the weights. Where Algorithm 1 takes every gradient at its newest weights, here it is
taken at y = (1 - s) x + s z, between the best weights x so far and the weights z that the updates
act on (Auslender & Teboulle, 2006): z_i becomes proportional to z_i exp(-eta g_i) with g = K~y, cut
at the upper bounds, and x becomes the best point between x and z. The objective's distance from its
optimum falls like 1 / t^2 with the steps t, not like 1 / t.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ensvm.array_types import Vector
from ensvm.solvers.entropy_projection.simplex import (
    EntropyProjectionResult,
    SignedGram,
    SimplexPoint,
    SimplexRun,
    inner_product,
)

__all__ = ["accelerated_descent"]

# Factors of L after an accepted and after a rejected step: with these about one step in seven is
# tried twice, see benchmarks/accelerated_descent.py
SHORTER, LONGER = 0.9, 2.0
# By how many roundings of a'K~a d'K~d may be off, which is a difference of three such values
CHANGE_ROUNDINGS = 4.0
# A restart takes x for the new z and gives up the momentum, which pays where the gap has fallen far
RESTART_SHARE = 1.0 / 32.0
SMALLEST_WEIGHT = 1e-300  # its logarithm stands for that of a weight of 0


def accelerated_descent(
    operator: Any,
    y: ArrayLike,
    *,
    tol: float = 0.005,
    max_iter: int = 10_000,
    upper: ArrayLike | None = None,
    keep_members: bool = False,
    start: ArrayLike | None = None,
) -> EntropyProjectionResult:
    """Minimise a'K~a over the simplex, or part of it, by accelerated multiplicative updates.

    Parameters
    ----------
    operator : array of shape (m, m) or operator
        The positive semidefinite Gram matrix K, float32 or float64, or an object with `matvec` and
        `dtype`; the certificate is only as precise as these products.
    y : array of shape (m,)
        The labels, -1 and +1.
    tol : float, default 0.005
        Positive: stops where the objective is at most 1 + tol times its lower bound.
    max_iter : int, default 10_000
        The most updates tried, at least 0; `n_iter` of the result counts those taken, about six in
        seven.
    upper : array of shape (m,), default None
        The upper bounds of the weights, at least those of the start; None for none. With 1 / (nu m)
        the certificate is about the mean margin of the nu m rows of least margin, in place of the
        least margin.
    keep_members : bool, default False
        Whether to return the members, which takes m floats a step.
    start : array of shape (m,), default None
        The first weights, positive and of sum 1; None for 1 / m.

    Returns
    -------
    EntropyProjectionResult
        The last x. Its members are the weights y_t whose gradients were used, and its learning
        rates the eta_t of these gradients, as in section 3.2 of the paper; its epsilons are nan.

    References
    ----------
    Auslender & Teboulle, Interior gradient and proximal methods for convex and conic optimization,
    SIAM Journal on Optimization 16, 2006.
    """
    run = SimplexRun(SignedGram(operator, y), keep_members)
    bounds = None if upper is None else np.asarray(upper, dtype=np.float64)
    descent = _Descent(run, bounds, run.first_weights(start))
    while True:
        best = descent.best
        run.note(best.objective)
        reason = run.why_no_step(best.objective)
        if reason is None and run.gap_is_below(tol, best.objective):
            reason = "gap_below_tol"
        while reason is None:
            if run.n_matvec > max_iter:
                reason = "max_iter"
            elif (used := descent.step()) is not None:
                run.leave(*used, np.nan)
                break
        if reason is not None:
            best = descent.best  # a step that was not accepted may have led to a better one
            return run.result(best.weights, best.objective, reason)


class _Descent:
    """The points x and z, the momentum gathered since the last restart, and the length of steps."""

    def __init__(self, run: SimplexRun, upper: Vector | None, weights: Vector) -> None:
        self._run = run
        self._upper = upper
        self.best = start = run.evaluate(weights)  # x
        self._prove(start)
        self._steepness = start.objective  # L
        self._moved = start  # z
        self._logs: Vector = np.log(start.weights)
        self._sum = 0.0  # A
        self._gap_at_restart = self._gap()

    def step(self) -> tuple[Vector, float] | None:
        """Try an update; return the weights whose gradient it used and its rate.

        None if it was too long.
        """
        steepness, before, moved = self._steepness, self.best, self._moved
        # K~x and K~y are combinations of products known already: a step costs the one product K~z.
        # a solves L a^2 = A + a, with A the sum of all a since the restart
        share = (1.0 + np.sqrt(1.0 + 4.0 * steepness * self._sum)) / (2.0 * steepness)
        between = _towards(before, moved, share / (self._sum + share))
        weights, logs = _nearest(self._logs - 2.0 * share * between.gradient, self._upper)
        following = self._run.evaluate(weights)
        entropy = max(inner_product(weights, logs - self._logs), 0.0)  # below 0 by rounding only
        crossed = inner_product(weights, moved.gradient)
        change = following.objective - 2.0 * crossed + moved.objective
        self.best = _best_between(before, following)
        self._prove(self.best)
        # d'K~d, with d the change of z, is at most L times the relative entropy of the new z to the
        # old one; otherwise the step was too long, and is taken anew with a larger L.
        if change > steepness * entropy + CHANGE_ROUNDINGS * self._run.rounding:
            self._steepness *= LONGER
            return None
        self._steepness *= SHORTER
        self._moved, self._logs, self._sum = following, logs, self._sum + share
        if self._gap() <= RESTART_SHARE * self._gap_at_restart:
            self._moved, self._sum = self.best, 0.0
            self._logs = np.log(np.maximum(self.best.weights, SMALLEST_WEIGHT))
            self._gap_at_restart = self._gap()
        return between.weights, 2.0 * share

    def _prove(self, point: SimplexPoint) -> None:
        # Every allowed b has b'K~a >= v, its least value, and rho* >= max(0, v)^2 / a'K~a by Cauchy
        # and Schwarz. Without upper bounds v = min_i g_i, and this is the bound of Algorithm 1.
        self._run.prove(_least(point.gradient, self._upper), point.objective)

    def _gap(self) -> float:
        """Return how far the objective can at most be from its optimum, as a share of it."""
        objective = self.best.objective
        return 1.0 - self._run.lower_bound(objective) / max(objective, self._run.rounding)


def _least(gradient: Vector, upper: Vector | None) -> float:
    """Return the least value of b'gradient over the weights b allowed."""
    if upper is None:
        return float(gradient.min())
    order = np.argsort(gradient)
    filled = np.cumsum(upper[order])
    last = min(int(np.searchsorted(filled, 1.0)), filled.size - 1)
    weights = upper[order[: last + 1]]
    weights[last] -= filled[last] - 1.0
    return inner_product(weights, gradient[order[: last + 1]])


def _nearest(log_weights: Vector, upper: Vector | None) -> tuple[Vector, Vector]:
    """Return the allowed weights of least relative entropy to others, and their logarithms.

    They are min(upper_i, c w_i) with the c that makes their sum 1: weights that c = 1 / sum w takes
    above their bounds are at their bounds at the end, too.
    """
    logs = log_weights - log_weights.max()
    weights = np.exp(logs)
    if upper is None:
        total = weights.sum()
        weights /= total
        logs -= np.log(total)
        return weights, logs
    log_upper = np.log(upper)
    logs = np.minimum(logs + _log_scale(logs, log_upper), log_upper)
    return np.exp(logs, out=weights), logs


def _towards(one: SimplexPoint, other: SimplexPoint, share: float) -> SimplexPoint:
    """Return the point with the weights (1 - share) * one + share * other."""
    weights = (1.0 - share) * one.weights + share * other.weights
    gradient = (1.0 - share) * one.gradient + share * other.gradient
    return SimplexPoint(weights, gradient, inner_product(weights, gradient))


def _best_between(one: SimplexPoint, other: SimplexPoint) -> SimplexPoint:
    """Return the point of least objective on the line between two points."""
    crossed = inner_product(one.gradient, other.weights)
    curvature = other.objective - 2.0 * crossed + one.objective
    if not curvature > 0.0:  # the points are equal up to rounding
        return one if one.objective <= other.objective else other
    point = _towards(one, other, min(max((one.objective - crossed) / curvature, 0.0), 1.0))
    return point if point.objective <= one.objective else one


def _log_scale(logs: Vector, log_upper: Vector) -> float:
    """Return log c such that the sum of min(upper_i, c w_i) is 1, the w_i given by logarithms."""
    free = np.ones(logs.size, dtype=bool)
    remaining, scale = 1.0, -_log_sum(logs)
    while (over := free & (logs + scale > log_upper)).any():
        free &= ~over
        remaining -= float(np.exp(log_upper[over]).sum())
        if remaining <= 0.0 or not free.any():  # all weight is at its bounds, to rounding
            break
        scale = float(np.log(remaining)) - _log_sum(logs[free])
    return scale


def _log_sum(logs: Vector) -> float:
    top = logs.max()
    return float(top + np.log(np.exp(logs - top).sum()))
