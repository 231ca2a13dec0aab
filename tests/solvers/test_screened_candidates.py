"""Screening candidates by 16-bit kernel values changes no round of the leveraging algorithm."""

from typing import Any, Literal

import numpy as np
import pytest
from small_problems import crossed_rows

from ensvm.kernels import gram
from ensvm.solvers.leverage import leverage
from ensvm.solvers.screened_candidates import ScreenedCandidates


def problem(seed: int, m: int, gamma: float) -> tuple[Any, Any]:
    X, y = crossed_rows(seed, m, d=4)
    return gram(X, kernel="rbf", gamma=gamma), y


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
@pytest.mark.parametrize("gamma", [0.01, 0.3, 5.0])
def test_rounds_are_those_of_the_whole_gram_matrix(
    gamma: float, loss: Literal["exponential", "logistic"]
) -> None:
    K, y = problem(0, 300, gamma)
    exact = leverage(K, y, loss=loss, n_rounds=60)
    screened = leverage(ScreenedCandidates(lambda rows: K[rows], 300), y, loss=loss, n_rounds=60)
    assert screened.stop_reason == exact.stop_reason
    np.testing.assert_allclose(screened.losses, exact.losses, rtol=1e-9)
    np.testing.assert_allclose(screened.certificate, exact.certificate, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("gamma", [0.01, 0.3, 5.0])
def test_the_list_holds_the_candidate_of_largest_gain(seed: int, gamma: float) -> None:
    K, y = problem(seed, 200, gamma)
    weights = np.random.default_rng(seed).exponential(size=200) ** 3
    pulls, total = y * weights, weights.sum()
    centred = K - (K @ weights / total)[:, None]
    gains = (centred @ pulls) ** 2 / (centred**2 @ weights)
    candidates = ScreenedCandidates(lambda rows: K[rows], 200)
    for last in (-1, int(np.argmax(gains))):
        rows = candidates.of_largest_gain(weights, pulls, last).indices
        allowed = np.arange(200) != last
        assert np.flatnonzero(allowed)[np.argmax(gains[allowed])] in rows
        assert last not in rows
    steepest = candidates.of_largest_slope(pulls).indices
    assert np.argmax(np.abs(K @ pulls)) in steepest


def test_few_candidates_are_left() -> None:
    K, y = problem(0, 300, 0.3)
    candidates = ScreenedCandidates(lambda rows: K[rows], 300)
    assert candidates.of_largest_gain(np.ones(300), y, -1).indices.size < 30


@pytest.mark.parametrize("m", [2, 3, 5, 6])
def test_any_number_of_rows_fills_groups_of_four(m: int) -> None:
    K, y = problem(1, m, 0.3)
    rows = ScreenedCandidates(lambda rows: K[rows], m).of_largest_slope(y).indices
    assert rows.max() < m
    assert np.argmax(np.abs(K @ y)) in rows


@pytest.mark.parametrize("gamma", [0.01, 0.3])
def test_slopes_and_curvatures_are_within_their_bounds(gamma: float) -> None:
    K, y = problem(2, 1100, gamma)  # more than two chunks, the last one shorter
    weights = np.random.default_rng(2).exponential(size=1100)
    direction, total = y * weights, weights.sum()
    candidates = ScreenedCandidates(lambda rows: K[rows], 1100)
    roots = np.sqrt((K**2) @ weights - (K @ weights) ** 2 / total)
    for chosen in (np.arange(1100), np.array([7, 3, 1099, 20, 21])):
        bounds = candidates._bounds(chosen, weights, direction, total)
        assert (np.abs(bounds.slopes - (K @ direction)[chosen]) <= bounds.error).all()
        assert (bounds.at_least <= roots[chosen]).all()
        assert (bounds.at_most >= roots[chosen]).all()


@pytest.mark.parametrize("gamma", [0.05, 0.3, 5.0])
def test_eight_bits_leave_the_candidate_of_largest_gain_while_weights_change(gamma: float) -> None:
    m, rng = 400, np.random.default_rng(3)
    K, y = problem(3, m, gamma)
    candidates = ScreenedCandidates(lambda rows: K[rows], m)
    weights, n_few = rng.uniform(0.5, 1.0, size=m), 0
    for _ in range(30):
        pulls, total = y * weights, weights.sum()
        few = candidates._few(weights, pulls - (pulls.sum() / total) * weights, -1)
        centred = K - (K @ weights / total)[:, None]
        best = np.argmax((centred @ pulls) ** 2 / (centred**2 @ weights))
        assert few is None or best in few
        n_few += few is not None
        assert best in candidates.of_largest_gain(weights, pulls, -1).indices
        weights *= np.exp(0.03 * rng.normal(size=m))
    assert n_few > 5
