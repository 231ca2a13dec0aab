"""A metric that no record will have is refused before the run, wherever the config asks for it."""

import re

import numpy as np
import pytest

from ensvm.data import Realization
from ensvm.errors import UserError
from ensvm.runner.evaluate import evaluate
from ensvm.runner.grams import GramPool
from ensvm.runner.plan import make_plan
from ensvm.runner.settings import AlgorithmSettings
from ensvm.study.metrics import CELL_SECONDS, SCORES

STUDY = """\
study: t
datasets: [titanic]
algorithms:
  svc: {estimator: SVC}
  rho: {estimator: RhoSVC, record: [objective_path_]}
  stumps: {estimator: "sklearn.ensemble:AdaBoostClassifier"}
  steps: {estimator: AdaBoost}
  own: {estimator: "troublesome:Raises"}
"""
TABLE = "tables: [{{id: 1, caption: c, metric: {}, columns: [{}]}}]\n"
CURVES = (
    "figures: [{{id: 1, caption: c, panels: [titanic], series: [rho], y: {}, marks: {}}}]\n".format
)
WRONG = {
    "misspelt": (TABLE.format("eror", "svc"), r"tables\[1\]\.metric: .*did you mean 'error'"),
    "not there": (TABLE.format("auk", "svc"), r"unknown metric 'auk'; accepted: error, accuracy"),
    "of scikit-learn": (TABLE.format("roc_auk", "svc"), r"did you mean 'roc_auc'"),
    "of no cell": (
        TABLE.format("log_loss", "svc"),
        r"metric: log_loss .* predict_proba, which svc",
    ),
    "recorded": ("metrics: [auc, brjer]\n", r"metrics: unknown metric 'brjer'.*mean 'brier'"),
    "kept": ("keep: scores\n", r"keep.*'predictions'"),
    "of a column": (
        TABLE.format("error", "{name: svc, metric: acuracy}"),
        r"tables\[1\]\.columns\[1\]\.metric: .*did you mean 'accuracy'",
    ),
    "seconds": (
        TABLE.format("train_seconds", "svc"),
        r"train_seconds .* needs `of: timing`, and the study a `timing:` block",
    ),
    "seconds with a timing pass": (
        "timing: {}\n" + TABLE.format("train_seconds", "svc"),
        r"train_seconds .* needs `of: timing`$",
    ),
    "of a fit": (TABLE.format("n_itr_", "rho"), r"leaves no number 'n_itr_'.*mean 'n_iter_'"),
    "of a fit of scikit-learn's": (
        TABLE.format("n_iter_s_", "svc"),
        r"a fit of svc leaves .*did you mean 'n_iter_'",
    ),
    "text": (TABLE.format("stop_reason_", "rho"), r"leaves no number 'stop_reason_'"),
    "no expansion": (TABLE.format("size", "steps"), r"a fit of steps leaves no number 'size'"),
    "curve without a stage": (TABLE.format("objective_path_", "rho"), "is a curve; .*`stage:`"),
    "stages without a stage": (TABLE.format("staged_test_error", "rho"), "is a curve; .*`stage:`"),
    "not recorded": (TABLE.format("train_error", "rho"), "'train_error' is not in the `record:`"),
    "claim": (
        "claims: [{id: 1, text: c, metric: eror, better: svc, than: rho, relation: less}]\n",
        r"claims\[1\]\.metric: unknown metric 'eror'.*did you mean 'error'",
    ),
    "figure": (CURVES("objective_pth_", "overshoot_"), r"figures\[1\]\.y: .*'objective_path_'"),
    "marks": (CURVES("objective_path_", "n_iters_"), r"figures\[1\]\.marks: .*mean 'n_iter_'"),
}


def plan(folder, more):
    path = folder / "t.yaml"
    path.write_text(STUDY + more)
    return make_plan(path)


@pytest.mark.parametrize(("more", "message"), WRONG.values(), ids=list(WRONG))
def test_a_metric_that_is_never_there_is_refused(tmp_path, more, message):
    with pytest.raises(UserError) as caught:
        plan(tmp_path, more)
    assert re.search(message, str(caught.value)), caught.value


@pytest.mark.parametrize(
    "more",
    [
        TABLE.format("n_iter_", "svc, rho"),
        TABLE.format("gamma_", "svc"),
        TABLE.format("size", "svc, rho"),
        "timing: {}\n" + TABLE.format("train_seconds, of: timing", "svc"),
        TABLE.format("{name: svc}", "svc").replace("metric: {name: svc}, ", ""),
        CURVES("objective_path_", "n_iter_"),
        TABLE.format("auc", "svc, own"),
        TABLE.format("log_loss", "stumps"),
        TABLE.format("average_precision", "rho"),
        "metrics: [error, auc, neg_log_loss]\nkeep: predictions\n",
        # What a fit of somebody else's class leaves is not known: it is not fitted here.
        TABLE.format("anything_", "own"),
    ],
)
def test_a_metric_that_may_be_there_is_not(tmp_path, more):
    assert plan(tmp_path, more).cells


def test_the_names_accepted_are_those_that_an_evaluation_has():
    random = np.random.default_rng(0)
    y = np.where(np.arange(60) % 2, 1, -1).astype(np.int8)
    X = random.normal(size=(60, 2)) + y[:, None]
    grams = GramPool(Realization(X, y, X, y))
    svc = AlgorithmSettings(
        "SVC", {"kernel": "rbf"}, grid={"C": [1.0, 2.0]}, stage="best-on-validation"
    )
    outcome = evaluate(svc, 0, grams)
    assert set(SCORES) <= set(outcome.metrics)
    assert set(outcome.seconds) == set(CELL_SECONDS)
    assert {name for name in outcome.metrics if not name.endswith("_")} == set(SCORES)
