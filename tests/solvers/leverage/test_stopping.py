"""When leveraging ends: the least gain, passes over the blocks; how many steps a round takes."""

from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from ensvm.kernels import gram
from ensvm.solvers.leverage import LeverageResult, leverage

Vector = NDArray[np.float64]
Scale = Literal["relative", "absolute"]
SEEDS = pytest.mark.parametrize("seed", range(3))
MACHINES = pytest.mark.parametrize(
    "machine", [{"loss": "exponential"}, {"loss": "logistic"}, {"penalty": "l1"}, {"penalty": "l2"}]
)


def problem(seed: int, noise: float = 0.5, m: int = 60) -> tuple[NDArray[np.float64], Vector]:
    """Return a Gaussian Gram matrix and labels, which are separable without noise."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(m, 2))
    y = np.where(X[:, 0] + noise * generator.normal(size=m) > 0.0, 1.0, -1.0)
    y[np.argsort(X[:, 0])[[0, -1]]] = -1.0, 1.0
    return gram(X, kernel="rbf", gamma=0.5), y


def objectives(result: LeverageResult) -> Vector:
    return result.losses * (1.0 + result.penalties)


@SEEDS
@MACHINES
@pytest.mark.parametrize("scale", ["relative", "absolute"])
def test_every_round_gains_more_than_the_least_gain(
    seed: int, machine: dict[str, Any], scale: Scale
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
@pytest.mark.parametrize("loss", ["exponential", "logistic"])
def test_only_an_absolute_least_gain_ends_on_separable_rows(
    seed: int, loss: Literal["exponential", "logistic"]
) -> None:
    K, y = problem(seed, noise=0.0)
    ends = {
        scale: leverage(K, y, loss=loss, n_rounds=200, tol=1e-3, tol_scale=scale)
        for scale in ("relative", "absolute")
    }
    assert ends["absolute"].stop_reason == "no_gain"
    assert ends["relative"].losses[-1] < ends["absolute"].losses[-1] < 0.5
    assert ends["absolute"].n_iter < ends["relative"].n_iter


@SEEDS
@MACHINES
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
    told = block_of[some.rounds]
    assert np.all(np.diff(told) >= 0)
    later = np.flatnonzero(np.diff(told, prepend=-1) == 0)
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
@pytest.mark.parametrize("machine", [{"loss": "exponential"}, {"loss": "logistic"}])
def test_two_or_three_steps_suffice_in_a_round(seed: int, machine: dict[str, Any]) -> None:
    K, y = problem(seed)
    steps: tuple[Literal["newton", "search"] | int, ...] = (1, "newton", 2, 3, "search")
    gained = {
        step: -np.diff(objectives(leverage(K, y, **machine, step=step, n_rounds=1)))[0]
        for step in steps
    }
    assert gained[1] == gained["newton"]
    assert gained[1] <= gained[2] <= gained[3] <= gained["search"] * (1.0 + 1e-12)
    assert gained[2] > 0.95 * gained["search"]
    assert gained[3] > 0.99 * gained["search"]


@SEEDS
@pytest.mark.parametrize("penalty", ["l1", "l2"])
def test_the_weight_of_the_penalty_only_grows(seed: int, penalty: Literal["l1", "l2"]) -> None:
    K, y = problem(seed)
    result = leverage(K, y, penalty=penalty, initial_penalty=1e-3, n_rounds=100, tol=0.0)
    assert result.n_iter > 1
    assert np.all(np.diff(result.penalties) > 0.0)
