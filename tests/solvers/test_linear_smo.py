"""The linear machine: KKT conditions, LIBSVM's solution, impossible hard margins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.svm import SVC

from ensvm.solvers.linear_smo import linear_smo
from ensvm.solvers.separability import separability, signed_points

Problem = tuple[NDArray[np.float64], NDArray[np.float64]]


def noisy(seed: int, m: int = 60, d: int = 4) -> Problem:
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(m, d))
    y = np.where(X[:, 0] + generator.normal(size=m) > 0.0, 1.0, -1.0)
    y[:2] = -1.0, 1.0
    return X, y


def apart(seed: int, m: int = 40, d: int = 3) -> Problem:
    """Return two classes with a strip between them."""
    X, y = noisy(seed, m, d)
    X[:, 0] = np.abs(X[:, 0]) + 0.2
    X[:, 0] *= y
    return X, y


@given(
    seed=st.integers(0, 2**32 - 1),
    m=st.integers(2, 40),
    d=st.integers(1, 6),
    C=st.sampled_from([0.01, 1.0, 30.0, np.inf]),
)
def test_the_kkt_conditions_hold(seed: int, m: int, d: int, C: float) -> None:
    X, y = noisy(seed, m, d) if np.isfinite(C) else apart(seed, m, d)
    result = linear_smo(X, y, C=C, tol=1e-4)
    assert result.converged
    assert result.certificate <= 1e-4
    size = result.alpha.max()
    assert ((result.alpha >= 0.0) & (result.alpha <= C)).all()
    assert abs(result.alpha @ y) <= 1e-9 * size
    np.testing.assert_allclose(result.weights, (result.alpha * y) @ X, atol=1e-8 * size)
    margins = y * (X @ result.weights + result.offset)
    assert (margins[result.alpha == 0.0] >= 1.0 - 2e-4).all()
    assert (margins[result.alpha == C] <= 1.0 + 2e-4).all()
    inside = (result.alpha > 0.0) & (result.alpha < C)
    np.testing.assert_allclose(margins[inside], 1.0, atol=2e-4)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("C", [0.02, 1.0, 20.0])
def test_it_is_the_machine_of_libsvm_and_its_gap_closes(seed: int, C: float) -> None:
    X, y = noisy(seed, m=300)  # more rows than one sweep's pairs are chosen from
    result = linear_smo(X, y, C=C, tol=1e-6)
    machine = SVC(kernel="linear", C=C, tol=1e-6).fit(X, y)
    np.testing.assert_allclose(result.weights, machine.coef_[0], atol=1e-4)
    assert result.offset == pytest.approx(machine.intercept_[0], abs=1e-4)
    slack = np.maximum(1.0 - y * (X @ result.weights + result.offset), 0.0)
    primal = 0.5 * result.weights @ result.weights + C * slack.sum()
    assert result.objective <= primal * (1.0 + 1e-12)
    assert primal - result.objective <= 1e-5 * primal


@given(seed=st.integers(0, 2**32 - 1), factor=st.sampled_from([0.1, 7.0]))
def test_what_a_shift_and_a_scale_do(seed: int, factor: float) -> None:
    X, y = noisy(seed)
    one = linear_smo(X, y, tol=1e-7)
    moved = linear_smo(X + 100.0, y, tol=1e-7)
    np.testing.assert_allclose(moved.weights, one.weights, atol=1e-5)
    scaled = linear_smo(factor * X, y, C=1.0 / factor**2, tol=1e-7)
    np.testing.assert_allclose(scaled.weights, one.weights / factor, atol=1e-5 / factor)


@given(seed=st.integers(0, 2**32 - 1), m=st.integers(4, 12))
def test_a_hard_margin_exists_exactly_where_a_plane_separates(seed: int, m: int) -> None:
    X, y = noisy(seed, m, 2)
    if separability(signed_points(X, y)).separable:
        result = linear_smo(X, y, C=np.inf)
        assert (
            y * (X @ result.weights + result.offset) >= 1.0 - 2e-3
        ).all() or not result.converged
    else:
        with pytest.raises(ValueError, match="no plane separates the two classes: give a finite C"):
            linear_smo(X, y, C=np.inf)


def test_repeated_rows_with_both_labels_go_to_their_bounds() -> None:
    result = linear_smo(np.array([[1.0], [1.0], [1.0], [1.0]]), [1, -1, 1, -1], C=2.0)
    assert result.converged
    np.testing.assert_array_equal(result.alpha, 2.0)
    np.testing.assert_array_equal(result.weights, 0.0)


@pytest.mark.parametrize("seed", range(5))
def test_where_the_optimum_leaves_the_offset_open_it_is_the_middle(seed: int) -> None:
    X = np.random.default_rng(seed).normal(size=(40, 3))
    y, C = np.repeat([1.0, -1.0], 20), 1e-3
    result = linear_smo(X, y, C=C)
    assert (result.alpha == C).all()  # so that y f <= 1 in every row, and nothing else holds
    residual = y - X @ result.weights
    least, most = residual[y < 0.0].max(), residual[y > 0.0].min()
    assert least < most
    assert result.offset == pytest.approx(0.5 * (least + most), abs=1e-12)


@given(seed=st.integers(0, 2**32 - 1), m=st.integers(2, 40), factor=st.sampled_from([3.0, 300.0]))
def test_a_larger_price_narrows_the_margin_and_lowers_the_soft_error(
    seed: int, m: int, factor: float
) -> None:
    X, y = noisy(seed, m)
    cheap, dear = (linear_smo(X, y, C=C, tol=1e-6) for C in (0.01, 0.01 * factor))
    assert np.linalg.norm(cheap.weights) <= np.linalg.norm(dear.weights) + 1e-4
    soft = [
        np.maximum(1.0 - y * (X @ one.weights + one.offset), 0.0).sum() for one in (cheap, dear)
    ]
    assert soft[1] <= soft[0] + 1e-4 * m
