"""Solve the nu-SVM by guessing which coefficients are free, all of them at once.

With its free set F given, the dual of `descent` is a linear system: g_i = rho beta_i - b on F, the
sum of u is 0 and that of beta u is nu. Where its solution crosses a bound, the coefficient goes to
that bound; where a coefficient on a bound violates its condition, it becomes free. After a few
such guesses nothing changes, and the point is optimal (Kunisch & Rendl, 2003). The points in
between are not feasible, so that they prove nothing; guesses that do not settle are given up.

`minimise_over_face` keeps every point feasible and takes one coefficient after another out of the
face. With thousands of free coefficients that takes several times as long.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import spotrf

from ensvm.solvers.cholesky_update import add_products
from ensvm.solvers.weighted_nu_svm.descent import AT_BOUND, SAME_TARGETS, DescentState

Vector: TypeAlias = NDArray[np.float64]
Points: TypeAlias = NDArray[np.intp]

MOST_GUESSES = 12  # three or four are the rule
# After the first guesses, one must change fewer coefficients than this share of the one before it.
FIRST_GUESSES, SETTLING = 3, 0.7
# Of the gap allowed: the steps that follow prove theirs with other multipliers.
SLACK = 0.1
MOST_CORRECTIONS = 5
# A factor serves other free sets that differ from its own by at most one point in so many; for more
# a new factor takes less time.
FACTOR_SHARE = 8


def free_coefficients(state: DescentState) -> NDArray[np.bool_]:
    """Return which coefficients are on neither of their bounds, shape (n,)."""
    return np.asarray((state.no_growth == 0.0) & (state.no_shrinking == 0.0))


@np.errstate(over="ignore", invalid="ignore")  # of float32; what is not finite is given up
def settle_active_sets(state: DescentState, tol: float) -> bool:
    """Move to a gap of tol times the objective; return False, with nothing changed, if it cannot.

    Each guess adds a step to the point of the last, so that the step's precision, float32, is that
    of the last and smallest step alone. Values and what they prove are float64.
    """
    labels, targets = state.labels, state.targets
    coef, values, nu = state.coef.copy(), state.values.copy(), float(targets @ state.coef)
    free = free_coefficients(state)
    upper = ~free & (coef != 0.0)
    equal = np.column_stack([np.ones(labels.size), targets])
    multipliers: Vector = np.linalg.lstsq(equal[free], values[free])[0]  # -b and rho
    factor, changes = _Factor(state), labels.size
    for guess in range(MOST_GUESSES):
        # A coefficient crosses its bound, or its condition there, the sign of y f - D rho, fails.
        surplus = labels * (values - multipliers[0] - multipliers[1] * targets)
        low, high = free & (labels * coef < 0.0), free & (labels * coef > 1.0)
        freed = (~free & ~upper & (surplus < 0.0)) | (upper & (surplus > 0.0))
        free, upper = (free & ~low & ~high) | freed, (upper & ~freed) | high
        before, changes = changes, np.count_nonzero(low | high | freed)
        if guess >= FIRST_GUESSES and changes > SETTLING * before:
            return False
        start = np.where(free, coef, np.where(upper, labels, 0.0))
        _add_to(state, start - coef, values)
        step = _step(state, factor, np.flatnonzero(free), start, values, nu, multipliers)
        if step is None:
            return False
        coef = start + step
        _add_to(state, step, values)
        if _take(state, coef, values, multipliers, nu, SLACK * tol):
            return True
    return False


def _step(
    state: DescentState,
    factor: "_Factor",
    points: Points,
    coef: Vector,
    values: Vector,
    nu: float,
    multipliers: Vector,
) -> Vector | None:
    """Return the step to the optimum of the free points; None without a unique one.

    The multipliers -b and rho are brought up to it.
    """
    beta = state.targets[points]
    equal = np.column_stack([np.ones(points.size), beta])
    residual = values[points] - equal @ multipliers
    solved = factor.solve(points, np.column_stack([equal, residual]))
    if solved is None or not np.isfinite(solved).all():
        return None
    # The step is K^{-1} (equal change - residual); the two equalities decide the change.
    products = equal.T @ solved
    (a, b), (_, c) = products[:, :2]
    if not a * c - b * b > SAME_TARGETS * a * c:
        return None
    missing = np.array([-coef.sum(), nu - state.targets @ coef])
    change = np.linalg.solve(products[:, :2], missing + products[:, 2])
    multipliers += change
    of_points = solved[:, :2] @ change - solved[:, 2]
    # Once more, since roundings of the factor would break the equalities.
    of_points += _least_change(equal, missing - equal.T @ of_points)
    step = np.zeros(coef.size)
    step[points] = of_points
    return step


def _add_to(state: DescentState, change: Vector, values: Vector) -> None:
    """Bring the values g = Ku, the ridge included, up to a change of the coefficients."""
    points = np.flatnonzero(change)
    products = np.zeros(state.gram.shape[0])
    add_products(state.gram, state.members[points], change[points], products)
    values += products[state.members] + state.ridge * change


def _take(
    state: DescentState, coef: Vector, values: Vector, multipliers: Vector, nu: float, tol: float
) -> bool:
    """Move to the feasible point next to a point, if its gap is at most tol times its objective."""
    labels, targets = state.labels, state.targets
    low = np.minimum(labels, 0.0)
    high = low + 1.0

    def is_near(coef: Vector, values: Vector) -> bool:
        surplus = labels * (values - multipliers[0] - multipliers[1] * targets)
        gap = np.where(surplus > 0.0, labels * coef, labels * coef - 1.0) @ surplus
        return bool(gap <= 0.5 * tol * (coef @ values))

    moved: Vector = np.clip(coef, low, high)
    if not is_near(moved, values):
        return False
    for _ in range(MOST_CORRECTIONS):
        moved = np.where(moved >= high - AT_BOUND, high, moved)
        moved = np.where(moved <= low + AT_BOUND, low, moved)
        inner = (moved > low) & (moved < high)
        equal = np.column_stack([inner, targets * inner])
        moved = moved + _least_change(equal, [-moved.sum(), nu - targets @ moved])
        if ((moved >= low) & (moved <= high)).all():
            break
    else:
        return False
    values = values.copy()
    _add_to(state, moved - coef, values)
    if not is_near(moved, values) or moved @ values > state.coef @ state.values:
        return False
    state.coef[:], state.values[:] = moved, values
    state.no_growth[:] = np.where(moved == high, -np.inf, 0.0)
    state.no_shrinking[:] = np.where(moved == low, np.inf, 0.0)
    return True


def _least_change(equal: Vector, missing: ArrayLike) -> Vector:
    """Return the change of least norm by which the sums `equal` of coefficients grow as asked."""
    change: Vector = equal @ np.linalg.lstsq(equal.T @ equal, np.asarray(missing))[0]
    return change


class _Factor:
    """The Cholesky factor of the Gram matrix of one free set, which serves similar sets too."""

    def __init__(self, state: DescentState) -> None:
        self._state = state
        self._points: Points = np.empty(0, dtype=np.intp)  # ascending
        self._upper: Any = None
        self._borders: dict[int, Any] = {}  # by point

    def solve(self, points: Points, right: Vector) -> Any:
        """Return the solution K_FF^{-1} right for the free points F; None without a factor."""
        if FACTOR_SHARE * np.setxor1d(points, self._points).size > self._points.size:
            self._points, self._borders = points, {}
            self._upper, failed = spotrf(self._lower(points).T, lower=0, clean=0, overwrite_a=1)
            if failed:
                return None
        added = np.setdiff1d(points, self._points, assume_unique=True)
        removed = np.setdiff1d(self._points, points, assume_unique=True)
        every = np.zeros((self._state.coef.size, right.shape[1]), np.float32)
        every[points] = right
        half = self._solve_triangular(every[self._points], trans="T")
        if added.size + removed.size == 0:
            return self._solve_triangular(half).astype(np.float64)
        # An added point borders the system. So does the equality u = 0 of a point that was removed,
        # with its multiplier. Their own equations are the Schur complement.
        border = self._border(np.concatenate([added, removed]))
        own = -(border.T @ border).astype(np.float64)
        own[: added.size, : added.size] += [self._row(point, added) for point in added]
        rest = -(border.T @ half).astype(np.float64)
        rest[: added.size] += every[added]
        try:
            bordering = np.linalg.solve(own, rest)
        except np.linalg.LinAlgError:
            return None
        every[self._points] = self._solve_triangular(half - border @ np.float32(bordering))
        every[added] = bordering[: added.size]
        return every[points].astype(np.float64)

    def _lower(self, points: Points) -> Any:
        """Return the Gram matrix of points, its lower triangle alone."""
        K = np.empty((points.size, points.size), np.float32)
        for row, point in enumerate(points):
            K[row, : row + 1] = self._row(point, points[: row + 1])
        K[np.diag_indices_from(K)] += self._state.ridge
        return K

    def _border(self, points: Points) -> Any:
        """Return the columns of L^{-1} K, for points of the factor those of L^{-1}."""
        new = [point for point in points if point not in self._borders]
        columns = np.zeros((self._points.size, len(new)), np.float32, order="F")
        for column, point in enumerate(new):
            place = np.searchsorted(self._points, point)
            if place < self._points.size and self._points[place] == point:
                columns[place, column] = 1.0
            else:
                columns[:, column] = self._row(point, self._points)
        if new:
            self._borders |= zip(new, self._solve_triangular(columns, trans="T").T, strict=True)
        return np.array([self._borders[point] for point in points]).T

    def _row(self, point: int, others: Points) -> Any:
        members = self._state.members
        return self._state.gram[members[point]].take(members[others])

    def _solve_triangular(self, right: Any, **options: Any) -> Any:
        return solve_triangular(self._upper, right, check_finite=False, **options)
