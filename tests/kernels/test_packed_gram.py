"""One triangle of a Gram matrix in tiles: the products of the whole matrix."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from ensvm.kernels import gram
from ensvm.kernels.packed_gram import TILE, PackedGram, narrow_error


def rows(n: int, d: int = 6) -> NDArray[np.float64]:
    return np.random.default_rng(n).normal(size=(n, d))


@pytest.mark.parametrize("n", [1, 3, TILE, TILE + 1, 3 * TILE - 5])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-13), ("float32", 1e-5)])
def test_products_are_those_of_the_gram_matrix(
    n: int, kernel: str, dtype: str, tolerance: float
) -> None:
    X, v = rows(n), np.random.default_rng(0).normal(size=n)
    parameters = {"kernel": kernel, "gamma": 0.3, "coef0": 1.0}
    whole = gram(X, **parameters)
    packed = PackedGram(X, dtype=dtype, **parameters)
    assert packed.shape == (n, n)
    assert packed.matvec(v).dtype == np.float64
    scale = float((np.abs(whole) @ np.abs(v)).max())
    np.testing.assert_allclose(packed.matvec(v), whole @ v, rtol=0.0, atol=tolerance * scale)


def product(matrix: Any, v: Any) -> Any:
    return matrix.matvec(v) if isinstance(matrix, PackedGram) else matrix @ v


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize(("width", "gamma"), [(1, 3.0), (20, 0.05), (300, 0.002), (4, 100.0)])
def test_narrow_entries_move_products_by_less_than_the_bound(
    packed: bool, width: int, gamma: float
) -> None:
    rng = np.random.default_rng(width)
    X = rng.normal(size=(700, width)) + 5.0
    X[0] *= 30.0
    kernel: dict[str, Any] = {"kernel": "rbf", "gamma": gamma}
    exact = gram(X, **kernel)
    make: Any = PackedGram if packed else gram
    narrow = make(X, dtype="float32", **kernel)
    bound = narrow_error(X, packed=packed, **kernel)
    assert bound is not None
    for vector in (np.full(700, 1.0 / 700), np.eye(700)[0], rng.normal(size=700)):
        v = vector / np.abs(vector).sum()
        moved = np.abs(product(narrow, v.astype(narrow.dtype)) - exact @ v).max()
        assert moved <= bound


@pytest.mark.parametrize("packed", [True, False])
def test_the_bound_is_less_than_ten_times_what_can_happen(packed: bool) -> None:
    """Two clusters far from their mean: distances within one cancel all digits."""
    sides = np.arange(600) % 2
    X = (2.0 * sides - 1.0 + np.sqrt(0.3e-3) * np.random.default_rng(0).normal(size=600))[:, None]
    kernel: dict[str, Any] = {"kernel": "rbf", "gamma": 1e3}
    make: Any = PackedGram if packed else gram
    exact, narrow = gram(X, **kernel), make(X, dtype="float32", **kernel)
    bound = narrow_error(X, packed=packed, **kernel)
    assert bound is not None
    moved = [
        np.abs(product(narrow, v.astype(np.float32)) - exact @ v).max()
        for v in (np.eye(600)[0], sides / sides.sum())
    ]
    assert 0.1 * bound < max(moved) <= bound


def test_narrow_entries_of_ordinary_rows_change_little() -> None:
    X = np.random.default_rng(0).normal(size=(600, 20))
    bound = narrow_error(X, packed=True, kernel="rbf", gamma=0.05)
    assert bound is not None
    assert bound < 1e-4
    assert narrow_error(X, packed=True, kernel="linear") is None
    assert narrow_error(1e25 * X, packed=True, kernel="rbf", gamma=1.0) is None


def test_it_takes_half_the_memory() -> None:
    n = 6 * TILE
    packed = PackedGram(rows(n), kernel="rbf", gamma=0.3)
    assert packed._tiles.nbytes == pytest.approx(8 * n * (n + TILE) / 2)


def test_threads_do_not_change_a_product() -> None:
    X, v = rows(1400), np.random.default_rng(0).normal(size=1400)
    products = []
    for threads in (1, 2, 3):
        with threadpool_limits(threads):
            products.append(PackedGram(X, kernel="rbf", gamma=0.3, dtype="float32").matvec(v))
    np.testing.assert_array_equal(products[0], products[1])
    np.testing.assert_array_equal(products[0], products[2])
