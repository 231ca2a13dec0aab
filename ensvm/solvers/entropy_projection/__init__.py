"""Training the rho-SVM by entropy projections (Tsang & Kwok, IJCAI-07, Algorithm 1)."""

from ensvm.solvers.entropy_projection.accelerated import accelerated_descent
from ensvm.solvers.entropy_projection.simplex import (
    EntropyProjectionResult,
    EntropyProjectionState,
    MergedRows,
    identical_inputs,
    merge_identical,
)
from ensvm.solvers.entropy_projection.tsang_kwok import entropy_projection

__all__ = [
    "EntropyProjectionResult",
    "EntropyProjectionState",
    "MergedRows",
    "accelerated_descent",
    "entropy_projection",
    "identical_inputs",
    "merge_identical",
]
