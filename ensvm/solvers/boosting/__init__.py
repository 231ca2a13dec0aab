"""Boosting: the rounds, written once, and one file for each rule that weighs the votes."""

from ensvm.solvers.boosting.discrete import discrete_adaboost, exponential_bound
from ensvm.solvers.boosting.kernel_expansions import Member, WeakLearner, boosted_expansions
from ensvm.solvers.boosting.multiclass import multiclass_adaboost
from ensvm.solvers.boosting.result import BoostingResult
from ensvm.solvers.boosting.rounds import Round

__all__ = [
    "BoostingResult",
    "Member",
    "Round",
    "WeakLearner",
    "boosted_expansions",
    "discrete_adaboost",
    "exponential_bound",
    "multiclass_adaboost",
]
