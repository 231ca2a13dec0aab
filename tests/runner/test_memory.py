"""The memory of a realization: results once computed, its clones, and what it forgets."""

from typing import Any

import numpy as np
from sklearn.base import clone

from ensvm import MixedKernelBagging
from ensvm.classifiers.mixed_kernels import bagging
from ensvm.data import Realization
from ensvm.runner.evaluate import evaluate
from ensvm.runner.grams import GramPool
from ensvm.runner.fit_memory import FitMemory
from ensvm.runner.settings import AlgorithmSettings


def test_the_least_recently_used_is_forgotten() -> None:
    made: list[str] = []
    upper = FitMemory(capacity=2).cache(lambda name: made.append(name) or name.upper())
    assert [upper(name) for name in "abacab"] == ["A", "B", "A", "C", "A", "B"]
    assert made == ["a", "b", "c", "b"]


def test_results_are_kept_by_function_and_by_the_arguments_that_decide() -> None:
    memory, made = FitMemory(), []

    def total(values: Any, scale: float = 1.0, note: str = "") -> float:
        made.append(note)
        return float(scale * np.sum(values))

    def largest(values: Any) -> float:
        return float(np.max(values))

    summed = memory.cache(total, ignore=["note"])
    values = np.arange(4.0)
    assert summed(values, note="one") == summed(values.copy(), 1.0, note="two") == 6.0
    assert made == ["one"]
    assert summed(values, scale=2.0) == 12.0
    assert summed(values + 1e-12) > 6.0
    assert memory.cache(largest)(values) == 3.0
    assert summed(values.astype(np.float32)) == 6.0
    assert len(made) == 4


def test_a_clone_shares_the_memory() -> None:
    memory = FitMemory()
    assert clone(MixedKernelBagging(memory=memory)).memory is memory


def test_cells_of_a_realization_share_members_and_timings_do_not(monkeypatch: Any) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 3)), np.arange(90) % 2
    realization = Realization(X[:60], y[:60], X[60:], y[60:])
    trained: list[str] = []
    train = bagging.train_machine

    def watched(*args: Any, **kwargs: Any) -> Any:
        trained.append(args[4].name)
        return train(*args, **kwargs)

    monkeypatch.setattr(bagging, "train_machine", watched)

    def errors(grams: GramPool) -> list[int]:
        small = {"n_estimators": 3, "max_samples": 20}
        return [
            evaluate(
                AlgorithmSettings("MixedKernelBagging", {**small, "kernels": kernels}),
                7,
                grams,
            ).metrics["n_errors"]
            for kernels in (["rbf"], ["rbf", "poly"])
        ]

    alone = errors(GramPool(realization))
    assert trained.count("rbf") == 6
    trained.clear()
    assert errors(GramPool(realization, FitMemory())) == alone
    assert (trained.count("rbf"), trained.count("poly")) == (3, 3)
