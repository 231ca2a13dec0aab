"""The soft-margin dual of linear machines by a primal-dual interior point.

Minimise |X'u|^2 / 2 - y'u over l_i <= u_i <= h_i, sum_i u_i = 0, the problem that
`ensvm.solvers.sequential_minimal_optimization` solves for any kernel. A step of Newton's method on
its optimality conditions, smoothed by mu > 0, is a system of one equation for each row. With d
columns the matrix of inner products has rank d, so that the rows are eliminated: what is left are
d + 1 equations, for the plane's normal and its intercept. Ten to forty steps are enough, whatever
the columns' scales and C, where sequential minimal optimization may need millions.

References: Mehrotra, On the Implementation of a Primal-Dual Interior Point Method, SIAM Journal on
Optimization 2, 1992; Ferris & Munson, Interior-Point Methods for Massive Support Vector Machines,
SIAM Journal on Optimization 13, 2002.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from ensvm.array_types import Vector
from ensvm.solvers.sequential_minimal_optimization import Machine

MAX_STEPS = 200  # ten to forty are usual
TO_THE_BOUND = 0.995  # the part of the way to the nearest bound that a step goes
BALANCE = 1e-10  # the part of sum_i alpha_i that may be left of y'alpha = 0
LEAST_ROOM = 1e-300  # keeps a quotient by what is left to a bound finite
ROUNDING = float(np.finfo(np.float64).eps)


class _Point(NamedTuple):
    """Strictly between the bounds: 0 < alpha_i < C_i, and the multipliers of both bounds."""

    alpha: Vector  # (m,)
    intercept: float
    at_zero: Vector  # (m,) z > 0
    at_upper: Vector  # (m,) v > 0

    def moved(self, direction: "_Point", length: float) -> "_Point":
        """Return the point a part of the way along a direction."""
        return _Point(
            self.alpha + length * direction.alpha,
            self.intercept + length * direction.intercept,
            self.at_zero + length * direction.at_zero,
            self.at_upper + length * direction.at_upper,
        )


def minimise_linear(
    X: NDArray[np.float64],
    labels: Vector,
    upper: Vector,
    tol: float,
    max_iter: int = MAX_STEPS,
) -> Machine:
    """Return the linear machine whose violation is at most `tol`, or the best of `max_iter` steps.

    `X`, shape (m, d), is of any scale; both labels -1 and +1 are present; `upper`, shape (m,),
    holds the bounds C_i, positive and finite. Where rounding or the number of steps keeps the
    violation above `tol`, the returned one is the least that was found.
    """
    centred = X - X.mean(axis=0)  # a shift of all rows changes the intercept alone
    signed_rows = np.column_stack([labels[:, None] * centred, labels])
    point = _start(signed_rows, upper)
    signed = _at_bounds(labels, upper, point)
    best = _machine(centred, labels, upper, signed, 0)
    for step in range(1, max_iter + 1):
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                point = _next(signed_rows, upper, point)
        except LinAlgError:
            break
        if not all(np.isfinite(part).all() for part in point):
            break
        signed = _at_bounds(labels, upper, point)
        best = min(best, _machine(centred, labels, upper, signed, step), key=_violation)
        if best.violation <= tol or _gap(point, upper) <= ROUNDING * point.alpha.sum():
            break
    if best.violation > tol:
        signed = _polished(centred, labels, upper, best.signed)
        best = min(best, _machine(centred, labels, upper, signed, best.n_iter), key=_violation)
    shift = float(best.signed @ centred @ X.mean(axis=0))
    return best._replace(intercept=best.intercept - shift)


def _violation(machine: Machine) -> float:
    return machine.violation


def _start(rows: NDArray[np.float64], upper: Vector) -> _Point:
    """Return the middle of all bounds, with multipliers that meet stationarity exactly."""
    alpha = 0.5 * upper
    slope = rows[:, :-1] @ (alpha @ rows[:, :-1]) - 1.0
    least = max(1.0, float(np.abs(slope).mean()))
    return _Point(alpha, 0.0, np.maximum(slope, 0.0) + least, np.maximum(-slope, 0.0) + least)


def _next(rows: NDArray[np.float64], upper: Vector, point: _Point) -> _Point:
    """Return the point after one step of Mehrotra's predictor and corrector."""
    alpha, intercept, at_zero, at_upper = point
    room = np.maximum(upper - alpha, LEAST_ROOM)
    m = alpha.size
    weights = alpha @ rows[:, :-1]
    stationarity = rows @ np.append(weights, intercept) - 1.0 - at_zero + at_upper
    inverse = 1.0 / (at_zero / alpha + at_upper / room)
    scaled = inverse[:, None] * rows
    system = rows.T @ scaled
    np.fill_diagonal(system[:-1, :-1], system.diagonal()[:-1] + 1.0)
    factor = cho_factor(system, check_finite=False)
    balance = np.zeros(rows.shape[1])
    balance[-1] = alpha @ rows[:, -1]

    def direction(to_zero: Vector, to_upper: Vector) -> _Point:
        """Return Newton's step to alpha z = to_zero and (C - alpha) v = to_upper."""
        right = -stationarity + (to_zero / alpha - at_zero) - (to_upper / room - at_upper)
        plane = cho_solve(factor, right @ scaled + balance, check_finite=False)
        step = inverse * (right - rows @ plane)
        return _Point(
            step,
            plane[-1],
            to_zero / alpha - at_zero - at_zero / alpha * step,
            to_upper / room - at_upper + at_upper / room * step,
        )

    gap = _gap(point, upper)
    predictor = direction(np.zeros(m), np.zeros(m))
    ahead = point.moved(predictor, min(1.0, _length(point, room, predictor)))
    target = gap / (2 * m) * (max(_gap(ahead, upper), 0.0) / gap) ** 3
    corrector = direction(
        target - predictor.alpha * predictor.at_zero,
        target + predictor.alpha * predictor.at_upper,
    )
    return point.moved(corrector, min(1.0, TO_THE_BOUND * _length(point, room, corrector)))


def _gap(point: _Point, upper: Vector) -> float:
    """Return what is left of complementarity, the duality gap once the equations hold."""
    return float(point.alpha @ point.at_zero + (upper - point.alpha) @ point.at_upper)


def _length(point: _Point, room: Vector, direction: _Point) -> float:
    """Return the largest part of a direction that leaves all that must be positive so."""
    values = np.concatenate([point.alpha, room, point.at_zero, point.at_upper])
    slopes = np.concatenate(
        [direction.alpha, -direction.alpha, direction.at_zero, direction.at_upper]
    )
    falling = slopes < 0.0
    return float(np.min(values[falling] / -slopes[falling], initial=np.inf))


def _at_bounds(labels: Vector, upper: Vector, point: _Point) -> Vector:
    """Return u = y alpha with the rows at the bounds that their multipliers point to."""
    parts = point.alpha / upper
    alpha = np.where(parts < point.at_zero, 0.0, point.alpha)
    alpha = np.where(1.0 - parts < point.at_upper, upper, alpha)
    signed = labels * alpha
    room = np.minimum(alpha, upper - alpha)
    left = signed.sum()  # of y'alpha = 0, by rounding to the bounds
    if 0.0 < abs(left) <= room.sum():
        signed -= left / room.sum() * room
    return signed


def _polished(
    centred: NDArray[np.float64], labels: Vector, upper: Vector, signed: Vector
) -> Vector:
    """Return the coefficients with which y f(x) = 1 for all rows between their bounds."""
    free = (signed != 0.0) & (np.abs(signed) < upper)
    rows, n = centred[free], int(free.sum())
    system = np.ones((n + 1, n + 1))
    system[:n, :n] = rows @ rows.T
    system[n, n] = 0.0
    right = np.append(labels[free] - rows @ (signed @ centred), -signed.sum())
    # The least change: rows that are equal, or too many, leave others as good.
    polished = signed.copy()
    polished[free] += np.linalg.lstsq(system, right)[0][:n]
    inside = (labels * polished >= 0.0) & (np.abs(polished) <= upper)
    return polished if inside.all() else signed


def _machine(
    centred: NDArray[np.float64], labels: Vector, upper: Vector, signed: Vector, n_iter: int
) -> Machine:
    """Return the machine of these coefficients, with what it violates."""
    residual = labels - centred @ (signed @ centred)
    alpha, positive = labels * signed, labels > 0.0
    may_rise = np.where(positive, alpha < upper, alpha > 0.0)
    may_fall = np.where(positive, alpha > 0.0, alpha < upper)
    top, least = residual[may_rise].max(), residual[may_fall].min()
    free = may_rise & may_fall
    intercept = residual[free].mean() if free.any() else 0.5 * (top + least)
    balanced = abs(signed.sum()) <= BALANCE * alpha.sum()
    violation = float(top - least) if balanced else np.inf
    return Machine(signed, float(intercept), violation, n_iter, residual)
