"""A new kernel is one row of the table: all that computes, shares or offers kernels reads it."""

from typing import Any, get_args

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.svm import SVC

from ensvm.classifiers.kernel_expansion import KernelExpansionClassifier
from ensvm.classifiers.mixed_kernel_bagging import MixedKernelBagging
from ensvm.classifiers.parzen_window import ParzenWindowClassifier
from ensvm.data import Realization
from ensvm.kernels import KERNEL_PARAMETERS, KERNELS, NAMED_KERNELS, gram, parameters_of
from ensvm.kernels.augmented_rows import Kernel, Rows, apply_kernel, kernel_factor, kernel_matrix
from ensvm.kernels.low_rank import incomplete_cholesky, kernel_columns
from ensvm.kernels.table import KernelRow
from ensvm.runner.grams import GramPool, SharedGram
from ensvm.study.algorithms import KernelConfig


def laplacian(arguments: NDArray[Any], degree: int) -> None:
    np.maximum(np.negative(arguments, out=arguments), 0.0, out=arguments)
    np.exp(np.negative(np.sqrt(arguments, out=arguments), out=arguments), out=arguments)


def sigmoid(arguments: NDArray[Any], degree: int) -> None:
    np.tanh(arguments, out=arguments)


# exp(-sqrt(gamma) |x - y|) and tanh(gamma <x, y> + coef0): one of either argument.
NEW = {
    "laplacian": KernelRow(("gamma",), "distance", laplacian),
    "sigmoid": KernelRow(("gamma", "coef0"), "product", sigmoid),
}
GAMMA, COEF0 = 0.3, 0.2


@pytest.fixture(params=NEW)
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a kernel whose row was just added."""
    monkeypatch.setitem(KERNELS, request.param, NEW[request.param])
    return str(request.param)


def rows(n: int, seed: int = 0) -> NDArray[np.float64]:
    return np.random.default_rng(seed).normal(0.5, 1.0, (n, 3))


def expected(name: str, X: NDArray[np.float64], Z: NDArray[np.float64]) -> NDArray[np.float64]:
    if name == "sigmoid":
        return np.tanh(GAMMA * X @ Z.T + COEF0)
    return np.exp(-np.sqrt(GAMMA) * np.linalg.norm(X[:, None] - Z, axis=2))


def test_gram_matrices_and_low_rank(kernel: str) -> None:
    X, Z = rows(40), rows(30, seed=1)
    parameters = {"kernel": kernel, "gamma": GAMMA, "coef0": COEF0}
    np.testing.assert_allclose(gram(X, Z, **parameters), expected(kernel, X, Z), atol=1e-12)
    training = gram(X, **parameters)
    np.testing.assert_allclose(training, expected(kernel, X, X), atol=1e-7)
    assert np.array_equal(training, training.T)
    if kernel == "laplacian":
        factor = incomplete_cholesky(*kernel_columns(X, **parameters)).factor
        np.testing.assert_allclose(factor @ factor.T, training, atol=1e-6)
    with pytest.raises(ValueError, match="gamma must be a positive number"):
        gram(X, kernel=kernel)


def test_augmented_rows(kernel: str) -> None:
    X, Z, centre = rows(30), rows(7, seed=1), np.full(3, 0.4)
    made = Kernel(kernel, GAMMA, coef0=COEF0 if kernel == "sigmoid" else 0.0)
    values = kernel_factor(Rows(Z, centre), made, np.float64) @ Rows(X, centre).exact.T
    apply_kernel(values, made)
    np.testing.assert_allclose(values, expected(kernel, Z, X), atol=1e-12)
    np.testing.assert_allclose(
        kernel_matrix(Rows(X, centre), made), expected(kernel, X, X), atol=1e-3
    )


def test_algorithms_share_its_gram_matrix(kernel: str) -> None:
    X, y = rows(30), np.where(np.arange(30) % 3 == 0, -1.0, 1.0)
    pool = GramPool(Realization(X[:20], y[:20], X[20:], y[20:]))
    first, degree, other = (
        pool.inputs_of(
            SVC(kernel=kernel, gamma=gamma, degree=degree, coef0=COEF0),
            share_gram=True,
            dtype="float64",
        )
        for gamma, degree in ((GAMMA, 3), (GAMMA, 4), (2.0, 3))
    )
    assert isinstance(first, SharedGram)
    assert first is degree is not other
    np.testing.assert_allclose(first.train(), expected(kernel, X[:20], X[:20]), atol=1e-7)


def test_machines_expand_in_it(kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = rows(30), np.where(np.arange(30) % 3 == 0, -1.0, 1.0)
    monkeypatch.setitem(
        KernelExpansionClassifier._parameter_constraints, "kernel", [str]
    )  # made of the table when it was imported
    monkeypatch.setattr(
        ParzenWindowClassifier,
        "_parameter_constraints",
        {**ParzenWindowClassifier._parameter_constraints, "kernel": [str]},
    )
    machine = ParzenWindowClassifier(kernel=kernel, gamma=GAMMA, coef0=COEF0).fit(X, y)
    assert machine.gamma_ == GAMMA
    values = expected(kernel, X, X)[:, machine.support_] @ machine.dual_coef_.ravel()
    np.testing.assert_allclose(machine.decision_function(X), values + machine.intercept_, atol=1e-7)


def test_mixed_kernels_take_it(kernel: str) -> None:
    X, y = rows(30), np.where(np.arange(30) % 3 == 0, -1.0, 1.0)
    widths = {"gamma": GAMMA, "poly_gamma": GAMMA, "coef0": COEF0}
    fitted = MixedKernelBagging([kernel], n_estimators=1, voting="majority", **widths).fit(X, y)
    [machine] = fitted.estimators_
    values = (
        machine.dual_coef @ expected(kernel, X[fitted.support_], X) + machine.intercept[:, None]
    )
    np.testing.assert_array_equal(fitted.predict(X), np.where(values[0] > 0.0, -1.0, 1.0))


def test_all_offers_are_those_of_the_table() -> None:
    (options, _) = KernelExpansionClassifier._parameter_constraints["kernel"]
    assert set(options.options) == {*NAMED_KERNELS, "precomputed"}
    assert (
        get_args(KernelConfig.model_fields["kernel"].annotation) == NAMED_KERNELS == tuple(KERNELS)
    )
    for name, row in KERNELS.items():
        assert set(parameters_of(name)) == {"kernel", *row.parameters} <= set(KERNEL_PARAMETERS)


def test_an_unknown_kernel_is_refused() -> None:
    with pytest.raises(ValueError, match=rf"one of {', '.join(KERNELS)} or a callable, got 'none'"):
        parameters_of("none")
    assert parameters_of("precomputed") == parameters_of(np.dot) == ("kernel",)
