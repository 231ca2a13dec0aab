"""What an estimator answers is labels, scores and plain numbers, or a message says why not."""

import json

import numpy as np
import pytest
import troublesome
from sklearn.linear_model import LogisticRegression

from ensvm.data import Realization
from ensvm.runner.answers import Misbehaves, checked_scores, traceback_of
from ensvm.runner.evaluate import evaluate
from ensvm.runner.grams import GramPool
from ensvm.runner.settings import AlgorithmSettings


def outcome(realization, name, how, params=None, **settings):
    method = AlgorithmSettings(f"troublesome:{name}", {"how": how, **(params or {})}, **settings)
    return evaluate(method, 0, GramPool(realization))


has_classes = pytest.mark.parametrize("params", [{}, {"has_classes": False}])


@pytest.mark.parametrize("how", troublesome.ANSWERS)
@has_classes
@pytest.mark.parametrize("stage", ["last", "best-on-test"])
def test_only_one_known_label_for_each_row_is_a_prediction(realization, how, params, stage):
    method = "predict" if stage == "last" else "staged_predict"
    with pytest.raises(Misbehaves, match=rf"^{method} returned .*"):
        outcome(realization, "Answers", how, params, stage=stage)


@pytest.mark.parametrize("how", troublesome.FINE)
@has_classes
def test_labels_of_any_type_of_number_are_labels(realization, how, params):
    same = evaluate(AlgorithmSettings("troublesome:Majority"), 0, GramPool(realization))
    metrics = outcome(realization, "Answers", how, params).metrics
    assert metrics["n_errors"] == same.metrics["n_errors"]


def test_the_message_says_what_is_expected(realization):
    with pytest.raises(Misbehaves, match=r"shape \(30, 1\); shape \(30,\) is expected"):
        outcome(realization, "Answers", "column")
    with pytest.raises(Misbehaves, match=r"the label -?0\.9, not one of \[-1, 1\]"):
        outcome(realization, "Answers", "probabilities")


def test_many_classes():
    y = (3 * (np.arange(200) % 40)).astype(np.int8)
    X = y[:, None].astype(float)
    tree = AlgorithmSettings("sklearn.tree:DecisionTreeClassifier")
    assert evaluate(tree, 0, GramPool(Realization(X, y, X, y))).metrics["n_errors"] == 0
    with pytest.raises(Misbehaves, match=r"the label \d+, not one of \[0, 3, "):
        outcome(Realization(X, y, X, y), "Answers", "unknown")


@pytest.mark.parametrize("how", ["none", "differing"])
def test_stages_are_the_same_for_all_rows(realization, how, monkeypatch):
    monkeypatch.setattr("ensvm.runner.grams.BLOCK_BYTES", 20 * 8 * 3)
    with pytest.raises(Misbehaves, match="staged_predict gave"):
        outcome(realization, "Stages", how, stage="best-on-test")


def test_a_curve_that_no_record_can_hold_is_named(realization):
    record = ("curve_",)
    with pytest.raises(Misbehaves, match="its attribute curve_ is not an array that"):
        outcome(realization, "Leaves", "complex", record=record)


@pytest.mark.parametrize("how", sorted(troublesome.HELD.keys() - {"complex"}))
def test_a_number_is_kept_as_a_plain_one(realization, how):
    metrics = outcome(realization, "Leaves", how).metrics
    expected = troublesome.HELD[how][1]
    assert metrics["left_"] == expected
    assert type(metrics["left_"]) is type(expected)
    assert json.loads(json.dumps(metrics)) == metrics


def test_a_traceback_of_any_text_can_be_written():
    for error in (SystemExit(), ValueError("\ud800")):
        assert traceback_of(error).encode()


def predicted(realization, name, params=None, **more):
    method = AlgorithmSettings(name, params or {}, **more)
    outcome = evaluate(method, 0, GramPool(realization), scored=True)
    (found,) = outcome.predictions
    assert np.count_nonzero(found.labels != found.true) == outcome.metrics["n_errors"]
    return found


def test_predictions_are_those_of_the_classifier(realization):
    found = predicted(realization, "sklearn.linear_model:LogisticRegression")
    model = LogisticRegression().fit(realization.X_train, realization.y_train)
    assert np.array_equal(found.labels, model.predict(realization.X_test))
    for method, scores in found.scores.items():
        assert np.array_equal(scores, getattr(model, method)(realization.X_test))
    assert set(found.scores) == {"decision_function", "predict_proba"}
    assert not found.missing


@pytest.mark.parametrize("share_gram", [True, False])
def test_a_kernel_machine_gives_decision_values_alone(realization, share_gram):
    found = predicted(realization, "SVC", {"kernel": "rbf", "gamma": 0.5}, share_gram=share_gram)
    assert np.array_equal(found.scores["decision_function"] > 0, found.labels == 1)
    assert "no predict_proba" in found.missing["predict_proba"]


@pytest.mark.parametrize("how", troublesome.SCORES)
def test_scores_that_are_none_cost_themselves_alone(realization, how):
    found = predicted(realization, "troublesome:Scores", {"how": how})
    assert not found.scores
    assert set(found.missing) == {"decision_function", "predict_proba"}
    assert all(len(why) > len("predict_proba") + 2 for why in found.missing.values())


def test_the_chosen_stage_answers(realization):
    name = "sklearn.ensemble:AdaBoostClassifier"
    found = predicted(realization, name, {"n_estimators": 5}, stage="best-on-test")
    assert np.array_equal(found.scores["decision_function"] > 0, found.labels == 1)
    assert "no staged_decision_function" in str(
        predicted(realization, "troublesome:Staged", stage="best-on-test").missing
    )


def test_the_chosen_point_of_a_grid_answers(realization):
    grid = {"C": [1e-4, 1.0]}
    for stage in ("best-on-test", "best-on-validation"):
        predicted(realization, "SVC", {"kernel": "rbf", "gamma": 0.5}, grid=grid, stage=stage)


def test_every_order_of_the_rows_has_its_own(realization):
    method = AlgorithmSettings("troublesome:LastRow")
    outcome = evaluate(method, 0, GramPool(realization), (3, 5))
    errors = [np.mean(one.labels != one.true) for one in outcome.predictions]
    assert errors == outcome.by_order["error"]


def test_classes_in_another_order_are_put_in_theirs():
    random = np.random.default_rng(0)
    decision = random.normal(size=7)
    turned = checked_scores(None, "decision_function", decision, 7, np.array([1, -1]))
    assert np.array_equal(turned, -decision)
    chances = random.dirichlet(np.ones(3), size=7)
    turned = checked_scores(None, "predict_proba", chances, 7, np.array([2, 0, 1]))
    assert np.array_equal(turned, chances[:, [1, 2, 0]])


@pytest.mark.parametrize(
    ("method", "scores", "reason"),
    [
        ("decision_function", np.zeros((5, 2)), r"\(5, 2\); \(5,\) is expected"),
        ("predict_proba", np.zeros(5), r"\(5,\); \(5, 2\) is expected"),
        ("decision_function", np.full(5, np.nan), "finite numbers"),
        ("predict_proba", np.full((5, 2), 0.4), "add up to 1"),
        ("predict_proba", np.tile([-0.5, 1.5], (5, 1)), "0..1"),
    ],
)
def test_scores_that_cannot_be_used_are_refused(method, scores, reason):
    with pytest.raises(Misbehaves, match=reason):
        checked_scores(None, method, scores, 5, np.array([-1, 1]))
