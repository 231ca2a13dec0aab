"""Split protocols: how the rows of a data set become the parts of one realization."""

import math
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from ensvm import hints
from ensvm.counts import counted
from ensvm.errors import UserError
from ensvm.seeds import realization_seed
from ensvm.yaml_block import Strict

__all__ = [
    "BootstrapSplit",
    "DisjointSplit",
    "IndicesSplit",
    "KFoldSplit",
    "LeaveOneGroupOutSplit",
    "OfficialSplit",
    "RandomSplit",
    "Split",
]
IndexPair = tuple[NDArray[np.intp], NDArray[np.intp]]


class SizedSplit(Strict):
    """What protocols with parts of given sizes have, in the order that seeds are hashed in.

    Attributes
    ----------
    n_train : int
        The number of training rows, at least 2.
    n_test : int
        The number of test rows, at least 1.
    """

    hints: ClassVar = hints.SIZED_SPLIT

    protocol: str
    n_train: int = Field(ge=2)
    n_test: int = Field(ge=1)


class OfficialSplit(SizedSplit):
    """The publisher's training and test files, in their order.

    Attributes
    ----------
    protocol : str
        The name 'official'.
    n_train : int
        The number of training rows, at least 2. If the training file has more rows, each
        realization draws this many of them; a smaller draw is a part of a larger one.
    realizations : int or None
        The number of realizations, at least 1. If no rows are drawn, realizations differ only in
        the algorithms' seeds.
    """

    protocol: Literal["official"]
    realizations: int | None = Field(default=None, ge=1)


class RandomSplit(SizedSplit):
    """Rows drawn without replacement anew for each realization.

    Attributes
    ----------
    protocol : str
        The name 'random'.
    stratified : bool
        Whether both parts have the classes in the proportions of all rows, as nearly as can be.
    """

    later: ClassVar = ("stratified",)

    protocol: Literal["random"]
    stratified: bool = False


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
    grouped : bool
        Whether folds are made of whole groups, about as many groups in each.
    repeats : int or None
        How many repetitions of all folds are run: `n_splits` times as many realizations. If not
        given, `realizations:` of the study or the data set says how many folds are run; without
        either, each fold is run once.
    """

    hints: ClassVar = hints.FOLDS

    later: ClassVar = ("grouped",)

    protocol: Literal["kfold"]
    n_splits: int = Field(ge=2)
    stratified: bool = False
    grouped: bool = False
    repeats: int | None = Field(default=None, ge=1)


class BootstrapSplit(Strict):
    """As many training rows as there are, drawn with replacement; the rows not drawn are the test.

    About 63 % of the rows are drawn, so that 37 % (out of bag) are tested on.

    Attributes
    ----------
    protocol : str
        The name 'bootstrap'.

    References
    ----------
    Efron & Tibshirani (1993), An Introduction to the Bootstrap, section 17.7.
    """

    protocol: Literal["bootstrap"]


class LeaveOneGroupOutSplit(Strict):
    """Realization r tests on the r-th group alone and trains on all others.

    Groups that are numbers stand in the order of numbers, others in that of their names.

    Attributes
    ----------
    protocol : str
        The name 'leave-one-group-out'.
    realizations : int
        The number of groups, at least 2.
    """

    protocol: Literal["leave-one-group-out"]
    realizations: int = Field(ge=2)


class IndicesSplit(SizedSplit):
    """Row numbers that come with the data, or that a file of splits lists.

    Attributes
    ----------
    protocol : str
        The name 'indices'.
    realizations : int
        The number of realizations, at least 1.
    file : str or None
        A table of text with the columns realization, part and row, as `ensvm data splits` writes
        it, beside the config or the card. If it lists no test rows, all rows that a realization
        does not train on are tested. Without it, the data hold the arrays `train` and `test`.
    sha256 : str or None
        The sha256 of the uncompressed content of `file`.
    """

    protocol: Literal["indices"]
    realizations: int = Field(ge=1)
    file: str | None = None
    sha256: str | None = Field(default=None, pattern="^[0-9a-f]{64}$")

    @model_validator(mode="after")
    def _known_by_its_content(self) -> "IndicesSplit":
        if self.file is not None and self.sha256 is None:  # a config's is computed
            raise ValueError("a card that names a `file` of splits states its `sha256`")
        return self


class DisjointSplit(SizedSplit):
    """Realization r is the r-th block of consecutive rows.

    Its first rows are the training part, its last rows the test part.

    Attributes
    ----------
    protocol : str
        The name 'disjoint'.
    block : int or None
        The number of rows of a block, at least 3; n_train + n_test if not given. A larger one lets
        `n_train` vary while the test rows stay the same.
    """

    protocol: Literal["disjoint"]
    block: int | None = Field(default=None, ge=3)

    @property
    def rows(self) -> int:
        """Return the number of rows of a block."""
        return self.block or self.n_train + self.n_test


Split = Annotated[
    OfficialSplit
    | RandomSplit
    | KFoldSplit
    | BootstrapSplit
    | LeaveOneGroupOutSplit
    | IndicesSplit
    | DisjointSplit,
    Field(discriminator="protocol"),
]
SPLITS: Mapping[str, type[Strict]] = {
    get_args(split.model_fields["protocol"].annotation)[0]: split
    for split in get_args(get_args(Split)[0])
}
PROTOCOLS = tuple(SPLITS)


def is_grouped(split: Split) -> bool:
    """Return whether a protocol leaves groups out one by one, or makes folds of groups."""
    return isinstance(split, LeaveOneGroupOutSplit) or getattr(split, "grouped", False)


def part_sizes(split: Split, rows: int) -> tuple[int, int]:
    """Return how many training and test rows a realization has.

    For kfold those of the first fold; for leave-one-group-out those of a group of mean size; for
    bootstrap the different rows that are drawn on average, and the others.
    """
    if isinstance(split, BootstrapSplit):
        n_test = round(rows * (1 - 1 / rows) ** rows)
        return rows - n_test, n_test
    if isinstance(split, KFoldSplit | LeaveOneGroupOutSplit):
        folds = split.n_splits if isinstance(split, KFoldSplit) else split.realizations
        n_test = -(-rows // folds)
        return rows - n_test, n_test
    return split.n_train, split.n_test


def max_realizations(split: Split, rows: int) -> int | None:
    """Return how many different realizations a protocol has; None if there is no limit."""
    if isinstance(split, DisjointSplit):
        return rows // split.rows
    if isinstance(split, OfficialSplit):
        return split.realizations or (1 if split.n_train + split.n_test == rows else None)
    if isinstance(split, IndicesSplit | LeaveOneGroupOutSplit):
        return split.realizations
    if isinstance(split, KFoldSplit) and split.repeats is not None:
        return split.n_splits * split.repeats
    return None


def whole_round(split: Split) -> int:
    """Return how many realizations are each fold, group or part of a file once; 1 if drawn."""
    if isinstance(split, KFoldSplit):
        return split.n_splits * (split.repeats or 1)
    return getattr(split, "realizations", None) or 1


def identity(split: Split) -> dict[str, Any]:
    """Return the keys given of a split as a JSON-able mapping, beginning {"protocol": ...}.

    Keys in the protocol's `later` were added after rows had been drawn with it; they are left out
    if false, so that the same rows are still drawn. The number of repetitions changes no fold, and
    a file of splits is known by its content, wherever it lies.
    """
    unset = {"repeats", "file"} | {
        key for key in getattr(split, "later", ()) if not getattr(split, key)
    }
    return split.model_dump(exclude_none=True, exclude=unset)


def folds_of(split: Split | None) -> int | None:
    """Return how many realizations test every row once; None if there is no such number.

    The split is None if it is not known.
    """
    if isinstance(split, KFoldSplit):
        return split.n_splits
    return split.realizations if isinstance(split, LeaveOneGroupOutSplit) else None


def repetition_and_fold(realization: int, folds: int) -> tuple[int, int]:
    """Return which repetition of a cross-validation a realization is of, and which fold, from 0."""
    return divmod(realization - 1, folds)


def overlap(split: Split | None) -> float:
    """Return what shared rows add to 1/n in the variance of a mean over n realizations.

    Realizations that share rows are correlated: with correlation rho, the variance of their mean
    has the factor 1/n + rho / (1 - rho) in place of 1/n. If the test part is the smaller one, rho
    is its share of the rows (Nadeau & Bengio 2003), which gives n_test / n_train, and 1 / (k-1) for
    k folds of rows or groups (Bouckaert & Frank 2004). If the training part is the smaller one, its
    share is rho, which gives n_train / n_test; the other ratio would make intervals 8 to 11 times
    too wide (`benchmarks/resampling_intervals.py`).

    The protocol `disjoint` shares no rows. If all realizations have the publisher's parts, only the
    algorithms' seeds differ. Both give 0, as does a split that is not known.

    References
    ----------
    Nadeau & Bengio (2003), Inference for the generalization error, Machine Learning 52, 239-281.
    Bouckaert & Frank (2004), Evaluating the replicability of significance tests for comparing
    learning algorithms, PAKDD 2004, 3-12.
    """
    if folds := folds_of(split):
        return 1.0 / (folds - 1)
    if isinstance(split, BootstrapSplit):  # 1/e of the rows are tested on
        return 1.0 / (math.e - 1)
    # with a number of its own, an official split has the same rows in all realizations
    if isinstance(split, OfficialSplit) and split.realizations is not None:
        return 0.0
    if isinstance(split, OfficialSplit | RandomSplit | IndicesSplit):
        sizes = split.n_train, split.n_test
        return min(sizes) / max(sizes)
    return 0.0


def check_split(split: Split, rows: int, classes: Mapping[str, int | None] | None = None) -> None:
    """Raise ValueError, naming the key, if a data set cannot be split in this way.

    `classes` has the rows of each class, None if unknown; stratified protocols need enough of each.
    """
    n_train, n_test = part_sizes(split, rows)
    if isinstance(split, KFoldSplit):
        if split.n_splits > rows or n_train < 2:
            raise ValueError(f"split.n_splits: {split.n_splits} folds do not fit {rows} rows")
    elif isinstance(split, DisjointSplit):
        if not n_train + n_test <= split.rows <= rows:
            block = f"a block of {split.rows} out of {rows} rows"
            raise ValueError(f"split: n_train {n_train} + n_test {n_test} do not fit {block}")
    elif isinstance(split, OfficialSplit) and n_train > rows - n_test:
        raise ValueError(f"split.n_train: {n_train} is more than the {rows - n_test} training rows")
    elif n_train + n_test > rows:
        raise ValueError(f"split: n_train {n_train} + n_test {n_test} is more than all {rows} rows")
    counts = {label: count for label, count in (classes or {}).items() if count is not None}
    if counts and getattr(split, "stratified", False):
        _check_strata(split, rows, counts)


def _check_strata(split: Split, rows: int, counts: Mapping[str, int]) -> None:
    """Raise ValueError if a stratified protocol leaves a class out of a part."""
    label = min(counts, key=lambda name: counts[name])
    fewest = counts[label]
    rarest = f"the class {label!r} has {counted(fewest, 'row')}"
    key, problem, least = "", "", ""
    if isinstance(split, KFoldSplit):
        if fewest < split.n_splits:
            key, problem = "n_splits", f"{split.n_splits} stratified folds are too many: {rarest}"
            least = f"up to {counted(fewest, 'fold')}"
    elif isinstance(split, RandomSplit) and fewest * split.n_train < rows:
        # the class's share of the training rows may be rounded down to none
        key, problem = "n_train", f"{split.n_train} of {rows} rows are too few: {rarest}"
        least = f"at least {math.ceil(rows / fewest)} ({1 / fewest:.3g} of the rows)"
    elif isinstance(split, RandomSplit) and split.n_test < len(counts):
        key, problem = "n_test", f"{split.n_test} rows are fewer than the {len(counts)} classes"
        least = f"at least {len(counts)}"
    if key:
        accepted = f"{least}, or" if fewest > 1 or key == "n_test" else "only"
        raise ValueError(f"split.{key}: {problem}; accepted: {accepted} `stratified: false`")


def split_rows(
    split: Split,
    name: str,
    index: int,
    y: np.ndarray,
    fixed: IndexPair | None,
    groups: NDArray[np.str_] | None = None,
) -> IndexPair:
    """Return the row numbers of the training and the test part of one realization, counted from 1.

    Drawn rows follow from name, protocol and index alone. `fixed` are the row numbers that came
    with the data or in a file of splits, each of shape (realizations, rows), for the protocols
    `official` and `indices`.

    Raises UserError if there is no such realization, or the protocol needs row numbers or groups
    that did not come.
    """
    last = max_realizations(split, len(y))
    if index < 1 or (last is not None and index > last):
        accepted = f"1 to {last}" if last is not None else "1 or more"
        raise UserError(
            f"data set {name!r}: realization {index} does not exist; accepted: {accepted} "
            f"({split.protocol})"
        )
    if is_grouped(split):
        return _of_groups(split, name, index, y, groups)
    if isinstance(split, KFoldSplit):
        return _fold(split, name, index, y)
    if isinstance(split, RandomSplit):
        return _random(split, name, index, y)
    if isinstance(split, BootstrapSplit):
        train = _generator(split, name, index).integers(len(y), size=len(y))
        test = np.setdiff1d(np.arange(len(y)), train)
        if not len(test):
            raise UserError(f"data set {name!r}: realization {index} draws every row; too few rows")
        return train, test
    if isinstance(split, DisjointSplit):
        block = np.arange((index - 1) * split.rows, index * split.rows)
        return block[: split.n_train], block[-split.n_test :]
    if fixed is None:
        raise UserError(
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
    order = np.random.default_rng(realization_seed(name, identity_of_order, index)).permutation(
        whole
    )
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
    repetition, fold = repetition_and_fold(index, split.n_splits)
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
        raise UserError(
            f"data set {name!r}: its data hold no groups for the protocol {split.protocol}"
        )
    if isinstance(split, KFoldSplit):
        # loaded only where needed: starting up must stay quick
        from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

        repetition, fold = repetition_and_fold(index, split.n_splits)
        kind = StratifiedGroupKFold if split.stratified else GroupKFold
        folds = kind(split.n_splits, shuffle=True, random_state=_seed(split, name, repetition))
        train, test = list(folds.split(y, y, groups))[fold]
    else:
        left_out = groups == in_order(groups)[index - 1]
        train, test = np.flatnonzero(~left_out), np.flatnonzero(left_out)
    if not len(test):  # few groups of very different classes may leave one empty
        raise UserError(
            f"data set {name!r}: realization {index} has no group to test on; accepted: fewer "
            "folds, or `stratified: false`"
        )
    return _generator(split, name, index).permutation(train), test


def _seed(split: Split, name: str, index: int) -> int:
    return realization_seed(name, identity(split), index)


def _generator(split: Split, name: str, index: int) -> np.random.Generator:
    return np.random.default_rng(_seed(split, name, index))


def in_order(groups: NDArray[np.str_]) -> list[str]:
    """Return each group once, in the order of numbers if all are numbers, else of names."""
    names = [str(name) for name in np.unique(groups)]
    try:
        return sorted(names, key=lambda name: (float(name), name))
    except ValueError:
        return names
