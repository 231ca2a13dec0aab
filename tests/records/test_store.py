"""Records survive whatever stops the writer."""

import gzip
import json
import math
import os
import resource
import shutil
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from ensvm.atomic_write import replace_file
from ensvm.errors import UserError
from ensvm.records.record import Conditions, LineReader, Record, Run, settings_line
from ensvm.records.settings import AlgorithmSettings, CellSettings
from ensvm.records.store import CELLS_FILE, Appender, Store, read_records
from ensvm.study.metrics import RATES


def record(realization: int, status: str = "ok") -> Record:
    return Record(
        "s", "d", realization, "a", status, key=f"k{realization}", settings_key="k", run_id="r"
    )


def test_records_come_back_with_their_run(tmp_path):
    with Store(tmp_path / "s") as store:
        store.append([Run(id="r", host="here"), record(1)])
        store.append([record(2, "failed")])
    records = read_records(tmp_path / "s")
    assert set(records) == {("d", 1, "a", "error"), ("d", 2, "a", "error")}
    assert records["d", 1, "a", "error"].run.host == "here"


def test_the_latest_record_of_a_cell_counts(tmp_path):
    with Store(tmp_path) as store:
        store.append([record(1, "failed")])
        store.append([record(1, "ok")])
    assert read_records(tmp_path)["d", 1, "a", "error"].status == "ok"


@pytest.mark.parametrize(
    ("change", "is_contradicted"),
    [
        ({}, False),
        ({"metrics": {"error": 0.5}}, True),
        ({"metrics": {"error": 0.5}, "status": "failed"}, False),
        ({"metrics": {"error": 0.5}, "settings_key": "other"}, False),
        ({"seconds": {"fit_seconds": 2.0}}, False),
        ({"scores": {"auc": 0.5}}, False),  # the config asks for another metric since
    ],
)
def test_records_of_one_cell_with_different_values_are_marked(tmp_path, change, is_contradicted):
    first = replace(record(1), metrics={"error": 0.25}, seconds={"fit_seconds": 1.0})
    second = replace(first, **change)
    with Store(tmp_path) as store:
        store.append([first, second])
    (last,) = read_records(tmp_path).values()
    assert (last, last.is_contradicted) == (second, is_contradicted)
    with Store(tmp_path) as store:
        store.append([second])  # as before, but it was not always so
    (last,) = read_records(tmp_path).values()
    assert last.is_contradicted == is_contradicted


@pytest.mark.parametrize("cut", range(1, 40, 7))
def test_a_torn_last_line_is_dropped_and_written_over(tmp_path, cut):
    with Store(tmp_path) as store:
        store.append([record(1), record(2)])
    path = tmp_path / CELLS_FILE
    path.write_bytes(path.read_bytes()[:-cut])
    assert set(read_records(tmp_path)) == {("d", 1, "a", "error")}
    with Store(tmp_path) as store:
        store.append([record(3)])
    assert set(read_records(tmp_path)) == {("d", 1, "a", "error"), ("d", 3, "a", "error")}
    assert all(json.loads(line) for line in path.read_text().splitlines())


@pytest.mark.parametrize("empty", [b"\n", b"  \n", b"\r\n"])
def test_empty_lines_are_skipped(tmp_path, empty):
    with Store(tmp_path) as store:
        store.append([record(1), record(2)])
    before, path = read_records(tmp_path), tmp_path / CELLS_FILE
    path.write_bytes(empty.join([b"", *path.read_bytes().splitlines(keepends=True), b""]))
    assert read_records(tmp_path) == before
    with Store(tmp_path) as store:
        store.append([record(3)])
    assert len(read_records(tmp_path)) == 3


def test_two_writers_at_once_are_refused(tmp_path):
    with Store(tmp_path), pytest.raises(UserError, match="another"), Store(tmp_path):
        pass


def test_settings_are_written_once_for_each_run_and_key(tmp_path):
    settings = CellSettings(method=AlgorithmSettings("E"))
    with Store(tmp_path) as store:
        for number in range(1, 5):
            store.append([replace(record(number), settings=settings)])
    lines = [json.loads(line) for line in (tmp_path / CELLS_FILE).read_text().splitlines()]
    assert [line["kind"] for line in lines] == ["settings", *["cell"] * 4]
    assert all("settings" not in line for line in lines[1:])
    assert {one.realization: one.settings for one in read_records(tmp_path).values()} == (
        dict.fromkeys(range(1, 5), settings)
    )


def test_records_of_other_versions_are_read(tmp_path):
    old = {**record(1).to_json(), "settings": {"code": "c"}, "crc32": "0", "confusion": {"a": []}}
    (tmp_path / CELLS_FILE).write_text(json.dumps(old) + "\n")
    assert read_records(tmp_path)["d", 1, "a", "error"].settings == CellSettings(code="c")


def test_a_store_sees_what_other_processes_append(tmp_path):
    with Store(tmp_path) as store, Appender(tmp_path) as worker:
        store.append([record(1)])
        store.appended()
        worker.append([record(2)])
        with (tmp_path / CELLS_FILE).open("ab") as file:
            file.write(b'{"kind": "cell", "torn')
        assert [one.realization for one in store.appended()] == [2]
        worker.append([record(3)])
        assert [one.realization for one in store.appended()] == [3]
    assert len(read_records(tmp_path)) == 3


@pytest.mark.parametrize("line", ["{}x", '{"kind": "cell"}', "{}", '{"kind": "run"}', "[1]", "3"])
def test_a_line_that_is_no_record_is_named(tmp_path, line):
    (tmp_path / CELLS_FILE).write_text(line + "\n")
    with pytest.raises(UserError, match="line 1"):
        read_records(tmp_path)


def test_the_message_about_a_spoilt_file_says_what_spoilt_it(tmp_path):
    """What is advised leaves as many records as can be read."""
    path = tmp_path / CELLS_FILE
    lines = [json.dumps(record(n).to_json()).encode() + b"\n" for n in (1, 2, 3)]
    first, second, third = lines
    conflict = [first, b"<<<<<<< HEAD\n", second, b"=======\n", third, b">>>>>>> other\n"]
    for content, message in (
        (b"".join(conflict), "line 2: .*mark of a merge conflict.*begin with <<<<<<<, =======, >>"),
        (b"".join(conflict[2:]), "line 2: .*======= is a mark of a merge conflict"),
        (first.rstrip() + second, f"line 1: .*begin a new line at character {len(first)}$"),
        (first + bytes(512) + b"\n" + second, "line 2: .*not text in UTF-8; remove the line"),
        (b"version https://git-lfs.github.com/spec/v1\noid 1\n", "a pointer of Git LFS, not the"),
        (gzip.compress(first) + b"\n", "a gzip file"),
        (b"<!DOCTYPE html>\n", "a web page"),
    ):
        path.write_bytes(content)
        with pytest.raises(UserError, match=message):
            read_records(tmp_path)


def test_a_record_survives_the_way_to_the_disk_and_back(tmp_path):
    whole = Record(
        study="s",
        dataset="d",
        realization=3,
        algorithm="a",
        status="failed",
        key="k",
        settings_key="l",
        run_pass="timing",
        reason="why",
        settings=CellSettings("data", code="c"),
        run_id="r",
        time="2026-01-02T00:00:00Z",
        metrics={"error": 0.25, "stop_reason_": "tol"},
        seconds={"fit_seconds": 0.1},
        curves={"path_": [1.0, 2.0]},
        by_order={"error": [0.25, 0.125], "n_errors": [2, 1]},
        stage={"C": 1.0},
        n_stages=3,
        validation_error=0.5,
        conditions=Conditions("here", 1, 0.5, True),
        warnings=("one", "two"),
        traceback="where",
    )
    with Store(tmp_path) as store:
        store.append([whole])
    assert read_records(tmp_path)[whole.identity] == whole
    assert "by_order" not in record(1).to_json()


NO_RATES = [True, False, None, "0.2", 1.5, -0.1, 20, math.inf]
NO_SECONDS = [-1e-9, math.nan, math.inf, "1", True]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "note"}, "a cell, a run or settings.*remove the line"),
        ({"status": "great"}, "'status'.*'great'"),
        ({"realization": "1"}, "'realization'"),
        ({"realization": True}, "'realization'"),
        ({"metrics": [1]}, "'metrics'"),
        ({"warnings": "one"}, "'warnings'"),
        ({"by_order": {"error": 1}}, "'by_order.error'"),
        ({"conditions": {"host": 1}}, "'conditions.host'"),
        ({"dataset": ["d"]}, "'dataset'"),
        *(({"metrics": {name: rate}}, "is not a fraction") for name in RATES for rate in NO_RATES),
        *(({"seconds": {"fit_seconds": each}}, "'seconds.fit_seconds'") for each in NO_SECONDS),
    ],
)
def test_a_foreign_record_is_refused_by_file_and_line(tmp_path, change, message):
    path = tmp_path / CELLS_FILE
    lines = [record(1).to_json(), record(2).to_json() | change]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(UserError, match=f"line 2: .*{message}") as caught:
        read_records(tmp_path)
    assert str(path) in str(caught.value)


UNUSUAL = {
    "not a number": {"metrics": {"error": 0.5, "a_": float("nan"), "b_": float("-inf")}},
    "types": {"metrics": {"error": 1, "a_": True, "b_": None, "c_": "1", "d_": 1e-7}},
    "half of a character": {"reason": "\ud800", "metrics": {"stop_": "\udfff"}},
    "20 digits": {"metrics": {"n_": 10**20 - 1}, "stage": {"C": 10**20 - 1}},
    "21 digits": {"metrics": {"n_": 10**20}},
    "21 digits of a choice": {"stage": {"C": [10**20]}},
    "21 digits in a curve": {"curves": {"path_": [[10**20]]}},
    "20 digits and a sign": {"seed": -(10**19)},
    "wrong error": {"metrics": {"error": 1.5}},
    "wrong type": {"conditions": {"host": "h", "blas_threads": 1.5}},
    "run and settings in the line": {"run": {"id": 3}, "settings": {"code": "c"}},
    "an unknown run": {"run_id": "x", "run": {"id": "x"}, "settings_key": "x"},
    "escapes": {"reason": "a\0b\r\n\u00e9", "traceback": '"kind": "run", \\"'},
    "wrong pass": {"pass": "both"},
}


@pytest.mark.parametrize("change", UNUSUAL.values(), ids=UNUSUAL)
def test_a_line_is_read_alike_at_once_and_step_by_step(change):
    """A blank before a line keeps it from being read at once."""
    line = json.dumps(record(1).to_json() | change).encode()
    assert _outcome(line) == _outcome(b" " + line)


def _outcome(line):
    """Return the record of a line as text, or the message about it."""
    reader = LineReader()
    reader.read(json.dumps(Run(id="r").to_json()).encode())
    reader.read(json.dumps(settings_line("k", CellSettings(code="k"))).encode())
    try:
        return repr(reader.read(line))
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("sort_keys", [False, True])
def test_lines_of_cells_are_read_at_once(monkeypatch, sort_keys):
    """Runs write lines so; the keys of shipped records are sorted."""
    monkeypatch.setattr("ensvm.records.record.read_line", None)
    timed = Conditions("here", 1, 0.5, True)
    made = replace(record(1), by_order={"error": [0.5, 0.25]}, conditions=timed, draws=False)
    line = json.dumps(made.to_json(), sort_keys=sort_keys)
    assert LineReader().read(line.encode()) == made


@contextmanager
def files_of_at_most(n_bytes):
    """Limit the size of files: a write fails in the midst of a line, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_costs_no_record(tmp_path):
    with Store(tmp_path) as store:
        store.append([record(1)])
    size = (tmp_path / CELLS_FILE).stat().st_size
    with (
        files_of_at_most(size + 20),
        pytest.raises(OSError, match=r"cells\.jsonl"),
        Store(tmp_path) as store,
    ):
        store.append([record(2)])
    assert set(read_records(tmp_path)) == {("d", 1, "a", "error")}
    with Store(tmp_path) as store:
        store.append([record(2)])
    assert len(read_records(tmp_path)) == 2


@pytest.mark.parametrize(
    "change", [shutil.rmtree, lambda folder: folder.rename(folder.with_name("renamed"))]
)
def test_records_of_a_folder_that_is_deleted_or_renamed_are_in_a_new_file(
    tmp_path, monkeypatch, change
):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with Store(tmp_path / "s") as store:
        store.append([record(1)])
        change(tmp_path / "s")
        with pytest.raises(UserError, match="was deleted or renamed") as caught:
            store.append([record(2)])
    file = Path(str(caught.value).rpartition(" ")[2])
    assert len(read_records(file.parent)) == 2


@pytest.mark.parametrize("withheld", [0o077, 0o027, 0o022, 0o002])
def test_new_files_have_the_permissions_that_the_user_gives(tmp_path, withheld):
    before = os.umask(withheld)
    try:
        replace_file(tmp_path / "new", "content")
        (tmp_path / "plain").write_text("content")
    finally:
        os.umask(before)
    new, plain = ((tmp_path / name).stat().st_mode for name in ("new", "plain"))
    assert new == plain


def test_a_file_is_whole_or_as_it_was(tmp_path):
    path = tmp_path / "table.csv"
    replace_file(path, "old")
    with files_of_at_most(10), pytest.raises(OSError, match="File too large") as caught:
        replace_file(path, "new" * 10)
    assert caught.value.filename == str(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("processor", "blas", "expected"),
    [
        ("AMD X", ("openblas 0.3.30 Zen", "openblas 0.3.31.188.0 Zen"), "AMD X (OpenBLAS Zen)"),
        ("AMD X", ("openblas 0.3.30 Zen", "mkl 2024.1"), "AMD X (OpenBLAS Zen)"),
        ("AMD X", ("mkl 2024.1",), "AMD X"),
        ("", ("openblas Haswell",), "OpenBLAS Haswell"),
        ("", (), ""),
    ],
)
def test_what_rounding_depends_on_is_named_without_versions(processor, blas, expected):
    assert Run(id="r", processor=processor, blas=blas).arithmetic == expected
