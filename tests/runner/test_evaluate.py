"""What a record keeps of a fit is what one gets by fitting and scoring by hand."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from ensvm.classifiers.partially_trained_ensemble import PartiallyTrainedEnsemble
from ensvm.classifiers.parzen_window import ParzenWindowClassifier
from ensvm.data import Realization
from ensvm.kernels import resolve_gamma
from ensvm.records.settings import AlgorithmSettings
from ensvm.runner.evaluate import evaluate
from ensvm.runner.grams import GramPool
from ensvm.study.metrics import SCORERS, scorer_of


@pytest.mark.parametrize("share_gram", [True, False])
def test_errors_of_all_stages_on_test_and_training_rows(realization, share_gram):
    record = ("staged_test_error", "staged_train_error", "train_error", "objective_path_")
    params = {"kernel": "rbf", "gamma": "mean-distance"}
    settings = AlgorithmSettings(
        "PartiallyTrainedEnsemble", params, record=record, share_gram=share_gram
    )
    outcome = evaluate(settings, 0, GramPool(realization))
    fitted = PartiallyTrainedEnsemble(**params).fit(realization.X_train, realization.y_train)
    parts = {
        "test": (realization.X_test, realization.y_test),
        "train": (realization.X_train, realization.y_train),
    }
    for part, (X, y) in parts.items():
        by_hand = [np.mean(labels != y) for labels in fitted.staged_predict(X)]
        assert outcome.curves[f"staged_{part}_error"] == pytest.approx(by_hand)
    assert outcome.metrics["error"] == outcome.curves["staged_test_error"][-1]
    assert outcome.metrics["train_error"] == outcome.curves["staged_train_error"][-1]
    assert len(set(outcome.curves["staged_test_error"])) > 1
    assert set(outcome.curves) == {"staged_test_error", "staged_train_error", "objective_path_"}


def test_accuracy_and_size(realization):
    settings = AlgorithmSettings("SVC", {"C": 0.1, "kernel": "rbf", "gamma": "scale"})
    metrics = evaluate(settings, 0, GramPool(realization)).metrics
    fitted = SVC(C=0.1, gamma=resolve_gamma("scale", realization.X_train))
    fitted.fit(realization.X_train, realization.y_train)
    assert metrics["accuracy"] == pytest.approx(
        fitted.score(realization.X_test, realization.y_test)
    )
    assert metrics["accuracy"] == pytest.approx(1.0 - metrics["error"])
    assert metrics["size"] == fitted.n_support_.sum()


def test_size_is_that_of_the_kernel_machine_inside(realization):
    grid = {"estimator": {"estimator": "SVC"}, "param_grid": {"C": [0.1]}, "cv": 2}
    searched = AlgorithmSettings("GridSearchCV", grid)
    fitted = SVC(C=0.1).fit(realization.X_train, realization.y_train)
    found = evaluate(searched, 0, GramPool(realization)).metrics
    assert found["size"] == fitted.n_support_.sum()
    nystroem = {"estimator": "Nystroem", "params": {"n_components": 7}}
    steps = [["n", nystroem], ["r", {"estimator": "RidgeClassifier"}]]
    piped = AlgorithmSettings("Pipeline", {"steps": steps})
    assert evaluate(piped, 0, GramPool(realization)).metrics["size"] == 7
    forest = AlgorithmSettings("RandomForestClassifier", {"n_estimators": 2})
    assert "size" not in evaluate(forest, 0, GramPool(realization)).metrics


def test_size_of_machines_of_one_class_against_the_rest_counts_a_row_once(realization):
    rows = realization.X_train[:60]
    three = replace(realization, X_train=rows, y_train=np.arange(60) % 3)
    wrapped = AlgorithmSettings("SVC", {"C": 0.1}, wrapped="one-vs-rest")
    metrics = evaluate(wrapped, 0, GramPool(three)).metrics
    machines = [SVC(C=0.1).fit(rows, three.y_train == label) for label in range(3)]
    assert metrics["size"] == len({row for machine in machines for row in machine.support_})


ORDERS = (3, 5, 8)


def test_a_classifier_that_the_order_does_not_touch_is_the_same_in_every_order(realization):
    settings = AlgorithmSettings("ParzenWindowClassifier", {"gamma": "mean-distance"})
    alone = evaluate(settings, 0, GramPool(realization))
    ordered = evaluate(settings, 0, GramPool(realization), ORDERS)
    assert ordered.by_order["error"] == [alone.metrics["error"]] * (1 + len(ORDERS))
    assert ordered.metrics["error"] == alone.metrics["error"]
    assert ordered.metrics["n_errors"] == alone.metrics["n_errors"]
    assert not alone.by_order


def test_the_first_order_is_that_of_the_split_and_the_mean_is_recorded(realization):
    settings = AlgorithmSettings("troublesome:LastRow", record=("train_error", "coef_"))
    alone = evaluate(settings, 0, GramPool(realization))
    ordered = evaluate(settings, 0, GramPool(realization), ORDERS)
    for name, values in ordered.by_order.items():
        assert len(values) == 1 + len(ORDERS)
        assert values[0] == alone.metrics[name]
        assert ordered.metrics[name] == pytest.approx(np.mean(values))
    assert len(set(ordered.by_order["error"])) > 1
    assert len(set(ordered.by_order["train_error"])) > 1
    assert ordered.curves == alone.curves
    assert ordered.metrics["text_"] == alone.metrics["text_"]


def test_a_flag_holds_where_it_does_in_every_order(realization):
    settings = AlgorithmSettings("troublesome:LastRow")
    flags = [
        evaluate(settings, 0, GramPool(realization).in_order(seed)).metrics["flag_"]
        for seed in range(9)
    ]
    assert set(flags) == {True, False}
    first = evaluate(settings, 0, GramPool(realization)).metrics["flag_"]
    both = [flags.index(True), flags.index(False)]
    for seeds in (both[:1], both):
        of_orders = evaluate(settings, 0, GramPool(realization), seeds).metrics["flag_"]
        assert of_orders is (first and all(flags[seed] for seed in seeds))


def test_an_order_is_the_same_problem(realization):
    permuted = GramPool(realization).in_order(7).realization
    rows = [np.column_stack([part.X_train, part.y_train]) for part in (realization, permuted)]
    assert not np.array_equal(*rows)
    assert np.array_equal(*[np.sort(part.view("f8,f8,f8,f8"), axis=0) for part in rows])
    assert np.array_equal(permuted.X_test, realization.X_test)
    assert np.array_equal(permuted.y_test, realization.y_test)


def test_seconds_of_several_orders_are_those_of_one_fit(realization):
    settings = AlgorithmSettings("troublesome:Naps")
    seconds = evaluate(settings, 0, GramPool(realization), ORDERS).seconds
    assert 0.1 <= seconds["train_seconds"] < 0.1 * (1 + len(ORDERS))


@pytest.mark.parametrize("n_orders", [1, 3])
def test_every_order_has_its_own_best_stage(realization, n_orders):
    settings = AlgorithmSettings("troublesome:Staged", stage="best-on-test")
    outcome = evaluate(settings, 0, GramPool(realization), ORDERS[: n_orders - 1])
    assert outcome.stage == evaluate(settings, 0, GramPool(realization)).stage
    assert outcome.n_stages == 3


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_fitted_lists_of_arrays_are_no_scalars(realization):
    """A neural network's weights are a list of matrices of different shapes."""
    settings = AlgorithmSettings("sklearn.neural_network:MLPClassifier", {"max_iter": 2})
    found = evaluate(settings, 0, GramPool(realization)).metrics
    assert 0.0 <= found["error"] <= 1.0
    assert found["n_iter_"] == 2
    assert "coefs_" not in found


def test_what_a_search_chooses_is_recorded(realization):
    grid = {"C": [0.001, 0.1, 1.0, 10.0]}
    params = {"estimator": {"estimator": "SVC"}, "param_grid": grid, "cv": 4}
    outcome = evaluate(AlgorithmSettings("GridSearchCV", params), 3, GramPool(realization))
    search = GridSearchCV(SVC(), grid, cv=4).fit(realization.X_train, realization.y_train)
    assert outcome.stage == search.best_params_
    assert outcome.metrics["best_score_"] == search.best_score_


def test_the_scores_of_a_search_are_recorded(realization):
    grid = {"C": [0.1, 10.0], "gamma": ["scale", 0.5, 2.0]}
    params = {"estimator": {"estimator": "SVC"}, "param_grid": grid, "cv": 3}
    settings = AlgorithmSettings("GridSearchCV", params, record=("cv_results_",))
    curves = evaluate(settings, 3, GramPool(realization)).curves
    search = GridSearchCV(SVC(), grid, cv=3).fit(realization.X_train, realization.y_train)
    assert curves["cv_results_"] == pytest.approx(search.cv_results_["mean_test_score"])
    points = zip(curves["cv_results_.C"], curves["cv_results_.gamma"], strict=True)
    assert [{"C": C, "gamma": gamma} for C, gamma in points] == search.cv_results_["params"]


@pytest.mark.parametrize("share_gram", [True, False])
def test_one_against_rest_is_scikit_learns_on_the_inputs(share_gram):
    rng = np.random.default_rng(1)
    y = rng.integers(3, size=120).astype(np.int8)
    X = rng.normal(size=(120, 2)) + 1.5 * np.eye(3)[y][:, :2]
    three = Realization(X[:80], y[:80], X[80:], y[80:])
    params = {"kernel": "rbf", "gamma": 0.5}
    settings = AlgorithmSettings(
        "ParzenWindowClassifier", params, wrapped="one-vs-rest", share_gram=share_gram
    )
    outcome = evaluate(settings, 0, GramPool(three))
    by_hand = OneVsRestClassifier(ParzenWindowClassifier(**params)).fit(X[:80], y[:80])
    assert outcome.metrics["error"] == np.mean(by_hand.predict(X[80:]) != y[80:])
    assert 0.0 < outcome.metrics["error"] < 0.5


def test_metrics_of_orders_are_means_and_a_chosen_stage_has_none(realization):
    in_order = {"shuffle": False, "max_iter": 1, "tol": None}
    settings = AlgorithmSettings("sklearn.linear_model:Perceptron", in_order)
    outcome = evaluate(settings, 0, GramPool(realization), ORDERS, metrics=["balanced_accuracy"])
    values = outcome.by_order["balanced_accuracy"]
    assert outcome.scores["balanced_accuracy"] == pytest.approx(np.mean(values))
    assert len(set(values)) > 1
    staged = AlgorithmSettings("troublesome:Staged", stage="best-on-test")
    (why,) = evaluate(staged, 0, GramPool(realization), metrics=["f1"]).scores.values()
    assert "stage" in why


@pytest.mark.parametrize("share_gram", [True, False])
@pytest.mark.parametrize("metric", ["auc", "f1", "matthews", "balanced_accuracy", "roc_auc"])
def test_a_metric_is_that_of_the_fitted_classifier(realization, metric, share_gram):
    params = {"kernel": "rbf", "gamma": 0.5}
    settings = AlgorithmSettings("SVC", params, share_gram=share_gram)
    found = evaluate(settings, 0, GramPool(realization), metrics=[metric]).scores[metric]
    fitted = SVC(gamma=0.5).fit(realization.X_train, realization.y_train)
    scorer, sign = scorer_of(metric)
    assert found == pytest.approx(sign * scorer(fitted, realization.X_test, realization.y_test))


@pytest.mark.parametrize(
    ("metric", "better"), [("log_loss", min), ("brier", min), ("neg_log_loss", max)]
)
def test_a_metric_turns_the_way_its_name_says(realization, metric, better):
    values = []
    for C in (1e-6, 1.0):
        settings = AlgorithmSettings("LogisticRegression", {"C": C})
        values.append(evaluate(settings, 0, GramPool(realization), metrics=[metric]).scores[metric])
    assert (min(values) > 0.0) == (metric in SCORERS)
    assert better(values) == values[1]
