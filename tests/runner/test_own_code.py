"""Modules beside a config: found there, told apart by their code, and forgotten afterwards."""

import re
import sys

import pytest
from made_up_records import invoke

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


def test_a_module_elsewhere_is_own_code_only_if_it_is_declared(study, elsewhere):
    assert not cell_of(study("mine: {estimator: lies_elsewhere.Mine}")).has_own_code
    pattern = str(elsewhere / "*.py")
    config = study(f"mine: {{estimator: lies_elsewhere.Mine, depends: {pattern}}}")
    before = cell_of(config)
    assert [*before.settings.own] == [pattern]
    (elsewhere / "lies_elsewhere.py").write_text("from sklearn.svm import NuSVC as Mine\n")
    assert before.settings.own != cell_of(config).settings.own


def test_each_plan_imports_a_module_anew_and_the_one_before_is_back(study, tmp_path, monkeypatch):
    """As in a notebook beside the config."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "imported_before.py").write_text("from sklearn.svm import SVC as Mine\n")
    import imported_before

    config = study("mine: {estimator: imported_before.Mine}")
    before = cell_of(config)
    (tmp_path / "imported_before.py").write_text("from sklearn.svm import LinearSVC as Mine\n")
    after = cell_of(config)
    assert "dual" in after.method.defaults
    assert "dual" not in before.method.defaults
    assert before.settings.own != after.settings.own
    assert sys.modules.pop("imported_before") is imported_before


def test_a_loaded_module_that_workers_would_not_find_is_not_taken(study, tmp_path, elsewhere):
    import lies_elsewhere

    sys.path.remove(str(elsewhere))
    (tmp_path / "lies_elsewhere.py").write_text("from sklearn.svm import LinearSVC as Mine\n")
    cell = cell_of(study("mine: {estimator: lies_elsewhere.Mine}"))
    assert "dual" in cell.method.defaults
    assert cell.has_own_code
    assert sys.modules["lies_elsewhere"] is lies_elsewhere


@pytest.mark.parametrize(
    ("module", "file"),
    [
        ("queue", "queue.py"),  # of Python
        ("time", "time.py"),  # built into Python
        ("joblib", "joblib.py"),  # installed
        ("statistics.models", "statistics/models.py"),
        ("yaml.models", "yaml/__init__.py"),
    ],
)
def test_a_module_beside_the_config_that_another_one_hides_is_named(module, file, study, tmp_path):
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text("from sklearn.svm import SVC as Mine\n")
    hidden = tmp_path / file.partition("/")[0]
    reason = r"because (/\S+|a module of Python) has this name, too: rename it"
    with pytest.raises(UserError) as caught:
        make_plan(study(f"mine: {{estimator: {module}.Mine}}"))
    assert f"; {hidden}" in str(caught.value)
    assert re.search(f" is not imported, {reason}", str(caught.value))


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("\ndef (", "invalid syntax (mistaken.py, line 2)"),
        ("\nimport no_such_package", "No module named 'no_such_package' ({path}, line 2)"),
        ("\nimport mistaken.more", "No module named 'mistaken.more'"),
        ("from math import no_such", "cannot import name 'no_such' from 'math'"),
        ("def f():\n    1 / 0\nf()", "ZeroDivisionError: division by zero ({path}, line 2)"),
        ("raise SystemExit(3)", "SystemExit: 3 ({path}, line 1)"),
        ("assert False", "AssertionError"),
        (
            "class Mute(Exception):\n    def __str__(self): raise ValueError\nraise Mute",
            "Mute: its text cannot be shown: str() raises ValueError ({path}, line 3)",
        ),
    ],
)
def test_a_module_that_ends_while_it_is_imported_is_not_said_to_be_hidden(
    lines, reason, study, tmp_path
):
    path = tmp_path / "mistaken.py"
    path.write_text(lines)
    with pytest.raises(UserError) as caught:
        make_plan(study("mine: {estimator: mistaken.Mine}"))
    assert reason.format(path=path) in str(caught.value)
    assert "rename" not in str(caught.value)


def test_a_class_that_is_not_there_is_not_said_to_be_hidden(config):
    config.write_text(config.read_text().replace("module_beside.Tree", "module_beside.Bush"))
    with pytest.raises(UserError, match=r"module_beside\.py\) has no class Bush$"):
        make_plan(config)


def test_check_names_modules_that_no_folder_of_the_config_holds(study, tmp_path, monkeypatch):
    elsewhere = tmp_path / "elsewhere"
    beside = tmp_path / "beside"
    for folder, name in ((elsewhere, "far_away"), (beside, "near_by")):
        folder.mkdir()
        text = "from sklearn.naive_bayes import GaussianNB\nclass Mine(GaussianNB): pass\n"
        (folder / f"{name}.py").write_text(text)
    path = study("a: {estimator: 'far_away:Mine'}\nb: {estimator: 'near_by:Mine'}")
    config = beside / "trial.yaml"
    config.write_text(path.read_text().replace("own.csv", "../own.csv"))
    monkeypatch.syspath_prepend(elsewhere)
    told = " ".join(invoke("check", config).output.split())
    assert "not watched: far_away" in told
    assert "near_by" not in told


def test_check_names_what_own_modules_import_from_elsewhere(study, tmp_path, monkeypatch):
    files = {
        "beside/mine.py": "import numpy, json, helper\nfrom sklearn.svm import SVC\n"
        "class Mine(SVC):\n    def fit(self, X, y):\n        from first import rows\n",
        "beside/helper.py": "from spread.inner import part\n",
        "elsewhere/first/__init__.py": "from .rows import second\n",
        "elsewhere/first/rows.py": "import second\n",
        "elsewhere/second.py": "import first, mine, nobody_has_this\n",
        "elsewhere/spread/inner/part.py": "import lists\n",
        "elsewhere/lists.py": "",
        "elsewhere/unused.py": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    config = tmp_path / "beside" / "trial.yaml"
    text = study("a: {estimator: 'mine:Mine'}").read_text()
    config.write_text(text.replace("own.csv", "../own.csv"))
    monkeypatch.syspath_prepend(tmp_path / "elsewhere")
    told = " ".join(invoke("check", config).output.split())
    assert set(re.findall(r"not watched: (\w+)", told)) == {"first", "second", "spread", "lists"}
