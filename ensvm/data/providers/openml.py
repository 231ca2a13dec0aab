"""OpenML: a data set by its number, over https, its file held to one sha256.

The sum is the one that the config states, or else that of the first download, which the cache keeps
beside the data set's description: a file that changes at OpenML is refused from then on.
"""

import hashlib
import json
import logging
import tempfile
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from filelock import FileLock

from ensvm.data.cards.card import Source
from ensvm.data.errors import Refused
from ensvm.data.files.file_content import unpack
from ensvm.data.providers.folders import Places, cache_file, write_atomically

DESCRIPTIONS = "https://www.openml.org/api/v1/json/data/"  # and the number of the data set
SECURE = "https://"  # how an address begins that is downloaded from
SUM = "sha256"  # the key of the sum in a description that the cache keeps
_SECONDS = 20  # until an unreachable host counts as such


@dataclass(frozen=True)
class Description:
    """What OpenML says of a data set.

    Attributes
    ----------
    name : str
        Its name and version.
    url : str
        The address of its ARFF file.
    md5 : str
        The sum of that file.
    target : str or None
        The column of the labels, if it names one.
    ignored : tuple of str
        The columns that are no inputs, as numbers of rows.
    sha256 : str or None
        The sum of the file that was downloaded first; None before that.
    """

    name: str
    url: str
    md5: str
    target: str | None
    ignored: tuple[str, ...]
    sha256: str | None = None


def fetch_openml(
    number: int, where: Places, sha256: str | None = None
) -> tuple[Description, bytes]:
    """Return the description and the ARFF file of a data set, from the cache once they are there.

    Parameters
    ----------
    number : int
        The number of the data set.
    where : Places
        The cache, and whether the network may be used.
    sha256 : str or None, default None
        The sum of the file; None for that of the first download.

    Returns
    -------
    description : Description
        What OpenML says of the data set.
    content : bytes
        The file.

    Raises
    ------
    Refused
        If neither the cache nor the network has them, or a sum is wrong.
    """
    folder = where.cache / "openml"
    path = folder / f"{number}.json"
    file = cache_file(Source.model_validate(_unread(number)), where.cache)
    pinned = sha256
    with suppress(Refused):
        found = _description(unpack(path), number)
        pinned = sha256 or found.sha256
        return found, _checked(unpack(file), replace(found, sha256=pinned))
    if where.offline:
        raise Refused(
            "is not in the cache, and the run is offline (ENSVM_OFFLINE); run once with a network, "
            "or get the ARFF file from openml.org and name it by `path: NAME.arff`"
        )
    try:
        for parent in (folder, file.parent):
            parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{path}.lock"):
            description = _get(f"{DESCRIPTIONS}{number}")
            found = replace(_description(description, number), sha256=pinned)
            content = _checked(_get(found.url), found)
            found = replace(found, sha256=hashlib.sha256(content).hexdigest())
            write_atomically(file, content)
            write_atomically(
                path, json.dumps(json.loads(description) | {SUM: found.sha256}).encode()
            )
    except OSError as error:
        message = f"cache folder {where.cache} cannot be used (ENSVM_CACHE names another): {error}"
        raise Refused(message) from error
    return found, content


def download(source: Source) -> bytes:
    """Return the file of an `openml` source, from the network; else raise Refused."""
    assert source.openml is not None
    found = _description(_get(f"{DESCRIPTIONS}{source.openml}"), source.openml)
    return _checked(_get(found.url), found)


def _unread(number: int) -> dict[str, object]:
    return {"openml": number, "sha256": "0" * 64, "format": {"type": "arff", "target": -1}}


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
        raise Refused(f"its description is none ({type(error).__name__}: {error})") from error


def _names(description: object) -> tuple[str, ...]:
    """Return the columns that a description names: none, one, several after commas, or a list."""
    names = description if isinstance(description, list) else str(description or "").split(",")
    return tuple(str(name).strip() for name in names if str(name).strip())


def _checked(content: bytes, found: Description) -> bytes:
    sum_ = hashlib.md5(content, usedforsecurity=False).hexdigest()
    if sum_ != found.md5:
        raise Refused(f"{found.url}: wrong md5 {sum_[:12]}..., expected {found.md5[:12]}...")
    sha256 = hashlib.sha256(content).hexdigest()
    if found.sha256 not in (None, sha256):
        raise Refused(
            f"{found.url}: wrong sha256 {sha256}, expected {found.sha256}, that of the config or "
            "of the first download; if the change is meant, write `sha256:` of the new file"
        )
    return content


def _get(address: str) -> bytes:
    """Return what an address serves; raise Refused with the reason."""
    import pooch  # loaded only where needed: it brings an HTTP client along

    pooch.get_logger().setLevel(logging.ERROR)
    _must_be_secure(address)
    fetch = pooch.HTTPDownloader(timeout=_SECONDS, hooks={"response": _check_redirect})
    with tempfile.TemporaryDirectory(prefix="ensvm-") as folder:
        try:
            got = pooch.retrieve(address, None, fname="got", path=folder, downloader=fetch)
        except (OSError, ValueError) as error:
            lines = str(error).splitlines() or [type(error).__name__]
            raise Refused(f"{address} could not be downloaded ({lines[0][:160]})") from error
        return unpack(Path(got))


def _must_be_secure(address: str) -> None:
    if not address.startswith(SECURE):
        raise Refused(f"{address!r:.200} does not begin with {SECURE}")


def _check_redirect(response: Any, *_: object, **__: object) -> None:
    """Refuse a response that leads to another address than one of https."""
    if "location" in response.headers:
        _must_be_secure(urljoin(response.url, response.headers["location"]))
