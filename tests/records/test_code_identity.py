"""A cell is done again when any code it runs through changes, and by no other edit.

One process on a copy of the package does every edit in turn and tells the cells' keys.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ALGORITHMS = """
path: {estimator: SVMPathClassifier}
loose: {estimator: "loose_model:Loose"}
"""
# Functions, each with the room or file it is in ("": its first one); a statement more makes each
# another.
PARTS_OF_PATH = {
    "loading": ("data", "read_arrays"),
    "format": ("data/files", "encode_table"),
    "scaling": ("data", "scale"),
    "splits": ("data/splits", "split_rows"),
    "seeds": ("seeds.py", "seed_of"),
    "kernel": ("kernels", "gram"),
    "width": ("kernels", "resolve_gamma"),
    "shared Gram matrix": ("runner", "row_blocks"),
    "scoring": ("runner", "_count_errors"),
    "classifier": ("classifiers/svm_path.py", "staged_decision_function"),
    "base class": ("classifiers/base/kernel_expansion.py", "decision_function"),
    "function inlined from another file": ("solvers/cholesky_update.py", ""),
}
UNRELATED = {
    "another solver": ("solvers/multiplicative_update.py", ""),
    "low rank": ("kernels/low_rank/factors.py", ""),
    "another classifier": ("classifiers/rho_svm/rho_svc.py", "__init__"),
    "executor": ("runner/execute.py", "run_plan"),
    "config": ("study", "find_config"),
}
SCRIPT = """
import ast, json, sys
from pathlib import Path
import ensvm
from ensvm.records.code_identity import forget_sources
from ensvm.runner.plan import make_plan

package = Path(ensvm.__file__).parent
config, edits = Path(sys.argv[1]), json.loads(sys.argv[2])

def keys():
    forget_sources()
    cells = make_plan(config, realizations=1).cells
    return {cell.algorithm: cell.key for cell in cells}

def definition(place, name):
    files = [place] if place.is_file() else sorted(place.rglob("*.py"))
    for file in files:
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef) and name in ("", node.name):
                return file, node
    raise LookupError(f"no function {name} in {place}")

def with_statement(place, name, statement):
    file, node = definition(place, name)
    last = node.body[-1]
    before = file.read_text()
    lines = before.splitlines(keepends=True)
    first = last.lineno - 1
    lines.insert(first, " " * last.col_offset + statement + "\\n")
    file.write_text("".join(lines))
    return file, before

told = {"": keys()}
for title, (place, name, statement) in edits.items():
    file, before = with_statement(package.joinpath(place), name, statement)
    told[title] = keys()
    file.write_text(before)
told["back"] = keys()
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """Return the key of each algorithm's cell by what was edited; "" for the code as it is."""
    folder = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "ensvm", folder / "ensvm", ignore=ignored)
    (folder / "loose_base.py").write_text(
        "from sklearn.svm import SVC\n\n\nclass Base(SVC):\n    def half(self):\n        pass\n"
    )
    (folder / "loose_model.py").write_text(
        "from loose_base import Base\n\n\nclass Loose(Base):\n    pass\n"
    )
    rows = "".join(f"{number},{1 - 2 * (number % 2)}\n" for number in range(30))
    (folder / "own.csv").write_text("a,label\n" + rows)
    config = folder / "trial.yaml"
    config.write_text(
        "study: trial\n"
        "datasets:\n  - {name: own, path: own.csv, target: label, positive: 1,"
        " split: {protocol: random, n_train: 20, n_test: 10}}\n"
        "algorithms:\n" + "".join(f"  {line}\n" for line in ALGORITHMS.strip().splitlines())
    )
    edits = {
        title: (*place, "edited = 1") for title, place in {**PARTS_OF_PATH, **UNRELATED}.items()
    }
    edits["a comment"] = ("data/splits", "split_rows", "# why it is so")
    edits["a docstring"] = ("data/splits", "split_rows", '"""What it means."""')
    edits["loose base"] = ("../loose_base.py", "half", "edited = 1")
    outcome = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(config), json.dumps(edits)],
        env={**os.environ, "PYTHONPATH": str(folder)},
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert outcome.returncode == 0, outcome.stderr
    return json.loads(outcome.stdout)


@pytest.mark.parametrize("part", PARTS_OF_PATH)
def test_a_part_that_a_cell_runs_through_makes_it_another(told, part):
    assert told[part]["path"] != told[""]["path"]


@pytest.mark.parametrize("edit", [*UNRELATED, "a comment", "a docstring", "back", "loose base"])
def test_no_other_edit_makes_it_another(told, edit):
    assert told[edit]["path"] == told[""]["path"]


@pytest.mark.parametrize("part", ["loading", "format", "splits"])
def test_the_facts_of_the_data_are_stated_again_when_loading_changes(told, part):
    assert told[part]["data"] != told[""]["data"]
    assert told["scoring"]["data"] == told[""]["data"]


def test_a_users_own_modules_are_followed(told):
    assert told["loose base"]["loose"] != told[""]["loose"]
    assert told["scoring"]["loose"] != told[""]["loose"]
    assert told["classifier"]["loose"] == told[""]["loose"]
