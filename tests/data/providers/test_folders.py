"""Mirrors, cache and atomic writing: only right content is served, and a wrong one is reported."""

import bz2
import gzip
import hashlib
import lzma
import multiprocessing
import os
import time
from pathlib import Path

import pytest

from ensvm.atomic_write import replace_file
from ensvm.data.card import Source
from ensvm.data.providers.folders import DataFolders, data_folders, through_cache
from ensvm.data.providers.serving import Lookup
from ensvm.errors import Refused, UserError

CONTENT = b"1,2,a\n3,4,b\n"
SUM = hashlib.sha256(CONTENT).hexdigest()
FORMAT = {"type": "table", "target": -1}


def source(**place: str) -> Source:
    return Source.model_validate({"sha256": SUM, "format": FORMAT, **place})


def from_mirrors(*mirrors: Path) -> bytes:
    folders = DataFolders(mirrors, cache=Path("unused"), offline=True)
    (_, content), *_ = Lookup(source(mirror="uci/one.data"), folders).serve().files
    return content.data


@pytest.mark.parametrize(
    ("ending", "pack"),
    [("", bytes), (".xz", lzma.compress), (".gz", gzip.compress), (".bz2", bz2.compress)],
)
@pytest.mark.parametrize("place", ["uci/one.data", "one.data", "deep/below/one.data"])
def test_mirror_serves_any_packing_at_any_place(
    tmp_path: Path, place: str, ending: str, pack: object
) -> None:
    path = tmp_path / (place + ending)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pack(CONTENT))  # type: ignore[operator]
    assert from_mirrors(tmp_path / "absent", tmp_path) == CONTENT


def test_wrong_file_is_reported_and_the_next_is_tried(tmp_path: Path) -> None:
    (tmp_path / "one.data").write_bytes(b"something else")
    (tmp_path / "one.data.xz").write_bytes(b"not xz at all")
    with pytest.raises(Refused, match=r"one.data: wrong sha256 .*; .*one.data.xz cannot be read"):
        from_mirrors(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "one.data").write_bytes(CONTENT)
    assert from_mirrors(tmp_path) == CONTENT


def test_cached_content_is_not_downloaded_again_and_damage_is_healed(tmp_path: Path) -> None:
    calls = []

    def download(asked: Source) -> bytes:
        calls.append(asked.address)
        return CONTENT

    asked = source(url="https://example.org/one.data.xz")
    assert through_cache(asked, tmp_path, download) == CONTENT
    assert through_cache(asked, tmp_path, download) == CONTENT
    assert len(calls) == 1
    (cached,) = (tmp_path / "data").glob("*.data")
    cached.write_bytes(CONTENT[:5])
    assert through_cache(asked, tmp_path, download) == CONTENT
    assert len(calls) == 2


def test_wrong_download_is_refused_and_not_kept(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="wrong sha256"):
        through_cache(source(url="https://example.org/one"), tmp_path, lambda _: b"an error page")
    assert not list((tmp_path / "data").glob("*.data"))


@pytest.mark.parametrize(
    "page", [b"<!DOCTYPE html>\n<p>1,2</p>", b"\n\n <HTML>", b"\xef\xbb\xbf<?xml version='1.0'?>"]
)
def test_web_page_is_never_kept_nor_served(tmp_path: Path, page: bytes) -> None:
    asked = Source.model_validate({"url": "https://example.org/one", "format": FORMAT})
    with pytest.raises(Refused, match="web page"):
        through_cache(asked, tmp_path, lambda _: page)
    assert not list((tmp_path / "data").glob("*.data"))
    assert through_cache(asked, tmp_path, lambda _: CONTENT) == CONTENT
    (kept,) = (tmp_path / "data").glob("*.data")
    kept.write_bytes(page)  # as an older version may have left it
    assert through_cache(asked, tmp_path, lambda _: CONTENT) == CONTENT


def test_cache_that_cannot_be_used_is_a_reason_not_a_crash(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where a folder should be")
    with pytest.raises(Refused, match="ENSVM_CACHE"):
        through_cache(source(url="https://example.org/one"), tmp_path / "cache", lambda _: CONTENT)


def _download_slowly(cache: Path, log: Path) -> None:
    def download(_: Source) -> bytes:
        with log.open("a") as file:
            file.write("x")
        time.sleep(0.2)
        return CONTENT

    assert through_cache(source(url="https://example.org/one"), cache, download) == CONTENT


def test_two_processes_download_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    both = [
        context.Process(target=_download_slowly, args=(tmp_path, tmp_path / "log"))
        for _ in range(2)
    ]
    for process in both:
        process.start()
    for process in both:
        process.join(20)
    assert [process.exitcode for process in both] == [0, 0]
    assert (tmp_path / "log").read_text() == "x"


def test_interrupted_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    replace_file(path, b"old")

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        replace_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_killed_processes_left_is_removed_after_a_day(tmp_path: Path) -> None:
    kept = [tmp_path / ".ensvm-new.partial", tmp_path / ".other.partial", tmp_path / "file"]
    old = tmp_path / ".ensvm-1.partial"
    for path in (*kept[:2], old):
        path.write_text("half")
    long_ago = time.time() - 100_000
    for path in (kept[1], old):
        os.utime(path, (long_ago, long_ago))
    replace_file(kept[2], b"whole")
    assert sorted(tmp_path.iterdir()) == sorted(kept)


def test_places_come_from_arguments_then_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    monkeypatch.setenv("ENSVM_DATA", f"{one}{os.pathsep}{two}")
    monkeypatch.setenv("ENSVM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("ENSVM_OFFLINE", "0")
    assert data_folders(None, offline=False).mirrors == (one, two)
    assert data_folders(two, offline=False).mirrors == (two,)
    assert data_folders(None, offline=False).cache == tmp_path / "cache"
    assert not data_folders(None, offline=False).offline
    assert data_folders(None, offline=True).offline
    monkeypatch.setenv("ENSVM_OFFLINE", "1")
    assert data_folders(None, offline=False).offline


def test_folder_that_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match=r"--data-dir.*absent"):
        data_folders(tmp_path / "absent", offline=True)
    monkeypatch.setenv("ENSVM_DATA", str(tmp_path / "absent"))
    with pytest.raises(UserError, match=r"ENSVM_DATA.*absent"):
        data_folders(None, offline=True)
