"""What a study's data sets lack, found before anything runs: each place is asked once."""

from pathlib import Path

from ensvm.data.cards.card import DatasetCard
from ensvm.data.errors import DataUnavailable
from ensvm.data.loading import load, locate
from ensvm.data.providers.folders import places


class DataSearch:
    """Looks for the data sets of one or several studies, and remembers which are missing.

    Parameters
    ----------
    data_dir : Path or None, default None
        A folder with data files; None for those that ENSVM_DATA names.
    download : bool, default True
        Whether what is not here is downloaded; else it counts as here if a provider might have it.

    Attributes
    ----------
    missing : dict of str
        What a user can do to get it, for each data set that no provider served, by its name.
    to_download : list of str
        The data sets that a provider might have, where nothing is downloaded.
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
        self.offline = places(data_dir, offline=False).offline

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
        DataError
            If the data are not what the card says.
        """
        # An unreachable address costs many seconds: data sets with the same sources ask once.
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
        found = locate(card, data_dir=self._data_dir)
        if found.provider is None:
            return found.how_to_get
        if found.downloads:
            self.to_download.append(name)
        return None
