"""Boosting: the rounds, written once, and one file for each rule that weighs the votes."""

from ensvm.solvers.boosting.discrete import discrete_adaboost
from ensvm.solvers.boosting.kernel_expansions import boosted_expansions
from ensvm.solvers.boosting.multiclass import multiclass_adaboost
from ensvm.solvers.boosting.result import BoostingResult

__all__ = ["BoostingResult", "boosted_expansions", "discrete_adaboost", "multiclass_adaboost"]
