"""TunedSVC with more rows than support vector machines are trained on: ridge, low rank."""

import pickle
import warnings

import numpy as np
import pytest
from joblib import parallel_config
from scipy import sparse
from sklearn.datasets import make_moons
from sklearn.metrics import log_loss
from sklearn.utils.estimator_checks import check_estimator

from ensvm import TunedSVC
from ensvm.classifiers import tuned_svc
from ensvm.kernels import gram


@pytest.fixture(autouse=True)
def limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuned_svc, "MANY_ROWS", 100)


@pytest.fixture(scope="module")
def moons():
    return make_moons(300, noise=0.3, random_state=0)


def test_the_distinct_rows_decide_what_is_trained(moons):
    X, y = moons
    few = TunedSVC().fit(X[:100].repeat(3, 0), y[:100].repeat(3))
    assert (few.engine_, few.alpha_) == ("svm", None)
    assert few.C_ in few.search_results_["param_C"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        many = TunedSVC().fit(X[:101], y[:101])
    assert (many.engine_, many.C_) == ("ridge", None)
    assert many.converged_
    assert many.score(X[101:], y[101:]) > 0.85


def test_the_table_holds_the_grid_and_the_choice_of_gamma(moons):
    machine = TunedSVC().fit(*moons)
    table = machine.search_results_
    assert np.unique(table["param_gamma"]).size == 4
    best = int(np.argmin(table["criterion"]))
    assert table["rank"][best] == 1
    assert machine.gamma_ == table["param_gamma"][best]
    assert machine.alpha_ > 0.0


@pytest.mark.parametrize("name", ["moons", "iris"])
def test_probabilities_decisions_and_classes_agree(name, request):
    X, y = request.getfixturevalue(name)
    machine = TunedSVC().fit(X, y)
    probabilities = machine.predict_proba(X)
    assert machine.engine_ == "ridge"
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    predicted = machine.predict(X)
    np.testing.assert_array_equal(machine.classes_[probabilities.argmax(axis=1)], predicted)
    n_classes = machine.classes_.size
    shape = (len(y),) if n_classes == 2 else (len(y), n_classes)
    assert machine.decision_function(X).shape == shape
    assert log_loss(y, probabilities) < 0.6 * np.log(n_classes)
    assert machine.loo_score_ == pytest.approx(np.mean(predicted == y), abs=0.06)


def test_the_leave_one_out_score_is_that_of_the_leave_one_out_values(moons):
    X, y = moons
    machine = TunedSVC().fit(X, y)
    assert machine.loo_score_ == np.mean((machine.loo_decision_function_ > 0.0) == y)


def test_a_weight_counts_rows_and_identical_rows_are_one(moons):
    X, y = moons
    counts = np.arange(y.size) % 4
    weighted = TunedSVC().fit(X, y, counts)
    repeated = TunedSVC().fit(X.repeat(counts, 0), y.repeat(counts))
    assert weighted.engine_ == "ridge"
    np.testing.assert_array_equal(weighted.decision_function(X), repeated.decision_function(X))
    assert weighted.loo_score_ == repeated.loo_score_
    assert np.isnan(weighted.loo_decision_function_[counts == 0]).all()


def test_the_order_of_the_rows_does_not_matter(iris):
    X, y = iris
    order = np.random.default_rng(0).permutation(y.size)
    one, other = TunedSVC().fit(X, y), TunedSVC().fit(X[order], y[order])
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))
    np.testing.assert_array_equal(one.loo_decision_function_[order], other.loo_decision_function_)


def test_a_class_weight_is_the_price_of_an_error():
    X, y = make_moons((150, 40), noise=0.4, random_state=0)
    plain, even = TunedSVC().fit(X, y), TunedSVC(class_weight="balanced").fit(X, y)
    assert even.predict(X).sum() > plain.predict(X).sum()
    twice = TunedSVC(class_weight={0: 2.0, 1: 2.0}).fit(X, y)
    np.testing.assert_allclose(twice.loo_score_, plain.loo_score_, atol=0.02)


def test_the_pivots_are_drawn_by_the_random_state(monkeypatch):
    monkeypatch.setattr("ensvm.solvers.low_rank_search.LARGEST_RANK", 20)
    X, y = make_moons(300, noise=0.3, random_state=0)
    one, same, other = (TunedSVC(random_state=seed).fit(X, y) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one.support_, same.support_)
    assert one.support_.size == 20
    assert not np.array_equal(one.support_, other.support_)


def test_the_result_does_not_depend_on_the_number_of_jobs(iris):
    X, y = iris
    alone = TunedSVC().fit(X, y)
    with parallel_config("threading"):
        shared = TunedSVC(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(alone.decision_function(X), shared.decision_function(X))


def test_a_pickle_holds_pivots_only(moons):
    X, y = moons
    machine = TunedSVC().fit(X, y)
    kept = pickle.loads(pickle.dumps(machine))
    np.testing.assert_array_equal(kept.predict_proba(X), machine.predict_proba(X))
    assert not hasattr(kept, "loo_decision_function_")
    assert len(pickle.dumps(machine)) < 40 * machine.support_.size + 8_000


def test_inputs_far_from_the_origin_and_sparse_rows_are_the_same(moons):
    X, y = moons
    plain = TunedSVC().fit(X, y)
    moved = TunedSVC().fit(1e3 * X + 1e6, y)
    np.testing.assert_allclose(
        moved.predict_proba(1e3 * X + 1e6), plain.predict_proba(X), atol=0.02
    )
    thin = TunedSVC().fit(sparse.csr_array(X), y)
    np.testing.assert_array_equal(thin.predict_proba(X), plain.predict_proba(X))


def test_a_gram_matrix_warns_and_trains_support_vector_machines(moons):
    X, y = moons
    K = gram(X, kernel="rbf", gamma=1.0)
    with pytest.warns(UserWarning, match="300 rows takes .* sample of the rows, .*kernel='rbf'"):
        machine = TunedSVC("precomputed").fit(K, y)
    assert machine.engine_ == "svm"


CORNERS = {
    "all rows of a class equal": (np.r_[np.zeros((50, 1)), np.arange(110.0)[:, None]], 50),
    "one row of a class": (np.arange(110.0)[:, None], 1),
    "a constant column": (np.column_stack([np.arange(110.0), np.full(110, 1e6)]), 40),
    "opposite labels on equal rows": (np.tile(np.arange(60.0), 2)[:, None], 60),
}


@pytest.mark.parametrize("name", CORNERS)
def test_corners_give_finite_values_without_a_warning(name):
    X, first = CORNERS[name]
    y = np.arange(len(X)) < first
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        machine = TunedSVC().fit(X, y)
        assert np.isfinite(machine.predict_proba(X)).all()
    assert machine.engine_ == "ridge"
    assert np.isfinite(machine.loo_decision_function_).all()
    assert np.isfinite(machine.search_results_["criterion"]).all()


def test_scikit_learns_checks_hold(monkeypatch):
    monkeypatch.setattr(tuned_svc, "MANY_ROWS", 4)
    check_estimator(TunedSVC(), on_skip=None)
