"""Data that several tests of classifiers are fitted to, and a watch on what they train."""

from typing import Any

import pytest
from sklearn.datasets import load_iris

from ensvm.classifiers import mixed_kernel_ensemble


@pytest.fixture(scope="module")
def iris():
    """The rows of iris, with the names of their classes."""
    X, y = load_iris(return_X_y=True)
    return X, load_iris().target_names[y]


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """The arguments of `train_machine`, one entry a machine of an ensemble, from now on."""
    calls: list[tuple[Any, ...]] = []
    train = mixed_kernel_ensemble.train_machine

    def watched(*args: Any, **settings: Any) -> Any:
        calls.append(args)
        return train(*args, **settings)

    monkeypatch.setattr(mixed_kernel_ensemble, "train_machine", watched)
    return calls
