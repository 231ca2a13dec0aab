"""Small soft-margin machines on samples of the same rows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ensvm.classifiers.mixed_kernels.standardisation import Standardisation, standardisation_of
from ensvm.kernels.augmented_rows import Kernel, Rows, kernel_matrix
from ensvm.solvers.one_vs_one import cross_validated_values, pairwise_machines
from ensvm.solvers.platt_scaling import fit_sigmoids
from ensvm.solvers.sequential_minimal_optimization import MAX_ITER


@dataclass(frozen=True)
class KernelMachine:
    """The soft-margin machines of every pair of the k classes in a sample.

    Each is f(x) = sum_i dual_coef_i k(x_i, x) + intercept, where x_i and x are standardised first
    if the machine standardises its inputs.

    Attributes
    ----------
    kernel : Kernel
        Their kernel.
    classes : ndarray of int, shape (k,)
        The codes of the classes in the sample, sorted; with k = 1 there are no pairs and no
        support.
    support : ndarray of int, shape (s,)
        The positions of the rows with a coefficient in some pair, those of a class together.
    dual_coef : ndarray of shape (k (k - 1) / 2, s)
        y_i alpha_i, the pairs in the order of `ensvm.solvers.one_vs_one`.
    intercept : ndarray of shape (k (k - 1) / 2,)
        Of each pair.
    certificate : float
        The largest violation of the optimality conditions of a pair, in units of y f(x).
    magnitude : float
        The largest sum_i |dual_coef_i| k(x_i, x_i) of a pair: f(x) is known to its rounding, at
        best.
    n_iter : int
        The steps of SMO, all pairs together.
    sigmoids : ndarray of shape (k (k - 1) / 2, 2) or None
        A and B of each pair's probability 1 / (1 + exp(A f(x) + B)) of its first class; None where
        none were fitted.
    standardisation : Standardisation or None
        What is done to the inputs first; None where they are taken as they are.
    """

    kernel: Kernel
    classes: NDArray[np.intp]
    support: NDArray[np.intp]
    dual_coef: NDArray[np.float64]
    intercept: NDArray[np.float64]
    certificate: float
    magnitude: float
    n_iter: int
    sigmoids: NDArray[np.float64] | None = None
    standardisation: Standardisation | None = None


def train_machine(
    rows: Rows,
    codes: NDArray[np.intp],
    sample: NDArray[np.intp],
    counts: NDArray[np.intp],
    kernel: Kernel,
    *,
    C: float,
    tol: float,
    standardised: NDArray[np.bool_] | None = None,
    order: NDArray[np.intp] | None = None,
    max_iter: int = MAX_ITER,
    costs: NDArray[np.float64] | None = None,
) -> KernelMachine:
    """Train on the rows `sample`, each of them taken `counts` times.

    A row taken c times is the same as one whose bound is c C. So is one of a class whose cost is c;
    the sigmoids count it c times too, for they would undo the costs otherwise.

    Parameters
    ----------
    rows : Rows
        n rows.
    codes : ndarray of int, shape (n,)
        Their classes.
    sample : ndarray of int, shape (m,)
        Distinct positions in `rows`, sorted by class.
    counts : ndarray of int, shape (m,)
        How often each is taken, >= 1.
    kernel : Kernel
        The kernel.
    C : float
        The bound of a row taken once, positive.
    tol : float
        The violation of the optimality conditions at which a pair's training ends, positive.
    standardised : ndarray of bool, shape (d,), or None, default None
        The columns that are standardised by the sample's own mean and deviation; None for none.
        Where one of them is constant in the sample, none is.
    order : ndarray of int, shape (m,), or None, default None
        A permutation of range(m), which deals the sample into the folds from which the sigmoids
        are fitted; None fits none.
    max_iter : int
        The most steps for a pair.
    costs : ndarray of shape (n_classes,), or None, default None
        What multiplies the bound of the rows of each class, positive; None for 1.

    Returns
    -------
    KernelMachine
        The machines of the pairs; of a sample of one class a constant.

    Raises
    ------
    ValueError
        Where kernel values leave the range of float32.
    """
    present, starts = np.unique(codes[sample], return_index=True)
    if present.size == 1:
        sigmoids = None if order is None else np.empty((0, 2))
        return KernelMachine(
            kernel, present, sample[:0], np.empty((0, 0)), np.empty(0), 0.0, 0.0, 0, sigmoids
        )
    starts = np.append(starts, sample.size)
    chosen = rows.take(sample)
    scaling = None if standardised is None else standardisation_of(chosen, counts, standardised)
    gram = kernel_matrix(chosen if scaling is None else scaling.applied_to(chosen), kernel)
    weights = counts.astype(np.float64)
    if costs is not None:
        weights *= costs[codes[sample]]
    upper = C * weights
    coefficients, intercepts, violations, steps = pairwise_machines(
        gram, starts, upper, tol, max_iter
    )
    sigmoids = None
    if order is not None:
        values = cross_validated_values(gram, starts, upper, order, tol, max_iter)
        sigmoids = fit_sigmoids(values, starts, weights)
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
        standardisation=scaling,
    )


def renumbered(machines: Sequence[KernelMachine]) -> tuple[list[KernelMachine], NDArray[np.intp]]:
    """Return the machines with `support` counted among the rows they need, and these, sorted."""
    needed = np.unique(np.concatenate([machine.support for machine in machines]))
    return [
        replace(machine, support=np.searchsorted(needed, machine.support)) for machine in machines
    ], needed
