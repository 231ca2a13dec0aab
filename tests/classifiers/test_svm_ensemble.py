"""The ensemble of machines of several kernels: its machines, weights, laws, many rows."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel
from sklearn.model_selection import cross_val_predict
from sklearn.svm import SVC

from ensvm import SVMEnsembleClassifier, TunedSVC
from ensvm.classifiers import svm_ensemble
from ensvm.classifiers.table_classifier import PRICES
from ensvm.kernels.named_kernels import TRIED_WIDTHS

KERNELS = {"rbf": rbf_kernel, "laplacian": laplacian_kernel}


@pytest.fixture(scope="module")
def problem():
    """Rows of three classes, in an order of their own."""
    return make_classification(
        100, 5, n_informative=3, n_classes=3, n_clusters_per_class=1, flip_y=0.1, random_state=0
    )


@pytest.fixture(scope="module")
def fitted(problem):
    return SVMEnsembleClassifier().fit(*problem)


def new_rows(X):
    return X + np.random.default_rng(1).normal(0.0, 0.2, X.shape)


def view_of(member, fitted, X):
    return fitted._view(member.view, X) * member.column_weights


def test_members_are_the_machines_of_libsvm(problem, fitted):
    X, y = problem
    ensemble = SVMEnsembleClassifier(tol=1e-6).fit(X, y)
    for member in ensemble.members_:
        rows = view_of(member, ensemble, X)
        K = KERNELS[member.kernel](rows, gamma=member.gamma)
        svc = SVC(C=member.C, kernel="precomputed", tol=1e-6, decision_function_shape="ovo")
        ours = K[:, member.support] @ member.dual_coef + member.intercept
        np.testing.assert_allclose(ours, svc.fit(K, y).decision_function(K), atol=2e-3)
    assert len({(member.kernel, member.view) for member in ensemble.members_}) > 1
    assert ensemble.certificate_ <= 1e-6


def test_every_machine_is_weighed_by_its_loss(problem, fitted):
    X, _ = problem
    results = fitted.search_results_
    assert results["loo_loss"].size == 6 * len(TRIED_WIDTHS) * len(PRICES)
    excess = results["loo_loss"] - results["loo_loss"].min()
    expected = np.exp(-len(X) / 2.0 * excess)
    np.testing.assert_allclose(results["weight"], expected / expected.sum(), atol=1e-12)
    weights = np.array([member.weight for member in fitted.members_])
    heaviest = np.sort(results["weight"])[::-1][: weights.size]
    np.testing.assert_allclose(weights, heaviest / heaviest.sum())
    assert weights.size == fitted.n_members


def test_probabilities_are_the_weighted_mean_of_those_of_the_members(problem, fitted):
    X, _ = problem
    total = 0.0
    for member in fitted.members_:
        alone = SVMEnsembleClassifier()
        vars(alone).update(vars(fitted) | {"members_": [member]})
        total = total + member.weight * alone.predict_proba(X)
    np.testing.assert_allclose(fitted.predict_proba(X), total, atol=1e-12)
    np.testing.assert_array_equal(fitted.predict(X), total.argmax(axis=1))


def test_left_out_probabilities_are_about_those_of_folds(problem, fitted):
    X, y = problem
    P = fitted.loo_probabilities_
    np.testing.assert_allclose(P.sum(axis=1), 1.0)
    assert fitted.loo_score_ == pytest.approx(np.mean(P.argmax(axis=1) == y))
    assert fitted.loo_loss_ == pytest.approx(log_loss(y, P))
    folds = cross_val_predict(SVMEnsembleClassifier(), X, y, cv=5, method="predict_proba")
    assert fitted.loo_loss_ == pytest.approx(log_loss(y, folds), abs=0.1)


def test_the_order_of_rows_does_not_matter(problem, fitted):
    X, y = problem
    order = np.random.default_rng(0).permutation(len(y))
    other = SVMEnsembleClassifier().fit(X[order], y[order])
    np.testing.assert_array_equal(other.predict_proba(X), fitted.predict_proba(X))
    np.testing.assert_array_equal(other.loo_probabilities_, fitted.loo_probabilities_[order])
    for ours, theirs in zip(fitted.members_, other.members_, strict=True):
        np.testing.assert_array_equal(order[theirs.support], ours.support)


def test_the_order_scale_and_centre_of_columns_do_not_matter(problem):
    X, y = problem
    order, tight = np.array([3, 0, 4, 1, 2]), SVMEnsembleClassifier(tol=1e-6)
    first = tight.fit(X, y).predict_proba(new_rows(X))
    importances = tight.feature_importances_[order]
    other = tight.fit(5.0 * X[:, order] - 3.0, y)
    second = other.predict_proba(5.0 * new_rows(X)[:, order] - 3.0)
    # Rounding decides which rows lie at the border of a machine, so leave-one-out values jump.
    np.testing.assert_allclose(second, first, atol=0.03)
    np.testing.assert_allclose(other.feature_importances_, importances, atol=0.02)


def test_an_increasing_transformation_changes_all_but_the_ranks(problem, fitted):
    X, y = problem
    bent = X.copy()
    bent[:, 1] = np.exp(2.0 * X[:, 1])
    results, others = fitted.search_results_, SVMEnsembleClassifier().fit(bent, y).search_results_
    of_ranks = results["param_view"] == "ranks"
    np.testing.assert_array_equal(others["loo_loss"][of_ranks], results["loo_loss"][of_ranks])
    assert (others["loo_loss"] != results["loo_loss"])[~of_ranks].mean() > 0.9


def test_columns_that_do_not_vary_change_nothing(problem, fitted):
    X, y = problem
    more = np.column_stack([X, np.full(len(y), 1e9), np.zeros(len(y))])
    wide = SVMEnsembleClassifier().fit(more, y)
    # Rounding alone: the mean of the slopes, which scales all weights, is over more columns
    np.testing.assert_allclose(wide.feature_importances_[5:], 0.0, atol=1e-12)
    assert wide.loo_loss_ == pytest.approx(fitted.loo_loss_, abs=0.02)
    alike = SVMEnsembleClassifier().fit(np.ones((30, 2)), np.arange(30) % 3 == 0)
    assert not alike.predict([[1.0, 1.0]])[0]


def test_a_class_of_one_row_and_rows_of_weight_0(problem):
    X, y = problem
    alone = np.append(np.flatnonzero(y > 0), np.flatnonzero(y == 0)[:1])
    fitted = SVMEnsembleClassifier().fit(X[alone], y[alone])
    assert fitted.loo_probabilities_[-1, 0] < 0.5  # without it no row is of its class
    np.testing.assert_allclose(fitted.predict_proba(X).sum(axis=1), 1.0)
    weight = (np.arange(y.size) % 2).astype(float)
    some, half = SVMEnsembleClassifier().fit(X, y, weight), SVMEnsembleClassifier()
    half.fit(X[1::2], y[1::2])
    np.testing.assert_array_equal(some.predict_proba(X), half.predict_proba(X))
    assert np.isnan(some.loo_probabilities_[::2]).all()


def test_importances_point_at_the_columns_that_matter():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 6))
    fitted = SVMEnsembleClassifier().fit(X, (X[:, 2] + X[:, 4] > 0.0).astype(int))
    assert set(np.argsort(-fitted.feature_importances_)[:2]) == {2, 4}
    assert fitted.feature_importances_.sum() == pytest.approx(1.0)


def test_weights_of_classes_are_weights_of_rows(problem):
    X, y = problem
    rows = np.flatnonzero((y > 0) | (np.arange(y.size) % 3 == 0))
    X, y = X[rows], y[rows]
    by_class = SVMEnsembleClassifier(class_weight={0: 3.0, 1: 1.0, 2: 1.0}).fit(X, y)
    by_row = SVMEnsembleClassifier().fit(X, y, sample_weight=np.where(y == 0, 3.0, 1.0))
    np.testing.assert_allclose(by_class.predict_proba(X), by_row.predict_proba(X), atol=1e-9)
    plain = SVMEnsembleClassifier().fit(X, y)
    assert by_class.predict_proba(X)[:, 0].mean() > plain.predict_proba(X)[:, 0].mean()


@pytest.fixture(scope="module")
def many():
    return make_moons(400, noise=0.25, random_state=0)


def test_many_rows_are_searched_on_a_sample_and_trained_on_all(many):
    X, y = many
    fitted = SVMEnsembleClassifier(search_rows=100, random_state=0).fit(X, y)
    left_out = ~np.isnan(fitted.loo_probabilities_[:, 0])
    assert left_out.sum() == 100
    whole = SVMEnsembleClassifier().fit(X, y)
    assert np.abs(fitted.predict_proba(X) - whole.predict_proba(X)).mean() < 0.1
    assert max(member.support.max() for member in fitted.members_) > 350
    again = SVMEnsembleClassifier(search_rows=100, random_state=0).fit(X[::-1], y[::-1])
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))


def test_more_rows_are_trained_in_blocks(many, monkeypatch):
    monkeypatch.setattr(svm_ensemble, "BLOCK_ROWS", 150)
    monkeypatch.setattr(svm_ensemble, "SLOW", 0.0)
    X, y = many
    with pytest.warns(UserWarning, match="trains 3 machines on 400 distinct rows, at most 150 "):
        fitted = SVMEnsembleClassifier(search_rows=100, random_state=0).fit(X, y)
    assert len(fitted.members_) == 9
    supports = [member.support for member in fitted.members_[::3]]
    assert np.unique(np.concatenate(supports)).size == sum(map(len, supports))  # rows of a block
    assert sum(member.weight for member in fitted.members_) == pytest.approx(1.0)
    copied = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copied.predict_proba(X), fitted.predict_proba(X))
    new, labels = make_moons(1000, noise=0.25, random_state=1)
    assert fitted.score(new, labels) > TunedSVC().fit(X, y).score(new, labels) - 0.02


def test_too_many_rows_are_refused_with_a_way_out(monkeypatch, many):
    monkeypatch.setattr(svm_ensemble, "MOST_ROWS", 300)
    with pytest.raises(ValueError, match=r"at most 300 rows, got 400: .*low_rank=1000"):
        SVMEnsembleClassifier().fit(*many)


def test_a_machine_that_stops_early_says_so(problem):
    with pytest.warns(ConvergenceWarning, match="max_iter = 3 steps of a machine"):
        fitted = SVMEnsembleClassifier(max_iter=3).fit(*problem)
    assert not fitted.converged_
    assert fitted.certificate_ > 1e-3


def test_what_is_kept_does_not_grow_with_the_machines_tried(problem, fitted):
    few = SVMEnsembleClassifier(n_members=1).fit(*problem)
    assert len(pickle.dumps(few)) < len(pickle.dumps(fitted)) < 150_000


@pytest.mark.parametrize("seed", [1, 4])
@pytest.mark.parametrize("share", [0.7, 0.8])
def test_one_column_and_unequal_classes(seed, share):
    """Rows near each other in one column: following a row that is left out ends in rounding."""
    random = np.random.default_rng(seed)
    y = random.choice(2, p=[share, 1.0 - share], size=150)
    X = random.normal(size=(150, 1))
    model = SVMEnsembleClassifier().fit(X, y)
    assert np.isfinite(model.search_results_["loo_loss"]).all()
    assert 0.5 < model.loo_score_ <= 1.0
    assert ((model.loo_probabilities_ >= 0.0) & (model.loo_probabilities_ <= 1.0)).all()
