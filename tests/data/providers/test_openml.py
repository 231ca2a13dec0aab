"""OpenML by number: checked, cached, and refused in one line; a local server stands in for it."""

import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from ensvm.data import inline_card, load, locate
from ensvm.data.providers import downloads
from ensvm.errors import UserError

ARFF = (
    "@relation t\n@attribute id numeric\n@attribute x numeric\n@attribute k {u,v}\n"
    "@attribute class {good,bad}\n@data\n"
    + "".join(f"{i},{i * i % 7},{'uv'[i % 2]},{['good', 'bad'][i % 3 // 2]}\n" for i in range(30))
).encode()
KEYS: dict[str, Any] = {"openml": 31, "split": {"protocol": "random", "n_train": 20}}


class Site:
    """What the stand-in serves, and which paths it was asked for."""

    def __init__(self) -> None:
        self.pages: dict[str, bytes] = {}
        self.asked: list[str] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.asked.append(self.path)
                page = site.pages.get(self.path)
                there = page is not None and page.startswith(b"to ")
                self.send_response(302 if there else 412 if page is None else 200)
                if page is not None and there:
                    self.send_header("Location", page.removeprefix(b"to ").decode())
                self.end_headers()
                self.wfile.write(page or b"")

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def describe(self, **keys: Any) -> None:
        description = {
            "id": "31",
            "name": "credit g",
            "version": "1",
            "format": "ARFF",
            "url": f"{self.address}/file.arff",
            "md5_checksum": hashlib.md5(ARFF, usedforsecurity=False).hexdigest(),
            "default_target_attribute": "class",
            "row_id_attribute": "id",
            **keys,
        }
        self.pages["/31"] = json.dumps({"data_set_description": description}).encode()

    def change_file(self) -> bytes:
        """Serve a file with another value, described rightly, and return it."""
        other = ARFF.replace(b"0,0,u", b"0,1,u")
        self.pages["/file.arff"] = other
        self.describe(md5_checksum=hashlib.md5(other, usedforsecurity=False).hexdigest())
        return other


@pytest.fixture
def site(downloads_allowed: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    site = Site()
    site.describe()
    site.pages["/file.arff"] = ARFF
    monkeypatch.setattr(downloads, "DESCRIPTIONS", f"{site.address}/")
    monkeypatch.setattr(downloads, "SECURE", f"{site.address}/")  # as if it were served by https
    thread = threading.Thread(target=site.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield site
    site.server.shutdown()
    thread.join()
    site.server.server_close()


def test_a_data_set_is_downloaded_once_and_then_offline(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = inline_card(KEYS, Path())
    assert (card.name, card.rows, card.features, card.dropped) == ("credit-g-v1", 30, 3, ("id",))
    assert card.classes == {"good": 20, "bad": 10}
    monkeypatch.setenv("ENSVM_OFFLINE", "1")
    assert inline_card(KEYS, Path()) == card
    found = load(card)
    assert (found.provider, found.checksum) == ("cache", card.checksum)
    assert locate(card).state == "here"
    assert site.asked == ["/31", "/file.arff"]


def test_a_lost_cache_is_filled_again_with_the_same_file_only(site: Site) -> None:
    card = inline_card(KEYS, Path())
    (cached,) = locate(card).files["all"]
    cached.unlink()
    found = load(card.model_copy(update={"scaling": "minmax"}))
    assert found.provider == "openml"
    cached.unlink()
    site.change_file()
    with pytest.raises(UserError, match="sha256"):
        load(card.model_copy(update={"scaling": "none"}))


def test_a_file_that_changed_since_the_first_download_is_refused(site: Site) -> None:
    (cached,) = locate(inline_card(KEYS, Path())).files["all"]
    cached.unlink()
    other = site.change_file()
    with pytest.raises(UserError, match=r"wrong sha256 .* of the first download"):
        inline_card(KEYS, Path())
    sha256 = hashlib.sha256(other).hexdigest()
    assert inline_card({**KEYS, "sha256": sha256}, Path()).rows == 30


def test_a_config_holds_the_file_to_its_sha256(site: Site) -> None:
    with pytest.raises(UserError, match=hashlib.sha256(ARFF).hexdigest()):
        inline_card({**KEYS, "sha256": "0" * 64}, Path())
    inline_card({**KEYS, "sha256": hashlib.sha256(ARFF).hexdigest()}, Path())
    own = {"path": "own.csv", "target": "y", "split": KEYS["split"], "sha256": "0" * 64}
    with pytest.raises(UserError, match="sha256: is for `openml`"):
        inline_card(own, Path())


@pytest.mark.parametrize("first", ["/31", "/file.arff"])
def test_a_redirect_away_from_https_is_refused(site: Site, first: str) -> None:
    insecure = f"http://localhost:{site.server.server_port}/moved"
    site.pages["/moved"] = site.pages[first]
    site.pages[first] = f"to {site.address}/moved".encode()
    assert inline_card(KEYS, Path()).rows == 30
    (cached,) = locate(inline_card(KEYS, Path())).files["all"]
    cached.unlink()
    site.asked.clear()
    site.pages[first] = f"to {insecure}".encode()
    with pytest.raises(UserError, match=r"localhost.* does not begin with"):
        inline_card(KEYS, Path())
    assert "/moved" not in site.asked


@pytest.mark.parametrize("kept", [["id"], []])
def test_columns_that_are_no_inputs_are_kept_if_asked(site: Site, kept: list[str]) -> None:
    card = inline_card({**KEYS, "inputs": dict.fromkeys(kept, "number")}, Path())
    assert (card.dropped == ()) == bool(kept)


@pytest.mark.parametrize(
    ("description", "message"),
    [
        ({"md5_checksum": "0" * 32}, r"openml: 31: .*file\.arff: wrong md5"),
        ({"format": "csv"}, "its format is csv; accepted: ARFF"),
        ({"url": "file:///etc/passwd"}, "'file:///etc/passwd' does not begin with"),
        ({"default_target_attribute": None}, "target: is missing"),
        ({"default_target_attribute": "klass"}, "no column 'klass'; did you mean 'class'"),
        ({"version": None, "name": None, "url": "{}"}, "does not begin with"),
    ],
)
def test_a_wrong_description_is_refused_in_one_line(
    site: Site, description: dict[str, Any], message: str
) -> None:
    site.describe(**description)
    with pytest.raises(UserError, match=message) as refusal:
        inline_card(KEYS, Path())
    assert len(str(refusal.value).splitlines()) == 1


def test_what_to_do_offline_is_said(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.pages.clear()
    with pytest.raises(UserError, match=r"/31 could not be downloaded \(412"):
        inline_card(KEYS, Path())
    site.pages["/31"] = b"<html>"
    with pytest.raises(UserError, match="its description cannot be read"):
        inline_card(KEYS, Path())
    monkeypatch.setenv("ENSVM_OFFLINE", "1")
    with pytest.raises(UserError, match=r"openml: 31: is not in the cache.*path: NAME\.arff"):
        inline_card(KEYS, Path())
