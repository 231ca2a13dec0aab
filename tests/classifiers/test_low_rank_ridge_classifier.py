"""Ridge regression on a low-rank factor: that of the whole factor, in blocks of rows."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import make_moons
from sklearn.linear_model import Ridge

from ensvm import LowRankRidgeClassifier, PartiallyTrainedEnsemble
from ensvm.kernels import gram, low_rank
from ensvm.kernels.low_rank import PivotChoice, low_rank_gram


def moons(m: int = 400) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    return make_moons(m, noise=0.2, random_state=0)


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
@pytest.mark.parametrize("pivot_rows", [None, 150])
@pytest.mark.parametrize("method", ["random", "greedy"])
def test_it_is_ridge_on_the_factors_rows(
    kernel: str, pivot_rows: int | None, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(low_rank, "BLOCK_ENTRIES", 20 * 64)  # several blocks
    X, y = moons()
    parameters: dict[str, Any] = {"gamma": 1.0, "degree": 2, "coef0": 1.0}
    machine = LowRankRidgeClassifier(
        kernel,
        alpha=0.1,
        low_rank=20,
        low_rank_method=method,  # type: ignore[arg-type]
        pivot_rows=pivot_rows,
        random_state=3,
        **parameters,
    ).fit(X, y)
    seed = np.random.RandomState(3).randint(np.iinfo(np.int32).max)
    factor = low_rank_gram(
        X,
        {"kernel": kernel, **parameters},
        PivotChoice(20, method, pivot_rows, seed),  # type: ignore[arg-type]
    )
    peer = Ridge(alpha=0.1).fit(factor.factor, 2.0 * y - 1.0)
    expected = factor.factor @ peer.coef_ + peer.intercept_
    np.testing.assert_allclose(machine.decision_function(X), expected, rtol=1e-6, atol=1e-8)
    assert set(machine.support_) <= set(factor.pivots)
    assert machine.rank_ == factor.rank


def test_all_pivots_are_kernel_ridge_regression() -> None:
    X, y = moons(60)
    machine = LowRankRidgeClassifier(gamma=1.0, alpha=0.5, low_rank=60).fit(X, y)
    K, signs = gram(X, kernel="rbf", gamma=1.0), 2.0 * y - 1.0
    # f = K c + b of least |signs - f|^2 + alpha c'Kc
    system = np.block(
        [[K + 0.5 * np.eye(60), np.ones((60, 1))], [np.ones((1, 60)), np.zeros((1, 1))]]
    )
    solution = np.linalg.solve(system, np.append(signs, 0.0))
    expected = K @ solution[:60] + solution[60]
    np.testing.assert_allclose(machine.decision_function(X), expected, rtol=1e-6, atol=1e-7)


def test_its_pivots_are_the_ensembles() -> None:
    X, y = moons()
    settings: dict[str, Any] = {"gamma": 1.0, "low_rank": 15, "random_state": 7}
    ensemble = PartiallyTrainedEnsemble(predict_with="pivots", **settings).fit(X, y)
    machine = LowRankRidgeClassifier(**settings).fit(X, y)
    np.testing.assert_array_equal(machine.support_, ensemble.support_)
    assert machine.trace_residual_ == pytest.approx(ensemble.trace_residual_)


def test_the_penalty_may_be_left_to_it() -> None:
    X, y = make_moons(300, noise=0.5, random_state=0)
    fresh, labels = make_moons(3000, noise=0.5, random_state=1)
    settings: dict[str, Any] = {"gamma": 20.0, "low_rank": 200, "random_state": 0}
    chosen = LowRankRidgeClassifier(**settings).fit(X, y)
    scores = [
        LowRankRidgeClassifier(alpha=alpha, **settings).fit(X, y).score(fresh, labels)
        for alpha in (1e-6, 1e-3, 1e3)
    ]
    assert chosen.score(fresh, labels) >= max(scores) - 0.02
    assert chosen.score(fresh, labels) > scores[0]


def test_rows_that_almost_repeat_do_not_take_the_penalty_away() -> None:
    def drawn(m: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        generator = np.random.default_rng(seed)
        X = generator.standard_t(1.5, size=(m, 4))
        return X, X[:, 0] + generator.normal(size=m) > 0.5

    X, y = drawn(200, 0)
    X[0], y[0] = X[1] + 1e-5, y[1]
    fresh, labels = drawn(2000, 1)
    settings: dict[str, Any] = {"gamma": 0.5, "random_state": 0}
    machine = LowRankRidgeClassifier(**settings).fit(X, y)
    assert machine.rank_ == 200  # as many pivots as rows: the leverages are anything but equal
    approximate = LowRankRidgeClassifier(alpha="gcv", **settings).fit(X, y)
    assert approximate.alpha_ < 1e-6 < 0.01 < machine.alpha_
    assert machine.score(fresh, labels) > approximate.score(fresh, labels) + 0.03
