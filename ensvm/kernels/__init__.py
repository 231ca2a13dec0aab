"""Kernels: one table of what they are, Gram matrices, widths that have a name.

The low-rank factors are in `ensvm.kernels.low_rank`, which loads scipy's sparse and dense algebra:
names of kernels are known without it.
"""

from ensvm.kernels.gram_matrix import DENSE_COLUMNS, KernelFunction, gram
from ensvm.kernels.named_kernels import (
    KERNEL_PARAMETERS,
    KERNELS,
    NAMED_KERNELS,
    Kernel,
    parameters_of,
    resolve_gamma,
)

__all__ = [
    "DENSE_COLUMNS",
    "KERNELS",
    "KERNEL_PARAMETERS",
    "NAMED_KERNELS",
    "Kernel",
    "KernelFunction",
    "gram",
    "parameters_of",
    "resolve_gamma",
]
