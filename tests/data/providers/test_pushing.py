"""A data set sent to another machine is the same data set there."""

import pytest

from ensvm.data import find_card, inline_card, load
from ensvm.data.errors import DataUnavailable
from ensvm.data.providers.pushing import keep, packed, unpacked


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.setenv("ENSVM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("ENSVM_OFFLINE", "1")
    return tmp_path / "cache"


def cards(own_data):
    split = {"protocol": "random", "n_train": 40, "n_test": 20}
    mapping = {"path": own_data.name, "target": "label", "positive": "1", "split": split}
    shipped = [find_card(name) for name in ("german", "horse-colic-official")]
    return [inline_card(mapping, own_data.parent), *shipped]


def test_it_is_the_same_there(own_data, elsewhere):
    for card in cards(own_data):
        sources, contents = packed(card, None)
        assert unpacked(card, sources) is None
        keep(contents)
        there = unpacked(card, sources)
        assert there.fingerprint() == card.fingerprint()
        assert load(there).checksum == load(card).checksum
        assert load(there).provider == "file"


def test_a_file_changed_there_is_not_taken(own_data, elsewhere):
    card = cards(own_data)[0]
    sources, contents = packed(card, None)
    keep(contents)
    [file] = (elsewhere / "data").glob("*.data")
    file.write_bytes(file.read_bytes().replace(b"0", b"1", 1))
    own_data.unlink()
    with pytest.raises(DataUnavailable):
        load(unpacked(card, sources))


def test_what_nobody_has_cannot_be_sent(own_data, elsewhere):
    card = cards(own_data)[0]
    own_data.unlink()
    with pytest.raises(DataUnavailable):
        packed(card, None)
