"""Laws of the unnormalised multiplicative update of the hard-margin dual."""

from itertools import pairwise

import numpy as np
import pytest
from small_problems import noisy_gram

from ensvm.solvers.entropy_projection.tsang_kwok import entropy_projection
from ensvm.solvers.multiplicative_update import multiplicative_update


@pytest.mark.parametrize("seed", range(3))
def test_optimum_is_that_of_the_simplex_problem(seed: int) -> None:
    K, y = noisy_gram(seed, noise=0.0)
    ours = multiplicative_update(K, y, learning_rate=0.05, tol=0.01, max_iter=20_000)
    simplex = entropy_projection(K, y, tol=1e-6, max_iter=100_000)
    assert ours.stop_reason == "gap_below_tol"
    assert ours.converged
    assert ours.overshoot_iteration is None
    assert ours.objective <= 0.5 / simplex.lower_bound
    assert ours.upper_bound >= 0.5 / simplex.objective
    assert ours.certificate == ours.upper_bound - ours.objective <= 0.01 * ours.objective
    assert ours.simplex_objectives[-1] == pytest.approx(simplex.objective, rel=0.02)


def test_update_is_as_printed_and_bounds_only_tighten() -> None:
    K, y = noisy_gram(noise=0.0)
    results = [
        multiplicative_update(K, y, learning_rate=0.05, max_iter=steps) for steps in range(100)
    ]
    np.testing.assert_allclose(results[0].weights, 1.0 / 60)
    for before, after in pairwise(results):
        step = np.exp(0.05 * (1.0 - y * (K @ (y * before.weights))))
        np.testing.assert_allclose(after.weights, before.weights * step, rtol=1e-10)
        assert after.objective >= before.objective
        assert after.upper_bound <= before.upper_bound
        assert after.upper_bound >= after.objective


def test_too_large_a_rate_overshoots_and_diverges_without_a_warning() -> None:
    K, y = noisy_gram(noise=0.0)
    result = multiplicative_update(K, y, learning_rate=2.0, max_iter=5000)
    assert result.stop_reason == "diverged"
    assert not result.converged
    assert result.overshoot_iteration is not None
    assert np.isfinite(result.weights).all()
    signed = y * result.best_weights / result.best_weights.sum()
    assert signed @ K @ signed == pytest.approx(result.simplex_objectives.min())
    assert result.simplex_objectives.min() < result.simplex_objectives[-1]
