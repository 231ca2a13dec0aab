"""AdaBoost over kernel expansions: its laws, why it ends; expansions in fewer points."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_problems import crossed_rows

from ensvm.kernels import gram
from ensvm.solvers.boosted_expansions import (
    LARGEST_ALPHA,
    best_alpha,
    boosted_expansions,
    closed_form_alpha,
    reduce_expansion,
)
from ensvm.solvers.boosting import BoostingResult
from ensvm.solvers.weighted_nu_svm.weakened import weakened_nu_svm

SIGNS = pytest.mark.parametrize("use_sign", [False, True])
SEEDS = pytest.mark.parametrize("seed", range(4))


def crossed(seed: int, noise: float = 0.5) -> Any:
    X, y = crossed_rows(seed, noise=noise)
    return gram(X, kernel="rbf", gamma=1.0), y


def boosted(
    K: Any, y: Any, n_rounds: int = 8, *, use_sign: bool, nu: float = 0.2, mu: float = 0.3
) -> BoostingResult:
    random = np.random.RandomState(0)

    def weak(D: Any, last: Any) -> Any:
        return weakened_nu_svm(K, y, D, nu, mu, random=random, start=last)

    return boosted_expansions(K, y, weak, n_rounds, use_sign=use_sign)


@SEEDS
@SIGNS
def test_each_round_follows_figure_1(seed: int, use_sign: bool) -> None:
    K, y = crossed(seed)
    result = boosted(K, y, use_sign=use_sign)
    assert result.weights.size >= 2
    D, vote, bound = np.full(y.size, 1.0 / y.size), np.zeros(y.size), 1.0
    for t, alpha in enumerate(result.weights):
        f = K @ result.learners[t].coef + result.learners[t].intercept
        assert np.abs(f).max() == pytest.approx(1.0, rel=1e-12)
        h = np.where(f > 0.0, 1.0, -1.0) if use_sign else f
        assert result.errors[t] == pytest.approx(
            D[(f > 0.0) != (y > 0.0)].sum(), rel=1e-9, abs=1e-15
        )
        tilted = D * np.exp(-alpha * y * h)
        assert result.normalizers[t] == pytest.approx(tilted.sum(), rel=1e-9)
        for other in (0.99 * alpha, 1.01 * alpha):
            assert other > LARGEST_ALPHA or np.sum(D * np.exp(-other * y * h)) >= tilted.sum() * (
                1.0 - 1e-12
            )
        D = tilted / tilted.sum()
        if alpha < LARGEST_ALPHA:
            assert D @ (y * h) == pytest.approx(
                0.0, abs=1e-9
            )  # the last hypothesis is random under the new D
        vote += alpha * h
        bound *= result.normalizers[t]
        assert result.train_errors[t] == pytest.approx(
            np.mean((vote > 0.0) != (y > 0.0)), abs=1e-12
        )
        assert result.train_errors[t] <= bound * (1.0 + 1e-9)
        margins = y * vote / result.weights[: t + 1].sum()
        assert result.min_margins[t] == pytest.approx(margins.min(), abs=1e-12)
    np.testing.assert_allclose(D, result.sample_weight, rtol=1e-8, atol=1e-15)
    np.testing.assert_allclose(margins, result.margins, atol=1e-12)
    assert result.certificate >= -1e-12


@given(seed=st.integers(0, 10_000), m=st.integers(2, 50), scale=st.floats(1e-3, 1.0))
def test_best_alpha_balances_or_is_the_cap(seed: int, m: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    D, agreement = rng.dirichlet(np.ones(m)), scale * rng.uniform(-1.0, 1.0, size=m)
    if D @ agreement < 0.0:
        agreement = -agreement
    alpha = best_alpha(agreement, D)
    slope = D * np.exp(-alpha * agreement) @ agreement
    assert 0.0 <= alpha <= LARGEST_ALPHA
    assert slope == pytest.approx(0.0, abs=1e-10) or (alpha == LARGEST_ALPHA and slope > 0.0)


@given(seed=st.integers(0, 10_000), m=st.integers(2, 50))
def test_the_closed_form_bounds_z_and_is_the_best_alpha_of_signs(seed: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    distribution = rng.dirichlet(np.ones(m))
    for agreement in (rng.uniform(-1.0, 1.0, m), rng.choice([-1.0, 1.0], m)):
        edge = float(distribution @ agreement)
        if not 1e-6 < edge < 0.999:  # beyond, the cap may count
            continue
        alpha = closed_form_alpha(edge)
        Z = np.sum(distribution * np.exp(-alpha * agreement))
        assert np.sqrt(1.0 - edge**2) * (1.0 + 1e-9) >= Z
        if set(agreement) == {-1.0, 1.0}:
            assert alpha == pytest.approx(best_alpha(agreement, distribution), rel=1e-6)


def test_a_sign_that_is_right_everywhere_ends_boosting_real_values_go_on() -> None:
    K, y = crossed(0, noise=0.0)
    by_sign, by_value = (
        boosted(K, y, use_sign=use_sign, nu=0.01, mu=0.0) for use_sign in (True, False)
    )
    assert (by_sign.stop_reason, by_sign.weights.tolist()) == ("perfect", [LARGEST_ALPHA])
    assert by_value.stop_reason == "n_rounds"
    assert by_value.weights.size == 8
    assert not by_value.train_errors.any()


def test_a_hypothesis_no_better_than_random_ends_boosting_and_is_left_out() -> None:
    K, y = crossed(1)
    first = weakened_nu_svm(
        K, y, np.full(y.size, 1.0 / y.size), 0.2, 0.0, random=np.random.RandomState(0)
    )
    result = boosted_expansions(K, y, lambda D, last: first, 10, use_sign=True)
    assert (result.stop_reason, result.weights.size) == (
        "no_better_than_random",
        1,
    )  # the same again has no edge


def test_the_first_hypothesis_stays_whatever_it_is_worth() -> None:
    K, y = crossed(1)
    opposite = weakened_nu_svm(
        K, -y, np.full(y.size, 1.0 / y.size), 0.2, 0.0, random=np.random.RandomState(0)
    )
    assert opposite is not None
    result = boosted_expansions(K, -y, lambda D, last: opposite, 10, use_sign=False)
    assert result.normalizers[0] < 1.0
    wrong = boosted_expansions(-K, -y, lambda D, last: opposite, 10, use_sign=False)
    assert not wrong.converged
    assert (wrong.stop_reason, wrong.weights.tolist()) == ("no_better_than_random", [1.0])
    assert wrong.normalizers[0] >= 1.0


def test_one_class_left_ends_boosting_and_leaves_nothing_in_the_first_round() -> None:
    K, y = crossed(0)
    machines = iter(
        [
            weakened_nu_svm(K, y, np.full(120, 1 / 120), 0.2, 0.3, random=np.random.RandomState(0)),
            None,
        ]
    )
    result = boosted_expansions(K, y, lambda D, last: next(machines), 10, use_sign=False)
    assert (result.stop_reason, result.weights.size) == ("one_class_left", 1)
    nothing = boosted_expansions(K, y, lambda D, last: None, 10, use_sign=False)
    assert (nothing.stop_reason, nothing.n_iter, nothing.certificate) == ("one_class_left", 0, None)


def test_dependent_points_go_and_nothing_changes() -> None:
    rng = np.random.default_rng(0)
    X, others = rng.normal(size=(40, 3)), rng.normal(size=(25, 3))
    coefs = rng.normal(size=(40, 2))
    points, reduced, _ = reduce_expansion(gram(X, kernel="linear"), coefs, 1e-9)
    assert points.size == 3  # as many as there are dimensions
    before, after = (
        gram(others, X, kernel="linear") @ coefs,
        gram(others, X[points], kernel="linear") @ reduced,
    )
    np.testing.assert_allclose(after, before, atol=1e-9)


@pytest.mark.parametrize("allowed", [1e-1, 1e-3, 1e-6])
def test_the_error_stays_within_what_is_allowed_at_any_point(allowed: float) -> None:
    rng = np.random.default_rng(1)
    X, others = rng.uniform(size=(80, 2)), rng.uniform(-0.5, 1.5, size=(500, 2))
    coefs = rng.normal(size=(80, 1))
    parameters = {"kernel": "rbf", "gamma": 1.0}
    points, reduced, error = reduce_expansion(gram(X, **parameters), coefs, allowed)
    difference = (
        gram(others, X, **parameters) @ coefs - gram(others, X[points], **parameters) @ reduced
    )
    assert np.abs(difference).max() <= error * (1.0 + 1e-6) + 1e-9
    assert error <= allowed
    assert 0 < points.size < 60
    assert np.all(np.diff(points) > 0)
