"""Standardisation inside a machine: its own sample's, as if the inputs had been scaled before."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
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
from ensvm.kernels.augmented_rows import Kernel, Rows

KERNELS = pytest.mark.parametrize(
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


def data() -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Three columns of very different units and an indicator; rows sorted by class."""
    rng = np.random.default_rng(0)
    codes = np.sort(rng.integers(3, size=200))
    X = rng.normal(size=(200, 4)) + np.column_stack([codes, codes % 2, codes // 2, codes - 1])
    X[:, 3] = X[:, 3] > 0.0
    return X * [1.0, 256.0, 2.0**-10, 1.0] + [0.0, 4096.0, 1.0, 0.0], codes


def drawn() -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    return np.unique(np.random.default_rng(1).integers(200, size=100), return_counts=True)


def machine_of(X: NDArray[np.float64], kernel: Kernel) -> tuple[KernelMachine, Rows]:
    rows = Rows(X, X.mean(axis=0))
    columns = standardised_columns(data()[0])
    return train_machine(
        rows, data()[1], *drawn(), kernel, C=10.0, tol=1e-6, standardised=columns
    ), rows


@KERNELS
def test_it_is_libsvms_machine_on_the_scaled_rows(kernel: Kernel) -> None:
    X, codes = data()
    repeated = np.repeat(*drawn())
    centre, spread = X[repeated].mean(axis=0), X[repeated].std(axis=0, ddof=1)
    centre[3], spread[3] = 0.0, 1.0
    Z = (X - centre) / spread
    settings = {
        "gamma": kernel.gamma or 1.0,
        "degree": 3,
        "coef0": kernel.coef0,
        "decision_function_shape": "ovo",
    }
    peer = SVC(kernel=kernel.name, C=10.0, tol=1e-6, **settings).fit(Z[repeated], codes[repeated])
    machine, rows = machine_of(X, kernel)
    ((_, values),) = MachineEvaluator([machine], rows).values(rows)
    np.testing.assert_allclose(np.abs(values.T), np.abs(peer.decision_function(Z)), atol=2e-3)


@KERNELS
def test_a_constant_column_in_the_sample_leaves_all_of_them(kernel: Kernel) -> None:
    X, codes = data()
    X = X / X.std(axis=0)
    X[drawn()[0], 1] = 0.5
    machine, rows = machine_of(X, kernel)
    plain = train_machine(rows, codes, *drawn(), kernel, C=10.0, tol=1e-6)
    assert machine.standardisation is None
    np.testing.assert_array_equal(machine.dual_coef, plain.dual_coef)


@BOTH
def test_units_and_origins_of_the_columns_do_not_matter(ensemble: Any) -> None:
    X, y = data()
    elsewhere = X * [8.0, 2.0**-6, 1024.0, 1.0] + [0.5, -1.0, 2.0, 0.0]
    fitted = ensemble(scale="machine", **SMALL).fit(X, y)
    other = ensemble(scale="machine", **SMALL).fit(elsewhere, y)
    for one, again in zip(fitted.estimators_, other.estimators_, strict=True):
        assert one.kernel.gamma == pytest.approx(again.kernel.gamma, rel=1e-9)
        assert one.standardisation is not None
        np.testing.assert_array_equal(one.classes, again.classes)
    assert fitted.gamma_range_ == pytest.approx(other.gamma_range_)
    assert np.mean(fitted.predict(X) == other.predict(elsewhere)) >= 0.99


@BOTH
def test_machines_share_no_scale(ensemble: Any) -> None:
    X, y = data()
    scaled = ensemble(scale="machine", **SMALL).fit(X, y)
    shifts = {tuple(machine.standardisation.shift) for machine in scaled.estimators_}
    assert len(shifts) == len(scaled.estimators_)
    assert scaled.score(X, y) > 0.6
    unscaled = ensemble(**SMALL).fit(X / X.std(axis=0), y)
    assert all(machine.standardisation is None for machine in unscaled.estimators_)


def test_columns_of_two_values_are_left_and_a_constant_one_is_looked_at() -> None:
    X = np.array([[0.0, 1.0, 5.0, 1.0], [1.0, 2.0, 5.0, 1.0], [0.0, 4.0, 5.0, 3.0]])
    assert standardised_columns(X).tolist() == [False, True, True, False]
    np.testing.assert_array_equal(standardised_inputs(X, standardised_columns(X)), X)
    scaled = standardised_inputs(X, np.array([False, True, False, False]))
    np.testing.assert_allclose(scaled[:, 1].mean(), 0.0, atol=1e-12)
    np.testing.assert_allclose(scaled[:, 1].std(ddof=1), 1.0)
    np.testing.assert_allclose(scaled[:, [0, 2, 3]], X[:, [0, 2, 3]])


@BOTH
def test_a_sample_too_small_to_have_a_deviation(ensemble: Any) -> None:
    X, y = data()
    fitted = ensemble(scale="machine", **{**SMALL, "max_samples": 1}).fit(X / X.std(axis=0), y)
    assert all(machine.standardisation is None for machine in fitted.estimators_)
