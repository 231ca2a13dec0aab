"""What several tests of the runner need."""

import numpy as np
import pytest

from ensvm.data import Realization


@pytest.fixture
def realization():
    rng = np.random.default_rng(5)
    y = np.where(rng.random(90) < 0.5, -1, 1).astype(np.int8)
    X = rng.normal(size=(90, 3)) + 0.6 * y[:, None]
    return Realization(X[:60], y[:60], X[60:], y[60:])
