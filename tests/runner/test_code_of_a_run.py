"""A run's values are those of the code that it was planned with, whatever changes meanwhile."""

import json
import os
from pathlib import Path
from unittest.mock import Mock

import pytest
from made_up_records import PoolHere, cells_run_here, run_quietly

from ensvm.records.store import read_records
from ensvm.runner import execute, own_code
from ensvm.runner.own_code import changed_since
from ensvm.runner.plan import make_plan
from ensvm.runner.progress import RunProgress

OWN = """
import json, pathlib
from sklearn.tree import DecisionTreeClassifier
import other
class Mine(DecisionTreeClassifier):
    def fit(self, X, y):
        path = pathlib.Path(__file__).with_name("a.json")
        self.used_ = 1 * (json.loads(path.read_text()) if path.exists() else 0) * other.FACTOR
        return super().fit(X, y)
"""
FILES = {"own.py": OWN, "other.py": "FACTOR = 1\n", "a.json": "1"}
CHANGED = {
    "own.py": OWN.replace("1 *", "2 *"),
    "other.py": "FACTOR = 2\n",
    "a.json": "2",
}
DEPENDS = "mine: {estimator: own.Mine, depends: [a.json]}\nnb: {estimator: GaussianNB}"


@pytest.fixture
def config(study, tmp_path, monkeypatch):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    cells_run_here(monkeypatch)
    monkeypatch.setattr(PoolHere, "size", 1)  # a record is reported before the next cell begins
    return study(DEPENDS, realizations=8)


class Edits(RunProgress):
    """Edits a file after some records of `mine`, and restores it after some more."""

    def __init__(self, path, edit, restore_after):
        super().__init__("s", visible=False)
        self._path, self._edit, self._restore_after, self._n = path, edit, restore_after, 0

    def done(self, records):
        for record in records:
            self._n += record.algorithm == "mine"
        if self._n == 3 and self._edit is not None:
            self._path.write_text(self._edit)
        elif self._n == 3:
            self._path.unlink(missing_ok=True)
        elif self._n == self._restore_after:
            self._path.write_text(FILES[self._path.name])


def of_mine(results):
    records = read_records(results / "trial").values()
    return {one.realization: one for one in records if one.algorithm == "mine"}


@pytest.mark.parametrize("edited", FILES)
@pytest.mark.parametrize("removed", [False, True])
def test_a_cell_whose_code_is_not_the_plans_fails_and_the_next_run_makes_it(
    config, tmp_path, edited, removed
):
    results, path = tmp_path / "results", tmp_path / edited
    edits = Edits(path, None if removed else CHANGED[edited], 6)
    execute.run_plan(make_plan(config), results, edits, jobs=1)
    records = of_mine(results)
    failed = {number for number, record in records.items() if not record.ok}
    assert len(failed) == 3
    assert {records[number].reason for number in failed} == {
        f"{edited} has changed since the run began"
    }
    others = [one for one in read_records(results / "trial").values() if one.algorithm != "mine"]
    assert all(record.ok for record in others)
    run_quietly(make_plan(config), results, jobs=1)
    assert {one.metrics["used_"] for one in of_mine(results).values()} == {1}


def test_code_that_changes_while_a_cell_runs_fails_that_cell(config, tmp_path):
    inside = "        pathlib.Path(__file__).with_name('other.py').write_text('FACTOR = 3')\n"
    (tmp_path / "own.py").write_text(OWN.replace("        return", f"{inside}        return"))
    run_quietly(make_plan(config, realizations=1), tmp_path / "results", jobs=1)
    assert of_mine(tmp_path / "results")[1].reason == "other.py has changed since the run began"


def test_a_worker_with_another_copy_of_the_folder_is_told_apart(config, tmp_path, monkeypatch):
    plan = make_plan(config)
    own = next(cell for cell in plan.cells if cell.algorithm == "mine").settings.own
    assert changed_since(own, tmp_path) == ""
    copy = tmp_path / "elsewhere"
    copy.mkdir()
    for name, text in FILES.items():
        (copy / name).write_text(text)
    assert changed_since(own, copy) == ""
    (copy / "other.py").write_text(CHANGED["other.py"])
    (copy / "a.json").unlink()
    assert changed_since(own, copy) == "a.json, other.py have changed since the run began"
    with monkeypatch.context() as patch:
        closed = PermissionError(13, "Permission denied", "other.py")
        patch.setattr(own_code, "hash_of_files", Mock(side_effect=closed))
        assert changed_since(own, copy) == "other.py cannot be read any more: Permission denied"
    missing = f"the folder of the config is missing: {tmp_path / 'no'}"
    assert changed_since(own, tmp_path / "no") == missing


def test_an_edit_of_equal_size_and_time_is_seen(config, tmp_path):
    own = next(cell for cell in make_plan(config).cells if cell.algorithm == "mine").settings.own
    path = tmp_path / "other.py"
    before = path.stat()
    path.write_text("FACTOR = 7\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert changed_since(own, tmp_path) == "other.py has changed since the run began"


def test_scripts_in_any_folder_below_the_config_count(study, tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "other.py").write_text("FACTOR = 1\n")
    watched = ["my-lib/a.py", "2024 data/b.py", "pkg/deep-er/c.py"]
    not_watched = [".hidden/d.py", "__pycache__/e.py", "results/f.py", "env/lib/g.py"]
    (tmp_path / "env").mkdir()
    (tmp_path / "env" / "pyvenv.cfg").touch()
    for name in [*watched, *not_watched]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("A = 1\n")
    config = study("mine: {estimator: own.Mine}")

    def key():
        [*_, cell] = make_plan(config, algorithms=("mine",)).cells
        return json.dumps(cell.settings.own)

    before = key()
    for name in not_watched:
        (tmp_path / name).write_text("A = 2\n")
    assert key() == before
    for name in watched:
        (tmp_path / name).write_text("A = 2\n")
        changed = key()
        assert changed != before, name
        before = changed


def test_a_module_that_changes_the_directory_when_imported_does_not_move_the_results(
    config, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other.py").write_text("import os\nFACTOR = 1\nos.chdir('/')\n")
    plan = make_plan(config)
    assert os.getcwd() == str(tmp_path)
    run_quietly(plan, Path("results"), jobs=1)
    assert {one.status for one in of_mine(tmp_path / "results").values()} == {"ok"}
