"""`ensvm check` finds what a run would: it fits every algorithm on a few rows."""

import re

import pytest
from made_up_records import invoke

from ensvm.errors import UserError
from ensvm.runner.plan import make_plan
from ensvm.runner.trial import trial

GOOD = """
svc: {estimator: SVC, grid: {C: [1, 2]}, stage: best-by-cv, cv: 3}
many: {estimator: KNeighborsClassifier, params: {n_neighbors: 35}}
rho: {estimator: RhoSVC}
"""


def check(config, *options):
    return invoke("check", config, *options)


def test_what_is_fitted_is_told_and_nothing_is_recorded(study, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    checked = check(study(GOOD))
    assert checked.exit_code == 0, checked.output
    assert "fitted on 30 rows: 3 algorithms on own" in checked.stdout.splitlines()
    assert not (tmp_path / "results").exists()


def test_what_fails_is_told_by_its_block(study):
    search = "{estimator: GridSearchCV, params: {estimator: 'troublesome:Raises', param_grid: {}}}"
    config = study(f"good: {{estimator: SVC}}\nbad: {search}")
    checked = check(config)
    assert checked.exit_code == 2
    (line,) = checked.stderr.splitlines()
    assert line.startswith(f"error: {config}, line 7: algorithms.bad: a fit on 30 rows of own")
    assert line.endswith("RuntimeError: no luck today")
    assert check(config, "--no-fit").exit_code == 0


def test_algorithms_without_local_data_are_named(study):
    config = study("svc: {estimator: SVC}")
    text = config.read_text().replace("path: own.csv, target: label, positive: 1,", "card: a9a,")
    config.write_text(text)
    checked = check(config)
    assert checked.exit_code == 0, checked.output
    assert "not fitted, because their data are not here: svc" in checked.stdout


# A metric that no record will have, refused by its name or after the fits
STUDY = """\
study: t
datasets: [titanic]
algorithms:
  svc: {estimator: SVC}
  rho: {estimator: RhoSVC, record: [objective_path_]}
  stumps: {estimator: "sklearn.ensemble:AdaBoostClassifier"}
  steps: {estimator: AdaBoost}
"""
TABLE = "tables: [{{id: 1, caption: c, metric: {}, columns: [{}]}}]\n"
CURVES = (
    "figures: [{{id: 1, caption: c, panels: [titanic], series: [rho], y: {}, marks: {}}}]\n".format
)
WRONG = {
    "misspelt": (TABLE.format("eror", "svc"), r"tables\[1\]\.metric: .*did you mean 'error'"),
    "not there": (TABLE.format("auk", "svc"), r"unknown metric 'auk'; accepted: error, accuracy"),
    "of scikit-learn": (TABLE.format("roc_auk", "svc"), r"did you mean 'roc_auc'"),
    "recorded": ("metrics: [auc, brjer]\n", r"metrics: unknown metric 'brjer'.*mean 'brier'"),
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


def check_study(folder, more):
    path = folder / "t.yaml"
    path.write_text(STUDY + more)
    trial(make_plan(path))


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize(("more", "message"), WRONG.values(), ids=list(WRONG))
def test_a_metric_that_is_never_there_is_refused(tmp_path, more, message):
    with pytest.raises(UserError) as caught:
        check_study(tmp_path, more)
    assert re.search(message, str(caught.value)), caught.value


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize(
    "more",
    [
        TABLE.format("n_iter_", "svc, rho"),
        TABLE.format("gamma_", "svc"),
        TABLE.format("size", "svc, rho"),
        "timing: {}\n" + TABLE.format("train_seconds, of: timing", "svc"),
        TABLE.format("{name: svc}", "svc").replace("metric: {name: svc}, ", ""),
        CURVES("objective_path_", "n_iter_"),
        TABLE.format("auc", "svc"),
        TABLE.format("log_loss", "stumps"),
        TABLE.format("average_precision", "rho"),
        "metrics: [error, auc, neg_log_loss]\n",
    ],
)
def test_a_metric_that_is_there_is_accepted(tmp_path, more):
    check_study(tmp_path, more)
