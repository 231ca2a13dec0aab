"""The linear support vector machine: KKT conditions, LIBSVM's solution, impossible hard margins."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC
from small_problems import noisy_rows

from ensvm.classifiers.linear_smo import LinearSMO
from ensvm.solvers.separability import separability, signed_points

Problem = tuple[NDArray[np.float64], NDArray[np.float64]]
SEEDS = st.integers(0, 2**32 - 1)


def noisy(seed: int, m: int = 60, d: int = 4) -> Problem:
    X, y = noisy_rows(seed, m, d)
    y[:2] = -1.0, 1.0
    return X, y


def apart(seed: int, m: int, d: int) -> Problem:
    """Return two classes with a strip between them."""
    X, y = noisy(seed, m, d)
    X[:, 0] = y * (np.abs(X[:, 0]) + 0.2)
    return X, y


@given(
    seed=SEEDS,
    m=st.integers(2, 40),
    d=st.integers(1, 6),
    C=st.sampled_from([0.01, 1.0, 30.0, np.inf]),
)
def test_the_kkt_conditions_hold(seed: int, m: int, d: int, C: float) -> None:
    X, y = noisy(seed, m, d) if np.isfinite(C) else apart(seed, m, d)
    machine = LinearSMO(C=C, tol=1e-4).fit(X, y)
    assert machine.converged_
    assert machine.certificate_ <= 1e-4
    alpha = machine.alpha_
    size = alpha.max()
    assert ((alpha >= 0.0) & (alpha <= C)).all()
    assert abs(alpha @ y) <= 1e-9 * size
    np.testing.assert_allclose(machine.coef_[0], (alpha * y) @ X, atol=1e-8 * size)
    margins = y * machine.decision_function(X)
    assert (margins[alpha == 0.0] >= 1.0 - 2e-4).all()
    assert (margins[alpha == C] <= 1.0 + 2e-4).all()
    np.testing.assert_allclose(margins[(alpha > 0.0) & (alpha < C)], 1.0, atol=2e-4)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("C", [0.02, 1.0, 20.0])
def test_it_is_the_machine_of_libsvm_and_its_gap_closes(seed: int, C: float) -> None:
    X, y = noisy(seed, m=300)
    machine = LinearSMO(C=C, tol=1e-6).fit(X, y)
    svc = SVC(kernel="linear", C=C, tol=1e-6).fit(X, y)
    np.testing.assert_allclose(machine.coef_, svc.coef_, atol=1e-4)
    np.testing.assert_allclose(machine.intercept_, svc.intercept_, atol=1e-4)
    w = machine.coef_[0]
    assert machine.margin_ == pytest.approx(2.0 / np.linalg.norm(w))
    slack = np.maximum(1.0 - y * machine.decision_function(X), 0.0)
    assert machine.soft_error_ == pytest.approx(slack.sum())
    primal = 0.5 * w @ w + C * slack.sum()
    assert machine.objective_ <= primal * (1.0 + 1e-12)
    assert primal - machine.objective_ <= 1e-5 * primal
    np.testing.assert_array_equal(machine.support_, np.flatnonzero(machine.alpha_ > 0.0))


@given(seed=SEEDS, factor=st.sampled_from([0.1, 7.0]))
def test_what_a_shift_and_a_scale_do(seed: int, factor: float) -> None:
    X, y = noisy(seed)
    one = LinearSMO(tol=1e-7).fit(X, y).coef_
    moved = LinearSMO(tol=1e-7).fit(X + 100.0, y).coef_
    np.testing.assert_allclose(moved, one, atol=1e-5)
    scaled = LinearSMO(C=1.0 / factor**2, tol=1e-7).fit(factor * X, y).coef_
    np.testing.assert_allclose(scaled, one / factor, atol=1e-5 / factor)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@given(seed=SEEDS, m=st.integers(4, 12))
def test_a_hard_margin_exists_exactly_where_a_plane_separates(seed: int, m: int) -> None:
    X, y = noisy(seed, m, 2)
    machine = LinearSMO(C=np.inf)
    if separability(signed_points(X, y)).separable:
        machine.fit(X, y)
        margins = y * machine.decision_function(X)
        assert (margins >= 1.0 - 2e-3).all() or not machine.converged_
    else:
        with pytest.raises(ValueError, match="no plane separates the two classes: give a finite C"):
            machine.fit(X, y)


def test_repeated_rows_with_both_labels_go_to_their_bounds() -> None:
    machine = LinearSMO(C=2.0).fit(np.ones((4, 1)), [1, -1, 1, -1])
    assert machine.converged_
    np.testing.assert_array_equal(machine.alpha_, 2.0)
    np.testing.assert_array_equal(machine.coef_, 0.0)


@pytest.mark.parametrize("seed", range(5))
def test_where_the_optimum_leaves_the_offset_open_it_is_the_middle(seed: int) -> None:
    X = np.random.default_rng(seed).normal(size=(40, 3))
    y, C = np.repeat([1.0, -1.0], 20), 1e-3
    machine = LinearSMO(C=C).fit(X, y)
    assert (machine.alpha_ == C).all()  # so that y f <= 1 in every row, and nothing else holds
    residual = y - X @ machine.coef_[0]
    least, most = residual[y < 0.0].max(), residual[y > 0.0].min()
    assert least < most
    np.testing.assert_allclose(machine.intercept_, 0.5 * (least + most), atol=1e-12)


@given(seed=SEEDS, m=st.integers(2, 40), factor=st.sampled_from([3.0, 300.0]))
def test_a_larger_price_narrows_the_margin_and_lowers_the_soft_error(
    seed: int, m: int, factor: float
) -> None:
    X, y = noisy(seed, m)
    cheap, dear = (LinearSMO(C=C, tol=1e-6).fit(X, y) for C in (0.01, 0.01 * factor))
    assert dear.margin_ <= cheap.margin_ + 1e-4 * max(cheap.margin_**2, 1.0)
    assert dear.soft_error_ <= cheap.soft_error_ + 1e-4 * m


def test_a_run_cut_short_warns_and_says_so() -> None:
    with pytest.warns(
        ConvergenceWarning,
        match=r"LinearSMO stopped after 2 pairs with a KKT residual of .* > 0.001",
    ):
        machine: Any = LinearSMO(max_iter=2).fit(*noisy(0))
    assert (machine.converged_, machine.n_iter_) == (False, 2)
