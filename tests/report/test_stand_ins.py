"""Shipped records stand in for whole values that were not run here, and for nothing else."""

import pytest
from made_up_records import RUN, errors, record

from ensvm.errors import UserError
from ensvm.records.identity import NOT_RUN
from ensvm.records.shipped_records import pack
from ensvm.records.store import CELLS_FILE, CONFIG_COPY, SHIPPED_FILE, Store
from ensvm.report.query import Question, ask, find_studies, machines, read_study
from ensvm.report.write import write_tables

CONFIG = """\
study: s
realizations: 3
kernel: {kernel: rbf, gamma: 1.0}
datasets: [german, {name: titanic, options: {noise: 0.1}}]
algorithms:
  a: {label: A, estimator: RhoSVC, params: {tol: 0.1}}
  b: {label: B, estimator: RhoSVC}
timing: {blas_threads: 1}
"""
SHIPPED = [0.1, 0.2, 0.3]


def timed(number, host, seconds, algorithm="a"):
    """Return a record of the timing pass from a machine."""
    return record("german", number, algorithm, run_pass="timing", seconds=seconds, host=host)


@pytest.fixture
def folder(tmp_path):
    """A study's folder as in a fresh checkout: a config and shipped records."""
    made = [
        *errors("german", "a", SHIPPED),
        *errors("german", "b", SHIPPED),
        *errors("titanic", "a", SHIPPED),
        timed(1, "there", 5.0),
    ]
    write(tmp_path, made)
    pack(tmp_path, CONFIG, {line.identity: line.settings for line in made})
    (tmp_path / CELLS_FILE).unlink()
    (tmp_path / CONFIG_COPY).write_text(CONFIG)
    return tmp_path


def write(folder, records):
    with Store(folder) as store:
        store.append([RUN, *records])


def answer(folder, row="german", algorithm="a", metric="error", run_pass="error"):
    return ask(read_study(folder), Question(row, algorithm, metric, run_pass))


def test_a_fresh_checkout_answers_as_the_folder_that_was_packed(folder):
    assert find_studies(folder) == [folder]
    found = answer(folder)
    assert (found.status, found.shipped, found.not_here) == ("ok", True, NOT_RUN)
    assert found.shown() == pytest.approx([10.0, 20.0, 30.0])
    assert {line.run.commit for line in found.records.values()} == {RUN.commit}


def test_own_values_are_never_mixed_with_shipped_ones(folder):
    write(folder, errors("german", "a", [0.4]))
    found = answer(folder)
    assert (found.shipped, found.not_here) == (False, "")
    assert dict(found.values) == {1: 0.4}
    assert answer(folder, "titanic").shipped
    assert answer(folder, algorithm="b").shipped
    assert answer(folder, metric="train_seconds", run_pass="timing").shipped


def test_a_value_stands_in_for_data_that_are_not_here_and_says_why(folder):
    write(
        folder,
        [
            record("german", at, "a", status="unavailable", reason="download german")
            for at in (1, 2, 3)
        ],
    )
    found = answer(folder)
    assert (found.status, found.shipped) == ("ok", True)
    assert found.not_here == "download german"
    assert found.shown() == pytest.approx([10.0, 20.0, 30.0])


def test_a_failure_is_shown_and_not_hidden(folder):
    write(folder, [record("german", 1, "a", status="failed", reason="it broke")])
    found = answer(folder)
    assert (found.status, found.reason, found.shipped) == ("failed", "it broke", False)
    assert not found.values


@pytest.mark.parametrize(
    ("old", "new", "row", "algorithm"),
    [
        ("tol: 0.1", "tol: 0.2", "german", "a"),
        ("gamma: 1.0", "gamma: 2.0", "german", "b"),
        ("noise: 0.1", "noise: 0.2", "titanic", "a"),
        ("datasets: [german,", "datasets: [{name: german, card: w1a},", "german", "a"),
        ("datasets: [german,", "datasets: [{name: german, kernel: {gamma: 3.0}},", "german", "a"),
        ("B, estimator: RhoSVC", "B, estimator: SVC", "german", "b"),
    ],
)
def test_a_value_of_another_config_does_not_stand_in(folder, old, new, row, algorithm):
    assert answer(folder, row, algorithm).shipped
    assert old in CONFIG
    (folder / CONFIG_COPY).write_text(CONFIG.replace(old, new))
    found = answer(folder, row, algorithm)
    assert (found.status, found.reason, found.shipped) == ("missing", "not run yet", False)


def test_threads_are_asked_of_timings_alone(folder):
    (folder / CONFIG_COPY).write_text(CONFIG.replace("blas_threads: 1", "blas_threads: 2"))
    assert not answer(folder, metric="train_seconds", run_pass="timing").values
    assert answer(folder).shipped


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("label: A", "label: Another"),
        ("realizations: 3", "realizations: 2"),
        ("study: s\n", "study: s\ntitle: Another  # and a comment\n"),
        ("[german, {", "[{name: german, realizations: 2}, {"),
    ],
)
def test_what_changes_no_value_keeps_the_shipped_ones(folder, old, new):
    assert old in CONFIG
    (folder / CONFIG_COPY).write_text(CONFIG.replace(old, new))
    assert answer(folder).shown() == pytest.approx([10.0, 20.0, 30.0])


def test_a_timing_of_another_machine_differs_from_ones_own(folder):
    write(folder, [timed(1, "here", 2.0, algorithm="b")])
    study = read_study(folder)
    behind = [
        line
        for name in ("a", "b")
        for line in ask(study, Question("german", name, "train_seconds", "timing")).records.values()
    ]
    assert len(machines(behind)) == 2


def test_a_row_that_the_config_does_not_have_does_no_harm(folder):
    (folder / CONFIG_COPY).write_text(CONFIG.replace("german, ", ""))
    assert answer(folder, "titanic").shipped


def test_a_shipped_config_that_cannot_be_read_is_named(folder):
    made = errors("german", "b", SHIPPED)
    write(folder, made)
    pack(folder, CONFIG.replace("label", "lable"), {line.identity: {} for line in made})
    (folder / CELLS_FILE).unlink()
    with pytest.raises(UserError, match=f"{SHIPPED_FILE}.*lable"):
        read_study(folder)


TABLE = "tables: [{id: 1, caption: Errors., columns: [a, b]}]\n"


def test_a_table_says_of_a_shipped_value_beside_ones_made_here_why_it_is(folder):
    (folder / CONFIG_COPY).write_text(CONFIG + TABLE)
    [(text, _)] = write_tables(read_study(folder), "md")
    assert "shipped" not in text  # nothing was made here: there is nothing to tell apart
    write(folder, errors("german", "a", [0.4, 0.4, 0.4]))
    write(folder, [record("titanic", 1, "a", status="unavailable", reason="ask the author")])
    [(text, _)] = write_tables(read_study(folder), "md")
    german, titanic = (
        next(line for line in text.splitlines() if line.startswith(f"| {row}"))
        for row in ("german", "titanic")
    )
    assert "40.0 ±0.0 |" in german
    assert "**20.0** ±10.0 |" in german
    assert "**20.0** ±10.0 |" in titanic
    assert "titanic: a: shipped: ask the author" in text
    assert f"german: b: shipped: {NOT_RUN}" in text
