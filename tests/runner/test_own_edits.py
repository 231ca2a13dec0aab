"""Whatever decides what own code does, a change of it runs its cells again.

In each case the C of a classifier of the user's own comes from another place.
"""

import json
import os

import numpy as np
import pytest
from made_up_records import record_of

import ensvm
from ensvm.errors import UserError
from ensvm.records import code_identity
from ensvm.records.identity import asked
from ensvm.records.store import read_records
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
        "helper.py",
    ),
}


@pytest.fixture
def folder(tmp_path):
    """Return a function that writes files beside the config."""

    def write(files):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
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
        cell.identity: record_of(cell, settings=json.loads(json.dumps(cell.settings)))
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
    assert set(cell.own_files) == {str(place / name) for name in files}
    assert not plan.missing(done(plan))
    (place / edited).write_text((place / edited).read_text().replace("1.0", "0.001"))
    assert fitted_C(place, module) == 0.001
    (stale, why), *others = planned(config)[1].missing(done(plan))
    assert (stale.algorithm, why, others) == ("mine", f"changed: {edited}", [])
    assert asked(stale.settings) == asked(cell.settings)  # no shipped value goes


def test_the_environment_is_not_seen(study, folder, monkeypatch):
    """As docs/reference/what-runs-again.md says."""
    place = folder({"own.py": own("os.environ['OWN_C']", before="import os")})
    config = study("mine: {estimator: own.Mine}")
    monkeypatch.setenv("OWN_C", "1.0")
    before, _ = planned(config)
    assert fitted_C(place) == 1.0
    monkeypatch.setenv("OWN_C", "0.001")
    assert fitted_C(place) == 0.001
    assert planned(config)[0].key == before.key


def test_a_file_that_no_edit_has_to_do_with_keeps_the_cell(study, folder):
    place = folder({"own.py": own("1.0"), "other.py": "C = 1\n", "notes.txt": "none\n"})
    config = study("mine: {estimator: own.Mine}")
    before, _ = planned(config)
    folder({"other.py": "C = 2\n", "notes.txt": "some\n"})
    assert planned(config)[0].key == before.key
    (place / "own.py").write_text(own("1.0") + "# a comment\n")  # files count as a whole
    assert planned(config)[0].key != before.key


def test_own_files_are_of_the_cells_that_need_them(study, folder):
    place = folder(
        {
            "own.py": own("1.0") + "def later():\n    import late\n    return late.Late()\n",
            "late.py": "from sklearn.svm import LinearSVC\nclass Late(LinearSVC):\n    pass\n",
            "step.py": "from sklearn.preprocessing import StandardScaler as Step\n",
            "function.py": "import step\n"
            "from sklearn.preprocessing import FunctionTransformer\n"
            "class Half(FunctionTransformer):\n    def half(self, X):\n        return X / 2\n",
            "forest.txt": "",
        }
    )
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
    files = {
        cell.algorithm: {os.path.relpath(path, place) for path in cell.own_files}
        for cell in make_plan(config, realizations=1).cells
    }
    assert files == {
        "data": set(),
        "inside": {"own.py", "late.py"},
        "step": {"step.py"},
        "function": {"function.py", "step.py"},
        "chosen": {"own.py", "late.py"},
        "declared": {"forest.txt"},
        "library": set(),
    }


READERS = {
    # What is read, when, and what is to be declared.
    "at_import": "C = float(Path(__file__).with_name('at_import.txt').read_text())",
    "in_fit": "C = np.loadtxt(Path(__file__).with_name('in_fit.csv'))",
    "late_module": "C = import_module('late_module_c').C",
    "data_set": "C = 1 + len(Path(__file__).with_name('own.csv').read_text())",
    "writes": "Path(__file__).with_name('out.txt').write_text('1'); C = 1",
}


def test_a_cell_that_reads_what_its_key_does_not_hold_warns(study, folder, tmp_path):
    """In workers, in every realization, in the timing pass after its warm-up too."""
    files = {"at_import.txt": "1", "in_fit.csv": "1", "late_module_c.py": "C = 1\n"}
    for name, line in READERS.items():
        imports = (
            "import numpy as np\nfrom pathlib import Path\nfrom importlib import import_module"
        )
        at_import = name == "at_import"
        before = f"{imports}\n{line}" if at_import else imports
        files[f"{name}.py"] = own("C", "pass" if at_import else line, before=before)
    folder(files)
    blocks = [f"{name}: {{estimator: {name}.Mine}}\n" for name in READERS]
    declared = "declared: {estimator: in_fit.Mine, depends: [in_fit.csv]}\n"
    config = study(
        "".join(blocks) + declared,
        realizations=2,
        more="timing: {realizations: 1, blas_threads: 2}",
    )
    ensvm.run(config, jobs=1, progress=False, results=tmp_path / "results")
    warned = {}
    for record in read_records(tmp_path / "results" / "trial").values():
        assert record.ok, record.reason
        warned.setdefault(record.algorithm, set()).add(record.warnings)
    message = (
        "UndeclaredFiles: a change of files that this cell reads would not run it again;"
        " add `depends: [{}]` to the algorithm"
    )
    assert warned == {
        "at_import": {(message.format("at_import.txt"),)},
        "in_fit": {(message.format("in_fit.csv"),)},
        "late_module": {(message.format("late_module_c.py"),)},
        **{name: {()} for name in ("data", "data_set", "writes", "declared")},
    }


@pytest.mark.parametrize("depends", ["[own.csv, wieghts.txt]", "empty", "'*.npz'", "''", "."])
def test_a_declared_file_has_to_be_there(depends, study, folder, tmp_path):
    folder({"weights.txt": "1"})
    (tmp_path / "empty").mkdir()
    config = study(f"svc:\n  estimator: SVC\n  depends: {depends}")
    with pytest.raises(UserError, match=r"line 8: algorithms.svc.depends\[.\]: no file") as caught:
        make_plan(config)
    assert ("did you mean 'weights.txt'" in str(caught.value)) == ("wieghts" in depends)


def test_the_record_of_a_cell_with_many_files_names_groups(study, folder):
    files = {f"images/{number}.txt": "a" for number in range(30)}
    folder({"own.py": own("1.0"), **files})
    config = study("mine: {estimator: own.Mine, depends: [images]}")
    before, _ = planned(config)
    assert list(before.settings["own"]) == ["images/", "*.py"]
    assert len(before.own_files) == 31
    folder({"images/7.txt": "b"})
    after, plan = planned(config)
    assert plan.missing(done(plan)) == []
    assert after.settings["own"]["images/"] != before.settings["own"]["images/"]
    assert after.settings["own"]["*.py"] == before.settings["own"]["*.py"]


@pytest.mark.parametrize("package", ["numpy", "scipy", "sklearn", "numba", "pytest"])
def test_another_version_of_a_package_runs_the_cells_that_use_it_again(
    package, study, folder, monkeypatch
):
    folder({"own.py": own("1.0", "import pytest; import numba; from . import nothing")})
    config = study("mine: {estimator: own.Mine}\nours: {estimator: RhoSVC}\nsvc: {estimator: SVC}")

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
    assert set(missing.values()) == {f"changed: {package} 0.7"}
    if package == "pytest":
        assert set(missing) == {"mine"}
