"""The losses of leveraged vector machines by margins, the penalty of eq. (8). Compiled.

A loss l(v) of the margin v has the negative derivative p(v) ("pull") and the second derivative w(v)
("weight"): exponential, eq. (3): l = exp(-v), p = w = exp(-v), the distribution D of eq. (1) before
it is normalised; logistic, eq. (4): l = log(1 + exp(-2v)), p = 2 (1 - P), w = 4 P (1 - P), with P =
1 / (1 + exp(-2v)) of eq. (2).

Exponential losses are kept relative to their largest one: all of them are multiplied by exp(shift),
the shift being the least margin. A round looks only at ratios, which this leaves as they are; the
logistic loss has shift 0.
"""

import math

from ensvm.compiled import inlined, njit

EXPONENTIAL, LOGISTIC = 0, 1
NO_PENALTY, L1, L2 = 0, 1, 2  # the power of |alpha|


@inlined
def shift_of(loss, margins):  # type: ignore[no-untyped-def]
    """Return the shift at these margins."""
    if loss != EXPONENTIAL:
        return 0.0
    least = margins[0]
    for i in range(1, margins.size):
        least = min(least, margins[i])
    return least


@njit
def weigh(loss, margins, labels, shift, weights, pulls):  # type: ignore[no-untyped-def]
    """Write w_i and y_i p_i, the derivatives by f(x_i), and return the sum of the losses."""
    total = 0.0
    if loss == EXPONENTIAL:
        for i in range(margins.size):
            weights[i] = math.exp(shift - margins[i])
            pulls[i] = labels[i] * weights[i]
            total += weights[i]
        return total
    for i in range(margins.size):
        e = math.exp(-2.0 * abs(margins[i]))  # of the absolute value, lest it overflow
        less_likely = e / (1.0 + e)
        weights[i] = 4.0 * less_likely / (1.0 + e)
        pulls[i] = 2.0 * labels[i] * (less_likely if margins[i] >= 0.0 else 1.0 / (1.0 + e))
        total += math.log1p(e) + 2.0 * max(-margins[i], 0.0)
    return total


@njit
def loss_after(loss, margins, direction, length, shift):  # type: ignore[no-untyped-def]
    """Return the sum of the losses at margins + length * direction; infinite if it overflows."""
    total = 0.0
    if loss == EXPONENTIAL:
        for i in range(margins.size):
            total += math.exp(shift - (margins[i] + length * direction[i]))
    else:
        for i in range(margins.size):
            margin = margins[i] + length * direction[i]
            total += math.log1p(math.exp(-2.0 * abs(margin))) + 2.0 * max(-margin, 0.0)
    return total if total < math.inf else math.inf  # so is one that is not a number


@inlined
def mean_loss(loss, total, shift, m):  # type: ignore[no-untyped-def]
    """Return the mean loss that a sum of (shifted) losses stands for."""
    return math.exp(math.log(total / m) - shift) if loss == EXPONENTIAL else total / m


@inlined
def penalty_growth(power, alpha):  # type: ignore[no-untyped-def]
    """Return exp(|alpha|^p), by which a round's weight multiplies the penalty of eq. (8)."""
    if power == NO_PENALTY:
        return 1.0
    return math.exp(abs(alpha) if power == L1 else alpha * alpha)


@inlined
def newton_increment(curvature, slope, power, penalty, alpha):  # type: ignore[no-untyped-def]
    """Return the d that minimises the model of loss and penalty at alpha, and its curvature.

    The loss is modelled by -slope d + curvature d^2 / 2. The penalty, penalty * exp(|alpha|^p), has
    its own quadratic model for p = 2; for p = 1 the model is quadratic in |alpha + d|, hence a soft
    threshold. Where nothing curves, d = 0.
    """
    if power == L1:
        pressure = penalty * math.exp(abs(alpha))
        curvature += pressure
        if not curvature > 0.0:
            return 0.0, 0.0
        target = alpha + slope / curvature
        size = max(abs(target) - pressure / curvature, 0.0)
        return (size if target > 0.0 else -size) - alpha, curvature
    if power == L2:
        pressure = penalty * math.exp(alpha * alpha)
        slope -= 2.0 * alpha * pressure
        curvature += pressure * (2.0 + 4.0 * alpha * alpha)
    return (slope / curvature, curvature) if curvature > 0.0 else (0.0, 0.0)
