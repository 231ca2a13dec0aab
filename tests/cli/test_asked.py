"""Whatever changes in a config, its code or its data: all that is shown has the asked settings."""

import json
import random
import shutil

import pandas as pd
import pytest
from made_up_records import cells_run_here, invoke, run_quietly

import ensvm
from ensvm.records import code_identity
from ensvm.records.asked import ASKED_FILE, read_asked
from ensvm.records.merge import merge, write_merged
from ensvm.records.store import CELLS_FILE
from ensvm.report.study_folder import read_study
from ensvm.report.tables import build_table
from ensvm.runner.plan import make_plan

CONFIG = """\
study: s
realizations: 3
datasets:
  - {name: one, path: one.csv, target: label, split: {protocol: random, n_train: 0.7}}
  - {name: two, path: two.csv, target: label, split: {protocol: random, n_train: 0.7}}
algorithms:
  knn: {estimator: KNeighborsClassifier, params: {n_neighbors: 1}}
  mine: {estimator: "own:Mine"}
  best: {estimator: SVC, grid: {C: [1, 10]}, stage: best-on-test}
tables:
  - {id: 1, caption: E, columns: [knn, mine, best]}
"""
OWN = "from sklearn.naive_bayes import GaussianNB\nclass Mine(GaussianNB):\n    pass\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    draw = random.Random(1)
    rows = [f"{draw.gauss(k % 2, 1):.3f},{draw.random():.3f},{'ab'[k % 2]}" for k in range(40)]
    for name in ("one", "two"):
        (tmp_path / f"{name}.csv").write_text("\n".join(["x,y,label", *rows]) + "\n")
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "s.yaml").write_text(CONFIG)
    cells_run_here(monkeypatch)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def edited(file, old, new):
    def change(folder, monkeypatch):
        path = folder / file
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))

    return change


def other_version(folder, monkeypatch):
    known = code_identity._version
    monkeypatch.setattr(
        code_identity, "_version", lambda name: "0.7" if name == "sklearn" else known(name)
    )
    code_identity._identity.cache_clear()


# What changes, and what the reason of values that are not shown names; empty if none is stale.
CHANGES = {
    "a parameter": (edited("s.yaml", "n_neighbors: 1", "n_neighbors: 9"), "n_neighbors 1, asked 9"),
    "a grid": (edited("s.yaml", "[1, 10]", "[1, 100]"), "grid C [1.0, 10.0], asked [1.0, 100.0]"),
    "a grid that goes": (
        edited("s.yaml", "grid: {C: [1, 10]}, stage: best-on-test", "params: {C: 2}"),
        "C not set, asked 2",
    ),
    "a pair that goes": (
        edited("s.yaml", "name: two,", "name: two, algorithms: [mine, best],"),
        "",
    ),
    "an algorithm that goes": (
        edited("s.yaml", '  mine: {estimator: "own:Mine"}\n', "  mine: {estimator: GaussianNB}\n"),
        "estimator own:Mine, asked",
    ),
    "fewer realizations": (edited("s.yaml", "realizations: 3", "realizations: 2"), ""),
    "more realizations": (edited("s.yaml", "realizations: 3", "realizations: 5"), ""),
    "the split": (edited("s.yaml", "n_train: 0.7", "n_train: 0.5"), "split n_train"),
    "the data": (edited("two.csv", "label\n", "label\n0.5,0.5,a\n"), "data"),
    "own code": (edited("own.py", "pass", "x = 1"), "own.py"),
    "a library": (other_version, "sklearn"),
}


def shown_key(study, cell):
    """Return the settings of the records behind a value that is shown."""
    column = study.config.tables[0].column(cell.column).name
    return {
        record.settings_key
        for (row, _, name, _), record in study.records.items()
        if (row, name) == (cell.row, column)
    }


@pytest.mark.parametrize("title", CHANGES)
@pytest.mark.parametrize("part", [{"datasets": ("one",)}, {"realizations": 1}])
def test_every_value_shown_has_the_settings_that_the_config_asks_for(
    folder, monkeypatch, title, part
):
    results = folder / "results"
    run_quietly(make_plan(folder / "s.yaml"), results, jobs=1)
    change, named = CHANGES[title]
    change(folder, monkeypatch)
    run_quietly(make_plan(folder / "s.yaml", **part), results, jobs=1)
    plan = make_plan(folder / "s.yaml")  # what the config asks for, as a whole
    code_identity._identity.cache_clear()
    study = read_study(results / "s")
    assert read_asked(results / "s").values == plan.asked.values
    cells = build_table(study, study.config.tables[0])
    for cell in cells:
        asked = plan.asked.values.get((cell.row, cell.column, "error"))
        if cell.mean is None:
            assert cell.reason
            continue
        assert asked is not None
        assert shown_key(study, cell) == {asked.settings_key}
        assert cell.n <= asked.realizations
        assert (cell.n < asked.realizations) == cell.is_partial
    # Every medium and verb agrees with the table, and says why places are empty.
    table = invoke("table", "results")
    markdown = (results / "s" / "table-1.md").read_text().replace("\\", "")
    exported = invoke("export", "results", "-o", "out.csv")
    lines = pd.read_csv(folder / "out.csv")
    for cell, mean in zip(cells, lines["mean"], strict=True):
        assert (cell.mean is None) == pd.isna(mean)
        if cell.is_partial:
            assert f"(n={cell.n})" in table.stdout
            assert f"(n={cell.n})" in markdown
    recorded = invoke("export", "results", "--per-realization", "-o", "all.csv")
    answers = {one.settings_key for one in plan.asked.values.values()}
    assert set(pd.read_csv(folder / "all.csv")["settings_key"]) <= answers
    report = invoke("report", "results", "--only", "tables")
    status = invoke("status", "results")
    said = "have other settings"
    for answer in (table, exported, recorded, report, status):
        assert (said in answer.stderr) == bool(named), answer.stderr
        assert answer.exit_code == (1 if named else 0), answer.output
    if named:
        assert named in table.stderr
        assert "`ensvm run s.yaml" in table.stderr
        assert "stale" in status.stdout
        with pytest.warns(UserWarning, match=said):
            ensvm.load_results("results")
        assert f"stale: {named}" in markdown or f"with other settings ({named}" in markdown


def test_a_folder_without_the_file_is_shown_with_a_line(folder):
    run_quietly(make_plan(folder / "s.yaml"), folder / "results", jobs=1)
    before = invoke("table", "results")
    assert "older version" not in before.stderr
    (folder / "results" / "s" / ASKED_FILE).unlink()
    after = invoke("table", "results")
    assert after.exit_code == 0
    assert after.stdout == before.stdout
    assert "older version" in after.stderr


@pytest.mark.parametrize("text", ["{", "[]", '{"kind": "value"}', '{"kind": "other"}', "\x00"])
def test_a_damaged_file_is_one_message_and_blocks_no_other_study(folder, text):
    run_quietly(make_plan(folder / "s.yaml"), folder / "results", jobs=1)
    shutil.copytree(folder / "results" / "s", folder / "results" / "t")
    edited("results/t/config.yaml", "study: s", "study: t")(folder, None)
    (folder / "results" / "t" / ASKED_FILE).write_text(f"{text}\n")
    answer = invoke("table", "results")
    assert answer.exit_code == 1
    assert f"{ASKED_FILE}, line 1: " in answer.stderr
    assert "Table 1. E" in answer.stdout


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_merged_shards_of_two_codes_are_counted_and_not_mixed(folder, order, monkeypatch):
    shards = [folder / "shard-1", folder / "shard-2"]
    for number, shard in enumerate(shards, start=1):
        monkeypatch.setattr("ensvm.runner.execute.now", lambda n=number: f"2026-01-0{n}T00:00:00Z")
        numbers = range(1, 3) if number == 1 else range(3, 4)
        run_quietly(make_plan(folder / "s.yaml", realizations=numbers), shard, jobs=1)
        edited("own.py", "pass", "x = 1")(folder, monkeypatch) if number == 1 else None
    [merged], _ = merge([shards[number] for number in order])
    said = "mine on one: 1 realization with the settings asked for, 2 with others: own.py"
    assert said in merged.notes
    write_merged([merged], folder / "both")
    study = read_study(folder / "both" / "s")
    cells = {(one.row, one.column): one for one in build_table(study, study.config.tables[0])}
    assert cells["one", "mine"].n == 1
    assert "2 with other settings (own.py)" in cells["one", "mine"].reason
    assert cells["one", "knn"].n == 3
    assert len((folder / "both" / "s" / CELLS_FILE).read_text().splitlines()) > 0
    asked = (folder / "both" / "s" / ASKED_FILE).read_text().splitlines()
    assert json.loads(asked[0])["time"].startswith("2026-01-02")
