"""Algorithm 1 of IJCAI-07: its laws, its edges, and what the paper proves of it."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.sparse.linalg import aslinearoperator
from scipy.special import logsumexp, rel_entr, softmax
from small_problems import noisy_gram, simplex_optimum

from ensvm.array_types import Vector
from ensvm.kernels import gram
from ensvm.solvers.entropy_projection.accelerated import accelerated_descent
from ensvm.solvers.entropy_projection.simplex import EntropyProjectionResult
from ensvm.solvers.entropy_projection.tsang_kwok import entropy_projection, project

SEEDS = pytest.mark.parametrize("seed", range(4))
FIRST_STEPS = 9  # each multiplies a difference by about three: later ones show rounding


def signed_gram(seed: int, m: int = 50) -> Vector:
    """Return K~ of a Gaussian kernel, hence |K~_ij| <= 1, and noisy labels."""
    K, y = noisy_gram(seed, m)
    return K * np.outer(y, y)


def optimum(K: Vector) -> tuple[float, Vector]:
    """Return rho* and alpha* by LIBSVM."""
    best, weights = simplex_optimum(K, 1.0 / len(K))
    lower = (K @ weights).min() ** 2 / best  # an independent proof that it is the optimum
    assert lower == pytest.approx(best, rel=1e-4)
    return best, weights


def with_path(K: Any, y: Any, **settings: Any) -> tuple[EntropyProjectionResult, list[Vector]]:
    """Return the result and the weights alpha_1, ..., alpha_{T+1}."""
    result = entropy_projection(K, y, keep_members=True, **settings)
    assert result.members is not None
    return result, [*result.members, result.weights] if result.n_iter else [result.weights]


@given(seed=st.integers(0, 2**32 - 1), m=st.integers(2, 40), d=st.integers(1, 6))
def test_simplex_descent_and_bracket_at_every_step(seed: int, m: int, d: int) -> None:
    K, y = noisy_gram(seed, m, d)
    result, path = with_path(K, y, max_iter=500)
    assert len(path) == result.objectives.size == result.lower_bounds.size == result.n_iter + 1
    assert np.all(np.diff(result.objectives) <= 0.0)
    assert np.all(np.diff(result.lower_bounds) >= -1e-15)
    assert np.all((result.lower_bounds >= 0.0) & (result.lower_bounds <= result.objectives))
    for weights, objective in zip(path, result.objectives, strict=True):
        assert weights.min() >= 0.0
        assert weights.sum() == pytest.approx(1.0, abs=1e-12)
        exact = (y * weights) @ K @ (y * weights)
        assert objective == pytest.approx(exact, rel=1e-8, abs=1e-15)


@SEEDS
def test_certificate_brackets_the_exact_optimum_and_closes(seed: int) -> None:
    K, y = noisy_gram(seed)
    best, _ = optimum(K * np.outer(y, y))
    result = entropy_projection(K, y, tol=1e-6, max_iter=100_000)
    assert np.all(result.lower_bounds <= best * (1.0 + 1e-6))
    assert np.all(result.objectives >= best * (1.0 - 1e-6))
    assert result.stop_reason == "epsilon_below_tol"
    assert result.objective == pytest.approx(best, rel=1e-3)
    assert result.certificate == result.objective - result.lower_bound <= 0.1 * best


@SEEDS
def test_each_step_meets_its_constraint_and_its_cosine(seed: int) -> None:
    K, y = noisy_gram(seed)
    result, iterates = with_path(K, y)
    for before, after, epsilon in zip(iterates, iterates[1:], result.epsilons, strict=False):
        gradient = y * (K @ (y * before))
        assert after @ gradient == pytest.approx(
            before @ gradient / (1.0 + epsilon), rel=1e-9
        )  # (16)
    assert np.all(result.learning_rates > 0.0)
    assert np.all(np.isin(result.epsilons, 0.1 / 2.0 ** np.arange(6)))
    assert np.all(np.diff(result.epsilons) <= 0.0)


@SEEDS
@pytest.mark.parametrize("solve", [entropy_projection, accelerated_descent])
def test_the_average_is_that_of_the_members_by_their_rates(seed: int, solve: Any) -> None:
    K, y = noisy_gram(seed)
    result = solve(K, y, keep_members=True)
    assert result.members is not None
    assert result.members.shape == (result.n_iter, y.size)
    assert np.array_equal(result.members[0], np.full(y.size, 1.0 / y.size))  # the Parzen window
    mean = np.average(result.members, axis=0, weights=result.learning_rates)
    np.testing.assert_allclose(result.average_weights, mean, rtol=1e-12)
    assert solve(K, y).members is None
    if solve is entropy_projection:  # a step costs one product, a halving one more
        assert result.n_iter < result.n_matvec <= result.n_iter + 1 + 5


def test_every_form_of_the_operator_gives_the_same_machine() -> None:
    K, y = noisy_gram(1)
    expected, path = with_path(K, y)
    for operator in (
        np.asfortranarray(K),
        np.repeat(K, 2, axis=0)[::2],
        aslinearoperator(K),
    ):
        result, other = with_path(operator, y)
        np.testing.assert_allclose(other[:FIRST_STEPS], path[:FIRST_STEPS], atol=1e-9)
        assert result.objective == pytest.approx(expected.objective, rel=0.05)


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


def test_the_first_epsilon_is_at_least_the_tolerance() -> None:
    with pytest.raises(ValueError, match="initial_tol must be at least tol"):
        entropy_projection(np.eye(3), [1, -1, 1], initial_tol=0.001)


def problems(seed: int, spread: float, skew: float) -> tuple[NDArray[Any], NDArray[Any], float]:
    generator = np.random.default_rng(seed)
    gradient = spread * generator.normal(size=50) + generator.normal()
    log_weights = skew * generator.normal(size=50)
    log_weights -= logsumexp(log_weights)
    mean = float(np.exp(log_weights) @ gradient)
    fraction = generator.uniform(0.05, 0.9)
    return log_weights, gradient, mean + fraction * (float(gradient.min()) - mean)


@pytest.mark.parametrize("spread", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("skew", [0.0, 3.0, 100.0])
@pytest.mark.parametrize("seed", range(3))
def test_rate_equals_an_independent_root(seed: int, spread: float, skew: float) -> None:
    log_weights, gradient, target = problems(seed, spread, skew)
    projection = project(log_weights, gradient, target)
    assert projection is not None

    def violation(eta: float) -> float:
        return float(softmax(log_weights - eta * gradient) @ (gradient - target))

    high = 1e-6 / spread
    while violation(high) > 0.0:
        high *= 2.0
    expected = brentq(violation, 0.0, high, xtol=1e-300, rtol=1e-14, maxiter=1000)
    rounding = (
        1e-14 * float(np.abs(gradient).max()) / spread
    )  # of the gradient itself, in units of its spread
    assert projection.learning_rate == pytest.approx(expected, rel=1e-10 + 100 * rounding)


@given(
    gradient=arrays(np.int64, st.integers(2, 30), elements=st.integers(-(10**6), 10**6)),
    fraction=st.floats(0.001, 0.999),
    skew=st.floats(0.0, 500.0),
)
def test_weights_stay_on_the_simplex_and_meet_the_constraint(
    gradient: NDArray[Any], fraction: float, skew: float
) -> None:
    log_weights = -skew * np.linspace(0.0, 1.0, gradient.size)
    log_weights -= logsumexp(log_weights)
    mean, least = float(np.exp(log_weights) @ gradient), float(gradient.min())
    scale = float(np.abs(gradient).max())
    if mean - least <= 1e-9 * scale:  # nothing to gain but rounding
        return
    target = mean + fraction * (least - mean)
    projection = project(log_weights, gradient, target)
    assert projection is not None
    assert projection.learning_rate > 0.0
    assert projection.weights.min() >= 0.0
    assert projection.weights.sum() == pytest.approx(1.0, abs=1e-12)
    assert float(projection.weights @ gradient) == pytest.approx(target, abs=1e-8 * scale)
    np.testing.assert_allclose(
        np.exp(projection.log_weights), projection.weights, rtol=1e-9, atol=1e-300
    )


@pytest.mark.parametrize("target", [-1.0, 0.0])
def test_constraint_out_of_reach_gives_none(target: float) -> None:
    assert project(np.log([0.5, 0.5]), np.array([0.0, 1.0]), target) is None


def test_weight_lost_to_underflow_comes_back() -> None:
    log_weights = np.array([0.0, -2000.0])
    assert np.exp(log_weights[1]) == 0.0
    projection = project(log_weights, np.array([1.0, 0.0]), 0.5)
    assert projection is not None
    assert projection.learning_rate == pytest.approx(2000.0, rel=1e-10)
    np.testing.assert_allclose(projection.weights, 0.5, rtol=1e-9)


@given(seed=st.integers(0, 50), skew=st.floats(0.0, 6.0), epsilon=st.floats(0.001, 0.999))
def test_proposition_1_where_its_condition_holds_the_projection_exists(
    seed: int, skew: float, epsilon: float
) -> None:
    K = signed_gram(seed, m=20)
    best, at_best = optimum(K)
    weights = np.random.default_rng(seed).dirichlet(np.full(20, np.exp(-skew)) + 1e-3)
    weights = np.maximum(weights, 1e-100) / np.maximum(weights, 1e-100).sum()
    gradient = K @ weights
    objective = float(weights @ gradient)
    target = objective / (1.0 + epsilon)
    if objective * (1.0 - epsilon) / (1.0 + epsilon) < best * (1.0 + 1e-6):  # (11) does not hold
        return
    assert at_best @ gradient <= target * (1.0 + 1e-9)  # (14)
    projection = project(np.log(weights), gradient, target)
    assert projection is not None
    assert projection.weights @ gradient == pytest.approx(target, rel=1e-6)  # (16)


@SEEDS
def test_an_infeasible_projection_proves_the_loose_optimality_of_footnote_5(seed: int) -> None:
    K = signed_gram(seed)
    best, _ = optimum(K)
    _, path = with_path(K, np.ones(len(K)), tol=1e-4, max_iter=100_000)
    infeasible = 0
    for weights in path:
        gradient = K @ weights
        objective = float(weights @ gradient)
        for epsilon in (0.5, 0.2, 0.1, 0.05):
            if project(np.log(weights), gradient, objective / (1.0 + epsilon)) is None:
                infeasible += 1
                assert objective < best * (1.0 + 2.0 * epsilon / (1.0 - epsilon)) * (1.0 + 1e-6)
    assert infeasible > 0


@SEEDS
def test_each_step_nears_the_optimum_as_the_proof_of_convergence_says(seed: int) -> None:
    K = signed_gram(seed)
    best, at_best = optimum(K)
    result, path = with_path(K, np.ones(len(K)))
    step_lengths, n_covered = [], 0
    for before, after, epsilon in zip(path, path[1:], result.epsilons, strict=False):
        objective = float(before @ K @ before)
        if objective * (1.0 - epsilon) / (1.0 + epsilon) < best:  # (11): what the proof assumes
            continue
        nearer = rel_entr(at_best, before).sum() - rel_entr(at_best, after).sum()
        moved = float(rel_entr(after, before).sum())
        length = epsilon * objective / (1.0 + epsilon)
        assert nearer >= moved * (1.0 - 1e-6)  # (19)
        assert moved >= 0.5 * length**2  # Hoelder and Pinsker, where |K| <= 1
        step_lengths.append(length)
        n_covered += 1
    assert 0 < n_covered <= 2.0 * np.log(len(K)) / min(step_lengths) ** 2


def adaboost(K: Vector, margin_of_round: list[float] | Vector, rounds: int) -> tuple[Any, ...]:
    """Run the paper's Algorithm 2 on weighted Parzen windows; return its d_t, c_t and output.

    The hypothesis of round t is h_t(x_j) = sum_i d_i y_i k(x_i, x_j), so that y_j h_t(x_j) is
    (K~ d)_j; the output is that at y_j f(x_j).
    """
    d = np.full(len(K), 1.0 / len(K))
    distributions, coefficients, hypotheses = [d], [], []
    for margin in margin_of_round[:rounds]:
        agreement = K @ d

        def slope(c: float, d: Vector = d, excess: Vector = agreement - margin) -> float:
            return float(-(d * excess * np.exp(-c * excess)).sum())

        high = 1.0
        while slope(high) < 0.0:
            high *= 2.0
        c = brentq(slope, 0.0, high, xtol=1e-14, rtol=1e-15)  # (20)
        d = d * np.exp(-c * agreement)
        d /= d.sum()  # (21)
        distributions.append(d)
        coefficients.append(c)
        hypotheses.append(agreement)
    output = np.average(hypotheses, axis=0, weights=coefficients)
    return distributions, coefficients, output


@SEEDS
def test_algorithm_1_is_adaboost_star_with_parzen_windows(seed: int) -> None:
    # In round t AdaBoost*_nu asks for the margin min_r gamma_r - nu, gamma_r being the edges. Here
    # the edge is the objective, which never rises, and nu is what epsilon makes of it.
    K = signed_gram(seed)
    result, path = with_path(K, np.ones(len(K)), max_iter=FIRST_STEPS)
    edges = np.array([weights @ K @ weights for weights in path[:-1]])
    nu = edges * result.epsilons / (1.0 + result.epsilons)
    margins = np.minimum.accumulate(edges) - nu
    distributions, coefficients, output = adaboost(K, margins, FIRST_STEPS)
    np.testing.assert_allclose(path, distributions, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(result.learning_rates, coefficients, rtol=1e-6)
    np.testing.assert_allclose(K @ result.average_weights, output, rtol=1e-6, atol=1e-9)


@SEEDS
def test_projections_onto_the_optimal_constraint_are_adaboost(seed: int) -> None:
    # Section 2.2 knows rho*: then the margin that AdaBoost asks for is the same in each round.
    K = signed_gram(seed)
    best, _ = optimum(K)
    distributions, coefficients, _ = adaboost(K, np.full(FIRST_STEPS, best), FIRST_STEPS)
    log_weights = np.full(len(K), -np.log(len(K)))
    for before, after, c in zip(distributions, distributions[1:], coefficients, strict=False):
        projection = project(log_weights, K @ before, best)
        assert projection is not None
        assert projection.learning_rate == pytest.approx(c, rel=1e-6)
        np.testing.assert_allclose(projection.weights, after, rtol=1e-6, atol=1e-12)
        log_weights = projection.log_weights
