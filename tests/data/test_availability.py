"""Where data lie: what loading would read is here, the rest is missing or to download."""

import pytest

from ensvm.data import DataSearch, find_card, list_cards, locate
from ensvm.data.providers import serving
from ensvm.errors import Refused

pytestmark = pytest.mark.usefixtures("downloads_allowed")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list of the places that downloads were tried from, in vain."""
    places: list[str] = []

    def unreachable(source):
        places.append(source.address)
        raise Refused("no network")

    monkeypatch.setattr(serving, "download", unreachable)
    return places


def test_what_nobody_serves_is_missing_with_what_to_do(asked):
    search = DataSearch()
    assert search.find("german", find_card("german"))
    assert not search.find("web2", find_card("w2a"))
    assert list(search.missing) == ["web2"]
    assert "ENSVM_DATA" in search.missing["web2"]
    assert asked
    assert not search.offline


def test_data_sets_with_the_same_sources_ask_once(asked):
    search = DataSearch()
    assert not search.find("one", find_card("w2a"))
    before = list(asked)
    assert not search.find("other", find_card("w2a"))
    assert asked == before
    assert search.missing["one"] == search.missing["other"]


def test_without_downloading_a_download_is_announced_not_tried(asked):
    search = DataSearch(download=False)
    assert search.find("web2", find_card("w2a"))
    assert search.find("german", find_card("german"))
    assert (search.missing, search.to_download, asked) == ({}, ["web2"], [])


def test_a_file_of_several_data_sets_is_read_once(monkeypatch):
    paths, unpack = [], serving.unpack
    monkeypatch.setattr(serving, "unpack", lambda path: (paths.append(path), unpack(path))[1])
    search = DataSearch(download=False)
    assert search.find("one", find_card("german"))
    assert search.find("other", find_card("german"))
    assert paths
    assert len(set(paths)) == len(paths)


@pytest.mark.parametrize("card", list_cards(), ids=lambda card: card.name)
def test_here_is_what_somebody_serves(card, monkeypatch):
    monkeypatch.setenv("ENSVM_OFFLINE", "1")
    verified, unread = locate(card), locate(card, verify=False)
    assert (unread.state, unread.files) == (verified.state, verified.files)
    assert verified.state == ("here" if verified.provider else "missing")
    if verified.provider:
        assert sorted(verified.files) == sorted(card.parts)


def test_a_file_of_ones_own_is_found_unread(tmp_path):
    for name in ("w2a", "w2a.t"):
        (tmp_path / name).touch()
    found = locate(find_card("web2"), data_dir=tmp_path, verify=False)
    assert found.state == "here"
    assert found.files == {"train": (tmp_path / "w2a",), "test": (tmp_path / "w2a.t",)}


def test_one_part_alone_is_not_enough(tmp_path, monkeypatch):
    monkeypatch.setenv("ENSVM_OFFLINE", "1")
    (tmp_path / "w2a").touch()
    found = locate(find_card("web2"), data_dir=tmp_path, verify=False)
    assert found.state == "missing"
    assert found.files == {"train": (tmp_path / "w2a",)}


def test_what_a_network_might_have_is_to_download():
    assert locate(find_card("web2")).state == "to download"
    assert locate(find_card("ida-german")).state == "missing"  # no address has it
