"""A table shows the config of the last run, and says if that or print has changed."""

from dataclasses import replace

import pytest
from made_up_records import RUN, errors

from ensvm.records.store import CONFIG_COPY, PUBLISHED_COPY, Store
from ensvm.report.study_folder import read_study
from ensvm.report.write import write_tables
from ensvm.runner.execute import copy_config
from ensvm.runner.plan import make_plan

CONFIG = """\
study: s
realizations: 2
published: printed.csv
datasets: [german]
algorithms:
  a: {label: A, estimator: RhoSVC, params: {tol: 0.1}}
tables:
  - {id: 1, caption: Before., columns: [a]}
"""
PRINTED = "table,row,column,value,std\n1,german,a,20.0,\n"
BRINGS_IN = "differs from that of the last run; `ensvm run s.yaml` brings it in"


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


def table(folder):
    return next(write_tables(read_study(folder), "md"))[0]


def test_nothing_is_said_of_a_config_as_it_was_run(folder):
    assert read_study(folder).note == ""


@pytest.mark.parametrize(("old", "new"), [("Before.", "After."), ("tol: 0.1", "tol: 0.2")])
def test_an_edited_config_is_named_and_not_shown(folder, tmp_path, old, new):
    (tmp_path / "s.yaml").write_text(CONFIG.replace(old, new))
    text = table(folder)
    assert "Before." in text
    assert f"s.yaml {BRINGS_IN}" in text


def test_a_number_edited_in_the_printed_values_alone_is_not_ignored_in_silence(folder, tmp_path):
    (tmp_path / "printed.csv").write_text(PRINTED.replace("20.0", "21.0"))
    text = table(folder)
    assert "21.0" not in text
    assert f"printed.csv {BRINGS_IN}" in text


def test_printed_values_that_the_config_no_longer_names_are_not_shown_after_a_run(folder, tmp_path):
    (tmp_path / "s.yaml").write_text(CONFIG.replace("published: printed.csv\n", ""))
    assert "20.0" in table(folder)
    copy_config(make_plan(tmp_path / "s.yaml"), folder)
    assert "20.0" not in table(folder)


def test_a_config_that_cannot_be_read_is_named(folder, tmp_path):
    (tmp_path / "s.yaml").write_text("study: [s")
    text = table(folder)
    assert "Before." in text
    assert "because of an error: s.yaml, line" in text


def test_printed_values_elsewhere_are_not_opened(folder, tmp_path):
    text = CONFIG.replace("printed.csv", "../elsewhere.csv")
    (tmp_path.parent / "elsewhere.csv").write_text(PRINTED.replace("20.0", "21.0"))
    (tmp_path / "s.yaml").write_text(text)
    (folder / CONFIG_COPY).write_text(text)
    assert read_study(folder).note == ""


def test_a_file_that_a_record_names_is_not_opened(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = left_by_a_run(tmp_path / "s", "mine.yml")
    (tmp_path / "mine.yml").write_text(CONFIG.replace("Before.", "Of the command."))
    assert read_study(folder).note == ""


def test_a_folder_elsewhere_stands_on_its_own(folder, tmp_path, monkeypatch):
    (tmp_path / "s.yaml").write_text(CONFIG.replace("Before.", "After."))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert read_study(folder).note == ""


def test_a_shipped_config_is_found_by_its_name(tmp_path, monkeypatch):
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "printed.csv").write_text(PRINTED)
    (tmp_path / "configs" / "s.yaml").write_text(CONFIG.replace("Before.", "After."))
    monkeypatch.setattr("ensvm.shipped.shipped_configs", lambda: tmp_path / "configs")
    (tmp_path / "away").mkdir()
    monkeypatch.chdir(tmp_path / "away")
    text = table(left_by_a_run(tmp_path / "s"))
    assert "s.yaml differs from that of the last run; `ensvm run s` brings it in" in text
