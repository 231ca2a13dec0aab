"""The perceptron rule: two forms, one sequence of updates, and its bound."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ensvm.solvers.perceptron_rule import perceptron
from ensvm.solvers.separability import separability, signed_points

Problem = tuple[NDArray[np.float64], NDArray[np.float64]]


def separable(seed: int, m: int = 30, d: int = 3) -> Problem:
    """Return whole numbers, whose sums are exact, labelled by a random plane without any on it."""
    generator = np.random.default_rng(seed)
    X = generator.integers(-9, 10, size=(m, d)).astype(float)
    values = X @ generator.integers(-3, 4, size=d) + 0.5
    return X, np.where(values > 0.0, 1.0, -1.0)


def rule_by_hand(
    X: NDArray[np.float64], y: NDArray[np.float64], step: float, start: NDArray[np.float64]
) -> list[int]:
    """Return the rows of the updates of the rule as the notes print it."""
    w, w_0, path, wrong = start[1:], start[0], [], True
    while wrong:
        wrong = False
        for i in range(y.size):
            if y[i] * (w @ X[i] + w_0) <= 0.0:
                w, w_0, wrong = w + step * y[i] * X[i], w_0 + step * y[i], True
                path.append(i)
    return path


@given(
    seed=st.integers(0, 2**32 - 1),
    m=st.integers(1, 20),
    d=st.integers(1, 4),
    step=st.sampled_from([0.125, 1.0, 4.0]),
    scale=st.sampled_from([0, 1, 30]),
)
def test_both_forms_make_the_updates_of_the_rule_and_no_more_than_the_bound(
    seed: int, m: int, d: int, step: float, scale: int
) -> None:
    X, y = separable(seed, m, d)
    start = scale * np.random.default_rng(seed).integers(-5, 6, size=d + 1).astype(float)
    primal, dual = (
        perceptron(X, y, dual=form, max_iter=100_000, step=step, start=start)
        for form in (False, True)
    )
    assert primal.converged
    assert primal.mistake_path.tolist() == rule_by_hand(X, y, step, start)
    np.testing.assert_array_equal(dual.mistake_path, primal.mistake_path)
    np.testing.assert_array_equal(dual.weights, primal.weights)
    assert dual.offset == primal.offset
    np.testing.assert_array_equal(primal.weights, start[1:] + step * (primal.alpha * y) @ X)
    assert primal.offset == start[0] + step * (primal.alpha @ y)
    points = signed_points(X, y)
    longest = np.linalg.norm(points, axis=1).max()
    best = separability(points)
    away = start / step - longest**2 / best.margin * best.weights / np.linalg.norm(best.weights)
    assert primal.mistake_path.size <= (away @ away) / longest**2 * (1.0 + 1e-9)


@given(seed=st.integers(0, 2**32 - 1), step=st.floats(1e-9, 1e9))
def test_from_zero_weights_the_step_changes_the_length_of_w_alone(seed: int, step: float) -> None:
    X, y = separable(seed)
    unit, other = (perceptron(X, y, max_iter=100_000, step=size) for size in (1.0, step))
    np.testing.assert_array_equal(other.mistake_path, unit.mistake_path)
    np.testing.assert_array_equal(other.weights, step * unit.weights)


@given(seed=st.integers(0, 2**32 - 1))
def test_converged_means_that_every_row_is_right(seed: int) -> None:
    X, y = separable(seed)
    result = perceptron(X, y, max_iter=100_000, rng=np.random.default_rng(seed))
    assert (y * (X @ result.weights + result.offset) > 0.0).all()
    assert (result.objective, result.certificate) == (0.0, 0)
    assert result.errors.sum() == result.mistake_path.size == result.alpha.sum()
    assert (result.errors[-1], result.n_iter) == (0, result.errors.size)
    assert (result.errors[:-1] > 0).all()


def test_what_no_plane_separates_is_stopped_by_the_limit_and_counted() -> None:
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([1.0, -1.0, 1.0])
    result = perceptron(X, y, max_iter=50)
    assert (result.converged, result.n_iter) == (False, 50)
    margins = y * (X @ result.weights + result.offset)
    assert result.certificate == (margins <= 0.0).sum() > 0
    assert result.objective == -margins[margins < 0.0].sum()
