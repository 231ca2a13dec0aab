"""A folder of results that cannot be read is named in a line, and keeps no other from being shown.

It holds for each verb that shows folders of results, and each way to spoil a file or a folder.
"""

import ctypes
import os
import re
import shutil
import sys
from contextlib import contextmanager, suppress
from dataclasses import replace

import pytest
from made_up_records import errors, invoke, make_study

from ensvm.errors import UserError
from ensvm.notebook.results import load_results
from ensvm.records.asked import ASKED_FILE
from ensvm.records.store import CELLS_FILE, CONFIG_COPY, PUBLISHED_COPY
from ensvm.report.study_folder import read_study

DATASETS = ("german", "titanic", "web2", "heart", "banana")
CONFIG = """\
study: good
title: A study that can be read
realizations: 2
published: published.csv
datasets: [german, titanic, web2, heart, banana]
algorithms: {a: {estimator: SVC}, b: {estimator: SVC, params: {C: 10}}}
tables: [{id: 1, caption: Errors., columns: [a, b]}]
figures: [{id: 2, kind: box, caption: Boxes., rows: [german], series: [a, b]}]
claims: [{id: c, text: A errs less., tests: [{left: a, right: b, relation: less, rows: [german]}]}]
readings: [{id: r, question: Which?, table: 1, columns: [a], default: a, conclusion: None.,
            variants: [{name: v, label: b, instead: {a: b}}]}]
"""
PRINTED = "table,row,column,value\n1,german,a,20\n"
FILES = (CONFIG_COPY, CELLS_FILE, ASKED_FILE, PUBLISHED_COPY)
CONTENTS = {
    "empty": b"",
    "no text": bytes(range(256)),
    "UTF-16": "study: good\n".encode("utf-16"),
    "NUL": b"\0" * 99 + b"\n",
    "neither YAML nor JSON": b"study: [\n",
    "another structure": b"{}\n",
    "a list": b"- 1\n",
    "nested": b"[" * 30_000 + b"\n",
    "large numbers": b'{"kind": "cell", "study": 1e999}\n',
    "another version": b"study: old\nkey_of_another_version: 1\nalgorithms: {}\n",
    "a part of the good one": b"part_of: good\nbad: 1\n",
    "anchors": b"a: &a [1, 2]\n" + b"".join(b"x%d: [*a, *a]\n" % number for number in range(9)),
}
VERBS = {
    "list": ["list", "results"],
    "table": ["table", "results"],
    "latex": ["table", "results", "--format", "latex"],
    "status": ["status", "results"],
    "warnings": ["status", "results", "--warnings"],
    "show": ["show", "results", "--dataset", "german", "--algorithm", "a"],
    "rank": ["rank", "results"],
    "export": ["export", "results"],
    "records": ["export", "results", "--per-realization"],
    "pages": ["report", "results", "-o", "pages"],
    "claims": ["report", "results", "--only", "claims"],
    "claim": ["report", "results", "--claim", "c"],
    "readings": ["report", "results", "--only", "readings"],
    "figures": ["report", "results", "--only", "figures"],
    "tables": ["report", "results", "--only", "tables"],
    "compare": ["compare", "results", "results"],
    "merge": ["merge", "results", "-o", "merged"],
}


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    records = [
        replace(made, study="good")
        for number, row in enumerate(DATASETS)
        for name in ("a", "b")
        for made in errors(row, name, [0.2 + number / 100, 0.3 - (name == "b") / 100])
    ]
    make_study(tmp_path / "results" / "good", CONFIG, records, PRINTED)
    return tmp_path / "results"


@contextmanager
def bound_by_permissions():
    """Let the permissions of files bind this process, also if it is root's."""
    if not sys.platform.startswith("linux"):
        yield
        return
    libc, overriding = ctypes.CDLL(None), 0b110  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH
    header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    assert libc.capget(header, data) == 0
    had = data[0]
    data[0] = had & ~overriding
    assert libc.capset(header, data) == 0
    try:
        yield
    finally:
        data[0] = had
        assert libc.capset(header, data) == 0


@pytest.fixture
def with_permissions(tmp_path):
    with bound_by_permissions():
        yield
    for folder, _, _ in os.walk(tmp_path):
        with suppress(OSError):
            os.chmod(folder, 0o755)


def spoil(results):
    """Write a folder for each way to spoil one; return their names."""
    names = []

    def another_study():
        folder = results / f"spoilt-{len(names)}"
        shutil.copytree(results / "good", folder)
        for name in (CONFIG_COPY, CELLS_FILE):
            text = (folder / name).read_text().replace('"good"', f'"{folder.name}"')
            (folder / name).write_text(text.replace("study: good", f"study: {folder.name}"))
        names.append(folder.name)
        return folder

    for name in FILES:
        for content in CONTENTS.values():
            (another_study() / name).write_bytes(content)
        (another_study() / name).chmod(0)
        folder = another_study()
        (folder / name).unlink()
        (folder / name).mkdir()
    for mode in (0o000, 0o400, 0o100):
        another_study().chmod(mode)
    return names


@pytest.mark.slow
@pytest.mark.usefixtures("with_permissions")
@pytest.mark.parametrize("verb", VERBS)
def test_other_folders_are_shown_beside_those_that_cannot_be_read(results, verb):
    alone = invoke(*VERBS[verb])
    names = spoil(results)
    if verb == "merge":
        results.parent.joinpath("merged").rename("merged-before")
    both = invoke(*VERBS[verb])
    assert both.exception is None or isinstance(both.exception, SystemExit), both.exception
    assert alone.exit_code == 0, alone.output
    assert both.exit_code == (0 if verb == "list" else 1), both.output
    not_named = [name for name in names if not re.search(rf"{name}\b", both.output)]
    assert [name for name in not_named if not_readable(results / name)] == []
    assert lines_of(alone) <= lines_of(both)


def not_readable(folder):
    """Return whether a study's folder cannot be read."""
    try:
        read_study(folder)
    except UserError:
        return True
    return False


def lines_of(result):
    """Return the lines that a verb printed, but those about all studies and wide spaces."""
    lines = (" ".join(line.split()) for line in result.stdout.splitlines())
    return {line for line in lines if not line.startswith(("in all:", "study cells"))}


@pytest.mark.slow
@pytest.mark.usefixtures("with_permissions")
def test_a_notebook_loads_the_others(results):
    names = spoil(results)
    with pytest.warns(UserWarning, match="left out") as warned:
        loaded = load_results("results")
    texts = " ".join(str(one.message) for one in warned)
    spoilt = [name for name in names if not_readable(results / name)]
    assert [name for name in spoilt if not re.search(rf"{name}\b", texts)] == []
    assert "good" in loaded.studies
    with pytest.raises(UserError, match=spoilt[0]):
        load_results(results / spoilt[0])


@pytest.mark.parametrize("place", ["empty", "a file", "nowhere", "closed"])
@pytest.mark.parametrize("verb", ["table", "status", "export", "report", "rank", "merge"])
@pytest.mark.usefixtures("with_permissions")
def test_a_place_without_results_is_one_message(tmp_path, monkeypatch, verb, place):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a file").write_text("x")
    (tmp_path / "empty").mkdir()
    (tmp_path / "closed").mkdir(mode=0)
    result = invoke(verb, place, *(["-o", "new"] if verb == "merge" else []))
    assert isinstance(result.exception, SystemExit)
    assert result.exit_code == 2
    assert place in result.stderr
    assert not (tmp_path / "new").exists()


WRITING = {
    "table": (["table", "results"], "Errors."),
    "latex": (["table", "results", "--format", "latex"], "tabular"),
    "rank": (["rank", "results"], "average rank"),
    "claims": (["report", "results", "--only", "claims"], "A errs less."),
    "readings": (["report", "results", "--only", "readings"], "Which?"),
    "figures": (["report", "results", "--only", "figures"], ""),
    "tables": (["report", "results", "--only", "tables"], ""),
}


@pytest.mark.slow
@pytest.mark.usefixtures("with_permissions")
@pytest.mark.parametrize("verb", WRITING)
def test_a_folder_that_cannot_be_written_is_shown_and_named(results, verb):
    arguments, text = WRITING[verb]
    for folder in ("before", "closed", "last"):
        shutil.copytree(results / "good", results / folder)
        config = results / folder / CONFIG_COPY
        config.write_text(config.read_text().replace("study: good", f"study: {folder}"))
    before = set((results / "closed").iterdir())
    (results / "closed").chmod(0o555)
    result = invoke(*arguments)
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == 1
    assert not text or result.stdout.count(text) >= 4
    assert result.stderr.count("not written: results/closed/") == 1
    assert set((results / "closed").iterdir()) == before
    written = [set(folder.iterdir()) for folder in (results / "good", results / "last")]
    assert len(written[0]) == len(written[1]) > len(before)
