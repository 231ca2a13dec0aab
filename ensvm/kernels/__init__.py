"""Kernels: one table of what they are, Gram matrices, widths that have a name, low-rank factors."""

from ensvm.kernels.gram_matrix import DENSE_COLUMNS, KernelFunction, gram
from ensvm.kernels.table import KERNEL_PARAMETERS, KERNELS, NAMED_KERNELS, parameters_of
from ensvm.kernels.widths import resolve_gamma

__all__ = [
    "DENSE_COLUMNS",
    "KERNELS",
    "KERNEL_PARAMETERS",
    "NAMED_KERNELS",
    "KernelFunction",
    "gram",
    "parameters_of",
    "resolve_gamma",
]
