"""WSV and WSVE: what is left out, what is trained on, and the error that is promised."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ensvm.kernels import gram
from ensvm.solvers.weighted_nu_svm.solver import weighted_nu_svm
from ensvm.solvers.weighted_nu_svm.weakened import chosen_within, weakened_nu_svm, with_row_numbers

Data = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


def data(seed: int, m: int = 60) -> Data:
    rng = np.random.default_rng(seed)
    X, D = rng.normal(size=(m, 3)), rng.exponential(size=m)
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=m) > 0.0, 1.0, -1.0)
    return gram(X, kernel="rbf", gamma=1.0), y, D / D.sum()


def random(seed: int = 0) -> np.random.RandomState:
    return np.random.RandomState(seed)


@given(seed=st.integers(0, 10_000), limit=st.floats(0.0, 0.99), levels=st.integers(1, 6))
def test_the_lightest_are_as_many_as_fit(seed: int, limit: float, levels: int) -> None:
    weight = np.random.default_rng(seed).integers(1, levels + 1, size=40) / 64.0  # exact sums
    limit *= weight.sum()
    rows = chosen_within(weight, weight, limit, random(seed))
    kept = np.delete(np.arange(40), rows)
    assert weight[rows].sum() <= limit * (1.0 + 1e-12)
    assert weight[rows].sum() + weight[kept].min() > limit  # none more fits
    assert rows.size == 0 or weight[rows].max() <= weight[kept].min()
    assert np.array_equal(rows, np.unique(rows))


def test_without_random_numbers_the_last_of_equal_weights_are_left_out() -> None:
    weight = np.array([0.2, 0.1, 0.2, 0.1, 0.2, 0.2])
    np.testing.assert_array_equal(chosen_within(weight, weight, 0.45, None), [1, 3, 5])


@pytest.mark.parametrize("heaviest", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_weights_that_differ_by_rounding_are_tied(seed: int, heaviest: bool) -> None:
    rng = np.random.default_rng(seed)
    weight = rng.integers(1, 4, size=60) / 120.0
    for part, same in ((1e-12, True), (1e-5, False)):
        rounded = weight * (1.0 + part * rng.normal(size=60))
        chosen, again = (
            chosen_within(w, w, 0.4 * weight.sum(), random(seed), heaviest=heaviest)
            for w in (weight, rounded)
        )
        assert np.array_equal(chosen, again) == same


def test_the_heaviest_are_as_many_as_fit() -> None:
    weight = np.array([0.1, 0.4, 0.2, 0.3])
    np.testing.assert_array_equal(chosen_within(weight, weight, 0.7, None, heaviest=True), [1, 3])
    np.testing.assert_array_equal(chosen_within(weight, weight, 0.69, None, heaviest=True), [1])


def test_numbers_of_rows_in_another_order_come_back() -> None:
    K, y, D = data(3)
    order = np.random.default_rng(0).permutation(y.size)
    other = K[np.ix_(order, order)]
    here = weakened_nu_svm(K, y, D, 0.2, 0.3, random=random(), tol=1e-9)
    there = weakened_nu_svm(other, y[order], D[order], 0.2, 0.3, random=None, tol=1e-9)
    assert here is not None
    assert there is not None
    back = with_row_numbers(there, order)
    np.testing.assert_array_equal(back.rejected, here.rejected)
    np.testing.assert_allclose(back.machine.weights, here.machine.weights, atol=1e-3)
    assert back.machine.objective == pytest.approx(here.machine.objective, rel=1e-8)


def test_ties_are_broken_at_random_and_repeatably() -> None:
    weight = np.full(100, 0.01)
    choices = [chosen_within(weight, weight, 0.5, random(seed)) for seed in range(200)]
    assert {rows.size for rows in choices} == {
        50
    }  # although 50 times 0.01 exceeds 0.5 in floating point
    counts = np.bincount(np.concatenate(choices), minlength=100)
    assert 60 < counts.min() <= counts.max() < 140  # 100 on average, with a standard deviation of 7
    np.testing.assert_array_equal(choices[3], chosen_within(weight, weight, 0.5, random(3)))


@pytest.mark.parametrize("seed", range(7))
@pytest.mark.parametrize(("nu", "mu"), [(0.1, 0.3), (0.2, 0.2), (0.3, 0.5)])
def test_the_weighted_error_is_at_most_nu_plus_mu(seed: int, nu: float, mu: float) -> None:
    K, y, D = data(seed)
    result = weakened_nu_svm(K, y, D, nu, mu, random=random(), tol=1e-8)
    assert result is not None
    assert result.machine.rho > 0.0
    f = K @ (y * result.machine.weights) + result.machine.intercept
    assert D[y * f < -1e-9].sum() <= nu + mu
    assert not result.machine.weights[result.rejected].any()


def test_without_rejection_it_is_the_plain_machine() -> None:
    K, y, D = data(0)
    result = weakened_nu_svm(K, y, D, 0.2, 0.0, random=random())
    assert result is not None
    plain = weighted_nu_svm(K, y, D, 0.2)
    np.testing.assert_allclose(result.machine.weights, plain.weights, rtol=1e-9)
    assert (result.rejected.size, result.edited.size, result.nu, result.nu_clipped) == (
        0,
        0,
        0.2,
        False,
    )


def test_normalised_or_as_printed() -> None:
    K, y, D = data(1)
    normal, printed = (
        weakened_nu_svm(K, y, D, 0.2, 0.3, normalize=n, random=random(), tol=1e-9)
        for n in (True, False)
    )
    assert normal is not None
    assert printed is not None
    weight_kept = 1.0 - D[normal.rejected].sum()
    same = weakened_nu_svm(
        K, y, D, 0.2 * weight_kept, 0.3, normalize=False, random=random(), tol=1e-9
    )
    assert same is not None
    np.testing.assert_allclose(same.machine.weights, normal.machine.weights, atol=1e-6)
    assert printed.machine.objective > normal.machine.objective  # a larger nu in effect


def test_an_infeasible_nu_is_lowered_and_flagged() -> None:
    K, y, D = data(0)
    result = weakened_nu_svm(K, y, D, 1.0, 0.3, random=random())
    assert result is not None
    assert result.nu_clipped
    assert result.nu == result.machine.nu_max < 1.0


def test_editing_leaves_out_the_heaviest_then_the_lightest_of_the_rest() -> None:
    K, y, D = data(2)
    result = weakened_nu_svm(K, y, D, 0.1, 0.25, sigma=0.2, random=random())
    assert result is not None
    kept = np.setdiff1d(np.arange(y.size), np.concatenate([result.edited, result.rejected]))
    assert D[result.rejected].max() <= D[kept].min() <= D[kept].max() <= D[result.edited].min()
    assert 0.0 < D[result.edited].sum() <= 0.2
    assert D[result.edited].sum() + D[kept].max() > 0.2
    assert D[result.rejected].sum() <= 0.25 * (1.0 - D[result.edited].sum())
    assert not result.machine.weights[result.edited].any()


def test_nothing_is_trained_where_one_class_is_left() -> None:
    K, y, _ = data(0)
    D = np.where(y > 0.0, 1.0, 1e-6)
    assert weakened_nu_svm(K, y, D / D.sum(), 0.1, 0.3, random=random()) is None


@pytest.mark.parametrize("mu", [0.0, 0.25, 0.5, 0.58])
def test_by_count_the_lightest_are_a_share_of_the_examples(mu: float) -> None:
    K, y, D = data(1)
    result = weakened_nu_svm(K, y, D, 0.1, mu, by_count=True, random=random())
    assert result is not None
    assert result.rejected.size == int(mu * y.size + 1e-9)
    kept = np.setdiff1d(np.arange(y.size), result.rejected)
    assert D[result.rejected].max(initial=0.0) <= D[kept].min()
    # The lightest weigh less than their share, so that more are left out by weight.
    by_weight = weakened_nu_svm(K, y, D, 0.1, mu, random=random())
    assert by_weight is not None
    assert by_weight.rejected.size >= result.rejected.size
