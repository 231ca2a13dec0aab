"""The adaptive learning rate of the entropy projection (Tsang & Kwok, IJCAI-07, equation 9).

The rate minimises psi(eta) = ln sum_i a_i exp(-eta g_i) + rho eta, convex in one variable. With the
tilted weights w_i ~ a_i exp(-eta g_i), which are the update (8) itself, psi' = rho - sum w_i g_i
and psi'' = Var_w(g): it is the rate at which the updated weights meet the constraint, sum w_i g_i =
rho. Weights enter by their logarithms, so that none is ever lost to underflow, and every exponent
is shifted to at most 0.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
    """The weights a_i exp(-eta h_i), mean and variance of h under them; buffers are used again."""

    def __init__(self, log_weights: NDArray[np.float64], offsets: NDArray[np.float64]) -> None:
        self._log_weights = log_weights
        self._offsets = offsets
        self._weights = np.empty_like(offsets)
        self._scratch = np.empty_like(offsets)
        self._top = 0.0
        self._total = 1.0

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


def inner_product(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Return a'b of two vectors, without BLAS.

    Its threads, where they are not those of the library that multiplies with the Gram matrix, wait
    busily after each call and take the cores from the next product: at 30,000 points that doubles
    the time of a step.
    """
    return float(np.einsum("i,i->", a, b))


def tilt_weights(
    log_weights: NDArray[np.float64], gradient: NDArray[np.float64], learning_rate: float
) -> Projection:
    """Return the multiplicative update (8) of the weights with a given learning rate.

    `log_weights` and `gradient` have shape (m,); `learning_rate` is any finite number.
    """
    tilt = _Tilt(log_weights, gradient)
    tilt.at(learning_rate)
    return tilt.projection(learning_rate)


def project(
    log_weights: NDArray[np.float64], gradient: NDArray[np.float64], target: float
) -> Projection | None:
    """Return the entropy projection onto {w in the simplex : w'g <= target}, None if empty.

    Parameters
    ----------
    log_weights : ndarray of shape (m,)
        The logarithms of the current weights a, which sum to 1.
    gradient : ndarray of shape (m,)
        The products g = K~ a.
    target : float
        The bound of w'g, less than a'g (then the rate is positive).

    Returns
    -------
    Projection or None
        The rate, exact to 1e-10 of itself unless the rounding of w'g is coarser, and the weights.
        None where min g >= target: the half-space does not meet the simplex, or at equality only
        at an infinite rate.
    """
    offsets = gradient - target
    if not offsets.min() < 0.0:
        return None
    tilt = _Tilt(log_weights, offsets)
    eta = _root(tilt)
    return None if eta is None else tilt.projection(eta)


def _root(tilt: _Tilt) -> float | None:
    """Return the eta > 0 where the tilted mean vanishes, by Newton in a shrinking bracket."""
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
