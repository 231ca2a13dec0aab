"""What must hold of rows, classes and groups for a split protocol to be possible."""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ensvm.data.splits.protocols import (
    DisjointSplit,
    KFoldSplit,
    LeaveOneGroupOutSplit,
    RandomSplit,
    Split,
    split_sizes,
)


def check_split(split: Split, rows: int, classes: Mapping[str, int | None] | None = None) -> None:
    """Refuse a protocol by which the rows of a data set cannot be split.

    Parameters
    ----------
    split : Split
        The protocol.
    rows : int
        The number of rows of the data set.
    classes : mapping of str to int, default None
        The number of rows of each class, as far as it is known, for protocols that are stratified.

    Raises
    ------
    ValueError
        If there are too few rows, in all or of a class, or the parts do not fit a block; the
        message names the key.
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
    counts = {label: count for label, count in (classes or {}).items() if count is not None}
    if counts and isinstance(split, KFoldSplit | RandomSplit) and split.stratified:
        _check_strata(split, rows, counts)


def _check_strata(split: KFoldSplit | RandomSplit, rows: int, counts: Mapping[str, int]) -> None:
    """Refuse a stratified protocol that leaves a class out of a part."""
    label = min(counts, key=lambda name: counts[name])
    fewest = counts[label]
    told = f"the class {label!r} has {fewest} row{'s' if fewest > 1 else ''}"
    if isinstance(split, KFoldSplit):
        if fewest < split.n_splits:
            few = f"up to {fewest} folds, or" if fewest > 1 else "only"
            raise ValueError(
                f"split.n_splits: {split.n_splits} stratified folds need {split.n_splits} rows of "
                f"every class, but {told}; accepted: {few} `stratified: false`"
            )
        return
    if fewest * split.n_train < rows:  # its share may be rounded down to none
        least = math.ceil(rows / fewest)
        enough = f"at least {least} ({1 / fewest:.3g} of the rows)"
        raise ValueError(
            f"split.n_train: {split.n_train} of {rows} rows, stratified, may leave no training row "
            f"of a class: {told}; accepted: {enough if fewest > 1 else 'only'}"
            f"{', or' if fewest > 1 else ''} `stratified: false`"
        )
    if split.n_test < len(counts):
        raise ValueError(
            f"split.n_test: {split.n_test} test rows, stratified, are fewer than the {len(counts)} "
            f"classes; accepted: at least {len(counts)}, or `stratified: false`"
        )


def check_groups(split: Split, groups: NDArray[np.str_], labels: NDArray[np.str_]) -> None:
    """Refuse a protocol by which the groups of a data set cannot be kept whole.

    Parameters
    ----------
    split : Split
        The protocol.
    groups : ndarray of str, shape (n,)
        The group of each row.
    labels : ndarray of str, shape (n,)
        The label of each row.

    Raises
    ------
    ValueError
        If there are more folds than groups, or a class is in one group alone, so that no row of it
        is left to train on where that is tested; the message names the key.
    """
    there = len(np.unique(groups))
    if isinstance(split, KFoldSplit) and split.n_splits > there:
        raise ValueError(
            f"split.n_splits: {split.n_splits} folds of whole groups cannot be made of {there} "
            f"groups; accepted: 2 to {there}"
        )
    if isinstance(split, LeaveOneGroupOutSplit) and split.realizations != there:
        raise ValueError(
            f"split.realizations: {split.realizations} given, but there are {there} groups, each "
            "of which is tested once; leave the key out"
        )
    for label in np.unique(labels):
        holding = np.unique(groups[labels == label])
        if len(holding) == 1:
            raise ValueError(
                f"groups: all rows of the class {str(label)!r} are in the group "
                f"{str(holding[0])!r}; where it is tested there is none to train on; accepted: "
                "classes that are in two groups or more"
            )
