"""The widths that the data suggest."""

import numpy as np
import pytest

from ensvm.kernels.table import sigest


def test_it_is_the_inverse_of_the_quantiles_of_squared_distances() -> None:
    X = np.random.default_rng(0).normal(size=(80, 3))
    left, right = np.random.default_rng(1).integers(
        80, size=(2, 40)
    )  # half of the rows, as kernlab draws
    distances = [
        float((X[i] - X[j]) @ (X[i] - X[j])) for i, j in zip(left, right, strict=True) if i != j
    ]
    expected = [1.0 / np.quantile(distances, q) for q in (0.9, 0.5, 0.1)]
    assert sigest(X, rng=np.random.default_rng(1)) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(5))
def test_order_and_scale(seed: int) -> None:
    X = np.random.default_rng(seed).normal(size=(50, 4))
    one, other = (sigest(c * X, rng=np.random.default_rng(seed)) for c in (1.0, 3.0))
    assert 0.0 < one.low <= one.middle <= one.high
    assert np.array(one) == pytest.approx(9.0 * np.array(other))


def test_all_pairs_are_approached_by_many_draws() -> None:
    X = np.random.default_rng(0).normal(size=(40, 2))
    distances = ((X[:, None] - X) ** 2).sum(axis=2)[np.triu_indices(40, 1)]
    found = sigest(np.tile(X, (4000, 1)), rng=np.random.default_rng(0))
    assert found == pytest.approx(1.0 / np.quantile(distances, (0.9, 0.5, 0.1)), rel=0.03)


def test_rows_without_distance() -> None:
    assert sigest(np.ones((10, 2)), rng=np.random.default_rng(0)) == (1.0, 1.0, 1.0)
    assert sigest(np.ones((1, 2)), rng=np.random.default_rng(0)) == (1.0, 1.0, 1.0)
