"""The exact regularization path of the support vector machine: all C at once.

For lambda = 1 / C the machine minimises sum_i [1 - y_i f(x_i)]_+ + (lambda / 2) |f|^2 with f = (K u
+ b) / lambda, u_i = y_i a_i and 0 <= a_i <= 1; `a` is alpha / C of the usual dual. If the points
have weights, sum_i w_i [1 - y_i f(x_i)]_+ is what counts, and 0 <= a_i <= w_i. Both a and the
scaled intercept b are piecewise linear in lambda (Hastie, Rosset, Tibshirani & Zhu, The entire
regularization path for the support vector machine, JMLR 5, 2004).

The path keeps its breakpoints and the free points' a at each; those on the bounds follow from the
changes of sets. That takes less memory than the Gram matrix, and a(lambda) is an interpolation that
can neither leave the bounds nor lose digits.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ensvm.array_types import Indices, Vector, for_reading
from ensvm.compiled import compiled
from ensvm.solvers.regularization_path.events import FREE, LEFT, PathState, Sets
from ensvm.solvers.regularization_path.following import (
    PathJournal,
    free_points,
    new_state,
    start_with_intercept,
    start_without_intercept,
)

__all__ = ["RegularizationPath", "regularization_path"]

EVENTS_PER_POINT = 1000  # a default limit on the events: 1 to 10 a point are usual
INDEFINITE = 1e-3  # by which an entry exceeds all on the diagonal if it is not rounding
SAME = 1e-10  # values of C that differ by less than this part are the same
BLOCK = 128  # breakpoints whose decision values are computed in one matrix product


class MachinesOfPath:
    """What the exact and the approximate path share: both have a machine for every C."""

    def coef_at(self, C: float) -> Vector:
        """Return the multipliers of the machine of a C.

        Parameters
        ----------
        C : float
            The price of a soft error, positive.

        Returns
        -------
        ndarray of shape (m,)
            The multipliers, 0 <= alpha_i <= C w_i. On an approximate path, C is that for which
            this machine was trained.

        Raises
        ------
        ValueError
            If C is not positive or lies beyond the end of the path.
        """
        return self._machine_at(C)[0]

    def intercept_at(self, C: float) -> float:
        """Return the intercept of the machine of a C.

        Parameters
        ----------
        C : float
            The price of a soft error, positive.

        Returns
        -------
        float
            The intercept of f; where the multipliers leave it open, the middle of its interval.

        Raises
        ------
        ValueError
            If C is not positive or lies beyond the end of the path.
        """
        return self._machine_at(C)[1]

    def _machine_at(self, C: float) -> tuple[Vector, float]:
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class RegularizationPath(MachinesOfPath):
    """The C-SVM's solution for every C up to 1 / lambdas[-1]; made by `regularization_path`.

    Attributes
    ----------
    labels : ndarray of shape (m,)
        The labels, -1 and +1.
    upper : ndarray of shape (m,)
        The weight of each point: its alpha is at most C times that.
    fit_intercept : bool
        Whether f has an intercept.
    lambdas : ndarray of shape (n_breakpoints,)
        The breakpoints 1 / C, falling: the start, one for each event, and the end. Above lambdas[0]
        all a_i stay as they are; equal neighbours are events without progress.
    scaled_intercepts : ndarray of shape (n_breakpoints,)
        The scaled intercept b, lambda times that of f; where the multipliers leave it open, the
        middle of its interval.
    indices : ndarray of int, shape (n_breakpoints,)
        The point that changed its set; NOTHING at the start and the end.
    destinations : ndarray of int8, shape (n_breakpoints,)
        The set that it entered: LEFT (alpha = C), RIGHT (alpha = 0), FREE or NOTHING.
    initial_sets : ndarray of int8, shape (m,)
        The set of each point at the start.
    n_events : int
        The number of events along the path.
    n_start_events : int
        The number of events that were needed to find its start.
    certificate : float
        The largest violation of the Karush-Kuhn-Tucker conditions, in units of y f, at the checks
        (every 64 events, from the bare coefficients).
    complete : bool
        Whether all points are outside or on the margin at the end: then alpha is the same for all
        larger C.
    converged : bool
        Whether C_max was reached within the limit of events.
    """

    labels: Vector
    upper: Vector
    fit_intercept: bool
    lambdas: Vector
    scaled_intercepts: Vector
    indices: NDArray[np.int64]
    destinations: NDArray[np.int8]
    initial_sets: NDArray[np.int8]
    n_events: int
    n_start_events: int
    certificate: float
    complete: bool
    converged: bool
    _initial_slope: float  # d b / d lambda above lambdas[0]
    _initial_free: NDArray[np.int64]
    _ends: NDArray[np.int64]
    _free_alphas: Vector
    _extremes: Vector  # as in `middle_intercept`
    _unchanged: NDArray[np.bool_]  # no multiplier changes from this breakpoint to the next

    def _machine_at(self, C: float) -> tuple[Vector, float]:
        first, weight = self._place(C)
        rows = self.multipliers(first, min(first + 2, self.lambdas.size))
        # Beyond the end of a complete path alpha and f stay as they are.
        alpha = min(C, 1.0 / self.lambdas[-1]) * ((1.0 - weight) * rows[0] + weight * rows[-1])
        inverse, b = 1.0 / C, self.scaled_intercepts[first : first + 2]
        if inverse < self.lambdas[-1]:
            return alpha, float(b[0] / self.lambdas[-1])
        scaled, still = (1.0 - weight) * b[0] + weight * b[-1], bool(self._unchanged[first])
        if inverse > self.lambdas[0]:
            scaled, still = b[0] + self._initial_slope * (inverse - self.lambdas[0]), True
        if still:
            here = self._extremes[first : first + 1]
            scaled = middle_intercept(here, np.array([inverse]), np.array([scaled]))[0]
        return alpha, C * float(scaled)

    def multipliers(self, start: int, stop: int) -> Vector:
        """Return the multipliers a = alpha / C at consecutive breakpoints.

        Parameters
        ----------
        start : int
            The number of the first breakpoint, from 0.
        stop : int
            The number after that of the last breakpoint.

        Returns
        -------
        ndarray of shape (stop - start, m)
            The multipliers, in [0, w_i].
        """
        so_far = np.flatnonzero(self.indices[: start + 1] >= 0)
        sets, since = self.initial_sets.copy(), np.full(self.labels.size, -1)
        since[self._initial_free] = np.arange(-self._initial_free.size, 0)
        # Of several changes of a point the last stays.
        sets[self.indices[so_far]] = self.destinations[so_far]
        since[self.indices[so_far]] = so_far
        members = np.flatnonzero(sets == FREE)
        free = np.zeros(sets.size, dtype=np.int64)
        free[: members.size] = members[np.argsort(since[members])]
        rows = np.empty((stop - start, sets.size))
        moves = self.indices, self.destinations, self._ends, self._free_alphas
        alpha = np.where(sets == LEFT, self.upper, 0.0)
        _fill(rows, self.upper, alpha, free, members.size, moves, start)
        return rows

    def staged_decision_function(
        self, cross_gram: ArrayLike, *, with_intercept: bool = True
    ) -> Iterator[Vector]:
        """Yield the decision values of n points at every breakpoint.

        Within a block of breakpoints only the columns of points whose coefficients change are
        multiplied.

        Parameters
        ----------
        cross_gram : array of shape (n, m)
            The kernel values between the n points and the training rows.
        with_intercept : bool, default True
            Whether the values have the intercept.

        Yields
        ------
        ndarray of shape (n,)
            The values f(x) of the points.
        """
        cross = np.asarray(cross_gram)
        labels = self.labels
        intercepts = self.scaled_intercepts * with_intercept
        values = cross @ (labels * self.multipliers(0, 1)[0])
        for start in range(0, self.lambdas.size, BLOCK):
            rows = self.multipliers(max(start - 1, 0), min(start + BLOCK, self.lambdas.size))
            changed = np.flatnonzero((rows != rows[0]).any(axis=0))
            moves = (rows[1 if start else 0 :] - rows[0])[:, changed] * labels[changed]
            block = moves @ cross[:, changed].T + values
            for at, row in enumerate(block, start):
                yield (row + intercepts[at]) / self.lambdas[at]
            values = block[-1].copy()

    def _place(self, C: float) -> tuple[int, float]:
        """Return the breakpoint before C and how far C is on the way to the next, in lambda."""
        if not 0.0 < C < np.inf:
            raise ValueError(f"C must be a positive number, got {C!r}")
        inverse, last = 1.0 / C, self.lambdas.size - 1
        if inverse < self.lambdas[-1]:
            if C * self.lambdas[-1] > 1.0 + SAME and not self.complete:
                raise ValueError(
                    f"the path ends at C = {1.0 / self.lambdas[-1]:.6g}, got C = {C!r}"
                )
            return last, 0.0
        first = max(int(np.searchsorted(-self.lambdas, -inverse, side="right")) - 1, 0)
        if first == last or inverse >= self.lambdas[0]:
            return first, 0.0
        return first, float(
            (self.lambdas[first] - inverse) / (self.lambdas[first] - self.lambdas[first + 1])
        )


@compiled
def _fill(
    rows: Vector,
    upper: Vector,
    alpha: Vector,
    free: Indices,
    n: int,
    moves: tuple[Indices, Sets, Indices, Vector],
    start: int,
) -> None:
    """Write the multipliers at consecutive breakpoints.

    `moves` holds for each breakpoint of the path the point that changed its set (negative: none),
    the set that it entered, and where its free multipliers end, and the free multipliers of all
    breakpoints, in the order in which the points became free.
    """
    indices, destinations, ends, free_alphas = moves
    for at in range(start, start + rows.shape[0]):
        point = indices[at]
        if at > start and point >= 0:
            if destinations[at] == FREE:
                free[n] = point
                n += 1
            else:
                alpha[point] = upper[point] if destinations[at] == LEFT else 0.0
                n = _without(free, n, point)
        for j in range(n):
            alpha[free[j]] = free_alphas[ends[at] - n + j]
        for k in range(alpha.size):
            rows[at - start, k] = alpha[k]


@compiled(inline=True)
def _without(points: Indices, n: int, point: int) -> int:
    """Take a point out of a list of n, keeping the order, and return the new length."""
    kept = 0
    for j in range(n):
        if points[j] != point:
            points[kept] = points[j]
            kept += 1
    return kept


def regularization_path(
    gram: ArrayLike,
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    fit_intercept: bool = True,
    C_max: float = 1e4,
    max_events: int | None = None,
) -> RegularizationPath:
    """Solve the support vector machine for every C in (0, C_max].

    It takes O(m |F|) for each event, |F| the number of free points: about m^2.3 in all on usual
    data. No tolerance is traded for speed.

    Parameters
    ----------
    gram : array of shape (m, m)
        The positive semidefinite Gram matrix K, worked on as float64; its symmetry is trusted. To a
        float32 one, which rounding makes indefinite, eps sqrt(m) max K_ii is added on the diagonal,
        and the certificate is about the sum.
    y : array of shape (m,)
        The labels, -1 and +1, both present.
    sample_weight : array of shape (m,), default None
        The price of an error of each point, as a multiple of C: 0 <= alpha_i <= C w_i. Positive;
        None for 1 each.
    fit_intercept : bool, default True
        Whether f has an intercept; without one sum y alpha = 0 falls away and the path starts from
        alpha = C.
    C_max : float, default 1e4
        The largest C, where the path ends; positive.
    max_events : int, default None
        The most events along the path; None for 1000 a point, which the events on the way to its
        start may always take.

    Returns
    -------
    RegularizationPath
        The machine for every C.

    Raises
    ------
    ValueError
        If the Gram matrix is not finite or indefinite beyond rounding.
    RuntimeError
        If 1000 events a point do not find the path's start.
    """
    matrix, labels, upper = checked_problem(gram, y, sample_weight)
    limit = int(EVENTS_PER_POINT * labels.size) if max_events is None else max_events
    state = new_state(matrix, labels, upper, fit_intercept=fit_intercept)
    slope, start_events = _begin(state, 1.0 / C_max, limit)
    initial_sets, initial_free = state.sets.copy(), free_points(state)
    journal = PathJournal()
    journal.check(state)
    journal.mark(state)
    converged = journal.follow(state, 1.0 / C_max, limit)
    journal.mark(state)
    lambdas, indices = journal.column("theta"), journal.column("point")
    extremes, intercepts = journal.column("extremes"), journal.column("intercept")
    return RegularizationPath(
        labels=labels,
        upper=upper,
        fit_intercept=fit_intercept,
        lambdas=lambdas,
        scaled_intercepts=middle_intercept(extremes, lambdas, intercepts),
        indices=indices,
        destinations=journal.column("destination"),
        initial_sets=initial_sets,
        n_events=journal.n_events,
        n_start_events=start_events,
        certificate=journal.largest_violation,
        complete=not bool((state.sets == LEFT).any()),
        converged=converged,
        _initial_slope=slope,
        _initial_free=initial_free,
        _ends=np.cumsum(journal.column("n_free")),
        _free_alphas=journal.column("free_alpha"),
        _extremes=extremes,
        _unchanged=np.append(unchanged(extremes), False),
    )


def checked_problem(
    gram: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None, *, keep_float32: bool = False
) -> tuple[NDArray[Any], Vector, Vector]:
    """Return the Gram matrix, positive semidefinite to float64, the labels and the weights.

    All are float64; with `keep_float32` a matrix of float32 stays so.
    """
    original = np.asarray(gram)
    labels = np.array(y, dtype=np.float64)
    weights = np.ones_like(labels) if sample_weight is None else np.array(sample_weight, float)
    if not (weights.shape == labels.shape and ((weights > 0.0) & np.isfinite(weights)).all()):
        raise ValueError("sample_weight must give every point a positive number")
    narrow = keep_float32 and original.dtype == np.float32
    matrix = np.ascontiguousarray(original, dtype=np.float32 if narrow else np.float64)
    if not np.isfinite(matrix).all():
        raise ValueError("the Gram matrix must be finite")
    largest = matrix.diagonal().max() * (1.0 + INDEFINITE)
    if max(matrix.max(), -matrix.min()) > largest:
        raise ValueError(
            "the Gram matrix is not positive semidefinite: its largest entry is not on the diagonal"
        )
    if original.dtype.kind == "f" and original.dtype.itemsize < 8:
        # What rounding may have taken from the smallest eigenvalue, about sqrt(m) independent
        # errors strong, is given back.
        ridge = np.finfo(original.dtype).eps * np.sqrt(labels.size) * matrix.diagonal().max()
        matrix = matrix.copy() if narrow else matrix
        np.fill_diagonal(matrix, matrix.diagonal() + ridge)
    return for_reading(matrix), labels, weights


def _begin(state: PathState, end: float, limit: int) -> tuple[float, int]:
    """Put the state at the path's start; return db / d lambda above it and the events needed."""
    slope, events = 0.0, 0
    if state.constant > 0.0:
        slope, events = start_with_intercept(state, max(limit, EVENTS_PER_POINT * state.sets.size))
    else:
        start_without_intercept(state)
    if state.theta[0] < end:  # nothing changes up to C_max
        state.intercept[0] += slope * (end - state.theta[0])
        state.theta[0] = end
        if slope == 0.0:  # all alpha = 1, and none on its margin any more
            state.sets[:], state.n_free[0] = LEFT, 0
    return slope, events


# Of the largest |b|, lambda and v: an intercept that differs by less is the middle, up to rounding
ROUNDING = 1e-9


def middle_intercept(extremes: Vector, theta: Vector, intercept: Vector) -> Vector:
    """Return the middle of the scaled intercepts at `theta`, or `intercept` where it is as good.

    If all multipliers are on their bounds, b may be anything that keeps every point on its side of
    its margin: with v = K u the solution at lambda allows

        max(lambda - v_i: y = +1, a = 0;  -lambda - v_i: y = -1, a = 1)  <=  b
        b  <=  min(lambda - v_i: y = +1, a = 1;  -lambda - v_i: y = -1, a = 0).

    The path keeps one free point on its margin; which one depends on the order of the points. The
    convention is the middle of the interval, as in LIBSVM. It takes four values of v, which stay
    the same as long as no multiplier changes.

    `extremes` are those of `BreakpointHistory`, one row a theta; NaN where b is determined.
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
