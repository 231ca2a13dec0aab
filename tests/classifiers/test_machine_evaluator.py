"""Values of many machines: those of each alone, however product and rows are shared out."""

import numpy as np
import pytest
from numpy.typing import NDArray

from ensvm.classifiers.kernel_machines import KernelMachine, MachineEvaluator, blocks, train_machine
from ensvm.kernels import gram
from ensvm.kernels.augmented_rows import Kernel, Rows

KERNELS = (Kernel("rbf", 0.5), Kernel("poly", 0.5, 3, 1.0), Kernel("linear"), Kernel("rbf", 0.1))


def trained(
    kernels: tuple[Kernel, ...], *, offset: float = 0.0, C: float = 1.0, members: int = 2
) -> tuple[list[KernelMachine], Rows, NDArray[np.float64]]:
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(3), 40)
    X = rng.normal(size=(120, 2)) + codes[:, None] + offset
    rows = Rows(X, X.mean(axis=0))
    machines = []
    for kernel in kernels * members:
        sample, counts = np.unique(rng.integers(120, size=60), return_counts=True)
        machines.append(train_machine(rows, codes, sample, counts, kernel, C=C, tol=1e-3))
    return machines, rows, X


def exact_values(machine: KernelMachine, X: NDArray[np.float64]) -> NDArray[np.float64]:
    kernel = machine.kernel
    settings = {"gamma": kernel.gamma or 1.0, "degree": kernel.degree, "coef0": kernel.coef0}
    K = gram(X[machine.support], X, kernel=kernel.name, **settings)
    return machine.dual_coef @ K + machine.intercept[:, None]


def test_every_machine_has_the_values_that_it_has_alone() -> None:
    machines, rows, X = trained(KERNELS)
    found = dict(MachineEvaluator(machines, rows).values(rows))
    assert sorted(found) == list(range(len(machines)))
    for index, machine in enumerate(machines):
        ((_, alone),) = MachineEvaluator([machine], rows).values(rows)
        np.testing.assert_allclose(found[index], alone, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(found[index], exact_values(machine, X), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("kernel", KERNELS[:3], ids=lambda kernel: kernel.name)
def test_values_do_not_depend_on_the_rows_beside(kernel: Kernel) -> None:
    machines, rows, _ = trained((kernel,))
    evaluator = MachineEvaluator(machines, rows)
    together = dict(evaluator.values(rows))
    for index, values in evaluator.values(rows.take(np.array([5]))):
        np.testing.assert_allclose(values[:, 0], together[index][:, 5], rtol=1e-7, atol=1e-7)


def test_a_machine_too_coarse_for_float32_is_evaluated_in_float64() -> None:
    # Far from the origin the polynomial kernel's values are so large that float32 holds nothing of
    # the differences.
    machines, rows, X = trained((Kernel("poly", 0.5, 3, 1.0),), offset=60.0)
    for index, values in MachineEvaluator(machines, rows).values(rows):
        assert values.dtype == np.float64
        scale = machines[index].magnitude
        np.testing.assert_allclose(
            values, exact_values(machines[index], X), rtol=1e-6, atol=1e-12 * scale
        )
    machines, rows, _ = trained((Kernel("poly", 0.5, 3, 1.0),), C=1e-3)
    assert {values.dtype for _, values in MachineEvaluator(machines, rows).values(rows)} == {
        np.dtype(np.float32)
    }


def test_blocks_cover_all_rows_once() -> None:
    assert [(block.start, block.stop) for block in blocks(7, 3)] == [(0, 3), (3, 6), (6, 7)]
    assert not list(blocks(0))
