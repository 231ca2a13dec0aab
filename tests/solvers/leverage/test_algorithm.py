"""Laws of the leveraging algorithm of NIPS-99: its formulas, descent, invariances, the optimum."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize

from ensvm.kernels import gram
from ensvm.solvers.leverage import LeverageResult, leverage

Vector = NDArray[np.float64]
Problem = tuple[NDArray[np.float64], Vector]
SEEDS = pytest.mark.parametrize("seed", range(3))
LOSSES = pytest.mark.parametrize("loss", ["exponential", "logistic"])
MACHINES = [
    {"loss": "exponential"},
    {"loss": "logistic"},
    {"penalty": "l1"},
    {"penalty": "l2", "initial_penalty": 0.1},
]


def problem(seed: int, m: int = 60, kernel: str = "rbf", noise: float = 0.7) -> Problem:
    """Return a Gram matrix and noisy labels."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(m, 3))
    y = np.where(X[:, 0] * X[:, 1] + noise * generator.normal(size=m) > 0.0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return gram(X, kernel=kernel, gamma=0.5, degree=2, coef0=1.0), y


def losses_of(loss: str, margins: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.exp(-margins) if loss == "exponential" else np.log1p(np.exp(-2.0 * margins))


def literal_step(loss: str, f: Vector, y: Vector, phi: Vector) -> tuple[float, float]:
    """Return alpha and beta of eq. (6), or of eq. (7) with Newton's factor 1/2."""
    pair = np.vstack([phi, np.ones_like(phi)])
    if loss == "exponential":
        D = np.exp(-y * f) / np.exp(-y * f).sum()
        alpha, beta = np.linalg.solve((D * pair) @ pair.T, pair @ (D * y))
    else:
        P = 1.0 / (1.0 + np.exp(-2.0 * f))
        alpha, beta = 0.5 * np.linalg.solve(
            (P * (1.0 - P) * pair) @ pair.T, pair @ ((y + 1.0) / 2.0 - P)
        )
    return alpha, beta


def decisions(K: NDArray[Any], y: Vector, result: LeverageResult) -> list[Vector]:
    """Return f on the sample before the first round and after each."""
    steps = zip(result.rounds, result.alphas, result.betas, strict=True)
    terms = [alpha * y[j] * K[j] + beta for j, alpha, beta in steps]
    return list(np.cumsum([np.zeros(y.size), *terms], axis=0))


@SEEDS
@LOSSES
@pytest.mark.parametrize("ranking", ["quadratic", "loss"])
@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_each_round_is_the_papers(seed: int, loss: str, ranking: str, kernel: str) -> None:
    K, y = problem(seed, m=30, kernel=kernel)
    result = leverage(K, y, loss=loss, ranking=ranking, n_rounds=8, tol=0.0)
    assert result.n_iter == 8
    last = -1
    for t, f in enumerate(decisions(K, y, result)[:-1]):
        steps = [literal_step(loss, f, y, y[j] * K[j]) for j in range(y.size)]
        after = [
            losses_of(loss, y * (f + a * y[j] * K[j] + b)).sum() for j, (a, b) in enumerate(steps)
        ]
        if ranking == "loss":
            order = np.argsort(after)
            assert result.rounds[t] == next(j for j in order if j != last)
        last = result.rounds[t]
        # Here no step has to be halved.
        np.testing.assert_allclose(
            (result.alphas[t], result.betas[t]), steps[last], rtol=1e-7, atol=1e-12
        )
        assert result.losses[t + 1] == pytest.approx(after[last] / y.size, rel=1e-10)


@SEEDS
@LOSSES
def test_quadratic_ranking_takes_what_gains_most_by_half_g_inverse_h_g(
    seed: int, loss: str
) -> None:
    K, y = problem(seed, m=30)
    result = leverage(K, y, loss=loss, n_rounds=6, tol=0.0)
    for t, f in enumerate(decisions(K, y, result)[:-1]):
        gains = np.empty(y.size)
        for j in range(y.size):
            pair = np.vstack([y[j] * K[j], np.ones(y.size)])
            if loss == "exponential":
                weights, pulls = np.exp(-y * f), y * np.exp(-y * f)
            else:
                P = 1.0 / (1.0 + np.exp(-2.0 * f))
                weights, pulls = 4.0 * P * (1.0 - P), y + 1.0 - 2.0 * P
            gradient = pair @ pulls
            gains[j] = 0.5 * gradient @ np.linalg.solve((weights * pair) @ pair.T, gradient)
        if t:
            gains[result.rounds[t - 1]] = -1.0
        assert result.rounds[t] == gains.argmax()


@SEEDS
@pytest.mark.parametrize("power", [1, 2])
def test_the_first_penalised_step_is_newtons_by_finite_differences(seed: int, power: int) -> None:
    K, y = problem(seed, m=30)
    gamma, h = 0.05, 1e-4
    result = leverage(K, y, penalty=f"l{power}", initial_penalty=gamma, n_rounds=1)
    phi = y[result.rounds[0]] * K[result.rounds[0]]
    side = np.sign(result.alphas[0])  # |alpha|'s derivatives at 0 are those of this side

    def objective(a: float, b: float) -> float:
        return float(np.exp(-y * (a * phi + b)).mean() + gamma * np.exp((side * a) ** power))  # (8)

    gradient = np.array(
        [objective(h, 0) - objective(-h, 0), objective(0, h) - objective(0, -h)]
    ) / (2 * h)
    at, plus, minus = objective(0, 0), objective(h, h), objective(-h, -h)
    aa, bb = (
        objective(h, 0) + objective(-h, 0) - 2 * at,
        objective(0, h) + objective(0, -h) - 2 * at,
    )
    ab = (plus + minus - 2 * at - aa - bb) / 2
    step = np.linalg.solve(np.array([[aa, ab], [ab, bb]]) / h**2, -gradient)
    assert abs(result.alphas[0]) > 0.01
    np.testing.assert_allclose([result.alphas[0], result.betas[0]], step, rtol=1e-5, atol=1e-7)


@SEEDS
@pytest.mark.parametrize("power", [1, 2])
def test_penalised_ranking_by_loss_counts_the_penalty(seed: int, power: int) -> None:
    K, y = problem(seed, m=30, kernel="poly")
    K *= np.geomspace(0.1, 10.0, 30)[:, None]  # the same hypotheses, at different prices
    parameters: dict[str, Any] = {
        "penalty": f"l{power}",
        "initial_penalty": 0.05,
        "n_rounds": 1,
        "tol": 0.0,
    }
    objectives = []
    for j in range(30):
        alone = [np.array([j]), np.delete(np.arange(30), j)]
        first = leverage(K, y, blocks=alone, **parameters)
        objectives.append(first.objective if first.rounds[0] == j else np.inf)
    result = leverage(K, y, ranking="loss", **parameters)
    assert result.objective == min(objectives) == objectives[result.rounds[0]]


@given(
    seed=st.integers(0, 2**32 - 1),
    m=st.integers(2, 40),
    kernel=st.sampled_from(["rbf", "poly", "linear"]),
    machine=st.sampled_from(MACHINES),
    step=st.sampled_from(["newton", "search"]),
    ranking=st.sampled_from(["quadratic", "loss"]),
    noise=st.sampled_from([0.0, 1.0]),
)
@settings(deadline=None, max_examples=60)
def test_objective_never_rises_and_the_books_balance(
    seed: int, m: int, kernel: str, machine: dict[str, Any], step: str, ranking: str, noise: float
) -> None:
    K, y = problem(seed, m, kernel, noise)
    result = leverage(K, y, **machine, step=step, ranking=ranking, n_rounds=40, tol=0.0)
    objectives = result.losses * (1.0 + result.penalties)
    assert np.all(np.diff(objectives) <= 1e-13 * objectives[:-1])
    assert result.objective == objectives[-1]
    if "penalty" not in machine:
        assert np.all(np.diff(result.losses) <= 1e-13 * result.losses[:-1])
    assert all(one != other for one, other in pairwise(result.rounds))
    assert (
        len(result.rounds)
        == len(result.alphas)
        == len(result.betas)
        == len(result.losses) - 1
        == result.n_iter
    )
    final = K @ (y * result.weights) + result.intercept
    paths = decisions(K, y, result)
    np.testing.assert_allclose(final, paths[-1], rtol=1e-7, atol=1e-7 * np.abs(paths[-1]).max())
    recomputed = [losses_of(machine.get("loss", "exponential"), y * f).mean() for f in paths]
    np.testing.assert_allclose(result.losses, recomputed, rtol=1e-6)


@SEEDS
@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_boosted_and_logistic_machine_share_their_first_step(seed: int, kernel: str) -> None:
    K, y = problem(seed, kernel=kernel)
    one, other = (leverage(K, y, loss=loss, n_rounds=1) for loss in ("exponential", "logistic"))
    assert one.rounds[0] == other.rounds[0]
    assert one.alphas[0] == pytest.approx(other.alphas[0], rel=1e-12)
    assert one.betas[0] == pytest.approx(other.betas[0], rel=1e-12)


@SEEDS
@LOSSES
@pytest.mark.parametrize("step", ["newton", "search"])
@pytest.mark.parametrize(
    ("constant", "factor"), [(5.0, 1.0), (0.0, 1e-3), (0.0, 700.0), (-300.0, 2.0)]
)
def test_a_constant_and_a_factor_in_the_kernel_change_nothing(
    seed: int, loss: str, step: str, constant: float, factor: float
) -> None:
    K, y = problem(seed)
    other = factor * K + constant
    plain, changed = (leverage(G, y, loss=loss, step=step, n_rounds=30) for G in (K, other))
    assert np.array_equal(plain.rounds, changed.rounds)
    np.testing.assert_allclose(plain.losses, changed.losses, rtol=1e-8)
    np.testing.assert_allclose(plain.alphas, factor * changed.alphas, rtol=1e-6)
    f = other @ (y * changed.weights) + changed.intercept
    np.testing.assert_allclose(f, K @ (y * plain.weights) + plain.intercept, rtol=1e-6, atol=1e-7)


@SEEDS
@pytest.mark.parametrize("machine", MACHINES)
def test_label_flip_flips_f_to_the_last_bit(seed: int, machine: dict[str, Any]) -> None:
    K, y = problem(seed)
    one, other = (leverage(K, labels, **machine, n_rounds=50) for labels in (y, -y))
    assert np.array_equal(one.rounds, other.rounds)
    assert np.array_equal(one.weights, other.weights)  # of y_j K_j, whose sign flips
    assert one.intercept == -other.intercept


@SEEDS
@LOSSES
@pytest.mark.parametrize("step", ["newton", "search"])
def test_rounds_tend_to_the_global_optimum(seed: int, loss: str, step: str) -> None:
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(60, 3))
    y = np.where(X[:, 0] + 1.5 * generator.normal(size=60) > 0.0, 1.0, -1.0)
    result = leverage(X @ X.T, y, loss=loss, step=step, n_rounds=3000, tol=1e-15)

    def mean_loss(v: Vector) -> tuple[float, Vector]:
        margins = y * (X @ v[:3] + v[3])
        slopes = (
            -y
            * (np.exp(-margins) if loss == "exponential" else 2.0 / (1.0 + np.exp(2.0 * margins)))
            / y.size
        )
        return float(losses_of(loss, margins).mean()), np.append(slopes @ X, slopes.sum())

    optimum = minimize(mean_loss, np.zeros(4), jac=True, method="BFGS", options={"gtol": 1e-10})
    assert result.converged
    assert result.losses[-1] == pytest.approx(optimum.fun, rel=1e-10)
    assert result.certificate < 1e-6
    np.testing.assert_allclose(
        np.append(X.T @ (y * result.weights), result.intercept), optimum.x, atol=1e-5
    )


@SEEDS
@pytest.mark.parametrize("machine", MACHINES)
def test_a_search_ends_at_the_minimum_of_its_round(seed: int, machine: dict[str, Any]) -> None:
    K, y = problem(seed, m=30)
    result = leverage(K, y, **machine, step="search", n_rounds=6, tol=0.0)
    loss, power = (
        machine.get("loss", "exponential"),
        {"l1": 1, "l2": 2}.get(machine.get("penalty", ""), 0),
    )
    for t, f in enumerate(decisions(K, y, result)[: result.n_iter]):
        phi = y[result.rounds[t]] * K[result.rounds[t]]

        def objective(v: Vector, f: Vector = f, phi: Vector = phi, t: int = t) -> float:
            value = losses_of(loss, y * (f + v[0] * phi + v[1])).sum()
            normaliser = losses_of(loss, y * f).sum()
            return value + result.penalties[t] * normaliser * np.exp(abs(v[0]) ** power)

        reached = objective(np.array([result.alphas[t], result.betas[t]]))
        best = minimize(
            objective,
            [0.9 * result.alphas[t], result.betas[t]],
            method="Nelder-Mead",
            options={"xatol": 1e-9},
        )
        assert reached <= best.fun * (1.0 + 1e-12)


@SEEDS
@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("step", ["newton", "search"])
def test_gamma_recursion_keeps_one_penalty_on_the_whole_path(
    seed: int, power: int, step: str
) -> None:
    K, y = problem(seed)
    result = leverage(K, y, penalty=f"l{power}", initial_penalty=1e-5, step=step, n_rounds=20)
    assert result.n_iter >= 5
    normalisers = result.losses[1:] / result.losses[:-1]
    recursion = result.penalties[:-1] * np.exp(np.abs(result.alphas) ** power) / normalisers
    np.testing.assert_allclose(result.penalties[1:], recursion, rtol=1e-12)
    unnormalised = 1e-5 * y.size * np.exp(np.append(0.0, (np.abs(result.alphas) ** power).cumsum()))
    np.testing.assert_allclose(result.penalties * result.losses * y.size, unnormalised, rtol=1e-10)
    total = np.exp(-y * decisions(K, y, result)[-1]).sum() + unnormalised[-1]
    assert result.objective == pytest.approx(total / y.size, rel=1e-10)


@SEEDS
def test_penalty_shortens_the_path_and_vanishes_with_its_weight(seed: int) -> None:
    K, y = problem(seed)
    plain = leverage(K, y, n_rounds=40)
    norms = [
        np.abs(leverage(K, y, penalty="l1", initial_penalty=weight, n_rounds=40).alphas).sum()
        for weight in (1e-1, 1e-2, 1e-4)
    ]
    assert norms[0] < norms[1] < norms[2] < np.abs(plain.alphas).sum()
    nearly = leverage(K, y, penalty="l2", initial_penalty=1e-250, n_rounds=15)
    assert np.array_equal(nearly.rounds, plain.rounds[:15])
    np.testing.assert_allclose(nearly.alphas, plain.alphas[:15], rtol=1e-12)
    everything = leverage(K, y, penalty="l1", initial_penalty=1e3, n_rounds=15)
    assert not everything.weights.any()


@SEEDS
@pytest.mark.parametrize("machine", MACHINES)
def test_certificate_is_the_largest_derivative(seed: int, machine: dict[str, Any]) -> None:
    K, y = problem(seed)
    halves = np.array_split(np.random.default_rng(seed).permutation(60), 2)
    for blocks in (None, halves):
        result = leverage(K, y, **machine, n_rounds=3, blocks=blocks)
        margins = y * (K @ (y * result.weights) + result.intercept)
        logistic = machine.get("loss") == "logistic"
        slopes = (
            y * (2.0 / (1.0 + np.exp(2.0 * margins)) if logistic else np.exp(-margins)) / y.size
        )
        held = result.penalties[-1] * result.losses[-1] if machine.get("penalty") == "l1" else 0.0
        expected = max(np.abs(K @ slopes).max() - held, abs(slopes.sum()))
        assert result.certificate == pytest.approx(expected, rel=1e-9)
