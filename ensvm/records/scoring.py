"""Metrics of test predictions: seven with short names, and every scorer of scikit-learn."""

import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import (
    brier_score_loss,
    f1_score,
    get_scorer,
    log_loss,
    roc_auc_score,
)
from sklearn.preprocessing import label_binarize
from sklearn.utils.metaestimators import available_if

from ensvm.records.predictions import (
    DECISION,
    METHODS,
    NO_METHOD,
    PROBABILITY,
    Predictions,
)


class NoScore(ValueError):
    """Why predictions have no value in a metric."""


def _auc(predictions: Predictions) -> float:
    scores = _scores_by(predictions, DECISION, PROBABILITY)
    classes = predictions.classes
    if classes.size > 2:  # each class against the rest; the mean over the classes
        true = label_binarize(predictions.true, classes=classes)
        return float(roc_auc_score(true, scores, average="macro"))
    positive = predictions.true == classes[-1]
    return float(roc_auc_score(positive, scores if scores.ndim == 1 else scores[:, 1]))


def _f1(predictions: Predictions) -> float:
    classes = predictions.classes
    if classes.size > 2:
        raise NoScore("f1 is of two classes; f1_macro is of any number")
    return float(f1_score(predictions.true, predictions.labels, pos_label=classes[-1]))


def _log_loss(predictions: Predictions) -> float:
    probabilities = _scores_by(predictions, PROBABILITY)
    return float(log_loss(predictions.true, probabilities, labels=predictions.classes))


def _brier(predictions: Predictions) -> float:
    probabilities, classes = _scores_by(predictions, PROBABILITY), predictions.classes
    if classes.size > 2:
        return float(brier_score_loss(predictions.true, probabilities, labels=classes))
    positive = classes[-1]
    return float(brier_score_loss(predictions.true, probabilities[:, 1], pos_label=positive))


def _by_scorer(name: str, predictions: Predictions) -> float:
    return float(get_scorer(name)(_Remembered(predictions), predictions.true, predictions.true))


OURS: Mapping[str, Callable[[Predictions], float]] = {
    "balanced_accuracy": partial(_by_scorer, "balanced_accuracy"),
    "auc": _auc,
    "f1": _f1,
    "f1_macro": partial(_by_scorer, "f1_macro"),
    "log_loss": _log_loss,
    "brier": _brier,
    "matthews": partial(_by_scorer, "matthews_corrcoef"),
}


def _has(method: str) -> Callable[["_Remembered"], bool]:
    return lambda remembered: method in remembered.predictions.scores


class _Remembered(ClassifierMixin, BaseEstimator):
    """A classifier that hands recorded predictions to scorers; it has the recorded methods."""

    def __init__(self, predictions: Predictions) -> None:
        self.predictions = predictions
        self.classes_ = predictions.classes

    @available_if(_has(DECISION))
    def decision_function(self, X: Any) -> NDArray[Any]:
        return self.predictions.scores[DECISION]

    @available_if(_has(PROBABILITY))
    def predict_proba(self, X: Any) -> NDArray[Any]:
        return self.predictions.scores[PROBABILITY]

    def predict(self, X: Any) -> NDArray[Any]:
        return self.predictions.labels


def score(metric: str, predictions: Predictions) -> float:
    """Return the value of predictions in a metric.

    Raises NoScore if there is none: the classifier gave no scores, or the metric is not defined on
    these rows.
    """
    try:
        value = _value(metric, predictions)
    except NoScore:
        raise
    except AttributeError as error:
        raise NoScore(_lacking(predictions, methods_for(metric))) from error
    except Exception as error:
        raise NoScore(f"scikit-learn says: {error}") from error
    if not math.isfinite(value):
        raise NoScore("not defined on these test rows: they lack a class")
    return value


def _value(metric: str, predictions: Predictions) -> float:
    """Return the value of a metric; AttributeError if it needs scores that are not there."""
    compute = OURS.get(metric) or partial(_by_scorer, metric)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # for example, about a label that is never predicted
        return compute(predictions)


def scores_of(
    metrics: Iterable[str], several: Sequence[Predictions]
) -> tuple[dict[str, float | str], dict[str, list[float]]]:
    """Return the values of predictions in metrics, by metric.

    The first result has the mean over the orders of the training rows, or the reason why there is
    none. The second has the value of each order, if there are several.
    """
    means: dict[str, float | str] = {}
    by_order: dict[str, list[float]] = {}
    for metric in metrics:
        try:
            values = [score(metric, one) for one in several]
        except NoScore as reason:
            means[metric] = str(reason)
            continue
        means[metric] = fmean(values) if len(values) > 1 else values[0]
        if len(values) > 1:
            by_order[metric] = values
    return means, by_order


@cache
def methods_for(metric: str) -> tuple[str, ...]:
    """Return the methods whose scores a metric can use, the best first; empty if it needs none."""
    labels = np.array([0, 0, 1, 1])
    if _takes(metric, Predictions(labels, labels, np.array([0, 1]))):
        return ()
    chances = np.array([[0.9, 0.1], [0.6, 0.4], [0.7, 0.3], [0.2, 0.8]])
    scores = {DECISION: chances[:, 1], PROBABILITY: chances}
    return tuple(
        method
        for method in METHODS
        if _takes(metric, Predictions(labels, labels, np.array([0, 1]), {method: scores[method]}))
    )


def _takes(metric: str, predictions: Predictions) -> bool:
    """Return whether predictions have all that a metric needs."""
    try:
        _value(metric, predictions)
    except AttributeError:
        return False
    except Exception:
        return True
    return True


def _scores_by(predictions: Predictions, *methods: str) -> NDArray[np.float64]:
    """Return the scores of the first method that gave some."""
    for method in methods:
        if method in predictions.scores:
            return predictions.scores[method]
    raise AttributeError(f"no {' or '.join(methods)}")


def _lacking(predictions: Predictions, methods: Sequence[str]) -> str:
    """Return the reason why these methods gave no scores."""
    reasons = [predictions.missing[name] for name in methods if name in predictions.missing]
    return "; ".join(reasons) or f"{NO_METHOD} {' or '.join(methods)}"
