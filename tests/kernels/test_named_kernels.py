"""A new kernel is one row of the table; the widths that the data suggest."""

import subprocess
import sys
from typing import Any, get_args

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics.pairwise import laplacian_kernel

from ensvm.classifiers.kernel_expansion import KernelExpansionClassifier
from ensvm.classifiers.parzen_window import ParzenWindowClassifier
from ensvm.kernels import (
    DENSE_COLUMNS,
    KERNEL_PARAMETERS,
    KERNELS,
    NAMED_KERNELS,
    Kernel,
    gram,
    gram_matrix,
    parameters_of,
    resolve_gamma,
)
from ensvm.kernels.augmented_rows import Rows, fill_values, kernel_factor, kernel_matrix
from ensvm.kernels.low_rank import kernel_columns, partial_cholesky
from ensvm.kernels.named_kernels import KernelRow, sigest
from ensvm.study.algorithms import KernelConfig


def exponential(arguments: NDArray[Any], degree: int) -> None:
    np.maximum(np.negative(arguments, out=arguments), 0.0, out=arguments)
    np.exp(np.negative(np.sqrt(arguments, out=arguments), out=arguments), out=arguments)


def sigmoid(arguments: NDArray[Any], degree: int) -> None:
    np.tanh(arguments, out=arguments)


def triangle(arguments: NDArray[Any], degree: int) -> None:
    arguments += arguments.dtype.type(1.0)


# A kernel of each kind of argument
NEW = {
    "exponential": KernelRow("exp(-sqrt(gamma) |x - z|)", ("gamma",), "distance", exponential),
    "sigmoid": KernelRow("tanh(gamma <x, z> + coef0)", ("gamma", "coef0"), "product", sigmoid),
    "triangle": KernelRow("1 - gamma |x - z|_1", ("gamma",), "cityblock", triangle),
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
    if name == "triangle":
        return 1.0 - GAMMA * np.abs(X[:, None] - Z).sum(axis=2)
    return np.exp(-np.sqrt(GAMMA) * np.linalg.norm(X[:, None] - Z, axis=2))


def test_gram_matrices_and_low_rank(kernel: str) -> None:
    X, Z = rows(40), rows(30, seed=1)
    parameters = {"kernel": kernel, "gamma": GAMMA, "coef0": COEF0}
    np.testing.assert_allclose(gram(X, Z, **parameters), expected(kernel, X, Z), atol=1e-12)
    training = gram(X, **parameters)
    np.testing.assert_allclose(training, expected(kernel, X, X), atol=1e-7)
    assert np.array_equal(training, training.T)
    if kernel == "exponential":
        factor = partial_cholesky(*kernel_columns(X, **parameters)).factor
        np.testing.assert_allclose(factor @ factor.T, training, atol=1e-6)
    with pytest.raises(ValueError, match="gamma must be a positive number"):
        gram(X, kernel=kernel)


def test_augmented_rows(kernel: str) -> None:
    X, Z, centre = rows(30), rows(7, seed=1), np.full(3, 0.4)
    made = Kernel(kernel, GAMMA, coef0=COEF0 if kernel == "sigmoid" else 0.0)
    values = np.empty((len(Z), len(X)))
    fill_values(
        kernel_factor(Rows(Z, centre).exact, centre, made), Rows(X, centre).exact, made, values
    )
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


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_it_is_the_inverse_of_the_quantiles_of_distances(kernel: str) -> None:
    X = np.random.default_rng(0).normal(size=(80, 3))
    power = 2 if kernel == "rbf" else 1
    left, right = np.random.default_rng(1).integers(
        80, size=(2, 40)
    )  # half of the rows, as kernlab draws
    distances = [
        float((np.abs(X[i] - X[j]) ** power).sum())
        for i, j in zip(left, right, strict=True)
        if i != j
    ]
    expected = [1.0 / np.quantile(distances, q) for q in (0.9, 0.5, 0.1)]
    assert sigest(X, rng=np.random.default_rng(1), kernel=kernel) == pytest.approx(expected)


@pytest.mark.parametrize(("kernel", "power"), [("rbf", 2), ("laplacian", 1)])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_width_of_the_mean_distance(kernel: str, power: int, weighted: bool) -> None:
    X = rows(40)
    X[X < 0.3] = 0.0
    counts = np.random.default_rng(1).integers(0, 3, 40).astype(float) if weighted else np.ones(40)
    repeated = np.repeat(X, counts.astype(int), axis=0)
    expected = 1.0 / (np.abs(repeated - repeated.mean(axis=0)) ** power).sum(axis=1).mean()
    for container in (np.asarray, sparse.csr_array):
        width = resolve_gamma("mean-distance", container(X), counts, kernel=kernel)
        assert width == pytest.approx(expected)
    alike = np.full((5, 2), 0.1)
    assert resolve_gamma("mean-distance", alike, kernel=kernel) == 1.0
    assert resolve_gamma("mean-distance", sparse.csr_array(alike), kernel=kernel) == 1.0


@pytest.mark.parametrize("wide", [False, True])
def test_the_laplacian_kernel_is_that_of_scikit_learn(
    wide: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gram_matrix, "PRODUCT_ENTRIES", 300)  # several blocks
    monkeypatch.setattr(gram_matrix, "MIRRORED_ROWS", 10)
    X, Z = rows(40), rows(30, seed=1)
    X[X < 0.3] = Z[Z < 0.3] = 0.0
    if wide:  # sparse rows of so many columns are not made dense
        X, Z = (np.hstack([rows, np.zeros((len(rows), DENSE_COLUMNS))]) for rows in (X, Z))
    settings = {"kernel": "laplacian", "gamma": GAMMA}
    expected = laplacian_kernel(X, Z, gamma=GAMMA)
    for container in (np.asarray, sparse.csr_array):
        values = gram(container(X), container(Z), **settings)
        np.testing.assert_allclose(values, expected, atol=1e-14)
        training = gram(container(X), **settings)
        np.testing.assert_array_equal(training, training.T)
        assert (np.diag(training) == 1.0).all()


@pytest.mark.parametrize("seed", range(5))
def test_order_and_scale(seed: int) -> None:
    X = np.random.default_rng(seed).normal(size=(50, 4))
    one, other = (sigest(c * X, rng=np.random.default_rng(seed)) for c in (1.0, 3.0))
    assert 0.0 < one.low <= one.middle <= one.high
    assert np.array(one) == pytest.approx(9.0 * np.array(other))


def test_rows_without_distance() -> None:
    assert sigest(np.ones((10, 2)), rng=np.random.default_rng(0)) == (1.0, 1.0, 1.0)
    assert sigest(np.ones((1, 2)), rng=np.random.default_rng(0)) == (1.0, 1.0, 1.0)


def test_commands_know_the_kernels_without_loading_the_compiler() -> None:
    code = "import sys, ensvm.study.config; print('numba' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"
