"""Factors of many rows from the pivots of a sample."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from ensvm.kernels import gram, sampled_pivots
from ensvm.kernels.sampled_pivots import PivotChoice, low_rank_gram

METHODS = pytest.mark.parametrize("method", ["random", "greedy"])


KERNEL: dict[str, Any] = {"kernel": "rbf", "gamma": 0.2}


def rows(n: int) -> NDArray[np.float64]:
    return np.random.default_rng(n).normal(size=(n, 4))


@METHODS
def test_a_sample_of_all_rows_is_no_sample(method: Any) -> None:
    X = rows(120)
    whole = low_rank_gram(X, KERNEL, PivotChoice(30, method=method, seed=3))
    given = low_rank_gram(X, KERNEL, PivotChoice(30, method=method, seed=3, pivot_rows=120))
    np.testing.assert_array_equal(given.factor, whole.factor)


@METHODS
@pytest.mark.parametrize("limit", [25, 0.1])
def test_the_factor_is_the_nystrom_approximation_of_its_pivots(method: Any, limit: float) -> None:
    X = rows(300)
    factor = low_rank_gram(X, KERNEL, PivotChoice(limit, method=method, seed=3, pivot_rows=80))
    K = gram(X, **KERNEL)
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
    whole = low_rank_gram(X, KERNEL, PivotChoice(20, seed=3, pivot_rows=80))
    monkeypatch.setattr(sampled_pivots, "BLOCK_ENTRIES", 20 * 37)
    for form in (X, sparse.csr_array(X)):
        cut = low_rank_gram(form, KERNEL, PivotChoice(20, seed=3, pivot_rows=80))
        np.testing.assert_array_equal(cut.pivots, whole.pivots)
        np.testing.assert_allclose(cut.factor, whole.factor, atol=1e-12)
