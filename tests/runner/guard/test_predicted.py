"""What goes wrong with scores costs metrics of scores, and never the error."""

import hostile
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from ensvm.data import Realization
from ensvm.runner.evaluate import evaluate
from ensvm.runner.answers import Misbehaves
from ensvm.runner.answers import checked_scores
from ensvm.runner.surroundings import deadline
from ensvm.runner.grams import GramPool
from ensvm.runner.settings import AlgorithmSettings


@pytest.fixture
def realization():
    rng = np.random.default_rng(5)
    y = np.where(rng.random(90) < 0.5, -1, 1).astype(np.int8)
    X = rng.normal(size=(90, 3)) + 0.6 * y[:, None]
    return Realization(X[:60], y[:60], X[60:], y[60:])


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


@pytest.mark.parametrize("how", hostile.SCORES)
def test_scores_that_are_none_cost_themselves_alone(realization, how):
    found = predicted(realization, "hostile:Scores", {"how": how})
    assert not found.scores
    assert set(found.missing) == {"decision_function", "predict_proba"}
    assert all(len(why) > len("predict_proba") + 2 for why in found.missing.values())


def test_a_time_limit_that_ends_scores_leaves_the_error(realization):
    with deadline(0.3):
        found = predicted(realization, "hostile:Scores", {"how": "sleeps"})
    assert "time limit" in found.missing["decision_function"]


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
    assert np.array_equal(
        checked_scores("decision_function", decision, np.array([1, -1])), -decision
    )
    chances = random.dirichlet(np.ones(3), size=7)
    turned = checked_scores("predict_proba", chances, np.array([2, 0, 1]))
    assert np.array_equal(turned, chances[:, [1, 2, 0]])


@pytest.mark.parametrize(
    ("method", "scores", "reason"),
    [
        ("decision_function", np.zeros((5, 2)), r"\(5, 2\); \(n_test\) is expected"),
        ("predict_proba", np.zeros(5), r"\(5,\); \(n_test, 2\) is expected"),
        ("decision_function", np.array([0.0, np.nan]), "nan is no finite number"),
        ("predict_proba", np.full((5, 2), 0.4), "add up to 1"),
        ("predict_proba", np.tile([-0.5, 1.5], (5, 1)), "0..1"),
        ("decision_function", np.array(["a", "b"]), "no finite number"),
    ],
)
def test_what_is_no_score_is_refused(method, scores, reason):
    with pytest.raises(Misbehaves, match=reason):
        checked_scores(method, scores, np.array([-1, 1]))
