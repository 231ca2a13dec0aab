"""Files of data sets for another machine: sent by checksum, and kept in its cache."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ensvm.data.cards.card import PROVIDERS, DatasetCard, LabelsFile, Source
from ensvm.data.errors import DataUnavailable
from ensvm.data.providers.folders import places, write_atomically
from ensvm.data.providers.order import how_to_get, serve


def packed(card: DatasetCard, data_dir: Path | None) -> tuple[dict[str, Source], dict[str, bytes]]:
    """Return the files of a data set as they are here.

    Parameters
    ----------
    card : DatasetCard
        The card of the data set.
    data_dir : Path or None
        A folder with data files; None for those of ENSVM_DATA.

    Returns
    -------
    sources : dict of Source
        The source of each part, whose files are named by their checksums.
    contents : dict of bytes
        The files, uncompressed, by their checksums.

    Raises
    ------
    DataUnavailable
        If no provider has it.
    """
    sources: dict[str, Source] = {}
    contents: dict[str, bytes] = {}
    for part, of_part in card.parts.items():
        reasons: list[str] = []
        served = serve(of_part, places(data_dir, offline=False), reasons)
        if served is None:
            raise DataUnavailable(card.name, reasons, how_to_get(card))
        name = _checksum(served.content)
        contents[name] = served.content
        labels = None
        if served.labels:
            labels = _checksum(served.labels)
            contents[labels] = served.labels
        sources[part] = _of_files(served.source, name, labels)
    return sources, contents


def keep(contents: Mapping[str, bytes]) -> None:
    """Write files that another machine sent into the cache of this one."""
    for name, content in contents.items():
        path = _kept(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, content)


def unpacked(card: DatasetCard, sources: Mapping[str, Source]) -> DatasetCard | None:
    """Return a card that reads the files in the cache; None where one of them is not there.

    Parameters
    ----------
    card : DatasetCard
        The card as it is elsewhere.
    sources : dict of Source
        The sources that `packed` returned there.

    Returns
    -------
    DatasetCard or None
        The same data set, read from files of this machine.
    """
    found = {}
    for part, source in sources.items():
        names = [file.place for file in source.files]
        paths = [_kept(name) for name in names]
        if not all(path.is_file() for path in paths):
            return None
        place, *labels = [str(path) for path in paths]
        here: dict[str, Any] = {"file": place}
        if source.labels is not None:
            here["labels"] = source.labels.model_copy(update={"file": labels[0]})
        found[part] = [source.model_copy(update=here)]
    return card.model_copy(update=found)


def _of_files(source: Source, name: str, labels: str | None) -> Source:
    """Return a source as one of a file, or two, named by their checksums."""
    apart = None if labels is None else LabelsFile(file=labels, sha256=labels)
    changed = {"file": name, "sha256": name, "labels": apart}
    nothing = dict.fromkeys([*PROVIDERS, "of", "keep", "member"])
    return source.model_copy(update={**nothing, "options": [], **changed})


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _kept(name: str) -> Path:
    return places(None, offline=True).cache / "data" / f"{name[:32]}.data"
