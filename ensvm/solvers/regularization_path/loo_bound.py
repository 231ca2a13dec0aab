"""The leave-one-out bound of a support vector machine along its path, minimised exactly over C.

For the machine without an intercept, at most the points with alpha_i K_ii - y_i f(x_i) > 0 are
misclassified when they are left out of the training (Jaakkola & Haussler 1999; Evgeniou, Pontil &
Elisseeff 2004, Leave one out error, stability, and generalization of voting combinations of
classifiers, Machine Learning 55). With an intercept that count is a heuristic.

With a = alpha lambda and h = lambda f both sides are linear in lambda between breakpoints: the sign
changes where a straight line does.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ensvm.solvers.regularization_path.path import RegularizationPath

Vector = NDArray[np.float64]

BLOCK = 256  # breakpoints whose margins are computed in one matrix product


@dataclass(frozen=True)
class LeaveOneOutBound:
    """The bound, as a fraction of the m points, along the path, and where it is least."""

    bounds: Vector  # (n_breakpoints,) at every breakpoint of the path
    best_C: float  # the smallest C with the least bound; it may lie between two breakpoints
    best_bound: float


def leave_one_out_bound(path: RegularizationPath, gram: ArrayLike) -> LeaveOneOutBound:
    """Return (1/m) #{i: alpha_i K_ii - y_i f(x_i) > 0} along the path, and its least value.

    `gram` is the Gram matrix that the path was made from. The search starts at the path's first
    breakpoint: below it only the path's scale changes.
    """
    bounds, before = np.empty(path.lambdas.size), np.empty(0)
    best, best_lambda = np.inf, float(path.lambdas[0])
    for at, excess in _excesses(path, np.asarray(gram)):
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
