"""The table of kernels: a new kernel is one row, and all that deals with kernels reads it.

Every kernel is a function of one matrix product: of gamma <x, y> + coef0, where a gamma or coef0
that the kernel does not read is 1 or 0, or of -gamma |x - y|^2.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Transform: TypeAlias = Callable[[NDArray[Any], int], None]

KERNEL_PARAMETERS = ("kernel", "gamma", "degree", "coef0")


@dataclass(frozen=True)
class KernelRow:
    """What a named kernel is.

    Attributes
    ----------
    parameters : tuple of str
        Those of 'gamma', 'degree' and 'coef0' that the kernel reads.
    argument : 'product' or 'distance'
        Whether it is a function of gamma <x, y> + coef0 or of -gamma |x - y|^2. Rows are centred
        for a distance, which centring does not change: it costs fewer digits then.
    transform : callable
        Called with an array of arguments, float32 or float64, and the degree; turns the arguments
        into kernel values in place. Arguments of distances may be above 0 by a rounding.
    relative_slope : float or None, default None
        A bound of |k'(u) / k(u)| over all arguments u, by which an argument's rounding bounds that
        of a value; None where there is none.
    """

    parameters: tuple[str, ...]
    argument: Literal["product", "distance"]
    transform: Transform
    relative_slope: float | None = None


def _unchanged(arguments: NDArray[Any], degree: int) -> None:
    """Leave <x, y> as it is."""


def _power(arguments: NDArray[Any], degree: int) -> None:
    if degree == 0:
        arguments.fill(1.0)
        return
    base = arguments.copy()
    for _ in range(degree - 1):  # several times faster than `**` for the small degrees in use
        arguments *= base


def _exponential(arguments: NDArray[Any], degree: int) -> None:
    np.minimum(arguments, 0.0, out=arguments)  # where rounding put a squared distance below 0
    np.exp(arguments, out=arguments)


KERNELS = {
    "linear": KernelRow((), "product", _unchanged),
    "poly": KernelRow(("gamma", "degree", "coef0"), "product", _power),
    "rbf": KernelRow(("gamma",), "distance", _exponential, relative_slope=1.0),
}
NAMED_KERNELS = tuple(KERNELS)


def row_of(kernel: str) -> KernelRow:
    """Return a kernel's row of the table.

    Parameters
    ----------
    kernel : str
        The name of a kernel.

    Returns
    -------
    KernelRow
        What the table says of it.

    Raises
    ------
    ValueError
        If no kernel has this name; the message names those that there are.
    """
    if kernel not in KERNELS:
        raise ValueError(
            f"kernel must be one of {', '.join(KERNELS)} or a callable, got {kernel!r}"
        )
    return KERNELS[kernel]


def parameters_of(kernel: str | Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of the parameters that decide a kernel's values, 'kernel' first.

    Parameters
    ----------
    kernel : str or callable
        The name of a kernel, 'precomputed' or a function of two arrays of rows; the latter two read
        no parameter.

    Returns
    -------
    tuple of str
        Some of `KERNEL_PARAMETERS`, in their order.

    Raises
    ------
    ValueError
        If no kernel has this name.
    """
    if callable(kernel) or kernel == "precomputed":
        return ("kernel",)
    read = row_of(kernel).parameters
    return ("kernel", *(name for name in KERNEL_PARAMETERS if name in read))
