"""The linear SVM, hard or soft margin, by sequential minimal optimization. Compiled.

Maximise sum_i alpha_i - |w|^2 / 2 over 0 <= alpha_i <= C_i, sum_i alpha_i y_i = 0, with w = sum_i
alpha_i y_i x_i, equation (7), where all C_i are C. Two multipliers change at a time, along the line
that the equality leaves, to the best point of its segment in the box. With the residuals r_i = y_i
- w.x_i, u_i = y_i alpha_i may rise if it is below its upper bound and fall if above its lower one,
and the solution is optimal where no row that may rise has a greater r than one that may fall (the
KKT conditions (3) to (6), w_0 eliminated). The first row of a pair has the greatest r, the second
promises the largest improvement.

As in Platt's algorithm, sweeps over all rows alternate with pairs among few: those strictly inside
the box, at most about one more than there are inputs, and the worst offenders. Residuals of all
rows are computed from w, whatever was added up between.

C = infinity is the hard margin. The problem then has no solution where no plane separates the
classes, which is found out first.

Reference: COMP 6321 lecture 5, "Back to maximum margin perceptron", "New problem formulation with
soft errors", "SMO" (Platt, 1999); the choice of the pair is that of Fan, Chen & Lin, JMLR 6, 2005.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ensvm.compiled import inlined, njit
from ensvm.solvers.separability import separability, signed_points

__all__ = ["linear_smo"]

# Stands for |x_i - x_j|^2 = 0, times the largest |x|^2: the step then goes to a bound, as in LIBSVM
LEAST_CURVATURE = 1e-12
# Rows of either kind that join the pairs of a sweep: enough for few sweeps, few enough for a small
# Gram matrix. Times of other values of this and the next constant: benchmarks/linear_smo.py.
OFFENDERS = 64
# Pairs among few rows go on until the violation is this share of what it was over all: more would
# be lost at the next sweep.
SHARE_LEFT = 0.3


@dataclass(frozen=True)
class LinearSMOResult:
    """The machine f(x) = w.x + w_0 and what is known about it."""

    weights: NDArray[np.float64]  # (d,) the normal w
    offset: float  # the constant w_0
    # (m,) the multipliers, 0 <= alpha_i <= C_i, with sum_i alpha_i y_i = 0 up to rounding
    alpha: NDArray[np.float64]
    objective: float  # the dual objective sum_i alpha_i - |w|^2 / 2
    certificate: float  # the KKT residual: the violation of optimality in units of y f(x)
    n_iter: int  # the number of pairs optimised
    converged: bool  # whether the KKT residual came down to tol


def linear_smo(
    X: NDArray[np.float64],
    y: ArrayLike,
    *,
    C: ArrayLike = 1.0,
    tol: float = 1e-3,
    max_iter: int = 1_000_000,
) -> LinearSMOResult:
    """Return the linear support vector machine of rows X and labels y.

    Parameters
    ----------
    X : array of shape (m, d)
        The rows.
    y : array of shape (m,)
        The labels, -1 and +1, both of them there.
    C : float or array of shape (m,), default 1.0
        The price of a soft error, positive, of all rows or of each; infinity for the hard margin,
        which is one of all rows.
    tol : float, default 1e-3
        The KKT residual to stop at, positive.
    max_iter : int, default 1_000_000
        The most pairs optimised, at least 0.

    Returns
    -------
    LinearSMOResult
        The machine and what is known about it.

    Raises
    ------
    ValueError
        If C is infinite and no plane separates the classes.
    """
    labels = np.asarray(y, dtype=np.float64)
    upper = np.array(np.broadcast_to(np.asarray(C, dtype=np.float64), labels.shape))
    if np.isinf(upper).any() and not separability(signed_points(X, labels)).separable:
        raise ValueError(
            "C = inf asks for a hard margin, but no plane separates the two classes: "
            "give a finite C"
        )
    # A shift of all rows changes w_0 alone: from their mean, products and their rounding are
    # smallest.
    centre = X.mean(axis=0)
    return _sweep(
        np.ascontiguousarray(X - centre, dtype=np.float64), labels, centre, upper, tol, max_iter
    )


def _sweep(
    rows: NDArray[np.float64],
    labels: NDArray[np.float64],
    centre: NDArray[np.float64],
    upper: NDArray[np.float64],
    tol: float,
    max_iter: int,
) -> LinearSMOResult:
    """Optimise pairs among few rows, then look at all, until the conditions hold.

    It also ends where rounding hides every ascent.
    """
    signed, n_iter, before = np.zeros(labels.size), 0, -np.inf
    while True:
        weights = signed @ rows
        residual = labels - rows @ weights
        highest, lowest = extremes(residual, labels, signed, upper)
        objective = float(labels @ signed - 0.5 * weights @ weights)
        if highest - lowest <= tol or n_iter >= max_iter or not objective > before:
            break
        before = objective
        few = _few_rows(residual, labels, signed, upper)
        values = signed[few]
        gram = rows[few] @ rows[few].T
        near_enough = max(tol, SHARE_LEFT * (highest - lowest))
        diagonal = gram.diagonal().copy()
        n_iter += ascend(
            gram,
            diagonal,
            labels[few],
            residual[few],
            values,
            upper[few],
            near_enough,
            max_iter - n_iter,
        )
        signed[few] = values
    violation = float(max(highest - lowest, 0.0))
    return LinearSMOResult(
        weights=weights,
        offset=offset_of(residual, labels, signed, upper) - float(weights @ centre),
        alpha=labels * signed,
        objective=objective,
        certificate=violation,
        n_iter=n_iter,
        converged=violation <= tol,
    )


def _few_rows(
    residual: NDArray[np.float64],
    labels: NDArray[np.float64],
    signed: NDArray[np.float64],
    upper: NDArray[np.float64],
) -> NDArray[np.intp]:
    """Return the rows strictly inside the box and the worst offenders of either kind, ascending."""
    alpha = labels * signed
    rising = np.where(np.where(labels > 0.0, alpha < upper, alpha > 0.0), residual, -np.inf)
    falling = np.where(np.where(labels > 0.0, alpha > 0.0, alpha < upper), -residual, -np.inf)
    inside = np.flatnonzero((alpha > 0.0) & (alpha < upper))
    return np.unique(
        np.concatenate(
            [
                inside,
                *(np.argsort(-value, kind="stable")[:OFFENDERS] for value in (rising, falling)),
            ]
        )
    )


@njit
def ascend(  # type: ignore[no-untyped-def]
    gram, diagonal, labels, residual, signed, upper, tol, max_iter
):
    """Optimise pairs of u = `signed`, in place, and return how many.

    It ends where no pair violates the conditions by more than tol.
    """
    longest = 0.0
    for t in range(diagonal.size):
        longest = max(longest, diagonal[t])
    least = LEAST_CURVATURE * (longest if longest > 0.0 else 1.0)
    for n_iter in range(max_iter):
        i = highest_that_may_rise(residual, labels, signed, upper)
        j, lowest = best_partner(i, gram[i], diagonal, least, residual, labels, signed, upper)
        if j < 0 or residual[i] - lowest <= tol:
            return n_iter
        curvature = max(diagonal[i] + diagonal[j] - 2.0 * gram[i, j], least)
        # The best point of the line, or the nearest one of its segment in the box.
        top_i = upper[i] if labels[i] > 0.0 else 0.0
        bottom_j = 0.0 if labels[j] > 0.0 else -upper[j]
        step = min((residual[i] - residual[j]) / curvature, top_i - signed[i])
        step = min(step, signed[j] - bottom_j)
        # A difference added back may miss the bound by a rounding.
        signed[i] = top_i if step == top_i - signed[i] else signed[i] + step
        signed[j] = bottom_j if step == signed[j] - bottom_j else signed[j] - step
        for t in range(residual.size):
            residual[t] -= step * (gram[i, t] - gram[j, t])
    return max_iter


@inlined
def may_rise(label, value, upper):  # type: ignore[no-untyped-def]
    """Return whether y alpha = value may become larger."""
    return value < upper if label > 0.0 else value < 0.0


@inlined
def may_fall(label, value, upper):  # type: ignore[no-untyped-def]
    """Return whether y alpha = value may become smaller."""
    return value > 0.0 if label > 0.0 else value > -upper


@inlined
def highest_that_may_rise(residual, labels, signed, upper):  # type: ignore[no-untyped-def]
    """Return the row with the greatest residual among those that may rise."""
    best = -1
    for t in range(residual.size):
        if may_rise(labels[t], signed[t], upper[t]) and (best < 0 or residual[t] > residual[best]):
            best = t
    return best


@inlined
def best_partner(  # type: ignore[no-untyped-def]
    i, row, diagonal, least, residual, labels, signed, upper
):
    """Return the row that promises most with row i (-1: none), and the least residual to fall."""
    best, gain, lowest = -1, 0.0, np.inf
    for t in range(residual.size):
        if not may_fall(labels[t], signed[t], upper[t]):
            continue
        lowest = min(lowest, residual[t])
        difference = residual[i] - residual[t]
        if difference > 0.0:
            promised = (
                difference * difference / max(diagonal[i] + diagonal[t] - 2.0 * row[t], least)
            )
            if promised > gain:
                best, gain = t, promised
    return best, lowest


@njit
def extremes(residual, labels, signed, upper):  # type: ignore[no-untyped-def]
    """Return the greatest residual of rows that may rise and the least of those that may fall."""
    highest, lowest = -np.inf, np.inf
    for t in range(residual.size):
        if may_rise(labels[t], signed[t], upper[t]):
            highest = max(highest, residual[t])
        if may_fall(labels[t], signed[t], upper[t]):
            lowest = min(lowest, residual[t])
    return highest, lowest


@njit
def offset_of(residual, labels, signed, upper):  # type: ignore[no-untyped-def]
    """Return the mean residual of rows with 0 < alpha < C_i, or the middle of what is allowed."""
    total, n_free = 0.0, 0
    for t in range(residual.size):
        if 0.0 < labels[t] * signed[t] < upper[t]:
            total += residual[t]
            n_free += 1
    if n_free > 0:
        return total / n_free
    highest, lowest = extremes(residual, labels, signed, upper)
    return 0.5 * (highest + lowest)
