"""Split protocols: how the rows of a data set become the parts of one realization."""

from ensvm.data.splits.checks import check_groups, check_split
from ensvm.data.splits.completing import completed, counted, refuse_without_groups
from ensvm.data.splits.protocols import (
    GROUPED,
    DisjointSplit,
    IndicesSplit,
    KFoldSplit,
    LeaveOneGroupOutSplit,
    OfficialSplit,
    RandomSplit,
    Split,
    folds_of,
    identity,
    is_grouped,
    max_realizations,
    overlap,
    split_sizes,
)
from ensvm.data.splits.rows import IndexPair, split_rows

__all__ = [
    "GROUPED",
    "DisjointSplit",
    "IndexPair",
    "IndicesSplit",
    "KFoldSplit",
    "LeaveOneGroupOutSplit",
    "OfficialSplit",
    "RandomSplit",
    "Split",
    "check_groups",
    "check_split",
    "completed",
    "counted",
    "folds_of",
    "identity",
    "is_grouped",
    "max_realizations",
    "overlap",
    "refuse_without_groups",
    "split_rows",
    "split_sizes",
]
