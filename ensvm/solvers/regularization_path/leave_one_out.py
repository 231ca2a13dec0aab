"""Leave-one-out values of a support vector machine, f without row i at row i, and a bound.

Removing row i takes its u_i = y_i alpha_i to 0. Meanwhile the free rows F stay on their margins and
the other rows stay at their bounds, so that with M = [[K_FF, 1], [1', 0]] (without an intercept
M = K_FF) the value at row i changes by

    u_i / (M^{-1})_ii                     if row i is free,
    u_i (K_ii - k' M^{-1} k), k = K_Fi, 1 if alpha_i is at its bound, the Schur complement,
    0                                     if alpha_i = 0 (but see below),

the span rule of Chapelle & Vapnik (2000). It is exact as long as no other row changes its set. What
happens beyond is followed event by event, as on the regularization path (`row_removal`), which is
exact. `docs/look-up/classifiers.md` shows how far both are from machines trained without the row.

Free rows that cannot take over u_i even if all of them go to a bound make the span rule badly wrong
(few or no rows are free if C is small). Such rows are always followed; they are cheap, since an
event costs as much as the number of free rows times the number of rows. Without a free row the
intercept is the middle of an interval, which may be wider without row i, even if alpha_i = 0.

Reference: Chapelle & Vapnik, Model selection for support vector machines, NIPS 12, 2000.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numba.extending import overload
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import blas, lapack

from ensvm.array_types import Vector, for_reading
from ensvm.compiled import compiled
from ensvm.solvers.cholesky_update import add_products
from ensvm.solvers.regularization_path.approximate_path import ApproximatePath
from ensvm.solvers.regularization_path.events import FREE, LEFT, Sets
from ensvm.solvers.regularization_path.path import RegularizationPath
from ensvm.solvers.regularization_path.row_removal import (
    AT_BOUND,
    can_be_taken_over,
    followed_values,
    sets_of,
)

__all__ = ["leave_one_out_values"]

Flag: TypeAlias = bool | np.bool

# Times the largest K_ii, added to the diagonal: free rows may depend on each other
DEPENDENT = 1e-12
CANCELLED = 1e-8  # a reciprocal span of less than this, times the largest K_ii, is rounding
TINY = float(np.finfo(np.float64).tiny)
ROUNDING = 1e-9  # a smaller difference of errors, or of losses relatively, is none
GRID_POINTS = 4  # values of C in a decade
FARTHEST = 30.0  # times the best C so far, where the search on an approximate path ends


def leave_one_out_values(
    path: RegularizationPath | ApproximatePath,
    gram: ArrayLike,
    C: float,
    *,
    exact: bool = False,
) -> Vector:
    """Return f without row i at row i, for one machine of a path.

    Parameters
    ----------
    path : RegularizationPath or ApproximatePath
        The machine for every C.
    gram : array of shape (m, m)
        The Gram matrix that the path was made from.
    C : float
        The price of a soft error, positive, on the path. Of an approximate path one of its `Cs`
        but the first.
    exact : bool, default False
        Whether all rows are followed until they are out: the values are then those of the machine
        trained without the row, up to rounding, and take many times as long.

    Returns
    -------
    ndarray of shape (m,)
        The values.
    """
    matrix = for_reading(np.ascontiguousarray(gram, dtype=np.float64))
    alpha, upper, intercept = path.coef_at(C), C * path.upper, path.intercept_at(C)
    alpha = np.where(alpha <= AT_BOUND * upper, 0.0, alpha)
    coef = path.labels * np.where(alpha >= (1.0 - AT_BOUND) * upper, upper, alpha)
    none_kept = np.zeros_like(upper)
    return values_without_rows(
        matrix, path.labels, coef, intercept, upper, none_kept, path.fit_intercept, exact, False
    )


def values_without_rows(
    gram: NDArray[Any],
    labels: Vector,
    coef: Vector,
    intercept: float,
    upper: Vector,
    kept: Vector,
    fit_intercept: bool,
    exact: bool,
    mend: bool,
) -> Vector:
    """Return the values of an optimal machine with coefficients `coef`, y alpha, |coef| <= `upper`.

    A row that stands for several equal ones may lose only one of them: `kept` is the bound that is
    left of its multiplier. With `exact` all rows are followed. With `mend` rows are followed that
    are on their side of the machine, but on the other by the span rule: it lets no other row change
    its set, and so takes rows at the border of two classes that hardly overlap for errors.
    """
    values, fitted, parts, followed = values_by_rule(
        gram, labels, coef, intercept, upper, kept, fit_intercept, exact, mend
    )
    rows = np.flatnonzero(followed)
    if rows.size > 0:
        values[rows] = followed_values(
            gram, labels, coef, intercept, upper, parts, fitted, rows, fit_intercept
        )
    return values


@compiled
def values_by_rule(
    gram: NDArray[Any],
    labels: Vector,
    coef: Vector,
    intercept: float,
    upper: Vector,
    kept: Vector,
    fit_intercept: Flag,
    exact: Flag,
    mend: Flag,
) -> tuple[Vector, Vector, Vector, NDArray[np.bool_]]:
    """Return the values by the span rule, those of the machine, `parts`, and the rows to follow.

    The arguments are those of `values_without_rows`. Following is not called here: the compiler
    would translate it once more with each of its callers.
    """
    m, n = coef.size, 0
    sets, parts = sets_of(labels, coef, upper, kept)
    fitted, support, weights, any_free = np.empty(m), np.empty(m, np.int64), np.empty(m), False
    for k in range(m):
        fitted[k] = intercept
        any_free |= sets[k] == FREE
        if coef[k] != 0.0:
            support[n], weights[n] = k, coef[k]
            n += 1
    add_products(gram, support[:n], weights, fitted)
    possible = can_be_taken_over(labels, coef, upper, sets, parts)
    values, followed, some_by_rule = np.empty(m), np.empty(m, np.bool_), False
    for k in range(m):
        values[k] = fitted[k]
        followed[k] = exact and parts[k] != 0.0
        if fit_intercept and not (exact and any_free):
            followed[k] |= not possible[k]
        some_by_rule |= parts[k] != 0.0 and not followed[k]
    if some_by_rule:
        apply_span_rule(gram, sets, parts, fit_intercept, values, followed)
    if mend:
        for k in range(m):
            followed[k] |= labels[k] * values[k] <= 0.0 and labels[k] * fitted[k] > 0.0
    return values, fitted, parts, followed


@compiled
def apply_span_rule(
    gram: NDArray[Any],
    sets: Sets,
    parts: Vector,
    fit_intercept: Flag,
    values: Vector,
    followed: NDArray[np.bool_],
) -> None:
    """Take from the values what the span rule says; mark rows whose values would be rounding.

    This is so for a single free row under the constraint, whose span is infinite.
    """
    m, n, n_full, largest = sets.size, 0, 0, TINY
    free, full = np.empty(m, np.int64), np.empty(m, np.int64)
    for k in range(m):
        largest = max(largest, gram[k, k])
        if sets[k] == FREE:
            free[n] = k
            n += 1
        elif sets[k] == LEFT and parts[k] != 0.0:
            full[n_full] = k
            n_full += 1
    size = n + 1 if fit_intercept else n
    # The border is `largest` in place of 1, so that all entries are of one size.
    matrix, sides = np.empty((size, size)), np.empty((n_full, size))
    for j in range(size):
        for i in range(n):
            matrix[i, j] = gram[free[i], free[j]] if j < n else largest
        if size > n:
            matrix[n, j] = largest if j < n else 0.0
        for k in range(n_full):
            sides[k, j] = gram[full[k], free[j]] if j < n else largest
    for i in range(n):
        matrix[i, i] += DEPENDENT * largest
    inverse, solved = inverted(matrix, sides) if n > 0 else (matrix, np.zeros(sides.shape))
    for i in range(n):
        # A span is at most the diameter of the rows: a smaller entry is rounding.
        if inverse[i, i] * largest > CANCELLED:
            values[free[i]] -= parts[free[i]] / inverse[i, i]
        elif parts[free[i]] != 0.0:
            followed[free[i]] = True
    for k in range(n_full):
        schur, taken = gram[full[k], full[k]], 0.0
        for j in range(size):
            taken += sides[k, j] * solved[k, j]
        values[full[k]] -= parts[full[k]] * max(schur - taken, 0.0)


def inverted(matrix: Vector, sides: Vector) -> tuple[Vector, Vector]:
    """Return the inverse of a matrix, and `sides` times it.

    These are the calls of BLAS and LAPACK that numba makes in `_compiled_inverted`, for callers in
    Python: compiling them takes two seconds.
    """
    n = len(matrix)
    factor, pivots, status = lapack.dgetrf(matrix)
    if status == 0:
        length, _ = lapack.dgetri_lwork(n)
        inverse, status = lapack.dgetri(factor, pivots, lwork=int(length), overwrite_lu=1)
    if status != 0:
        raise np.linalg.LinAlgError("Matrix is singular to machine precision.")
    inverse = np.ascontiguousarray(inverse)
    if len(sides) == 0 or n == 1:
        return inverse, sides * inverse[0, 0]
    if len(sides) == 1:
        return inverse, blas.dgemv(1.0, inverse.T, sides[0])[None]
    return inverse, blas.dgemm(1.0, inverse.T, sides.T).T


@overload(inverted, strict=False)  # numba would compare annotations
def _compiled_inverted(matrix: Any, sides: Any) -> Any:
    def inverse_and_product(matrix: Vector, sides: Vector) -> tuple[Vector, Vector]:
        """Return what `inverted` returns."""
        inverse = np.ascontiguousarray(np.linalg.inv(matrix))
        return inverse, sides @ inverse

    return inverse_and_product


@dataclass(frozen=True, eq=False)
class LeastLeaveOneOut:
    """The machine of a path with the least leave-one-out error by the span rule."""

    C: float  # on a grid of four values a decade, or one of the approximate path's `Cs`
    error: float  # the share of rows with y_i f_i <= 0
    values: Vector  # (m,) f_i


def least_leave_one_out(
    path: RegularizationPath | ApproximatePath, gram: ArrayLike
) -> LeastLeaveOneOut:
    """Return the machine of a path with the least leave-one-out error by the span rule.

    Errors are tied often, and the least C among equals is not the best choice: the smaller logistic
    loss of the values decides, and where that is equal, too, the least C. What differs by rounding
    alone counts as equal, so that all processors choose one machine. The trained machines of an
    approximate path are tried by rising C, up to 30 times the best C so far: beyond it the rule
    costs more than the path.
    """
    if isinstance(path, ApproximatePath):
        Cs, farthest = path.Cs[1:], FARTHEST
    else:
        first, last = 1.0 / path.lambdas[0], 1.0 / path.lambdas[-1]
        n_points = 1 + int(np.ceil(GRID_POINTS * np.log10(last / first)))
        Cs, farthest = np.clip(np.geomspace(first, last, n_points), first, last), np.inf
    best, least_error, least_loss = None, np.inf, np.inf
    for C in Cs:
        if best is not None and farthest < C / best.C:
            break
        values = leave_one_out_values(path, gram, float(C))
        error, loss = _error_and_loss(path.labels * values, path.upper)
        is_tied = abs(error - least_error) <= ROUNDING
        if loss < (1.0 - ROUNDING) * least_loss if is_tied else error < least_error:
            best = LeastLeaveOneOut(float(C), error, values)
            least_error, least_loss = error, loss
    assert best is not None  # the grid has a point
    return best


def _error_and_loss(margins: Vector, weights: Vector) -> tuple[float, float]:
    """Return the weighted share of margins y f <= 0, and the weighted mean logistic loss."""
    share = weights / weights.sum()
    return float(share @ (margins <= 0.0)), float(share @ np.logaddexp(0.0, -2.0 * margins))


BLOCK = 256  # breakpoints whose margins are computed in one matrix product


@dataclass(frozen=True)
class LeaveOneOutBound:
    """The bound, as a fraction of the m points, along the path, and where it is least."""

    bounds: Vector  # (n_breakpoints,) at every breakpoint of the path
    best_C: float  # the smallest C with the least bound; it may lie between two breakpoints
    best_bound: float


def leave_one_out_bound(
    path: RegularizationPath, gram: ArrayLike, *, C_min: float | None = None
) -> LeaveOneOutBound:
    """Return (1/m) #{i: alpha_i K_ii - y_i f(x_i) > 0} along the path, and its least value.

    For the machine without an intercept, at most these points are misclassified when they are left
    out of the training; with an intercept that count is a heuristic. With a = alpha lambda and
    h = lambda f both sides are linear in lambda between breakpoints: the sign changes where a
    straight line does, so that the count is minimised exactly over C. `gram` is the Gram matrix
    that the path was made from. The search starts at the path's first breakpoint: below it only the
    path's scale and its intercept change, which takes all rows to the larger class in the end. With
    `C_min` it starts there if that is below the first breakpoint.

    References: Jaakkola & Haussler 1999; Evgeniou, Pontil & Elisseeff, Leave one out error,
    stability, and generalization of voting combinations of classifiers, Machine Learning 55, 2004.
    """
    bounds, before = np.empty(path.lambdas.size), np.empty(0)
    best, best_lambda = np.inf, float(path.lambdas[0])
    largest = 0.0 if C_min is None else 1.0 / C_min
    for at, excess in _excesses(path, np.asarray(gram)):
        if at == 0 and largest > path.lambdas[0]:
            before = _excess_below(path, excess, largest)
            span = np.array([largest, path.lambdas[0]])
            best, best_lambda = _least_on_segment(span, before, excess)
        bounds[at] = np.count_nonzero(excess > 0.0)
        if at and path.lambdas[at] < path.lambdas[0]:
            count, least_lambda = _least_on_segment(path.lambdas[at - 1 : at + 1], before, excess)
            if count < best:
                best, best_lambda = count, least_lambda
        if bounds[at] < best and _is_last_of_equals(path, at):
            best, best_lambda = bounds[at], float(path.lambdas[at])
        before = excess
    m = path.labels.size
    return LeaveOneOutBound(bounds / m, 1.0 / best_lambda, float(best) / m)


def _excesses(path: RegularizationPath, gram: NDArray[np.float64]) -> Iterator[tuple[int, Vector]]:
    """Yield each breakpoint with lambda (alpha_i K_ii - y_i f(x_i)), shape (m,)."""
    diagonal = gram.diagonal()
    for start in range(0, path.lambdas.size, BLOCK):
        rows = path.multipliers(start, min(start + BLOCK, path.lambdas.size))
        values = (rows * path.labels) @ gram + path.scaled_intercepts[start : start + BLOCK, None]
        yield from enumerate(rows * diagonal - path.labels * values, start)


def _excess_below(path: RegularizationPath, first: Vector, inverse: float) -> Vector:
    """Return lambda (alpha_i K_ii - y_i f(x_i)) at a C below the first breakpoint, `first` there.

    The multipliers only scale with C, so that the intercept alone makes a difference.
    """
    scaled = inverse * path.intercept_at(1.0 / inverse)
    return first - path.labels * (scaled - path.scaled_intercepts[0])


def _is_last_of_equals(path: RegularizationPath, at: int) -> bool:
    """Return whether this breakpoint is the last of those with its lambda."""
    return at + 1 == path.lambdas.size or path.lambdas[at + 1] < path.lambdas[at]


def _least_on_segment(lambdas: Vector, before: Vector, after: Vector) -> tuple[float, float]:
    """Return the least count strictly between two breakpoints, and the largest such lambda."""
    count = int(np.count_nonzero(before > 0.0))
    least = float(count), float(lambdas[0])
    falls = np.flatnonzero((before > 0.0) & (after <= 0.0))
    if not falls.size:
        return least
    rises = np.flatnonzero((before <= 0.0) & (after > 0.0))
    changing = np.concatenate([falls, rises])
    change = np.repeat([-1, 1], [falls.size, rises.size])
    crossings = before[changing] / (before[changing] - after[changing])
    # A point on the line does not count: at equal places the falls come first.
    order = np.lexsort((change, crossings))
    counts = count + np.cumsum(change[order])
    first = int(np.argmin(counts))
    if counts[first] >= count:
        return least
    return float(counts[first]), float(
        lambdas[0] - crossings[order][first] * (lambdas[0] - lambdas[1])
    )
