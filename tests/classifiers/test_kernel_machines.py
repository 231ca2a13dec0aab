"""Small machines: LIBSVM's on the same sample, with rows counted instead of repeated."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.svm import SVC

from ensvm.classifiers.kernel_machines import (
    KernelMachine,
    MachineEvaluator,
    renumbered,
    train_machine,
)
from ensvm.kernels.augmented_rows import Kernel, Rows

KERNELS = pytest.mark.parametrize(
    "kernel",
    [Kernel("linear"), Kernel("rbf", 0.5), Kernel("poly", 0.5, 3, 1.0)],
    ids=lambda kernel: kernel.name,
)


def training(n_classes: int) -> tuple[Rows, NDArray[np.intp], NDArray[np.float64]]:
    rng = np.random.default_rng(n_classes)
    codes = np.sort(rng.integers(n_classes, size=150))
    X = rng.normal(size=(150, 3)) + np.column_stack([codes % 2, codes // 2, codes % 3])
    return Rows(X, X.mean(axis=0)), codes, X


def drawn(rng: np.random.Generator) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    return np.unique(rng.integers(150, size=100), return_counts=True)


def machine_of(n_classes: int, kernel: Kernel, **settings: Any) -> tuple[KernelMachine, Rows]:
    rows, codes, _ = training(n_classes)
    sample, counts = drawn(np.random.default_rng(0))
    return train_machine(
        rows, codes, sample, counts, kernel, **{"C": 10.0, "tol": 1e-3, **settings}
    ), rows


@KERNELS
@pytest.mark.parametrize("n_classes", [2, 5])
def test_it_predicts_as_libsvm_does_on_the_repeated_rows(n_classes: int, kernel: Kernel) -> None:
    rows, codes, X = training(n_classes)
    machine, _ = machine_of(n_classes, kernel, tol=1e-6)
    sample, counts = drawn(np.random.default_rng(0))
    repeated = np.repeat(sample, counts)
    settings = {
        "gamma": kernel.gamma or 1.0,
        "degree": 3,
        "coef0": kernel.coef0,
        "decision_function_shape": "ovo",
    }
    peer = SVC(kernel=kernel.name, C=10.0, tol=1e-6, **settings).fit(X[repeated], codes[repeated])
    ((_, values),) = MachineEvaluator([machine], rows).values(rows)
    decision = peer.decision_function(X).reshape(150, -1)
    np.testing.assert_allclose(np.abs(values.T), np.abs(decision), atol=2e-3)
    clear = (np.abs(decision) > 1e-4).all(axis=1)
    assert clear.sum() > 140
    predicted = MachineEvaluator([machine], rows).codes(rows)[0]
    np.testing.assert_array_equal(predicted[clear], peer.predict(X)[clear])


@KERNELS
def test_what_it_says_of_itself(kernel: Kernel) -> None:
    machine, _ = machine_of(3, kernel)
    assert machine.certificate <= 1e-3
    assert machine.n_iter > 0
    assert machine.classes.tolist() == [0, 1, 2]
    assert machine.dual_coef.shape == (3, machine.support.size)
    assert np.abs(machine.dual_coef).max(axis=0).min() > 0.0
    np.testing.assert_allclose(machine.dual_coef.sum(axis=1), 0.0, atol=1e-9)
    assert machine.sigmoids is None
    if kernel.name == "rbf":
        assert machine.magnitude == pytest.approx(np.abs(machine.dual_coef).sum(axis=1).max())


def test_sigmoids_are_fitted_on_request_and_fall_with_the_value() -> None:
    order = np.random.default_rng(0).permutation(drawn(np.random.default_rng(0))[0].size)
    machine, _ = machine_of(3, Kernel("rbf", 0.5), order=order)
    plain, _ = machine_of(3, Kernel("rbf", 0.5))
    np.testing.assert_array_equal(machine.dual_coef, plain.dual_coef)
    assert machine.sigmoids is not None
    assert machine.sigmoids.shape == (3, 2)
    assert (machine.sigmoids[:, 0] < 0.0).all()


def test_a_sample_of_one_class_is_the_constant_machine() -> None:
    rows, codes, _ = training(3)
    sample = np.flatnonzero(codes == 1)
    machine = train_machine(
        rows, codes, sample, np.ones_like(sample), Kernel("rbf", 1.0), C=1.0, tol=1e-3
    )
    assert (machine.classes.tolist(), machine.support.size, machine.certificate) == ([1], 0, 0.0)
    assert (MachineEvaluator([machine], rows).codes(rows) == 1).all()
    assert not list(MachineEvaluator([machine], rows).values(rows))


def test_a_sample_that_misses_a_class_never_predicts_it() -> None:
    rows, codes, _ = training(4)
    sample = np.flatnonzero(codes != 2)
    machine = train_machine(
        rows, codes, sample, np.ones_like(sample), Kernel("rbf", 1.0), C=1.0, tol=1e-3
    )
    predicted = MachineEvaluator([machine], rows).codes(rows)[0]
    assert set(predicted) == {0, 1, 3}
    assert (predicted[sample] == codes[sample]).mean() > 0.6


def test_rows_are_counted_anew_among_those_needed() -> None:
    rows, codes, _ = training(2)
    rng = np.random.default_rng(3)
    machines = [
        train_machine(rows, codes, *drawn(rng), Kernel("rbf", 0.5), C=1.0, tol=1e-3)
        for _ in range(3)
    ]
    again, needed = renumbered(machines)
    for one, other in zip(machines, again, strict=True):
        np.testing.assert_array_equal(needed[other.support], one.support)
    evaluator, peer = MachineEvaluator(again, rows.take(needed)), MachineEvaluator(machines, rows)
    np.testing.assert_array_equal(evaluator.codes(rows), peer.codes(rows))
