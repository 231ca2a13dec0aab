"""Rows of two numbers as bits: the kernel values of the same rows as numbers, to rounding."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from numpy.typing import NDArray
from sklearn.metrics.pairwise import pairwise_kernels
from threadpoolctl import threadpool_limits

from ensvm.kernels import KERNELS, Kernel, gram, parameters_of
from ensvm.kernels.bit_rows import bit_rows, bit_values
from ensvm.kernels.packed_gram import TILE, PackedGram, narrow_error
from ensvm.kernels.sums import KernelSums

NUMBERS = [(0.0, 1.0), (0.0, 0.37), (-1.0, 1.0), (-0.4, 1.7)]
COLUMNS = [1, 2, 63, 64, 65, 128, 129, 300]


def rows(n: int, d: int, low: float = 0.0, high: float = 1.0, seed: int = 0) -> NDArray[Any]:
    """Return rows of the two numbers; two columns are empty, as those of a word that is missing."""
    bits = np.random.default_rng(seed).random((n, d)) < 0.3
    bits[:, 1:3] = False
    bits[0, 0], bits[1, 0] = False, True
    return np.where(bits, high, low)


def widths(d: int) -> dict[str, Any]:
    return {"gamma": 1.7 / d, "degree": 3, "coef0": 0.6}


def reference(X: Any, Z: Any, kernel: str, d: int) -> NDArray[np.float64]:
    """Return the values by scikit-learn."""
    read = {name: widths(d)[name] for name in parameters_of(kernel)[1:]}
    return pairwise_kernels(X, Z, metric=kernel, **read)


def of_bits(X: NDArray[Any], Z: NDArray[Any], kernel: str) -> NDArray[np.float64] | None:
    right = bit_rows(Z)
    left = None if right is None else right.alike(X)
    values = bit_values(left, right, Kernel(kernel, **widths(X.shape[1])))
    if values is None:
        return None
    block = np.empty(values.shape)
    values.fill(block, 0, 0)
    return block


@pytest.mark.parametrize("d", COLUMNS)
@pytest.mark.parametrize(("low", "high"), NUMBERS)
@pytest.mark.parametrize("kernel", KERNELS)
def test_bits_have_the_kernel_values_of_numbers(
    kernel: str, low: float, high: float, d: int
) -> None:
    X, Z = rows(40, d, low, high), rows(25, d, low, high, seed=1)
    expected = reference(X, Z, kernel, d)
    values = of_bits(X, Z, kernel)
    assert (values is None) == (KERNELS[kernel].argument == "product" and low != 0.0)
    if values is not None:
        np.testing.assert_allclose(values, expected, rtol=1e-12, atol=1e-14)
    # Whoever asks for a kernel matrix gets these values, too, of dense and of sparse rows.
    for make in (np.asarray, scipy.sparse.csr_array):
        values = gram(make(X), make(Z), kernel=kernel, **widths(d))
        np.testing.assert_allclose(values, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_matrix_of_one_kind_of_rows_is_symmetric_to_the_last_bit(kernel: str, dtype: Any) -> None:
    X = rows(2 * TILE + 7, 20)
    K = gram(X, kernel=kernel, dtype=dtype, **widths(20))
    np.testing.assert_array_equal(K, K.T)
    tolerance = {"rtol": 3 * np.finfo(dtype).eps, "atol": 0.0}
    np.testing.assert_allclose(K, gram(X, X, kernel=kernel, **widths(20)), **tolerance)


@pytest.mark.parametrize("shape", [(900,), (900, 3)])
@pytest.mark.parametrize("kernel", KERNELS)
def test_sums_are_products_with_the_kernel_matrix(kernel: str, shape: tuple[int, ...]) -> None:
    d = 70
    X, Z, c = rows(1300, d), rows(900, d, seed=1), np.random.default_rng(2).normal(size=shape)
    sums = KernelSums(Z, c, Kernel(kernel, **widths(d)))
    K = reference(X, Z, kernel, d)
    scale = float((K @ np.abs(c)).max())
    np.testing.assert_allclose(sums.values(X), K @ c, rtol=0.0, atol=1e-13 * scale)
    if len(shape) == 1:
        for intercept in (0.0, -float(np.median(K @ c))):
            expected = sums.values(X) + intercept > 0.0
            np.testing.assert_array_equal(sums.positive(X, intercept), expected)


@pytest.mark.parametrize("other", [0.5, -1.0, 2.0])
def test_rows_with_a_third_number_are_summed_as_numbers(other: float) -> None:
    """New rows may have numbers that the rows of the expansion do not have."""
    X, Z, c = rows(50, 9), rows(60, 9, seed=1), np.random.default_rng(2).normal(size=60)
    X[3, 4] = other
    assert of_bits(X, Z, "rbf") is None
    assert of_bits(Z, X, "rbf") is None
    sums, K = KernelSums(Z, c, Kernel("rbf", **widths(9))), reference(X, Z, "rbf", 9)
    np.testing.assert_allclose(sums.values(X), K @ c, atol=1e-12)
    np.testing.assert_allclose(gram(X, Z, kernel="rbf", **widths(9)), K, atol=1e-14)


@pytest.mark.parametrize("number", [0.0, 1.0])
def test_rows_of_one_number_are_numbers(number: float) -> None:
    Z = np.full((5, 3), number)
    assert bit_rows(Z) is None
    K = gram(Z, kernel="rbf", gamma=1.0)
    np.testing.assert_array_equal(K, np.ones((5, 5)))


def test_threads_do_not_change_a_sum() -> None:
    X, Z, c = rows(1300, 70), rows(900, 70, seed=1), np.random.default_rng(2).normal(size=900)
    results = []
    for threads in (1, 2, 3):
        with threadpool_limits(threads):
            results.append(KernelSums(Z, c, Kernel("rbf", 0.1)).values(X))
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])


@pytest.mark.parametrize("d", [1, 70, 1200])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-13), ("float32", 1e-5)])
def test_products_with_a_matrix_in_tiles(dtype: Any, tolerance: float, kernel: str, d: int) -> None:
    n = 2 * TILE + 7
    X, v = rows(n, d), np.random.default_rng(0).normal(size=n)
    K = reference(X, X, kernel, d)
    product = PackedGram(X, dtype=dtype, kernel=kernel, **widths(d)).matvec(v)
    scale = float((K @ np.abs(v)).max())
    np.testing.assert_allclose(product, K @ v, rtol=0.0, atol=tolerance * scale)


@pytest.mark.parametrize("d", [70, 1200])
def test_narrow_entries_move_products_by_less_than_the_bound(d: int) -> None:
    X, kernel = rows(700, d), {"kernel": "rbf", "gamma": 1.7 / d}
    exact = gram(X, **kernel)
    bound = narrow_error(X, packed=True, **kernel)
    assert bound is not None
    narrow = PackedGram(X, dtype="float32", **kernel)
    moved = [
        np.abs(narrow.matvec(v / np.abs(v).sum()) - exact @ (v / np.abs(v).sum())).max()
        for v in (np.ones(700), np.eye(700)[0], exact[0])
    ]
    assert 0.0 < max(moved) <= bound


def test_a_matrix_in_tiles_takes_a_quarter_of_the_memory() -> None:
    X = rows(6 * TILE, 70)
    asked: list[int] = []
    narrow = PackedGram(X, dtype="float32", kernel="rbf", gamma=0.1, before_allocation=asked.append)
    wide = PackedGram(X + X.T[:1].T, dtype="float32", kernel="rbf", gamma=0.1)
    assert 4 * narrow._tiles.nbytes == wide._tiles.nbytes
    assert asked == [narrow._tiles.nbytes]
