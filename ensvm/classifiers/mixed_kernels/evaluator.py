"""The values of many small machines at many rows: matrix products in float32.

Machines of one kernel share them. A machine for which float32 would be too coarse is evaluated in
float64, and so is a linear one, which is but a row of weights.
"""

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ensvm.classifiers.mixed_kernels.machines import KernelMachine, renumbered
from ensvm.classifiers.mixed_kernels.standardisation import Standardisation
from ensvm.kernels.augmented_rows import Kernel, Rows, apply_kernel, kernel_factor
from ensvm.solvers.one_vs_one import weighted_sums, winners

BLOCK = 512  # rows evaluated at once
PIECE = (
    256  # support vectors whose values at a block are made at once: they stay in a core's own cache
)
# Blocks are filled up to a multiple: BLAS has other routines for few columns, which round otherwise
COLUMNS = 64
TOLERATED_ROUNDING = (
    5e-4  # of f(x) in float32, roughly: signs are then those of float64 but for one value in 10^7
)

Entries: TypeAlias = tuple[NDArray[np.intp], NDArray[np.intp], NDArray[Any], NDArray[Any]]


class MachineEvaluator:
    """Evaluates machines whose `support` are positions in common rows.

    Parameters
    ----------
    machines : sequence of KernelMachine
        The machines.
    rows : Rows
        The rows in which their `support` are positions.
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
        """Yield each machine's index and its pairs' values, in any order.

        Parameters
        ----------
        queries : Rows
            n rows.

        Yields
        ------
        tuple of int and ndarray of shape (pairs, n)
            Machines of one class have no pairs and are left out.
        """
        n = len(queries)
        filled = (
            queries
            if n % COLUMNS == 0
            else queries.take(np.append(np.arange(n), np.zeros(-n % COLUMNS, int)))
        )
        squares = np.empty((0, 0))  # shared, and made when the first machine asks
        for group in self._groups:
            if group.standardisation is not None and not squares.size:
                squares = filled.exact[:, :-2] ** 2.0
            for index, values in group.values(filled, squares):
                yield index, values[:, :n]

    def codes(self, queries: Rows) -> NDArray[np.int16]:
        """Return the code of the class that each machine predicts.

        Parameters
        ----------
        queries : Rows
            n rows.

        Returns
        -------
        ndarray of int16, shape (n_machines, n)
            The codes.
        """
        codes = np.empty((len(self._machines), len(queries)), dtype=np.int16)
        for index, machine in enumerate(self._machines):
            if len(machine.classes) == 1:
                codes[index] = machine.classes[0]
        for index, values in self.values(queries):
            classes = self._machines[index].classes
            codes[index] = classes[winners(values, classes.size)]
        return codes


def blocks(n: int, length: int = BLOCK) -> Iterator[slice]:
    """Yield slices that cover n rows."""
    for start in range(0, n, length):
        yield slice(start, min(start + length, n))


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
        self.standardisation = machines[0].standardisation
        self._kernel = kernel
        self._dtype = dtype
        self._factor = _factor(rows.take(needed), kernel, self.standardisation, dtype)
        self._entries = [
            (index, _entries(machine, dtype))
            for index, machine in zip(indices, machines, strict=True)
        ]

    def values(
        self, queries: Rows, squares: NDArray[np.float64]
    ) -> Iterator[tuple[int, NDArray[Any]]]:
        """Yield the machines' values; `squares` are those of the queries' inputs."""
        right = queries.augmented(self._dtype).T
        if self.standardisation is not None:
            right = right.copy()
            right[-1] = self.standardisation.norms(queries, squares)
        shared = np.empty((len(self._factor), len(queries)), dtype=self._dtype)
        for piece in blocks(len(self._factor), PIECE):
            np.matmul(self._factor[piece], right, out=shared[piece])
            apply_kernel(shared[piece], self._kernel)
        for index, entries in self._entries:
            yield index, weighted_sums(*entries, shared)


class _LinearMachine:
    """A linear machine: f(x) = <w, x> + b, an augmented row for each of its pairs."""

    def __init__(self, index: int, machine: KernelMachine, rows: Rows) -> None:
        self._index = index
        self.standardisation = None  # it is in the weights
        self._weights = machine.dual_coef @ _factor(
            rows.take(machine.support), machine.kernel, machine.standardisation, np.float64
        )
        self._weights[:, -2] += machine.intercept

    def values(self, queries: Rows, _: Any) -> Iterator[tuple[int, NDArray[Any]]]:
        yield self._index, self._weights @ queries.exact.T


def _factor(
    rows: Rows,
    kernel: Kernel,
    standardisation: Standardisation | None,
    dtype: type[np.floating],
) -> NDArray[Any]:
    if standardisation is None:
        return kernel_factor(rows, kernel, dtype)
    return standardisation.factor(rows, kernel).astype(dtype)


def _precision(machine: KernelMachine) -> type[np.floating]:
    powers = max(
        machine.kernel.degree, 1
    )  # each of which multiplies the relative rounding of what is raised
    rounding = float(np.finfo(np.float32).eps) * powers * machine.magnitude
    return np.float32 if rounding <= TOLERATED_ROUNDING else np.float64


def _entries(machine: KernelMachine, dtype: type[np.floating]) -> Entries:
    """Return the pairs' coefficients as `weighted_sums` takes them."""
    pairs, columns = np.nonzero(machine.dual_coef)
    starts = np.searchsorted(pairs, np.arange(len(machine.dual_coef) + 1))
    coefficients = machine.dual_coef[pairs, columns].astype(dtype)
    return starts, machine.support[columns], coefficients, machine.intercept.astype(dtype)
