"""Augmented rows give every kernel's values, and kernel matrices are exactly symmetric."""

import numpy as np
import pytest
from numpy.typing import NDArray

from ensvm.kernels import Kernel, gram
from ensvm.kernels.augmented_rows import Rows, fill_values, kernel_factor, kernel_matrix

KERNELS = pytest.mark.parametrize(
    "kernel",
    [
        Kernel("linear"),
        Kernel("rbf", 0.3),
        Kernel("poly", 0.5, 3, 1.0),
        Kernel("poly", 0.5, 1, -2.0),
        Kernel("poly", 0.5, 0, 1.0),
        Kernel("laplacian", 0.3),
    ],
    ids=str,
)


def expected(X: NDArray[np.float64], Z: NDArray[np.float64], kernel: Kernel) -> NDArray[np.float64]:
    parameters = {"degree": kernel.degree, "coef0": kernel.coef0}
    return gram(X, Z, kernel=kernel.name, gamma=kernel.gamma or 1.0, **parameters)


@KERNELS
@pytest.mark.parametrize(("dtype", "rtol"), [(np.float32, 3e-5), (np.float64, 1e-12)])
def test_one_product_gives_the_kernels_argument(
    kernel: Kernel, dtype: type[np.floating], rtol: float
) -> None:
    rng = np.random.default_rng(0)
    X, Z, centre = rng.normal(2.0, 1.0, (30, 4)), rng.normal(2.0, 1.0, (7, 4)), np.full(4, 1.5)
    factor = kernel_factor(Rows(Z, centre).augmented(dtype), centre, kernel)
    assert factor.dtype == dtype
    augmented, values = Rows(X, centre).augmented(dtype), np.empty((7, 30), dtype)
    fill_values(factor, augmented, kernel, values)
    exact = expected(Z, X, kernel)
    np.testing.assert_allclose(values, exact, rtol=rtol, atol=rtol * np.abs(exact).max())
    turned = np.empty((30, 7), dtype)
    fill_values(augmented, factor, kernel, turned)
    np.testing.assert_allclose(turned.T, values, rtol=rtol, atol=rtol * np.abs(exact).max())


@KERNELS
def test_the_kernel_matrix_is_exactly_symmetric(kernel: Kernel) -> None:
    X = np.random.default_rng(0).normal(3.0, 1.0, (40, 5))
    values = kernel_matrix(Rows(X, X.mean(axis=0)), kernel)
    assert values.dtype == np.float32
    np.testing.assert_array_equal(values, values.T)
    np.testing.assert_allclose(values, expected(X, X, kernel), rtol=1e-5, atol=1e-5)
    if kernel.name in ("rbf", "laplacian"):
        assert (np.diag(values) == 1.0).all()


def test_no_radial_value_exceeds_one() -> None:
    X = np.random.default_rng(0).normal(size=(20, 3)) * 1e4
    rows = Rows(np.vstack([X, X]), np.zeros(3))
    kernel = Kernel("rbf", 10.0)
    factor = kernel_factor(rows.single, rows.centre, kernel)
    values = factor @ rows.single.T
    assert values.max() > 0.0  # rounding alone
    fill_values(factor, rows.single, kernel, values)
    assert values.max() == 1.0
    assert kernel_matrix(rows, kernel).max() == 1.0


def test_what_leaves_the_range_of_float32_is_refused() -> None:
    with pytest.raises(ValueError, match="squared norms of the inputs overflow float32"):
        Rows(np.array([[1e20]]), np.zeros(1))
    with pytest.raises(ValueError, match="values of the poly kernel overflow float32"):
        kernel_matrix(Rows(np.array([[1e10]]), np.zeros(1)), Kernel("poly", 1.0, 3, 1.0))


def test_some_of_the_rows() -> None:
    X = np.random.default_rng(0).normal(size=(10, 3))
    rows = Rows(X, X.mean(axis=0))
    chosen, alone = rows.take(np.array([7, 2])), Rows(X[[7, 2]], X.mean(axis=0))
    assert len(chosen) == 2
    np.testing.assert_array_equal(chosen.single, alone.single)
    np.testing.assert_array_equal(chosen.exact, alone.exact)
