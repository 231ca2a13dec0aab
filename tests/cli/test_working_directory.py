"""Files with the names of installed modules, in the working directory or beside a config."""

import importlib.util
import os
import subprocess
import sys
from importlib.metadata import packages_distributions

import pytest
from made_up_records import run_quietly

from ensvm.runner.plan import make_plan

# Python searches the folder of a script first; with -m, the working directory.
STARTS = {
    "script": "from ensvm_cli import start\nstart()\n",
    "python -m": "",
    "library": "import sys, ensvm\nensvm.run(sys.argv[2], jobs=1, results='results')\n",
}
MARKS = "with open({file!r}, 'a') as file:\n    print(__name__, file=file)\nraise SystemExit(3)\n"
OWN = """
import queue
from sklearn.svm import SVC
class Mine(SVC):
    def fit(self, X, y, sample_weight=None):
        import secrets, turtledemo
        return super().fit(X, y)
"""


def module_names():
    """Return the names of all modules of Python and of the installed packages.

    Ours are left out, and so are those that `python -m` imports before any line of ours runs.
    """
    command = [sys.executable, "-S", "-c", "import importlib.util, sys; print(*sys.modules)"]
    before = subprocess.check_output(command, text=True).split()
    installed = {name for name in packages_distributions() if name.isidentifier()}
    return sorted((sys.stdlib_module_names | installed) - {"ensvm", "ensvm_cli", *before})


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Setuptools is replacing distutils")
@pytest.mark.parametrize("start", STARTS)
def test_no_file_takes_the_place_of_an_installed_module(start, study, tmp_path):
    here, scripts = tmp_path / "here", tmp_path / "scripts"
    config = study("mine: {estimator: own.Mine}\nsvc: {estimator: SVC}", realizations=1)
    (tmp_path / "own.py").write_text(OWN)
    executed = tmp_path / "executed"
    here.mkdir()
    for name in module_names():
        text = MARKS.format(file=str(executed))
        (here / f"{name}.py").write_text(text)
        if importlib.util.find_spec(name):  # one for another system comes before no other module
            (tmp_path / f"{name}.py").write_text(text)
    scripts.mkdir()
    (scripts / "script.py").write_text(STARTS[start])
    command = [str(scripts / "script.py")] if STARTS[start] else ["-m", "ensvm"]
    answer = subprocess.run(
        [sys.executable, *command, "run", str(config)],
        cwd=here,
        env={name: value for name, value in os.environ.items() if not name.startswith("PYTHON")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    assert not executed.exists(), executed.read_text()
    assert (here / "results" / "trial" / "cells.jsonl").is_file()


def test_processes_that_a_cell_starts_are_as_without_ensvm(study, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "printed.py").write_text("print(0.5)\n")
    command = "[sys.executable, '-c', 'import printed']"
    line = f"import subprocess, sys; self.C = float(subprocess.check_output({command}))"
    (tmp_path / "own.py").write_text(OWN.replace("import secrets, turtledemo", line))
    config = study("mine: {estimator: own.Mine}", realizations=1)
    assert run_quietly(make_plan(config), tmp_path, jobs=1).statuses == {"ok": 2}
