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
derived: {estimator: "loose_derived:Derived"}
"""
# Functions, each with the room or file it is in ("": its first one); a statement more makes each
# another. Whatever reads data, the checksum of the arrays vouches for them, where there is one.
READING = {
    "loading": ("data", "read_arrays"),
    "format": ("data/files", "encode_column"),
    "card": ("data/card.py", "brought_splits"),
}
GENERATING = {
    "generator": ("data/generators.py", "waveform"),
    "labels": ("data", "encode_labels"),
}
PARTS_OF_PATH = {
    "scaling": ("data", "scale"),
    "splits": ("data/splits.py", "split_rows"),
    "seeds": ("seeds.py", "seed_of"),
    "kernel": ("kernels", "gram"),
    "width": ("kernels", "resolve_gamma"),
    "shared Gram matrix": ("runner", "row_blocks"),
    "scoring": ("runner", "_count_errors"),
    "classifier": ("classifiers/svm_path.py", "staged_decision_function"),
    "base class": ("classifiers/kernel_expansion.py", "decision_function"),
    "function inlined from another file": ("solvers/cholesky_update.py", ""),
}
UNRELATED = {
    "another solver": ("solvers/multiplicative_update.py", ""),
    "low rank": ("kernels/low_rank.py", ""),
    "another classifier": ("classifiers/rho_svc.py", "__init__"),
    "executor": ("runner/execute.py", "run_plan"),
    "config": ("study", "read_config"),
}
SCRIPT = """
import ast, json, sys
from pathlib import Path
import ensvm
from ensvm.records import code_identity
from ensvm.runner.plan import make_plan

package = Path(ensvm.__file__).parent
config, edits = Path(sys.argv[1]), json.loads(sys.argv[2])

def keys():
    code_identity._identity.cache_clear()
    code_identity._source.cache_clear()
    code_identity._step.cache_clear()
    cells = make_plan(config, realizations=1).cells
    return {f"{cell.dataset}: {cell.algorithm}": cell.key for cell in cells}

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
    """Return the key of each cell by what was edited; "" for the code as it is."""
    folder = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "ensvm", folder / "ensvm", ignore=ignored)
    (folder / "datasets").mkdir()
    for card in ("w2a.yaml", "waveform-million.yaml"):
        shutil.copy(ROOT / "datasets" / card, folder / "datasets")
    (folder / "loose_base.py").write_text(
        "from sklearn.svm import SVC\n\n\nclass Base(SVC):\n    def half(self):\n        pass\n"
    )
    (folder / "loose_model.py").write_text(
        "from loose_base import Base\n\n\nclass Loose(Base):\n    pass\n"
    )
    (folder / "loose_derived.py").write_text(
        "import ensvm\n\n\nclass Derived(ensvm.SVMPathClassifier):\n    pass\n"
    )
    rows = "".join(f"{number},{1 - 2 * (number % 2)}\n" for number in range(30))
    (folder / "own.csv").write_text("a,label\n" + rows)
    config = folder / "trial.yaml"
    config.write_text(
        "study: trial\n"
        "datasets:\n  - {name: own, path: own.csv, target: label, positive: 1,"
        " split: {protocol: random, n_train: 20, n_test: 10}}\n"
        "  - w2a\n  - waveform-million\n"  # their cards have no checksum
        "algorithms:\n" + "".join(f"  {line}\n" for line in ALGORITHMS.strip().splitlines())
    )
    edits = {
        title: (*place, "edited = 1")
        for title, place in {**READING, **GENERATING, **PARTS_OF_PATH, **UNRELATED}.items()
    }
    edits["a comment"] = ("data/splits.py", "split_rows", "# why it is so")
    edits["a docstring"] = ("data/splits.py", "split_rows", '"""What it means."""')
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
    for dataset in ("own", "w2a", "waveform-million"):
        assert told[part][f"{dataset}: path"] != told[""][f"{dataset}: path"]


@pytest.mark.parametrize(
    "edit", [*UNRELATED, *READING, *GENERATING, "a comment", "a docstring", "back", "loose base"]
)
def test_no_other_edit_makes_it_another(told, edit):
    assert told[edit]["own: path"] == told[""]["own: path"]


@pytest.mark.parametrize("part", READING)
def test_what_reads_data_that_no_checksum_vouches_for_makes_a_cell_another(told, part):
    assert told[part]["w2a: path"] != told[""]["w2a: path"]
    assert told[part]["waveform-million: path"] == told[""]["waveform-million: path"]


@pytest.mark.parametrize("part", GENERATING)
def test_what_generates_data_makes_a_cell_of_theirs_another(told, part):
    assert told[part]["waveform-million: path"] != told[""]["waveform-million: path"]


def test_the_facts_of_the_data_are_stated_again_when_loading_changes(told):
    for part in READING:
        assert told[part]["w2a: data"] != told[""]["w2a: data"]
        assert told[part]["own: data"] == told[""]["own: data"]
    for dataset in ("own", "w2a"):
        assert told["splits"][f"{dataset}: data"] != told[""][f"{dataset}: data"]
        assert told["scoring"][f"{dataset}: data"] == told[""][f"{dataset}: data"]


def test_a_users_own_modules_are_followed(told):
    assert told["loose base"]["own: loose"] != told[""]["own: loose"]
    assert told["scoring"]["own: loose"] != told[""]["own: loose"]
    assert told["classifier"]["own: loose"] == told[""]["own: loose"]


@pytest.mark.parametrize("part", PARTS_OF_PATH)
def test_what_a_users_own_module_uses_of_ours_is_followed(told, part):
    assert told[part]["own: derived"] != told[""]["own: derived"]
    assert told["another solver"]["own: derived"] == told[""]["own: derived"]
