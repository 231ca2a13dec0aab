"""The exact and the approximate regularization path of the SVM, and leave-one-out values."""

from ensvm.solvers.regularization_path.approximate_path import (
    ApproximatePath,
    approximate_regularization_path,
)
from ensvm.solvers.regularization_path.leave_one_out import (
    LeaveOneOutValues,
    leave_one_out_values,
    machine_leave_one_out,
)
from ensvm.solvers.regularization_path.loo_bound import LeaveOneOutBound, leave_one_out_bound
from ensvm.solvers.regularization_path.path import RegularizationPath, regularization_path

__all__ = [
    "ApproximatePath",
    "LeaveOneOutBound",
    "LeaveOneOutValues",
    "RegularizationPath",
    "approximate_regularization_path",
    "leave_one_out_bound",
    "leave_one_out_values",
    "machine_leave_one_out",
    "regularization_path",
]
