"""Folders that hold data files, the user's mirrors and cache; every read is verified."""

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import platformdirs
from filelock import FileLock, Timeout

from ensvm.atomic_write import replace_file
from ensvm.data.card import Source
from ensvm.data.files.file_content import PACKED, unpack
from ensvm.data.files.foreign_content import stand_in
from ensvm.errors import Refused, UserError

_LOCK_SECONDS = 900  # longer than the slowest download that another process may be busy with


@dataclass(frozen=True)
class DataFolders:
    """Folders with data: mirrors, the cache folder, and whether the network may be used."""

    mirrors: tuple[Path, ...]
    cache: Path
    offline: bool


def data_folders(data_dir: Path | None, offline: bool) -> DataFolders:
    """Return the folders that the arguments name, else the environment.

    The variables are ENSVM_DATA, ENSVM_CACHE and ENSVM_OFFLINE. Several mirror folders may be
    given, separated as in PATH. Raises UserError for one that does not exist.
    """
    named = str(data_dir) if data_dir is not None else os.environ.get("ENSVM_DATA", "")
    mirrors = tuple(Path(folder).expanduser() for folder in named.split(os.pathsep) if folder)
    for folder in mirrors:
        if not folder.is_dir():
            origin = "--data-dir" if data_dir is not None else "ENSVM_DATA"
            raise UserError(f"{origin}: there is no folder {str(folder)!r}")
    cache = os.environ.get("ENSVM_CACHE") or platformdirs.user_cache_dir("ensvm", appauthor=False)
    online = os.environ.get("ENSVM_OFFLINE", "0").lower() in ("", "0", "false", "no")
    return DataFolders(mirrors, Path(cache).expanduser(), offline or not online)


def verified(content: bytes, source: Source) -> bytes:
    """Return the content; raise Refused for what stands in its place, or if its sha256 is wrong."""
    if what := stand_in(content):
        raise Refused(f"is {what}")
    if source.sha256 is not None:
        sha256 = hashlib.sha256(content).hexdigest()
        if sha256 != source.sha256:
            raise Refused(f"wrong sha256 {sha256[:12]}..., expected {source.sha256[:12]}...")
    return content


def mirror_files(address: str, mirrors: tuple[Path, ...]) -> Iterator[Path]:
    """Yield candidates: the card's relative path, its bare name at the top, then anywhere below."""
    base, suffixes = PurePosixPath(address).name, ("", *PACKED)
    names = [base + suffix for suffix in suffixes]
    for folder in mirrors:
        direct = [folder / (stem + suffix) for stem in (address, base) for suffix in suffixes]
        yield from (path for path in direct if path.is_file())
        for parent, children, files in os.walk(folder):
            children.sort()
            below = (Path(parent) / name for name in names if name in files)
            yield from (path for path in below if path not in direct)


def through_cache(source: Source, cache: Path, download: Callable[[Source], bytes]) -> bytes:
    """Return the source, downloaded once even when several processes ask; else raise Refused."""
    path = cache_file(source, cache)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{path}.lock", timeout=_LOCK_SECONDS):
            with suppress(Refused):
                return verified(unpack(path), source)  # another process may have been quicker
            content = verified(download(source), source)
            replace_file(path, content)
            return content
    except Timeout as error:
        message = f"another process has held {path}.lock for {_LOCK_SECONDS} s"
        raise Refused(message) from error
    except OSError as error:
        message = f"cache folder {cache} cannot be used (ENSVM_CACHE names another): {error}"
        raise Refused(message) from error


def forget(source: Source, cache: Path) -> None:
    """Remove the file of a source from the cache, because it is not what the card says."""
    cache_file(source, cache).unlink(missing_ok=True)


def cache_file(source: Source, cache: Path) -> Path:
    """Return where the cache keeps a source."""
    # The name ends plain, so that the stored, already uncompressed content is not unpacked again.
    identity = (
        source.sha256 or hashlib.sha256(f"{source.kind} {source.address}".encode()).hexdigest()
    )
    return cache / "data" / f"{identity[:32]}.data"
