"""Kernel expansions summed in blocks: the values, and the signs that float32 is asked for first."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ensvm.kernels import Kernel, gram, sums
from ensvm.kernels.sums import KernelSums

NAMED = pytest.mark.parametrize(
    "kernel",
    [
        Kernel("linear"),
        Kernel("poly", 0.4, 3, 0.7),
        Kernel("rbf", 0.3),
        Kernel("rbf", 40.0),
        Kernel("laplacian", 0.3),
    ],
    ids=str,
)


def rows(n: int, seed: int = 0, d: int = 5) -> NDArray[np.float64]:
    return np.random.default_rng(seed).normal(size=(n, d))


def expected(kernel: Kernel, X: Any, Z: Any, coefficients: Any) -> NDArray[np.float64]:
    parameters = kernel._asdict()
    parameters["kernel"] = parameters.pop("name")
    return gram(X, Z, **parameters) @ coefficients


@NAMED
@pytest.mark.parametrize("shape", [(300,), (300, 3)])
def test_values_are_products_with_the_kernel_matrix(
    kernel: Kernel, shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    X, Z, c = rows(700), rows(300, 1), np.random.default_rng(2).normal(size=shape)
    whole = KernelSums(Z, c, kernel).values(X)
    scale = np.abs(expected(kernel, X, Z, np.abs(c))).max()
    np.testing.assert_allclose(whole, expected(kernel, X, Z, c), rtol=1e-9, atol=1e-13 * scale)
    monkeypatch.setattr(sums, "READY_ROWS", 150)
    monkeypatch.setattr(sums, "BLOCK_ROWS", 40)
    monkeypatch.setattr(sums, "BLOCK_COLUMNS", 17)
    cut = KernelSums(Z, c, kernel).values(X)
    np.testing.assert_allclose(cut, whole, rtol=1e-9, atol=1e-13 * scale)


@NAMED
@pytest.mark.parametrize("scale", [1.0, 1e3])
def test_signs_are_those_of_the_values(
    kernel: Kernel, scale: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sums, "WORTH_ASKING", 0)
    Z, c = scale * rows(120, 1), np.random.default_rng(2).normal(size=120)
    X = np.vstack([scale * rows(2000), Z, scale * rows(300, 3) + 1e6])
    machine = KernelSums(Z, c, kernel)
    values = machine.values(X)
    for intercept in (0.0, 0.3, -float(np.median(values)), -values[7]):
        np.testing.assert_array_equal(machine.positive(X, intercept), values + intercept > 0.0)


def test_what_float32_leaves_open_is_decided_in_float64(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs of opposite terms that nearly cancel: a sum of 1e-10 beside terms of 1."""
    monkeypatch.setattr(sums, "WORTH_ASKING", 0)
    Z = np.repeat(rows(50), 2, axis=0)
    c = np.tile([1.0, -1.0], 50)
    c[::2] += 1e-10 * np.random.default_rng(0).choice([-1.0, 1.0], 50)
    machine = KernelSums(Z, c, Kernel("rbf", 30.0))
    X = Z[::2] + 1e-3
    exact = expected(Kernel("rbf", 30.0), X, Z[::2], c[::2] + c[1::2])
    assert np.mean(machine.positive(X, 0.0) == (exact > 0.0)) == 1.0
    values, bound = machine._in_single(X)
    assert np.all(np.abs(values - exact) <= bound)
    assert np.all(bound > np.abs(exact))


@pytest.mark.parametrize("gamma", [0.01, 1.0, 20.0])
@pytest.mark.parametrize("shift", [0.0, 50.0])
def test_the_bound_of_float32_holds(gamma: float, shift: float) -> None:
    X, Z, c = rows(500) + shift, rows(300, 1), np.random.default_rng(2).normal(size=300)
    machine = KernelSums(Z, c, Kernel("rbf", gamma))
    values, bound = machine._in_single(X)
    assert np.all(np.abs(values - machine.values(X)) <= bound)


def test_the_bound_of_float32_is_less_than_ten_times_what_can_happen() -> None:
    """Rows near one support vector and far from the centre: distances cancel all digits."""
    rng = np.random.default_rng(0)
    reached = []
    for _ in range(40):
        near = rng.normal(size=(1, 2))
        near /= np.linalg.norm(near)
        machine = KernelSums(np.vstack([near, -near]), np.array([1.0, 0.0]), Kernel("rbf", 1e4))
        X = near + np.sqrt(0.3e-4) * rng.normal(size=(4000, 2))
        values, bound = machine._in_single(X)
        errors = np.abs(values - machine.values(X))
        assert np.all(errors <= bound)
        reached.append(float((errors / bound).max()))
    assert max(reached) > 0.1


def test_numbers_beyond_float32_are_left_to_float64(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "WORTH_ASKING", 0)
    Z, c = 1e30 * rows(40), np.random.default_rng(2).normal(size=40)
    machine = KernelSums(Z, c, Kernel("rbf", 1e-61))
    X = 1e30 * rows(100, 3)
    np.testing.assert_array_equal(machine.positive(X, 0.1), machine.values(X) + 0.1 > 0.0)
