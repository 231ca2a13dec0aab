"""Split protocols: how the rows of a data set become the parts of one realization."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from ensvm.data.errors import Strict


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
    """Rows drawn without replacement anew for each realization.

    Attributes
    ----------
    protocol : str
        The name 'random'.
    n_train : int
        The number of training rows, at least 2.
    n_test : int
        The number of test rows, at least 1.
    stratified : bool
        Whether both parts have the classes in the proportions of all rows, as nearly as can be.
    """

    later: ClassVar = ("stratified",)

    protocol: Literal["random"]
    n_train: int = Field(ge=2)
    n_test: int = Field(ge=1)
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
    """

    later: ClassVar = ("grouped",)

    protocol: Literal["kfold"]
    n_splits: int = Field(ge=2)
    stratified: bool = False
    grouped: bool = False


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
    OfficialSplit | RandomSplit | KFoldSplit | LeaveOneGroupOutSplit | IndicesSplit | DisjointSplit,
    Field(discriminator="protocol"),
]

GROUPED = ("leave-one-group-out", "kfold")  # the protocols that keep groups whole


def is_grouped(split: Split) -> bool:
    """Return whether a protocol leaves groups out one by one, or makes folds of groups."""
    return isinstance(split, LeaveOneGroupOutSplit) or getattr(split, "grouped", False)


def split_sizes(split: Split, rows: int) -> tuple[int, int]:
    """Return how many training and test rows a realization has.

    For kfold those of the first fold; for leave-one-group-out those of a group of mean size.
    """
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
    return None


def identity(split: Split) -> dict[str, Any]:
    """Return the keys given of a split as a JSON-able mapping.

    Parameters
    ----------
    split : Split
        The protocol.

    Returns
    -------
    dict
        The keys that are not None, beginning {"protocol": ...}. Keys that a protocol got later are
        there only if they are set: rows drawn before stay the same.
    """
    unset = {key for key in getattr(split, "later", ()) if not getattr(split, key)}
    return split.model_dump(exclude_none=True, exclude=unset)


def folds_of(split: Mapping[str, Any]) -> int | None:
    """Return how many realizations test every row once; None if there is no such number.

    Parameters
    ----------
    split : mapping
        A split as `identity` returns it and records keep it; empty if it is not known.

    Returns
    -------
    int or None
        The number of folds, or of groups that are left out one by one.
    """
    key = {"kfold": "n_splits", "leave-one-group-out": "realizations"}.get(
        split.get("protocol", "")
    )
    return None if key is None else int(split[key])


def overlap(split: Mapping[str, Any]) -> float:
    """Return what splitting the same rows anew adds to 1/n in the variance of a mean; else 0.

    Realizations whose parts share rows are not independent. With rho their correlation, the
    variance of a mean over n of them has the factor 1/n + rho / (1 - rho) in place of 1/n. Nadeau
    & Bengio (2003) take the test part's share of the rows for rho, which gives n_test / n_train,
    and 1 / (k-1) for k folds (Bouckaert & Frank 2004), of rows or of groups; leaving each of g
    groups out makes g folds. They mean small test parts. Of a large one
    the chance of its rows averages out, and what remains is that of the training part, of which
    two realizations share n_train / (n_train + n_test): the ratio is n_train / n_test then
    (`benchmarks/resampling_intervals.py`: their ratio makes intervals 8 to 11 times too wide).

    It is 0 for blocks of rows of their own (`disjoint`), such as a generator draws, and where all
    realizations have the publisher's parts, so that only the algorithms' seeds differ.

    Parameters
    ----------
    split : mapping
        A split as `identity` returns it and records keep it; empty if it is not known.

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
    protocol = split.get("protocol")
    if folds := folds_of(split):
        return 1.0 / (folds - 1)
    # without a number of its own, an official split has several realizations only by a draw
    drawn = protocol == "official" and split.get("realizations") is None
    if drawn or protocol in ("random", "indices"):
        sizes = split["n_train"], split["n_test"]
        return float(min(sizes) / max(sizes))
    return 0.0
