"""Low-rank factors of Gram matrices: K ~ LL' from a few columns of K, which is never formed."""

from ensvm.kernels.low_rank.factors import (
    DiagonalCorrectedGram,
    LowRankGram,
    StopReason,
    incomplete_cholesky,
    kernel_columns,
    randomly_pivoted_cholesky,
)
from ensvm.kernels.low_rank.sampled_pivots import (
    PivotChoice,
    PivotFeatures,
    low_rank_gram,
    pivot_features,
)

__all__ = [
    "DiagonalCorrectedGram",
    "LowRankGram",
    "PivotChoice",
    "PivotFeatures",
    "StopReason",
    "incomplete_cholesky",
    "kernel_columns",
    "low_rank_gram",
    "pivot_features",
    "randomly_pivoted_cholesky",
]
