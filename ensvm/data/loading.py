"""From a card to a data set: find a provider, read, check, and split into realizations."""

from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.data.arrays import Arrays, assemble, sparse_matrix
from ensvm.data.card import DatasetCard
from ensvm.data.files.encode import encoded_columns, plain_labels
from ensvm.data.files.file_content import Raw
from ensvm.data.providers.folders import DataFolders, data_folders, forget
from ensvm.data.providers.serving import Attempt, Served, ask, how_to_get, read_rows
from ensvm.data.scaling import fill_with_training_mean, scale, standardise_all
from ensvm.data.splits import split_rows
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
        name = self.card.base or self.card.name
        return split_rows(self.card.split, name, index, self.y, self.splits, self.groups)

    def realization(self, index: int) -> Realization:
        """Return a realization by its number from 1, the same on any machine and in any order.

        Raises UserError if the split protocol has no such realization.
        """
        train, test = self.split(index)
        X_train, X_test = self._inputs[train], self._inputs[test]
        if self.card.missing == "training-mean":
            X_train, X_test = fill_with_training_mean(X_train, X_test)
        elif isinstance(number := self.card.missing, float):
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
            values = X.data if sparse_matrix(X) else X
            with np.errstate(over="ignore", invalid="ignore"):
                if np.isfinite(values.sum()):  # quickly, if all is well
                    continue
            columns = np.flatnonzero(
                ~np.isfinite(X.toarray() if sparse_matrix(X) else X).all(axis=0)
            )
            if len(columns):
                raise UserError(
                    f"data set {self.card.name!r}: scaling: {self.card.scaling!r} of column "
                    f"{_column(self.card, int(columns[0]))} gives numbers that are not finite; "
                    "leave the column out or change its unit"
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
        if card.generator:
            X, classes = card.generator.draw()
            _recent[key] = assemble(card, Raw(X, plain_labels(classes))), "generator"
        else:
            _recent[key] = read_arrays(card, folders)
        while len(_recent) > _RECENT_SETS:
            _recent.popitem(last=False)
    arrays, provider = _recent[key]
    return Dataset(**vars(arrays), card=card, provider=provider)


def read_arrays(card: DatasetCard, folders: DataFolders) -> tuple[Arrays, str]:
    """Return the checked arrays of a card with sources, and who served them; see `load`."""
    served, reasons = list[Served](), list[str]()
    for sources in card.parts.values():
        part = ask(sources, reasons, folders, Attempt.serve)
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
    return arrays, joined_names([part.provider for part in served])


def _column(card: DatasetCard, at: int) -> str:
    return repr(encoded_columns(card.inputs)[at]) if card.inputs else f"{at + 1} of the inputs"


def joined_names(providers: list[str]) -> str:
    """Return the names of the providers of all parts, each once."""
    return " + ".join(dict.fromkeys(providers))
