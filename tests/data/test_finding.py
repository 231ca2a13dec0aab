"""Where the files of data sets lie: the very files that loading them would read."""

import pytest

from ensvm.data import DataError, find_card, list_cards, locate, whereabouts


@pytest.fixture(autouse=True)
def _no_network(tmp_path, monkeypatch):
    monkeypatch.setenv("ENSVM_OFFLINE", "1")
    monkeypatch.setenv("ENSVM_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("ENSVM_DATA", raising=False)


@pytest.mark.parametrize("card", list_cards(), ids=lambda card: card.name)
def test_here_is_what_somebody_serves(card):
    found = whereabouts(card)
    served = locate(card).provider is not None
    assert found.state == ("here" if served else "missing")
    if served:
        assert sorted(found.files) == sorted(card.parts)
        assert all(path.is_file() for paths in found.files.values() for path in paths)


def test_a_file_of_ones_own_is_found_unread(tmp_path):
    for name in ("w2a", "w2a.t"):
        (tmp_path / name).touch()
    found = whereabouts(find_card("web2"), data_dir=tmp_path)
    assert found.state == "here"
    assert found.files == {"train": (tmp_path / "w2a",), "test": (tmp_path / "w2a.t",)}


def test_one_part_alone_is_not_enough(tmp_path):
    (tmp_path / "w2a").touch()
    found = whereabouts(find_card("web2"), data_dir=tmp_path)
    assert found.state == "missing"
    assert found.files == {"train": (tmp_path / "w2a",)}


def test_what_a_network_might_have_is_to_download(monkeypatch):
    monkeypatch.delenv("ENSVM_OFFLINE")
    assert whereabouts(find_card("web2")).state == "to download"
    assert whereabouts(find_card("ida-german")).state == "missing"  # no address has it


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(DataError, match="there is no folder"):
        whereabouts(find_card("german"), data_dir=tmp_path / "none")
