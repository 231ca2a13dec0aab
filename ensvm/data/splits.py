"""Split protocols: how the rows of a data set become the parts of one realization."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from ensvm.data.errors import DataError
from ensvm.data.strict import Strict
from ensvm.seeds import seed_of

IndexPair = tuple[np.ndarray, np.ndarray]


class OfficialSplit(Strict):
    """The publisher's training and test files, in their order.

    Attributes
    ----------
    protocol : str
        The name 'official'.
    n_train : int
        The number of training rows, at least 2. Where the training file has more, each realization
        trains on so many of its rows, drawn at random; a smaller draw is a part of a larger one.
    n_test : int
        The number of test rows, at least 1.
    realizations : int or None
        The number of realizations, at least 1. Without a draw they have the same rows and differ by
        the algorithms' seeds alone.
    """

    protocol: Literal["official"]
    n_train: int = Field(ge=2)
    n_test: int = Field(ge=1)
    realizations: int | None = Field(default=None, ge=1)


class RandomSplit(Strict):
    """Rows drawn without replacement, unstratified, anew for each realization.

    Attributes
    ----------
    protocol : str
        The name 'random'.
    n_train : int
        The number of training rows, at least 2.
    n_test : int
        The number of test rows, at least 1.
    """

    protocol: Literal["random"]
    n_train: int = Field(ge=2)
    n_test: int = Field(ge=1)


class KFoldSplit(Strict):
    """Shuffled k-fold: realization r is fold (r-1) mod k of repetition (r-1) div k.

    Attributes
    ----------
    protocol : str
        The name 'kfold'.
    n_splits : int
        The number k of folds, at least 2.
    stratified : bool
        Whether every fold has the classes in the proportions of all rows, as nearly as can be.
    """

    protocol: Literal["kfold"]
    n_splits: int = Field(ge=2)
    stratified: bool = False


class IndicesSplit(Strict):
    """Row numbers that come with the data, one line of `train` and of `test` a realization.

    Attributes
    ----------
    protocol : str
        The name 'indices'.
    n_train : int
        The number of training rows, at least 2.
    n_test : int
        The number of test rows, at least 1.
    realizations : int
        The number of realizations, at least 1.
    """

    protocol: Literal["indices"]
    n_train: int = Field(ge=2)
    n_test: int = Field(ge=1)
    realizations: int = Field(ge=1)


class DisjointSplit(Strict):
    """Realization r is the r-th block of consecutive rows.

    Its first rows are the training part, its last rows the test part.

    Attributes
    ----------
    protocol : str
        The name 'disjoint'.
    n_train : int
        The number of training rows, at least 2.
    n_test : int
        The number of test rows, at least 1.
    block : int or None
        The number of rows of a block, at least 3; None for n_train + n_test. A larger one lets
        `n_train` vary while the test rows stay the same.
    """

    protocol: Literal["disjoint"]
    n_train: int = Field(ge=2)
    n_test: int = Field(ge=1)
    block: int | None = Field(default=None, ge=3)

    @property
    def rows(self) -> int:
        """Return the number of rows of a block."""
        return self.block or self.n_train + self.n_test


Split = Annotated[
    OfficialSplit | RandomSplit | KFoldSplit | IndicesSplit | DisjointSplit,
    Field(discriminator="protocol"),
]


def split_sizes(split: Split, rows: int) -> tuple[int, int]:
    """Return the sizes of a realization's parts.

    Parameters
    ----------
    split : Split
        The protocol.
    rows : int
        The number of rows of the data set.

    Returns
    -------
    n_train : int
        The number of training rows; for kfold those of the first fold.
    n_test : int
        The number of test rows; for kfold those of the first fold.
    """
    if isinstance(split, KFoldSplit):
        n_test = -(-rows // split.n_splits)
        return rows - n_test, n_test
    return split.n_train, split.n_test


def check_split(split: Split, rows: int) -> None:
    """Refuse a protocol by which the rows of a data set cannot be split.

    Parameters
    ----------
    split : Split
        The protocol.
    rows : int
        The number of rows of the data set.

    Raises
    ------
    ValueError
        If there are too few rows, or the parts do not fit a block; the message names the key.
    """
    n_train, n_test = split_sizes(split, rows)
    if isinstance(split, KFoldSplit):
        if split.n_splits > rows or n_train < 2:
            raise ValueError(
                f"split.n_splits: {split.n_splits} folds cannot be made of {rows} rows"
            )
    elif isinstance(split, DisjointSplit) and not n_train + n_test <= split.rows <= rows:
        block = f"a block of {split.rows} out of {rows} rows"
        raise ValueError(f"split: n_train {n_train} + n_test {n_test} do not fit {block}")
    elif n_train + n_test > rows:
        raise ValueError(
            f"split: n_train {n_train} + n_test {n_test} is more than the {rows} rows there are"
        )


def max_realizations(split: Split, rows: int) -> int | None:
    """Return how many different realizations a protocol has.

    Parameters
    ----------
    split : Split
        The protocol.
    rows : int
        The number of rows of the data set.

    Returns
    -------
    int or None
        The number of realizations; None if there is no limit.
    """
    if isinstance(split, DisjointSplit):
        return rows // split.rows
    if isinstance(split, OfficialSplit):
        return split.realizations or (1 if split.n_train + split.n_test == rows else None)
    return split.realizations if isinstance(split, IndicesSplit) else None


def identity(split: Split) -> dict[str, Any]:
    """Return the keys given of a split as a JSON-able mapping.

    Parameters
    ----------
    split : Split
        The protocol.

    Returns
    -------
    dict
        The keys that are not None, beginning {"protocol": ...}.
    """
    return split.model_dump(exclude_none=True)


def overlap(told: Mapping[str, Any]) -> float:
    """Return what splitting the same rows anew adds to 1/n in the variance of a mean; else 0.

    Realizations whose parts share rows are not independent. With rho their correlation, the
    variance of a mean over n of them has the factor 1/n + rho / (1 - rho) in place of 1/n. Nadeau
    & Bengio (2003) take the test part's share of the rows for rho, which gives n_test / n_train,
    and 1 / (k-1) for k folds (Bouckaert & Frank 2004). They mean small test parts. Of a large one
    the chance of its rows averages out, and what remains is that of the training part, of which
    two realizations share n_train / (n_train + n_test): the ratio is n_train / n_test then
    (`benchmarks/resampling_intervals.py`: their ratio makes intervals 8 to 11 times too wide).

    It is 0 for blocks of rows of their own (`disjoint`), such as a generator draws, and where all
    realizations have the publisher's parts, so that only the algorithms' seeds differ.

    Parameters
    ----------
    told : mapping
        A split as `identity` returns it and records keep it; empty where it is not known.

    Returns
    -------
    float
        The smaller part over the larger, in [0, 1]; 0 for independent realizations.

    References
    ----------
    Nadeau & Bengio (2003), Inference for the generalization error, Machine Learning 52, 239-281.
    Bouckaert & Frank (2004), Evaluating the replicability of significance tests for comparing
    learning algorithms, PAKDD 2004, 3-12.
    """
    protocol = told.get("protocol")
    if protocol == "kfold":
        return 1.0 / (told["n_splits"] - 1)
    # without a number of its own, an official split has several realizations only by a draw
    drawn = protocol == "official" and told.get("realizations") is None
    if drawn or protocol in ("random", "indices"):
        sizes = told["n_train"], told["n_test"]
        return float(min(sizes) / max(sizes))
    return 0.0


def split_rows(
    split: Split, name: str, index: int, y: np.ndarray, fixed: IndexPair | None
) -> IndexPair:
    """Return the row numbers of one realization.

    Drawn rows follow from name, protocol and index alone.

    Parameters
    ----------
    split : Split
        The protocol.
    name : str
        The name of the data set.
    index : int
        The number of the realization, from 1.
    y : ndarray of shape (n,)
        The classes of all rows, which a stratified protocol reads.
    fixed : pair of ndarray of int, or None
        The row numbers of the training and the test parts that came with the data, each of shape
        (realizations, rows), for the protocols `official` and `indices`.

    Returns
    -------
    train : ndarray of int, shape (n_train,)
        The row numbers of the training part.
    test : ndarray of int, shape (n_test,)
        The row numbers of the test part.

    Raises
    ------
    DataError
        If there is no such realization, or the protocol needs row numbers that did not come.
    """
    limit = max_realizations(split, len(y))
    if index < 1 or (limit is not None and index > limit):
        most = "" if limit is None else f" to {limit}"
        there = f"there are 1{most} ({split.protocol})"
        raise DataError(f"data set {name!r}: realization {index} asked for; {there}")
    if isinstance(split, KFoldSplit):
        return _fold(split, name, index, y)
    if isinstance(split, RandomSplit):
        order = _generator(split, name, index).permutation(len(y))
        return order[: split.n_train], order[split.n_train : split.n_train + split.n_test]
    if isinstance(split, DisjointSplit):
        block = np.arange((index - 1) * split.rows, index * split.rows)
        return block[: split.n_train], block[-split.n_test :]
    if fixed is None:
        raise DataError(
            f"data set {name!r}: its data hold no row numbers for the protocol {split.protocol}"
        )
    if isinstance(split, OfficialSplit):
        return _drawn(split, name, index, fixed[0][0]), fixed[1][0]
    return fixed[0][index - 1], fixed[1][index - 1]


def _drawn(split: OfficialSplit, name: str, index: int, whole: np.ndarray) -> np.ndarray:
    """Return the training rows: all in their order, or the first of an order of them."""
    if split.n_train == len(whole):
        return whole
    # without n_train, so that a smaller draw is a part of a larger one
    told = {"protocol": split.protocol, "n_test": split.n_test}
    order = np.random.default_rng(seed_of("realization", name, told, index)).permutation(whole)
    return order[: split.n_train]


def _fold(split: KFoldSplit, name: str, index: int, y: np.ndarray) -> IndexPair:
    repetition, fold = divmod(index - 1, split.n_splits)
    order = _generator(split, name, repetition).permutation(len(y))
    if split.stratified:
        # rows of one class stand together, so dealing them out keeps the proportions
        order = order[np.argsort(y[order], kind="stable")]
    test = np.arange(len(y)) % split.n_splits == fold
    return order[~test], order[test]


def _generator(split: Split, name: str, index: int) -> np.random.Generator:
    return np.random.default_rng(seed_of("realization", name, identity(split), index))
