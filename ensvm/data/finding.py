"""Where the files of a data set lie on this machine, told without reading any of them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ensvm.data.cards.card import DatasetCard
from ensvm.data.providers.folders import places
from ensvm.data.providers.order import attempts, on_disk


@dataclass(frozen=True)
class Whereabouts:
    """Whether a data set is on this machine, and in which files.

    Attributes
    ----------
    state : 'here', 'to download' or 'missing'
        Whether all its files are here, or can be asked for over the network; a generated data set
        is here.
    files : dict of tuple of Path
        The files that are here, by part: `all`, or `train` and `test`.

    Examples
    --------
    >>> from ensvm.data import find_card, whereabouts
    >>> found = whereabouts(find_card("german"))
    >>> found.state, found.files["all"][0].name
    ('here', 'german.csv.xz')
    """

    state: Literal["here", "to download", "missing"]
    files: dict[str, tuple[Path, ...]]


def whereabouts(card: DatasetCard, *, data_dir: Path | None = None) -> Whereabouts:
    """Return where the files of a data set lie; whether they are what the card says is not read.

    Parameters
    ----------
    card : DatasetCard
        The card of the data set.
    data_dir : Path, default None
        A folder with data files, or several separated as in PATH; None for those of ENSVM_DATA.

    Returns
    -------
    Whereabouts
        The files, and what is left to get.

    Raises
    ------
    DataError
        If `data_dir` is not a folder.

    Examples
    --------
    >>> from ensvm.data import find_card, whereabouts
    >>> whereabouts(find_card("waveform")).state
    'here'
    """
    where = places(data_dir, offline=False)
    found = {part: on_disk(sources, where) for part, sources in card.parts.items()}
    files = {part: paths for part, paths in found.items() if paths}
    if len(files) == len(found):
        return Whereabouts("here", files)
    online = not where.offline and all(
        any(attempt.downloads for attempt in attempts(sources))
        for part, sources in card.parts.items()
        if part not in files
    )
    return Whereabouts("to download" if online else "missing", files)
