"""Soft-margin machines of all pairs of classes, their cross-validated values, and votes.

The rows come sorted by class: those of class a are `starts[a]` up to `starts[a + 1]`. Pairs (a, b),
a < b, follow each other as (0, 1), (0, 2), ..., (1, 2), ...; a machine's value is positive for a,
and one that is not goes to b, as in LIBSVM.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ensvm.array_types import Indices, Vector
from ensvm.compiled import Function, compiled, uncompiled
from ensvm.solvers.sequential_minimal_optimization import minimise

FOLDS = 5  # of LIBSVM's cross-validation


class PairMachines(NamedTuple):
    """The machines of all pairs of classes, in the order of the pairs."""

    coefficients: Vector  # (pairs, m) the y_i alpha_i of each machine, 0 for rows of other classes
    intercepts: Vector  # (pairs,)
    violations: Vector  # (pairs,) of the optimality conditions, in units of y f(x)
    steps: Indices  # (pairs,)


def are_few_pairs(starts: Indices) -> bool:
    """Return whether there are at most three classes."""
    return starts.size - 1 <= 3


def loop_over_pairs(loop: Function, starts: Indices) -> Function:
    """Return a compiled loop over the pairs of classes, or the same loop in Python for few pairs.

    Python adds about ten microseconds a pair. To compile the loop takes seconds, since the compiler
    translates all functions that it calls once more.
    """
    return uncompiled(loop) if are_few_pairs(starts) else loop


def pairwise_machines(
    gram: NDArray[Any], starts: Indices, upper: Vector, tol: float, max_iter: int
) -> PairMachines:
    """Train the machine of every pair on the rows of its two classes.

    `gram`, shape (m, m), is C-contiguous, float32 or float64; no class is empty. `upper`, shape
    (m,), holds the bounds C_i. A machine stops at the violation `tol` or after `max_iter` steps.
    """
    return loop_over_pairs(machines_of_pairs, starts)(gram, starts, upper, tol, max_iter)


@compiled
def machines_of_pairs(
    gram: NDArray[Any], starts: Indices, upper: Vector, tol: float, max_iter: int
) -> PairMachines:
    """Return what `pairwise_machines` returns."""
    n_pairs = number_of_pairs(starts.size - 1)
    coefficients, steps = np.zeros((n_pairs, upper.size)), np.empty(n_pairs, dtype=np.int64)
    intercepts, violations = np.empty(n_pairs), np.empty(n_pairs)
    for pair in range(n_pairs):
        rows, labels = rows_of_pair(starts, pair)
        machine = minimise(submatrix(gram, rows), labels, taken(upper, rows), tol, max_iter)
        intercepts[pair], violations[pair] = machine.intercept, machine.violation
        steps[pair] = machine.n_iter
        put(coefficients[pair], rows, machine.signed)
    return PairMachines(coefficients, intercepts, violations, steps)


@compiled(inline=True)
def number_of_pairs(n_classes: int) -> int:
    """Return how many pairs of classes there are."""
    return n_classes * (n_classes - 1) // 2


@compiled
def cross_validated_values(
    gram: NDArray[Any], starts: Indices, upper: Vector, order: Indices, tol: float, max_iter: int
) -> Vector:
    """Return each row's value under the machines of its pairs trained without its fold.

    `order` is a permutation of the rows: a pair's rows, in this order, are cut into five folds. The
    result, shape (pairs, m), is 0 for rows of other classes. If the other folds hold one class
    only, the value is its sign, as in LIBSVM. The other arguments are those of `pairwise_machines`.
    """
    values = np.zeros((number_of_pairs(starts.size - 1), upper.size))
    for pair in range(len(values)):
        a, b = classes_of_pair(starts.size - 1, pair)
        n = starts[a + 1] - starts[a] + starts[b + 1] - starts[b]
        rows, labels, k = np.empty(n, np.int64), np.empty(n), 0
        for row in order:
            first = starts[a] <= row < starts[a + 1]
            if first or starts[b] <= row < starts[b + 1]:
                rows[k], labels[k] = row, 1.0 if first else -1.0
                k += 1
        for fold in range(FOLDS):
            held_out = fold_bounds(fold, n)
            hold_out(gram, rows, labels, held_out, upper, tol, max_iter, values[pair])
    return values


@compiled(inline=True)
def fold_bounds(fold: int, n: int) -> tuple[int, int]:
    """Return the first of n ordered rows that a fold holds out, and the one after its last."""
    return fold * n // FOLDS, (fold + 1) * n // FOLDS


@compiled
def hold_out(
    gram: NDArray[Any],
    rows: Indices,
    labels: Vector,
    held_out: tuple[int, int],
    upper: Vector,
    tol: float,
    max_iter: int,
    values: Vector,
) -> None:
    """Write the values of a fold, `held_out` = (first, end), under the machine of other rows."""
    first, last = held_out
    n, k, total = rows.size - (last - first), 0, 0.0
    others, signs = np.empty(n, np.int64), np.empty(n)
    for t in range(rows.size):
        if t < first or t >= last:
            others[k], signs[k] = rows[t], labels[t]
            total += labels[t]
            k += 1
    if abs(total) == n:
        for t in range(first, last):
            values[rows[t]] = signs[0]
        return
    machine = minimise(submatrix(gram, others), signs, taken(upper, others), tol, max_iter)
    for t in range(first, last):
        values[rows[t]] = machine.intercept
    for k in range(n):
        if machine.signed[k] != 0.0:
            for t in range(first, last):
                values[rows[t]] += machine.signed[k] * gram[rows[t], others[k]]


@compiled(inline=True)
def classes_of_pair(n_classes: int, pair: int) -> tuple[int, int]:
    """Return the two classes of a pair by its number."""
    first, rest = 0, pair
    while rest >= n_classes - 1 - first:
        rest -= n_classes - 1 - first
        first += 1
    return first, first + 1 + rest


@compiled(inline=True)
def rows_of_pair(starts: Indices, pair: int) -> tuple[Indices, Vector]:
    """Return the rows of the two classes of a pair and their labels +1, -1."""
    a, b = classes_of_pair(starts.size - 1, pair)
    n_first = starts[a + 1] - starts[a]
    n = n_first + starts[b + 1] - starts[b]
    rows, labels = np.empty(n, np.int64), np.empty(n)
    for k in range(n):
        if k < n_first:
            rows[k], labels[k] = starts[a] + k, 1.0
        else:
            rows[k], labels[k] = starts[b] + k - n_first, -1.0
    return rows, labels


@compiled
def taken(values: Vector, rows: Indices) -> Vector:
    """Return the entries of some rows."""
    chosen = np.empty(rows.size)
    for k in range(rows.size):
        chosen[k] = values[rows[k]]
    return chosen


@compiled
def put(target: Vector, rows: Indices, values: Vector) -> None:
    """Write the entries of some rows; an index of NumPy's compiles longer."""
    for k in range(rows.size):
        target[rows[k]] = values[k]


@compiled(at_once=True)
def submatrix(gram: NDArray[Any], rows: Indices) -> NDArray[Any]:
    """Return a contiguous copy of some rows and columns; the matrix itself for all, in order."""
    n = rows.size
    whole = n == gram.shape[0]
    for k in range(n):
        whole = whole and rows[k] == k
    if whole:
        return gram
    copy = np.empty((n, n), gram.dtype)
    for s in range(n):
        source = gram[rows[s]]
        for t in range(n):
            copy[s, t] = source[rows[t]]
    return copy


@compiled
def weighted_sums(
    starts: Indices,
    columns: Indices,
    coefficients: NDArray[Any],
    intercepts: NDArray[Any],
    kernel_values: NDArray[Any],
) -> NDArray[Any]:
    """Return the values of all pairs at n points, shape (pairs, n), from sparse coefficients.

    Entry k, from starts[pair] up to starts[pair + 1], weighs row columns[k] of `kernel_values`,
    shape (support vectors, n), by coefficients[k]. Most rows are support vectors of few pairs, so
    that this is faster than a dense product.
    """
    values = np.empty((intercepts.size, kernel_values.shape[1]), kernel_values.dtype)
    for pair in range(values.shape[0]):
        values[pair] = intercepts[pair]
        first, last = starts[pair], starts[pair + 1]
        for entry in range(first, last - 1, 2):
            add_two(
                values[pair],
                coefficients[entry],
                kernel_values[columns[entry]],
                coefficients[entry + 1],
                kernel_values[columns[entry + 1]],
            )
        if (last - first) % 2:
            target, factor = values[pair], coefficients[last - 1]
            row = kernel_values[columns[last - 1]]
            for t in range(target.size):
                target[t] += factor * row[t]
    return values


@compiled
def add_two(
    target: NDArray[Any], factor: Any, row: NDArray[Any], other_factor: Any, other_row: NDArray[Any]
) -> None:
    """Add factor * row + other_factor * other_row: two at once halve the target's traffic."""
    for t in range(target.size):
        target[t] += factor * row[t] + other_factor * other_row[t]


@compiled
def winners(values: NDArray[Any], n_classes: int) -> NDArray[np.int16]:
    """Return for each point the class with most votes of the pairs, the first of equals.

    A positive entry of `values`, shape (pairs, n), is a vote for the first class of its pair, any
    other one for the second.
    """
    n = values.shape[1]
    winner = np.zeros(n, dtype=np.int16)
    votes = np.zeros((n_classes, n), dtype=np.int16)
    pair = 0
    for a in range(n_classes):
        for b in range(a + 1, n_classes):
            row = values[pair]
            for_a, for_b = votes[a], votes[b]
            for t in range(n):
                positive = np.int16(row[t] > 0.0)
                for_a[t] += positive
                for_b[t] += np.int16(1) - positive
            pair += 1
    best = votes[0]
    for c in range(1, n_classes):
        for t in range(n):
            if votes[c, t] > best[t]:
                best[t] = votes[c, t]
                winner[t] = c
    return winner


def one_hot(winner: NDArray[Any], n_classes: int) -> NDArray[np.float32]:
    """Return 1 for the winning class of each point and 0 for others, shape (n_classes, n)."""
    return (winner == np.arange(n_classes)[:, None]).astype(np.float32)
