"""Kernels: one table of what they are, Gram matrices, widths that go by a name, low-rank factors."""

from ensvm.kernels.gram_matrix import DENSE_COLUMNS, NAMED_KERNELS, KernelFunction, gram
from ensvm.kernels.widths import resolve_gamma

__all__ = ["DENSE_COLUMNS", "NAMED_KERNELS", "KernelFunction", "gram", "resolve_gamma"]
