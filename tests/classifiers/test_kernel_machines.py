"""Small machines: LIBSVM's on the same sample, standardised or not, evaluated together."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics.pairwise import laplacian_kernel
from sklearn.svm import SVC

from ensvm.classifiers.kernel_machines import (
    KernelMachine,
    MachineEvaluator,
    standardised_columns,
    standardised_inputs,
    train_machine,
)
from ensvm.classifiers.mixed_kernel_adaboost import MixedKernelAdaBoost
from ensvm.classifiers.mixed_kernel_bagging import MixedKernelBagging
from ensvm.kernels import Kernel, gram
from ensvm.kernels.augmented_rows import Rows

KERNELS = pytest.mark.parametrize(
    "kernel",
    [Kernel("linear"), Kernel("rbf", 0.5), Kernel("poly", 0.5, 3, 1.0), Kernel("laplacian", 0.5)],
    ids=lambda kernel: kernel.name,
)


def training(n_classes: int) -> tuple[Rows, NDArray[np.intp], NDArray[np.float64]]:
    rng = np.random.default_rng(n_classes)
    codes = np.sort(rng.integers(n_classes, size=150))
    X = rng.normal(size=(150, 3)) + np.column_stack([codes % 2, codes // 2, codes % 3])
    return Rows(X, X.mean(axis=0)), codes, X


def drawn(rng: np.random.Generator) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    return np.unique(rng.integers(150, size=100), return_counts=True)


def libsvm(kernel: Kernel, X: NDArray[np.float64], codes: NDArray[np.intp]) -> SVC:
    """Return LIBSVM's machine of a kernel on these rows."""
    settings = {"gamma": kernel.gamma or 1.0, "degree": 3, "coef0": kernel.coef0}
    # LIBSVM has no Laplacian kernel, but takes a function.
    peer = {"laplacian": partial(laplacian_kernel, gamma=kernel.gamma)}
    name = peer.get(kernel.name, kernel.name)
    machine = SVC(kernel=name, C=10.0, tol=1e-6, decision_function_shape="ovo", **settings)
    return machine.fit(X, codes)


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
    peer = libsvm(kernel, X[repeated], codes[repeated])
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


def test_a_sample_of_one_class_is_the_constant_machine() -> None:
    rows, codes, _ = training(3)
    sample = np.flatnonzero(codes == 1)
    machine = train_machine(
        rows, codes, sample, np.ones_like(sample), Kernel("rbf", 1.0), C=1.0, tol=1e-3
    )
    assert (machine.classes.tolist(), machine.support.size, machine.certificate) == ([1], 0, 0.0)
    assert (MachineEvaluator([machine], rows).codes(rows) == 1).all()
    assert not list(MachineEvaluator([machine], rows).values(rows))


MIXTURE = (Kernel("rbf", 0.5), Kernel("poly", 0.5, 3, 1.0), Kernel("linear"), Kernel("rbf", 0.1))


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
    machines, rows, X = trained(MIXTURE)
    result = dict(MachineEvaluator(machines, rows).values(rows))
    assert sorted(result) == list(range(len(machines)))
    for index, machine in enumerate(machines):
        ((_, alone),) = MachineEvaluator([machine], rows).values(rows)
        np.testing.assert_allclose(result[index], alone, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(result[index], exact_values(machine, X), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("kernel", MIXTURE[:3], ids=lambda kernel: kernel.name)
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


ON_SCALED_ROWS = pytest.mark.parametrize(
    "kernel",
    [Kernel("linear"), Kernel("rbf", 0.3), Kernel("poly", 0.25, 3, 1.0)],
    ids=lambda kernel: kernel.name,
)
BOTH = pytest.mark.parametrize("ensemble", [MixedKernelBagging, MixedKernelAdaBoost])
SMALL: dict[str, Any] = {
    "kernels": ["rbf", "poly", "linear"],
    "gamma": "sigest-random",
    "n_estimators": 4,
    "max_samples": 60,
    "random_state": 0,
}


def columns_of_many_units() -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Three columns of very different units and an indicator; rows sorted by class."""
    rng = np.random.default_rng(0)
    codes = np.sort(rng.integers(3, size=200))
    X = rng.normal(size=(200, 4)) + np.column_stack([codes, codes % 2, codes // 2, codes - 1])
    X[:, 3] = X[:, 3] > 0.0
    return X * [1.0, 256.0, 2.0**-10, 1.0] + [0.0, 4096.0, 1.0, 0.0], codes


def drawn_rows() -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    return np.unique(np.random.default_rng(1).integers(200, size=100), return_counts=True)


def standardised_machine(X: NDArray[np.float64], kernel: Kernel) -> tuple[KernelMachine, Rows]:
    rows = Rows(X, X.mean(axis=0))
    columns = standardised_columns(columns_of_many_units()[0])
    return train_machine(
        rows,
        columns_of_many_units()[1],
        *drawn_rows(),
        kernel,
        C=10.0,
        tol=1e-6,
        columns=columns,
    ), rows


@ON_SCALED_ROWS
def test_it_is_libsvms_machine_on_the_scaled_rows(kernel: Kernel) -> None:
    X, codes = columns_of_many_units()
    repeated = np.repeat(*drawn_rows())
    centre, spread = X[repeated].mean(axis=0), X[repeated].std(axis=0, ddof=1)
    centre[3], spread[3] = 0.0, 1.0
    Z = (X - centre) / spread
    peer = libsvm(kernel, Z[repeated], codes[repeated])
    machine, rows = standardised_machine(X, kernel)
    ((_, values),) = MachineEvaluator([machine], rows).values(rows)
    np.testing.assert_allclose(np.abs(values.T), np.abs(peer.decision_function(Z)), atol=2e-3)


@ON_SCALED_ROWS
def test_a_constant_column_in_the_sample_leaves_all_of_them(kernel: Kernel) -> None:
    X, codes = columns_of_many_units()
    X = X / X.std(axis=0)
    X[drawn_rows()[0], 1] = 0.5
    machine, rows = standardised_machine(X, kernel)
    plain = train_machine(rows, codes, *drawn_rows(), kernel, C=10.0, tol=1e-6)
    assert machine.standardisation is None
    np.testing.assert_array_equal(machine.dual_coef, plain.dual_coef)


@BOTH
def test_units_and_origins_of_the_columns_do_not_matter(ensemble: Any) -> None:
    X, y = columns_of_many_units()
    elsewhere = X * [8.0, 2.0**-6, 1024.0, 1.0] + [0.5, -1.0, 2.0, 0.0]
    fitted = ensemble(scale="machine", **SMALL).fit(X, y)
    other = ensemble(scale="machine", **SMALL).fit(elsewhere, y)
    for one, again in zip(fitted.estimators_, other.estimators_, strict=True):
        assert one.kernel.gamma == pytest.approx(again.kernel.gamma, rel=1e-9)
        assert one.standardisation is not None
        np.testing.assert_array_equal(one.classes, again.classes)
    assert fitted.gamma_ranges_["rbf"] == pytest.approx(other.gamma_ranges_["rbf"])
    assert np.mean(fitted.predict(X) == other.predict(elsewhere)) >= 0.99


def test_columns_of_two_values_are_left_and_a_constant_one_is_looked_at() -> None:
    X = np.array([[0.0, 1.0, 5.0, 1.0], [1.0, 2.0, 5.0, 1.0], [0.0, 4.0, 5.0, 3.0]])
    assert standardised_columns(X).tolist() == [False, True, True, False]
    np.testing.assert_array_equal(standardised_inputs(X, standardised_columns(X)), X)
    scaled = standardised_inputs(X, np.array([False, True, False, False]))
    np.testing.assert_allclose(scaled[:, 1].mean(), 0.0, atol=1e-12)
    np.testing.assert_allclose(scaled[:, 1].std(ddof=1), 1.0)
    np.testing.assert_allclose(scaled[:, [0, 2, 3]], X[:, [0, 2, 3]])
