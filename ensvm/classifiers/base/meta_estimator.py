"""Copies of an estimator that each draw random numbers of their own."""

from typing import Any

import numpy as np
from sklearn.base import clone


def seeded_clone(estimator: Any, generator: np.random.RandomState) -> Any:
    """Return an unfitted copy with every `random_state` in it, also of estimators within, set to a number drawn."""
    copy = clone(estimator)
    words = sorted(copy.get_params(deep=True))
    seeds = {
        word: generator.randint(np.iinfo(np.int32).max)
        for word in words
        if word.rpartition("__")[2] == "random_state"
    }
    return copy.set_params(**seeds)
