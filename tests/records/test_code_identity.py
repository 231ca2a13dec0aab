"""A cell is done again when a file that its classes import changes, and by no other edit."""

import shutil
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
from made_up_records import record_of

import ensvm
from ensvm.records import code_identity
from ensvm.runner.plan import make_plan

CONFIG = """\
study: trial
datasets:
  - {name: own, path: own.csv, target: label, positive: 1, split: {protocol: random, n_train: 20, \
n_test: 10}}
  - w2a
  - waveform-million
algorithms:
  path: {estimator: SVMPathClassifier}
  loose: {estimator: "loose_model:Loose"}
  derived: {estimator: "loose_derived:Derived"}
"""
OWN_MODULES = {
    "loose_model.py": "from sklearn.svm import SVC\nclass Loose(SVC): pass\n",
    "loose_derived.py": "import ensvm\nclass Derived(ensvm.SVMPathClassifier): pass\n",
}
OF_ALL = (
    "runner/evaluate.py",
    "runner/grams.py",
    "seeds.py",
    "data/splits.py",
    "data/scaling.py",
    "kernels/named_kernels.py",
)
OF_PATH = (
    "classifiers/svm_path.py",
    "classifiers/kernel_expansion.py",
    "solvers/cholesky_update.py",
    "kernels/gram_matrix.py",
)
OF_NONE = (
    "solvers/perceptron_rule.py",
    "runner/plan.py",
    "study/config.py",
    "report/tables.py",
    "classifiers/__init__.py",
)
# Whatever reads data, the checksum of the arrays vouches for them, if there is one.
OF_READING = ("data/files/encode.py", "data/card.py")
OF_GENERATING = ("data/generators.py",)


@pytest.fixture
def config(tmp_path):
    """A config beside modules, with `w2a` and `waveform-million`, whose cards have no checksum."""
    for name, text in OWN_MODULES.items():
        (tmp_path / name).write_text(text)
    rows = "".join(f"{number},{1 - 2 * (number % 2)}\n" for number in range(30))
    (tmp_path / "own.csv").write_text("a,label\n" + rows)
    path = tmp_path / "trial.yaml"
    path.write_text(CONFIG)
    return path


@pytest.fixture(autouse=True, scope="module")
def files_are_parsed_once():
    """Keep what each text imports: parsing all files again takes most of the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(code_identity, "imported_modules", cache(code_identity.imported_modules))
        yield


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A copy of the package; not beside the config."""
    folder = tmp_path_factory.mktemp("copy") / "ensvm"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(ensvm.__file__).parent, folder, ignore=ignored)
    return folder


@pytest.fixture
def sources(copied, monkeypatch):
    """The files that the identity reads."""
    monkeypatch.setattr(code_identity, "FOLDER", copied)
    yield copied
    forget()


@contextmanager
def edited_file(path):
    """Give a file one more line, until the body ends."""
    text = path.read_text()
    path.write_text(text + "# edited\n")
    try:
        yield
    finally:
        path.write_text(text)


def forget():
    code_identity._identity.cache_clear()
    code_identity._imports_of.cache_clear()


def keys(config):
    forget()
    cells = make_plan(config, realizations=1).cells
    return {(cell.dataset, cell.algorithm): cell.key for cell in cells}


def changed_by(edited, config, sources):
    """Return the cells that get another key when a file gets one more line."""
    before = keys(config)
    with edited_file(sources / edited):
        after = keys(config)
    return {cell for cell in before if before[cell] != after[cell]}


@pytest.mark.parametrize("edited", [*OF_ALL, *OF_PATH, *OF_NONE])
def test_a_file_that_the_classes_import_makes_a_cell_another(edited, config, sources):
    changed = changed_by(edited, config, sources)
    assert (("own", "path") in changed) == (edited in (*OF_ALL, *OF_PATH))
    assert (("own", "loose") in changed) >= (edited in OF_ALL)
    assert (("own", "derived") in changed) >= (edited in (*OF_ALL, *OF_PATH))


@pytest.mark.parametrize("edited", [*OF_READING, *OF_GENERATING])
def test_what_makes_data_counts_if_no_checksum_vouches_for_them(edited, config, sources):
    changed = changed_by(edited, config, sources)
    assert ("w2a", "path") in changed
    assert (("waveform-million", "path") in changed) == (edited in OF_GENERATING)
    assert ("own", "path") not in changed


def test_imports_are_followed_into_functions_but_not_for_type_checkers():
    text = b"""
import a.b
from . import near
if TYPE_CHECKING:
    import never
def inner():
    from c import d
"""
    assert code_identity.imported_modules(text, "pkg") == {"a.b", "pkg", "pkg.near", "c", "c.d"}
    assert code_identity.imported_modules(text) == {"a.b", "c", "c.d"}
    assert code_identity.imported_modules(b"print 'no Python 3'") == set()


@pytest.mark.parametrize(
    ("before", "now", "changed"),
    [
        ("n_train: 20", "n_train: 19", {"path", "loose", "derived", "data"}),
        ("estimator: SVMPathClassifier", "estimator: RhoSVC", {"path"}),
        (
            "estimator: SVMPathClassifier",
            "estimator: SVMPathClassifier, params: {gamma: 2.0}",
            {"path"},
        ),
        ("positive: 1", "positive: -1", {"path", "loose", "derived", "data"}),
    ],
)
def test_split_data_and_parameters_make_a_cell_another(before, now, changed, config):
    known = keys(config)
    config.write_text(CONFIG.replace(before, now))
    assert {
        algorithm
        for (dataset, algorithm), key in keys(config).items()
        if dataset == "own" and known[dataset, algorithm] != key
    } == changed


def test_other_rows_make_a_cell_another(config):
    known = keys(config)
    data = config.with_name("own.csv")
    data.write_text(data.read_text().replace("3,", "3.5,", 1))
    assert all((known[cell] != key) == (cell[0] == "own") for cell, key in keys(config).items())


def test_the_message_names_what_changed(config, sources):
    plan = make_plan(config, realizations=1)
    records = {cell.identity: record_of(cell) for cell in plan.cells}
    forget()
    with edited_file(sources / "classifiers" / "svm_path.py"):
        missing = make_plan(config, realizations=1).missing(records)
    why = {cell.algorithm: why for cell, why in missing}
    assert why["path"] == "changed: code of ensvm"
