"""What IJCAI-07 proves of Algorithm 1: Proposition 1, the bound of section 2.4, and section 3.1."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import rel_entr
from sklearn.svm import OneClassSVM

from ensvm.kernels import gram, resolve_gamma
from ensvm.solvers.entropy_projection import EntropyProjectionResult, entropy_projection
from ensvm.solvers.entropy_projection.tsang_kwok import project

Vector = NDArray[np.float64]
SEEDS = pytest.mark.parametrize("seed", range(4))
FIRST_STEPS = 9  # each multiplies a difference by about three: later ones show rounding


def signed_gram(seed: int, m: int = 50) -> Vector:
    """Return K~ of a Gaussian kernel, hence |K~_ij| <= 1, and noisy labels."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(m, 5))
    y = np.where(X[:, 0] + generator.normal(size=m) > 0.0, 1.0, -1.0)
    return gram(X, kernel="rbf", gamma=resolve_gamma("mean-distance", X)) * np.outer(y, y)


def optimum(K: Vector) -> tuple[float, Vector]:
    """Return rho* and alpha* by LIBSVM, whose one-class machine minimises over the simplex."""
    m = len(K)
    machine = OneClassSVM(kernel="precomputed", nu=1.0 / m, tol=1e-10).fit(K)
    weights = np.zeros(m)
    weights[machine.support_] = machine.dual_coef_.ravel() / machine.dual_coef_.sum()
    return float(weights @ K @ weights), weights


def trained(K: Vector, **parameters: Any) -> tuple[EntropyProjectionResult, list[Vector]]:
    """Return the result on K~ and the weights alpha_1, ..., alpha_{T+1}."""
    result = entropy_projection(K, np.ones(len(K)), keep_members=True, **parameters)
    assert result.members is not None
    return result, [*result.members, result.weights]


@given(seed=st.integers(0, 50), skew=st.floats(0.0, 6.0), epsilon=st.floats(0.001, 0.999))
@settings(deadline=None, max_examples=60)
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
    found = project(np.log(weights), gradient, target)
    assert found is not None
    assert found.weights @ gradient == pytest.approx(target, rel=1e-6)  # (16)


@SEEDS
def test_an_infeasible_projection_proves_the_loose_optimality_of_footnote_5(seed: int) -> None:
    K = signed_gram(seed)
    best, _ = optimum(K)
    _, path = trained(K, tol=1e-4, max_iter=100_000)
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
    result, path = trained(K)
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
    result, path = trained(K, max_iter=FIRST_STEPS)
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
        found = project(log_weights, K @ before, best)
        assert found is not None
        assert found.learning_rate == pytest.approx(c, rel=1e-6)
        np.testing.assert_allclose(found.weights, after, rtol=1e-6, atol=1e-12)
        log_weights = found.log_weights
