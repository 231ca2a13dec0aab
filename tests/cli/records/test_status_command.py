"""`ensvm status`: what is done and what is left of each study, and what it costs."""

import re
import sys
from unittest import mock

import pytest
from click.testing import CliRunner

from ensvm_cli.main import main

pytestmark = pytest.mark.usefixtures("in_this_process")

TWO = """
svc: {estimator: SVC, params: {C: 1.0}}
fails: {estimator: "troublesome:Raises"}
"""


def invoke(*arguments):
    given = [str(argument) for argument in arguments]
    with mock.patch.object(sys, "argv", ["ensvm", *given]):  # a run keeps its command
        return CliRunner().invoke(main, given)


def counts(told):
    """Return the counts of the study `trial`, by the heads of their columns."""
    head, line = told.splitlines()[:2]
    ends = {match.group(): match.end() for match in re.finditer(r"\S+(?: \S+)*", head)}
    starts = [0, *ends.values()]
    cells = [line[start:end] for start, end in zip(starts, ends.values(), strict=False)]
    return dict(zip(ends, map(str.strip, cells), strict=True))


def test_what_is_done_failed_missing_and_stale(study, tmp_path):
    results = tmp_path / "results"
    config = study(TWO, realizations=3)
    invoke("run", config, "--results", results, "--jobs", 1, "--realizations", 2)
    first = invoke("status", results, "--costs", "--config", config)
    assert first.exit_code == 0
    assert counts(first.stdout) == {
        "study": "trial",
        "cells": "7",
        "done": "3",
        "failed": "2",
        "missing": "2",
    }
    assert "own: fails (" in first.stdout  # what failed, with the reason
    assert "own: svc, fails (not run yet)" in first.stdout
    assert f"to do them: ensvm run {config}" in first.stdout
    assert re.search(r"^svc +[0-9.]+ ", first.stdout, re.MULTILINE)  # seconds of it

    study(TWO.replace("1.0", "2.0"), realizations=3)
    changed = invoke("status", results, "--config", config)
    assert counts(changed.stdout)["stale"] == "2"
    assert "own: svc (changed: algorithm)" in changed.stdout


def test_without_a_config_the_records_are_counted(study, tmp_path):
    results = tmp_path / "results"
    config = study(TWO, realizations=1)
    invoke("run", config, "--results", results, "--jobs", 1)
    config.unlink()
    told = invoke("status", results, "--costs")
    assert told.exit_code == 0
    assert counts(told.stdout) == {"study": "trial", "cells": "3", "done": "2", "failed": "1"}
    assert "to see what is missing or stale: ensvm status --config CONFIG" in told.stdout
    assert re.search(r"^svc +[0-9.]+ ", told.stdout, re.MULTILINE)  # recorded seconds


def test_a_config_of_another_study_is_refused(study, tmp_path):
    results = tmp_path / "results"
    config = study(TWO, realizations=1)
    invoke("run", config, "--results", results, "--jobs", 1)
    config.write_text(config.read_text().replace("study: trial", "study: trail"))
    told = invoke("status", results, "--config", config)
    assert told.exit_code == 2
    assert "no results here of its study 'trail'; accepted: trial" in told.stderr


@pytest.mark.parametrize("verb", ["status", "table", "claims"])
def test_a_study_that_is_not_there_is_one_message(study, tmp_path, verb):
    results = tmp_path / "results"
    invoke("run", study(TWO, realizations=1), "--results", results, "--jobs", 1)
    told = invoke(verb, results, "tral")
    assert told.exit_code == 2
    message = "no results of a study 'tral'; accepted: trial; did you mean 'trial'?\n"
    assert told.stderr.endswith(message)


WARNS = 'loud: {estimator: "troublesome:Warns"}\nquiet: {estimator: ParzenWindowClassifier}\n'


def test_warnings_are_counted_by_a_run_and_listed_by_text_and_cell(study, tmp_path):
    results = tmp_path / "results"
    ran = invoke("run", study(WARNS), "--results", results, "--jobs", 1)
    [line] = [line for line in ran.stdout.splitlines() if "warned" in line]
    assert line.startswith("4 of 9 cells warned")
    listed = invoke(*line.partition(": ensvm ")[2].split()).stdout
    assert listed.count("ConvergenceWarning: stopped … short of the aim") == 1
    assert "UserWarning: the first row is positive" in listed
    assert "quiet" not in listed
    block = listed.partition("short of the aim")[2]
    assert ["own", "loud", "error", "4", "of", "4"] in [row.split() for row in block.splitlines()]
    assert invoke("warnings", results).stdout == listed, "the verb of older versions"
