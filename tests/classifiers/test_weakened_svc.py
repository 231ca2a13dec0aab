"""The weakened SVM and the one for editing: which examples they leave out."""

from typing import Any

import numpy as np
import pytest
from small_problems import noisy_rows

from ensvm.classifiers.editing_svc import EditingSVC
from ensvm.classifiers.weakened_svc import WeakenedSVC
from ensvm.classifiers.weighted_nu_svc import WeightedNuSVC


def test_it_is_the_machine_of_what_is_kept() -> None:
    X, y = noisy_rows(m=80, d=3, noise=0.5)
    fitted = WeakenedSVC(gamma=0.5, nu=0.2, mu=0.4, random_state=0).fit(X, y)
    assert fitted.rejected_.size == 32
    kept = np.setdiff1d(np.arange(80), fitted.rejected_)
    plain = WeightedNuSVC(gamma=0.5, nu=0.2).fit(X[kept], y[kept])
    np.testing.assert_allclose(fitted.decision_function(X), plain.decision_function(X), atol=1e-9)
    assert (fitted.rho_, fitted.nu_max_) == (
        pytest.approx(plain.rho_),
        pytest.approx(plain.nu_max_),
    )


def test_rejecting_a_whole_class_is_refused() -> None:
    X, y = noisy_rows(m=80, d=3, noise=0.5)
    with pytest.raises(ValueError, match=r"mu = 0\.3 .* leave the examples of one class only"):
        WeakenedSVC(nu=0.1, mu=0.3).fit(X, y, sample_weight=np.where(y > 0, 1.0, 1e-6))


def test_editing_with_sigma_0_is_the_weakened_svm() -> None:
    X, y = noisy_rows(m=80, d=3, noise=0.5)
    weight = np.random.default_rng(1).exponential(size=80)
    parameters: dict[str, Any] = {"nu": 0.1, "mu": 0.3, "random_state": 0}
    edited = EditingSVC(sigma=0.0, **parameters).fit(X, y, sample_weight=weight)
    plain = WeakenedSVC(**parameters).fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(edited.weights_, plain.weights_)
    assert (edited.edited_.size, edited.edited_weight_) == (0, 0.0)


def test_editing_is_the_weakened_svm_of_the_rest() -> None:
    X, y = noisy_rows(m=80, d=3, noise=0.5)
    weight = np.random.default_rng(1).exponential(size=80)
    edited = EditingSVC(gamma=0.5, nu=0.1, mu=0.3, sigma=0.2, random_state=0).fit(
        X, y, sample_weight=weight
    )
    rest = np.setdiff1d(np.arange(80), edited.edited_)
    plain = WeakenedSVC(gamma=0.5, nu=0.1, mu=0.3).fit(X[rest], y[rest], sample_weight=weight[rest])
    np.testing.assert_array_equal(
        rest[plain.rejected_], edited.rejected_
    )  # no ties among these weights
    np.testing.assert_allclose(edited.decision_function(X), plain.decision_function(X), atol=1e-9)


def test_wrongly_labelled_heavy_examples_do_no_harm() -> None:
    X, _ = noisy_rows(1, m=80, d=3)
    y = np.where(X[:, 0] > 0.0, 1, -1)
    flipped = np.argsort(-np.abs(X[:, 0]))[:6]
    noisy = y.copy()
    noisy[flipped] *= -1
    weight = np.where(np.isin(np.arange(80), flipped), 5.0, 1.0)  # as boosting would weigh them
    edited = EditingSVC(nu=0.05, mu=0.0, sigma=0.29).fit(X, noisy, sample_weight=weight)
    np.testing.assert_array_equal(edited.edited_, np.sort(flipped))
    assert np.mean(edited.predict(X) == y) > np.mean(
        WeakenedSVC(nu=0.05, mu=0.0).fit(X, noisy, sample_weight=weight).predict(X) == y
    )
