"""Laws of the low-rank factors: what LL' is to K, which pivots are taken, when it stops."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from ensvm.kernels import gram, low_rank
from ensvm.kernels.low_rank import (
    LowRankGram,
    PivotChoice,
    kernel_columns,
    low_rank_gram,
    partial_cholesky,
)

Matrix = NDArray[np.float64]


GREEDY, RANDOM = (partial(partial_cholesky, method=name, rng=3) for name in ("greedy", "random"))
METHODS = pytest.mark.parametrize("method", ["greedy", "random"])
BOTH = pytest.mark.parametrize("factorise", [GREEDY, RANDOM], ids=["greedy", "random"])


RBF: dict[str, Any] = {"kernel": "rbf", "gamma": 0.3}
KERNELS: list[dict[str, Any]] = [
    RBF,
    {"kernel": "poly", "gamma": 0.2, "degree": 2, "coef0": 1.0},
    {"kernel": "linear"},
    {"kernel": lambda A, B: np.exp(-np.abs(A[:, None] - B[None]).sum(axis=2))},
]


def rows(m: int, d: int = 4, seed: int = 0) -> Matrix:
    return np.random.default_rng(seed).normal(size=(m, d))


def of(K: NDArray[Any]) -> tuple[Callable[[NDArray[np.intp]], NDArray[Any]], NDArray[Any]]:
    """Return a Gram matrix as the factorisations read it."""
    return lambda indices: K[:, indices], K.diagonal()


def semidefinite(seed: int, m: int, rank: int) -> Matrix:
    """Return a random matrix of the given rank with eigenvalues of many sizes."""
    root = rows(m, rank, seed) * np.logspace(0, -3, rank)
    return root @ root.T


def residual(K: Matrix, result: LowRankGram, rank: int | None = None) -> Matrix:
    L = result.factor[:, :rank]
    return K - L @ L.T


@BOTH
@given(
    seed=st.integers(0, 2**32 - 1),
    m=st.integers(1, 40),
    true_rank=st.integers(1, 12),
    rank=st.integers(1, 45),
)
def test_the_residual_is_semidefinite_and_its_trace_is_what_is_said(
    factorise: Any, seed: int, m: int, true_rank: int, rank: int
) -> None:
    K = semidefinite(seed, m, true_rank)
    result, scale = factorise(*of(K), rank=rank), np.trace(K)
    traces = [np.trace(residual(K, result, k)) for k in range(result.rank + 1)]
    np.testing.assert_allclose(result.trace_residuals, traces, atol=1e-10 * scale)
    assert np.all(np.diff(result.trace_residuals) <= 0.0)
    assert np.linalg.eigvalsh(residual(K, result)).min() >= -1e-10 * scale
    assert len(set(result.pivots.tolist())) == result.rank == result.factor.shape[1] <= min(m, rank)
    # A random pivot may be drawn from what rounding left; nothing else is beyond the true rank.
    assert factorise is RANDOM or result.rank <= true_rank
    assert (result.trace_residuals[true_rank:] <= 1e-10 * scale).all()
    assert result.relative_residual == pytest.approx(max(traces[-1], 0.0) / scale, abs=1e-10)
    np.testing.assert_allclose(residual(K, result)[:, result.pivots], 0.0, atol=1e-7 * scale)


@BOTH
@pytest.mark.parametrize("parameters", KERNELS, ids=["rbf", "poly", "linear", "callable"])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_all_pivots_give_the_gram_matrix_back(
    factorise: Any, parameters: dict[str, Any], container: Any
) -> None:
    dense = np.where(np.abs(rows(90)) > 0.3, rows(90), 0.0)
    if callable(parameters["kernel"]) and container is sparse.csr_array:
        parameters = {"kernel": lambda A, B: (A @ B.T).toarray()}
    X = container(dense)
    K = gram(X, **parameters)
    columns, diagonal = kernel_columns(X, **parameters)
    np.testing.assert_allclose(diagonal, K.diagonal(), rtol=1e-13)
    np.testing.assert_allclose(
        columns(np.array([5, 0, 5])), K[:, [5, 0, 5]], rtol=1e-12, atol=1e-13
    )
    result = factorise(columns, diagonal)
    np.testing.assert_allclose(residual(K, result), 0.0, atol=1e-9 * K.max())
    assert result.factor.shape[1] == result.rank <= 90


@BOTH
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_it_is_the_symmetric_operator_of_its_factor(factorise: Any, dtype: Any) -> None:
    X = rows(70)
    result = factorise(*kernel_columns(X, kernel="rbf", gamma=0.3, dtype=dtype), rank=30)
    L, (u, v) = result.factor.astype(np.float64), rows(2, 70)
    tolerance = 50 * np.finfo(dtype).eps
    assert result.dtype == result.factor.dtype == result.matvec(v).dtype == dtype
    np.testing.assert_allclose(result.matvec(v), L @ (L.T @ v), rtol=0, atol=tolerance * 70)
    assert u @ result.matvec(v) == pytest.approx(v @ result.matvec(u), abs=float(tolerance) * 700)
    assert v @ result.matvec(v) >= 0.0


@BOTH
def test_corrected_it_has_the_diagonal_of_the_gram_matrix(factorise: Any) -> None:
    K = gram(rows(70), kernel="poly", gamma=0.2, degree=2, coef0=1.0)
    result = factorise(*of(K), rank=8)
    corrected, dense = replace(result, own_diagonal=True), result.factor @ result.factor.T
    np.testing.assert_allclose(
        result.residual_diagonal, K.diagonal() - dense.diagonal(), atol=1e-12 * K.max()
    )
    assert result.residual_diagonal.min() == 0.0
    np.fill_diagonal(dense, K.diagonal())
    for v in rows(3, 70, seed=1):
        np.testing.assert_allclose(corrected.matvec(v), dense @ v, rtol=1e-11)
    assert corrected.dtype == np.float64
    bound = np.sqrt(np.outer(result.residual_diagonal, result.residual_diagonal))
    assert np.all(np.abs(residual(K, result)) <= bound + 1e-12 * K.max())


@BOTH
def test_duplicates_exhaust_it_early_and_it_says_so(factorise: Any) -> None:
    X = np.repeat(rows(12), 5, axis=0)
    result = factorise(*kernel_columns(X, kernel="rbf", gamma=0.3), rank=40)
    assert (result.rank, result.stop_reason) == (12, "exhausted")
    assert len(np.unique(result.pivots // 5)) == 12
    assert result.relative_residual <= 1e-12
    np.testing.assert_allclose(result.factor, np.repeat(result.factor[::5], 5, axis=0), atol=1e-13)


@BOTH
@pytest.mark.parametrize("tol", [0.5, 0.1, 0.003])
def test_tolerance_is_met_by_the_first_rank_that_does(factorise: Any, tol: float) -> None:
    result = factorise(*kernel_columns(rows(400), kernel="rbf", gamma=0.3), tol=tol)
    shares = result.trace_residuals / result.trace_residuals[0]
    assert result.stop_reason == "tolerance_met"
    assert shares[-1] <= tol < shares[-2]
    assert result.factor.shape == (400, result.rank)
    assert result.factor.base is None  # no larger array is kept alive behind it


@BOTH
def test_rank_and_tolerance_stop_at_whichever_comes_first(factorise: Any) -> None:
    source = kernel_columns(rows(100), kernel="rbf", gamma=0.3)
    assert factorise(*source, rank=5, tol=1e-6).stop_reason == "rank_reached"
    assert factorise(*source, rank=90, tol=0.9).stop_reason == "tolerance_met"
    whole = factorise(*source, rank=50)
    fewer = factorise(*source, rank=20)
    np.testing.assert_array_equal(fewer.pivots, whole.pivots[:20])


@pytest.mark.parametrize("block", [1, 2, 64])
@pytest.mark.parametrize("parameters", KERNELS[:2], ids=["rbf", "poly"])
def test_greedy_takes_the_largest_residual(
    block: int, parameters: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(low_rank, "LARGEST_BLOCK", block)
    K = gram(rows(150), **parameters)
    result = partial_cholesky(*of(K), rank=15)
    for step, pivot in enumerate(result.pivots):
        remaining = residual(K, result, step).diagonal()
        assert remaining[pivot] >= remaining.max() - 1e-10 * K.max()
    assert result.pivots[0] == K.diagonal().argmax()


def test_greedy_breaks_ties_by_the_first_row() -> None:
    K = np.kron(np.eye(6), np.ones((2, 2)))[::-1, ::-1]
    assert partial_cholesky(*of(K)).pivots.tolist() == [0, 2, 4, 6, 8, 10]


def test_random_pivots_follow_the_residual_diagonal() -> None:
    # The law of (first, second pivot), exact by enumeration, against the frequencies of many draws.
    K = semidefinite(1, 4, 3) + 0.05 * np.eye(4)
    expected = np.zeros((4, 4))
    for i in range(4):
        remaining = np.maximum(K.diagonal() - K[i] ** 2 / K[i, i], 0.0)
        remaining[i] = 0.0
        expected[i] = K[i, i] / np.trace(K) * remaining / remaining.sum()
    generator, draws = np.random.default_rng(0), 1500
    pairs = [
        partial_cholesky(*of(K), method="random", rank=2, rng=generator).pivots
        for _ in range(draws)
    ]
    counts = np.zeros((4, 4))
    np.add.at(counts, tuple(np.array(pairs).T), 1)
    possible = expected > 0.0
    assert counts[~possible].sum() == 0
    chi_square = ((counts - draws * expected)[possible] ** 2 / (draws * expected[possible])).sum()
    assert chi_square < 31.3  # the 0.1 % point of 11 degrees of freedom


@BOTH
def test_the_zero_matrix_has_rank_zero(factorise: Any) -> None:
    result = factorise(*of(np.zeros((5, 5))), rank=3)
    assert (result.rank, result.stop_reason, result.relative_residual) == (0, "exhausted", 0.0)
    assert np.array_equal(result.matvec(np.ones(5)), np.zeros(5))


@BOTH
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"diagonal": np.array([1.0, -1.0])}, "entries >= 0 only"),
        ({"diagonal": np.array([1.0, np.nan])}, "finite entries"),
        (
            {"columns": lambda indices: np.array([[1.0, 9.0], [9.0, 1.0]])[:, indices]},
            "not positive semidefinite",
        ),
        (
            {"columns": lambda indices: np.full((2, indices.size), np.nan)},
            "not positive semidefinite",
        ),
    ],
)
def test_arguments_out_of_range(factorise: Any, parameters: dict[str, Any], message: str) -> None:
    arguments = {
        "columns": lambda indices: np.eye(2)[:, indices],
        "diagonal": np.ones(2),
        "rank": 1,
        **parameters,
    }
    with pytest.raises(ValueError, match=message):
        factorise(arguments.pop("columns"), arguments.pop("diagonal"), **arguments)


@METHODS
def test_a_sample_of_all_rows_is_no_sample(method: Any) -> None:
    X = rows(120)
    whole = low_rank_gram(X, RBF, PivotChoice(30, method=method, seed=3))
    given = low_rank_gram(X, RBF, PivotChoice(30, method=method, seed=3, most_rows=120))
    np.testing.assert_array_equal(given.factor, whole.factor)


@METHODS
@pytest.mark.parametrize("limit", [25, 0.1])
def test_the_factor_is_the_nystrom_approximation_of_its_pivots(method: Any, limit: float) -> None:
    X = rows(300)
    factor = low_rank_gram(X, RBF, PivotChoice(limit, method=method, seed=3, most_rows=80))
    K = gram(X, **RBF)
    P = factor.pivots
    expected = K[:, P] @ np.linalg.solve(K[np.ix_(P, P)], K[P])
    np.testing.assert_allclose(factor.factor @ factor.factor.T, expected, atol=1e-7)
    np.testing.assert_allclose(
        factor.residual_diagonal, K.diagonal() - expected.diagonal(), atol=1e-7
    )
    assert factor.trace_residuals[0] == pytest.approx(300.0)
    assert factor.trace_residuals[-1] == pytest.approx(factor.residual_diagonal.sum(), rel=1e-6)
    assert np.all(np.diff(factor.trace_residuals) <= 1e-9)
    assert np.linalg.eigvalsh(K - expected).min() > -1e-7
    assert len(set(P.tolist())) == factor.rank


def test_blocks_of_rows_and_sparse_rows_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    X = rows(300)
    X[np.abs(X) < 0.5] = 0.0
    whole = low_rank_gram(X, RBF, PivotChoice(20, seed=3, most_rows=80))
    monkeypatch.setattr(low_rank, "BLOCK_ENTRIES", 20 * 37)
    for form in (X, sparse.csr_array(X)):
        cut = low_rank_gram(form, RBF, PivotChoice(20, seed=3, most_rows=80))
        np.testing.assert_array_equal(cut.pivots, whole.pivots)
        np.testing.assert_allclose(cut.factor, whole.factor, atol=1e-12)
