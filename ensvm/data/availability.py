"""Which data are on this machine, which could be downloaded, and which are missing."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from ensvm.data.card import DatasetCard
from ensvm.data.loading import joined_names, load
from ensvm.data.providers.folders import data_folders
from ensvm.data.providers.serving import Attempt, ask, how_to_get
from ensvm.errors import DataUnavailable


@dataclass(frozen=True)
class Location:
    """Who would serve a data set now, and where its files lie."""

    # 'here' if all its files are on this machine or it is generated; 'to download' if a provider on
    # the network might have the rest
    state: Literal["here", "to download", "missing"]
    provider: str | None  # the provider; None if there is none
    # the files that are here, by part: `all`, or `train` and `test`
    files: dict[str, tuple[Path, ...]]
    reasons: list[str]  # why the providers asked before it would not serve it
    how_to_get: str  # what a user can do to get the data set, in one line


def locate(
    card: DatasetCard,
    *,
    data_dir: Path | None = None,
    offline: bool = False,
    verify: bool = True,
) -> Location:
    """Return where a data set would be loaded from, without a download, or why it cannot be.

    Local files are read and checked only if `verify` is true. Raises UserError if `data_dir` is not
    a folder.
    """
    if card.generator:
        return Location("here", "generator", {}, [], how_to_get(card))
    folders, reasons = data_folders(data_dir, offline), list[str]()
    find = partial(Attempt.find, verify=verify)
    every = {part: ask(sources, reasons, folders, find) for part, sources in card.parts.items()}
    parts = {part: found for part, found in every.items() if found is not None}
    state: Literal["here", "to download", "missing"] = "missing"
    provider = None
    if len(parts) == len(every):
        downloads = any(found.to_download for found in parts.values())
        state = "to download" if downloads else "here"
        provider = joined_names(
            [found.provider + " (to download)" * found.to_download for found in parts.values()]
        )
    files = {part: found.files for part, found in parts.items() if found.files}
    return Location(state, provider, files, list(dict.fromkeys(reasons)), how_to_get(card))


class DataSearch:
    """Looks for the data sets of one or several studies, and remembers which are missing.

    Without `download`, a data set that a provider might have counts as found. `missing` says of
    each data set that no provider served, by its name, what a user can do to get it; `to_download`
    has those that a provider might have; `offline` is whether ENSVM_OFFLINE forbids downloads.
    """

    def __init__(self, data_dir: Path | None = None, *, download: bool = True) -> None:
        self._data_dir, self._download = data_dir, download
        self._refused: dict[str, str] = {}
        self.missing: dict[str, str] = {}
        self.to_download: list[str] = []
        self.offline = data_folders(data_dir, offline=False).offline

    def find(self, name: str, card: DatasetCard) -> bool:
        """Return whether a data set is here, downloaded if need be; else `missing` has its name.

        Raises UserError if the data are not what the card says.
        """
        # An unreachable address costs many seconds, so equal sources are asked only once.
        sources = repr(card.parts)
        if sources not in self._refused:
            refused = self._load(card) if self._download else self._locate(name, card)
            if refused is None:
                return True
            self._refused[sources] = refused
        self.missing[name] = self._refused[sources]
        return False

    def _load(self, card: DatasetCard) -> str | None:
        try:
            load(card, data_dir=self._data_dir)
        except DataUnavailable as error:
            return error.how_to_get
        return None

    def _locate(self, name: str, card: DatasetCard) -> str | None:
        location = locate(card, data_dir=self._data_dir)
        if location.provider is None:
            return location.how_to_get
        if location.state == "to download":
            self.to_download.append(name)
        return None
