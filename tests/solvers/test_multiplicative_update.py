"""Laws of the unnormalised multiplicative update of the hard-margin dual."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from ensvm.kernels import gram, resolve_gamma
from ensvm.solvers.entropy_projection.tsang_kwok import entropy_projection
from ensvm.solvers.multiplicative_update import MultiplicativeUpdateState, multiplicative_update


def problem(seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(60, 5))
    y = np.where(X[:, 0] > 0.0, 1.0, -1.0)
    return gram(X, kernel="rbf", gamma=resolve_gamma("mean-distance", X)), y


@pytest.mark.parametrize("seed", range(3))
def test_optimum_is_that_of_the_simplex_problem(seed: int) -> None:
    K, y = problem(seed)
    ours = multiplicative_update(K, y, learning_rate=0.05, tol=0.01, max_iter=20_000)
    simplex = entropy_projection(K, y, tol=1e-6, max_iter=100_000)
    assert ours.stop_reason == "gap_below_tol"
    assert ours.converged
    assert ours.overshoot_iteration is None
    assert ours.objective <= 0.5 / simplex.lower_bound
    assert ours.upper_bound >= 0.5 / simplex.objective
    assert ours.certificate == ours.upper_bound - ours.objective <= 0.01 * ours.objective
    assert ours.simplex_objective == pytest.approx(simplex.objective, rel=0.02)


def test_update_is_as_printed_and_bounds_only_tighten() -> None:
    K, y = problem()
    states: list[MultiplicativeUpdateState] = []
    multiplicative_update(K, y, learning_rate=0.05, max_iter=200, callback=states.append)
    assert [state.iteration for state in states] == list(range(201))
    assert np.array_equal(states[0].weights, np.full(60, np.exp(np.log(1.0 / 60))))
    for before, after in pairwise(states):
        step = np.exp(0.05 * (1.0 - y * (K @ (y * before.weights))))
        np.testing.assert_allclose(after.weights, before.weights * step, rtol=1e-10)
        assert after.objective >= before.objective
        assert after.upper_bound <= before.upper_bound
        assert after.upper_bound >= after.objective


def test_too_large_a_rate_overshoots_and_diverges_without_a_warning() -> None:
    K, y = problem()
    result = multiplicative_update(K, y, learning_rate=2.0, max_iter=5000)
    assert result.stop_reason == "diverged"
    assert not result.converged
    assert result.overshoot_iteration is not None
    assert np.isfinite(result.weights).all()
