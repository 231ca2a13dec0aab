"""Data that few people try first: self-tuning machines are right there or say what is wrong."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from small_problems import noisy_rows

from ensvm import KernelRidgeClassifierCV, SVMEnsembleClassifier, SVMPathClassifier, TunedSVC
from ensvm.kernels import gram

MACHINES = [TunedSVC(), SVMPathClassifier()]
BOTH = pytest.mark.parametrize("machine", MACHINES)
ALL = pytest.mark.parametrize("machine", [*MACHINES, KernelRidgeClassifierCV()])


WITH_ENSEMBLE = pytest.mark.parametrize(
    "machine", [*MACHINES, KernelRidgeClassifierCV(), SVMEnsembleClassifier()]
)


@WITH_ENSEMBLE
def test_duplicates_with_both_labels_get_the_label_that_most_have(machine: Any) -> None:
    places = np.array([[0.0, 0.0], [0.0, 3.0], [3.0, 0.0], [3.0, 3.0]])
    X, y = np.repeat(places, 20, axis=0), np.tile([0] * 15 + [1] * 5, 4)
    y[40:] = 1 - y[40:]
    assert clone(machine).fit(X, y).predict(places).tolist() == [0, 0, 1, 1]


@WITH_ENSEMBLE
@pytest.mark.parametrize("sizes", [(25, 15), (25, 10, 5)])
def test_equal_rows_get_the_largest_class(machine: Any, sizes: tuple[int, ...]) -> None:
    X, y = np.ones((40, 3)), np.repeat(np.arange(len(sizes)), sizes)
    np.testing.assert_array_equal(clone(machine).fit(X, y).predict(X), np.zeros(40))


@WITH_ENSEMBLE
def test_one_class_is_refused_by_its_name(machine: Any) -> None:
    X, y = noisy_rows(d=3, noise=0.5)
    with pytest.raises(ValueError, match=f"{type(machine).__name__} .*only one class: 'rain'"):
        clone(machine).fit(X, np.full(60, "rain"))
    with pytest.raises(ValueError, match="needs rows of positive sample_weight"):
        clone(machine).fit(X, y, (y < 0.0).astype(float))


@ALL
def test_a_constant_column_changes_nothing(machine: Any) -> None:
    X, y = noisy_rows(d=3, noise=0.5)
    wider = np.column_stack([X, np.full(60, 7.0)])
    alone, beside = clone(machine).fit(X, y), clone(machine).fit(wider, y)
    np.testing.assert_allclose(
        beside.decision_function(wider), alone.decision_function(X), rtol=1e-5, atol=1e-5
    )


@BOTH
def test_one_row_of_a_class_is_left_out_as_an_error(machine: Any) -> None:
    X, _ = noisy_rows(d=3, noise=0.5)
    y = np.r_[1, np.zeros(59)]
    fitted = clone(machine).fit(X, y)
    values = fitted.loo_decision_function_
    assert values.shape == (60,)
    assert values[0] < 0.0
    assert fitted.score(X, y) >= 59 / 60


@ALL
def test_thirty_classes_are_told_apart(machine: Any) -> None:
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(30), 5)
    X = 5.0 * rng.normal(size=(30, 4))[y] + 0.3 * rng.normal(size=(150, 4))
    fitted = clone(machine).fit(X, y)
    assert fitted.decision_function(X).shape == (150, 30)
    assert fitted.score(X, y) == 1.0


@BOTH
def test_a_gram_matrix_that_no_kernel_has_is_refused(machine: Any) -> None:
    X, y = noisy_rows(d=3, noise=0.5)
    K = gram(X, kernel="rbf", gamma=0.3)
    given = clone(machine).set_params(kernel="precomputed")
    assert given.fit(K, y).score(K, y) > 0.8
    with pytest.raises(ValueError, match="not positive semidefinite"):
        given.fit(K - 2.0 * np.eye(60), y)


@BOTH
def test_rows_of_weight_0_are_none_and_not_all_may_be(machine: Any) -> None:
    X, y = noisy_rows(d=3, noise=0.5)
    weight = np.tile([0.0, 1.0], 30)
    some, half = clone(machine).fit(X, y, weight), clone(machine).fit(X[1::2], y[1::2])
    np.testing.assert_allclose(some.decision_function(X), half.decision_function(X), atol=1e-6)
    with pytest.raises(ValueError, match="at least one non-zero"):
        clone(machine).fit(X, y, np.zeros(60))
