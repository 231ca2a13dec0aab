"""The weighted nu-SVM as a classifier: sample weights, fitted attributes, warnings, refusals."""

from contextlib import nullcontext

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from small_problems import noisy_rows

from ensvm.classifiers.weighted_nu_svc import WeightedNuSVC
from ensvm.kernels import gram
from ensvm.solvers.weighted_nu_svm.solver import weighted_nu_svm


def test_fit_is_the_solvers_and_keeps_what_it_proved() -> None:
    X, y = noisy_rows(m=80, d=3, noise=0.5)
    weight = np.random.default_rng(1).exponential(size=80)
    fitted = WeightedNuSVC(gamma=0.3, nu=0.2, tol=1e-6).fit(X, y, sample_weight=weight)
    result = weighted_nu_svm(
        gram(X, kernel="rbf", gamma=0.3), y, weight / weight.sum(), 0.2, tol=1e-6
    )
    np.testing.assert_array_equal(fitted.weights_, result.weights)
    for name in (
        "rho",
        "objective",
        "certificate",
        "nu_max",
        "n_iter",
        "converged",
        "stop_reason",
        "intercept",
    ):
        assert getattr(fitted, f"{name}_") == getattr(result, name)
    assert fitted.certificate_ <= 1e-6 * fitted.objective_
    np.testing.assert_array_equal(fitted.support_, np.flatnonzero(result.weights))
    assert not hasattr(fitted, "_sample_weight")


def test_a_vanishing_margin_is_flagged() -> None:
    with pytest.warns(ConvergenceWarning, match="WeightedNuSVC: rho is 0"):
        fitted = WeightedNuSVC(kernel="linear", nu=0.5).fit(
            [[0.0], [1.0], [0.1], [0.9]], [0, 0, 1, 1], [1, 3, 2, 1]
        )
    assert fitted.converged_
    assert fitted.stop_reason_ == "gap_below_rounding"
    assert fitted.rho_ == pytest.approx(0.0, abs=1e-9)
    np.testing.assert_allclose(
        fitted.decision_function([[0.0], [1.0]]), fitted.intercept_, atol=1e-9
    )


@pytest.mark.parametrize(("positive", "nu"), [(40, 0.3), (15, 0.3), (5, 0.1)])
def test_nu_is_at_most_as_large_as_a_small_class_allows(positive: int, nu: float) -> None:
    X = np.random.default_rng(0).normal(size=(100, 2))
    y = np.arange(100) < positive
    X[y] += 2.0
    lowered = pytest.warns(UserWarning, match=f"was lowered to {nu}") if nu < 0.3 else nullcontext()
    with lowered:
        default = WeightedNuSVC(gamma=1.0).fit(X, y)
    named = WeightedNuSVC(gamma=1.0, nu=nu).fit(X, y)  # without a warning: warnings are errors
    assert default.nu_ == min(0.3, default.nu_max_) == pytest.approx(nu, rel=1e-12)
    assert default.nu_clipped_ == (nu < 0.3)
    np.testing.assert_allclose(default.weights_, named.weights_, atol=1e-9)


def test_it_is_the_machine_of_what_is_kept() -> None:
    X, y = noisy_rows(m=80, d=3, noise=0.5)
    fitted = WeightedNuSVC(gamma=0.5, nu=0.2, mu=0.4, random_state=0).fit(X, y)
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
        WeightedNuSVC(nu=0.1, mu=0.3).fit(X, y, sample_weight=np.where(y > 0, 1.0, 1e-6))


def test_editing_is_the_weakened_svm_of_the_rest() -> None:
    X, y = noisy_rows(m=80, d=3, noise=0.5)
    weight = np.random.default_rng(1).exponential(size=80)
    edited = WeightedNuSVC(gamma=0.5, nu=0.1, mu=0.3, sigma=0.2, random_state=0).fit(
        X, y, sample_weight=weight
    )
    rest = np.setdiff1d(np.arange(80), edited.edited_)
    plain = WeightedNuSVC(gamma=0.5, nu=0.1, mu=0.3).fit(
        X[rest], y[rest], sample_weight=weight[rest]
    )
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
    edited = WeightedNuSVC(nu=0.05, mu=0.0, sigma=0.29).fit(X, noisy, sample_weight=weight)
    np.testing.assert_array_equal(edited.edited_, np.sort(flipped))
    assert np.mean(edited.predict(X) == y) > np.mean(
        WeightedNuSVC(nu=0.05, mu=0.0).fit(X, noisy, sample_weight=weight).predict(X) == y
    )
