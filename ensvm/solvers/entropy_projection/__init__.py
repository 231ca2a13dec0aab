"""Training the rho-SVM by entropy projections (Tsang & Kwok, IJCAI-07, Algorithm 1)."""

from ensvm.solvers.entropy_projection.accelerated import accelerated_descent
from ensvm.solvers.entropy_projection.algorithm import entropy_projection
from ensvm.solvers.entropy_projection.identical_inputs import identical_inputs
from ensvm.solvers.entropy_projection.merged import MergedRows, merge_identical
from ensvm.solvers.entropy_projection.trajectory import (
    EntropyProjectionResult,
    EntropyProjectionState,
)

__all__ = [
    "EntropyProjectionResult",
    "EntropyProjectionState",
    "MergedRows",
    "accelerated_descent",
    "entropy_projection",
    "identical_inputs",
    "merge_identical",
]
