"""The classifier on the path: the machine of its C, the stages, the choice of C."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from ensvm.classifiers.svm_path import SVMPathClassifier
from ensvm.kernels import gram
from ensvm.solvers.regularization_path import path as solver
from ensvm.solvers.regularization_path.leave_one_out import leave_one_out_values


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    y = np.where(np.arange(60) < 25, "no", "yes")
    X = rng.normal(size=(60, 3)) + 0.6 * (y == "yes")[:, None]
    return X, y, rng.normal(size=(20, 3)) + 0.3


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("C", [0.05, 1.0, 30.0])
def test_with_a_given_C_it_is_the_svc_of_that_C(data, kernel, C):
    X, y, others = data
    settings = {"kernel": kernel, "gamma": 0.3, "degree": 2, "coef0": 1.0}
    ours = SVMPathClassifier(select=C, **settings).fit(X, y)
    theirs = SVC(C=C, tol=1e-8, **settings).fit(X, y)
    assert ours.C_ == C
    assert ours.certificate_ <= 1e-7
    np.testing.assert_allclose(
        ours.decision_function(others), theirs.decision_function(others), rtol=1e-4, atol=1e-4
    )
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    assert np.max(np.abs(ours.dual_coef_)) <= C


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_stages_are_the_machines_of_the_breakpoints(data, fit_intercept):
    X, y, others = data
    path = SVMPathClassifier(select="bound", fit_intercept=fit_intercept).fit(X, y)
    values, labels = list(path.staged_decision_function(others)), list(path.staged_predict(others))
    assert len(values) == len(labels) == path.path_.lambdas.size == path.loo_bound_.size
    for at in range(1, len(values), 11):
        single = SVMPathClassifier(
            select=1.0 / path.path_.lambdas[at], fit_intercept=fit_intercept
        ).fit(X, y)
        np.testing.assert_allclose(
            values[at], single.decision_function(others), rtol=1e-9, atol=1e-9
        )
        np.testing.assert_array_equal(labels[at], single.classes_[(values[at] > 0).astype(int)])
    if not fit_intercept:
        assert path.intercept_ == 0.0


def test_the_chosen_C_has_the_least_bound(data):
    X, y, _ = data
    chosen = SVMPathClassifier(select="bound").fit(X, y)
    assert chosen.best_loo_bound_ <= chosen.loo_bound_.min()
    assert 1.0 / chosen.path_.lambdas[0] <= chosen.C_ <= 1e4
    K, signs = gram(X, kernel="rbf", gamma=chosen.gamma_), np.where(y == "yes", 1.0, -1.0)
    alpha = np.zeros(y.size)
    alpha[chosen.support_] = np.abs(chosen.dual_coef_)
    exceeding = alpha * K.diagonal() - signs * chosen.decision_function(X)
    # At the chosen C some of them are just 0.
    assert (
        np.count_nonzero(exceeding > 1e-9)
        <= chosen.best_loo_bound_ * y.size
        <= np.count_nonzero(exceeding > -1e-9)
    )


def test_span_takes_the_C_of_least_leave_one_out_error_and_then_loss(data):
    X, y, _ = data
    machine = SVMPathClassifier(gamma=0.3, C_max=100.0).fit(X, y)
    K, signs = gram(X, kernel="rbf", gamma=0.3), np.where(y == "yes", 1.0, -1.0)
    np.testing.assert_allclose(
        machine.loo_decision_function_,
        leave_one_out_values(machine.path_, K, machine.C_),
    )
    assert machine.loo_score_ == 1.0 - np.mean(signs * machine.loo_decision_function_ <= 0.0)
    for C in (1.0 / machine.path_.lambdas[0], 100.0):  # the ends of the grid
        margins = signs * leave_one_out_values(machine.path_, K, C)
        assert np.mean(margins <= 0.0) >= 1.0 - machine.loo_score_
    assert machine.loo_bound_ is None


def test_a_path_that_ends_early_warns(data, monkeypatch):
    X, y, _ = data
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        whole = SVMPathClassifier().fit(X, y)
    monkeypatch.setattr(solver, "EVENTS_PER_POINT", whole.n_iter_ / 2 / y.size)
    with pytest.warns(ConvergenceWarning, match="before C_max"):
        cut = SVMPathClassifier().fit(X, y)
    assert whole.converged_
    assert not cut.converged_


@pytest.mark.parametrize("select", ["bound", "end", 2.0])
def test_a_machine_may_decide_without_the_intercept_it_was_trained_with(data, select):
    X, y, others = data
    usual = SVMPathClassifier(select=select).fit(X, y)
    without = SVMPathClassifier(select=select, decide_with_intercept=False).fit(X, y)
    assert without.C_ == usual.C_
    assert usual.intercept_ != 0.0 == without.intercept_
    np.testing.assert_allclose(
        without.decision_function(others), usual.decision_function(others) - usual.intercept_
    )
    path = usual.path_
    pairs = zip(
        usual.staged_decision_function(others),
        without.staged_decision_function(others),
        strict=True,
    )
    for at, (one, other) in enumerate(pairs):
        np.testing.assert_allclose(one - other, path.scaled_intercepts[at] / path.lambdas[at])


@pytest.mark.parametrize(
    "setting",
    [
        {"C_min": 0.1},
        {"C_min": 1e5, "select": "bound"},
        {"decide_with_intercept": False},
        {"decide_with_intercept": False, "select": "end", "fit_intercept": False},
        {"decide_with_intercept": False, "select": "end", "tol": 0.1},
    ],
)
def test_a_parameter_without_effect_is_refused(data, setting):
    X, y, _ = data
    with pytest.raises(ValueError, match=next(iter(setting))):
        SVMPathClassifier(**setting).fit(X, y)


@pytest.mark.parametrize("select", ["span", "bound", "end"])
def test_a_path_of_few_events_is_the_beginning_of_the_whole_one(data, select):
    X, y, others = data
    short, whole = (
        SVMPathClassifier(select=select, gamma=0.3, max_events=events).fit(X, y)
        for events in (12, None)
    )
    np.testing.assert_array_equal(short.path_.lambdas[:13], whole.path_.lambdas[:13])
    assert short.path_.n_events == 12
    assert (short.stop_reason_, short.converged_) == ("max_events", True)
    last = 1.0 / whole.path_.lambdas[12]
    assert last * (1.0 + 1e-12) >= short.C_
    if select == "end":
        assert pytest.approx(last, rel=1e-12) == short.C_
    np.testing.assert_allclose(
        short.decision_function(others),
        SVMPathClassifier(select=short.C_, gamma=0.3).fit(X, y).decision_function(others),
        rtol=1e-7,
        atol=1e-9,
    )


def test_an_approximate_path_serves_the_same_uses(data):
    X, y, others = data
    rough = SVMPathClassifier(gamma=0.3, tol=0.05).fit(X, y)
    assert rough.certificate_ <= 0.05 * (1.0 + 1e-9)
    assert rough.path_.lambdas.size < SVMPathClassifier(gamma=0.3).fit(X, y).path_.lambdas.size
    assert rough.stop_reason_ == "C_max"
    assert rough.n_iter_ > 0
    assert rough.C_ in rough.path_.Cs
    signs = np.where(y == "yes", 1.0, -1.0)
    assert rough.loo_score_ == 1.0 - np.mean(signs * rough.loo_decision_function_ <= 0.0)
    values = list(rough.staged_decision_function(others))
    at = list(rough.path_.Cs).index(rough.C_)
    np.testing.assert_allclose(values[at], rough.decision_function(others), atol=1e-9)


@pytest.mark.parametrize(
    "setting", [{"select": "bound"}, {"fit_intercept": False}, {"max_events": 5}]
)
def test_what_needs_the_exact_path_says_so(data, setting):
    X, y, _ = data
    with pytest.raises(ValueError, match=r"need the exact path, tol=0"):
        SVMPathClassifier(tol=0.1, **setting).fit(X, y)
