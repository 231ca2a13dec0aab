"""`ensvm rank` on the records of a checkout: files and messages."""

import re
import shutil
from functools import cache
from pathlib import Path

import pytest
from made_up_records import invoke

from ensvm.report.query import read_study

ROOT = Path(__file__).parents[3]
READ = ("config.yaml", "cells.jsonl.xz", "published.csv")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A results folder with two studies as a fresh checkout has them."""
    folder = tmp_path_factory.mktemp("checkout") / "results"
    for study in ("ijcai07", "ijcai07-figure1"):
        (folder / study).mkdir(parents=True)
        for name in READ:
            if (path := ROOT / "results" / study / name).is_file():
                shutil.copy(path, folder / study / name)
    return folder


@pytest.fixture
def results(checkout, monkeypatch):
    """The folder without rankings. Its records never change, so they are read only once."""
    monkeypatch.setattr("ensvm.report.query.read_study", read_once)
    for path in checkout.glob("*/rank-*"):
        path.unlink()
    return checkout


@cache
def read_once(folder):
    return read_study(folder)


def written(results):
    """Return the names of the files written beside the records."""
    return {path.name for path in results.rglob("*") if path.is_file()} - set(READ)


@pytest.mark.slow
def test_a_table_is_ranked_printed_and_written(results):
    result = invoke("rank", results, "ijcai07", "--table", "2")
    assert result.exit_code == 0
    assert written(results) == {f"rank-2.{end}" for end in ("csv", "md", "png", "svg", "pdf")}
    assert result.stdout.strip() == (results / "ijcai07" / "rank-2.md").read_text().strip()
    assert re.search(r"SVM \(BEST\): an oracle", result.stdout)
    assert "rank-2.svg" in result.stderr


@pytest.mark.slow
def test_a_table_that_cannot_be_ranked_does_not_stop_the_others(results):
    result = invoke("rank", results)
    assert result.exit_code == 0
    assert "ijcai07, table 3: not ranked: its columns show train_seconds, n_iter_" in result.stderr
    assert "facts of the data" not in result.stderr  # such a table is ranked only if it is named
    assert {"rank-2.md", "rank-2-alternatives.md"} <= written(results)


REFUSED = {
    "unknown study": (["ijcai"], "no results of a study 'ijcai'; accepted: ijcai07, .*did you"),
    "unknown table": (["--table", "9"], "no table '9'; accepted: 1, 2, 2-alternatives"),
    "no tables": (["ijcai07-figure1"], "ijcai07-figure1: no table to rank"),
    "data facts": (["--table", "1"], "ijcai07, table 1: not ranked: .*facts of the data"),
    "misspelt metric": (["--table", "2", "--metric", "auk"], "unknown metric 'auk'; .*'auc'"),
    "misspelt data set": (["--table", "2", "--dataset", "germn"], "did you mean 'german'"),
    "one realization": (["--table", "2", "--dataset", "astro"], "nothing to test"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_ranked_is_refused_in_one_line(results, case):
    arguments, message = REFUSED[case]
    result = invoke("rank", results, *arguments)
    assert result.exit_code == 2
    assert not result.stdout
    (line,) = result.stderr.strip().splitlines()
    assert line.startswith("error: ")
    assert re.search(message, line), line
    assert not written(results)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--alpha", "0"], "0.0 is not in the range"),
    ],
)
def test_options_out_of_range_are_refused(results, arguments, message):
    result = invoke("rank", results, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_without_records_it_says_what_to_do(tmp_path):
    result = invoke("rank", tmp_path)
    assert result.exit_code == 2
    assert "no records here; run a study first" in result.stderr
