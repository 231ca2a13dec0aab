"""The classifier that tunes itself: its machine, its choice, probabilities, weights, corners."""

import warnings

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.datasets import load_breast_cancer, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from ensvm import TunedSVC
from ensvm.classifiers import tuned_svc
from ensvm.kernels import gram


@pytest.fixture(scope="module")
def moons():
    return make_moons(120, noise=0.25, random_state=0)


@pytest.fixture
def many(monkeypatch):
    """Let 100 distinct rows be too many for a whole Gram matrix."""
    monkeypatch.setattr(tuned_svc, "MANY_ROWS", 100)


def as_svc(machine, X, y, **parameters):
    """Return LIBSVM's machine with the C and gamma chosen, and the rows it takes."""
    scaled = X / machine.scale_
    svc = SVC(C=machine.C_, gamma=machine.gamma_, tol=1e-6, decision_function_shape="ovo")
    return svc.set_params(**parameters).fit(scaled, y), scaled


def test_the_machine_is_the_svc_of_the_C_and_gamma_chosen(moons):
    X, y = moons
    ours = TunedSVC(tol=1e-6).fit(X, y)
    theirs, scaled = as_svc(ours, X, y)
    slope, offset = ours.sigmoids_[0]
    values = (ours.decision_function(X) - offset) / slope  # positive for the first class
    np.testing.assert_allclose(-values, theirs.decision_function(scaled), atol=1e-4)
    assert ours.certificate_ <= 1e-6
    assert ours.converged_


def test_pairs_of_many_classes_are_those_of_svc(iris):
    X, y = iris
    ours = TunedSVC(tol=1e-6).fit(X, y)
    theirs, scaled = as_svc(ours, X, y)
    np.testing.assert_allclose(ours._pair_values(X).T, theirs.decision_function(scaled), atol=1e-3)
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    assert ours.score(X, y) >= theirs.score(scaled, y) - 0.02


@pytest.mark.parametrize("name", ["moons", "iris"])
def test_the_leave_one_out_score_is_near_that_of_refits(name, request):
    X, y = request.getfixturevalue(name)
    machine = TunedSVC().fit(X, y)
    svc = SVC(C=machine.C_, gamma=machine.gamma_)
    labels = cross_val_predict(svc, X / machine.scale_, y, cv=LeaveOneOut())
    assert machine.loo_score_ == pytest.approx(np.mean(labels == y), abs=0.03)


def test_the_table_holds_the_grid_and_the_choice(moons):
    machine = TunedSVC().fit(*moons)
    table = machine.search_results_
    assert {len(column) for column in table.values()} == {28}
    best = np.flatnonzero(table["rank"] == 1)[0]
    assert (table["param_C"][best], table["param_gamma"][best]) == (machine.C_, machine.gamma_)
    assert table["criterion"][best] == table["criterion"].min()
    assert table["loo_score"][best] == machine.loo_score_
    np.testing.assert_allclose(table["criterion"], 1.0 - table["loo_score"] + table["loo_loss"])


def test_probabilities_are_calibrated():
    X, y = load_breast_cancer(return_X_y=True)
    machine = TunedSVC().fit(X[::2], y[::2])
    assert log_loss(y[1::2], machine.predict_proba(X[1::2])) < 0.13
    assert machine.score(X[1::2], y[1::2]) > 0.95


def test_inputs_are_scaled_so_that_a_scaler_before_changes_nothing(moons):
    X, y = moons
    X = X * [1.0, 1e4] + [0.0, 1e5]
    alone, behind = TunedSVC().fit(X, y), make_pipeline(StandardScaler(), TunedSVC()).fit(X, y)
    np.testing.assert_allclose(alone.predict_proba(X), behind.predict_proba(X), atol=1e-2)
    assert TunedSVC(scale=False).fit(X, y).scale_ is None


def test_a_class_weight_is_the_price_of_an_error():
    X, y = make_moons((150, 40), noise=0.4, random_state=0)
    plain, even = TunedSVC().fit(X, y), TunedSVC(class_weight="balanced", tol=1e-6).fit(X, y)
    assert even.predict(X).sum() > plain.predict(X).sum()
    theirs, scaled = as_svc(even, X, y, class_weight="balanced")
    np.testing.assert_allclose(
        -even._pair_values(X)[0], theirs.decision_function(scaled), atol=1e-4
    )


def test_a_gram_matrix_chooses_C(moons):
    X, y = moons
    K = gram(X, kernel="rbf", gamma=2.0)
    machine = TunedSVC("precomputed").fit(K, y)
    assert machine.gamma_ is machine.scale_ is machine.support_vectors_ is None
    assert machine.score(K, y) > 0.9
    scaled = TunedSVC("precomputed").fit(1e-6 * K, y)
    np.testing.assert_allclose(
        scaled.decision_function(1e-6 * K), machine.decision_function(K), rtol=1e-6
    )
    with pytest.raises(ValueError, match="must be square"):
        TunedSVC("precomputed").fit(X, y)
    with pytest.raises(ValueError, match="not positive semidefinite"):
        TunedSVC("precomputed").fit(-K, y)


def test_many_rows_are_searched_by_a_sample(moons):
    X, y = moons
    machine = TunedSVC(search_rows=60).fit(X, y)
    assert machine.score(X, y) > 0.9
    theirs, scaled = as_svc(machine, X, y)  # trained on all rows
    assert np.mean(machine.predict(X) == theirs.predict(scaled)) > 0.95


def test_bad_input_is_refused(moons):
    X, y = moons
    with pytest.raises(ValueError, match="needs two classes"):
        TunedSVC().fit(X, np.zeros(y.size))
    with pytest.raises(
        ValueError, match="positive sample_weight in every class, but class 0 has none"
    ):
        TunedSVC().fit(X, y, sample_weight=y)
    with pytest.warns(ConvergenceWarning, match="max_iter = 3"):
        TunedSVC(max_iter=3).fit(X, y)


@pytest.mark.parametrize("name", ["moons", "iris"])
def test_probabilities_decisions_and_classes_agree(name, request):
    X, y = request.getfixturevalue(name)
    machine = TunedSVC().fit(X, y)
    probabilities, predicted = machine.predict_proba(X), machine.predict(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    np.testing.assert_array_equal(machine.classes_[probabilities.argmax(axis=1)], predicted)
    expected = np.log(probabilities)
    if machine.classes_.size == 2:
        expected = expected[:, 1] - expected[:, 0]
    np.testing.assert_allclose(machine.decision_function(X), expected, rtol=1e-6, atol=1e-9)
    assert log_loss(y, probabilities) < 0.6 * np.log(machine.classes_.size)
    assert machine.loo_score_ == pytest.approx(np.mean(predicted == y), abs=0.06)


def test_the_order_of_the_rows_does_not_matter(moons):
    X, y = moons
    order = np.random.default_rng(0).permutation(y.size)
    one, other = TunedSVC().fit(X, y), TunedSVC().fit(X[order], y[order])
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))
    np.testing.assert_array_equal(one.loo_decision_function_[order], other.loo_decision_function_)
    np.testing.assert_array_equal(X[one.support_], X[order][other.support_])


def test_a_row_is_left_out_with_all_of_its_weight(moons):
    X, y = moons
    weight = (np.arange(y.size) % 4).astype(float)
    weighted = TunedSVC(tol=1e-6).fit(X, y, weight)
    used = weight > 0.0
    assert np.isnan(weighted.loo_decision_function_[~used]).all()
    right = (weighted.loo_decision_function_ > 0.0) == y
    assert weighted.loo_score_ == pytest.approx(np.average(right[used], weights=weight[used]))
    svc, relative = SVC(C=weighted.C_, gamma=weighted.gamma_), weight / weight[used].mean()
    folds = LeaveOneOut().split(X[used])
    labels = [
        svc.fit(X[used][a] / weighted.scale_, y[used][a], sample_weight=relative[used][a]).predict(
            X[used][b] / weighted.scale_
        )[0]
        for a, b in folds
    ]
    score = np.average(labels == y[used], weights=weight[used])
    assert weighted.loo_score_ == pytest.approx(score, abs=0.03)


def test_of_identical_rows_one_is_left_out():
    """Labels of equal rows disagree: to leave out all copies of one label is always an error."""
    X, y = np.zeros((60, 1)), np.arange(60) % 3 == 0
    machine = TunedSVC().fit(X, y)
    assert machine.loo_score_ == pytest.approx(2.0 / 3.0)


@pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
def test_the_result_does_not_depend_on_the_number_of_jobs(kernel, iris):
    X, y = iris
    X = gram(X, kernel="rbf", gamma=0.3) if kernel == "precomputed" else X
    alone = TunedSVC(kernel).fit(X, y)
    with parallel_config("threading"):
        shared = TunedSVC(kernel, n_jobs=2).fit(X, y)
    for name, column in alone.search_results_.items():
        np.testing.assert_array_equal(column, shared.search_results_[name])
    np.testing.assert_array_equal(alone.decision_function(X), shared.decision_function(X))


LINE, PLANE = np.arange(90.0)[:, None], np.indices((8, 8)).reshape(2, -1).T
CORNERS = {
    "all rows equal": (np.ones((20, 2)), np.arange(20) % 2),
    "all rows equal, unbalanced": (np.ones((20, 2)), np.arange(20) % 3 == 0),
    "all rows of a class equal": (np.r_[np.zeros((50, 1)), LINE], np.arange(140) < 50),
    "two rows": (LINE[:2], np.array(["a", "b"])),
    "every row twice": (LINE // 2, np.arange(90) > 45),
    "opposite labels on equal rows": (LINE // 2, np.arange(90) % 2),
    "a constant column": (np.column_stack([LINE, np.full(90, 1e6)]), np.arange(90) > 14),
    "thirty classes": (LINE // 3 + 0.01 * (LINE % 3), np.arange(90) // 3),
    "one row of a class": (LINE, np.arange(90) == 89),
    "integers that depend on each other": (PLANE, np.arange(64) % 7 < 3),
}


@pytest.mark.parametrize("name", CORNERS)
def test_corners_give_finite_values_without_a_warning(name):
    X, y = CORNERS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        machine = TunedSVC().fit(X, y)
        assert np.isfinite(machine.predict_proba(X)).all()
    assert np.isfinite(machine.loo_decision_function_).all()
    assert np.isfinite(machine.search_results_["criterion"]).all()
    if "equal" not in name and "integers" not in name:
        assert machine.score(X, y) > 0.9


@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("name", ["moons", "iris"])
def test_the_machine_of_many_rows_is_that_of_svc(many, name, class_weight, request):
    X, y = request.getfixturevalue(name)
    machine = TunedSVC(search_rows=60, class_weight=class_weight, tol=1e-6).fit(X, y)
    theirs, scaled = as_svc(machine, X, y, class_weight=class_weight)
    sign = -1.0 if name == "moons" else 1.0
    values = sign * machine._pair_values(X)
    np.testing.assert_allclose(values.T.squeeze(), theirs.decision_function(scaled), atol=1e-4)
    assert machine.converged_
    assert machine.score(X, y) > 0.8
    assert log_loss(y, machine.predict_proba(X)) < 0.4
    known = np.isfinite(machine.loo_decision_function_.reshape(y.size, -1)).all(axis=1)
    assert 55 <= known.sum() <= 65
    assert machine.loo_score_ in machine.search_results_["loo_score"]


def test_many_rows_that_take_long_are_warned_of(many, moons, monkeypatch):
    monkeypatch.setattr(tuned_svc, "SLOW", 0.0)
    X, y = moons
    with pytest.warns(UserWarning, match=r"SVC on 120 distinct rows: .* minutes\. .*Ridge"):
        TunedSVC(search_rows=60).fit(X, y)
    with pytest.warns(UserWarning, match="120 rows takes .* sample of the rows, .*kernel='rbf'"):
        TunedSVC("precomputed").fit(gram(X, kernel="rbf", gamma=1.0), y)


@pytest.mark.filterwarnings("ignore:Solver terminated early")
def test_many_rows_that_do_not_converge_are_warned_of(many, moons):
    with pytest.warns(ConvergenceWarning, match="max_iter = 3 steps of a machine"):
        machine = TunedSVC(search_rows=60, max_iter=3).fit(*moons)
    assert not machine.converged_


def test_copies_are_not_many_rows(many, moons):
    X, y = moons
    few = TunedSVC(search_rows=60).fit(X[:100].repeat(3, 0), y[:100].repeat(3))
    assert np.isfinite(few.loo_decision_function_).all()
