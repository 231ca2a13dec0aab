"""Kernels: one table of what they are, Gram matrices, widths that have a name.

The low-rank factors are in `ensvm.kernels.low_rank`, which loads scipy's sparse and dense algebra:
names of kernels are known without it.
"""

from ensvm.kernels.augmented_rows import (
    Kernel,
    KernelName,
    Rows,
    apply_kernel,
    kernel_factor,
    kernel_matrix,
)
from ensvm.kernels.gram_matrix import DENSE_COLUMNS, KernelFunction, gram
from ensvm.kernels.table import (
    KERNEL_PARAMETERS,
    KERNELS,
    NAMED_KERNELS,
    WidthRange,
    parameters_of,
    resolve_gamma,
    sigest,
)

__all__ = [
    "DENSE_COLUMNS",
    "KERNELS",
    "KERNEL_PARAMETERS",
    "NAMED_KERNELS",
    "Kernel",
    "KernelFunction",
    "KernelName",
    "Rows",
    "WidthRange",
    "apply_kernel",
    "gram",
    "kernel_factor",
    "kernel_matrix",
    "parameters_of",
    "resolve_gamma",
    "sigest",
]
