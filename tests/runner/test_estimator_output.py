"""What an estimator answers is labels, scores and plain numbers, or a message says why not."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
import troublesome

from ensvm.data import Realization
from ensvm.records.settings import AlgorithmSettings
from ensvm.runner.estimator_output import Misbehaves, curve, scalars_of, traceback_of
from ensvm.runner.evaluate import evaluate
from ensvm.runner.grams import GramPool


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
    with pytest.raises(Misbehaves, match=r"shape \(30, 2\); shape \(30,\) is expected"):
        outcome(realization, "Answers", "columns")
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


def test_masked_values_are_no_values():
    values = np.ma.array([1.5, 2.5], mask=[False, True])
    assert curve("values_", values) == [1.5, None]
    left = SimpleNamespace(one_=values[:1], none_=values[1:], masked_=np.ma.masked)
    assert dict(scalars_of(left)) == {"one_": 1.5}


def test_a_traceback_of_any_text_can_be_written():
    for error in (SystemExit(), ValueError("\ud800")):
        assert traceback_of(error).encode()
