"""Ridge regression from sums: that of all rows at once, whatever the blocks."""

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import Ridge

from ensvm.solvers.one_pass_ridge import RidgeSums


def rows(seed: int, m: int = 200, r: int = 7) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    generator = np.random.default_rng(seed)
    features = generator.normal(loc=1.0, size=(m, r))
    return features, features @ generator.normal(size=r) + generator.normal(size=m) + 3.0


def summed(features: NDArray[np.float64], target: NDArray[np.float64], length: int) -> RidgeSums:
    sums = RidgeSums(features.shape[1])
    for start in range(0, len(target), length):
        sums.add(features[start : start + length].T, target[start : start + length])
    return sums


@pytest.mark.parametrize("alpha", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize("length", [1, 64, 200])
def test_it_is_scikit_learns_ridge(alpha: float, length: int) -> None:
    features, target = rows(0)
    solution = summed(features, target, length).solve(alpha)
    peer = Ridge(alpha=alpha).fit(features, target)
    np.testing.assert_allclose(solution.weights, peer.coef_, rtol=1e-9)
    assert solution.intercept == pytest.approx(peer.intercept_, rel=1e-9)
    assert solution.alpha == alpha


@pytest.mark.parametrize("seed", range(3))
def test_the_penalty_chosen_has_the_least_score_by_definition(seed: int) -> None:
    features, target = rows(seed, m=60, r=40)
    sums = summed(features, target, 17)

    def score(alpha: float) -> float:
        solution = sums.solve(alpha)
        errors = target - features @ solution.weights - solution.intercept
        centred = features - features.mean(axis=0)
        hat = centred @ np.linalg.solve(centred.T @ centred + alpha * np.eye(40), centred.T)
        return float(errors @ errors) / (60 - 1 - np.trace(hat)) ** 2

    chosen = sums.solve().alpha
    least = min(score(alpha) for alpha in np.geomspace(1e-6, 1e5, 50))
    assert score(chosen) <= 1.1 * least  # the grid of penalties is not infinitely fine


def test_features_without_spread_leave_the_mean() -> None:
    sums = RidgeSums(2)
    sums.add(np.ones((2, 5)), np.array([1.0, 1.0, 1.0, -1.0, -1.0]))
    solution = sums.solve()
    assert solution.intercept == pytest.approx(0.2)
    np.testing.assert_allclose(solution.weights, 0.0, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_the_penalty_left_out_has_the_least_error_of_refits(seed: int) -> None:
    features, target = rows(seed, m=45, r=40)

    def error(alpha: float) -> float:
        total = 0.0
        for row in range(45):
            others = np.arange(45) != row
            refit = Ridge(alpha=alpha).fit(features[others], target[others])
            total += float(target[row] - refit.predict(features[[row]])[0]) ** 2
        return total

    sums = summed(features, target, 17)
    chosen = sums.left_out_penalty(
        (features[start : start + 17].T, target[start : start + 17]) for start in range(0, 45, 17)
    )
    least = min(error(alpha) for alpha in np.geomspace(1e-6, 1e5, 23))
    assert error(chosen) <= 1.1 * least  # the grid of penalties is not infinitely fine
