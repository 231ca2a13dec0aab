"""Soft-margin machines of all pairs of classes, their cross-validated values, votes. Compiled.

The rows come sorted by class: those of class a are `starts[a]` up to `starts[a + 1]`. Pairs (a, b),
a < b, follow each other as (0, 1), (0, 2), ..., (1, 2), ...; a machine's value is positive for a,
and one that is not goes to b, as in LIBSVM.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.compiled import njit
from ensvm.solvers.pairwise.sequential_minimal_optimization import minimise

FOLDS = 5  # of LIBSVM's cross-validation


@njit
def pairwise_machines(gram, starts, upper, tol, max_iter):  # type: ignore[no-untyped-def]
    """Train the machine of every pair on the rows of its two classes.

    Parameters
    ----------
    gram : ndarray of shape (m, m)
        The Gram matrix, float32 or float64, C-contiguous; its rows are sorted by class.
    starts : ndarray of int, shape (n_classes + 1,)
        The first row of each class, and m; no class is empty.
    upper : ndarray of shape (m,)
        The bounds C_i of the rows, positive.
    tol : float
        The violation to stop at, positive.
    max_iter : int
        The most steps of a machine, at least 0.

    Returns
    -------
    coefficients : ndarray of shape (pairs, m)
        The y_i alpha_i of each machine; 0 for rows of other classes.
    intercepts : ndarray of shape (pairs,)
        The intercepts of the machines.
    violations : ndarray of shape (pairs,)
        Their violations of the optimality conditions, in units of y f(x).
    steps : ndarray of int, shape (pairs,)
        Their numbers of steps.
    """
    n_classes = starts.size - 1
    n_pairs = n_classes * (n_classes - 1) // 2
    coefficients = np.zeros((n_pairs, upper.size))
    intercepts, violations = np.empty(n_pairs), np.empty(n_pairs)
    steps = np.empty(n_pairs, np.int64)
    pair = 0
    for a in range(n_classes):
        for b in range(a + 1, n_classes):
            rows, labels = rows_of_pair(starts, a, b)
            signed, intercepts[pair], violations[pair], steps[pair] = minimise(
                submatrix(gram, rows, rows), labels, upper[rows], tol, max_iter
            )
            coefficients[pair][rows] = signed
            pair += 1
    return coefficients, intercepts, violations, steps


@njit
def cross_validated_values(  # type: ignore[no-untyped-def]
    gram, starts, upper, order, tol, max_iter
):
    """Return each row's value under the machines of its pairs trained without its fold.

    Parameters
    ----------
    gram : ndarray of shape (m, m)
        The Gram matrix, as for `pairwise_machines`.
    starts : ndarray of int, shape (n_classes + 1,)
        The first row of each class, and m.
    upper : ndarray of shape (m,)
        The bounds C_i of the rows, positive.
    order : ndarray of int, shape (m,)
        A permutation of the rows, in which a pair's rows are dealt into five consecutive folds.
    tol : float
        The violation to stop at, positive.
    max_iter : int
        The most steps of a machine, at least 0.

    Returns
    -------
    ndarray of shape (pairs, m)
        The values; 0 for rows of other classes. Where the other folds hold one class only, the
        value is its sign, as in LIBSVM.
    """
    n_classes = starts.size - 1
    values = np.zeros((n_classes * (n_classes - 1) // 2, upper.size))
    pair = 0
    for a in range(n_classes):
        for b in range(a + 1, n_classes):
            rows = order[in_pair(order, starts, a, b)]
            labels = np.where(rows < starts[a + 1], 1.0, -1.0)
            for fold in range(FOLDS):
                first, last = fold * rows.size // FOLDS, (fold + 1) * rows.size // FOLDS
                held_out = rows[first:last]
                others = np.concatenate((rows[:first], rows[last:]))
                signs = np.concatenate((labels[:first], labels[last:]))
                values[pair][held_out] = values_without(
                    gram, held_out, others, signs, upper, tol, max_iter
                )
            pair += 1
    return values


@njit
def values_without(  # type: ignore[no-untyped-def]
    gram, held_out, others, labels, upper, tol, max_iter
):
    """Return the values of the held-out rows under the machine of the others."""
    if labels.size == 0:
        return np.zeros(held_out.size)
    if labels.min() == labels.max():
        return np.full(held_out.size, labels[0])
    signed, intercept, _, _ = minimise(
        submatrix(gram, others, others), labels, upper[others], tol, max_iter
    )
    values = np.full(held_out.size, intercept)
    for k in range(others.size):
        if signed[k] != 0.0:
            for t in range(held_out.size):
                values[t] += signed[k] * gram[held_out[t], others[k]]
    return values


@njit
def rows_of_pair(starts, a, b):  # type: ignore[no-untyped-def]
    """Return the rows of two classes and their labels +1, -1."""
    rows = np.concatenate(
        (np.arange(starts[a], starts[a + 1]), np.arange(starts[b], starts[b + 1]))
    )
    return rows, np.where(rows < starts[a + 1], 1.0, -1.0)


@njit
def in_pair(rows, starts, a, b):  # type: ignore[no-untyped-def]
    """Return which of the rows belong to one of two classes."""
    first = (rows >= starts[a]) & (rows < starts[a + 1])
    return first | ((rows >= starts[b]) & (rows < starts[b + 1]))


@njit
def submatrix(gram, rows, columns):  # type: ignore[no-untyped-def]
    """Return a contiguous copy of some rows and columns; the matrix itself for all, in order."""
    if (
        rows.size == gram.shape[0]
        and np.array_equal(rows, np.arange(rows.size))
        and np.array_equal(rows, columns)
    ):
        return gram
    copy = np.empty((rows.size, columns.size), gram.dtype)
    for s in range(rows.size):
        source = gram[rows[s]]
        for t in range(columns.size):
            copy[s, t] = source[columns[t]]
    return copy


@njit
def weighted_sums(  # type: ignore[no-untyped-def]
    starts, columns, coefficients, intercepts, kernel_values
):
    """Return the values of all pairs at n points, from sparse coefficients and kernel values.

    Most rows are support vectors of few pairs, so that this is faster than a dense product.

    Parameters
    ----------
    starts : ndarray of int, shape (pairs + 1,)
        The entries of a pair are those from starts[pair] up to starts[pair + 1].
    columns : ndarray of int, shape (n_entries,)
        The row of the kernel values that each entry weighs.
    coefficients : ndarray of shape (n_entries,)
        The weights.
    intercepts : ndarray of shape (pairs,)
        The intercepts of the machines.
    kernel_values : ndarray of shape (s, n)
        The kernel values between the s support vectors and the n points.

    Returns
    -------
    ndarray of shape (pairs, n)
        The values, in the type of the kernel values.
    """
    n = kernel_values.shape[1]
    values = np.empty((intercepts.size, n), kernel_values.dtype)
    for pair in range(intercepts.size):
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
            values[pair] += coefficients[last - 1] * kernel_values[columns[last - 1]]
    return values


@njit
def add_two(target, factor, row, other_factor, other_row):  # type: ignore[no-untyped-def]
    """Add factor * row + other_factor * other_row: two at once halve the target's traffic."""
    for t in range(target.size):
        target[t] += factor * row[t] + other_factor * other_row[t]


@njit
def winners(values, n_classes):  # type: ignore[no-untyped-def]
    """Return for each point the class with most votes of the pairs, the first of equals.

    Parameters
    ----------
    values : ndarray of shape (pairs, n)
        The values of the pairs (0, 1), (0, 2), ..., (1, 2), ...; a positive one is a vote for the
        first class of its pair, any other one for the second.
    n_classes : int
        The number of classes, at least 2.

    Returns
    -------
    ndarray of int16, shape (n,)
        The classes, 0, ..., n_classes - 1.
    """
    n = values.shape[1]
    votes = np.zeros((n_classes, n), np.int16)
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
    best, winner = votes[0].copy(), np.zeros(n, np.int16)
    for c in range(1, n_classes):
        for t in range(n):
            if votes[c, t] > best[t]:
                best[t] = votes[c, t]
                winner[t] = c
    return winner


def one_hot(winner: NDArray[Any], n_classes: int) -> NDArray[np.float32]:
    """Return 1 for the winning class of each point and 0 for the others.

    Parameters
    ----------
    winner : ndarray of int, shape (n,)
        The winning classes, 0, ..., n_classes - 1.
    n_classes : int
        The number of classes.

    Returns
    -------
    ndarray of float32, shape (n_classes, n)
        The indicators.
    """
    return (winner == np.arange(n_classes)[:, None]).astype(np.float32)
