"""The factor that gains and loses rows is the factor made at once."""

import numpy as np
import pytest

from ensvm.solvers.cholesky_update import append_row, delete_row, solve_backward, solve_forward


@pytest.fixture
def matrix():
    rows = np.random.default_rng(0).normal(size=(12, 20))
    return rows @ rows.T


def factor(matrix):
    n = len(matrix)
    lower = np.zeros((n + 3, n + 3))
    for k in range(n):
        append_row(lower, np.ascontiguousarray(matrix[:k, k]), matrix[k, k], k)
    return lower


def triangle(lower, n):
    return np.tril(lower[:n, :n])


def test_appending_rows_gives_the_cholesky_factor(matrix):
    np.testing.assert_allclose(triangle(factor(matrix), 12), np.linalg.cholesky(matrix), rtol=1e-12)


@pytest.mark.parametrize("place", [0, 5, 11])
def test_deleting_a_row_gives_the_factor_without_it_and_turns_solutions_along(matrix, place):
    lower, right_sides = factor(matrix), np.random.default_rng(1).normal(size=(2, 12))
    halves = np.zeros((2, 15))
    for half, right_side in zip(halves, right_sides, strict=True):
        half[:12] = right_side
        solve_forward(lower, half, 12)
    delete_row(lower, halves, place, 12)
    kept = np.delete(np.arange(12), place)
    expected = np.linalg.cholesky(matrix[np.ix_(kept, kept)])
    np.testing.assert_allclose(triangle(lower, 11), expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(
        halves[:, :11], np.linalg.solve(expected, right_sides[:, kept].T).T, rtol=1e-9
    )


def test_both_solves_together_solve_the_system(matrix):
    lower, x = factor(matrix), np.arange(1.0, 13.0)
    solve_forward(lower, x, 12)
    solve_backward(lower, x, 12)
    np.testing.assert_allclose(matrix @ x, np.arange(1.0, 13.0), rtol=1e-9)


def test_a_dependent_row_keeps_the_factor_regular():
    lower = factor(np.ones((3, 3)))
    assert np.all(np.diag(lower)[:3] > 0.0)
    np.testing.assert_allclose(triangle(lower, 3) @ triangle(lower, 3).T, 1.0, atol=1e-6)
