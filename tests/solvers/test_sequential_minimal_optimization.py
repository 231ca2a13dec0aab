"""SMO: optimality, LIBSVM's solution, what repeated rows are, and how it ends."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import SVC
from small_problems import noisy_rows

from ensvm.kernels import gram
from ensvm.solvers.sequential_minimal_optimization import (
    MAX_ITER,
    bounds_of,
    duality_gap,
    largest,
    minimise,
    set_value,
)

DTYPES = pytest.mark.parametrize("dtype", [np.float32, np.float64])


class Machine:
    """The machine of a Gram matrix, as `minimise` returns it, and its objective."""

    def __init__(
        self, K: Any, y: Any, *, C: Any = 1.0, tol: float = 1e-3, max_iter: int = MAX_ITER
    ) -> None:
        labels = np.asarray(y, dtype=np.float64)
        upper = np.broadcast_to(np.asarray(C, dtype=np.float64), labels.shape).copy()
        machine = minimise(K, labels, upper, tol, max_iter)
        u, self.intercept, self.certificate, self.n_iter, self.residual = machine
        self.alpha = labels * u
        self.objective = 0.5 * u @ K @ u - labels @ u
        self.converged = self.certificate <= tol


@DTYPES
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_violation_stated_is_that_of_the_optimality_conditions(
    seed: int, C: float, dtype: Any
) -> None:
    X, y = noisy_rows(seed, d=3, noise=0.7)
    K = gram(X, kernel="rbf", gamma=0.5, dtype=dtype)
    result = Machine(K, y, C=C, tol=1e-4)
    assert result.converged
    assert (result.alpha >= 0.0).all()
    assert (result.alpha <= C).all()
    assert y @ result.alpha == pytest.approx(0.0, abs=1e-9 * C)
    residual = y - K.astype(np.float64) @ (y * result.alpha)
    may_rise = np.where(y > 0, result.alpha < C, result.alpha > 0)
    may_fall = np.where(y > 0, result.alpha > 0, result.alpha < C)
    assert residual[may_rise].max() - residual[may_fall].min() == pytest.approx(
        result.certificate, abs=1e-9
    )
    assert result.certificate <= 1e-4


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_it_is_the_machine_of_libsvm(C: float) -> None:
    X, y = noisy_rows(0, d=3, noise=0.7)
    K = gram(X, kernel="rbf", gamma=0.5)
    result = Machine(K, y, C=C, tol=1e-7)
    machine = SVC(kernel="precomputed", C=C, tol=1e-7).fit(K, y)
    expected = np.zeros(y.size)
    expected[machine.support_] = machine.dual_coef_[0]
    np.testing.assert_allclose(y * result.alpha, expected, atol=1e-4 * C)
    assert result.intercept == pytest.approx(machine.intercept_[0], abs=1e-5)
    objective = 0.5 * expected @ K @ expected - np.abs(expected).sum()
    assert result.objective == pytest.approx(objective, rel=1e-6)


def test_a_repeated_row_is_a_row_with_a_larger_bound() -> None:
    X, y = noisy_rows(1, d=3, noise=0.7)
    counts = np.random.default_rng(1).integers(1, 4, size=y.size)
    K = gram(X, kernel="rbf", gamma=0.5)
    merged = Machine(K, y, C=0.5 * counts, tol=1e-8)
    every = np.repeat(np.arange(y.size), counts)
    repeated = Machine(K[np.ix_(every, every)], y[every], C=0.5, tol=1e-8)
    assert merged.objective == pytest.approx(repeated.objective, rel=1e-10)
    np.testing.assert_allclose(merged.alpha, np.bincount(every, repeated.alpha), atol=1e-5)
    assert merged.intercept == pytest.approx(repeated.intercept, abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_where_the_optimum_leaves_the_intercept_open_it_is_the_middle(seed: int) -> None:
    X = np.random.default_rng(seed).normal(size=(40, 3))
    y, C = np.repeat([1.0, -1.0], 20), 1e-3
    K = gram(X, kernel="rbf", gamma=0.5)
    result = Machine(K, y, C=C)
    assert (result.alpha == C).all()  # so that y f <= 1 in every row, and nothing else holds
    residual = y - K @ (y * result.alpha)
    least, most = residual[y < 0.0].max(), residual[y > 0.0].min()
    assert least < most
    assert result.intercept == pytest.approx(0.5 * (least + most), abs=1e-12)


@DTYPES
def test_it_ends_where_no_row_is_left_to_fall(dtype: Any) -> None:
    # The optimum is exact after three steps; the last row neither may fall nor has the residual of
    # the two that are free.
    K = gram(np.array([[1.0], [2.0], [0.0], [3.0]]), kernel="linear", dtype=dtype)
    result = Machine(K, [-1, 1, -1, 1], C=10.0, max_iter=1000)
    assert (result.alpha.tolist(), result.intercept) == ([2.0, 2.0, 0.0, 0.0], -3.0)
    assert (result.n_iter, result.certificate) == (3, 0.0)


def test_identical_rows_with_other_labels_go_to_their_bounds() -> None:
    result = Machine(np.ones((4, 4)), [1, -1, 1, -1], C=2.0)
    assert result.converged
    assert result.alpha.tolist() == [2.0] * 4


@given(st.lists(st.floats(-1e12, 1e12) | st.just(-np.inf), min_size=1, max_size=90))
def test_largest_finds_a_largest_entry(values: list[float]) -> None:
    array = np.array(values)
    result = array[largest(array)]
    assert result == array.max() or array.max() - result <= 1e-10 * abs(array.max()) + 1e-300


@pytest.mark.parametrize("scale", [1.0, 2.0**-30, 2.0**40])
def test_a_step_to_a_bound_ends_on_it_though_rounding_is_against_it(scale: float) -> None:
    """The difference to the bound is rounded half away, and so is the sum: one place is missing."""
    eps = np.finfo(np.float64).eps
    for odd in (1, 3, 12345):
        upper = scale * (1.0 + odd * eps)
        value = scale * 0.5 * eps
        reached = value + (upper - value)
        assert reached == upper - scale * eps
        for label in (1.0, -1.0):
            bounds = bounds_of(np.array([label]), np.array([upper]))
            signed = np.array([label * value])
            set_value(0, signed, bounds, label * reached)
            assert signed[0] == label * upper
            is_free_to_rise, is_free_to_fall = bounds.may_rise[0] == 0.0, bounds.may_fall[0] == 1.0
            assert (is_free_to_rise, is_free_to_fall) == (label < 0.0, label > 0.0)
            # Ten places away is not at the bound.
            set_value(0, signed, bounds, label * (upper - 10.0 * scale * eps))
            assert abs(signed[0]) < upper


def test_a_start_and_a_gap_lead_to_the_same_machine() -> None:
    X, y = noisy_rows(2, d=3, noise=0.7)
    K, upper = gram(X, kernel="rbf", gamma=0.5), np.full(y.size, 2.0)
    first = minimise(K, y, 0.5 * upper, 1e-3, MAX_ITER)
    K.flags.writeable = False  # with a start, only the path calls it: machine code that exists
    again = minimise(K, y, upper, 1e-9, MAX_ITER, (first.signed, first.residual), False)
    whole = minimise(K.copy(), y, upper, 1e-9, MAX_ITER)
    np.testing.assert_allclose(again.signed, whole.signed, atol=1e-6)
    by_gap = minimise(K, y, upper, 0.01, MAX_ITER, (first.signed, first.residual), True)
    norm, hinge, gap = duality_gap(y, upper, by_gap.signed, by_gap.residual, by_gap.intercept)
    assert 0.0 <= gap <= 0.01 * (0.5 * norm + hinge)
    f = K @ by_gap.signed + by_gap.intercept
    assert hinge == pytest.approx(upper @ np.maximum(0.0, 1.0 - y * f))
    assert norm == pytest.approx(by_gap.signed @ K @ by_gap.signed)
    assert gap == pytest.approx(norm + hinge - np.abs(by_gap.signed).sum())
