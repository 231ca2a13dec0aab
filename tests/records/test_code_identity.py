"""A cell is done again when any code it runs through changes, and by no other edit.

One process on a copy of the package makes every edit in turn and prints the cells' keys.
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
OWN_MODULES = {
    "loose_base.py": "from sklearn.svm import SVC\n"
    "class Base(SVC):\n    def half(self):\n        pass\n",
    "loose_model.py": "from loose_base import Base\nclass Loose(Base): pass\n",
    "loose_derived.py": "import ensvm\nclass Derived(ensvm.SVMPathClassifier): pass\n",
}
# Functions, each with the room or file it is in ("": its first one); a statement more makes each
# another. Whatever reads data, the checksum of the arrays vouches for them, where there is one.
READING = {
    "loading": ("data", "read_arrays"),
    "format": ("data/files", "encode_column"),
    "card": ("data/card.py", "one_hot"),
}
GENERATING = {
    "generator": ("data/generators.py", "_normal"),
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
UNRELATED = [
    ("solvers/multiplicative_update.py", "", "edited = 1"),
    ("kernels/low_rank.py", "", "edited = 1"),
    ("classifiers/partially_trained_ensemble.py", "factor_bytes", "edited = 1"),
    ("runner/execute.py", "run_plan", "edited = 1"),
    ("study", "read_config", "edited = 1"),
    ("data/splits.py", "split_rows", "# why it is so"),
    ("data/scaling.py", "scale", '"""What it means."""'),
]
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

found = {"": keys()}
for title, together in edits.items():
    edited = [with_statement(package.joinpath(place), *edit) for place, *edit in together]
    found[title] = keys()
    for file, before in reversed(edited):
        file.write_text(before)
found["back"] = keys()
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    """Return the key of each cell by what was edited; "" for the code as it is."""
    folder = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "ensvm", folder / "ensvm", ignore=ignored)
    (folder / "datasets").mkdir()
    for card in ("w2a.yaml", "waveform-million.yaml"):
        shutil.copy(ROOT / "datasets" / card, folder / "datasets")
    for name, text in OWN_MODULES.items():
        (folder / name).write_text(text)
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
        title: [(*place, "edited = 1")]
        for title, place in {**READING, **GENERATING, **PARTS_OF_PATH}.items()
    }
    edits["unrelated"] = UNRELATED
    edits["loose base"] = [("../loose_base.py", "half", "edited = 1")]
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
def test_a_part_that_a_cell_runs_through_makes_it_another(keys, part):
    for cell in ("own: path", "w2a: path", "waveform-million: path", "own: derived"):
        assert keys[part][cell] != keys[""][cell]


@pytest.mark.parametrize("edit", ["unrelated", *READING, *GENERATING, "back"])
def test_no_other_edit_makes_it_another(keys, edit):
    for cell in ("own: path", "own: loose", "own: derived"):
        assert keys[edit][cell] == keys[""][cell]


@pytest.mark.parametrize("part", READING)
def test_what_reads_data_that_no_checksum_vouches_for_makes_a_cell_another(keys, part):
    assert keys[part]["w2a: path"] != keys[""]["w2a: path"]
    assert keys[part]["waveform-million: path"] == keys[""]["waveform-million: path"]


@pytest.mark.parametrize("part", GENERATING)
def test_what_generates_data_makes_a_cell_of_theirs_another(keys, part):
    assert keys[part]["waveform-million: path"] != keys[""]["waveform-million: path"]


def test_the_facts_of_the_data_are_stated_again_when_loading_changes(keys):
    for part in READING:
        assert keys[part]["w2a: data"] != keys[""]["w2a: data"]
        assert keys[part]["own: data"] == keys[""]["own: data"]
    for dataset in ("own", "w2a"):
        assert keys["splits"][f"{dataset}: data"] != keys[""][f"{dataset}: data"]
        assert keys["scoring"][f"{dataset}: data"] == keys[""][f"{dataset}: data"]


@pytest.mark.parametrize("edit", ["loose base", "scoring", "classifier"])
def test_own_modules_count_together_with_what_they_import_of_ensvm(keys, edit):
    for cell in ("own: loose", "own: derived"):
        assert keys[edit][cell] != keys[""][cell]
    assert keys["loose base"]["own: path"] == keys[""]["own: path"]
