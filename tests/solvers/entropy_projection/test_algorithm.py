"""Laws of Algorithm 1 of IJCAI-07: simplex, descent, certificate, invariance, and its edges."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse.linalg import aslinearoperator
from sklearn.svm import OneClassSVM

from ensvm.kernels import gram, resolve_gamma
from ensvm.solvers.entropy_projection.tsang_kwok import EntropyProjectionState, entropy_projection

Problem = tuple[NDArray[np.float64], NDArray[np.float64]]
SEEDS = pytest.mark.parametrize("seed", range(4))


def problem(seed: int, m: int = 60, d: int = 5) -> Problem:
    """Return a Gaussian Gram matrix and noisy labels."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(m, d))
    y = np.where(X[:, 0] + generator.normal(size=m) > 0.0, 1.0, -1.0)
    return gram(X, kernel="rbf", gamma=resolve_gamma("mean-distance", X)), y


def exact_optimum(K: NDArray[Any], y: NDArray[Any]) -> float:
    """Return rho* by LIBSVM: its one-class machine at nu = 1/m minimises over the simplex."""
    signed = K * np.outer(y, y)
    machine = OneClassSVM(kernel="precomputed", nu=1.0 / y.size, tol=1e-10).fit(signed)
    weights = np.zeros(y.size)
    weights[machine.support_] = machine.dual_coef_.ravel() / machine.dual_coef_.sum()
    optimum = float(weights @ signed @ weights)
    lower = (signed @ weights).min() ** 2 / optimum  # an independent proof that it is the optimum
    assert lower == pytest.approx(optimum, rel=1e-4)
    return optimum


def history(K: Any, y: Any, **settings: Any) -> list[EntropyProjectionState]:
    states: list[EntropyProjectionState] = []
    entropy_projection(K, y, callback=states.append, **settings)
    return states


@given(seed=st.integers(0, 2**32 - 1), m=st.integers(2, 40), d=st.integers(1, 6))
@settings(deadline=None, max_examples=15)
def test_simplex_descent_and_bracket_at_every_step(seed: int, m: int, d: int) -> None:
    K, y = problem(seed, m, d)
    states = history(K, y, max_iter=500)
    objectives = np.array([state.objective for state in states])
    bounds = np.array([state.lower_bound for state in states])
    assert [state.iteration for state in states] == list(range(len(states)))
    assert np.all(np.diff(objectives) <= 0.0)
    assert np.all(np.diff(bounds) >= -1e-15)
    assert np.all((bounds >= 0.0) & (bounds <= objectives))
    for state in states:
        assert state.weights.min() >= 0.0
        assert state.weights.sum() == pytest.approx(1.0, abs=1e-12)
        exact = (y * state.weights) @ K @ (y * state.weights)
        assert state.objective == pytest.approx(exact, rel=1e-8, abs=1e-15)


@SEEDS
def test_certificate_brackets_the_exact_optimum_and_closes(seed: int) -> None:
    K, y = problem(seed)
    optimum = exact_optimum(K, y)
    for state in history(K, y):
        assert state.lower_bound <= optimum * (1.0 + 1e-6)
        assert state.objective >= optimum * (1.0 - 1e-6)
    result = entropy_projection(K, y, tol=1e-6, max_iter=100_000)
    assert result.stop_reason == "epsilon_below_tol"
    assert result.objective == pytest.approx(optimum, rel=1e-3)
    assert result.certificate == result.objective - result.lower_bound <= 0.1 * optimum


@SEEDS
def test_each_step_meets_its_constraint_and_its_cosine(seed: int) -> None:
    K, y = problem(seed)
    result = entropy_projection(K, y, keep_members=True)
    assert result.members is not None
    iterates = [*result.members, result.weights]
    for before, after, epsilon in zip(iterates, iterates[1:], result.epsilons, strict=False):
        gradient = y * (K @ (y * before))
        assert after @ gradient == pytest.approx(
            before @ gradient / (1.0 + epsilon), rel=1e-9
        )  # (16)
    assert np.all(result.learning_rates > 0.0)
    assert np.all(np.isin(result.epsilons, 0.1 / 2.0 ** np.arange(6)))
    assert np.all(np.diff(result.epsilons) <= 0.0)


@SEEDS
def test_result_is_one_path_told_in_several_ways(seed: int) -> None:
    K, y = problem(seed)
    states = history(K, y)
    result = entropy_projection(K, y, keep_members=True)
    assert result.members is not None
    assert result.members.shape == (result.n_iter, y.size)
    assert np.array_equal(result.members[0], np.full(y.size, 1.0 / y.size))  # the Parzen window
    assert np.array_equal(result.members, [state.weights for state in states[:-1]])
    assert np.array_equal(result.weights, states[-1].weights)
    assert np.array_equal(result.learning_rates, [state.learning_rate for state in states[1:]])
    mean = np.average(result.members, axis=0, weights=result.learning_rates)
    np.testing.assert_allclose(result.average_weights, mean, rtol=1e-12)
    assert (
        result.n_iter < result.n_matvec <= result.n_iter + 1 + 5
    )  # a step costs one product, a halving one more
    assert entropy_projection(K, y).members is None


@SEEDS
@pytest.mark.parametrize("learning_rate", [0.1, 1.0])
def test_fixed_rate_descends_where_the_kernel_is_at_most_one(
    seed: int, learning_rate: float
) -> None:
    K, y = problem(seed)
    states = history(K, y, learning_rate=learning_rate, max_iter=300)
    assert np.all(np.diff([state.objective for state in states]) <= 1e-15)
    weights = states[0].weights * np.exp(-learning_rate * y * (K @ (y * states[0].weights)))
    np.testing.assert_allclose(states[1].weights, weights / weights.sum(), rtol=1e-12)  # (8)


def test_fixed_rate_stops_at_a_proved_gap() -> None:
    K, y = problem(0)
    result = entropy_projection(K, y, learning_rate=1.0, tol=0.2, max_iter=100_000)
    assert result.stop_reason == "gap_below_tol"
    assert result.certificate <= 0.2 * result.lower_bound
    assert result.lower_bound <= exact_optimum(K, y) * (1.0 + 1e-6)


def assert_same_path(states: list[Any], others: list[Any], tolerance: float) -> None:
    """Assert that two paths agree over their first steps and end alike.

    Each step multiplies a difference by about three, so that a rounding decides on the late
    halvings.
    """
    for state, other in zip(states[:9], others[:9], strict=True):
        np.testing.assert_allclose(other.weights, state.weights, atol=tolerance)
    assert others[-1].objective == pytest.approx(states[-1].objective, rel=0.05)


@SEEDS
def test_label_flip_changes_nothing(seed: int) -> None:
    K, y = problem(seed)
    assert np.array_equal(entropy_projection(K, -y).weights, entropy_projection(K, y).weights)


@SEEDS
def test_permutation_permutes_the_weights(seed: int) -> None:
    K, y = problem(seed)
    order = np.random.default_rng(seed).permutation(y.size)
    back = np.argsort(order)
    permuted = [
        replace(state, weights=state.weights[back])
        for state in history(K[np.ix_(order, order)], y[order])
    ]
    assert_same_path(history(K, y), permuted, 1e-11)


@SEEDS
def test_the_same_input_gives_the_same_bits(seed: int) -> None:
    K, y = problem(seed)
    shifted = np.empty(K.size + 1)[1:].reshape(K.shape)  # the same numbers at another alignment
    shifted[...] = K
    assert np.array_equal(entropy_projection(shifted, y).weights, entropy_projection(K, y).weights)


def test_every_form_of_the_operator_gives_the_same_machine() -> None:
    K, y = problem(1)
    expected = history(K, y)
    for operator in (
        np.asfortranarray(K),
        np.repeat(K, 2, axis=0)[::2],
        aslinearoperator(K),
    ):
        assert_same_path(expected, history(operator, y), 1e-9)


@SEEDS
def test_single_precision_stays_near_double(seed: int) -> None:
    K, y = problem(seed)
    double, single = history(K, y), history(K.astype(np.float32), y)
    assert single[-1].weights.dtype == np.float64
    assert_same_path(double, single, 1e-4)


def test_the_gram_matrix_is_left_as_it_was() -> None:
    K, y = problem(0)
    before = K.copy()
    K.flags.writeable = False
    entropy_projection(K, y)
    assert np.array_equal(K, before)


def test_infeasible_line_search_halves_until_it_ends() -> None:
    # All g_i are equal at the start, which is the optimum: no half-space below rho_bar meets the
    # simplex.
    result = entropy_projection(np.eye(4), [1, -1, 1, -1], keep_members=True)
    assert (result.n_iter, result.n_matvec) == (0, 1)
    assert result.stop_reason == "epsilon_below_tol"
    assert result.certificate == pytest.approx(0.0, abs=1e-16)
    assert np.array_equal(result.average_weights, np.full(4, 0.25))
    assert result.members is not None
    assert np.array_equal(result.members, [np.full(4, 0.25)])
    assert result.learning_rates.shape == result.epsilons.shape == (0,)


@pytest.mark.parametrize(("first", "second"), [(1.0, 1.0), (1.0, 4.0), (3.0, 0.1)])
@pytest.mark.parametrize("correlation", [-0.5, 0.0, 0.5])
@pytest.mark.parametrize("labels", [(1, 1), (1, -1)])
def test_two_points_have_a_closed_form(
    first: float, second: float, correlation: float, labels: tuple[int, int]
) -> None:
    cross = correlation * np.sqrt(first * second)
    signed = labels[0] * labels[1] * cross
    share = np.clip((second - signed) / (first + second - 2.0 * signed), 0.0, 1.0)
    optimal = np.array([share, 1.0 - share])
    K = np.array([[first, cross], [cross, second]])
    result = entropy_projection(K, labels, tol=1e-9, max_iter=100_000)
    np.testing.assert_allclose(result.weights, optimal, atol=1e-3)
    assert result.lower_bound <= optimal @ (K * np.outer(labels, labels)) @ optimal + 1e-15


def test_duplicates_with_opposite_labels_make_the_optimum_zero() -> None:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(30, 3))
    X[1] = X[0]
    y = np.where(generator.normal(size=30) > 0.0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    result = entropy_projection(gram(X, kernel="rbf", gamma=0.2), y, tol=1e-4, max_iter=3000)
    assert result.lower_bound == 0.0
    assert result.certificate == result.objective < 1e-3


def test_balanced_duplicates_are_optimal_at_the_start() -> None:
    result = entropy_projection(np.ones((6, 6)), [1, -1, 1, -1, 1, -1])
    assert result.stop_reason == "zero_objective"
    assert result.converged
    assert result.n_iter == 0


def test_indefinite_matrix_is_named_so() -> None:
    result = entropy_projection(np.array([[1.0, 3.0], [3.0, 1.0]]), [1, -1])
    assert result.stop_reason == "not_positive_semidefinite"
    assert not result.converged


def test_reaching_the_most_steps_is_not_convergence() -> None:
    K, y = problem(0)
    result = entropy_projection(K, y, max_iter=3)
    assert (result.n_iter, result.stop_reason, result.converged) == (3, "max_iter", False)
    assert entropy_projection(K, y, max_iter=0).n_iter == 0


def test_the_first_epsilon_is_at_least_the_tolerance() -> None:
    with pytest.raises(ValueError, match="initial_tol must be at least tol"):
        entropy_projection(np.eye(3), [1, -1, 1], initial_tol=0.001)
