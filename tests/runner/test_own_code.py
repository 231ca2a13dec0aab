"""Modules beside a config: found there, told apart by their code, and forgotten afterwards."""

import sys

import pytest

import ensvm
from ensvm.errors import UserError
from ensvm.runner.own_code import importable
from ensvm.runner.plan import make_plan

OWN = """
from sklearn.tree import DecisionTreeClassifier
from parts_of_own.depths import DEPTH
class Tree(DecisionTreeClassifier):
    pass
class Small(DecisionTreeClassifier):
    def __init__(self, max_leaf_nodes=2):
        super().__init__(max_depth=DEPTH, max_leaf_nodes=max_leaf_nodes)
"""
BLOCKS = """
own: {estimator: module_beside.Tree}
small: {estimator: module_beside.Small, params: {max_leaf_nodes: 3}}
inside: {pipeline: [StandardScaler, "module_beside:Small"]}
other: {estimator: SVC}
"""


@pytest.fixture
def config(study, tmp_path):
    (tmp_path / "module_beside.py").write_text(OWN)
    (tmp_path / "parts_of_own").mkdir()
    (tmp_path / "parts_of_own" / "depths.py").write_text("DEPTH = 1\n")
    return study(BLOCKS)


def test_a_plan_leaves_nothing_behind(config):
    path, modules = list(sys.path), set(sys.modules)
    make_plan(config)
    assert sys.path == path
    assert not {name for name in set(sys.modules) - modules if "own" in name or "beside" in name}


def test_two_folders_may_have_a_module_of_one_name(tmp_path):
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "named_alike.py").write_text(f"NAME = {name!r}\n")
    for name in ("first", "second", "first"):
        with importable(tmp_path / name):
            import named_alike

            assert name == named_alike.NAME


def test_a_module_that_is_installed_counts(study, tmp_path):
    (tmp_path / "sklearn.py").write_text("1 / 0\n")
    assert make_plan(study("a: {estimator: sklearn.svm.SVC}")).cells
    (tmp_path / "broken_beside.py").write_text("import nothing_of_that_name\n")
    with pytest.raises(UserError, match=r"broken_beside.*nothing_of_that_name"):
        make_plan(study("a: {estimator: broken_beside.A}"))


@pytest.mark.usefixtures("in_this_process")
def test_results_are_read_without_the_module(config, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["ensvm", "run", config.name])
    tables = "tables: [{id: 1, caption: c, columns: [own, other]}]\n"
    config.write_text(config.read_text() + tables)
    results = ensvm.run(config, realizations=1, jobs=1, progress=False)
    before = results.table(1).markdown
    (tmp_path / "module_beside.py").unlink()
    assert ensvm.load_results().table(1).markdown == before


@pytest.fixture
def elsewhere(tmp_path_factory, monkeypatch):
    """A folder that Python searches, with a module of a classifier, beside no config."""
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / "lies_elsewhere.py").write_text("from sklearn.svm import SVC as Mine\n")
    monkeypatch.syspath_prepend(folder)
    yield folder
    sys.modules.pop("lies_elsewhere", None)


def cell_of(config):
    return next(cell for cell in make_plan(config).cells if cell.algorithm == "mine")


def test_a_module_on_the_path_is_imported_anew_by_each_plan_and_is_back_afterwards(
    study, elsewhere
):
    import lies_elsewhere

    config = study("mine: {estimator: lies_elsewhere.Mine}")
    before = cell_of(config)
    assert before.own_files == (str(elsewhere / "lies_elsewhere.py"),)
    (elsewhere / "lies_elsewhere.py").write_text("from sklearn.svm import LinearSVC as Mine\n")
    after = cell_of(config)
    assert "dual" in after.method.defaults
    assert "dual" not in before.method.defaults
    assert {*before.settings["own"]} == {*after.settings["own"]} == {"lies_elsewhere.py"}
    assert before.settings["own"] != after.settings["own"]
    assert sys.modules["lies_elsewhere"] is lies_elsewhere


def test_what_pip_installed_in_any_folder_is_no_own_module(study, elsewhere):
    metadata = elsewhere / "lies_elsewhere-1.0.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text("Metadata-Version: 2.1\nName: lies-elsewhere\nVersion: 1.0\n")
    assert cell_of(study("mine: {estimator: lies_elsewhere.Mine}")).own_files == ()
