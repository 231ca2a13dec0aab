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

    `gram` has shape (m, m) and is C-contiguous; `starts` has one entry more than there are classes,
    none of which is empty; `upper` are the rows' bounds C_i, shape (m,). Returns the coefficients
    y_i alpha_i, shape (pairs, m), 0 for rows of other classes, and the intercepts, violations and
    numbers of steps, shape (pairs,).
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

    The values have shape (pairs, m) and are 0 for rows of other classes. Arguments as in
    `pairwise_machines`; `order` is a permutation of the m rows, which a pair's rows take to be
    dealt into FOLDS consecutive folds. Where the other folds hold one class only, the value is its
    sign, as in LIBSVM.
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
    """Return the values of pairs, (pairs, n), of kernel values, (s, n), and sparse coefficients.

    The entries of a pair are those from `starts[pair]` to `starts[pair + 1]`: a column says which
    row of the kernel values it weighs. Most rows are support vectors of few pairs, so that this is
    faster than a dense product.
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
    """Return the class with most votes, (n,), the first of equals, by pairs' values, (pairs, n)."""
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
    """Return 1 for the winning class and 0 for the others, shape (n_classes, n)."""
    return (winner == np.arange(n_classes)[:, None]).astype(np.float32)
