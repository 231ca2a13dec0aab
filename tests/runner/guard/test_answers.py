"""What an estimator answers is labels and plain numbers, or its cell fails and says why."""

import json

import hostile
import numpy as np
import pytest

from ensvm.data import Realization
from ensvm.runner.evaluate import evaluate
from ensvm.runner.answers import Misbehaves, traceback_of
from ensvm.runner.grams import GramPool
from ensvm.runner.settings import AlgorithmSettings


@pytest.fixture
def realization():
    rng = np.random.default_rng(5)
    y = np.where(rng.random(90) < 0.5, -1, 1).astype(np.int8)
    X = rng.normal(size=(90, 3)) + 0.6 * y[:, None]
    return Realization(X[:60], y[:60], X[60:], y[60:])


def outcome(realization, name, how="", **settings):
    method = AlgorithmSettings(f"hostile:{name}", {"how": how}, **settings)
    return evaluate(method, 0, GramPool(realization))


@pytest.mark.parametrize("how", hostile.ANSWERS)
@pytest.mark.parametrize("name", ["Answers", "Nameless"])
@pytest.mark.parametrize("stage", ["last", "best-on-test"])
def test_only_one_known_label_for_each_row_is_a_prediction(realization, how, name, stage):
    method = "predict" if stage == "last" else "staged_predict"
    with pytest.raises(Misbehaves, match=rf"^{method} returned .*"):
        outcome(realization, name, how, stage=stage)


@pytest.mark.parametrize("how", hostile.FINE)
@pytest.mark.parametrize("name", ["Answers", "Nameless"])
def test_labels_of_any_type_of_number_are_labels(realization, how, name):
    said = np.full(30, realization.y_train.min())
    assert outcome(realization, name, how).metrics["n_errors"] == np.sum(said != realization.y_test)


def test_the_message_says_what_is_expected(realization):
    with pytest.raises(Misbehaves, match=r"shape \(30, 1\); shape \(30,\) is expected"):
        outcome(realization, "Answers", "column")
    with pytest.raises(Misbehaves, match=r"the label -0\.9, not one of classes_: -1, 1"):
        outcome(realization, "Answers", "probabilities")


def test_many_classes():
    y = (3 * (np.arange(200) % 40)).astype(np.int8)
    X = y[:, None].astype(float)
    tree = AlgorithmSettings("sklearn.tree:DecisionTreeClassifier")
    assert evaluate(tree, 0, GramPool(Realization(X, y, X, y))).metrics["n_errors"] == 0
    with pytest.raises(Misbehaves, match=r"the label 7, not one of classes_: 0, 3, .*, \.\.\."):
        outcome(Realization(X, y, X, y), "Answers", "unknown")


@pytest.mark.parametrize("how", ["none", "differing"])
def test_stages_are_the_same_for_all_rows(realization, how, monkeypatch):
    monkeypatch.setattr("ensvm.runner.grams.BLOCK_BYTES", 20 * 8 * 3)
    with pytest.raises(Misbehaves, match="staged_predict gave"):
        outcome(realization, "Stages", how, stage="best-on-test")


@pytest.mark.parametrize("how", hostile.LEFT)
def test_a_number_that_no_record_can_hold_is_named(realization, how):
    with pytest.raises(Misbehaves, match="its attribute left_ is no number"):
        outcome(realization, "Leaves", how)


@pytest.mark.parametrize("how", ["complex", "large fraction"])
def test_a_curve_that_no_record_can_hold_is_named(realization, how):
    with pytest.raises(Misbehaves, match="its attribute curve_ is no array"):
        outcome(realization, "LeavesCurve", how, record=("curve_",))


@pytest.mark.parametrize("how", hostile.HELD)
def test_a_number_is_kept_as_a_plain_one(realization, how):
    metrics = outcome(realization, "Leaves", how).metrics
    expected = hostile.HELD[how][1]
    assert metrics["left_"] == expected
    assert type(metrics["left_"]) is type(expected)
    assert json.loads(json.dumps(metrics)) == metrics


def test_a_traceback_of_any_text_can_be_written():
    for error in (SystemExit(), ValueError("\ud800")):
        assert traceback_of(error).encode()
