"""The middle of the intercepts, where the multipliers of the regularization path leave them open.

Where all multipliers are on their bounds, the scaled intercept b may be anything that keeps every
point on its side of its margin: with v = K u the solution at lambda allows

    max(lambda - v_i: y = +1, a = 0;  -lambda - v_i: y = -1, a = 1)  <=  b
    b  <=  min(lambda - v_i: y = +1, a = 1;  -lambda - v_i: y = -1, a = 0).

The path keeps one free point on its margin, which of them depends on the order of the points. The
convention is the middle, as LIBSVM's. It takes four values of v, the same for as long as no
multiplier changes.
"""

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

# Of the largest |b|, lambda and v: an intercept that differs by less is the middle, up to rounding
ROUNDING = 1e-9


def middle_intercept(extremes: Vector, theta: Vector, intercept: Vector) -> Vector:
    """Return the middle of the scaled intercepts at `theta`, or `intercept` where it is as good.

    `extremes` are those of `events.Record`, one row a value of theta; NaN where b is determined.
    """
    lower = np.maximum(theta - extremes[:, 1], -theta - extremes[:, 3])
    upper = np.minimum(theta - extremes[:, 0], -theta - extremes[:, 2])
    middle = 0.5 * (lower + upper)
    scale = np.maximum(np.maximum(np.abs(lower), np.abs(upper)), np.abs(theta))
    with np.errstate(invalid="ignore"):
        clear = np.isfinite(middle) & (np.abs(middle - intercept) > ROUNDING * scale)
    return np.where(clear & (upper > lower), middle, intercept)


def unchanged(extremes: Vector) -> NDArray[np.bool_]:
    """Return for each breakpoint but the last whether no multiplier changes up to the next."""
    scale = np.abs(extremes[np.isfinite(extremes)]).max(initial=0.0)
    close = np.isclose(extremes[:-1], extremes[1:], rtol=0.0, atol=ROUNDING * scale)
    return np.asarray(close.all(axis=1))
