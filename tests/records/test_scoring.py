"""Metrics of predictions are scikit-learn's of the same predictions, each with its better end."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn import metrics as of_sklearn
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

from ensvm.records.predictions import Predictions, confusion_of, of_confusion
from ensvm.records.scoring import OURS, NoScore, methods_for, score, scores_of
from ensvm.study.metrics import PREDICTED, direction_of, is_predicted, scorer_names


def fitted(n_classes):
    """Return a classifier with rows and labels it was not fitted on, and its predictions there."""
    X, y = make_classification(
        150, 6, n_informative=4, n_classes=n_classes, class_sep=0.6, random_state=3
    )
    y = 2 * y - 1 if n_classes == 2 else y
    model = LogisticRegression().fit(X[:60], y[:60])
    rest, true = X[60:], y[60:]
    scores = {
        "decision_function": model.decision_function(rest),
        "predict_proba": model.predict_proba(rest),
    }
    return model, rest, Predictions(true, model.predict(rest), model.classes_, scores)


@pytest.fixture(scope="module", params=[2, 3], ids=["two classes", "three"])
def known(request):
    return fitted(request.param)


def test_ours_are_those_of_scikit_learn(known):
    _, _, predictions = known
    y, labels, P = predictions.true, predictions.labels, predictions.scores["predict_proba"]
    binary = predictions.classes.size == 2
    expected = {
        "balanced_accuracy": of_sklearn.balanced_accuracy_score(y, labels),
        "f1_macro": of_sklearn.f1_score(y, labels, average="macro"),
        "matthews": of_sklearn.matthews_corrcoef(y, labels),
        "log_loss": of_sklearn.log_loss(y, P),
        "brier": of_sklearn.brier_score_loss(y, P[:, 1] if binary else P),
    }
    if binary:
        expected["auc"] = of_sklearn.roc_auc_score(y, predictions.scores["decision_function"])
        expected["f1"] = of_sklearn.f1_score(y, labels)
    assert {name: score(name, predictions) for name in expected} == expected


def test_the_area_over_several_classes_is_the_mean_of_each_against_the_rest():
    _, _, predictions = fitted(3)
    P = predictions.scores["predict_proba"]
    of_probabilities = replace(predictions, scores={"predict_proba": P})
    expected = of_sklearn.roc_auc_score(predictions.true, P, multi_class="ovr", average="macro")
    assert score("auc", of_probabilities) == pytest.approx(expected, rel=1e-12)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_every_scorer_of_scikit_learn_answers_as_it_does_of_the_classifier(known):
    model, X, predictions = known
    checked = 0
    for name in scorer_names():
        try:
            expected = of_sklearn.get_scorer(name)(model, X, predictions.true)
        except ValueError:  # of two classes only, or of true values that are no labels
            with pytest.raises(NoScore):
                score(name, predictions)
            continue
        if np.isfinite(expected):
            assert score(name, predictions) == pytest.approx(expected, rel=1e-12), name
            checked += 1
    assert checked > 20


@pytest.mark.parametrize("name", sorted({*PREDICTED, "roc_auc", "neg_log_loss", "neg_max_error"}))
def test_right_predictions_are_at_the_better_end(name):
    _, _, predictions = fitted(2)
    sure = np.where(predictions.true == 1, 0.99, 0.01)
    right = {"decision_function": sure - 0.5, "predict_proba": np.stack([1 - sure, sure], axis=1)}
    best = score(name, replace(predictions, labels=predictions.true, scores=right))
    sign = {"max": 1, "min": -1}[direction_of(name)]
    assert sign * best > sign * score(name, predictions)


def test_each_metric_of_ours_is_computed_and_has_its_end():
    assert OURS.keys() == PREDICTED.keys()
    assert all(map(is_predicted, PREDICTED))
    assert not any(map(is_predicted, ["error", "accuracy", "n_iter_", "fit_seconds", "acuracy"]))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_confusion_tells_all_that_labels_alone_do(n_classes):
    _, _, predictions = fitted(n_classes)
    (again,) = of_confusion(confusion_of([predictions]))
    of_labels = [name for name in PREDICTED if not methods_for(name)]
    assert set(of_labels) == {"balanced_accuracy", "f1", "f1_macro", "matthews"}
    means, _ = scores_of([*of_labels, "precision_weighted", "jaccard_macro"], [again])
    assert means == scores_of(means, [predictions])[0]


def test_why_there_is_no_value():
    _, _, predictions = fitted(3)
    bare = replace(predictions, scores={})
    failed = replace(bare, missing={"predict_proba": "it broke"})
    one = np.zeros(5, dtype=int)
    alike = Predictions(one, one, np.array([-1, 1]), {"decision_function": np.arange(5.0)})
    for name, without, reason in [
        ("f1", predictions, "f1_macro"),
        ("log_loss", bare, "no predict_proba"),
        ("roc_auc_ovr", bare, "no predict_proba"),
        ("auc", bare, "no decision_function or predict_proba"),
        ("log_loss", failed, "it broke"),
        ("auc", alike, "lack a class"),
    ]:
        with pytest.raises(NoScore, match=reason):
            score(name, without)


def test_means_over_orders():
    _, _, predictions = fitted(2)
    turned = replace(predictions, labels=-predictions.labels)
    means, by_order = scores_of(["matthews", "auc", "f1"], [predictions, turned])
    assert means["matthews"] == pytest.approx(0.0, abs=1e-12)
    assert by_order["matthews"] == [score("matthews", one) for one in (predictions, turned)]
    assert by_order["auc"] == [means["auc"]] * 2
