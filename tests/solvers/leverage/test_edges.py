"""The leveraging algorithm at its edges: blocks, precision, overflow, bad arguments."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ensvm.kernels import gram
from ensvm.solvers.leverage import leverage
from ensvm.solvers.leverage_rounds import quadratic_model, sums_of

Problem = tuple[NDArray[np.float64], NDArray[np.float64]]
SEEDS = pytest.mark.parametrize("seed", range(3))
LOSSES = pytest.mark.parametrize("loss", ["exponential", "logistic"])
MACHINES = [
    {"loss": "exponential"},
    {"loss": "logistic"},
    {"penalty": "l1"},
    {"penalty": "l2", "initial_penalty": 0.1},
]


def problem(seed: int, noise: float = 0.7) -> Problem:
    """Return a Gaussian Gram matrix of 60 points and noisy labels."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(60, 3))
    y = np.where(X[:, 0] * X[:, 1] + noise * generator.normal(size=60) > 0.0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return gram(X, kernel="rbf", gamma=0.5), y


@SEEDS
@pytest.mark.parametrize("rounds_per_block", [None, 4])
def test_blocks_take_turns(seed: int, rounds_per_block: int | None) -> None:
    K, y = problem(seed, noise=1.5)
    blocks = np.array_split(np.random.default_rng(seed).permutation(60), 3)
    result = leverage(K, y, blocks=blocks, n_rounds=29, rounds_per_block=rounds_per_block, tol=0.0)
    assert result.n_iter == 29
    where = np.concatenate([np.full(20, 0), np.full(20, 1), np.full(20, 2)])[
        np.argsort(np.concatenate(blocks))
    ]
    assert np.array_equal(where[result.rounds], np.arange(29) // (rounds_per_block or 10) % 3)


@SEEDS
def test_blocks_without_gain_are_left_and_in_the_end_none_gains(seed: int) -> None:
    K, y = problem(seed)
    blocks = np.array_split(np.arange(60), 6)
    result = leverage(
        K, y, penalty="l1", blocks=blocks, n_rounds=400, rounds_per_block=400, tol=1e-4
    )
    assert result.stop_reason == "no_gain"
    assert len(set(result.rounds // 10)) > 1
    whole = leverage(K, y, penalty="l1", n_rounds=400, tol=1e-4)
    assert result.objective == pytest.approx(whole.objective, rel=0.05)


@SEEDS
@pytest.mark.parametrize("rounds_per_block", [1, 2, 400])
def test_rounds_end_only_when_no_candidate_of_any_block_gains(
    seed: int, rounds_per_block: int
) -> None:
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(60, 12))
    y = np.where(X[:, 0] + 2.0 * generator.normal(size=60) > 0.0, 1.0, -1.0)
    K, blocks = (
        X @ X.T,
        np.array_split(generator.permutation(60), 20),
    )  # a block spans less than the space
    result = leverage(
        K, y, blocks=blocks, n_rounds=4000, rounds_per_block=rounds_per_block, tol=1e-8
    )
    assert result.stop_reason == "no_gain"
    D = np.exp(-y * (K @ (y * result.weights) + result.intercept))
    D /= D.sum()
    for block in blocks:
        gains = []
        for j in (j for j in block if j != result.rounds[-1]):
            pair = np.vstack([K[j], np.ones(60)])
            step = np.linalg.solve((D * pair) @ pair.T, pair @ (D * y))
            gains.append((step @ pair @ (D * y), 1.0 - D @ np.exp(-y * (step @ pair))))
        assert max(gains)[1] <= 1.001e-8


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
        K.tolist(),
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


@SEEDS
@LOSSES
def test_single_precision_storage_stays_near_double(seed: int, loss: str) -> None:
    K, y = problem(seed)
    double, single = (
        leverage(K.astype(kind), y, loss=loss, n_rounds=20) for kind in (np.float64, np.float32)
    )
    assert np.array_equal(double.rounds[:5], single.rounds[:5])
    np.testing.assert_allclose(double.alphas[:5], single.alphas[:5], rtol=1e-4)
    assert single.losses[-1] == pytest.approx(double.losses[-1], rel=0.02)
    assert single.alphas.dtype == np.float64


HARD = {
    "all labels but one equal": lambda K, y: (K, np.where(np.arange(y.size) == 7, -1.0, 1.0)),
    "all labels equal": lambda K, y: (K, np.ones(y.size)),
    "separable": lambda K, y: (K, np.where(K[0] > np.median(K[0]), 1.0, -1.0)),
    "large values": lambda K, y: (1e8 * K, y),
    "small values": lambda K, y: (1e-8 * K, y),
    "large constant": lambda K, y: (K + 1e8, y),
    "constant": lambda K, y: (np.full_like(K, 1e8), y),
    "zero": lambda K, y: (np.zeros_like(K), y),
    "two points": lambda K, y: (K[:2, :2], y[:2]),
    "one point": lambda K, y: (K[:1, :1], y[:1]),
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
@pytest.mark.parametrize("step", ["newton", "search"])
def test_nothing_overflows(case: str, machine: dict[str, Any], step: str) -> None:
    K, y = HARD[case](*problem(0))
    result = leverage(K, y, **machine, step=step, n_rounds=500)
    for numbers in (result.weights, result.alphas, result.betas, result.losses, result.penalties):
        assert np.isfinite(numbers).all()
    assert np.isfinite([result.intercept, result.objective, result.certificate]).all()
    objectives = result.losses * (1.0 + result.penalties)
    assert np.all(np.diff(objectives) <= 1e-13 * objectives[:-1])


@LOSSES
def test_separable_data_end_when_the_loss_leaves_the_floats(loss: str) -> None:
    K, y = HARD["separable"](*problem(0))
    result = leverage(K, y, loss=loss, n_rounds=100_000)
    assert (result.stop_reason, result.converged) == ("zero_loss", True)
    assert 0.0 < result.losses[-1] < 1e-250


def test_no_candidate_but_an_intercept() -> None:
    y = np.array([1.0, 1.0, 1.0, -1.0])
    result = leverage(np.ones((4, 4)), y, step="search", n_rounds=20)
    assert (result.n_iter, result.stop_reason) == (1, "no_gain")
    assert not result.weights.any()
    assert result.intercept == pytest.approx(0.5 * np.log(3.0), rel=1e-6)  # half the log-odds


def test_reaching_the_last_round_is_not_convergence() -> None:
    K, y = problem(0)
    result = leverage(K, y, n_rounds=3)
    assert (result.n_iter, result.stop_reason, result.converged) == (3, "n_rounds", False)


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
