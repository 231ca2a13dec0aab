"""Soft-margin machines of pairs of classes: SMO, one against one, Platt scaling."""

from ensvm.solvers.pairwise.one_vs_one import (
    cross_validated_values,
    one_hot,
    pairwise_machines,
    weighted_sums,
    winners,
)
from ensvm.solvers.pairwise.platt_scaling import class_probabilities, fit_sigmoids
from ensvm.solvers.pairwise.sequential_minimal_optimization import (
    MAX_ITER,
    SMOResult,
    sequential_minimal_optimization,
)

__all__ = [
    "MAX_ITER",
    "SMOResult",
    "class_probabilities",
    "cross_validated_values",
    "fit_sigmoids",
    "one_hot",
    "pairwise_machines",
    "sequential_minimal_optimization",
    "weighted_sums",
    "winners",
]
