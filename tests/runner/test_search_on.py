"""Searches of scikit-learn: what they chose is recorded; one on the first realizations alone."""

import json
import re
from statistics import median_low

import pytest
from made_up_records import invoke
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from ensvm.data import find_card, load
from ensvm.records.settings import AlgorithmSettings
from ensvm.report.tables import build_table
from ensvm.runner.evaluate import with_medians
from ensvm_cli.arguments import read_studies

pytestmark = pytest.mark.usefixtures("in_this_process")

GRID = {"C": [0.1, 1, 10, 100], "gamma": [0.01, 0.1, 1.0]}
CONFIG = f"""
study: s
realizations: 4
datasets: [{{name: titanic, realizations: 4}}]
algorithms:
  searched:
    estimator: GridSearchCV
    params: {{estimator: SVC, param_grid: {json.dumps(GRID)}, cv: 3}}
    search_on: 3
"""


def test_a_table_shows_what_was_chosen(tmp_path):
    table = "tables: [{id: 1, caption: c, metric: best_params_.C, columns: [searched]}]\n"
    (tmp_path / "s.yaml").write_text(CONFIG.replace("    search_on: 3\n", "") + table)
    ran = invoke("run", tmp_path / "s.yaml", "--results", tmp_path / "r", "--jobs", 1)
    assert ran.exit_code == 0, ran.output
    lines = map(json.loads, (tmp_path / "r" / "s" / "cells.jsonl").read_text().splitlines())
    chosen = [one["stage"]["C"] for one in lines if one.get("algorithm") == "searched"]
    (study,) = read_studies(tmp_path / "r", ())
    (cell,) = build_table(study, study.config.tables[0])
    assert cell.mean == pytest.approx(sum(chosen) / len(chosen))


def test_all_realizations_use_the_medians(tmp_path):
    (tmp_path / "s.yaml").write_text(CONFIG)
    ran = invoke("run", tmp_path / "s.yaml", "--results", tmp_path / "r", "--jobs", 1)
    assert ran.exit_code == 0, ran.output
    lines = map(json.loads, (tmp_path / "r" / "s" / "cells.jsonl").read_text().splitlines())
    records = {one["realization"]: one for one in lines if one.get("algorithm") == "searched"}

    data = load(find_card("titanic"))
    choices = []
    for number in (1, 2, 3):
        search = GridSearchCV(SVC(), GRID, cv=3)
        realization = data.realization(number)
        choices.append(search.fit(realization.X_train, realization.y_train).best_params_)
    medians = {name: median_low(one[name] for one in choices) for name in GRID}
    assert {repr(one["stage"]) for one in records.values()} == {
        repr({**medians, "C": float(medians["C"])})
    }
    for number, record in records.items():
        realization = data.realization(number)
        machine = SVC(**medians).fit(realization.X_train, realization.y_train)
        expected = 1.0 - machine.score(realization.X_test, realization.y_test)
        assert record["metrics"]["error"] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("tuned", ["SVC", {"estimator": "SVC", "params": {"tol": 0.1, "C": 7}}])
def test_numbers_have_medians_and_names_the_most_frequent(tuned):
    search = AlgorithmSettings("GridSearchCV", {"estimator": tuned, "param_grid": {}}, search_on=4)
    choices = [
        {"C": C, "kernel": kernel, "shrinking": shrinking}
        for C, kernel, shrinking in [
            (1, "rbf", True),
            (100, "poly", False),
            (10, "poly", False),
            (1000, "rbf", False),
        ]
    ]
    algorithm, medians = with_medians(search, choices)
    assert medians == {"C": 10, "kernel": "rbf", "shrinking": False}
    assert (algorithm.estimator, algorithm.search_on) == ("SVC", None)
    own = {"tol": 0.1} if isinstance(tuned, dict) else {}
    assert algorithm.params == own | medians


SEARCH = "estimator: GridSearchCV, params: {estimator: SVC, param_grid: {C: [1]}}"


@pytest.mark.parametrize(
    ("dataset", "block", "message"),
    [
        ("titanic", "estimator: SVC", "a.search_on: SVC is not a search, as GridSearchCV is"),
        ("titanic", "estimator: LogisticRegressionCV", "LogisticRegressionCV is not a search"),
        ("titanic", f"{SEARCH}, record: cv_results_", "a.record: cv_results_ is left by a search"),
        ("a1a", SEARCH, "a.search_on: a1a has 1 realization, and a search needs 5"),
        ("iris", f"{SEARCH}, one_vs_rest: true", "(on data of more than two classes it is wrapped"),
    ],
)
def test_what_search_on_does_not_go_with_is_refused(tmp_path, dataset, block, message):
    (tmp_path / "s.yaml").write_text(
        f"study: s\ndatasets: [{dataset}]\nalgorithms: {{a: {{{block}, search_on: 5}}}}\n"
    )
    found = invoke("check", tmp_path / "s.yaml")
    assert found.exit_code == 2
    assert message in found.stderr


def test_a_search_that_draws_chooses_the_same_for_all_realizations(tmp_path):
    """Each realization may be the first of its process."""
    block = """
study: s
realizations: 4
datasets: [titanic]
algorithms:
  a:
    estimator: RandomizedSearchCV
    params: {estimator: drawn.Drawn, param_distributions: {level: [1, 2, 3]}, n_iter: 3, cv: 3}
    search_on: 2
"""
    (tmp_path / "drawn.py").write_text(DRAWN)
    (tmp_path / "s.yaml").write_text(block)
    ran = invoke("run", tmp_path / "s.yaml", "--results", tmp_path / "r", "--jobs", 1)
    assert ran.exit_code == 0, ran.output
    lines = map(json.loads, (tmp_path / "r" / "s" / "cells.jsonl").read_text().splitlines())
    records = [one for one in lines if one.get("algorithm") == "a"]
    assert len(records) == 4
    assert len({repr(one["stage"]) for one in records}) == 1


def test_equal_lists_are_counted_as_one_choice():
    search = AlgorithmSettings("GridSearchCV", {"estimator": "SVC"}, search_on=3)
    _, medians = with_medians(search, [{"sizes": [5]}, {"sizes": [9]}, {"sizes": [9]}])
    assert medians == {"sizes": "[9]"}


DRAWN = """
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

class Drawn(ClassifierMixin, BaseEstimator):
    def __init__(self, level=1):
        self.level = level
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self
    def predict(self, X):
        return self.classes_[np.random.randint(len(self.classes_), size=len(X))]
"""


SCALED = """
study: s
realizations: 1
datasets: [{name: titanic, scaling: none}]
algorithms:
  a:
    pipeline:
      - StandardScaler
      - {estimator: GridSearchCV, params: {estimator: SVC, param_grid: {C: [0.1, 10]}, cv: 3}}
    record: cv_results_
tables: [{id: 1, caption: c, columns: [{name: C, algorithm: a, metric: best_params_.C}]}]
"""


def test_a_search_behind_a_scaler_leaves_what_it_chose(tmp_path):
    (tmp_path / "s.yaml").write_text(SCALED)
    ran = invoke("run", tmp_path / "s.yaml", "--results", tmp_path / "r", "--jobs", 1)
    assert ran.exit_code == 0, ran.output
    lines = map(json.loads, (tmp_path / "r" / "s" / "cells.jsonl").read_text().splitlines())
    (record,) = [one for one in lines if one.get("algorithm") == "a"]
    assert record["stage"]["C"] in (0.1, 10)
    assert record["curves"]["cv_results_.C"] == [0.1, 10]
    (study,) = read_studies(tmp_path / "r", ())
    (cell,) = build_table(study, study.config.tables[0])
    assert cell.mean == record["stage"]["C"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("{C: [0.1, 10]}", "{CC: [1]}", "has 'CC', which its estimator does not have; .*mean 'C'"),
        ("best_params_.C", "best_params_.svc__C", r"columns\[1\].metric: unknown parameter of the"),
        ("record: cv_results_", "label: l", None),
        ("GridSearchCV, params: {estimator: SVC, param_grid: {C: [0.1, 10]}, cv: 3}",
         "SVC", "record: cv_results_ is left by a search"),
    ],
)  # fmt: skip
def test_check_knows_what_a_search_leaves(tmp_path, old, new, message):
    (tmp_path / "s.yaml").write_text(SCALED.replace(old, new))
    found = invoke("check", tmp_path / "s.yaml")
    assert found.exit_code == (2 if message else 0)
    assert message is None or re.search(message, found.stderr)
