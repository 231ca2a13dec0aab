"""A folder of results that cannot be read is named in a line, and keeps no other from being shown.

It holds for each verb that shows a folder of results.
"""

import shutil

import pytest
from made_up_records import copy_results, invoke

from ensvm.errors import UserError
from ensvm.notebook.results import load_results
from ensvm.records.asked import ASKED_FILE
from ensvm.records.store import CELLS_FILE, CONFIG_COPY

GOOD, SPOILT = "ijcai07-full-adult", "spoilt"
OLD = "study: spoilt\nkey_of_another_version: 1\ndatasets: [german]\nalgorithms: {}\n"
SPOILS = {
    "not YAML": (CONFIG_COPY, b"study: ["),
    "another version": (CONFIG_COPY, OLD.encode()),
    "not text": (CONFIG_COPY, bytes(range(256))),
    "a list": (CONFIG_COPY, b"- 1\n"),
    "empty": (CONFIG_COPY, b""),
    "a part of the good one": (
        CONFIG_COPY,
        f"part_of: {GOOD}\nbad: 1\n".encode(),
    ),
    "no record": (CELLS_FILE, b"{garbage\n{}\n"),
    "records of another kind": (CELLS_FILE, b'{"kind": "cell", "study": 3}\n{}\n'),
    "what is asked": (ASKED_FILE, b"garbage\n"),
}
VERBS = {
    "list": ["list", "results"],
    "table": ["table", "results"],
    "status": ["status", "results"],
    "export": ["export", "results"],
    "records": ["export", "results", "--per-realization"],
    "pages": ["report", "results", "-o", "pages"],
    "tables": ["report", "results", "--only", "tables"],
    "compare": ["compare", "results", "shipped"],
}


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    copy_results(GOOD, tmp_path / "results", 1)
    return tmp_path / "results"


def spoil(results):
    """Write a folder for each way to spoil one file; return the files."""
    files = []
    for number, (name, content) in enumerate(SPOILS.values()):
        folder = results / f"{SPOILT}-{number}"
        shutil.copytree(results / GOOD, folder)
        config = folder / CONFIG_COPY
        config.write_text(config.read_text().replace(f"study: {GOOD}", f"study: {folder.name}"))
        (folder / name).write_bytes(content)
        files.append(f"results/{folder.name}/{name}")
    return files


@pytest.mark.parametrize("verb", VERBS)
def test_other_folders_are_shown_beside_those_that_cannot_be_read(results, verb):
    alone = invoke(*VERBS[verb])
    assert GOOD in alone.output
    files = spoil(results)
    both = invoke(*VERBS[verb])
    assert both.exception is None or isinstance(both.exception, SystemExit)
    told = " ".join(both.stderr.split())
    named = [file for file in files if file in told]
    not_named = [file for file in files if file not in told]
    assert named
    # `list` does not read what is asked.
    assert [file for file in not_named if verb != "list" or not file.endswith(ASKED_FILE)] == []
    assert set(alone.stdout.splitlines()) <= set(both.stdout.splitlines())


def test_a_notebook_loads_the_others(results):
    files = spoil(results)
    with pytest.warns(UserWarning, match="left out") as warned:
        load_results("results")
    texts = " ".join(str(one.message) for one in warned)
    assert [file for file in files if file not in texts] == []
    with pytest.raises(UserError, match=SPOILT):
        load_results(results / f"{SPOILT}-0")


@pytest.mark.parametrize("place", ["empty", "a file", "nowhere"])
@pytest.mark.parametrize("verb", ["table", "status", "export", "report", "rank"])
def test_a_place_without_results_is_one_message(tmp_path, monkeypatch, verb, place):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a file").write_text("x")
    (tmp_path / "empty").mkdir()
    result = invoke(verb, place)
    assert isinstance(result.exception, SystemExit)
    assert result.exit_code == 2
    assert place in result.stderr
