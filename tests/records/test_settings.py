"""What a cell is comes back from a file of records as it was planned."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up_records import record, settings_of

from ensvm.data.splits import SPLITS, Split
from ensvm.records import identity
from ensvm.records.identity import asked, difference, hash_of
from ensvm.records.settings import AlgorithmSettings, CellSettings, TimingSettings
from ensvm.records.store import Store, read_records

names = st.text(min_size=1, max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | names,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)
methods = st.builds(
    AlgorithmSettings,
    names | st.dictionaries(names, values, min_size=1, max_size=2),
    st.dictionaries(names, values, max_size=3),
    st.dictionaries(names, names, max_size=3),
    st.none() | st.dictionaries(names, st.lists(values, min_size=1, max_size=3), max_size=2),
    st.sampled_from(["last", "best-on-test"]),
    st.none() | st.integers(1, 9),
    st.lists(names, max_size=2).map(tuple),
    st.booleans(),
    names,
    st.none() | names,
    st.integers(1, 9),
    st.none() | names,
)
splits = st.sampled_from(
    [
        {"protocol": "official", "n_train": 20, "n_test": 10},
        {"protocol": "official", "n_train": 20, "n_test": 10, "realizations": 3},
        {"protocol": "random", "n_train": 20, "n_test": 10, "stratified": True},
        {"protocol": "random", "n_train": 20, "n_test": 10},
        {"protocol": "kfold", "n_splits": 5, "stratified": False},
        {"protocol": "kfold", "n_splits": 5, "stratified": True, "grouped": True},
        {"protocol": "bootstrap"},
        {"protocol": "leave-one-group-out", "realizations": 4},
        {"protocol": "indices", "n_train": 20, "n_test": 10, "realizations": 3},
        {"protocol": "disjoint", "n_train": 20, "n_test": 10, "block": 50},
    ]
)
own = st.dictionaries(names, names, max_size=2)
timings = st.none() | st.builds(TimingSettings, st.integers(1, 8))


def typed(split: dict[str, object]) -> Split:
    return SPLITS[str(split["protocol"])].model_validate(split)


settings = st.builds(
    CellSettings, names, splits.map(typed), st.none() | methods, names, own, timings
)


def again(line: CellSettings) -> CellSettings:
    """Return settings as they are read from the file that they are written to."""
    return settings_of(**json.loads(json.dumps(line.to_json())))


@given(settings)
def test_settings_are_the_same_when_they_are_read_again(planned):
    assert again(planned) == planned
    assert hash_of(again(planned).to_json()) == hash_of(planned.to_json())
    assert not difference(again(planned), planned)


@given(splits)
def test_the_split_of_a_record_is_written_as_it_is_in_the_config(split):
    assert settings_of(split=split).to_json()["split"] == split


@given(settings, settings)
def test_what_has_changed_is_named_if_the_hash_has(one, other):
    assert bool(difference(one, other)) == (hash_of(one.to_json()) != hash_of(other.to_json()))


def test_the_settings_of_many_records_are_compared_once(monkeypatch):
    calls = []
    monkeypatch.setattr(identity, "_differences", lambda *both: [str(calls.append(both))])
    recorded, wanted = CellSettings("recorded once"), CellSettings("wanted once")
    for _ in range(3):
        assert difference(again(recorded), again(wanted)) == difference(recorded, wanted)
    assert len(calls) == 1


@given(settings, names, own)
def test_what_a_config_asks_for_is_not_its_code(planned, code, files):
    line = planned.to_json() | {"code": code, "own": files}
    assert asked(settings_of(**line)) == asked(planned)


@given(settings, st.dictionaries(names.map("_".__add__), values, max_size=3))
def test_keys_of_another_version_are_ignored(planned, more):
    line = json.loads(json.dumps(planned.to_json()))
    line["split"] |= more
    if planned.method:
        line["algorithm"] |= more
    assert settings_of(**line, **more) == planned


@pytest.mark.parametrize("old", [{}, {"code": "c"}, {"algorithm": None}, {"timing": None}])
def test_settings_may_lack_a_part(old, tmp_path):
    made = record("german", 1, "a", error=0.1)
    with Store(tmp_path) as store:
        store.append([made])
    cells = tmp_path / "cells.jsonl"
    line = json.dumps({"kind": "settings", "key": made.settings_key, "settings": old})
    cells.write_text(line + "\n" + cells.read_text().splitlines()[-1] + "\n")
    assert read_records(tmp_path)[made.identity].settings == settings_of(**old)
