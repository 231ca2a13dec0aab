"""The rows of one realization: which of a data set's rows a split protocol takes for which part."""

import numpy as np
from numpy.typing import NDArray

from ensvm.data.errors import DataError
from ensvm.data.splits.protocols import (
    DisjointSplit,
    KFoldSplit,
    OfficialSplit,
    RandomSplit,
    Split,
    identity,
    is_grouped,
    max_realizations,
)
from ensvm.seeds import seed_of

IndexPair = tuple[np.ndarray, np.ndarray]


def split_rows(
    split: Split,
    name: str,
    index: int,
    y: np.ndarray,
    fixed: IndexPair | None,
    groups: NDArray[np.str_] | None = None,
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
    groups : ndarray of str, shape (n,), default None
        The group of each row, for protocols that keep groups whole.

    Returns
    -------
    train : ndarray of int, shape (n_train,)
        The row numbers of the training part.
    test : ndarray of int, shape (n_test,)
        The row numbers of the test part.

    Raises
    ------
    DataError
        If there is no such realization, or the protocol needs row numbers or groups that did not
        come.
    """
    limit = max_realizations(split, len(y))
    if index < 1 or (limit is not None and index > limit):
        most = "" if limit is None else f" to {limit}"
        there = f"there are 1{most} ({split.protocol})"
        raise DataError(f"data set {name!r}: realization {index} asked for; {there}")
    if is_grouped(split):
        return _of_groups(split, name, index, y, groups)
    if isinstance(split, KFoldSplit):
        return _fold(split, name, index, y)
    if isinstance(split, RandomSplit):
        return _random(split, name, index, y)
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
    identity_of_order = {"protocol": split.protocol, "n_test": split.n_test}
    order = np.random.default_rng(
        seed_of("realization", name, identity_of_order, index)
    ).permutation(whole)
    return order[: split.n_train]


def _random(split: RandomSplit, name: str, index: int, y: np.ndarray) -> IndexPair:
    if not split.stratified:
        order = _generator(split, name, index).permutation(len(y))
        return order[: split.n_train], order[split.n_train : split.n_train + split.n_test]
    # loaded only where needed: starting up must stay quick
    from sklearn.model_selection import StratifiedShuffleSplit

    drawn = StratifiedShuffleSplit(
        1,
        train_size=split.n_train,
        test_size=split.n_test,
        random_state=_seed(split, name, index),
    )
    train, test = next(drawn.split(y, y))
    return train, test


def _fold(split: KFoldSplit, name: str, index: int, y: np.ndarray) -> IndexPair:
    repetition, fold = divmod(index - 1, split.n_splits)
    order = _generator(split, name, repetition).permutation(len(y))
    if split.stratified:
        # rows of one class stand together, so dealing them out keeps the proportions
        order = order[np.argsort(y[order], kind="stable")]
    test = np.arange(len(y)) % split.n_splits == fold
    return order[~test], order[test]


def _of_groups(
    split: Split, name: str, index: int, y: np.ndarray, groups: NDArray[np.str_] | None
) -> IndexPair:
    """Return parts of whole groups, the training rows in random order."""
    if groups is None:
        raise DataError(
            f"data set {name!r}: its data hold no groups for the protocol {split.protocol}"
        )
    if isinstance(split, KFoldSplit):
        repetition, fold = divmod(index - 1, split.n_splits)
        train, test = _group_folds(split, _seed(split, name, repetition), y, groups)[fold]
    else:
        left_out = groups == in_order(groups)[index - 1]
        train, test = np.flatnonzero(~left_out), np.flatnonzero(left_out)
    if not len(test):  # few groups of very different classes may leave one empty
        raise DataError(
            f"data set {name!r}: realization {index} has no group to test on; accepted: fewer "
            "folds, or `stratified: false`"
        )
    return _generator(split, name, index).permutation(train), test


def _group_folds(
    split: KFoldSplit, seed: int, y: np.ndarray, groups: NDArray[np.str_]
) -> list[IndexPair]:
    # loaded only where needed: starting up must stay quick
    from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

    kind = StratifiedGroupKFold if split.stratified else GroupKFold
    return list(kind(split.n_splits, shuffle=True, random_state=seed).split(y, y, groups))


def _seed(split: Split, name: str, index: int) -> int:
    return seed_of("realization", name, identity(split), index)


def _generator(split: Split, name: str, index: int) -> np.random.Generator:
    return np.random.default_rng(_seed(split, name, index))


def in_order(groups: NDArray[np.str_]) -> list[str]:
    """Return each group once, in the order of numbers if all are numbers, else of names."""
    names = [str(name) for name in np.unique(groups)]
    try:
        return sorted(names, key=lambda name: (float(name), name))
    except ValueError:
        return names
