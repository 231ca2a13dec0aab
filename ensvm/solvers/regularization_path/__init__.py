"""The exact regularization path of the support vector machine, and its leave-one-out bound."""

from ensvm.solvers.regularization_path.loo_bound import LeaveOneOutBound, leave_one_out_bound
from ensvm.solvers.regularization_path.path import RegularizationPath, regularization_path

__all__ = [
    "LeaveOneOutBound",
    "RegularizationPath",
    "leave_one_out_bound",
    "regularization_path",
]
