"""Linear soft-margin machines of all pairs of classes, without a matrix of inner products.

The counterpart of `ensvm.solvers.one_vs_one` for many rows of few columns. Rows come sorted by
class, pairs in the same order.
"""

import numpy as np
from numpy.typing import NDArray

from ensvm.array_types import Indices, Vector
from ensvm.solvers.interior_point import minimise_linear
from ensvm.solvers.one_vs_one import (
    FOLDS,
    PairMachines,
    classes_of_pair,
    fold_bounds,
    number_of_pairs,
    rows_of_pair,
)


def linear_pairs(
    X: NDArray[np.float64], starts: Indices, upper: Vector, tol: float
) -> PairMachines:
    """Return the machine of every pair, trained on the rows of its two classes.

    `X` has the shape (m, d); the other arguments are those of `pairwise_machines`.
    """
    n_pairs = number_of_pairs(starts.size - 1)
    coefficients = np.zeros((n_pairs, upper.size))
    intercepts, violations = np.empty(n_pairs), np.empty(n_pairs)
    steps = np.empty(n_pairs, dtype=np.intp)
    for pair in range(n_pairs):
        rows, labels = rows_of_pair(starts, pair)
        machine = minimise_linear(X[rows], labels, upper[rows], tol)
        coefficients[pair, rows] = machine.signed
        intercepts[pair], violations[pair] = machine.intercept, machine.violation
        steps[pair] = machine.n_iter
    return PairMachines(coefficients, intercepts, violations, steps)


def linear_cross_validated_values(
    X: NDArray[np.float64], starts: Indices, upper: Vector, order: Indices, tol: float
) -> Vector:
    """Return each row's value under the machines of its pairs trained without its fold.

    The folds and the result are those of `cross_validated_values`.
    """
    values = np.zeros((number_of_pairs(starts.size - 1), upper.size))
    class_of = np.repeat(np.arange(starts.size - 1), np.diff(starts))[order]
    for pair in range(len(values)):
        a, b = classes_of_pair(starts.size - 1, pair)
        rows = order[(class_of == a) | (class_of == b)]
        labels = np.where(rows < starts[a + 1], 1.0, -1.0)
        for fold in range(FOLDS):
            held_out = np.zeros(rows.size, dtype=bool)
            held_out[slice(*fold_bounds(fold, rows.size))] = True
            others, signs = rows[~held_out], labels[~held_out]
            if (signs == signs[0]).all():
                values[pair, rows[held_out]] = signs[0]
                continue
            machine = minimise_linear(X[others], signs, upper[others], tol)
            plane = machine.signed @ X[others]
            values[pair, rows[held_out]] = X[rows[held_out]] @ plane + machine.intercept
    return values
