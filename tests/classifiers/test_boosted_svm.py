"""Boosted SVMs: the vote is the reduced model, rounds follow AdaBoost, reductions keep bounds."""

from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import NuSVC
from small_problems import crossed_rows

from ensvm.classifiers.boosted_svm import BoostedSVM
from ensvm.classifiers.weighted_nu_svc import WeightedNuSVC
from ensvm.kernels import gram

SIGMA = pytest.mark.parametrize("sigma", [0.0, 0.05])
SETTINGS: dict[str, Any] = {"gamma": 1.0, "nu": 0.2, "mu": 0.3, "random_state": 0}


@SIGMA
@pytest.mark.parametrize("kernel", ["rbf", "poly", "precomputed"])
def test_the_vote_is_one_expansion(sigma: float, kernel: str) -> None:
    X, y = crossed_rows(noise=0.4)
    others = crossed_rows(1)[0]
    inputs, cross = (
        (gram(X, kernel="rbf", gamma=1.0), gram(others, X, kernel="rbf", gamma=1.0))
        if kernel == "precomputed"
        else (X, others)
    )
    fitted = BoostedSVM(kernel=kernel, coef0=1.0, sigma=sigma, **{**SETTINGS, "nu": 0.4}).fit(
        inputs, y
    )
    *_, vote = fitted.staged_decision_function(cross)
    F = fitted.decision_function(cross)
    np.testing.assert_allclose(vote, F, atol=1e-10 * np.abs(F).max())
    values = (
        gram(others, X, kernel="rbf", gamma=1.0)
        if kernel == "precomputed"
        else fitted._gram(others, X)
    )
    members = fitted.member_coefs_ @ values.T + fitted.member_intercepts_[:, None]
    np.testing.assert_allclose(fitted.alphas_ @ members, F, atol=1e-10 * np.abs(F).max())
    assert fitted.n_support_ == fitted.support_.size == fitted.n_supports_[-1]


@pytest.mark.parametrize("hypothesis", ["normalized", "sign"])
@pytest.mark.parametrize("reduce", ["none", "sum", "independent"])
def test_stages_end_with_the_whole(hypothesis: str, reduce: str) -> None:
    X, y = crossed_rows(noise=0.4)
    fitted = BoostedSVM(hypothesis=hypothesis, reduce=reduce, **SETTINGS).fit(X, y)
    stages, labels = list(fitted.staged_decision_function(X)), list(fitted.staged_predict(X))
    assert len(stages) == len(labels) == fitted.n_estimators_ == fitted.alphas_.size >= 2
    np.testing.assert_allclose(stages[-1], fitted.decision_function(X), rtol=1e-9, atol=1e-9)
    if reduce == "none" or hypothesis == "normalized":
        np.testing.assert_allclose(
            [np.mean(stage != y) for stage in labels], fitted.train_errors_, atol=1e-12
        )


@SIGMA
def test_one_round_is_the_weak_machine(sigma: float) -> None:
    X, y = crossed_rows(noise=0.4)
    settings = {**SETTINGS, "kernel": "precomputed"}
    K = gram(X, kernel="rbf", gamma=1.0)
    fitted = BoostedSVM(n_estimators=1, sigma=sigma, **settings).fit(K, y)
    single = WeightedNuSVC(sigma=sigma, **settings).fit(K, y)
    f = single.decision_function(K)
    np.testing.assert_allclose(
        fitted.decision_function(K), fitted.alphas_[0] * f / np.abs(f).max(), atol=1e-9
    )
    np.testing.assert_array_equal(fitted.rounds_[0].rejected, single.rejected_)


@pytest.mark.parametrize("mu", [0.0, 0.3, 0.6])
def test_the_order_of_the_kernel_values_is_not_seen(mu: float) -> None:
    X, y = crossed_rows(noise=0.4)
    settings = {**SETTINGS, "mu": mu, "n_estimators": 3}
    fitted = BoostedSVM(**settings).fit(X, y)
    K = gram(X, kernel="rbf", gamma=1.0)
    given = BoostedSVM(**{**settings, "kernel": "precomputed"}).fit(K, y)
    first, same = fitted.rounds_[0], given.rounds_[0]
    np.testing.assert_array_equal(first.rejected, same.rejected)
    assert not first.machine.weights[first.rejected].any()
    # Both objectives lie above the optimum by their gap at most.
    apart = abs(first.machine.objective - same.machine.objective)
    assert apart <= max(first.machine.certificate, same.machine.certificate) * (1.0 + 1e-9)
    values = K @ fitted.member_coefs_.T + fitted.member_intercepts_
    np.testing.assert_allclose(np.abs(values).max(axis=0), 1.0, rtol=1e-9)
    wrong = (values @ fitted.alphas_ > 0.0) != (y > 0)
    assert np.mean(wrong) == pytest.approx(fitted.train_errors_[-1])


def test_what_the_rounds_leave_behind() -> None:
    X, y = crossed_rows(noise=0.4)
    fitted = BoostedSVM(**SETTINGS).fit(X, y)
    T = fitted.n_estimators_
    for name in (
        "alphas_",
        "errors_",
        "normalizers_",
        "train_errors_",
        "solve_seconds_",
        "elapsed_seconds_",
        "n_supports_",
        "n_kept_",
        "n_updates_",
    ):
        assert getattr(fitted, name).shape == (T,)
    assert np.all(np.diff(fitted.n_updates_, prepend=0) <= fitted.n_iter_ * fitted.n_kept_)
    assert fitted.n_updates_[-1] >= fitted.n_iter_ * fitted.n_kept_.min()
    assert np.all(fitted.train_errors_ <= np.cumprod(fitted.normalizers_) * (1.0 + 1e-9))
    assert np.all(fitted.errors_ <= 0.5)  # nu + mu
    assert np.all(np.diff(fitted.n_supports_) >= 0)
    assert fitted.n_kept_[0] == 84
    assert np.all(np.diff(fitted.solve_seconds_, prepend=0.0) > 0.0)
    assert fitted.certificate_ == max(weak.machine.certificate for weak in fitted.rounds_)
    assert fitted.converged_
    assert len(fitted.rounds_) == T


@SIGMA
def test_errors_keep_the_bound_and_seconds_add_up(sigma: float) -> None:
    fitted = BoostedSVM(sigma=sigma, **SETTINGS).fit(*crossed_rows(noise=0.4))
    assert all(made.machine.rho > 0.0 for made in fitted.rounds_)
    assert fitted.bound_excess_ == pytest.approx((fitted.errors_ - 0.5 - sigma).max())
    assert fitted.bound_excess_ <= 1e-12
    of_the_gram_matrix = fitted.elapsed_seconds_ - fitted.solve_seconds_
    np.testing.assert_allclose(of_the_gram_matrix, of_the_gram_matrix[0])
    assert of_the_gram_matrix[0] > 0.0


@pytest.mark.parametrize("reduce_tol", [1e-2, 1e-4, 1e-6])
def test_dependent_support_vectors_go_within_the_tolerance(reduce_tol: float) -> None:
    rng = np.random.default_rng(0)
    y = rng.choice([-1, 1], size=300)
    X = rng.uniform(size=(300, 2)) + np.outer(y > 0, [0.8, 0.0])
    settings = {**SETTINGS, "nu": 0.3}
    whole, less = (
        BoostedSVM(reduce=reduce, reduce_tol=reduce_tol, **settings).fit(X, y)
        for reduce in ("none", "independent")
    )
    assert less.n_support_ == less.support_.size < whole.n_support_
    assert less.n_supports_[-1] == whole.n_support_
    largest = np.abs(whole.decision_function(X)).max()
    for inputs in (X, rng.uniform(-1.0, 3.0, size=(500, 2))):
        difference = np.abs(less.decision_function(inputs) - whole.decision_function(inputs)).max()
        assert difference <= (less.reduction_error_ + 1e-9) * largest
    assert less.reduction_error_ <= reduce_tol
    assert whole.reduction_error_ == 0.0


def test_machines_cut_short_are_counted_in_a_warning() -> None:
    with pytest.warns(
        ConvergenceWarning, match=r"\d+ of \d+ machines stopped before their gap closed"
    ):
        fitted = BoostedSVM(max_iter=3, **SETTINGS).fit(*crossed_rows(noise=0.4))
    assert not fitted.converged_


def test_a_first_machine_that_is_worth_nothing_warns() -> None:
    X = np.repeat([[0.0], [1.0]], 10, axis=0)
    y = np.tile([0, 1], 10)  # labels that the inputs say nothing about
    with pytest.warns(ConvergenceWarning, match="the first machine is worth nothing"):
        fitted = BoostedSVM(kernel="linear", nu=0.5, mu=0.0).fit(X, y)
    assert (fitted.n_estimators_, fitted.stop_reason_) == (1, "vanishing_margin")
    assert fitted.bound_excess_ == -1.0  # the lemma promises nothing here


@pytest.mark.parametrize("make", [WeightedNuSVC, BoostedSVM])
@pytest.mark.parametrize("factor", [0.99, 1.01])
def test_a_nu_that_is_lowered_is_told(make: Any, factor: float) -> None:
    X, y = crossed_rows(noise=0.4)
    y = np.where(np.arange(y.size) % 5 == 0, 1, -1)
    nu = factor * 2.0 * np.mean(y > 0)  # NuSVC refuses more than twice the smaller class's share
    told = pytest.warns(UserWarning, match=f"{make.__name__}: nu = .* is not feasible")
    with told if factor > 1.0 else nullcontext():
        make(gamma=1.0, nu=nu, mu=0.0).fit(X, y)
    with pytest.raises(ValueError, match="infeasible") if factor > 1.0 else nullcontext():
        NuSVC(gamma=1.0, nu=nu).fit(X, y)


def test_rejecting_a_whole_class_at_once_is_refused() -> None:
    X, y = crossed_rows(noise=0.4)
    y[:] = -1
    y[0] = 1
    with pytest.raises(ValueError, match="rejects all examples of a class in the first round"):
        BoostedSVM(nu=0.01, mu=0.99, random_state=1).fit(X, y)


def test_alpha_and_rejection_are_those_asked_for() -> None:
    X, y = crossed_rows(noise=0.4)
    fitted = BoostedSVM(alpha="closed-form", reject_by="count", **SETTINGS).fit(X, y)
    assert (fitted.n_kept_ == y.size - int(0.3 * y.size)).all()
    first = next(fitted.staged_decision_function(X)) / fitted.alphas_[0]
    assert fitted.alphas_[0] == pytest.approx(np.arctanh(np.mean(y * first)), rel=1e-9)
