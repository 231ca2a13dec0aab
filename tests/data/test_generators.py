"""Laws of the generators: distributions, the same rows from a seed, options change no more."""

import itertools
import math
from typing import Any

import numpy as np
import pytest

from ensvm.data import find_card, load
from ensvm.data.generators import FOURNORM_A, Circle, Fournorm, Squares, Waveform

ROWS = 60_000
GENERATORS = [Waveform, Circle, Fournorm, Squares]


def standard_errors(rate: float, rows: int, n: float = 5) -> float:
    return n * math.sqrt(rate * (1 - rate) / rows)


@pytest.mark.parametrize("generator", GENERATORS, ids=lambda generator: generator.__name__)
def test_same_seed_same_rows_and_other_seed_other_rows(generator: Any) -> None:
    for one, same, other in zip(
        *(generator(rows=50, seed=seed).draw() for seed in (3, 3, 4)), strict=True
    ):
        np.testing.assert_array_equal(one, same)
        assert (one != other).any()


@pytest.mark.parametrize("name", ["circle", "fournorm", "squares", "waveform"])
def test_cards_state_what_is_generated(name: str) -> None:
    card = find_card(name)
    assert card.checksum is not None
    assert load(card).checksum == card.checksum
    assert card.generator is not None
    assert (card.generator.features, card.generator.rows) == (card.features, card.rows)


def test_waveform_means_are_half_sums_of_two_triangles() -> None:
    X, classes = Waveform(rows=ROWS, seed=1).draw()
    position = np.arange(1, 22)
    low, middle, high = (np.maximum(6 - abs(position - peak), 0) for peak in (7, 11, 15))
    for code, expected in enumerate([(low + high) / 2, (low + middle) / 2, (middle + high) / 2]):
        # 20,000 rows, standard deviation at most 2: five standard errors
        np.testing.assert_allclose(
            X[classes == code].mean(axis=0), expected, atol=5 * 2 / np.sqrt(19_000)
        )


def test_half_of_the_rows_lie_inside_the_circle_and_labels_follow_the_inputs() -> None:
    X, y = Circle(rows=ROWS, seed=1).draw()
    np.testing.assert_array_equal(y == 1, (X**2).sum(axis=1) <= 2 * math.log(2))
    assert abs((y == 1).mean() - 0.5) < standard_errors(0.5, ROWS)


def test_options_of_circle_are_nested() -> None:
    X, y = Circle(rows=2000, seed=3).draw()
    noises = [0.0, 0.01, 0.05, 0.15, 1.0]
    labels = [Circle(rows=2000, seed=3, noise=noise, redundant=2).draw()[1] for noise in noises]
    for fewer, more in itertools.pairwise(labels):
        assert set(np.flatnonzero(fewer != y)) <= set(np.flatnonzero(more != y))
    assert abs((labels[3] != y).mean() - 0.15) < standard_errors(0.15, 2000)
    np.testing.assert_array_equal(labels[4], -y)
    wide = Circle(rows=2000, seed=3, redundant=10).draw()[0]
    np.testing.assert_array_equal(wide[:, :2], X)
    np.testing.assert_array_equal(
        wide[:, :6], Circle(rows=2000, seed=3, noise=0.1, redundant=4).draw()[0]
    )


def test_bayes_error_of_fournorm_is_14_and_a_half_percent() -> None:
    X, y = Fournorm(rows=ROWS, seed=1).draw()
    alternating = np.where(np.arange(20) % 2 == 0, 1, -1)
    # log densities up to a common term: cosh(a <x, m>) for each pair of opposite means
    plus, minus = (
        np.logaddexp(t, -t) for t in (FOURNORM_A * X.sum(axis=1), FOURNORM_A * X @ alternating)
    )
    error = (np.where(plus > minus, 1, -1) != y).mean()
    inner = (1 + math.erf(1)) / 2  # Phi(sqrt(2))
    assert abs(2 * inner * (1 - inner) - 0.145) < 1e-3
    assert abs(error - 2 * inner * (1 - inner)) < standard_errors(0.145, ROWS)


@pytest.mark.parametrize(("shift", "error"), [(0.8, 0.1), (0.5, 0.25), (1.0, 0.0)])
def test_bayes_error_of_squares_is_half_of_the_overlap(shift: float, error: float) -> None:
    X, y = Squares(rows=ROWS, seed=1, shift=shift).draw()
    best = np.where(X[:, 0] > shift / 2, 1, -1)  # in the overlap any rule is as good
    assert abs((best != y).mean() - error) <= standard_errors(error, ROWS)
