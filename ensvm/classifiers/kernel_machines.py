"""Small soft-margin machines on samples of the same rows: trained, standardised, evaluated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ensvm.array_types import for_reading
from ensvm.kernels.augmented_rows import (
    Rows,
    augment,
    fill_values,
    kernel_factor,
    kernel_matrix,
)
from ensvm.kernels.gram_matrix import slices
from ensvm.kernels.named_kernels import Kernel
from ensvm.solvers.linear_pairs import linear_cross_validated_values, linear_pairs
from ensvm.solvers.one_vs_one import (
    PairMachines,
    cross_validated_values,
    pairwise_machines,
    weighted_sums,
    winners,
)
from ensvm.solvers.platt_scaling import fit_sigmoids
from ensvm.solvers.sequential_minimal_optimization import MAX_ITER

# From so many rows of a linear machine on, interior points are faster than its matrix and SMO.
MANY_ROWS = 600
BLOCK = 512  # rows evaluated at once
# Support vectors whose values at a block are made at once, so that they stay in a core's cache
PIECE = 256
# Blocks are padded to a multiple of this: BLAS rounds differently for a few columns.
COLUMNS = 64
# The rounding of f(x) in float32 up to which signs are those of float64, but for one in 10^7
TOLERATED_ROUNDING = 5e-4

Entries: TypeAlias = tuple[NDArray[np.intp], NDArray[np.intp], NDArray[Any], NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Standardisation:
    """The map z = (x - centre - shift) / spread of rows, whose centre is that of the `Rows`.

    This is what `svm` of the R package e1071 does by its own default (argument `scale`; Meyer et
    al., TU Wien).
    """

    shift: NDArray[np.float64]
    """Shape (d,), subtracted from the centred columns."""
    spread: NDArray[np.float64]
    """Shape (d,), positive."""

    def applied_to(self, rows: Rows) -> Rows:
        """Return the rows z of rows x, centred on 0."""
        return Rows(self._scaled(rows), np.zeros_like(self.shift))

    def augmented(self, rows: Rows, dtype: type[np.floating]) -> NDArray[Any]:
        """Return the rows z of rows x as `Rows.augmented` does, in this precision alone."""
        with np.errstate(over="ignore", invalid="ignore"):
            return augment(self._scaled(rows), np.zeros_like(self.shift), dtype)

    def _scaled(self, rows: Rows) -> NDArray[np.float64]:
        return (rows.exact[:, :-2] - self.shift) / self.spread


def standardised(rows: Rows, standardisation: Standardisation | None) -> Rows:
    """Return the rows as a machine takes them."""
    return rows if standardisation is None else standardisation.applied_to(rows)


def augmented(
    rows: Rows, standardisation: Standardisation | None, dtype: type[np.floating]
) -> NDArray[Any]:
    """Return the rows as a machine takes them, as `Rows.augmented` does."""
    if standardisation is None:
        return rows.augmented(dtype)
    return standardisation.augmented(rows, dtype)


def standardised_columns(X: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which columns are standardised, shape (d,): all but those of exactly two values.

    e1071 leaves the indicators of a factor as they are and does not look whether they are constant.
    """
    low, high = X.min(axis=0), X.max(axis=0)
    return (low == high) | ((low != X) & (high != X)).any(axis=0)


def standardised_inputs(X: NDArray[np.float64], columns: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the rows as a machine that is trained on all of them takes them, shape (n, d)."""
    rows = Rows(X, X.mean(axis=0))
    standardisation = standardisation_of(rows, np.ones(len(X), dtype=np.intp), columns)
    return X if standardisation is None else standardisation.applied_to(rows).exact[:, :-2]


def standardisation_of(
    rows: Rows, counts: NDArray[np.intp], columns: NDArray[np.bool_]
) -> Standardisation | None:
    """Return the standardisation to mean 0 and deviation 1 (ddof 1) of some columns of a sample.

    `counts` says how often each of the distinct rows is in the sample. The result is None if one of
    the columns is constant in it: e1071 then scales nothing.
    """
    X = rows.exact[:, :-2]
    if not columns.any() or not np.ptp(X[:, columns], axis=0).all():
        return None
    total = counts.sum()
    mean = counts @ X / total
    deviation = np.sqrt(counts @ (X - mean) ** 2.0 / (total - 1))
    if not deviation[columns].all():  # so near to one value that its squares are 0
        return None
    return Standardisation(np.where(columns, mean, -rows.centre), np.where(columns, deviation, 1.0))


@dataclass(frozen=True)
class KernelMachine:
    """The soft-margin machines of every pair of the k classes in a sample.

    Each is f(x) = sum_i dual_coef_i k(x_i, x) + intercept, where x_i and x are standardised first
    if there is a `standardisation`. With k = 1 there are no pairs and no support.

    Attributes
    ----------
    kernel : Kernel
        Their kernel.
    classes : ndarray of int, shape (k,)
        The codes of the classes in the sample, sorted.
    support : ndarray of int, shape (s,)
        The positions of the rows with a coefficient in some pair, those of a class together.
    dual_coef : ndarray of shape (k (k - 1) / 2, s)
        y_i alpha_i, the pairs in the order of `ensvm.solvers.one_vs_one`.
    intercept : ndarray of shape (k (k - 1) / 2,)
        The intercept of each pair.
    certificate : float
        The largest violation of the optimality conditions of a pair, in units of y f(x).
    magnitude : float
        The largest sum_i |dual_coef_i| k(x_i, x_i) of a pair: f(x) has its rounding, at best.
    n_iter : int
        The steps of the solver, all pairs together.
    sigmoids : ndarray of shape (k (k - 1) / 2, 2) or None
        A and B of each pair's probability 1 / (1 + exp(A f(x) + B)) of its first class; None if
        none were fitted.
    standardisation : Standardisation or None
        What is done to the inputs first; None if they are taken as they are.
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
    columns: NDArray[np.bool_] | None = None,
    order: NDArray[np.intp] | None = None,
    max_iter: int = MAX_ITER,
    costs: NDArray[np.float64] | None = None,
) -> KernelMachine:
    """Return the machines trained on the rows `sample`, row i taken counts[i] times.

    `sample` are distinct positions in `rows`, sorted by class. A row taken c times is the same as
    one whose bound is c C. So is one of a class whose cost is c; the sigmoids count it c times too,
    otherwise they would undo the costs. `columns` are those that are standardised by the sample's
    own mean and deviation. `order`, a permutation of range(m), deals the sample into the folds from
    which the sigmoids are fitted; None fits none.

    Raises ValueError if kernel values leave the range of float32.
    """
    present, starts = np.unique(codes[sample], return_index=True)
    if present.size == 1:
        sigmoids = None if order is None else np.empty((0, 2))
        return KernelMachine(
            kernel, present, sample[:0], np.empty((0, 0)), np.empty(0), 0.0, 0.0, 0, sigmoids
        )
    starts = np.append(starts, sample.size)
    chosen = rows.take(sample)
    scaling = None if columns is None else standardisation_of(chosen, counts, columns)
    weights = counts.astype(np.float64)
    if costs is not None:
        weights *= costs[codes[sample]]
    solved = _solved(
        standardised(chosen, scaling), kernel, starts, C * weights, order, tol, max_iter
    )
    pairs = solved.pairs
    sigmoids = None
    if solved.held_out_values is not None:
        sigmoids = fit_sigmoids(solved.held_out_values, starts, weights)
    support = np.flatnonzero(pairs.coefficients.any(axis=0))
    return KernelMachine(
        kernel,
        classes=present,
        support=sample[support],
        dual_coef=pairs.coefficients[:, support],
        intercept=pairs.intercepts,
        certificate=float(pairs.violations.max()),
        magnitude=float((np.abs(pairs.coefficients) @ solved.diagonal).max()),
        n_iter=int(pairs.steps.sum()),
        sigmoids=sigmoids,
        standardisation=scaling,
    )


class _Solved(NamedTuple):
    pairs: PairMachines
    held_out_values: NDArray[np.float64] | None  # of `cross_validated_values`
    diagonal: NDArray[Any]  # k(x_i, x_i), shape (m,)


def _solved(
    rows: Rows,
    kernel: Kernel,
    starts: NDArray[np.intp],
    upper: NDArray[np.float64],
    order: NDArray[np.intp] | None,
    tol: float,
    max_iter: int,
) -> _Solved:
    """Return the machines of all pairs, and with an `order` the values from their folds.

    Linear machines with fewer columns than rows are solved by interior points where sequential
    minimal optimization takes longer or does not end.
    """
    inputs = rows.exact[:, :-2]
    narrow = kernel.name == "linear" and inputs.shape[1] < len(rows)
    by_steps = not narrow or len(rows) < MANY_ROWS
    if by_steps:
        gram = for_reading(kernel_matrix(rows, kernel))
        pairs, diagonal = pairwise_machines(gram, starts, upper, tol, max_iter), np.diag(gram)
        by_steps = not narrow or bool(pairs.violations.max() <= tol)
    if not by_steps:
        inputs = inputs + rows.centre
        pairs = linear_pairs(inputs, starts, upper, tol)
        diagonal = np.einsum("ij,ij->i", inputs, inputs)
    if order is None:
        values = None
    elif by_steps:
        values = cross_validated_values(gram, starts, upper, order, tol, max_iter)
    else:
        values = linear_cross_validated_values(inputs, starts, upper, order, tol)
    return _Solved(pairs, values, diagonal)


def renumbered(machines: Sequence[KernelMachine]) -> tuple[list[KernelMachine], NDArray[np.intp]]:
    """Return the machines with `support` counted among the rows they need, and these, sorted."""
    needed = np.unique(np.concatenate([machine.support for machine in machines]))
    return [
        replace(machine, support=np.searchsorted(needed, machine.support)) for machine in machines
    ], needed


class MachineEvaluator:
    """Evaluates machines whose `support` are positions in common rows.

    Machines of one kernel share matrix products in float32. A machine for which float32 would be
    too coarse is evaluated in float64, and so is a linear one, which is only a row of weights.
    """

    def __init__(self, machines: Sequence[KernelMachine], rows: Rows) -> None:
        self._machines = machines
        self._groups: list[_Group | _LinearMachine] = []
        groups: dict[tuple[Kernel, type[np.floating], int], list[int]] = {}
        for index, machine in enumerate(machines):
            if machine.kernel.name == "linear" and len(machine.intercept):
                self._groups.append(_LinearMachine(index, machine, rows))
            elif len(machine.intercept):
                # Machines that standardise their inputs share no kernel values.
                own = -1 if machine.standardisation is None else index
                key = machine.kernel, _precision(machine), own
                groups.setdefault(key, []).append(index)
        for (kernel, dtype, _), indices in groups.items():
            self._groups.append(
                _Group(kernel, dtype, indices, [machines[index] for index in indices], rows)
            )

    def values(self, queries: Rows) -> Iterator[tuple[int, NDArray[Any]]]:
        """Yield each machine's index and its pairs' values, shape (pairs, n), in any order.

        Machines of one class have no pairs and are left out.
        """
        n = len(queries)
        filled = queries
        if n % COLUMNS:
            filled = queries.take(np.append(np.arange(n), np.zeros(-n % COLUMNS, int)))
        for group in self._groups:
            for index, values in group.values(filled):
                yield index, values[:, :n]

    def codes(self, queries: Rows) -> NDArray[np.int16]:
        """Return the code of the class that each machine predicts, shape (n_machines, n)."""
        codes = np.empty((len(self._machines), len(queries)), dtype=np.int16)
        for index, machine in enumerate(self._machines):
            if len(machine.classes) == 1:
                codes[index] = machine.classes[0]
        for index, values in self.values(queries):
            classes = self._machines[index].classes
            codes[index] = classes[winners(np.ascontiguousarray(values), classes.size)]
        return codes


class _Group:
    """Machines of one kernel, whose values are made once for the support vectors of all of them."""

    def __init__(
        self,
        kernel: Kernel,
        dtype: type[np.floating],
        indices: list[int],
        machines: list[KernelMachine],
        rows: Rows,
    ) -> None:
        machines, needed = renumbered(machines)
        self._standardisation = machines[0].standardisation
        self._kernel = kernel
        self._dtype = dtype
        support = standardised(rows.take(needed), self._standardisation)
        self._factor = kernel_factor(support.augmented(dtype), support.centre, kernel)
        self._entries = [
            (index, _entries(machine, dtype))
            for index, machine in zip(indices, machines, strict=True)
        ]

    def values(self, queries: Rows) -> Iterator[tuple[int, NDArray[Any]]]:
        """Yield the machines' values at some rows."""
        right = augmented(queries, self._standardisation, self._dtype)
        shared = np.empty((len(self._factor), len(queries)), dtype=self._dtype)
        for piece in slices(len(self._factor), PIECE):
            fill_values(self._factor[piece], right, self._kernel, shared[piece])
        for index, entries in self._entries:
            yield index, weighted_sums(*entries, for_reading(shared))


class _LinearMachine:
    """A linear machine: f(x) = <w, x> + b, an augmented row for each of its pairs."""

    def __init__(self, index: int, machine: KernelMachine, rows: Rows) -> None:
        self._index = index
        self._standardisation = machine.standardisation
        support = standardised(rows.take(machine.support), self._standardisation)
        factor = kernel_factor(support.exact, support.centre, machine.kernel)
        self._weights = machine.dual_coef @ factor
        self._weights[:, -2] += machine.intercept

    def values(self, queries: Rows) -> Iterator[tuple[int, NDArray[Any]]]:
        rows = augmented(queries, self._standardisation, np.float64)
        yield self._index, self._weights @ rows.T


def _precision(machine: KernelMachine) -> type[np.floating]:
    # Each power multiplies the relative rounding of what is raised.
    powers = max(machine.kernel.degree, 1)
    rounding = float(np.finfo(np.float32).eps) * powers * machine.magnitude
    return np.float32 if rounding <= TOLERATED_ROUNDING else np.float64


def _entries(machine: KernelMachine, dtype: type[np.floating]) -> Entries:
    """Return the pairs' coefficients as `weighted_sums` takes them."""
    pairs, columns = np.nonzero(machine.dual_coef)
    starts = np.searchsorted(pairs, np.arange(len(machine.dual_coef) + 1))
    coefficients = machine.dual_coef[pairs, columns].astype(dtype)
    return starts, machine.support[columns], coefficients, machine.intercept.astype(dtype)
