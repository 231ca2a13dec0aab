"""The search among ridge machines on low-rank features: exact, by refits without each row."""

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import Ridge

from ensvm.kernels import gram
from ensvm.solvers import low_rank_search
from ensvm.solvers.leave_one_out_search import SortedRows
from ensvm.solvers.low_rank_search import fitted_ridge, machine_rank, width_scores

GAMMA, RANK = 0.5, 12


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> SortedRows:
    """Return 45 rows of three classes with costs, some of which stand for several rows."""
    monkeypatch.setattr(low_rank_search, "LARGEST_RANK", RANK)
    monkeypatch.setattr(low_rank_search, "SEARCH_RANK", RANK)
    monkeypatch.setattr(low_rank_search, "BLOCK_ROWS", 17)
    generator = np.random.default_rng(0)
    starts = np.array([0, 20, 35, 45])
    codes = np.repeat([0, 1, 2], np.diff(starts))
    inputs = generator.normal(size=(45, 2)) + np.eye(3, 2)[codes]
    counts = generator.choice([0.5, 1.0, 3.0], size=45)
    return SortedRows(inputs, starts, np.array([1.0, 2.0, 0.5])[codes], counts, 0.3 * counts)


def refitted(rows: SortedRows, alpha: float, row: int | None) -> NDArray[np.float64]:
    """Return the values of all classes' regressions at the rows, fitted without one copy of one."""
    _, machines = fitted_ridge(rows, GAMMA, seed=3)
    pivots = np.flatnonzero(machines.machines.coefficients.any(axis=0))
    corner = np.linalg.cholesky(gram(rows.values[pivots], kernel="rbf", gamma=GAMMA))
    kernel = gram(rows.values, rows.values[pivots], kernel="rbf", gamma=GAMMA)
    features = np.linalg.solve(corner, kernel.T).T
    counts = rows.counts.copy()
    if row is not None:
        counts[row] = rows.kept[row]
    ridge = Ridge(alpha=alpha).fit(features, np.eye(3)[rows.codes], rows.costs * counts)
    return np.asarray(ridge.predict(features))


def test_the_machines_are_differences_of_ridge_regressions(rows: SortedRows) -> None:
    alpha, found = fitted_ridge(rows, GAMMA, seed=3)
    f = refitted(rows, alpha, None)
    expected = [f[:, 0] - f[:, 1], f[:, 0] - f[:, 2], f[:, 1] - f[:, 2]]
    kernel = gram(rows.values, kernel="rbf", gamma=GAMMA)
    values = found.machines.coefficients @ kernel + found.machines.intercepts[:, None]
    np.testing.assert_allclose(values, expected, atol=1e-7)


def test_leave_one_out_values_are_those_of_refits(rows: SortedRows) -> None:
    alpha, found = fitted_ridge(rows, GAMMA, seed=3)
    for row, code in enumerate(rows.codes):
        f = refitted(rows, alpha, row)[row]
        pairs = (0, 1), (0, 2), (1, 2)
        expected = [f[a] - f[b] if code in (a, b) else 0.0 for a, b in pairs]
        np.testing.assert_allclose(found.values[:, row], expected, atol=1e-7)


def test_scores_are_those_of_refits(rows: SortedRows) -> None:
    (scores,) = width_scores(rows, [GAMMA], seed=3)
    targets = np.eye(3)[rows.codes]
    for number in (0, 12, 20):
        alpha = float(scores.penalties[number])
        left_out = np.array([refitted(rows, alpha, row)[row] for row in range(45)])
        squares = np.square(targets - left_out).mean(axis=1)
        loss = np.average(squares, weights=rows.costs * rows.counts)
        wrong = left_out.argmax(axis=1) != rows.codes
        assert scores.losses[number] == pytest.approx(loss, rel=1e-6)
        assert scores.errors[number] == pytest.approx(np.average(wrong, weights=rows.counts))


def test_the_rank_falls_with_the_rows_so_that_time_is_bounded() -> None:
    ranks = [machine_rank(10**power) for power in range(4, 8)]
    assert ranks == sorted(ranks, reverse=True)
    assert ranks[0] > ranks[-1] == machine_rank(10**8)  # never fewer than the search takes
