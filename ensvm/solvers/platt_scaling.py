"""Class probabilities of pairwise machines: Platt's sigmoids and their coupling. Compiled.

The sigmoid: Lin, Lin & Weng, A note on Platt's probabilistic outputs for support vector machines,
Machine Learning 68, 2007. The coupling: Wu, Lin & Weng, Probability estimates for multi-class
classification by pairwise coupling, JMLR 5, 2004, their second method.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.array_types import Indices, Vector
from ensvm.compiled import compiled
from ensvm.solvers.one_vs_one import loop_over_pairs, number_of_pairs, rows_of_pair, taken

MAX_NEWTON_STEPS = 100  # this and the next three are LIBSVM's
LEAST_STEP = 1e-10
HESSIAN_RIDGE = 1e-12
GRADIENT_TOL = 1e-5
# Pairwise probabilities stay this far from 0 and 1, as in LIBSVM; else coupling may divide by 0.
LEAST_PROBABILITY = 1e-7


@compiled
def fit_sigmoid(values: Vector, labels: Vector, counts: Vector) -> tuple[float, float]:
    """Return A, B of the sigmoid 1 / (1 + exp(A f + B)), the probability of label +1, for values f.

    The likelihood is that of rows repeated `counts` times, with Platt's targets (N+ + 1) / (N+ + 2)
    and 1 / (N- + 2); values, labels of -1 and +1 and counts > 0 have shape (m,).
    """
    positive = negative = 0.0
    for t in range(labels.size):
        if labels[t] > 0.0:
            positive += counts[t]
        else:
            negative += counts[t]
    targets = np.empty(labels.size)
    for t in range(labels.size):
        targets[t] = (
            (positive + 1.0) / (positive + 2.0) if labels[t] > 0.0 else 1.0 / (negative + 2.0)
        )
    slope, offset = 0.0, math.log((negative + 1.0) / (positive + 1.0))
    loss = cross_entropy(values, targets, counts, slope, offset)
    for _ in range(MAX_NEWTON_STEPS):
        gradient_slope, gradient_offset, step_slope, step_offset = newton_step(
            values, targets, counts, slope, offset
        )
        if abs(gradient_slope) < GRADIENT_TOL and abs(gradient_offset) < GRADIENT_TOL:
            break
        descent = gradient_slope * step_slope + gradient_offset * step_offset
        length = 1.0
        while length >= LEAST_STEP:
            trial = cross_entropy(
                values, targets, counts, slope + length * step_slope, offset + length * step_offset
            )
            if trial < loss + 1e-4 * length * descent:
                break
            length /= 2.0
        if length < LEAST_STEP:
            break
        slope, offset, loss = slope + length * step_slope, offset + length * step_offset, trial
    return slope, offset


@compiled(at_once=True)
def cross_entropy(
    values: Vector, targets: Vector, counts: Vector, slope: float, offset: float
) -> float:
    """Return the negative log-likelihood, computed without overflow."""
    total = 0.0
    for t in range(values.size):
        z = values[t] * slope + offset
        target = targets[t] if z >= 0.0 else targets[t] - 1.0
        total += counts[t] * (target * z + math.log1p(math.exp(-abs(z))))
    return total


@compiled(at_once=True)
def newton_step(
    values: Vector, targets: Vector, counts: Vector, slope: float, offset: float
) -> tuple[float, float, float, float]:
    """Return the gradient in A and B and the Newton step."""
    h_aa, h_bb, h_ab = HESSIAN_RIDGE, HESSIAN_RIDGE, 0.0
    g_a, g_b = 0.0, 0.0
    for t in range(values.size):
        z = values[t] * slope + offset
        small = math.exp(-abs(z))
        p = small / (1.0 + small) if z >= 0.0 else 1.0 / (1.0 + small)
        curvature = counts[t] * p * (1.0 - p)
        h_aa += values[t] * values[t] * curvature
        h_bb += curvature
        h_ab += values[t] * curvature
        difference = counts[t] * (targets[t] - p)
        g_a += values[t] * difference
        g_b += difference
    determinant = h_aa * h_bb - h_ab * h_ab
    return (
        g_a,
        g_b,
        -(h_bb * g_a - h_ab * g_b) / determinant,
        -(h_aa * g_b - h_ab * g_a) / determinant,
    )


def fit_sigmoids(values: Vector, starts: Indices, counts: Vector) -> Vector:
    """Return A, B of each pair's sigmoid, shape (pairs, 2), fitted to its cross-validated values.

    The sigmoid is the probability of the first class of the pair. `values`, shape (pairs, m), and
    `starts` are those of `cross_validated_values`; row i counts `counts[i]` > 0 times.
    """
    return loop_over_pairs(sigmoids_of_pairs, starts)(values, starts, counts)


@compiled
def sigmoids_of_pairs(values: Vector, starts: Indices, counts: Vector) -> Vector:
    """Return what `fit_sigmoids` returns."""
    sigmoids = np.empty((number_of_pairs(starts.size - 1), 2))
    for pair in range(len(sigmoids)):
        rows, labels = rows_of_pair(starts, pair)
        sigmoids[pair, 0], sigmoids[pair, 1] = fit_sigmoid(
            taken(values[pair], rows), labels, taken(counts, rows)
        )
    return sigmoids


@compiled
def losses(
    values: Vector, sigmoids: Vector, starts: Indices, counts: Vector
) -> tuple[float, NDArray[np.bool_]]:
    """Return the log loss of all pairs' sigmoids, a mean over pairs' own rows, and rows that lose.

    A row loses if some pair's sigmoid gives its class half or less. The arguments are those of
    `fit_sigmoids`.
    """
    total, weight, lost = 0.0, 0.0, np.zeros(counts.size, np.bool_)
    for pair in range(len(sigmoids)):
        rows, labels = rows_of_pair(starts, pair)
        for k in range(rows.size):
            row = rows[k]
            z = labels[k] * (sigmoids[pair, 0] * values[pair, row] + sigmoids[pair, 1])
            total += counts[row] * (max(z, 0.0) + math.log1p(math.exp(-abs(z))))
            weight += counts[row]
            lost[row] |= z >= 0.0
    return total / weight, lost


def class_probabilities(values: NDArray[Any], sigmoids: Vector) -> NDArray[Any]:
    """Return the probabilities of the classes, shape (n_classes, n), by coupling the sigmoids.

    `values`, shape (pairs, n), are float32 or float64, and so are the probabilities of two classes;
    those of more classes are float64.
    """
    slopes, offsets = sigmoids.astype(values.dtype).T[:, :, None]
    pairwise = values * slopes
    pairwise += offsets
    with np.errstate(over="ignore"):  # exp(A f + B) = inf is the probability 0
        np.exp(pairwise, out=pairwise)
    pairwise += 1.0
    np.reciprocal(pairwise, out=pairwise)
    np.clip(pairwise, LEAST_PROBABILITY, 1.0 - LEAST_PROBABILITY, out=pairwise)
    if len(values) == 1:
        return np.vstack([pairwise, 1.0 - pairwise])
    return couple(pairwise)


def couple(pairwise: NDArray[Any]) -> Vector:
    """Return the p that minimise sum_{a<b} (r_ba p_a - r_ab p_b)^2 subject to sum p = 1.

    The result has shape (n_classes, n). `pairwise`, shape (pairs, n), holds r_ab in (0, 1), the
    probability of a among a and b. With the quadratic form Q the solution is proportional to (Q +
    11')^{-1} 1, which LIBSVM iterates to a tolerance; here it is computed by Cholesky's method for
    all columns at once. It has no negative entry.
    """
    n_pairs, n = pairwise.shape
    n_classes = round((1.0 + math.sqrt(1.0 + 8.0 * n_pairs)) / 2.0)
    form, solution = np.ones((n_classes, n_classes, n)), np.ones((n_classes, n))
    solve_coupling(np.ascontiguousarray(pairwise, dtype=np.float64), form, solution)
    solution = np.where(solution < 0.0, 0.0, solution)
    total = np.zeros(n)
    for row in solution:  # in a fixed order, so that the sum does not depend on n
        total += row
    return solution / total


@compiled
def solve_coupling(pairwise: Vector, form: Vector, solution: Vector) -> None:
    """Solve the equations of `couple`, up to a factor; both arrays must be filled with ones."""
    n_classes, pair = form.shape[0], 0
    for a in range(n_classes):
        for b in range(a + 1, n_classes):
            # The square of the pair, in the lower triangle of the forms
            of_aa, of_bb, of_ba = form[a, a], form[b, b], form[b, a]
            for t in range(pairwise.shape[1]):
                r = pairwise[pair, t]
                of_aa[t] += (1.0 - r) * (1.0 - r)
                of_bb[t] += r * r
                of_ba[t] -= r * (1.0 - r)
            pair += 1
    factorise(form)
    substitute(form, solution)


@compiled(at_once=True, error_model="numpy")
def factorise(form: Vector) -> None:
    """Overwrite lower triangles, (k, k, n), with Cholesky's factors, diagonals inverted."""
    k = form.shape[0]
    for column in range(k):
        for inner in range(column):
            for row in range(column, k):
                subtract_product(form[row, column], form[row, inner], form[column, inner])
        pivot = form[column, column]
        for t in range(pivot.size):
            pivot[t] = 1.0 / math.sqrt(pivot[t])
        for row in range(column + 1, k):
            multiply(form[row, column], pivot)


@compiled(inline=True)
def substitute(factor: Vector, solution: Vector) -> None:
    """Overwrite right-hand sides, shape (k, n), with solutions."""
    k = solution.shape[0]
    for row in range(k):
        for inner in range(row):
            subtract_product(solution[row], factor[row, inner], solution[inner])
        multiply(solution[row], factor[row, row])
    for row in range(k - 1, -1, -1):
        for inner in range(row + 1, k):
            subtract_product(solution[row], factor[inner, row], solution[inner])
        multiply(solution[row], factor[row, row])


@compiled(at_once=True)
def subtract_product(target: Vector, left: Vector, right: Vector) -> None:
    """Subtract left * right in place."""
    for t in range(target.size):
        target[t] -= left[t] * right[t]


@compiled(at_once=True)
def multiply(target: Vector, factor: Vector) -> None:
    """Multiply by a factor in place."""
    for t in range(target.size):
        target[t] *= factor[t]
