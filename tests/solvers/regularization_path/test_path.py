"""The path is the C-SVM at every C: optimality, limits, open intercepts, difficult data."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import SVC
from small_problems import DIFFICULTIES, clouds, difficult, rbf

from ensvm.data import find_card, load
from ensvm.kernels import gram, resolve_gamma
from ensvm.solvers.regularization_path.events import FREE, LEFT, NOTHING, RIGHT
from ensvm.solvers.regularization_path.path import regularization_path

SMALL_SETS = ("breast-cancer", "diabetis", "german", "titanic", "waveform")


@cache
def realization(name, index):
    data = load(find_card(name), offline=True).realization(index)
    gamma = resolve_gamma("mean-distance", data.X_train)
    return gram(data.X_train, kernel="rbf", gamma=gamma), data.y_train.astype(float)


@cache
def path_of(name, index):
    return regularization_path(*realization(name, index))


def objective(K, y, alpha):
    return alpha.sum() - 0.5 * (y * alpha) @ K @ (y * alpha)


def violation(path, K, y, C):
    """Return the largest violation of optimality, in units of y f, and of constraints, in C."""
    alpha = path.coef_at(C)
    excess = y * (K @ (y * alpha) + path.intercept_at(C)) - 1.0
    inside = np.where(alpha >= C * (1.0 - 1e-12), np.maximum(excess, 0.0), np.abs(excess))
    margins = np.where(alpha <= 1e-12 * C, np.maximum(-excess, 0.0), inside).max()
    balance = abs(y @ alpha) / C if path.fit_intercept else 0.0
    return max(margins, balance, -alpha.min() / C, alpha.max() / C - 1.0)


def libsvm_objective(K, y, C):
    machine = SVC(C=C, kernel="precomputed", tol=1e-8, shrinking=False).fit(K, y)
    alpha = np.zeros(y.size)
    alpha[machine.support_] = np.abs(machine.dual_coef_[0])
    return objective(K, y, alpha)


@pytest.mark.parametrize("name", SMALL_SETS)
def test_it_is_libsvms_machine_at_any_C(name):
    K, y = realization(name, 1)
    path = path_of(name, 1)
    assert path.converged
    assert path.certificate <= 1e-8
    for C in 10.0 ** np.random.default_rng(1).uniform(-2.5, 4.0, 6):
        expected = libsvm_objective(K, y, C)
        assert objective(K, y, path.coef_at(C)) == pytest.approx(expected, rel=1e-6)
        assert violation(path, K, y, C) <= 1e-6


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("name", ["whole", "any", "balanced"])
def test_weights_of_points_are_libsvms(name, fit_intercept):
    rng = np.random.default_rng(0)
    X, y = clouds()
    K, balanced = rbf(X), np.where(y > 0, np.mean(y < 0), np.mean(y > 0))
    weights = {
        "whole": rng.integers(1, 5, y.size).astype(float),
        "any": rng.uniform(0.01, 10.0, y.size),
        "balanced": balanced,
    }[name]
    path = regularization_path(K, y, sample_weight=weights, fit_intercept=fit_intercept)
    assert path.certificate <= 1e-8
    for C in np.geomspace(1e-3, 1e3, 9):
        alpha = path.coef_at(C)
        assert np.all(alpha <= C * weights * (1.0 + 1e-12))
        if fit_intercept:
            machine = SVC(C=C, kernel="precomputed", tol=1e-9, shrinking=False).fit(K, y, weights)
            theirs = np.zeros(y.size)
            theirs[machine.support_] = np.abs(machine.dual_coef_[0])
            expected = objective(K, y, theirs)
            assert objective(K, y, alpha) == pytest.approx(expected, rel=1e-7)
            if np.any((alpha > 1e-6 * C) & (alpha < (1.0 - 1e-6) * C * weights)):
                assert path.intercept_at(C) == pytest.approx(machine.intercept_[0], abs=1e-3)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("name", DIFFICULTIES)
def test_difficult_data_run_to_the_end(name, fit_intercept):
    K, y = difficult(name)
    scale = max(K.diagonal().max(), 1e-300) if K.any() else 1.0
    path = regularization_path(K, y, fit_intercept=fit_intercept, C_max=1e4 / scale)
    assert path.converged
    assert path.lambdas[-1] == pytest.approx(scale / 1e4)
    assert path.certificate <= 1e-7
    for C in [*(np.geomspace(1e-3, 1e4, 25) / scale), *(1.0 / path.lambdas[::7])]:
        assert violation(path, K, y, C) <= 1e-7


@given(
    points=st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 2), st.booleans()), min_size=2, max_size=24
    ),
    fit_intercept=st.booleans(),
    kernel=st.sampled_from(["linear", "rbf", "poly"]),
)
def test_ties_everywhere(points, fit_intercept, kernel):
    X, y = (
        np.array([point[:2] for point in points], dtype=float),
        np.array([1.0 if point[2] else -1.0 for point in points]),
    )
    y[0] = -y[-1]
    K = gram(X, kernel=kernel, gamma=0.5, degree=2, coef0=1.0)
    path = regularization_path(K, y, fit_intercept=fit_intercept, C_max=1e3)
    for C in np.geomspace(1e-2, 1e3, 9):
        assert violation(path, K, y, C) <= 1e-7


def test_exactly_one_point_moves_at_an_event():
    path = path_of("breast-cancer", 1)
    sets = path.initial_sets.copy()
    assert path.indices[0] == path.indices[-1] == NOTHING
    assert np.count_nonzero(path.indices != NOTHING) == path.n_events
    for at in range(1, path.lambdas.size - 1):
        point = path.indices[at]
        assert sets[point] != path.destinations[at]
        assert FREE in (sets[point], path.destinations[at])
        sets[point] = path.destinations[at]
        alpha = path.multipliers(at, at + 1)[0]
        assert np.all(alpha[sets == LEFT] == 1.0)
        assert np.all(alpha[sets == RIGHT] == 0.0)
    assert np.all(np.diff(path.lambdas) <= 0.0)


@pytest.mark.parametrize("name", ["titanic", "waveform"])
def test_between_breakpoints_alpha_over_C_is_linear_in_1_over_C(name):
    path = path_of(name, 1)
    for at in np.flatnonzero(np.diff(path.lambdas) < -1e-9)[:: path.lambdas.size // 8]:
        upper, lower = path.lambdas[at : at + 2]
        ends = path.multipliers(at, at + 2)
        for part in (0.25, 0.75):
            C = 1.0 / (upper + part * (lower - upper))
            np.testing.assert_allclose(
                path.coef_at(C) / C, (1.0 - part) * ends[0] + part * ends[1], atol=1e-9
            )


def test_decision_values_of_other_points_follow_the_path():
    X, y = clouds(120)
    others = np.random.default_rng(1).normal(size=(7, 2))
    path = regularization_path(rbf(X), y)
    assert path.lambdas.size > 128  # more than one block
    cross = gram(others, X, kernel="rbf", gamma=0.5)
    stages = list(path.staged_decision_function(cross))
    assert len(stages) == path.lambdas.size
    for at in range(0, len(stages), 9):
        C = 1.0 / path.lambdas[at]
        expected = cross @ (y * path.coef_at(C)) + path.intercept_at(C)
        np.testing.assert_allclose(stages[at], expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n_positive", [13, 20])
def test_below_the_first_breakpoint_only_the_scale_changes(n_positive):
    X, y = clouds(n_positive=n_positive)
    K = rbf(X)
    path = regularization_path(K, y)
    C = 0.1 / path.lambdas[0]
    np.testing.assert_allclose(
        path.coef_at(C) / C, path.coef_at(1.0 / path.lambdas[0]) * path.lambdas[0]
    )
    assert violation(path, K, y, C) <= 1e-9
    assert objective(K, y, path.coef_at(C)) == pytest.approx(libsvm_objective(K, y, C), rel=1e-7)


def test_separable_data_end_in_the_hard_margin_machine():
    X, y = clouds()
    K = rbf(X + 4.0 * y[:, None])
    path = regularization_path(K, y)
    assert path.complete
    hard = path.coef_at(1e8)
    np.testing.assert_array_equal(hard, path.coef_at(1e5))
    assert np.min(y * (K @ (y * hard) + path.intercept_at(1e8))) >= 1.0 - 1e-9


def test_a_path_cut_short_says_where_it_ends():
    K, y = realization("titanic", 1)
    path = regularization_path(K, y, C_max=5.0)
    assert not path.complete
    assert path.coef_at(5.0).max() == 5.0
    with pytest.raises(ValueError, match="ends at C = 5"):
        path.coef_at(6.0)
    with pytest.raises(ValueError, match="positive"):
        path.intercept_at(0.0)


def test_too_few_events_are_reported():
    K, y = realization("breast-cancer", 1)
    path = regularization_path(K, y, max_events=100)
    assert not path.converged
    assert path.lambdas[-1] > 1e-4
    C = 0.9 / path.lambdas[-1]
    assert violation(path, K, y, C) <= 1e-8
    # The events on the way to the start are more, and do not count.
    short = regularization_path(K, y, max_events=10)
    assert short.n_events == 10 < short.n_start_events
    np.testing.assert_array_equal(short.lambdas[:11], path.lambdas[:11])


@pytest.mark.parametrize(
    ("K", "weights", "message"),
    [
        (np.full((2, 2), np.nan), None, "finite"),
        (np.array([[0.0, 1.0], [1.0, 0.0]]), None, "positive semidefinite"),
        (np.eye(2), [0.0, 1.0], "positive number"),
    ],
)
def test_bad_input_is_refused(K, weights, message):
    with pytest.raises(ValueError, match=message):
        regularization_path(K, [1, -1], sample_weight=weights)


SEEDS = pytest.mark.parametrize("seed", range(4))


def data(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(14, 2))
    y = np.where(np.arange(14) < 4 + seed % 4, 1.0, -1.0)
    return gram(X + 0.5 * y[:, None], kernel="linear"), y


def grid(path):
    return np.concatenate([np.geomspace(0.01, 5.0, 40) / path.lambdas[0], 1.0 / path.lambdas[1:]])


def optimal_intercepts(K, y, alpha, C):
    values, out, on = K @ (y * alpha), alpha < 0.5 * C, alpha > 0.5 * C
    at_least = (on & (y < 0.0)) | (out & (y > 0.0))
    return (y - values)[at_least].max(), (y - values)[~at_least].min()


def test_it_is_the_middle():
    wide = 0
    for seed in range(12):
        K, y = data(seed)
        path = regularization_path(K, y)
        for C in grid(path):
            alpha = path.coef_at(C)
            if np.minimum(alpha, C - alpha).max() <= 1e-12 * C:
                low, high = optimal_intercepts(K, y, alpha, C)
                wide += high - low > 1e-3
                assert path.intercept_at(C) == pytest.approx(0.5 * (low + high), abs=1e-6)
    assert wide >= 50


@SEEDS
def test_the_order_of_the_points_does_not_choose_it(seed):
    K, y = data(seed)
    order = np.random.default_rng(seed).permutation(y.size)
    path, other = regularization_path(K, y), regularization_path(K[np.ix_(order, order)], y[order])
    for C in grid(path)[:40]:
        assert other.intercept_at(C) == pytest.approx(path.intercept_at(C), abs=1e-6)
