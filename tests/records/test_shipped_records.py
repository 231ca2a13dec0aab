"""Records that travel: equal to what was packed, the same bytes again, nothing of the machine."""

import lzma
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensvm.errors import UserError
from ensvm.records.identity import asked, stands_in
from ensvm.records.record import Conditions, Record, Run
from ensvm.records.shipped_records import pack, read_shipped
from ensvm.records.store import CELLS_FILE, SHIPPED_FILE, Store, read_records

CONFIG = "study: s  # as it was packed\n"
RUN = Run(
    id="r",
    host="anna-laptop",
    platform="Linux-6.1-of-anna",
    processor="A kind",
    cpus=4,
    commit="c" * 40,
    command=("run", "/home/anna/s.yaml", "--data-dir", "/home/anna/data"),
)


def record(realization, *, status="ok", algorithm="a", error=0.25, code="now", **changed):
    method = {"estimator": "E", "params": {"C": 1.0}, "defaults": {"tol": "0.1"}}
    made = Record(
        study="s",
        dataset="d",
        realization=realization,
        algorithm=algorithm,
        status=status,
        key=f"{algorithm}{realization}",
        settings_key=code,
        settings={"data": "x", "algorithm": method, "code": code},
        run_id="r",
        time="2026-01-02T00:00:00Z",
        metrics={"error": error},
        seconds={"fit_seconds": error / 3},
        curves={"path_": [error, error / 7]},
    )
    return replace(made, **changed)


def write(folder, records, run=RUN):
    with Store(folder) as store:
        store.append([run, *records])


def settings_of(records):
    return {made.identity: made.settings for made in records}


def packed(folder, records):
    """Write records as a run would, pack them, and return the bytes."""
    write(folder, records)
    pack(folder, CONFIG, settings_of(records))
    return (folder / SHIPPED_FILE).read_bytes()


def checked_out(folder, records):
    """Pack records, and leave only what a fresh checkout has; return the bytes."""
    content = packed(folder, records)
    (folder / CELLS_FILE).unlink()
    return content


@given(
    numbers=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=8),
)
def test_what_is_packed_comes_back_to_the_last_bit(tmp_path_factory, numbers):
    folder = tmp_path_factory.mktemp("s")
    records = [
        record(at, error=number, run_pass=run_pass)
        for at, number in enumerate(numbers, start=1)
        for run_pass in ("error", "timing")
    ]
    packed(folder, records)
    shipped = read_shipped(folder)
    assert shipped.config == CONFIG
    without = {True: {"key": ""}, False: {"key": "", "seconds": {}}}
    assert shipped.records == {
        made.identity: replace(made, **without[made.run_pass == "timing"]) for made in records
    }
    assert {made.run.commit for made in shipped.records.values()} == {RUN.commit}


def test_the_bytes_depend_on_the_records_alone(tmp_path):
    records = [record(at, algorithm=name) for at in range(1, 9) for name in "ab"]
    first = packed(tmp_path / "one", records)
    random.Random(0).shuffle(records)
    assert packed(tmp_path / "two", records) == first
    pack(tmp_path / "two", CONFIG, settings_of(records))
    assert (tmp_path / "two" / SHIPPED_FILE).read_bytes() == first
    (tmp_path / "two" / CELLS_FILE).unlink()  # as in a fresh checkout
    assert pack(tmp_path / "two", CONFIG, settings_of(records)) == []
    assert (tmp_path / "two" / SHIPPED_FILE).read_bytes() == first


def test_nothing_of_the_machine_travels_but_addresses_do(tmp_path):
    address = "https://some.org/~who/data/set.txt"
    records = [
        record(1, status="failed", reason="no /home/anna/set.txt", traceback="/home/anna/a.py"),
        record(2, warnings=("W: '/home/anna/b/c.py' is old", f"W: see {address}")),
        record(3, conditions=Conditions("anna-laptop", 1, 0.5, True), run_pass="timing"),
        record(4, status="unavailable", reason=f"download {address}"),
    ]
    text = lzma.decompress(packed(tmp_path, records)).decode()
    assert "anna" not in text
    assert text.count(address) == 2
    assert "no set.txt" in text
    assert "'c.py' is old" in text


def test_machines_that_differ_still_differ(tmp_path):
    hosts = ("one", "other", "one")
    records = [
        record(at, run_pass="timing", conditions=Conditions(host, 1, None, True))
        for at, host in enumerate(hosts, start=1)
    ]
    packed(tmp_path, records)
    labels = [made.conditions.host for _, made in sorted(read_shipped(tmp_path).records.items())]
    assert labels[0] == labels[2] != labels[1]


def test_own_records_replace_a_whole_value_of_those_packed_before(tmp_path):
    before = [record(at, algorithm=name) for at in (1, 2, 3) for name in "ab"]
    checked_out(tmp_path, before)
    write(tmp_path, [record(1, error=0.5)], replace(RUN, id="r2"))
    without = pack(tmp_path, CONFIG, settings_of(before))
    assert without == [("d", 2, "a", "error"), ("d", 3, "a", "error")]
    errors = {
        identity: made.metrics["error"] for identity, made in read_shipped(tmp_path).records.items()
    }
    assert errors == {
        ("d", 1, "a", "error"): 0.5,
        **{("d", at, "b", "error"): 0.25 for at in (1, 2, 3)},
    }


@pytest.mark.parametrize("status", ["ok", "failed", "timeout"])
def test_what_could_not_be_run_replaces_nothing(tmp_path, status):
    before = checked_out(tmp_path, [record(1, status=status)])
    assert packed(tmp_path, [record(1, status="unavailable")]) == before


def test_records_of_other_settings_stay_behind_and_those_of_other_code_travel(tmp_path):
    write(tmp_path, [record(1), record(2, code="before"), record(3)])
    other = record(3, settings={**record(3).settings, "data": "another"})
    newer_default = {**record(2).settings["algorithm"], "defaults": {"tol": "0.1", "new": "1"}}
    wanted = settings_of([record(1), record(2), other])
    wanted["d", 2, "a", "error"] = {**record(2).settings, "algorithm": newer_default}
    assert pack(tmp_path, CONFIG, wanted) == [other.identity]
    assert {at for _, at, _, _ in read_shipped(tmp_path).records} == {1, 2}


def test_asked_leaves_out_the_code_alone():
    settings = record(1).settings
    assert asked(settings) == {"data": "x", "algorithm": {"estimator": "E", "params": {"C": 1.0}}}
    assert asked({"algorithm": None, "code": "c"}) == {"algorithm": None}


@pytest.mark.parametrize(
    ("shipped", "own", "expected"),
    [
        (["ok"], [], True),
        (["unavailable"], [], True),
        (["ok"], ["ok"], False),
        (["ok", "ok"], ["ok"], False),
        (["ok"], ["unavailable", "unavailable"], True),
        (["ok"], ["unavailable", "ok"], False),
        (["ok"], ["failed"], False),
        (["ok"], ["timeout", "unavailable"], False),
        (["failed"], ["unavailable"], True),
        (["unavailable"], ["unavailable"], False),
    ],
)
def test_shipped_records_stand_in_where_nothing_was_run(shipped, own, expected):
    here = [record(at, status=status) for at, status in enumerate(own, start=1)]
    there = [record(at, status=status) for at, status in enumerate(shipped, start=1)]
    assert stands_in(there, here) is expected


def test_a_run_reads_its_own_records_only(tmp_path):
    checked_out(tmp_path, [record(1)])
    assert read_records(tmp_path) == {}
    assert read_shipped(tmp_path / "nowhere").records == {}


@pytest.mark.parametrize("cut", [1, 40, 200])
def test_a_damaged_file_is_named(tmp_path, cut):
    whole = packed(tmp_path, [record(at) for at in range(1, 30)])
    path = tmp_path / SHIPPED_FILE
    path.write_bytes(whole[:-cut])
    with pytest.raises(UserError, match=SHIPPED_FILE):
        read_shipped(tmp_path)
    path.write_bytes(b"no such thing\n")
    with pytest.raises(UserError, match=SHIPPED_FILE):
        read_shipped(tmp_path)


@pytest.mark.parametrize("line", [b'{"kind": "cell"}\n', b"[1]\n", b"3\n"])
def test_a_file_without_its_config_is_named(tmp_path, line):
    (tmp_path / SHIPPED_FILE).write_bytes(lzma.compress(line))
    with pytest.raises(UserError, match="config"):
        read_shipped(tmp_path)
