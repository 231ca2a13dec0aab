"""Laws of Gram matrices and named widths, and which rows are equal."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.svm import SVC

from ensvm.kernels import DENSE_COLUMNS, KERNELS, gram, gram_matrix, resolve_gamma
from ensvm.kernels.gram_matrix import distinct_rows

SETTINGS = {"gamma": 0.37, "degree": 4, "coef0": 0.7}


READ_BY = {"linear": (), "poly": ("gamma", "degree", "coef0"), "rbf": ("gamma",)}


BOTH_DTYPES = pytest.mark.parametrize(
    ("dtype", "tolerance"), [(np.float64, 1e-12), (np.float32, 2e-5)]
)


NAMED = pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])


def rows(n: int, d: int = 7, seed: int = 0) -> NDArray[np.float64]:
    return np.random.default_rng(seed).normal(size=(n, d))


def as_scikit_learn(kernel: str, X: Any, Y: Any = None) -> NDArray[np.float64]:
    used = {name: SETTINGS[name] for name in READ_BY[kernel]}
    return pairwise_kernels(X, Y, metric=kernel, **used)


@NAMED
@BOTH_DTYPES
@pytest.mark.parametrize("shape", [(1, 1), (5, 3), (900, 1300)])
def test_values_are_scikit_learns(
    kernel: str, dtype: Any, tolerance: float, shape: tuple[int, int]
) -> None:
    X, Y = rows(shape[0]), rows(shape[1], seed=1)
    values = gram(X, Y, kernel=kernel, dtype=dtype, **SETTINGS)
    expected = as_scikit_learn(kernel, X, Y)
    assert values.dtype == dtype
    np.testing.assert_allclose(
        values, expected, atol=tolerance * np.abs(expected).max(), rtol=tolerance
    )


@NAMED
@BOTH_DTYPES
def test_training_gram_is_symmetric_and_equals_the_cross_gram(
    kernel: str, dtype: Any, tolerance: float
) -> None:
    X = rows(1100)  # more than one block of rows
    values = gram(X, kernel=kernel, dtype=dtype, **SETTINGS)
    assert np.array_equal(values, values.T)
    expected = as_scikit_learn(kernel, X)
    np.testing.assert_allclose(
        values, expected, atol=tolerance * np.abs(expected).max(), rtol=tolerance
    )


@NAMED
def test_sparse_rows_equal_dense_rows(kernel: str) -> None:
    X, Y = (sparse.random(n, 60, density=0.1, format="csr", random_state=n) for n in (40, 30))
    dense = gram(X.toarray(), Y.toarray(), kernel=kernel, **SETTINGS)
    np.testing.assert_allclose(gram(X, Y, kernel=kernel, **SETTINGS), dense, rtol=1e-12)
    np.testing.assert_allclose(gram(X, Y.toarray(), kernel=kernel, **SETTINGS), dense, rtol=1e-12)


@NAMED
def test_rows_too_wide_to_densify(kernel: str) -> None:
    X, Y = (
        sparse.random(n, DENSE_COLUMNS + 1, density=0.01, format="csr", random_state=n)
        for n in (40, 30)
    )
    expected = as_scikit_learn(kernel, X, Y)
    np.testing.assert_allclose(gram(X, Y, kernel=kernel, **SETTINGS), expected, rtol=1e-10)
    np.testing.assert_allclose(
        gram(X, Y.toarray(), kernel=kernel, **SETTINGS), expected, rtol=1e-10
    )
    training = gram(X, kernel=kernel, **SETTINGS)
    assert np.array_equal(training, training.T)


@given(
    X=arrays(
        np.float64,
        st.tuples(st.integers(2, 12), st.integers(1, 5)),
        elements=st.floats(-1e6, 1e6, allow_subnormal=False, width=32),
    ),
    gamma=st.floats(1e-6, 1e6),
    dtype=st.sampled_from([np.float64, np.float32]),
)
def test_gaussian_of_any_data_is_a_similarity(X: NDArray[Any], gamma: float, dtype: Any) -> None:
    X = np.vstack([X, X[:2]])  # at least two identical pairs
    training = gram(X, kernel="rbf", gamma=gamma, dtype=dtype)
    assert np.array_equal(training, training.T)
    assert np.all(np.diag(training) == 1.0)
    assert training.min() >= 0.0
    assert training.max() <= 1.0
    assert np.all(training[[0, 1], [-2, -1]] == 1.0)
    assert np.all(np.diag(gram(X, X, kernel="rbf", gamma=gamma, dtype=dtype)) == 1.0)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_identical_wide_rows_are_exactly_similar(dtype: Any) -> None:
    X = np.abs(rows(150, 300)) * np.logspace(-3, 3, 300)
    twice = np.vstack([X, X])
    values = gram(twice, kernel="rbf", gamma=1.0, dtype=dtype)
    assert np.all(np.diag(values[:150, 150:]) == 1.0)


def test_an_offset_of_the_data_costs_the_gaussian_no_digits() -> None:
    X = rows(50)
    shifted = gram(X + 1e6, kernel="rbf", gamma=0.5)
    np.testing.assert_allclose(shifted, as_scikit_learn_rbf(X, 0.5), atol=1e-9)


def as_scikit_learn_rbf(X: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
    return np.exp(-gamma * ((X[:, None] - X[None]) ** 2).sum(axis=2))


def test_degree_zero_is_the_constant_kernel() -> None:
    assert np.all(gram(rows(4), kernel="poly", gamma=1.0, degree=0) == 1.0)


def test_callable_kernel_gets_the_rows_and_must_return_the_right_shape() -> None:
    X, Y = rows(4), rows(3, seed=1)
    np.testing.assert_allclose(gram(X, Y, kernel=lambda A, B: A @ B.T), X @ Y.T)
    np.testing.assert_allclose(gram(X, kernel=lambda A, B: A @ B.T), X @ X.T)
    with pytest.raises(ValueError, match=r"shape \(3, 4\), expected \(4, 3\)"):
        gram(X, Y, kernel=lambda A, B: B @ A.T)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"kernel": "none"}, ", ".join(KERNELS)),
        ({"kernel": "rbf"}, "gamma must be a positive number, got None"),
        ({"kernel": "rbf", "gamma": 0.0}, "gamma must be a positive number"),
        ({"kernel": "poly", "gamma": 1.0, "degree": 1.5}, "degree must be a whole number"),
        ({"kernel": "linear", "Y": rows(2, 3)}, "X has 7 columns and Y has 3"),
    ],
)
def test_arguments_out_of_range(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        gram(rows(3), **arguments)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_named_widths(container: Any) -> None:
    dense = np.where(rows(30, 5) > 0.5, rows(30, 5), 0.0)
    X = container(dense)
    beta = np.mean(np.sum((dense - dense.mean(axis=0)) ** 2, axis=1))
    assert resolve_gamma("mean-distance", X) == pytest.approx(1.0 / beta, rel=1e-12)
    assert resolve_gamma("auto", X) == 1.0 / 5.0
    fitted = SVC(gamma="scale").fit(dense, np.arange(30) % 2)
    assert resolve_gamma("scale", X) == pytest.approx(fitted._gamma, rel=1e-12)
    assert resolve_gamma(2.5, X) == 2.5


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_width_of_identical_rows_is_one(container: Any) -> None:
    X = container(np.full((7, 3), 0.1))  # whose mean is not exactly 0.1
    assert resolve_gamma("mean-distance", X) == 1.0


@pytest.mark.parametrize("gamma", ["wide", 0.0, -1.0, np.nan, np.inf])
def test_widths_out_of_range(gamma: Any) -> None:
    with pytest.raises(ValueError, match="gamma must be a positive number"):
        resolve_gamma(gamma, rows(3))


SMALL = arrays(
    np.float64,
    st.tuples(st.integers(1, 30), st.integers(1, 3)),
    elements=st.sampled_from([-1.0, -0.0, 0.0, 0.5, 1e300]),
)


@given(SMALL)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csc_array])
def test_each_row_is_its_distinct_one_and_these_differ(form: Any, X: NDArray[np.float64]) -> None:
    distinct = distinct_rows(form(X))
    kept = X[distinct.first]
    np.testing.assert_array_equal(kept[distinct.index], X)
    assert len(np.unique(kept + 0.0, axis=0)) == len(kept)
    assert np.all(np.diff(distinct.first) > 0)


@given(SMALL)
def test_sums_over_equal_rows(X: NDArray[np.float64]) -> None:
    distinct = distinct_rows(X)
    values = np.arange(2.0 * len(X)).reshape(len(X), 2)
    sums = distinct.summed(values)
    for number, row in enumerate(sums):
        np.testing.assert_array_equal(row, values[distinct.index == number].sum(axis=0))
    np.testing.assert_array_equal(distinct.summed(values[:, 0]), sums[:, 0])


def test_sparse_rows_need_not_be_in_order() -> None:
    X = sparse.csr_array(([1.0, 2.0, 2.0, 1.0, 0.5, 0.5], [0, 2, 2, 0, 1, 1], [0, 2, 4, 6]))
    assert distinct_rows(X).index.tolist() == [0, 0, 1]
    assert X.nnz == 6  # left as it was


@pytest.mark.parametrize("mirrored", [1, 7, 20, 1000])
def test_how_many_rows_are_mirrored_at_once_changes_no_bit(
    monkeypatch: pytest.MonkeyPatch, mirrored: int
) -> None:
    X = np.random.default_rng(0).normal(size=(61, 4))
    monkeypatch.setattr(gram_matrix, "PRODUCT_ENTRIES", 61 * 7)  # blocks of seven rows
    monkeypatch.setattr(gram_matrix, "MIRRORED_ROWS", 1)
    one_by_one = gram_matrix.gram(X, kernel="rbf", gamma=0.5)
    monkeypatch.setattr(gram_matrix, "MIRRORED_ROWS", mirrored)
    K = gram_matrix.gram(X, kernel="rbf", gamma=0.5)
    assert (one_by_one == K).all()
    assert (K == K.T).all()
    assert (K.diagonal() == 1.0).all()
    assert pytest.approx(pairwise_kernels(X, metric="rbf", gamma=0.5)) == K
