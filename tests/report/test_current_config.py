"""A config edited after a run is shown where it asks for the same cells, and the page says so."""

from dataclasses import replace

import pytest
from made_up_records import RUN, errors

from ensvm.records.store import CONFIG_COPY, PUBLISHED_COPY, Store
from ensvm.report.query import read_study
from ensvm.report.write import write_tables

CONFIG = """\
study: s
realizations: 2
published: printed.csv
datasets: [german, {name: titanic, unavailable: lost}]
algorithms:
  a: {label: A, estimator: RhoSVC, params: {tol: 0.1}}
timing: {algorithms: [a]}
tables:
  - {id: 1, caption: Before., columns: [a]}
"""
PRINTED = "table,row,column,value,std\n1,german,a,20.0,\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A study that was run in a folder, where its config still is."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.yaml").write_text(CONFIG)
    (tmp_path / "printed.csv").write_text(PRINTED)
    return left_by_a_run(tmp_path / "results" / "s", "s.yaml")


def left_by_a_run(folder, *command):
    run = replace(RUN, command=("run", *command, "--jobs", "1"))
    with Store(folder) as store:
        store.append([run, *errors("german", "a", [0.1, 0.3])])
    (folder / CONFIG_COPY).write_text(CONFIG)
    (folder / PUBLISHED_COPY).write_text(PRINTED)
    return folder


def edit(tmp_path, old, new, name="s.yaml"):
    assert old in CONFIG
    (tmp_path / name).write_text(CONFIG.replace(old, new))


def table(folder):
    return next(write_tables(read_study(folder), "md"))[0]


def test_nothing_is_said_of_a_config_as_it_was_run(folder):
    assert read_study(folder).note == ""


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("Before.", "After.", "After."),
        ("label: A", "label: Another", "Another"),
        ("columns: [a]", "columns: [a], notes: [{text: Mind this.}]", "Mind this."),
        ("unavailable: lost", "unavailable: lost at sea", "lost at sea"),
        ("columns: [a]", "columns: [{name: a, decimals: 3}]", "20.000"),
        ("study: s\n", "study: s\ncitation: A and B (1999)\n", "A and B (1999)"),
    ],
)
def test_what_no_cell_depends_on_shows_without_a_run(folder, tmp_path, old, new, shown):
    assert shown not in table(folder)
    edit(tmp_path, old, new)
    text = table(folder)
    assert shown in text
    assert "are those of s.yaml, edited since the run" in text


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("tol: 0.1", "tol: 0.2", "algorithm a"),
        ("realizations: 2", "realizations: 3", "realizations"),
        ("[german,", "[{name: german, split: {n_train: 50}},", "data set german"),
        ("[german,", "[german, cancer,", "data set cancer"),
        ("{name: titanic, unavailable: lost}", "titanic", "data set titanic"),
        ("timing: {algorithms: [a]}", "timing: {algorithms: [a], blas_threads: 2}", "timing"),
        ("datasets:", "kernel: {gamma: 2.0}\ndatasets:", "kernel"),
    ],
)
def test_a_config_that_asks_for_other_cells_is_named_and_not_used(
    folder, tmp_path, old, new, named
):
    (tmp_path / "s.yaml").write_text(CONFIG.replace(old, new).replace("Before.", "After."))
    text = table(folder)
    assert "Before." in text
    assert f"s.yaml asks for other cells ({named})" in text


def test_a_config_that_cannot_be_read_is_named(folder, tmp_path):
    edit(tmp_path, "caption: Before.", "captoin: After.")
    text = table(folder)
    assert "Before." in text
    assert "s.yaml, line 9: tables[1].captoin: unknown key" in text


def test_the_printed_values_are_those_beside_the_edited_config(folder, tmp_path):
    edit(tmp_path, "Before.", "After.")
    (tmp_path / "printed.csv").write_text(PRINTED.replace("20.0", "21.0"))
    assert "21.0" in table(folder)
    (tmp_path / "printed.csv").unlink()
    assert "Before." in table(folder)


def test_a_new_table_shows_what_was_recorded(folder, tmp_path):
    more = "tables:\n  - {id: 2, caption: More., metric: n_test, columns: [a]}\n"
    edit(tmp_path, "tables:\n", more)
    assert "300" in table(folder)


def test_a_file_that_a_record_names_is_not_opened(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = left_by_a_run(tmp_path / "s", "mine.yml")
    edit(tmp_path, "Before.", "Of the command.", "mine.yml")
    assert "Of the command." not in table(folder)


def test_printed_values_elsewhere_are_not_opened(folder, tmp_path):
    (tmp_path.parent / "elsewhere.csv").write_text(PRINTED.replace("20.0", "21.0"))
    text = CONFIG.replace("printed.csv", "../elsewhere.csv").replace("Before.", "After.")
    (tmp_path / "s.yaml").write_text(text)
    shown = table(folder)
    assert "After." in shown
    assert "20.0" in shown


def test_a_folder_elsewhere_stands_on_its_own(folder, tmp_path, monkeypatch):
    edit(tmp_path, "Before.", "After.")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert read_study(folder).note == ""
    assert "Before." in table(folder)


def test_a_shipped_config_is_found_by_its_name(tmp_path, monkeypatch):
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "printed.csv").write_text(PRINTED)
    edit(tmp_path / "configs", "Before.", "After.")
    monkeypatch.setattr("ensvm.shipped.shipped_configs", lambda: tmp_path / "configs")
    (tmp_path / "away").mkdir()
    monkeypatch.chdir(tmp_path / "away")
    text = table(left_by_a_run(tmp_path / "s"))
    assert "After." in text
    assert "those of the shipped config s.yaml" in text
