"""Small soft-margin machines on samples of the same rows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ensvm.kernels.augmented_rows import Kernel, Rows, kernel_matrix
from ensvm.solvers.pairwise.one_vs_one import cross_validated_values, pairwise_machines
from ensvm.solvers.pairwise.platt_scaling import fit_sigmoids
from ensvm.solvers.pairwise.sequential_minimal_optimization import MAX_ITER


@dataclass(frozen=True)
class KernelMachine:
    """The soft-margin machines of every pair of classes in a sample, each f(x) = sum_i dual_coef_i k(x_i, x) + intercept."""

    kernel: Kernel
    classes: NDArray[np.intp]
    """shape (k,), the codes of the classes in the sample, sorted; with k = 1 there are no pairs and no support"""
    support: NDArray[np.intp]
    """shape (s,), places of the rows with a coefficient in some pair, those of a class beside each other"""
    dual_coef: NDArray[np.float64]
    """shape (k (k - 1) / 2, s), y_i alpha_i, pairs in the order of `ensvm.solvers.pairwise.one_vs_one`"""
    intercept: NDArray[np.float64]
    """shape (k (k - 1) / 2,)"""
    certificate: float
    """the largest violation of the optimality conditions of a pair, in units of y f(x)"""
    magnitude: float
    """the largest sum_i |dual_coef_i| k(x_i, x_i) of a pair: f(x) is known to its rounding, at best"""
    n_iter: int
    sigmoids: NDArray[np.float64] | None = None
    """shape (k (k - 1) / 2, 2), A and B of each pair's probability 1 / (1 + exp(A f(x) + B)) of its first class"""


def train_machine(
    rows: Rows,
    codes: NDArray[np.intp],
    sample: NDArray[np.intp],
    counts: NDArray[np.intp],
    kernel: Kernel,
    *,
    C: float,
    tol: float,
    order: NDArray[np.intp] | None = None,
    max_iter: int = MAX_ITER,
) -> KernelMachine:
    """Train on the rows `sample`, each of them taken `counts` times, which is the same as a bound of C times as much.

    Parameters
    ----------
    rows, codes : n rows and their classes, shape (n,)
    sample : array of shape (m,), distinct places in `rows`, sorted by class
    counts : array of shape (m,), >= 1
    kernel, C, tol, max_iter : as of the machine of each pair
    order : permutation of range(m), deals the sample into the folds from which the sigmoids are
        fitted; None fits none

    Raises ValueError where kernel values leave the range of float32.
    """
    present, starts = np.unique(codes[sample], return_index=True)
    if present.size == 1:
        sigmoids = None if order is None else np.empty((0, 2))
        return KernelMachine(
            kernel, present, sample[:0], np.empty((0, 0)), np.empty(0), 0.0, 0.0, 0, sigmoids
        )
    starts = np.append(starts, sample.size)
    gram = kernel_matrix(rows.take(sample), kernel)
    upper = C * counts.astype(np.float64)
    coefficients, intercepts, violations, steps = pairwise_machines(
        gram, starts, upper, tol, max_iter
    )
    sigmoids = None
    if order is not None:
        values = cross_validated_values(gram, starts, upper, order, tol, max_iter)
        sigmoids = fit_sigmoids(values, starts, counts.astype(np.float64))
    support = np.flatnonzero(coefficients.any(axis=0))
    return KernelMachine(
        kernel,
        classes=present,
        support=sample[support],
        dual_coef=coefficients[:, support],
        intercept=intercepts,
        certificate=float(violations.max()),
        magnitude=float((np.abs(coefficients) @ np.diag(gram)).max()),
        n_iter=int(steps.sum()),
        sigmoids=sigmoids,
    )


def renumbered(machines: Sequence[KernelMachine]) -> tuple[list[KernelMachine], NDArray[np.intp]]:
    """Return the machines with `support` counted among the rows that any of them needs, and those rows, sorted."""
    needed = np.unique(np.concatenate([machine.support for machine in machines]))
    return [
        replace(machine, support=np.searchsorted(needed, machine.support)) for machine in machines
    ], needed
