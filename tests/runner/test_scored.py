"""Metrics do not depend on the shapes in which a library returns the same predictions."""

import warnings
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from ensvm.data import Realization
from ensvm.experiments import DecisionMap, NoisyLabels
from ensvm.runner.estimator_output import Misbehaves, classes_of
from ensvm.runner.evaluate import _Fit, _metric
from ensvm.runner.scored import Scored
from ensvm.study.metrics import PREDICTED

SHAPES = {
    "as it is": lambda values: values,
    "frame": pd.DataFrame,
    "list": lambda values: values.tolist(),
    "of one output": lambda values: [values] if values.ndim == 2 else values,
    "objects": lambda values: values.astype(object),
}
# Of the probability of the second of two classes, or of one decision value a row.
OF_TWO = {
    "second alone": lambda values: values[:, 1] if values.ndim == 2 else values,
    "second in a column": lambda values: values[:, 1:] if values.ndim == 2 else values[:, None],
    "frame of a column": lambda values: pd.DataFrame(values if values.ndim == 1 else values[:, 1]),
}


class Returns(ClassifierMixin, BaseEstimator):
    """A logistic regression whose answers are in other shapes, and its classes in another order."""

    def __init__(self, shape=np.asarray, order=slice(None)):
        self.shape, self.order = shape, order

    def fit(self, X, y):
        self.model_ = LogisticRegression().fit(X, y)
        self.classes_ = self.model_.classes_[self.order]
        return self

    def predict(self, X):
        return self.model_.predict(X)[:, None]

    def predict_proba(self, X):
        return self.shape(self.model_.predict_proba(X)[:, self.order])

    def decision_function(self, X):
        values = self.model_.decision_function(X)
        if values.ndim == 1:
            turned = not np.array_equal(self.classes_, self.model_.classes_)
            return self.shape(-values if turned else values)
        return self.shape(values[:, self.order])


KEPT = {
    "list": list,
    "objects": lambda classes: classes.astype(object),
    "texts": lambda classes: classes.astype(str),
    "objects of texts": lambda classes: classes.astype(str).astype(object),
    "floats": lambda classes: classes.astype(float),
    "of one output": lambda classes: [classes],
}


class KeepsClasses(Returns):
    """Keeps its classes in another form, in decreasing order."""

    def __init__(self, kept=list):
        super().__init__(order=slice(None, None, -1))
        self.kept = kept

    def fit(self, X, y):
        super().fit(X, y)
        self.classes_ = self.kept(self.classes_)
        return self

    def decision_function(self, X):
        values = self.model_.decision_function(X)
        return -values if values.ndim == 1 else values[:, ::-1]


class NamesColumns(Returns):
    """Returns data frames whose columns are classes, in another order than `classes_`."""

    def predict_proba(self, X):
        names = self.model_.classes_
        return pd.DataFrame(self.model_.predict_proba(X), columns=names)[names[::-1].tolist()]

    def decision_function(self, X):
        values = self.model_.decision_function(X)
        values = np.column_stack([-values, values]) / 2 if values.ndim == 1 else values
        names = self.model_.classes_.astype(str)  # as formats without other names write them
        return pd.DataFrame(values, columns=names)[names[::-1].tolist()]


class _Inputs:
    def __init__(self, realization):
        self.realization = realization

    def test(self):
        return self.realization.X_test


def values_of(fitted: Any, realization: Realization, metrics: list[str]) -> dict[str, Any]:
    classes = classes_of(fitted, realization.y_train)
    fit = _Fit(fitted, _Inputs(realization), {}, classes)  # type: ignore
    return {name: _metric(name, fit) for name in metrics}


def data(n_classes: int) -> Realization:
    rng = np.random.default_rng(n_classes)
    y = np.tile(np.arange(n_classes), 60 // n_classes)
    y = np.where(y == 0, -1, 1) if n_classes == 2 else y
    X = rng.normal(size=(60, 3)) + 0.5 * y[:, None]
    return Realization(X[:40], y[:40], X[40:], y[40:])


@pytest.mark.parametrize(
    ("shape", "n_classes"), [*product(SHAPES, [2, 3, 5]), *product(OF_TWO, [2])]
)
def test_a_metric_is_the_same_in_any_shape_and_order_of_classes(n_classes, shape):
    realization = data(n_classes)
    metrics = [name for name in PREDICTED if name != "f1" or n_classes == 2]
    if n_classes > 2:
        metrics.remove("brier")
    plain = LogisticRegression().fit(realization.X_train, realization.y_train)
    expected = values_of(plain, realization, metrics)
    assert all(isinstance(value, float) for value in expected.values()), expected
    for order in (slice(None), slice(None, None, -1)):
        made = Returns((SHAPES | OF_TWO)[shape], order)
        found = values_of(made.fit(realization.X_train, realization.y_train), realization, metrics)
        assert found == pytest.approx(expected)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize(
    "made", [*(KeepsClasses(kept) for kept in KEPT.values()), NamesColumns()], ids=[*KEPT, "frames"]
)
def test_scores_follow_the_classes_in_whatever_form_they_are_kept(n_classes, made):
    realization = data(n_classes)
    X, y = realization.X_train, realization.y_train
    plain, made = LogisticRegression().fit(X, y), made.fit(X, y)
    for method in ("predict_proba", "decision_function"):
        expected, found = (
            getattr(Scored(each, classes_of(each, y), np.unique(y)), method)(realization.X_test)
            for each in (plain, made)
        )
        np.testing.assert_allclose(found, expected)


def test_another_number_of_columns_is_named():
    realization = data(3)
    made = Returns(lambda values: values[:, :2]).fit(realization.X_train, realization.y_train)
    with pytest.raises(Misbehaves, match=r"shape \(20, 2\); a column for each of 3 classes"):
        Scored(made, made.classes_, made.classes_).predict_proba(realization.X_test)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("method", ["predict_proba", "decision_function"])
def test_a_class_that_the_training_rows_lack_is_the_last_choice(n_classes, method):
    realization = data(n_classes + 1)
    labels = np.unique(realization.y_train)
    for absent in labels:
        kept = realization.y_train != absent
        made = Returns(order=slice(None, None, -1))
        made.fit(realization.X_train[kept], realization.y_train[kept])
        scores = getattr(Scored(made, made.classes_, labels), method)(realization.X_test)
        assert scores.shape == (20, n_classes + 1)
        assert np.isfinite(scores).all()
        assert (scores.argmin(axis=1) == np.flatnonzero(labels == absent)).all()
        choice = labels[scores.argmax(axis=1)]
        np.testing.assert_array_equal(choice, made.predict(realization.X_test)[:, 0])


def test_one_class_against_another_is_not_taken_for_a_class():
    realization = data(3)
    made = make_pipeline(StandardScaler(), SVC(decision_function_shape="ovo"))
    made.fit(realization.X_train, realization.y_train)
    with pytest.raises(Misbehaves, match="of pairs of classes"):
        Scored(made, made.classes_, made.classes_).decision_function(realization.X_test)


@pytest.mark.parametrize("meta", [NoisyLabels, DecisionMap])
def test_a_copy_may_have_its_classes_in_another_order(meta):
    realization = data(2)
    X, y = realization.X_train, realization.y_train
    plain, turned = (
        meta(Returns(order=order)).fit(X, y) for order in (slice(None), slice(None, None, -1))
    )
    for method in ("predict_proba", "decision_function"):
        expected = getattr(plain, method)(realization.X_test)
        np.testing.assert_allclose(getattr(turned, method)(realization.X_test), expected)
    if meta is DecisionMap:
        np.testing.assert_allclose(turned.values_, plain.values_)


def test_a_label_that_noise_removes_keeps_its_column():
    X, y = np.arange(6.0)[:, None], np.array([0, 0, 0, 1, 1, 7])
    made = (NoisyLabels(LogisticRegression(), noise=1 / 6, random_state=n) for n in range(20))
    lacking = [each for each in made if 7 not in each.fit(X, y).estimator_.classes_]
    assert lacking
    for each in lacking:
        probabilities = each.predict_proba(X)
        assert probabilities.shape == (6, 3)
        assert not probabilities[:, 2].any()


def test_a_classifier_without_scores_has_none():
    made = Scored(ClassifierMixin(), np.array([-1, 1]), np.array([-1, 1]))
    assert not hasattr(made, "predict_proba")
    assert not hasattr(made, "decision_function")


def swapped(values):
    """Return columns in another order than that of the classes, or the opposite values."""
    return np.roll(values, 1, axis=1) if values.ndim == 2 else -values


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("metric", ["auc", "log_loss"])
def test_scores_that_say_the_opposite_of_the_labels_are_named(n_classes, metric):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(n_classes), 20)
    X = rng.normal(size=(y.size, 3)) + 2.0 * np.eye(3)[y]
    realization = Realization(X, y, X, y)

    def value_and_warnings(shape):
        fitted = Returns(shape=shape).fit(X, y)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            value = values_of(fitted, realization, [metric])[metric]
        return value, [str(each.message) for each in caught]

    good, told = value_and_warnings(np.asarray)
    assert told == []
    bad, told = value_and_warnings(swapped)
    assert isinstance(good, float)
    assert good != bad
    assert [text.split(": ")[0] for text in told] == [metric]
    assert "contradicts predict" in told[0]


def test_another_threshold_contradicts_no_scores():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [50, 10])
    X = rng.normal(size=(60, 2)) + y[:, None]
    made = FixedThresholdClassifier(LogisticRegression(), threshold=0.05).fit(X, y)
    assert (made.predict(X) != made.predict_proba(X).argmax(axis=1)).mean() > 0.5
    scored = Scored(made, made.classes_, made.classes_)
    scored.predict_proba(X)
    assert scored.doubt == ""


def test_the_reason_for_no_value_names_the_class_of_the_user():
    realization = data(2)
    fitted = RidgeClassifier().fit(realization.X_train, realization.y_train)
    reason = values_of(fitted, realization, ["log_loss"])["log_loss"]
    assert "RidgeClassifier" in reason
    assert "Scored" not in reason
