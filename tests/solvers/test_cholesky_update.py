"""The factor that gains and loses rows is the factor made at once."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ensvm.solvers.cholesky_update import (
    append_rows,
    append_rows_in_blocks,
    delete_row,
    finish_row,
    solve_backward,
    solve_forward,
)

SIZES = pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 9, 31])


@pytest.fixture
def matrix():
    rows = np.random.default_rng(0).normal(size=(12, 20))
    return rows @ rows.T


def factor(matrix):
    n = len(matrix)
    lower = np.zeros((n + 3, n + 3))
    for k in range(n):
        lower[k, : k + 1] = matrix[k, : k + 1]
        finish_row(lower, k, 0)
    return lower


def triangle(lower, n):
    return np.tril(lower[:n, :n])


def test_both_solves_together_solve_the_system(matrix):
    lower, x = factor(matrix), np.arange(1.0, 13.0)
    solve_forward(lower, x, 12, 0)
    solve_backward(lower, x, 12)
    np.testing.assert_allclose(matrix @ x, np.arange(1.0, 13.0), rtol=1e-9)


def positive_definite(n: int) -> NDArray[np.float64]:
    A = np.random.default_rng(n).normal(size=(n, 2 * n))
    return A @ A.T


@SIZES
@pytest.mark.parametrize("n_done", [0, 1, 4, 7])
@pytest.mark.parametrize("append", [append_rows, append_rows_in_blocks])
def test_factor_is_numpys_from_wherever_it_goes_on(append: Any, n: int, n_done: int) -> None:
    G, n_done = positive_definite(n), min(n_done, n)
    expected, right = np.linalg.cholesky(G), np.random.default_rng(0).normal(size=(2, n))
    solved = np.linalg.solve(expected, right.T).T
    lower, vectors = (
        np.vstack([expected[:n_done], G[n_done:]]),
        np.hstack([solved[:, :n_done], right[:, n_done:]]),
    )
    append(lower, vectors, n_done, n)
    np.testing.assert_allclose(np.tril(lower), expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(vectors, solved, rtol=1e-10, atol=1e-12)


@SIZES
def test_a_point_that_goes_leaves_the_factor_of_the_others(n: int) -> None:
    lower = np.linalg.cholesky(positive_definite(n))
    vectors = np.random.default_rng(0).normal(size=(3, n))
    for position in range(n):
        ours = lower.copy(), vectors.copy()
        delete_row(*ours, position, n, np.empty((2, n)))
        others = np.delete(np.arange(n), position)
        L = np.tril(ours[0])[: n - 1, : n - 1]
        np.testing.assert_allclose(
            L @ L.T, positive_definite(n)[np.ix_(others, others)], rtol=1e-9, atol=1e-9
        )
        right = (lower @ vectors.T)[others]
        np.testing.assert_allclose(L @ ours[1][:, : n - 1].T, right, rtol=1e-9, atol=1e-9)


def test_a_matrix_without_full_rank_gets_a_factor_all_the_same() -> None:
    lower = np.ones((6, 6))
    append_rows(lower, np.ones((1, 6)), 0, 6)
    assert np.all(np.diag(lower) > 0.0)
    np.testing.assert_allclose(np.tril(lower) @ np.tril(lower).T, np.ones((6, 6)), atol=1e-6)


def test_lapack_leaves_a_matrix_without_full_rank_as_it_is() -> None:
    lower, vectors = np.ones((6, 6)), np.ones((1, 6))
    lower[0, 0] = 2.0
    before = lower.copy()
    assert not append_rows_in_blocks(lower, vectors, 0, 6)
    np.testing.assert_array_equal(lower, before)
    np.testing.assert_array_equal(vectors, 1.0)
