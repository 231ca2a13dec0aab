"""Records survive whatever stops the writer."""

import json

import pytest

from ensvm.records.store import CELLS_FILE, RecordsDamaged, Store, StoreLocked, read_records


def record(realization: int, status: str = "ok") -> dict:
    return {
        "kind": "cell", "dataset": "d", "realization": realization, "algorithm": "a", "pass": "error", "status": status, "run_id": "r",
    }  # fmt: skip


def test_records_come_back_with_their_run(tmp_path):
    with Store(tmp_path / "s") as store:
        store.append([{"kind": "run", "id": "r", "host": "here"}, record(1)])
        store.append([record(2, "failed")])
    records = read_records(tmp_path / "s")
    assert set(records) == {("d", 1, "a", "error"), ("d", 2, "a", "error")}
    assert records["d", 1, "a", "error"]["run"]["host"] == "here"


def test_the_latest_record_of_a_cell_counts(tmp_path):
    with Store(tmp_path) as store:
        store.append([record(1, "failed")])
        store.append([record(1, "ok")])
    assert read_records(tmp_path)["d", 1, "a", "error"]["status"] == "ok"


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


def test_two_writers_at_once_are_refused(tmp_path):
    with Store(tmp_path), pytest.raises(StoreLocked, match="another"), Store(tmp_path):
        pass


def test_a_line_that_is_no_record_is_named(tmp_path):
    (tmp_path / CELLS_FILE).write_text("{}x\n")
    with pytest.raises(RecordsDamaged, match="line 1"):
        read_records(tmp_path)
