"""The table of kernels, and the widths gamma that have a name or that the data suggest."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import scipy  # loads `scipy.sparse` on first use: names of kernels are known without it
from numpy.typing import NDArray

Transform: TypeAlias = Callable[[NDArray[Any], int], None]

KERNEL_PARAMETERS = ("kernel", "gamma", "degree", "coef0")


@dataclass(frozen=True)
class KernelRow:
    """One row of the table of kernels, which code and docstrings read.

    Attributes
    ----------
    formula : str
        The kernel in its parameters, x and z, for docstrings.
    parameters : tuple of str
        The parameters among 'gamma', 'degree' and 'coef0' that the kernel reads.
    argument : 'product', 'distance' or 'cityblock'
        Whether it is a function of gamma <x, z> + coef0, in which a gamma or coef0 that the kernel
        does not read is 1 or 0, of -gamma |x - z|^2, or of -gamma |x - z|_1, the sum of the
        columns' absolute differences. Rows are centred for a distance: this does not change it, and
        rounding then costs fewer digits.
    transform : callable
        Called with an array of arguments, float32 or float64, and the degree; turns the arguments
        into kernel values in place. Arguments of distances may be above 0 by a rounding.
    relative_slope : float or None, default None
        A bound of |k'(u) / k(u)| over all arguments u, by which an argument's rounding bounds that
        of a value; None if there is no bound.
    """

    formula: str
    parameters: tuple[str, ...]
    argument: Literal["product", "distance", "cityblock"]
    transform: Transform
    relative_slope: float | None = None


class Kernel(NamedTuple):
    """The name of a kernel with its parameters; those that it does not read are 0."""

    name: str
    gamma: float = 0.0
    degree: int = 0
    coef0: float = 0.0


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
    "linear": KernelRow("<x, z>", (), "product", _unchanged),
    "poly": KernelRow(
        "(gamma <x, z> + coef0)^degree", ("gamma", "degree", "coef0"), "product", _power
    ),
    "rbf": KernelRow(
        "exp(-gamma |x - z|^2)", ("gamma",), "distance", _exponential, relative_slope=1.0
    ),
    "laplacian": KernelRow("exp(-gamma |x - z|_1)", ("gamma",), "cityblock", _exponential),
}
NAMED_KERNELS = tuple(KERNELS)


def kernel_row(kernel: str) -> KernelRow:
    """Return a kernel's row of the table; raise ValueError if there is none of this name."""
    if kernel not in KERNELS:
        raise ValueError(
            f"kernel must be one of {', '.join(KERNELS)} or a callable, got {kernel!r}"
        )
    return KERNELS[kernel]


def parameters_of(kernel: str | Callable[..., Any]) -> tuple[str, ...]:
    """Return which of `KERNEL_PARAMETERS` decide a kernel's values, 'kernel' first.

    'precomputed' and a function read no other. Raises ValueError if no kernel has this name.
    """
    if callable(kernel) or kernel == "precomputed":
        return ("kernel",)
    read = kernel_row(kernel).parameters
    return ("kernel", *(name for name in KERNEL_PARAMETERS if name in read))


QUANTILES = (0.9, 0.5, 0.1)
# Multiples of the width 'mean-distance' among which classifiers choose by leave-one-out
TRIED_WIDTHS = (0.05, 0.165, 0.5, 1.65)


class WidthRange(NamedTuple):
    """Widths gamma of a kernel of distances, positive, low <= middle <= high."""

    low: float
    middle: float
    high: float


def sigest(X: NDArray[np.floating], *, rng: np.random.Generator, kernel: str = "rbf") -> WidthRange:
    """Return 1 / quantile(|x - x'|^2, (0.9, 0.5, 0.1)) over pairs of rows drawn at random.

    As in kernlab (Caputo, Sim, Furesjo & Smola, Appearance-based object recognition using SVMs,
    2002), floor(n / 2) pairs of the n rows are drawn with replacement (at least one), and pairs
    without distance do not count; kernlab's scaling of the columns is left to the caller. All
    widths are 1.0 if no pair has a distance. For a `kernel` of |x - x'|_1 this is the distance.
    """
    size = max(len(X) // 2, 1)
    left, right = rng.integers(len(X), size=(2, size))
    difference = np.subtract(X[left], X[right], dtype=np.float64)
    if _is_of_cityblock(kernel):
        distances = np.abs(difference).sum(axis=1)
    else:
        distances = np.einsum("ij,ij->i", difference, difference)
    distances = distances[distances > 0.0]
    if not distances.size:
        return WidthRange(1.0, 1.0, 1.0)
    return WidthRange(*(1.0 / np.quantile(distances, QUANTILES)).tolist())


def resolve_gamma(
    gamma: float | str,
    X: Any,
    weights: NDArray[np.float64] | None = None,
    *,
    kernel: str | Callable[..., Any] = "rbf",
) -> float:
    """Return the kernel width that `gamma` names on training rows, shape (n, d), dense or sparse.

    A positive number stands for itself; 'scale' is 1 / (d Var(X)) and 'auto' 1 / d, as in
    scikit-learn; 'mean-distance' is 1 over the mean squared distance of the rows to their mean
    (Tsang & Kwok, IJCAI-07, section 4.1), or over the mean |x - mean|_1 if the `kernel` is one of
    that distance. The width is 1.0 where a name would divide by zero, for data without spread.
    `weights`, shape (n,), say how often each row counts, at least 0 and not all 0; None is once.
    Raises ValueError for another gamma.
    """
    if isinstance(gamma, str):
        if gamma == "auto":
            return 1.0 / X.shape[1]
        if weights is not None and not weights.all():
            used = np.flatnonzero(weights)
            X, weights = X[used], weights[used]
        if gamma == "scale":
            return _inverse(X.shape[1] * _variance(X, weights))
        if gamma == "mean-distance":
            if _is_of_cityblock(kernel):
                return _inverse(_mean_cityblock(X, weights))
            return _inverse(_mean_distance(X, weights))
        raise ValueError(
            f"gamma must be a positive number, 'scale', 'auto' or 'mean-distance', got {gamma!r}"
        )
    if not 0 < gamma < np.inf:
        raise ValueError(f"gamma must be a positive number, got {gamma!r}")
    return float(gamma)


def _is_of_cityblock(kernel: str | Callable[..., Any]) -> bool:
    """Return whether a kernel is one of |x - z|_1."""
    row = KERNELS.get(kernel) if isinstance(kernel, str) else None
    return row is not None and row.argument == "cityblock"


def _inverse(value: float) -> float:
    return 1.0 / value if value > 0 else 1.0


def _variance(X: Any, weights: NDArray[np.float64] | None) -> float:
    """Return the variance of all entries of X together."""
    if weights is not None:
        means, variances = _weighted_moments(X, weights)
        return float(variances.mean() + means.var())
    if scipy.sparse.issparse(X):
        return float(X.multiply(X).mean() - X.mean() ** 2)
    return float(np.var(X, dtype=np.float64))


def _mean_distance(X: Any, weights: NDArray[np.float64] | None) -> float:
    """Return the mean squared distance of rows to their mean, exactly 0 for identical rows."""
    if scipy.sparse.issparse(X):
        spread = X.max(axis=0).toarray() - X.min(axis=0).toarray()
        mean = np.asarray(X.mean(axis=0)).ravel()
        total = float(X.multiply(X).sum() / X.shape[0] - mean @ mean)
    else:
        spread = np.ptp(X, axis=0)
        total = float(np.var(X, axis=0, dtype=np.float64).sum())
    if weights is not None:
        total = float(_weighted_moments(X, weights)[1].sum())
    return total if spread.any() else 0.0


def _mean_cityblock(X: Any, weights: NDArray[np.float64] | None) -> float:
    """Return the mean |x - mean|_1 of the rows, exactly 0 for identical rows."""
    shares = np.full(X.shape[0], 1.0 / X.shape[0]) if weights is None else weights / weights.sum()
    if not scipy.sparse.issparse(X):
        spread = np.ptp(X, axis=0)
        return float(shares @ np.abs(X - shares @ X).sum(axis=1)) if spread.any() else 0.0
    # |x - c| is |c| for the entries that are not stored.
    columns = scipy.sparse.csc_array(X, dtype=np.float64)
    spread = columns.max(axis=0).toarray() - columns.min(axis=0).toarray()
    centre = np.asarray(shares @ columns)
    of_entry = np.repeat(centre, np.diff(columns.indptr))
    stored = shares[columns.indices]
    differences = np.abs(columns.data - of_entry) - np.abs(of_entry)
    total = float(np.abs(centre).sum() + stored @ differences)
    return total if spread.any() else 0.0


def _weighted_moments(
    X: Any, weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mean and variance of each column, row i counted `weights[i]` times."""
    shares = weights / weights.sum()
    means = shares @ X
    if scipy.sparse.issparse(X):
        return means, shares @ X.multiply(X).tocsr() - means**2
    return means, shares @ (X - means) ** 2
