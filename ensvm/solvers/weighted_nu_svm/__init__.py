"""The nu-SVM on a distribution over its examples (Rangel, Lozano & Garcia, ICMLA-05)."""

from ensvm.solvers.weighted_nu_svm.solver import WeightedNuSVMResult, nu_max, weighted_nu_svm
from ensvm.solvers.weighted_nu_svm.weakened import WeakenedResult, weakened_nu_svm

__all__ = ["WeakenedResult", "WeightedNuSVMResult", "nu_max", "weakened_nu_svm", "weighted_nu_svm"]
