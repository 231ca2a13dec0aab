"""The multipliers at the breakpoints of a regularization path, rebuilt from what changed."""

import numpy as np
from numpy.typing import NDArray

from ensvm.compiled import inlined, njit
from ensvm.solvers.regularization_path.events import FREE, LEFT

Moves = tuple[NDArray[np.int64], NDArray[np.int8], NDArray[np.int64], NDArray[np.float64]]


def multiplier_rows(
    initial_sets: NDArray[np.int8],
    initial_free: NDArray[np.int64],
    moves: Moves,
    start: int,
    stop: int,
) -> NDArray[np.float64]:
    """Return a = alpha / C at the breakpoints start, ..., stop - 1, shape (stop - start, m).

    `moves` holds for each breakpoint the point that changed its set (negative: none), the set that
    it entered, and where its free multipliers end, and the free multipliers of all breakpoints, in
    the order in which the points became free.
    """
    indices, destinations, _, _ = moves
    so_far = np.flatnonzero(indices[: start + 1] >= 0)
    sets, since = initial_sets.copy(), np.full(initial_sets.size, -1)
    since[initial_free] = np.arange(-initial_free.size, 0)
    # Of several changes of a point the last stays.
    sets[indices[so_far]] = destinations[so_far]
    since[indices[so_far]] = so_far
    members = np.flatnonzero(sets == FREE)
    free = np.zeros(sets.size, dtype=np.int64)
    free[: members.size] = members[np.argsort(since[members])]
    rows = np.empty((stop - start, sets.size))
    _fill(rows, (sets == LEFT).astype(np.float64), free, members.size, moves, start)
    return rows


@njit
def _fill(rows, alpha, free, n, moves, start):  # type: ignore[no-untyped-def]
    indices, destinations, ends, free_alphas = moves
    for at in range(start, start + rows.shape[0]):
        point = indices[at]
        if at > start and point >= 0:
            if destinations[at] == FREE:
                free[n] = point
                n += 1
            else:
                alpha[point] = 1.0 if destinations[at] == LEFT else 0.0
                n = _without(free, n, point)
        for j in range(n):
            alpha[free[j]] = free_alphas[ends[at] - n + j]
        for k in range(alpha.size):
            rows[at - start, k] = alpha[k]


@inlined
def _without(points, n, point):  # type: ignore[no-untyped-def]
    """Take a point out of a list of n, keeping the order, and return the new length."""
    kept = 0
    for j in range(n):
        if points[j] != point:
            points[kept] = points[j]
            kept += 1
    return kept
