"""A results folder shows the results that come with ensvm until something is run there."""

import lzma
import shutil
from pathlib import Path

import pytest
from made_up_records import errors, invoke, make_study

import ensvm
from ensvm.errors import UserError
from ensvm.records.store import CELLS_FILE, SHIPPED_FILE, Store
from ensvm.shipped import shipped_results

CONFIG = """\
study: mine
datasets: [titanic]
algorithms: {a: {label: A, estimator: SVC}, b: {label: B, estimator: SVC}}
tables: [{id: 1, caption: c, columns: [a, b]}]
figures: [{id: 1, kind: box, caption: c, rows: titanic, series: [a, b]}]
claims: [{id: 1, text: t, left: a, relation: at-most, limit: 99.0}]
"""
SAYS = "nothing was run here; showing the results that come with ensvm"
SHOWING = [
    ("table", "results"),
    ("table",),
    ("table", "results", "mine"),
    ("table", "results/shipped"),
    ("table", "results/shipped/mine"),
    ("report", "results", "-o", "report"),
    ("report", "results", "--only", "figures"),
    ("report", "results", "--only", "claims"),
    ("rank", "results", "--dataset", "titanic"),
    ("export", "results"),
    ("show", "results", "--dataset", "titanic", "--algorithm", "a"),
    ("compare", "results", "results/shipped"),
]


def files_in(folder):
    return {path: path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A folder with the results of a study that come with ensvm, and nothing else."""
    monkeypatch.chdir(tmp_path)
    folder = Path("results/shipped/mine")
    make_study(
        folder, CONFIG, errors("titanic", "a", [0.2, 0.3]) + errors("titanic", "b", [0.4, 0.6])
    )
    cells = folder / CELLS_FILE
    (folder / SHIPPED_FILE).write_bytes(lzma.compress(cells.read_bytes()))
    cells.unlink()


@pytest.mark.usefixtures("checkout")
@pytest.mark.parametrize("arguments", SHOWING, ids=" ".join)
def test_a_folder_shows_shipped_results_and_writes_nothing_into_it(arguments):
    before = files_in("results")
    answer = invoke(*arguments)
    assert answer.exit_code == 0, answer.output
    assert SAYS in answer.stderr
    assert files_in("results") == before


@pytest.mark.usefixtures("checkout")
def test_a_folder_shows_what_was_run_once_something_was_run_there():
    make_study(Path("results/mine"), CONFIG, errors("titanic", "a", [0.125]))
    for arguments in SHOWING:
        if not any("shipped" in part for part in arguments):
            assert SAYS not in invoke(*arguments).stderr
    assert "12.5" in invoke("table", "results").stdout
    assert "25.0" in invoke("table", "results/shipped").stdout
    assert ensvm.load_results().frame()["error"].tolist() == [0.125]


@pytest.mark.usefixtures("checkout")
def test_a_notebook_shows_shipped_results_and_says_so():
    found = ensvm.load_results()
    assert len(found.frame()) == 4
    assert "the results that come with ensvm" in repr(found)


@pytest.mark.usefixtures("checkout")
def test_cells_are_counted_only_where_they_were_run():
    assert "nothing was run here" in invoke("status").stderr
    shutil.rmtree("results")
    listed = invoke("list").stdout
    assert " not run; shipped " in listed


def test_no_run_writes_into_the_results_that_come_with_ensvm():
    with pytest.raises(UserError, match="not written to"), Store(shipped_results() / "new"):
        pass
    assert not (shipped_results() / "new").exists()
