"""The leveraging algorithm of NIPS-99: its formulas, descent, invariances, edges and endings."""

from itertools import pairwise
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize
from small_problems import crossed_rows, noisy_rows

from ensvm.array_types import Vector
from ensvm.kernels import gram
from ensvm.solvers.leverage import LeverageResult, leverage
from ensvm.solvers.leverage_rounds import quadratic_model, sums_of

Problem = tuple[NDArray[np.float64], Vector]

SEEDS = pytest.mark.parametrize("seed", range(3))
LOSSES = pytest.mark.parametrize("loss", ["exponential", "logistic"])
MACHINES = [
    {"loss": "exponential"},
    {"loss": "logistic"},
    {"penalty": "l1"},
    {"penalty": "l2", "initial_penalty": 0.1},
]
EACH_MACHINE = pytest.mark.parametrize("machine", MACHINES)


def problem(seed: int, m: int = 60, kernel: str = "rbf", noise: float = 0.7) -> Problem:
    """Return a Gram matrix and noisy labels, of both classes."""
    X, y = crossed_rows(seed, m, noise=noise)
    y[:2] = 1.0, -1.0
    return gram(X, kernel=kernel, gamma=0.5, degree=2, coef0=1.0), y


def losses_of(loss: str, margins: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.exp(-margins) if loss == "exponential" else np.log1p(np.exp(-2.0 * margins))


def slopes_of(loss: str, margins: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return by how much each loss falls as its margin rises."""
    return np.exp(-margins) if loss == "exponential" else 2.0 / (1.0 + np.exp(2.0 * margins))


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


def objectives(result: LeverageResult) -> Vector:
    """Return the penalised loss before the first round and after each."""
    return result.losses * (1.0 + result.penalties)


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
            slopes = slopes_of(loss, y * f)
            weights = slopes if loss == "exponential" else slopes * (2.0 - slopes)
            gradient = pair @ (y * slopes)
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
@LOSSES
@pytest.mark.parametrize("ranking", ["quadratic", "loss"])
def test_positive_rounds_are_the_best_whose_alpha_is_positive(
    seed: int, loss: str, ranking: str
) -> None:
    K, y = problem(seed, m=30, kernel="linear")
    rounds: Any = {"loss": loss, "ranking": ranking, "n_rounds": 5, "tol": 0.0}
    assert (leverage(K, y, **rounds).alphas < 0.0).any()
    result = leverage(K, y, **rounds, positive=True)
    last = -1
    for t, f in enumerate(decisions(K, y, result)[:-1]):
        steps = [literal_step(loss, f, y, y[j] * K[j]) for j in range(y.size)]
        allowed = [j for j, (alpha, _) in enumerate(steps) if alpha > 0.0 and j != last]
        after = {
            j: losses_of(loss, y * (f + steps[j][0] * y[j] * K[j] + steps[j][1])).sum()
            for j in allowed
        }
        last = result.rounds[t]
        assert last in allowed
        if ranking == "loss":
            assert last == min(allowed, key=after.__getitem__)
        np.testing.assert_allclose(
            (result.alphas[t], result.betas[t]), steps[last], rtol=1e-7, atol=1e-12
        )


@given(
    seed=st.integers(0, 2**32 - 1),
    m=st.integers(2, 40),
    kernel=st.sampled_from(["rbf", "poly", "linear"]),
    machine=st.sampled_from(MACHINES),
    step=st.sampled_from(["newton", "search"]),
    ranking=st.sampled_from(["quadratic", "loss"]),
    noise=st.sampled_from([0.0, 1.0]),
    positive=st.booleans(),
)
def test_objective_never_rises_and_the_books_balance(
    seed: int,
    m: int,
    kernel: str,
    machine: dict[str, Any],
    step: str,
    ranking: str,
    noise: float,
    positive: bool,
) -> None:
    K, y = problem(seed, m, kernel, noise)
    choices: Any = {**machine, "step": step, "ranking": ranking, "positive": positive}
    result = leverage(K, y, **choices, n_rounds=40, tol=0.0)
    assert not positive or np.all(result.alphas >= 0.0)
    path = objectives(result)
    assert np.all(np.diff(path) <= 1e-13 * path[:-1])
    assert result.objective == path[-1]
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
@LOSSES
@pytest.mark.parametrize("step", ["newton", "search"])
def test_rounds_tend_to_the_global_optimum(seed: int, loss: str, step: str) -> None:
    X, y = noisy_rows(seed, d=3, noise=1.5)
    result = leverage(X @ X.T, y, loss=loss, step=step, n_rounds=3000, tol=1e-15)

    def mean_loss(v: Vector) -> tuple[float, Vector]:
        margins = y * (X @ v[:3] + v[3])
        slopes = -y * slopes_of(loss, margins) / y.size
        return float(losses_of(loss, margins).mean()), np.append(slopes @ X, slopes.sum())

    optimum = minimize(mean_loss, np.zeros(4), jac=True, method="BFGS", options={"gtol": 1e-10})
    assert result.converged
    assert result.losses[-1] == pytest.approx(optimum.fun, rel=1e-10)
    assert result.certificate < 1e-6
    np.testing.assert_allclose(
        np.append(X.T @ (y * result.weights), result.intercept), optimum.x, atol=1e-5
    )


@SEEDS
@EACH_MACHINE
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
@EACH_MACHINE
@pytest.mark.parametrize("positive", [False, True])
def test_certificate_is_the_largest_derivative(
    seed: int, machine: dict[str, Any], positive: bool
) -> None:
    K, y = problem(seed)
    halves = np.array_split(np.random.default_rng(seed).permutation(60), 2)
    for blocks in (None, halves):
        result = leverage(K, y, **machine, n_rounds=3, blocks=blocks, positive=positive)
        margins = y * (K @ (y * result.weights) + result.intercept)
        slopes = y * slopes_of(machine.get("loss", "exponential"), margins) / y.size
        held = result.penalties[-1] * result.losses[-1] if machine.get("penalty") == "l1" else 0.0
        by_alpha = y * (K @ slopes)
        largest = by_alpha.max() if positive else np.abs(by_alpha).max()
        expected = max(largest - held, abs(slopes.sum()))
        assert result.certificate == pytest.approx(expected, rel=1e-9)


@SEEDS
@pytest.mark.parametrize("rounds_per_block", [None, 4])
def test_blocks_take_turns(seed: int, rounds_per_block: int | None) -> None:
    K, y = problem(seed, noise=1.5)
    blocks = np.array_split(np.random.default_rng(seed).permutation(60), 3)
    result = leverage(K, y, blocks=blocks, n_rounds=29, rounds_per_block=rounds_per_block, tol=0.0)
    assert result.n_iter == 29
    block_of = np.concatenate([np.full(20, 0), np.full(20, 1), np.full(20, 2)])[
        np.argsort(np.concatenate(blocks))
    ]
    assert np.array_equal(block_of[result.rounds], np.arange(29) // (rounds_per_block or 10) % 3)


@SEEDS
def test_every_form_of_the_matrix_gives_the_same_rounds(seed: int) -> None:
    K, y = problem(seed)
    expected = leverage(K, y, n_rounds=40)
    frozen = K.copy()
    frozen.flags.writeable = False
    forms: list[Any] = [
        np.asfortranarray(K),
        frozen,
        np.repeat(K, 2, axis=0)[::2],
        lambda rows: K[rows],
    ]
    for form in forms:
        assert np.array_equal(leverage(form, y, n_rounds=40).alphas, expected.alphas)
    assert np.array_equal(
        leverage(K, y, n_rounds=40, blocks=[np.arange(60)]).alphas, expected.alphas
    )
    calls: list[int] = []

    def rows(indices: NDArray[np.intp]) -> NDArray[np.float64]:
        calls.append(indices.size)
        return K[indices]

    chunked = [
        leverage(G, y, n_rounds=40, blocks=np.array_split(np.arange(60), 4)) for G in (K, rows)
    ]
    assert np.array_equal(chunked[0].alphas, chunked[1].alphas)
    assert set(calls) == {15}


HARD = {
    "all labels but one equal": lambda K, y: (K, np.where(np.arange(y.size) == 7, -1.0, 1.0)),
    "separable": lambda K, y: (K, np.where(K[0] > np.median(K[0]), 1.0, -1.0)),
    "large values": lambda K, y: (1e8 * K, y),
    "small values": lambda K, y: (1e-8 * K, y),
    "large constant": lambda K, y: (K + 1e8, y),
    "constant": lambda K, y: (np.full_like(K, 1e8), y),
    "zero": lambda K, y: (np.zeros_like(K), y),
    "two points": lambda K, y: (K[:2, :2], y[:2]),
    "duplicates": lambda K, y: (
        np.repeat(np.repeat(K[:15, :15], 4, 0), 4, 1),
        np.repeat(y[:15], 4),
    ),
    "opposite duplicates": lambda K, y: (
        np.repeat(np.repeat(K[:30, :30], 2, 0), 2, 1),
        np.tile([1.0, -1.0], 30),
    ),
    "identity": lambda K, y: (np.eye(y.size), y),
}


@pytest.mark.parametrize("case", HARD)
@pytest.mark.parametrize(
    "machine", [*MACHINES, {"ranking": "loss"}, {"loss": "logistic", "ranking": "loss"}]
)
def test_nothing_overflows(case: str, machine: dict[str, Any]) -> None:
    K, y = HARD[case](*problem(0))
    for step in ("newton", "search"):
        result = leverage(K, y, **machine, step=step, n_rounds=200)
        for values in (result.weights, result.alphas, result.betas, result.penalties):
            assert np.isfinite(values).all()
        assert np.isfinite([result.intercept, result.objective, result.certificate]).all()
        path = objectives(result)
        assert np.all(np.diff(path) <= 1e-13 * path[:-1])


@LOSSES
def test_separable_data_end_when_the_loss_leaves_the_floats(loss: str) -> None:
    K, y = HARD["separable"](*problem(0))
    result = leverage(K, y, loss=loss, n_rounds=100_000)
    assert (result.stop_reason, result.converged) == ("zero_loss", True)
    assert 0.0 < result.losses[-1] < 1e-250


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_what_may_be_rounding_is_not_fitted(kind: type) -> None:
    K, y = problem(0)
    roundings = np.sign(K - np.median(K)) * 1e8 * np.finfo(kind).eps
    result = leverage((1e8 + roundings).astype(kind), y)
    assert result.n_iter == 1
    assert not result.weights.any()


def test_a_variance_lost_in_cancellation_counts_as_none() -> None:
    row, weights, pulls = np.array([3.0, 4.0]), np.array([1.0, 1e-14]), np.array([1.0, 0.5])
    model = quadratic_model(sums_of(row, 0.0, weights, pulls), 0.0, weights.sum(), pulls.sum())
    assert model == (pytest.approx(3.0), 0.0, 0.0)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"gram": np.diag([1.0, np.inf, 1.0])}, "kernel values must be finite .* with instance 1"),
        ({"gram": np.diag([1.0, 1.0, np.nan])}, "kernel values must be finite .* with instance 2"),
        ({"gram": np.diag([1e160, 1.0, 1.0])}, "smaller than 1e\\+150"),
    ],
)
def test_kernel_values_out_of_range(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        leverage(**{"gram": np.eye(3), "y": [1, -1, 1], **parameters})


@SEEDS
@EACH_MACHINE
@pytest.mark.parametrize("scale", ["relative", "absolute"])
def test_every_round_gains_more_than_the_least_gain(
    seed: int, machine: dict[str, Any], scale: Any
) -> None:
    K, y = problem(seed)
    machine = {"initial_penalty": 1e-3, "n_rounds": 300, "tol_scale": scale, **machine}
    result = leverage(K, y, **machine, tol=1e-3)
    before, after = objectives(result)[:-1], objectives(result)[1:]
    unit = before if scale == "relative" else np.ones_like(before)
    assert np.all(before - after > 1e-3 * unit * (1.0 - 1e-9))
    # Those that a smaller least gain makes are the same, and then some.
    longer = leverage(K, y, **machine, tol=1e-4)
    assert longer.n_iter >= result.n_iter > 0
    assert np.array_equal(longer.rounds[: result.n_iter], result.rounds)


@SEEDS
@EACH_MACHINE
def test_a_granted_first_round_gives_each_block_an_instance(
    seed: int, machine: dict[str, Any]
) -> None:
    K, y = problem(seed)
    blocks = np.array_split(np.random.default_rng(seed).permutation(60), 6)
    once = {"blocks": blocks, "n_passes": 1, "initial_penalty": 1e-3, **machine}
    block_of = np.empty(60, dtype=int)
    for number, block in enumerate(blocks):
        block_of[block] = number
    none_gains_enough = leverage(K, y, **once, tol=1e3, first_round="granted")
    assert block_of[none_gains_enough.rounds].tolist() == list(range(6))
    assert none_gains_enough.stop_reason == "n_passes"
    assert not none_gains_enough.converged
    some = leverage(K, y, **once, tol=0.02, first_round="granted")
    blocks_played = block_of[some.rounds]
    assert np.all(np.diff(blocks_played) >= 0)
    later = np.flatnonzero(np.diff(blocks_played, prepend=-1) == 0)
    gains = -np.diff(objectives(some)) / objectives(some)[:-1]
    assert np.all(gains[later] > 0.02 * (1.0 - 1e-9))
    assert np.all(gains > 0.0)
    tested = leverage(K, y, **once, tol=1e3)
    assert tested.n_iter == 0


@pytest.mark.parametrize("n_passes", [1, 2, 3])
def test_passes_are_counted(n_passes: int) -> None:
    K, y = problem(0, noise=1.5)
    blocks = np.array_split(np.arange(60), 4)
    result = leverage(K, y, blocks=blocks, rounds_per_block=2, n_passes=n_passes, tol=0.0)
    assert (result.rounds // 15).tolist() == [0, 0, 1, 1, 2, 2, 3, 3] * n_passes
    assert result.stop_reason == "n_passes"


@SEEDS
@LOSSES
def test_two_or_three_steps_suffice_in_a_round(seed: int, loss: str) -> None:
    K, y = problem(seed)
    steps: tuple[Literal["newton", "search"] | int, ...] = (1, "newton", 2, 3, "search")
    gained = {
        step: -np.diff(objectives(leverage(K, y, loss=loss, step=step, n_rounds=1)))[0]
        for step in steps
    }
    assert gained[1] == gained["newton"]
    assert gained[1] <= gained[2] <= gained[3] <= gained["search"] * (1.0 + 1e-12)
    assert gained[2] > 0.95 * gained["search"]
    assert gained[3] > 0.99 * gained["search"]
