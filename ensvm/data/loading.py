"""From a card to a data set: where it is, its checked arrays, and its realizations."""

from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ensvm.data.arrays import Arrays, assemble, sparse_matrix
from ensvm.data.card import DatasetCard
from ensvm.data.files.encode import encoded_columns, plain_labels
from ensvm.data.files.file_content import Raw
from ensvm.data.missing_values import fill_with_training_mean
from ensvm.data.providers.folders import DataFolders, data_folders, forget
from ensvm.data.providers.serving import (
    Lookup,
    Served,
    first_reply,
    how_to_get,
    read_rows,
)
from ensvm.data.row_numbers import listed_rows
from ensvm.data.scaling import scale, standardise_all
from ensvm.data.splits import IndicesSplit, split_rows
from ensvm.errors import DataUnavailable, UserError

_RECENT_SETS = 4  # a worker goes through the realizations of one data set before the next
_recent: OrderedDict[tuple[str, DataFolders], tuple[Arrays, str]] = OrderedDict()


@dataclass(frozen=True)
class Realization:
    """One split of a data set, scaled.

    Attributes
    ----------
    X_train : ndarray or csr_array of shape (m, d)
        The training inputs.
    y_train : ndarray of shape (m,), int8
        The training classes: -1 and +1, or codes 0, 1, ...; int32 for more than 128 classes.
    X_test : ndarray or csr_array of shape (n, d)
        The test inputs, scaled by what the training part shows.
    y_test : ndarray of shape (n,), of the same type
        The test classes.
    groups_train : ndarray of str, shape (m,), or None
        The group of each training row, where the split keeps groups whole.

    Examples
    --------
    >>> from ensvm.data import find_card, load
    >>> load(find_card("german")).realization(1).X_train.shape
    (700, 20)
    """

    X_train: Any
    y_train: NDArray[Any]
    X_test: Any
    y_test: NDArray[Any]
    groups_train: NDArray[np.str_] | None = None


@dataclass(frozen=True)
class Dataset(Arrays):
    """The rows of a data set before scaling."""

    card: DatasetCard  # the card that it was loaded by
    provider: str  # who served it

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels that y stands for, in the order of y."""
        return self.card.labels

    def split(self, index: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the row numbers of the training and the test part of a realization."""
        name, split, fixed = self.card.base or self.card.name, self.card.split, self.splits
        if isinstance(split, IndicesSplit) and split.file is not None:
            fixed = listed_rows(split, len(self.y), name)
        return split_rows(split, name, index, self.y, fixed, self.groups)

    def realization(self, index: int) -> Realization:
        """Return a realization by its number from 1, the same on any machine and in any order.

        Raises UserError if the split protocol has no such realization.
        """
        train, test = self.split(index)
        X_train, X_test = self._inputs[train], self._inputs[test]
        if self.card.fill == "training-mean":
            X_train, X_test = fill_with_training_mean(X_train, X_test)
        elif isinstance(number := self.card.fill, float):
            X_train, X_test = (np.where(np.isnan(X), number, X) for X in (X_train, X_test))
        nominal = np.array(self.card.one_hot) if any(self.card.one_hot) else None
        with np.errstate(over="ignore", invalid="ignore"):  # refused below, by column
            X_train, X_test = scale(self.card.scaling, X_train, X_test, nominal)
        self._check_finite(X_train, X_test)
        groups = None if self.groups is None else self.groups[train]
        return Realization(X_train, self.y[train], X_test, self.y[test], groups)

    def _check_finite(self, *parts: Any) -> None:
        """Raise UserError for a column that scaling made infinite: its numbers differ too much."""
        for X in parts:
            if sparse_matrix(X):
                columns = np.sort(X.indices[~np.isfinite(X.data)])
            else:
                columns = np.flatnonzero(~np.isfinite(X).all(axis=0))
            if len(columns):
                at, inputs = int(columns[0]), self.card.inputs
                column = repr(encoded_columns(inputs)[at]) if inputs else f"{at + 1} of the inputs"
                raise UserError(
                    f"data set {self.card.name!r}: scaling: {self.card.scaling!r} of column "
                    f"{column} gives numbers that are not finite; leave the column out or change "
                    "its unit"
                )

    @cached_property
    def _inputs(self) -> Any:
        return standardise_all(self.X) if self.card.scaling == "standard-benchmark" else self.X


def load(card: DatasetCard, *, data_dir: Path | None = None, offline: bool = False) -> Dataset:
    """Return the data set from the first provider that has it, checked against the card.

    `data_dir` is a folder with data files, or several separated as in PATH; None for those of
    ENSVM_DATA. Raises DataUnavailable if no provider has it (the message lists every provider's
    reason), and UserError if the data are not what the card says.
    """
    folders = data_folders(data_dir, offline)
    key = (card.fingerprint(), folders)
    if key not in _recent:
        _recent[key] = generate(card) if card.generator else read_arrays(card, folders)
        while len(_recent) > _RECENT_SETS:
            _recent.popitem(last=False)
    arrays, provider = _recent[key]
    return Dataset(**vars(arrays), card=card, provider=provider)


def generate(card: DatasetCard) -> tuple[Arrays, str]:
    """Return the checked arrays of a card with a generator, and that it made them; see `load`."""
    assert card.generator is not None
    X, classes = card.generator.draw()
    return assemble(card, Raw(X, plain_labels(classes))), "generator"


def read_arrays(card: DatasetCard, folders: DataFolders) -> tuple[Arrays, str]:
    """Return the checked arrays of a card with sources, and who served them; see `load`."""
    served, reasons = list[Served](), list[str]()
    for sources in card.parts.values():
        part = first_reply(sources, reasons, folders, Lookup.serve)
        if part is None:
            raise DataUnavailable(card.name, list(dict.fromkeys(reasons)), how_to_get(card))
        served.append(part)
    try:
        arrays = assemble(card, read_rows(card, served))
    except UserError as error:
        sources = [source for part in served for source, _ in part.files]
        unverified = [source for source in sources if source.url and not source.sha256]
        if not unverified:
            raise
        for file in [file for source in unverified for file in source.files]:
            forget(file, folders.cache)  # perhaps an error page: it must not stay in the cache
        raise DataUnavailable(card.name, [*reasons, f"url: {error}"], how_to_get(card)) from error
    return arrays, _joined([part.provider for part in served])


@dataclass(frozen=True)
class DataLocation:
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
) -> DataLocation:
    """Return where a data set would be loaded from, without a download, or why it cannot be.

    Local files are read and checked only if `verify` is true. Raises UserError if `data_dir` is not
    a folder.
    """
    if card.generator:
        return DataLocation("here", "generator", {}, [], how_to_get(card))
    folders, reasons = data_folders(data_dir, offline), list[str]()
    find = partial(Lookup.find, verify=verify)
    every = {
        part: first_reply(sources, reasons, folders, find) for part, sources in card.parts.items()
    }
    parts = {part: found for part, found in every.items() if found is not None}
    state: Literal["here", "to download", "missing"] = "missing"
    provider = None
    if len(parts) == len(every):
        downloads = any(found.to_download for found in parts.values())
        state = "to download" if downloads else "here"
        provider = _joined(
            [found.provider + " (to download)" * found.to_download for found in parts.values()]
        )
    files = {part: found.files for part, found in parts.items() if found.files}
    return DataLocation(state, provider, files, list(dict.fromkeys(reasons)), how_to_get(card))


class DataSearch:
    """Looks for the data sets of one or several studies, and remembers which are missing.

    Without `download`, a data set that a provider might have counts as found; `to_download` lists
    its name. `missing` maps the name of each data set that no provider has to what a user can do to
    get it. `offline` is whether ENSVM_OFFLINE forbids downloads, `downloads` whether it tries them.
    """

    def __init__(self, data_dir: Path | None = None, *, download: bool = True) -> None:
        self._data_dir, self._download = data_dir, download
        self._located: dict[str, DataLocation] = {}  # by the sources of a data set
        self._refused: dict[str, str] = {}
        self.missing: dict[str, str] = {}
        self.to_download: list[str] = []
        self.downloads = download
        self.offline = data_folders(data_dir, offline=False).offline

    def find(self, name: str, card: DatasetCard) -> bool:
        """Return whether a data set is here, downloaded if need be; else `missing` has its name.

        Raises UserError if the data are not what the card says.
        """
        # An unreachable address costs many seconds, so equal sources are asked only once.
        sources = repr(card.parts)
        if sources not in self._refused:
            if self._download:
                try:
                    load(card, data_dir=self._data_dir)
                    return True
                except DataUnavailable as error:
                    self._refused[sources] = error.how_to_get
            else:
                if sources not in self._located:  # data sets of one file: it is unpacked once
                    self._located[sources] = locate(card, data_dir=self._data_dir)
                location = self._located[sources]
                if location.state == "to download":
                    self.to_download.append(name)
                if location.state != "missing":
                    return True
                self._refused[sources] = location.how_to_get
        self.missing[name] = self._refused[sources]
        return False


def _joined(providers: list[str]) -> str:
    """Return the names of the providers of all parts, each once."""
    return " + ".join(dict.fromkeys(providers))
