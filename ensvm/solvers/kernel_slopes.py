"""How steep machines are along each column: the diagonal of the gradient outer product.

The gradient of f(x) = sum_j u_j k(x_j, x) + b is known in closed form. Its mean square over the
rows says how much each column matters; multiplying the columns with the roots of these numbers
makes a kernel that looks more closely at those that matter.

References: Trivedi, Wang, Kpotufe & Shakhnarovich, A consistent estimator of the expected gradient
outerproduct, UAI 2014. Radhakrishnan, Beaglehole, Pandit & Belkin, Mechanism for feature learning
in neural networks and backpropagation-free machine learning models, Science 383, 2024.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.array_types import Indices, Vector
from ensvm.compiled import compiled
from ensvm.kernels.gram_matrix import gram
from ensvm.solvers.one_vs_one import PairMachines, rows_of_pair


def mean_square_slopes(
    inputs: Vector,
    starts: Indices,
    counts: Vector,
    machines: PairMachines,
    slopes: Vector,
    *,
    kernel: str,
    gamma: float,
) -> Vector:
    """Return the mean square of df/dx_j over each pair's own rows and all pairs, shape (d,).

    `inputs`, shape (m, d), are sorted by class as `starts` says, and row i counts counts[i] times.
    The f of a pair is multiplied with its entry of `slopes`, shape (pairs,). The `kernel` is 'rbf'
    or 'laplacian'.
    """
    total, weight = np.zeros(inputs.shape[1]), 0.0
    for pair, coefficients in enumerate(machines.coefficients):
        rows, _ = rows_of_pair(starts, pair)
        support = rows[coefficients[rows] != 0.0]
        at, near = np.ascontiguousarray(inputs[rows]), np.ascontiguousarray(inputs[support])
        scaled = slopes[pair] * coefficients[support]
        values = gram(at, near, kernel=kernel, gamma=gamma) * scaled
        if kernel == "laplacian":
            gradients = gamma * signed_sums(values, at, near)
        else:
            gradients = 2.0 * gamma * (values.sum(axis=1)[:, None] * at - values @ near)
        total += counts[rows] @ np.square(gradients)
        weight += counts[rows].sum()
    return total / weight


@compiled
def signed_sums(values: NDArray[Any], at: Vector, near: Vector) -> Vector:
    """Return the sums over s of values[i, s] sign(at[i, j] - near[s, j]), shape (n, d)."""
    sums = np.zeros(at.shape)
    for i in range(at.shape[0]):
        point, target = at[i], sums[i]
        for s in range(near.shape[0]):
            value, other = values[i, s], near[s]
            for j in range(point.size):
                target[j] += value * np.sign(point[j] - other[j])
    return sums
