"""From a card to a data set: find a provider, read, check, and cut into realizations."""

from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.data.arrays import Arrays, assemble
from ensvm.data.cards.card import DatasetCard
from ensvm.data.errors import DataError, DataUnavailable
from ensvm.data.files.content import Raw
from ensvm.data.files.labels import plain_labels
from ensvm.data.providers.folders import Places, forget, places
from ensvm.data.providers.order import Served, how_to_get, serve, would_serve
from ensvm.data.scaling import fill_with_training_mean, scale, standardise_all
from ensvm.data.splits import split_rows

_RECENT_SETS = 4  # a worker goes through the realizations of one data set before the next
_recent: OrderedDict[tuple[str, Places], tuple[Arrays, str]] = OrderedDict()


@dataclass(frozen=True)
class Realization:
    """One split, scaled: X_train (m, d), y_train (m,), X_test (n, d), y_test (n,); X float64 or csr."""

    X_train: Any
    y_train: NDArray[np.int8]
    X_test: Any
    y_test: NDArray[np.int8]


@dataclass(frozen=True)
class Dataset:
    """The rows of a data set before scaling.

    X (n, d) float64 or csr, NaN where a value is missing; y int8 (n,): -1 and +1 where the card
    names a positive label, else codes 0, 1, ...; `classes`: the labels that y stands for, in order
    of y; `provider`: who served it; `checksum`: of the arrays.
    """

    card: DatasetCard
    X: Any
    y: NDArray[np.int8]
    classes: tuple[str, ...]
    provider: str
    checksum: str
    splits: tuple[NDArray[np.intp], NDArray[np.intp]] | None = None

    def realization(self, index: int) -> Realization:
        """Return realization `index` (from 1), the same anywhere and in any order.

        Raises DataError if the split protocol has no such realization.
        """
        name = self.card.base or self.card.name
        train, test = split_rows(self.card.split, name, index, self.y, self.splits)
        X_train, X_test = self._inputs[train], self._inputs[test]
        if self.card.missing == "training-mean":
            X_train, X_test = fill_with_training_mean(X_train, X_test)
        nominal = np.array(self.card.one_hot) if any(self.card.one_hot) else None
        X_train, X_test = scale(self.card.scaling, X_train, X_test, nominal)
        return Realization(X_train, self.y[train], X_test, self.y[test])

    @cached_property
    def _inputs(self) -> Any:
        return standardise_all(self.X) if self.card.scaling == "standard-benchmark" else self.X


@dataclass(frozen=True)
class Location:
    """Who would serve a data set now (None: nobody), and why those before did not."""

    provider: str | None
    reasons: list[str]
    how_to_get: str


def load(card: DatasetCard, *, data_dir: Path | None = None, offline: bool = False) -> Dataset:
    """Return the data set from the first provider that has it, checked against the card.

    `data_dir` is a mirror folder (or several, separated as in PATH; default ENSVM_DATA). Raises
    DataUnavailable, listing every provider's reason, if none has it; DataError if what came is not
    what the card says.
    """
    where = places(data_dir, offline)
    arrays, provider = _remembered(card, where)
    return Dataset(card, arrays.X, arrays.y, card.labels, provider, arrays.checksum, arrays.splits)


def locate(card: DatasetCard, *, data_dir: Path | None = None, offline: bool = False) -> Location:
    """Return who would serve the data set now, without downloading; local files are verified."""
    if card.generator:
        return Location("generator", [], how_to_get(card))
    where, reasons = places(data_dir, offline), list[str]()
    found = [would_serve(sources, where, reasons) for sources in card.parts.values()]
    providers = [provider for provider in found if provider is not None]
    complete = len(providers) == len(found)
    return Location(
        _joined(providers) if complete else None, list(dict.fromkeys(reasons)), how_to_get(card)
    )


def _remembered(card: DatasetCard, where: Places) -> tuple[Arrays, str]:
    key = (card.fingerprint(), where)
    if (found := _recent.get(key)) is None:
        found = _recent[key] = _generate(card) if card.generator else read_arrays(card, where)
        while len(_recent) > _RECENT_SETS:
            _recent.popitem(last=False)
    return found


def _generate(card: DatasetCard) -> tuple[Arrays, str]:
    assert card.generator is not None
    X, classes = card.generator.draw()
    return assemble(card, [Raw(X, plain_labels(classes))]), "generator"


def read_arrays(card: DatasetCard, where: Places) -> tuple[Arrays, str]:
    """Return the checked arrays of a card with sources, and who served them; raises as `load` does."""
    served, reasons = list[Served](), list[str]()
    for sources in card.parts.values():
        part = serve(sources, where, reasons)
        if part is None:
            raise DataUnavailable(card.name, list(dict.fromkeys(reasons)), how_to_get(card))
        served.append(part)
    try:
        arrays = assemble(card, [part.read(card) for part in served])
    except DataError as error:
        unverified = [part.source for part in served if part.source.url and not part.source.sha256]
        if not unverified:
            raise
        for file in [file for source in unverified for file in source.files]:
            forget(file, where.cache)  # perhaps an error page: it must not stay in the cache
        raise DataUnavailable(card.name, [*reasons, f"url: {error}"], how_to_get(card)) from error
    return arrays, _joined([part.provider for part in served])


def _joined(providers: list[str]) -> str:
    return " + ".join(dict.fromkeys(providers))
