"""Separability by two proofs, against linear programming, and the plane with the largest margin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog
from sklearn.svm import SVC

from ensvm.solvers.separability import separability, signed_points

TEETH = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])


def random_points(seed: int, m: int, d: int, grid: bool) -> NDArray[np.float64]:
    """Return signed points: normal ones, or whole numbers, which tie, repeat and touch."""
    generator = np.random.default_rng(seed)
    X = (
        generator.integers(-2, 3, size=(m, d)).astype(float)
        if grid
        else generator.normal(size=(m, d))
    )
    return signed_points(X, generator.choice([-1.0, 1.0], size=m))


def greatest_product(points: NDArray[np.float64]) -> float:
    """Return max over |w_k| <= 1 of min_i w.z_i by linear programming: positive if separable."""
    m, d = points.shape
    answer = linprog(
        np.append(np.zeros(d), -1.0),
        A_ub=np.column_stack([-points, np.ones(m)]),
        b_ub=np.zeros(m),
        bounds=[*[(-1.0, 1.0)] * d, (None, None)],
    )
    return -float(answer.fun)


@given(
    seed=st.integers(0, 2**32 - 1), m=st.integers(1, 14), d=st.integers(1, 5), grid=st.booleans()
)
def test_the_answer_is_that_of_linear_programming_and_is_proved(
    seed: int, m: int, d: int, grid: bool
) -> None:
    points = random_points(seed, m, d, grid)
    answer = separability(points)
    assert answer.separable == (greatest_product(points) > 1e-6)
    size = np.linalg.norm(points, axis=1).max()
    assert 0.0 <= answer.certificate <= 1e-9 * size
    if answer.separable:
        products = points @ answer.weights
        assert products.min() == pytest.approx(1.0, rel=1e-9)
        assert answer.margin == pytest.approx(1.0 / np.linalg.norm(answer.weights), rel=1e-9)
    else:
        assert (answer.margin, answer.weights.any()) == (0.0, False)
        assert answer.largest_margin <= 1e-9 * size


@given(seed=st.integers(0, 2**32 - 1), factor=st.floats(1e-6, 1e6))
def test_scaling_the_points_scales_the_margin(seed: int, factor: float) -> None:
    points = random_points(seed, 6, 6, grid=False)
    one, other = separability(points), separability(factor * points)
    assert one.separable
    assert other.margin == pytest.approx(factor * one.margin, rel=1e-9)


def test_no_plane_has_a_larger_margin() -> None:
    # Through the origin LIBSVM has no bias to choose when every point comes with its mirror image.
    points = random_points(3, 8, 6, grid=False)
    answer = separability(points)
    labels = np.repeat([1, -1], 8)
    machine = SVC(kernel="linear", C=1e8, tol=1e-9).fit(np.vstack([points, -points]), labels)
    assert answer.margin == pytest.approx(1.0 / np.linalg.norm(machine.coef_), rel=1e-6)


@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-9, 1e-12])
def test_narrow_gaps_are_found(gap: float) -> None:
    points = signed_points(np.array([[1.0], [1.0 + gap]]), np.array([-1.0, 1.0]))
    answer = separability(points)
    assert answer.separable
    assert answer.margin == pytest.approx(0.35 * gap, rel=0.02)


@pytest.mark.parametrize("points", [TEETH, np.zeros((3, 2)), np.vstack([TEETH[:2], -TEETH[:1]])])
def test_points_around_the_origin_are_not_separable(points: NDArray[np.float64]) -> None:
    answer = separability(points)
    assert not answer.separable
    assert answer.largest_margin == pytest.approx(0.0, abs=1e-12)
