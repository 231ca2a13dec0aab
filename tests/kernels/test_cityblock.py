"""Distances |x - z|_1 are those of SciPy."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from ensvm.kernels.cityblock import cityblock_distances


@pytest.mark.parametrize("columns", [0, 1, 7, 40])
def test_distances_are_those_of_scipy(columns):
    rng = np.random.default_rng(0)
    left = rng.normal(size=(23, columns + 2))[:, :columns]
    right = rng.normal(size=(31, columns)).astype(np.float32)
    expected = cdist(left, right, "cityblock") if columns else np.zeros((23, 31))
    np.testing.assert_allclose(cityblock_distances(left, right), expected, rtol=1e-14)
    own = cityblock_distances(left, left)
    np.testing.assert_array_equal(own, own.T)
    assert not np.diag(own).any()
