"""Split protocols: how the rows of a data set become the training and test part of one realization."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from ensvm.data.errors import DataError
from ensvm.data.strict import Strict
from ensvm.seeds import seed_of

IndexPair = tuple[np.ndarray, np.ndarray]


class OfficialSplit(Strict):
    """One fixed split: the publisher's training and test files, in their order."""

    protocol: Literal["official"]
    n_train: int = Field(ge=2)
    n_test: int = Field(ge=1)


class RandomSplit(Strict):
    """`n_train` and `n_test` rows drawn without replacement, unstratified, anew for each realization."""

    protocol: Literal["random"]
    n_train: int = Field(ge=2)
    n_test: int = Field(ge=1)


class KFoldSplit(Strict):
    """Shuffled k-fold cross-validation: realization r is fold (r-1) mod k of repetition (r-1) div k."""

    protocol: Literal["kfold"]
    n_splits: int = Field(ge=2)
    stratified: bool = False


class IndicesSplit(Strict):
    """Row numbers that come with the data, one line of `train` and of `test` a realization."""

    protocol: Literal["indices"]
    n_train: int = Field(ge=2)
    n_test: int = Field(ge=1)
    realizations: int = Field(ge=1)


Split = Annotated[OfficialSplit | RandomSplit | KFoldSplit | IndicesSplit, Field(discriminator="protocol")]


def split_sizes(split: Split, rows: int) -> tuple[int, int]:
    """Return (n_train, n_test) of a realization of `rows` rows; for kfold those of the first fold."""
    if isinstance(split, KFoldSplit):
        n_test = -(-rows // split.n_splits)
        return rows - n_test, n_test
    return split.n_train, split.n_test


def check_split(split: Split, rows: int) -> None:
    """Raise ValueError, naming the key, if `rows` rows cannot be split so."""
    n_train, n_test = split_sizes(split, rows)
    if isinstance(split, KFoldSplit):
        if split.n_splits > rows or n_train < 2:
            raise ValueError(f"split.n_splits: {split.n_splits} folds cannot be made of {rows} rows")
    elif isinstance(split, OfficialSplit) and n_train + n_test != rows:
        raise ValueError(f"split: n_train {n_train} + n_test {n_test} is not the number of rows, {rows}")
    elif n_train + n_test > rows:
        raise ValueError(f"split: n_train {n_train} + n_test {n_test} is more than the {rows} rows there are")


def max_realizations(split: Split) -> int | None:
    """Return how many different realizations the protocol has; None where there is no limit."""
    if isinstance(split, OfficialSplit):
        return 1
    return split.realizations if isinstance(split, IndicesSplit) else None


def split_rows(split: Split, name: str, index: int, y: np.ndarray, fixed: IndexPair | None) -> IndexPair:
    """Return the (train, test) row numbers of realization `index` (from 1) of the data set `name`.

    The rows follow from name, protocol and index alone. `fixed` holds the row numbers that came with the
    data, each of shape (realizations, n), for the protocols `official` and `indices`.
    Raises DataError if there is no such realization.
    """
    limit = max_realizations(split)
    if index < 1 or (limit is not None and index > limit):
        most = "" if limit is None else f" to {limit}"
        raise DataError(f"data set {name!r}: realization {index} asked for; there are 1{most} ({split.protocol})")
    if isinstance(split, KFoldSplit):
        return _fold(split, name, index, y)
    if isinstance(split, RandomSplit):
        order = _generator(split, name, index).permutation(len(y))
        return order[: split.n_train], order[split.n_train : split.n_train + split.n_test]
    if fixed is None:
        raise DataError(f"data set {name!r}: its data hold no row numbers for the protocol {split.protocol}")
    return fixed[0][index - 1], fixed[1][index - 1]


def _fold(split: KFoldSplit, name: str, index: int, y: np.ndarray) -> IndexPair:
    repetition, fold = divmod(index - 1, split.n_splits)
    order = _generator(split, name, repetition).permutation(len(y))
    if split.stratified:  # rows of one class stand together, so dealing them out keeps the proportions
        order = order[np.argsort(y[order], kind="stable")]
    test = np.arange(len(y)) % split.n_splits == fold
    return order[~test], order[test]


def _generator(split: Split, name: str, index: int) -> np.random.Generator:
    return np.random.default_rng(seed_of("realization", name, split.model_dump(), index))
