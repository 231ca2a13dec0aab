"""What is missing is found once a source, and what is here is never called missing."""

from pathlib import Path

import pytest

from ensvm.data import DataError, DataSearch, find_card
from ensvm.data.errors import Refused
from ensvm.data.providers import order


@pytest.fixture(autouse=True)
def _nothing_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENSVM_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("ENSVM_DATA", raising=False)
    monkeypatch.delenv("ENSVM_OFFLINE", raising=False)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list of the places that downloads were tried from, in vain."""
    places: list[str] = []

    def unreachable(source):
        places.append(source.place)
        raise Refused("no network")

    monkeypatch.setattr(order, "download", unreachable)
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


def test_offline_nothing_is_to_be_downloaded(monkeypatch, asked):
    monkeypatch.setenv("ENSVM_OFFLINE", "1")
    search = DataSearch(download=False)
    assert not search.find("web2", find_card("w2a"))
    assert (list(search.missing), search.to_download) == (["web2"], [])
    assert search.offline


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(DataError, match="there is no folder"):
        DataSearch(tmp_path / "absent")
