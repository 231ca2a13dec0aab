"""What a record keeps of a fit is what one gets by fitting and scoring by hand."""

import numpy as np
import pytest
from sklearn.svm import SVC

from ensvm.classifiers.partially_trained_ensemble import PartiallyTrainedEnsemble
from ensvm.data import Realization
from ensvm.kernels import resolve_gamma
from ensvm.runner.evaluate import evaluate
from ensvm.runner.inputs import GramPool
from ensvm.runner.settings import AlgorithmSettings


@pytest.fixture
def realization():
    rng = np.random.default_rng(5)
    y = np.where(rng.random(90) < 0.5, -1, 1).astype(np.int8)
    X = rng.normal(size=(90, 3)) + 0.6 * y[:, None]
    return Realization(X[:60], y[:60], X[60:], y[60:])


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
