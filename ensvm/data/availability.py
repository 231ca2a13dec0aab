"""Which data are on this machine, which could be downloaded, and which are missing."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ensvm.data.card import DatasetCard
from ensvm.data.loading import joined_names, load
from ensvm.data.providers.folders import data_folders
from ensvm.data.providers.serving import find, how_to_get
from ensvm.errors import DataUnavailable


@dataclass(frozen=True)
class Location:
    """Who would serve a data set now, and where its files lie.

    Attributes
    ----------
    state : 'here', 'to download' or 'missing'
        'here' if all its files are on this machine or it is generated; 'to download' if a
        provider on the network might have the rest.
    provider : str or None
        The provider; None if there is none.
    files : dict of tuple of Path
        The files that are here, by part: `all`, or `train` and `test`.
    reasons : list of str
        Why the providers asked before it would not serve it.
    how_to_get : str
        What a user can do to get the data set, in one line.

    Examples
    --------
    >>> from ensvm.data import find_card, locate
    >>> location = locate(find_card("german"))
    >>> location.state, location.provider, location.files["all"][0].name
    ('here', 'shipped', 'german.csv.xz')
    """

    state: Literal["here", "to download", "missing"]
    provider: str | None
    files: dict[str, tuple[Path, ...]]
    reasons: list[str]
    how_to_get: str


def locate(
    card: DatasetCard,
    *,
    data_dir: Path | None = None,
    offline: bool = False,
    verify: bool = True,
) -> Location:
    """Return who would serve a data set now, without downloading.

    Parameters
    ----------
    card : DatasetCard
        The card of the data set.
    data_dir : Path, default None
        A folder with data files, or several separated as in PATH; None for those of ENSVM_DATA.
    offline : bool, default False
        Whether the network must not be used.
    verify : bool, default True
        Whether local files are read, to see whether they are what the card says.

    Returns
    -------
    Location
        The provider and the files, or the reasons why there is none.

    Raises
    ------
    UserError
        If `data_dir` is not a folder.

    Examples
    --------
    >>> from ensvm.data import find_card, locate
    >>> locate(find_card("waveform")).provider
    'generator'
    """
    if card.generator:
        return Location("here", "generator", {}, [], how_to_get(card))
    folders, reasons = data_folders(data_dir, offline), list[str]()
    every = {
        part: find(sources, folders, reasons, verify=verify) for part, sources in card.parts.items()
    }
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

    Parameters
    ----------
    data_dir : Path or None, default None
        A folder with data files; None for those that ENSVM_DATA names.
    download : bool, default True
        Whether to download missing files; if not, a data set that a provider might have counts
        as found.

    Attributes
    ----------
    missing : dict of str
        What a user can do to get it, for each data set that no provider served, by its name.
    to_download : list of str
        The data sets that a provider might have; empty if `download` is True.
    offline : bool
        Whether ENSVM_OFFLINE forbids downloads.

    Examples
    --------
    >>> from ensvm.data import DataSearch, find_card
    >>> search = DataSearch()
    >>> search.find("credit", find_card("german"))
    True
    >>> search.missing
    {}
    """

    def __init__(self, data_dir: Path | None = None, *, download: bool = True) -> None:
        self._data_dir, self._download = data_dir, download
        self._refused: dict[str, str] = {}
        self.missing: dict[str, str] = {}
        self.to_download: list[str] = []
        self.offline = data_folders(data_dir, offline=False).offline

    def find(self, name: str, card: DatasetCard) -> bool:
        """Return whether a data set is here, downloaded if need be.

        Parameters
        ----------
        name : str
            What the study calls it.
        card : DatasetCard
            Its card.

        Returns
        -------
        bool
            Whether it can be loaded now; otherwise `missing` has its name.

        Raises
        ------
        UserError
            If the data are not what the card says.
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
