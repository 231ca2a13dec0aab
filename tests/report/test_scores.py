"""Metrics that a config asks for are computed when a cell is run."""

import pytest
from sklearn.metrics import get_scorer, log_loss, roc_auc_score

from ensvm.data import load
from ensvm.errors import UserError
from ensvm.records.record import Record
from ensvm.records.store import CONFIG_COPY, Store, read_records
from ensvm.report.query import Query, ask
from ensvm.report.ranking import rank_over_data_sets
from ensvm.report.study_folder import read_study
from ensvm.report.tables import build_table
from ensvm.runner.cell import Task, run_task
from ensvm.runner.estimators import made
from ensvm.runner.plan import make_plan

ALGORITHMS = """
logistic: {estimator: "sklearn.linear_model:LogisticRegression"}
linear: {estimator: LinearSVC}
"""
TABLE = """
tables:
  - {id: 1, caption: c, columns: [logistic, linear]}
  - {id: 2, caption: c, metric: auc, columns: [logistic, linear]}
  - {id: 3, caption: c, metric: log_loss, columns: [logistic]}
  - {id: 4, caption: c, metric: balanced_accuracy, columns: [logistic, linear]}
  - {id: 5, caption: c, metric: neg_brier_score, columns: [logistic]}
"""


def plan_of(study, more, algorithms=ALGORITHMS):
    return make_plan(study(algorithms, realizations=3, more=more))


def run(plan, folder):
    """Do the missing cells of a plan in this process, as a run does."""
    missing = [cell for cell, _ in plan.missing(read_records(folder))]
    numbers = {cell.realization for cell in missing}
    with Store(folder) as store:
        for number in numbers:
            cells = tuple(cell for cell in missing if cell.realization == number)
            task = Task(plan.cards["own"], cells, None, "r")
            store.append(one for one in run_task(task) if isinstance(one, Record))
    (folder / CONFIG_COPY).write_text(plan.path.read_text())
    return missing


def values(study, algorithm, metric):
    return ask(study, Query("own", algorithm, metric))


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "results" / "trial"


def by_hand(plan, algorithm, scored):
    """Return what a function makes of the classifier and the test rows of each realization."""
    found = {}
    for cell in plan.cells:
        if cell.algorithm == algorithm:
            rows = load(plan.cards["own"]).realization(cell.realization)
            model = made(cell.method.estimator, cell.method.params, cell.seed)
            model.fit(rows.X_train, rows.y_train)
            found[cell.realization] = scored(model, rows.X_test, rows.y_test)
    return found


def test_metrics_are_those_of_scikit_learns_scorers(study, folder):
    plan = plan_of(study, "metrics: f1_macro\n" + TABLE)
    run(plan, folder)
    found = read_study(folder)
    for algorithm in ("logistic", "linear"):
        assert values(found, algorithm, "auc").values == by_hand(
            plan, algorithm, lambda m, X, y: roc_auc_score(y, m.decision_function(X))
        )
        assert values(found, algorithm, "f1_macro").values == by_hand(
            plan, algorithm, get_scorer("f1_macro")
        )
    assert values(found, "logistic", "log_loss").values == pytest.approx(
        by_hand(plan, "logistic", lambda m, X, y: log_loss(y, m.predict_proba(X)))
    )
    cells = [cell for table in found.config.tables for cell in build_table(found, table)]
    assert {cell.status for cell in cells} == {"ok"}


def test_a_metric_without_a_value_says_why_and_costs_nothing_else(study, folder):
    run(plan_of(study, "metrics: log_loss\n"), folder)
    found = read_study(folder)
    without = values(found, "linear", "log_loss")
    assert (without.status, without.values) == ("missing", {})
    assert "predict_proba" in without.reason
    assert len(values(found, "linear", "error").values) == 3


def test_a_run_does_again_what_lacks_a_metric_and_that_alone(study, folder):
    run(plan_of(study, ""), folder)
    table = "tables: [{id: 1, caption: c, metric: auc, columns: [linear]}]\n"
    plan = plan_of(study, table)
    (folder / CONFIG_COPY).write_text(plan.path.read_text())
    found = read_study(folder)
    (cell,) = build_table(found, found.config.table("1"))
    assert cell.status == "missing"
    assert "not recorded: with `metrics: auc`" in cell.reason
    with pytest.raises(UserError, match="no values of auc: not recorded"):
        rank_over_data_sets(found, found.config.table("1"), "auc")
    errors = {cell: one.metrics for cell, one in read_records(folder).items()}
    again = run(plan, folder)
    assert {cell.algorithm for cell in again} == {"linear"}
    assert len(again) == 3
    assert not run(plan_of(study, table), folder)
    assert {cell: one.metrics for cell, one in read_records(folder).items()} == errors


def test_metrics_do_not_invalidate_cells(study):
    plain, asking = plan_of(study, ""), plan_of(study, "metrics: auc\n" + TABLE)
    assert [cell.key for cell in plain.cells] == [cell.key for cell in asking.cells]
