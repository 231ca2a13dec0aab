"""`ensvm status` and `merge`: what is done, and what is united."""

import errno
import os
import re
import shutil
import sys
from unittest import mock

import pytest
from made_up_records import errors, invoke, make_study

from ensvm.notebook.results import load_results
from ensvm.records.store import CELLS_FILE

pytestmark = pytest.mark.usefixtures("in_this_process")

TWO = """
svc: {estimator: SVC, params: {C: 1.0}}
fails: {estimator: "troublesome:Raises"}
"""


COMPARED = """\
study: s
realizations: 2
datasets: [german]
algorithms: {a: {estimator: SVC}}
tables: [{id: 1, caption: C, columns: [a]}]
claims: [{id: c, text: T, left: a, relation: at-most, limit: 50}]
"""


def run(config, results, *options):
    arguments = ["run", str(config), "--results", str(results), "--jobs", "1", *map(str, options)]
    with mock.patch.object(sys, "argv", ["ensvm", *arguments]):  # a run keeps its command
        return invoke(*arguments)


def counts(output):
    """Return the counts of the study `trial`, by the heads of their columns."""
    head, line = output.splitlines()[:2]
    ends = {match.group(): match.end() for match in re.finditer(r"\S+(?: \S+)*", head)}
    starts = [0, *ends.values()]
    cells = [line[start:end] for start, end in zip(starts, ends.values(), strict=False)]
    return dict(zip(ends, map(str.strip, cells), strict=True))


def test_status_counts_what_is_done_failed_missing_and_stale(study, tmp_path):
    results = tmp_path / "results"
    config = study(TWO, realizations=3)
    run(config, results, "--realizations", 2)
    first = invoke("status", results, "--config", config)
    assert first.exit_code == 0
    expected = {"study": "trial", "cells": "7", "done": "3", "failed": "2", "missing": "2"}
    assert counts(first.stdout) == expected
    assert "own: fails (" in first.stdout  # what failed, with the reason
    assert "own: svc, fails (not run yet)" in first.stdout
    assert f"to do them: ensvm run {config}" in first.stdout

    study(TWO.replace("1.0", "2.0"), realizations=3)
    changed = invoke("status", results, "--config", config)
    assert counts(changed.stdout)["stale"] == "2"
    assert "own: svc (changed: C 1.0, asked 2.0)" in changed.stdout

    config.write_text(config.read_text().replace("study: trial", "study: trail"))
    wrong = invoke("status", results, "--config", config)
    assert wrong.exit_code == 2
    assert "no results here of its study 'trail'; accepted: trial" in wrong.stderr

    config.unlink()
    without = invoke("status", results)
    assert without.exit_code == 0
    assert counts(without.stdout) == expected
    assert "to compare with a config as it is now: ensvm status --config CONFIG" in without.stdout


WARNS = 'loud: {estimator: "troublesome:Warns"}\nquiet: {estimator: ParzenWindowClassifier}\n'


def test_warnings_are_counted_by_a_run_and_listed_by_text_and_cell(study, tmp_path):
    results = tmp_path / "results"
    ran = run(study(WARNS), results)
    [line] = [line for line in ran.stdout.splitlines() if "warned" in line]
    assert line.startswith("4 of 9 cells warned")
    listed = invoke(*line.partition(": ensvm ")[2].split()).stdout
    assert listed.count("ConvergenceWarning: stopped … short of the aim") == 1
    assert "UserWarning: the first row is positive" in listed
    assert "quiet" not in listed
    block = listed.partition("short of the aim")[2]
    assert ["own", "loud", "error", "4", "of", "4"] in [row.split() for row in block.splitlines()]


CONFIG = """\
study: s
realizations: 2
datasets: [german]
algorithms: {a: {estimator: RhoSVC}}
tables:
  - {id: 1, caption: c, columns: [a]}
"""


@pytest.mark.parametrize("verb", ["status", "table", "show"])
def test_an_unknown_study_is_one_message(tmp_path, verb):
    make_study(tmp_path / "trial", CONFIG.replace("study: s", "study: trial"), [])
    (tmp_path / "trial" / CELLS_FILE).touch()
    answer = invoke(verb, tmp_path, "tral")
    assert answer.exit_code == 2
    message = "no results of a study 'tral'; accepted: trial; did you mean 'trial'?\n"
    assert answer.stderr.endswith(message)


def test_merge_names_disagreements_and_overwrites_nothing(tmp_path):
    for side, second in (("a", 0.2), ("b", 0.3)):
        make_study(tmp_path / side / "s", CONFIG, errors("german", "a", [0.1, second]))
    command = ("merge", tmp_path / "a", tmp_path / "b", "-o", tmp_path / "c")
    answer = invoke(*command)
    assert answer.exit_code == 1
    assert "s: 2 cells of 2 sources, 2 in several of them" in answer.stdout
    assert "s: german, realization 2, a: error is 0.2 in" in answer.stderr
    assert "but 0.3 in" in answer.stderr
    assert "1 cell with different values" in answer.stderr
    assert invoke("table", tmp_path / "c").exit_code == 0
    assert "is not empty" in invoke(*command).stderr


def test_merge_refuses_a_folder_without_records(tmp_path):
    answer = invoke("merge", tmp_path, "-o", tmp_path / "c")
    assert answer.exit_code == 2
    assert answer.stderr.startswith(f"error: {tmp_path}: no records here")


@pytest.mark.parametrize(
    "verb",
    [
        ("table", "results"),
        ("status", "results"),
        ("show", "results", "--dataset", "german", "--algorithm", "a"),
        ("export", "results"),
        ("report", "results", "--only", "claims"),
        ("compare", "results", "results"),
    ],
    ids=" ".join,
)
def test_two_values_of_one_cell_are_named(tmp_path, monkeypatch, verb):
    """As in a file that was put together from two, by hand or by git."""
    monkeypatch.chdir(tmp_path)
    mine, theirs = errors("german", "a", [0.2, 0.3]), errors("german", "a", [0.2, 0.4])
    make_study(tmp_path / "results" / "s", COMPARED, [*mine, *theirs])
    answer = invoke(*verb)
    message = "1 cell of a on german: several records"
    assert message in " ".join(answer.stderr.split())
    with pytest.warns(UserWarning, match=message):
        load_results("results")


def test_a_full_disk_is_named_by_the_file_that_is_written(tmp_path, monkeypatch):
    def copy(source, target):
        """Raise what `shutil.copyfile` raises on a full disk."""
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(source), None, str(target))

    monkeypatch.chdir(tmp_path)
    make_study(tmp_path / "results" / "s", COMPARED, errors("german", "a", [0.2]))
    monkeypatch.setattr(shutil, "copyfile", copy)
    answer = invoke("merge", "results", "-o", "merged")
    assert answer.exit_code == 2
    assert re.match(r"error: \.merged-\S+: no space left on device; free some", answer.stderr)
