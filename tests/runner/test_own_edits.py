"""Whatever decides what own code does, a change of it runs its cells again.

In each case the C of a classifier of the user's own comes from another place.
"""

import json

import numpy as np
import pytest
from made_up_records import record_of, settings_of

from ensvm.errors import UserError
from ensvm.records import code_identity
from ensvm.records.identity import asked
from ensvm.runner import own_code
from ensvm.runner.estimators import made
from ensvm.runner.own_code import importable
from ensvm.runner.plan import make_plan

FIT = """
from sklearn.svm import SVC
class Mine(SVC):
    def fit(self, X, y, sample_weight=None):
        {inside}
        self.C = float({C})
        return super().fit(X, y)
"""


def own(C, inside="pass", before="", after=""):
    """Return a module with a classifier that takes its C from an expression."""
    return f"{before}\n{FIT.format(C=C, inside=inside)}\n{after}\n"


# What changes the C, the file that is edited, the files beside the config, what `depends:` names.
EDITS = {
    "a literal in the class": ("own.py", {"own.py": own("1.0")}),
    "a function imported by name": (
        "helper.py",
        {
            "own.py": own("c()", before="from helper import c"),
            "helper.py": "def c():\n    return 1.0\n",
        },
    ),
    "a relative import": (
        "own/helper.py",
        {
            "own/__init__.py": "from .model import Mine\n",
            "own/model.py": own("C", before="from .helper import C"),
            "own/helper.py": "C = 1.0\n",
        },
    ),
    "a registry of plug-ins": (
        "plugin.py",
        {
            "own.py": own("registry.FOUND['C']", before="import registry, plugin"),
            "registry.py": "FOUND = {}\n",
            "plugin.py": "import registry\nregistry.FOUND['C'] = 1.0\n",
        },
    ),
    "a patch at the end of the module": (
        "patch.py",
        {
            "own.py": own("self.own_C", after="import patch"),
            "patch.py": "import sys\nsys.modules['own'].Mine.own_C = 1.0\n",
        },
    ),
    "JSON that is read at import": (
        "c.json",
        {
            "own.py": own(
                "C",
                before="import json, pathlib\n"
                "C = json.loads(pathlib.Path(__file__).with_name('c.json').read_text())",
            ),
            "c.json": "1.0",
        },
        "c.json",
    ),
    "JSON that fit reads": (
        "c/d.json",
        {
            "own.py": own(
                "json.loads(path.read_text())",
                "import json, pathlib; path = pathlib.Path(__file__).parent / 'c' / 'd.json'",
            ),
            "c/d.json": "1.0",
        },
        "[c]",
    ),
    "an import inside fit": (
        "more/helper.py",
        {
            "own.py": own("C", "from middle import C"),
            "middle.py": "from more import helper\nC = helper.C\n",
            "more/helper.py": "C = 1.0\n",
        },
    ),
    "import_module inside fit": (
        "helper.py",
        {
            "own.py": own(
                "helper.C", "import importlib; helper = importlib.import_module('helper')"
            ),
            "helper.py": "C = 1.0\n",
        },
    ),
}


@pytest.fixture
def folder(tmp_path):
    """Return a function that writes files beside the config."""

    def write(files):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        return tmp_path

    return write


def planned(config):
    """Return the cell of `mine`, and the plan."""
    plan = make_plan(config, realizations=1)
    return next(cell for cell in plan.cells if cell.algorithm == "mine"), plan


def done(plan):
    """Return the records of a run of a plan, as they are read again."""
    return {
        cell.identity: record_of(
            cell, settings=settings_of(**json.loads(json.dumps(cell.settings.to_json())))
        )
        for cell in plan.cells
    }


def fitted_C(folder, module="own"):
    X, y = np.arange(20.0)[:, None], np.arange(20) % 2
    with importable(folder):
        return made(f"{module}:Mine", {}, 0).fit(X, y).C


@pytest.mark.parametrize("title", EDITS)
def test_an_edit_of_what_decides_the_value_runs_the_cell_again(title, study, folder):
    edited, files, *depends = EDITS[title]
    place = folder(files)
    module = "own" if "own.py" in files else "own.model"
    more = f", depends: {depends[0]}" if depends else ""
    config = study(f"mine: {{estimator: {module}.Mine{more}}}\nsvc: {{estimator: SVC}}")
    cell, plan = planned(config)
    assert fitted_C(place, module) == 1.0
    assert set(cell.settings.own) == {name.partition("/")[0] for name in files}
    assert not plan.missing(done(plan))
    (place / edited).write_text((place / edited).read_text().replace("1.0", "0.001"))
    assert fitted_C(place, module) == 0.001
    (stale, why), *others = planned(config)[1].missing(done(plan))
    changed = f"changed: {edited.partition('/')[0]}"
    assert (stale.algorithm, why, others) == ("mine", changed, [])
    assert asked(stale.settings) == asked(cell.settings)  # no shipped value goes


def test_the_environment_is_not_seen(study, folder, monkeypatch):
    """As docs/run/running.md says."""
    place = folder({"own.py": own("os.environ['OWN_C']", before="import os")})
    config = study("mine: {estimator: own.Mine}")
    monkeypatch.setenv("OWN_C", "1.0")
    before, _ = planned(config)
    assert fitted_C(place) == 1.0
    monkeypatch.setenv("OWN_C", "0.001")
    assert fitted_C(place) == 0.001
    assert planned(config)[0].key == before.key


EDITED = {"own.py": own("1.0") + "# a comment\n", "python2.py": "print 'no Python 3'\n"}
ODD = "r = '\\d'  # Python warns of this\n"
# Files that are written beside the config, and whether they are part of the key of its cells.
COUNTS = {
    "own.py": True,
    "unrelated.py": True,
    "package/inner/deep.py": True,
    "linked/module.py": True,
    "package/results/module.py": True,
    "python2.py": True,
    "compiled.abi3.so": False,  # `depends:` may name it
    "notes.txt": False,
    "package/table.json": False,
    "results/module.py": False,
    ".hidden/module.py": False,
    ".#lock.py": False,
    "package/__pycache__/deep.cpython-311.pyc": False,
    "not-a-package/module.py": True,  # own code may put the folder on its path
    "venv/lib/module.py": False,
    "conda/module.py": False,
}


@pytest.mark.parametrize("name", COUNTS)
def test_every_python_file_beside_the_config_counts(name, study, folder, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    place = folder({"own.py": own("1.0"), "venv/pyvenv.cfg": "", "conda/conda-meta/history": ""})
    (place / "linked").symlink_to(elsewhere)
    (elsewhere / "loop").symlink_to(place)
    config = study("mine: {estimator: own.Mine}\nsvc: {estimator: SVC}")
    before, _ = planned(config)
    folder({name: EDITED.get(name, ODD)})
    after, plan = planned(config)
    assert (after.key != before.key) == COUNTS[name]
    assert [cell.algorithm for cell in plan.cells if cell.has_own_code] == ["mine"]


def test_own_code_is_of_the_algorithms_that_name_it(study, folder, monkeypatch):
    folder(
        {
            "own.py": own("1.0"),
            "step.py": "from sklearn.preprocessing import StandardScaler as Step\n",
            "function.py": "from sklearn.preprocessing import FunctionTransformer\n"
            "class Half(FunctionTransformer):\n    def half(self, X):\n        return X / 2\n",
            "forest.txt": "",
        }
    )
    walks = []
    read = own_code._module_files
    monkeypatch.setattr(own_code, "_module_files", lambda path: walks.append(path) or read(path))
    config = study(
        """
        inside: {estimator: BaggingClassifier, params: {estimator: "own:Mine"}}
        step: {pipeline: ["step:Step", SVC]}
        function: {pipeline: ["function:Half", SVC]}
        chosen:
          {estimator: BaggingClassifier, grid: {estimator: [SVC, own.Mine]}, stage: best-on-test}
        declared: {estimator: SVC, depends: forest.txt}
        library: {pipeline: [StandardScaler, SVC]}
        """
    )
    own_names = {
        cell.algorithm: {*cell.settings.own} for cell in make_plan(config, realizations=1).cells
    }
    modules = {"own.py", "step.py", "function.py"}
    assert own_names == {
        "data": set(),
        **dict.fromkeys(["inside", "step", "function", "chosen"], modules),
        "declared": {"forest.txt"},
        "library": set(),
    }
    assert len(walks) == 1  # the folder is read once, not for each algorithm or cell


@pytest.mark.parametrize("depends", ["[own.csv, wieghts.txt]", "empty", "'*.npz'", "''", "."])
def test_a_declared_file_has_to_be_there(depends, study, folder, tmp_path):
    folder({"weights.txt": "1"})
    (tmp_path / "empty").mkdir()
    config = study(f"svc:\n  estimator: SVC\n  depends: {depends}")
    with pytest.raises(UserError, match=r"line 8: algorithms.svc.depends\[.\]: no file") as caught:
        make_plan(config)
    assert ("did you mean 'weights.txt'" in str(caught.value)) == ("wieghts" in depends)


@pytest.mark.parametrize("edited", ["own/model.py", "own/c.json", "own/more/d.json"])
def test_a_package_may_be_declared_with_its_other_files(edited, study, folder):
    folder({"own/model.py": own("1.0"), "own/c.json": "1", "own/more/d.json": "1"})
    config = study("mine: {estimator: own.model.Mine, depends: own}")
    _, plan = planned(config)
    folder({edited: own("2.0")})
    assert [why for _, why in planned(config)[1].missing(done(plan))] == ["changed: own"]


def test_a_file_that_cannot_be_read_is_named(study, folder):
    (folder({"own.py": own("1.0")}) / "gone.py").symlink_to("nowhere.py")
    with pytest.raises(UserError, match=r"algorithms: gone\.py: cannot be read: No such file"):
        planned(study("mine: {estimator: own.Mine}"))


@pytest.mark.parametrize(
    "line", ["import ensvm", "from ensvm import TunedSVC", "from ensvm.kernels import low_rank"]
)
def test_what_own_code_imports_of_ensvm_is_part_of_the_code(line, study, folder):
    config = study("mine: {estimator: own.Mine}")
    folder({"own.py": own("1.0")})
    before = planned(config)[0].settings.code
    folder({"own.py": own("1.0", line)})
    after = planned(config)[0].settings.code
    assert before.partition(" + ")[0] != after.partition(" + ")[0]


@pytest.mark.parametrize("package", ["numpy", "scipy", "sklearn", "numba", "pytest"])
def test_another_version_of_a_package_runs_the_cells_that_use_it_again(
    package, study, folder, monkeypatch
):
    folder({"own.py": own("1.0", "import pytest; import numba; from . import nothing")})
    config = study(
        "mine: {estimator: own.Mine}\nours: {estimator: SVMPathClassifier}\nsvc: {estimator: SVC}"
    )

    def plan_with(version_of):
        monkeypatch.setattr(code_identity, "_version", version_of)
        code_identity._identity.cache_clear()
        return make_plan(config, realizations=1)

    known = code_identity._version
    before = done(plan_with(known))
    other = plan_with(lambda name: "0.7" if name == package else known(name))
    code_identity._identity.cache_clear()
    missing = {cell.algorithm: why for cell, why in other.missing(before)}
    wanted = {"numba": {"mine", "ours"}, "pytest": {"mine"}}
    assert set(missing) >= wanted.get(package, {"mine", "ours", "svc"})
    assert set(missing.values()) == {f"changed: {package} {known(package)}, asked 0.7"}
    if package == "pytest":
        assert set(missing) == {"mine"}
