"""A new kernel is one row of the table; the widths that the data suggest."""

from typing import Any, get_args

import numpy as np
import pytest
from numpy.typing import NDArray

from ensvm.classifiers.kernel_expansion import KernelExpansionClassifier
from ensvm.classifiers.parzen_window import ParzenWindowClassifier
from ensvm.kernels import KERNEL_PARAMETERS, KERNELS, NAMED_KERNELS, gram, parameters_of
from ensvm.kernels.augmented_rows import Kernel, Rows, apply_kernel, kernel_factor, kernel_matrix
from ensvm.kernels.low_rank import kernel_columns, partial_cholesky
from ensvm.kernels.named_kernels import KernelRow, sigest
from ensvm.study.algorithms import KernelConfig


def laplacian(arguments: NDArray[Any], degree: int) -> None:
    np.maximum(np.negative(arguments, out=arguments), 0.0, out=arguments)
    np.exp(np.negative(np.sqrt(arguments, out=arguments), out=arguments), out=arguments)


def sigmoid(arguments: NDArray[Any], degree: int) -> None:
    np.tanh(arguments, out=arguments)


# One kernel of a distance and one of a product
NEW = {
    "laplacian": KernelRow("exp(-sqrt(gamma) |x - z|)", ("gamma",), "distance", laplacian),
    "sigmoid": KernelRow("tanh(gamma <x, z> + coef0)", ("gamma", "coef0"), "product", sigmoid),
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
        factor = partial_cholesky(*kernel_columns(X, **parameters)).factor
        np.testing.assert_allclose(factor @ factor.T, training, atol=1e-6)
    with pytest.raises(ValueError, match="gamma must be a positive number"):
        gram(X, kernel=kernel)


def test_augmented_rows(kernel: str) -> None:
    X, Z, centre = rows(30), rows(7, seed=1), np.full(3, 0.4)
    made = Kernel(kernel, GAMMA, coef0=COEF0 if kernel == "sigmoid" else 0.0)
    values = kernel_factor(Rows(Z, centre).exact, centre, made) @ Rows(X, centre).exact.T
    apply_kernel(values, made)
    np.testing.assert_allclose(values, expected(kernel, Z, X), atol=1e-12)
    np.testing.assert_allclose(
        kernel_matrix(Rows(X, centre), made), expected(kernel, X, X), atol=1e-3
    )


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


def test_it_is_the_inverse_of_the_quantiles_of_squared_distances() -> None:
    X = np.random.default_rng(0).normal(size=(80, 3))
    left, right = np.random.default_rng(1).integers(
        80, size=(2, 40)
    )  # half of the rows, as kernlab draws
    distances = [
        float((X[i] - X[j]) @ (X[i] - X[j])) for i, j in zip(left, right, strict=True) if i != j
    ]
    expected = [1.0 / np.quantile(distances, q) for q in (0.9, 0.5, 0.1)]
    assert sigest(X, rng=np.random.default_rng(1)) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(5))
def test_order_and_scale(seed: int) -> None:
    X = np.random.default_rng(seed).normal(size=(50, 4))
    one, other = (sigest(c * X, rng=np.random.default_rng(seed)) for c in (1.0, 3.0))
    assert 0.0 < one.low <= one.middle <= one.high
    assert np.array(one) == pytest.approx(9.0 * np.array(other))


def test_rows_without_distance() -> None:
    assert sigest(np.ones((10, 2)), rng=np.random.default_rng(0)) == (1.0, 1.0, 1.0)
    assert sigest(np.ones((1, 2)), rng=np.random.default_rng(0)) == (1.0, 1.0, 1.0)
