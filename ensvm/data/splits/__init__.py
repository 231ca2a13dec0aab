"""Split protocols: how the rows of a data set become the parts of one realization."""

from ensvm.data.splits.protocols import (
    DisjointSplit,
    IndicesSplit,
    KFoldSplit,
    LeaveOneGroupOutSplit,
    OfficialSplit,
    RandomSplit,
    Split,
    folds_of,
    identity,
    overlap,
)
from ensvm.data.splits.row_numbers import split_rows

__all__ = [
    "DisjointSplit",
    "IndicesSplit",
    "KFoldSplit",
    "LeaveOneGroupOutSplit",
    "OfficialSplit",
    "RandomSplit",
    "Split",
    "folds_of",
    "identity",
    "overlap",
    "split_rows",
]
