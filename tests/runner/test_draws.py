"""A run on the paper's own rows finds out, by another seed, whether an algorithm draws."""

import json
from dataclasses import replace

import numpy as np
import pytest
from made_up_records import record, run_quietly

from ensvm.records.record import LineReader
from ensvm.records.settings import AlgorithmSettings
from ensvm.records.store import read_records
from ensvm.report.study_folder import read_study
from ensvm.report.tables import build_table
from ensvm.runner.evaluate import evaluate
from ensvm.runner.grams import GramPool
from ensvm.runner.plan import make_plan

FOREST = "sklearn.ensemble:RandomForestClassifier"
SHALLOW = {"n_estimators": 3, "max_depth": 1}
PIPELINE = {"pipeline": ["StandardScaler", {"estimator": FOREST, "params": SHALLOW}]}


def found(realization, estimator, params=None, **more):
    settings = AlgorithmSettings(estimator, params or {}, **more)
    return evaluate(settings, 1, GramPool(realization), find_draws=True).draws


@pytest.mark.parametrize(
    ("estimator", "params", "draws"),
    [
        ("sklearn.svm:SVC", {}, False),  # has a random_state, which it does not use
        ("sklearn.svm:SVC", {"random_state": 0}, False),
        ("sklearn.neighbors:KNeighborsClassifier", {}, False),  # has none
        (FOREST, SHALLOW, True),
        (FOREST, {**SHALLOW, "random_state": 0}, True),  # a fixed seed is one random draw
        (PIPELINE, {}, True),
        (PIPELINE, {"randomforestclassifier__random_state": 0}, True),
    ],
)
def test_an_algorithm_draws_if_another_seed_changes_what_it_predicts(
    realization, estimator, params, draws
):
    assert found(realization, estimator, params) is draws


def test_a_choice_on_held_out_rows_draws_these_rows(realization):
    grid, stage = {"C": [1.0, 2.0]}, "best-on-validation"
    assert found(realization, "sklearn.svm:SVC", grid=grid, stage=stage) is True
    assert found(realization, "sklearn.svm:SVC", grid=grid, stage="best-on-test") is False


def test_without_being_asked_nothing_is_tried(realization):
    settings = AlgorithmSettings(FOREST, SHALLOW)
    assert evaluate(settings, 1, GramPool(realization)).draws is None


STUDY = """\
study: mine
datasets:
  - {name: mine, train: train.csv, test: test.csv, target: kind, split: {protocol: official}SAME}
algorithms:
  svc: {estimator: SVC}
  forest: {estimator: RandomForestClassifier, params: {n_estimators: 3, max_depth: 1}}
  forest0: {estimator: RandomForestClassifier,
            params: {n_estimators: 3, max_depth: 1, random_state: 0}}
tables: [{id: 1, caption: E, columns: [svc, forest, forest0]}]
published: printed.csv
"""


@pytest.fixture
def config(tmp_path):
    """A study on the paper's own rows."""
    rng = np.random.default_rng(0)
    for name, n in (("train", 60), ("test", 200)):
        kinds = rng.integers(0, 2, size=n)
        rows = [
            f"{x + kind},{y},{'ab'[kind]}"
            for kind, (x, y) in zip(kinds, rng.normal(size=(n, 2)), strict=True)
        ]
        (tmp_path / f"{name}.csv").write_text("\n".join(["x,y,kind", *rows]) + "\n")
    path = tmp_path / "mine.yaml"
    path.write_text(STUDY.replace("SAME", ", same_rows: true"))
    (tmp_path / "printed.csv").write_text("table,row,column,value,std\n")
    return path


@pytest.mark.usefixtures("in_this_process")
def test_the_signs_of_a_run_on_the_papers_rows(config, tmp_path):
    run_quietly(make_plan(config), tmp_path, jobs=1)
    folder = tmp_path / "mine"
    records = read_records(folder)
    drawn = {one.algorithm: one.draws for one in records.values()}
    assert drawn == {"data": None, "svc": False, "forest": True, "forest0": True}
    values = {
        name: 100 * records["mine", 1, name, "error"].metrics["error"]
        for name in ("svc", "forest", "forest0")
    }
    lines = [f"1,mine,{name},{value:.1f}," for name, value in values.items()]
    (folder / "published.csv").write_text("\n".join(["table,row,column,value,std", *lines]) + "\n")
    study = read_study(folder)
    cells = build_table(study, study.config.tables[0])
    assert [(one.column, one.verdict, one.interval_of) for one in cells] == [
        ("svc", "within the margin", "exact"),
        ("forest", "cannot tell", "test rows"),
        ("forest0", "cannot tell", "test rows"),
    ]


def test_keys_do_not_depend_on_whether_the_run_finds_out(config):
    keys = [cell.key for cell in make_plan(config).cells]
    config.write_text(STUDY.replace("SAME", ""))
    plan = make_plan(config)
    assert [cell.key for cell in plan.cells] == keys
    assert not any(cell.find_draws for cell in plan.cells)


def test_an_algorithm_whose_config_says_it_is_not_tried(config):
    config.write_text(config.read_text().replace("svc: {", "svc: {deterministic: true, "))
    asked = {cell.algorithm for cell in make_plan(config).cells if cell.find_draws}
    assert asked == {"forest", "forest0"}


@pytest.mark.parametrize("draws", [True, False, None])
def test_a_record_keeps_what_was_found_out(draws):
    line = json.dumps(replace(record("german", 1, "a"), draws=draws).to_json())
    assert LineReader().read(line.encode()).draws is draws
