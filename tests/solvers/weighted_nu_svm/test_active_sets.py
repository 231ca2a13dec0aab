"""Guesses of the free coefficients: an optimum proved in float64, or nothing changed."""

from typing import Any

import numpy as np
import pytest

from ensvm.kernels import gram
from ensvm.solvers.weighted_nu_svm import active_sets, solver
from ensvm.solvers.weighted_nu_svm.active_sets import settle_active_sets
from ensvm.solvers.weighted_nu_svm.descent import certify, descend


def state_of(seed: int, copies: int = 1, m: int = 150, steps: int = 300, **options: Any) -> Any:
    rng = np.random.default_rng(seed)
    X, D = np.repeat(rng.normal(size=(m, 5)), copies, axis=0), rng.exponential(size=m * copies)
    y = np.where(X[:, 0] + rng.normal(size=m * copies) > 0.0, 1.0, -1.0)
    D /= D.mean()
    K = gram(X, kernel="rbf", gamma=0.3, **options)
    members = np.sort(rng.permutation(y.size)[: 4 * y.size // 5])
    y, D = y[members], D[members]
    first = solver.heaviest_first(y, D, 0.3 * solver.nu_max(y, D))
    state = solver._new_state(K, members, y, D, first)
    descend(state, 1e-12, 0.0, steps)
    solver._refresh(state)
    return state


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("tol", [1e-3, 1e-9])
@pytest.mark.parametrize("factor_share", [8, 1])
def test_the_point_is_feasible_and_its_gap_is_within_the_tolerance(
    seed: int, tol: float, factor_share: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(active_sets, "FACTOR_SHARE", factor_share)
    state = state_of(seed)
    sums = state.coef.sum(), state.targets @ state.coef
    assert settle_active_sets(state, tol)
    alpha = state.labels * state.coef
    assert alpha.min() >= 0.0
    assert alpha.max() <= 1.0
    np.testing.assert_allclose((state.coef.sum(), state.targets @ state.coef), sums, atol=1e-9)
    K = state.gram[np.ix_(state.members, state.members)]
    np.testing.assert_allclose(state.values, K @ state.coef, atol=1e-10)
    free = (alpha > 0.0) & (alpha < 1.0)
    np.testing.assert_array_equal(free, active_sets.free_coefficients(state))
    plane = np.column_stack([-np.ones(alpha.size), state.targets])
    state.intercept[0], state.rho[0] = np.linalg.lstsq(plane[free], state.values[free])[0]
    certify(state)
    assert state.gap[0] <= tol * state.objective[0]


@pytest.mark.parametrize("seed", range(3))
def test_nothing_changes_where_the_free_points_have_no_factor(seed: int) -> None:
    state = state_of(seed, copies=3, steps=300)
    before = [array.copy() for array in (state.coef, state.values, state.no_growth)]
    assert not settle_active_sets(state, 1e-3)
    for array, same in zip((state.coef, state.values, state.no_growth), before, strict=True):
        np.testing.assert_array_equal(array, same)
