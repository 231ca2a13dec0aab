"""Laws of scaling: what is fitted where, and what happens to constants."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from ensvm.data.missing_values import fill_with_training_mean
from ensvm.data.scaling import scale

RNG = np.random.default_rng(0)
TRAIN, TEST = RNG.normal(3, 5, (40, 3)), RNG.normal(-2, 9, (20, 3))


@pytest.mark.parametrize(("scaling", "ddof"), [("standard", 0), ("e1071", 1)])
def test_mean_and_deviation_are_those_of_the_training_part_only(scaling: str, ddof: int) -> None:
    X_train, X_test = scale(scaling, TRAIN, TEST)
    np.testing.assert_allclose(X_train.mean(axis=0), 0, atol=1e-14)
    np.testing.assert_allclose(X_train.std(axis=0, ddof=ddof), 1)
    np.testing.assert_array_equal(scale(scaling, TRAIN, 10 * TEST)[0], X_train)
    np.testing.assert_allclose(X_test * TRAIN.std(axis=0, ddof=ddof) + TRAIN.mean(axis=0), TEST)


def test_minmax_fills_the_interval_on_the_training_part() -> None:
    X_train, X_test = scale("minmax", TRAIN, TEST)
    np.testing.assert_allclose(X_train.min(axis=0), -1)
    np.testing.assert_allclose(X_train.max(axis=0), 1)
    assert np.abs(X_test).max() > 1


@pytest.mark.parametrize("scaling", ["standard", "minmax"])
def test_column_constant_in_training_becomes_zero(scaling: str) -> None:
    train, test = TRAIN.copy(), TEST.copy()
    train[:, 1] = 0.1  # the mean of forty 0.1 is not exactly 0.1
    X_train, X_test = scale(scaling, train, test)
    assert not X_train[:, 1].any()
    assert not X_test[:, 1].any()


@pytest.mark.parametrize("scaling", ["standard", "minmax", "e1071"])
def test_affine_change_of_units_changes_nothing(scaling: str) -> None:
    plain = scale(scaling, TRAIN, TEST)
    other = scale(scaling, 7 * TRAIN - 2, 7 * TEST - 2)
    np.testing.assert_allclose(plain[0], other[0], atol=1e-12)
    np.testing.assert_allclose(plain[1], other[1], atol=1e-12)


def test_e1071_scales_nothing_if_one_column_is_constant_in_training() -> None:
    train = TRAIN.copy()
    train[:, 1] = 0.1
    X_train, X_test = scale("e1071", train, TEST)
    np.testing.assert_array_equal(X_train, train)
    np.testing.assert_array_equal(X_test, TEST)
    only_in_test = TEST.copy()
    only_in_test[:, 1] = 0.1
    assert (scale("e1071", TRAIN, only_in_test)[0] != TRAIN).all()


def test_pixels_fill_the_unit_interval() -> None:
    X_train, X_test = scale("pixels", np.array([[0.0, 255.0]]), np.array([[51.0, 0.0]]))
    assert X_train.tolist() == [[0, 1]]
    assert X_test.tolist() == [[0.2, 0]]


def test_missing_values_become_the_mean_of_what_training_knows() -> None:
    nan = np.nan
    train = np.array([[1.0, nan, nan], [3.0, 6.0, nan], [nan, 8.0, nan]])
    test = np.array([[nan, nan, nan], [9.0, nan, 5.0]])
    X_train, X_test = fill_with_training_mean(train, test)
    assert X_train.tolist() == [[1, 7, 0], [3, 6, 0], [2, 8, 0]]
    assert X_test.tolist() == [[2, 7, 0], [9, 7, 5]]
    np.testing.assert_array_equal(fill_with_training_mean(train, 10 * test)[0], X_train)


def test_e1071_leaves_one_hot_columns_alone() -> None:
    rng = np.random.default_rng(0)
    numbers, codes = rng.normal(3.0, 2.0, size=(20, 2)), np.eye(3)[rng.integers(3, size=20)]
    codes[:, 2] = 0.0  # a level that training does not have keeps nothing from being scaled
    X, nominal = np.hstack([numbers, codes]), np.array([False, False, True, True, True])
    train, test = scale("e1071", X[:15], X[15:], nominal)
    assert np.array_equal(train[:, 2:], X[:15, 2:])
    assert np.array_equal(test[:, 2:], X[15:, 2:])
    assert train[:, :2].mean(axis=0) == pytest.approx(np.zeros(2), abs=1e-12)
    assert train[:, :2].std(axis=0, ddof=1) == pytest.approx(np.ones(2))


def test_maxabs_keeps_zeros_and_is_the_same_for_sparse_and_dense() -> None:
    train = np.where(RNG.random(TRAIN.shape) < 0.5, 0.0, TRAIN)
    test = np.where(RNG.random(TEST.shape) < 0.5, 0.0, TEST)
    train[:, 1] = 0.0
    X_train, X_test = scale("maxabs", train, test)
    np.testing.assert_array_equal(np.abs(X_train).max(axis=0), [1, 0, 1])
    assert not X_test[:, 1].any()
    assert not X_train[train == 0].any()
    sparse = scale("maxabs", csr_array(train), csr_array(test))
    np.testing.assert_array_equal(sparse[0].toarray(), X_train)
    np.testing.assert_array_equal(sparse[1].toarray(), X_test)
    np.testing.assert_allclose(scale("maxabs", 7 * train, 7 * test)[1], X_test, rtol=1e-12)
