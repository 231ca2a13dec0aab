"""The soft-margin dual with an intercept by SMO, working sets of second order. Compiled.

Minimise alpha'Qalpha / 2 - sum alpha over 0 <= alpha_i <= C_i, y'alpha = 0, with Q_ij = y_i y_j
K_ij. In u = y alpha and the residual r = y - K u a row may still rise if u is below its upper bound
and fall if u is above its lower one; the solution is optimal where no row that may rise has a
greater r than one that may fall, and the difference of the two extremes is the violation. Each step
raises u_i and lowers u_j by the same length: i has the greatest r, j promises the greatest decrease
of the objective to second order. The steps, the stop and the intercept are LIBSVM's (without its
shrinking).

Reference: Fan, Chen & Lin, Working Set Selection Using Second Order Information for Training
Support Vector Machines, JMLR 6, 2005.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ensvm.array_types import Vector
from ensvm.compiled import compiled

# LIBSVM's stand-in for a curvature that is not positive: the step then goes to a bound.
LEAST_CURVATURE = 1e-12
MAX_ITER = 10_000_000  # LIBSVM's limit
ALL_BUT_SIGN = np.iinfo(np.int64).max
LEAST_INTEGER = np.iinfo(np.int64).min
BOUND_ROUNDING = 4.0 * float(np.finfo(np.float64).eps)
STEPS_PER_CHECK = 100  # of the duality gap, which costs as much as half a step


class Bounds(NamedTuple):
    """What each row may do; changed in place."""

    lower: Vector  # (m,) of u
    upper: Vector  # (m,) of u
    may_rise: Vector  # (m,) 0.0 or -inf, to be added to r
    may_fall: Vector  # (m,) 1.0 or 0.0, to be multiplied with


class Machine(NamedTuple):
    """A solution; `violation` is that of the optimality conditions, in units of y f(x)."""

    signed: Vector  # (m,) u = y alpha
    intercept: float
    violation: float
    n_iter: int  # the steps
    residual: Vector  # (m,) r = y - K u


@compiled(at_once=True)
def minimise(
    gram: NDArray[Any],
    labels: Vector,
    upper: Vector,
    tol: float,
    max_iter: int,
    start: tuple[Vector, Vector] | None = None,
    by_gap: bool = False,
) -> Machine:
    """Return the machine whose violation is at most `tol`, or that of `max_iter` steps.

    `gram` is C-contiguous, float32 or float64; both labels -1 and +1 are present; `upper` holds the
    bounds C_i, which may be infinite. `start` is the u and r to start from, (0, y) by default. With
    `by_gap` it is the duality gap that comes down to `tol`, as a part of the primal objective.
    """
    m = labels.size
    gains, liftable = np.empty(m), np.empty(m)
    diagonal = np.empty(m, gram.dtype)
    bounds = bounds_of(labels, upper)
    if start is None:
        signed, residual = np.zeros(m), labels.copy()
    else:
        signed, residual = start[0].copy(), start[1].copy()
        for t in range(m):
            set_value(t, signed, bounds, signed[t])
    for t in range(m):
        diagonal[t] = gram[t, t]
        liftable[t] = residual[t] + bounds.may_rise[t]
    n_iter = 0
    while True:
        i = largest(liftable)
        predicted_gains(
            gains, gram[i], diagonal, residual, bounds.may_fall, residual[i], diagonal[i]
        )
        j = largest(gains)
        over = n_iter >= max_iter
        if by_gap:
            over |= gains[j] <= 0.0
            if over or n_iter % STEPS_PER_CHECK == 0:
                intercept = intercept_of(residual, signed, bounds)
                norm, hinge, gap = duality_gap(labels, upper, signed, residual, intercept)
                if over or gap <= tol * (0.5 * norm + hinge):
                    break
        # The violation is at least r_i - r_j: it needs looking at only where that is small, or
        # where there is no j.
        elif (gains[j] <= 0.0 or residual[i] - residual[j] <= tol or over) and (
            over or residual[i] - least_of_falling(residual, bounds.may_fall) <= tol
        ):
            break
        move_pair(i, j, gram, residual, liftable, signed, bounds)
        n_iter += 1
    violation = residual[i] - least_of_falling(residual, bounds.may_fall)
    return Machine(signed, intercept_of(residual, signed, bounds), violation, n_iter, residual)


@compiled(at_once=True)
def duality_gap(
    labels: Vector, upper: Vector, signed: Vector, residual: Vector, intercept: float
) -> tuple[float, float, float]:
    """Return |f|^2, the weighted sum of hinges C_i [1 - y_i f(x_i)]_+, and the duality gap."""
    norm, hinge, total = 0.0, 0.0, 0.0
    for t in range(labels.size):
        value = labels[t] - residual[t]
        norm += signed[t] * value
        hinge += upper[t] * max(0.0, 1.0 - labels[t] * (value + intercept))
        total += abs(signed[t])
    return norm, hinge, norm + hinge - total


@compiled(inline=True)
def bounds_of(labels: Vector, upper: Vector) -> Bounds:
    """Return the bounds of u = y alpha at u = 0."""
    m = labels.size
    may_rise, may_fall = np.empty(m), np.empty(m)
    lowest, highest = np.empty(m), np.empty(m)
    for t in range(m):
        if labels[t] > 0.0:
            lowest[t], highest[t], may_rise[t], may_fall[t] = 0.0, upper[t], 0.0, 0.0
        else:
            lowest[t], highest[t], may_rise[t], may_fall[t] = -upper[t], 0.0, -np.inf, 1.0
    return Bounds(lowest, highest, may_rise, may_fall)


@compiled(at_once=True, error_model="numpy")
def predicted_gains(
    gains: Vector,
    row: NDArray[Any],
    diagonal: NDArray[Any],
    residual: Vector,
    may_fall: Vector,
    top: float,
    top_diagonal: Any,
) -> None:
    """Set gains to twice the decrease that the best step with a partner promises; 0 for none."""
    real = row.dtype.type
    zero, two, least = real(0.0), real(2.0), real(LEAST_CURVATURE)
    for t in range(gains.size):
        difference = real(top - residual[t])
        curvature = top_diagonal + diagonal[t] - two * row[t]
        curvature = curvature if curvature > zero else least
        difference = difference if difference > zero else zero
        gains[t] = may_fall[t] * difference * difference / curvature


@compiled(inline=True)
def move_pair(
    i: int,
    j: int,
    gram: NDArray[Any],
    residual: Vector,
    liftable: Vector,
    signed: Vector,
    bounds: Bounds,
) -> None:
    """Move u_i up and u_j down by the best step within bounds, and update what depends on u."""
    curvature = np.float64(gram[i, i]) + gram[j, j] - 2.0 * np.float64(gram[i, j])
    if curvature <= 0.0:
        curvature = LEAST_CURVATURE
    step = (residual[i] - residual[j]) / curvature
    step = min(min(step, bounds.upper[i] - signed[i]), signed[j] - bounds.lower[j])
    set_value(i, signed, bounds, signed[i] + step)
    set_value(j, signed, bounds, signed[j] - step)
    update_residual(residual, liftable, gram[i], gram[j], step, bounds.may_rise)


@compiled(at_once=True)
def set_value(t: int, signed: Vector, bounds: Bounds, value: float) -> None:
    """Set u_t, exactly to a bound that it reaches, and what it may do from there."""
    value = min(max(value, bounds.lower[t]), bounds.upper[t])
    # A difference of two floats, added back, may miss the bound by a rounding. That of an infinite
    # bound is reached exactly, as it is 0.
    width = bounds.upper[t] - bounds.lower[t]
    rounding = BOUND_ROUNDING * width if width < np.inf else 0.0
    if bounds.upper[t] - value <= rounding:
        value = bounds.upper[t]
    elif value - bounds.lower[t] <= rounding:
        value = bounds.lower[t]
    signed[t] = value
    bounds.may_rise[t] = 0.0 if value < bounds.upper[t] else -np.inf
    bounds.may_fall[t] = 1.0 if value > bounds.lower[t] else 0.0


@compiled(at_once=True)
def update_residual(
    residual: Vector,
    liftable: Vector,
    row_up: NDArray[Any],
    row_down: NDArray[Any],
    step: float,
    may_rise: Vector,
) -> None:
    """Take the step's effect from the residual, and mark the rows that may rise."""
    for t in range(residual.size):
        value = residual[t] - step * (np.float64(row_up[t]) - np.float64(row_down[t]))
        residual[t] = value
        liftable[t] = value + may_rise[t]


@compiled(at_once=True)
def largest(values: Vector) -> int:
    """Return an index of the largest entry, or of one less by under one part in 10^10.

    The floats' bits, read as integers in the same order, carry the index in their last places: only
    so does the compiler turn the search into vector instructions, several times faster.
    """
    bits = values.view(np.int64)
    index_bits = np.int64(1)
    while index_bits < values.size:
        index_bits *= 2
    index_bits -= 1
    best = LEAST_INTEGER
    for t in range(values.size):
        ordered = bits[t] ^ ((bits[t] >> 63) & ALL_BUT_SIGN)
        candidate = (ordered & ~index_bits) | t
        best = candidate if candidate > best else best
    return int(best & index_bits)


@compiled(at_once=True)
def least_of_falling(residual: Vector, may_fall: Vector) -> float:
    """Return the least residual of the rows that may fall."""
    least = np.inf
    for t in range(residual.size):
        if may_fall[t] > 0 and residual[t] < least:
            least = residual[t]
    return least


@compiled(at_once=True)
def intercept_of(residual: Vector, signed: Vector, bounds: Bounds) -> float:
    """Return the mean residual of rows between their bounds, or the middle of what is allowed."""
    total, n_free = 0.0, 0
    for t in range(residual.size):
        if bounds.lower[t] < signed[t] < bounds.upper[t]:
            total += residual[t]
            n_free += 1
    if n_free:
        return total / n_free
    top = -np.inf
    for t in range(residual.size):
        top = max(top, residual[t] + bounds.may_rise[t])
    return 0.5 * (top + least_of_falling(residual, bounds.may_fall))
