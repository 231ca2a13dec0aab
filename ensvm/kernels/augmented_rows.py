"""Inputs in the form in which one matrix product gives the argument of a named kernel.

Centred rows x are kept as (x, 1, |x|^2). Their product with rows z made into (2 gamma z, -gamma
|z|^2, -gamma) is -gamma |x - z|^2, and with rows made into (gamma z, coef0, 0) it is gamma <x, z> +
coef0 (centring, which changes inner products, is undone in z). The norms are shared by all
machines. A kernel of |x - z|_1 has no such product: it takes the centred rows alone.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.kernels.gram_matrix import fill_cityblock
from ensvm.kernels.named_kernels import Kernel, kernel_row


class Rows:
    """Rows as (x - centre, 1, |x - centre|^2), shape (n, d + 2): `exact` float64, `single` float32.

    The norms of `single` are those of its rounded coordinates. Raises ValueError if they leave the
    range of float32.
    """

    def __init__(self, X: NDArray[Any], centre: NDArray[np.float64]) -> None:
        self.centre = centre
        with np.errstate(over="ignore", invalid="ignore"):
            self.exact = augment(X, centre, np.float64)
            self.single = augment(X, centre, np.float32)
        if not np.isfinite(self.single[:, -1]).all():
            raise ValueError("the squared norms of the inputs overflow float32: scale them")

    def __len__(self) -> int:
        return len(self.exact)

    def take(self, indices: Any) -> "Rows":
        """Return some of the rows, with the same centre."""
        chosen = object.__new__(Rows)
        chosen.centre, chosen.exact, chosen.single = (
            self.centre,
            self.exact[indices],
            self.single[indices],
        )
        return chosen

    def augmented(self, dtype: type[np.floating]) -> NDArray[Any]:
        """Return the augmented rows in float32 or float64; not a copy."""
        return self.single if dtype is np.float32 else self.exact


def augment(X: NDArray[Any], centre: NDArray[np.float64], dtype: type[np.floating]) -> NDArray[Any]:
    """Return rows as (x - centre, 1, |x - centre|^2), shape (n, d + 2).

    Each norm is that of the rounded coordinates beside it: equal rows then have distance 0, up to
    rounding.
    """
    n, d = X.shape
    rows = np.empty((n, d + 2), dtype)
    inner = rows[:, :d]
    np.subtract(X, centre, out=inner, casting="same_kind")
    rows[:, d] = 1.0
    rows[:, d + 1] = np.einsum("ij,ij->i", inner, inner, dtype=np.float64)
    return rows


def kernel_factor(
    augmented: NDArray[Any], centre: NDArray[np.float64], kernel: Kernel
) -> NDArray[Any]:
    """Return rows z in the form in which `fill_values` takes them beside augmented rows.

    Augmented with this centre, they become (2 gamma z, -gamma |z|^2, -gamma) for a kernel of
    squared distances, (gamma z, gamma <centre, z> + coef0, 0) for one of products, and stay what
    they are for one of |x - z|_1: shape (n, d + 2), in their precision.
    """
    row = kernel_row(kernel.name)
    if row.argument == "cityblock":
        return augmented
    factor = augmented.astype(np.float64)
    inner, ones, norms = factor[:, :-2], factor[:, -2], factor[:, -1]
    if row.argument == "distance":
        ones[:] = -kernel.gamma * norms
        norms[:] = -kernel.gamma
        inner *= 2.0 * kernel.gamma
    else:
        width = kernel.gamma if "gamma" in row.parameters else 1.0
        inner += centre
        ones[:] = width * (inner @ centre) + kernel.coef0
        norms[:] = 0.0
        inner *= width
    return factor.astype(augmented.dtype, copy=False)


def fill_values(left: NDArray[Any], right: NDArray[Any], kernel: Kernel, out: NDArray[Any]) -> None:
    """Write the kernel values between augmented rows and a `kernel_factor`, given in either order.

    `out`, of shape (rows of left, rows of right), is contiguous.
    """
    row = kernel_row(kernel.name)
    if row.argument == "cityblock":
        fill_cityblock(left[:, :-2], right[:, :-2], -kernel.gamma, out)
    else:
        np.matmul(left, right.T, out=out)
    row.transform(out, kernel.degree)


def kernel_matrix(rows: Rows, kernel: Kernel) -> NDArray[np.float32]:
    """Return the kernel values between all rows, rounded to float32 as LIBSVM rounds them.

    The matrix, shape (m, m), is exactly symmetric. Raises ValueError if values leave the range of
    float32.
    """
    row = kernel_row(kernel.name)
    inputs = rows.exact[:, :-2]
    if row.argument == "distance":
        norms = rows.exact[:, -1]
        values = inputs @ inputs.T
        values *= 2.0 * kernel.gamma
        values -= np.add.outer(kernel.gamma * norms, kernel.gamma * norms)
        np.fill_diagonal(values, 0.0)
        single = values.astype(np.float32)
        row.transform(single, kernel.degree)
        return single
    if row.argument == "cityblock":
        single = np.empty((len(rows), len(rows)), np.float32)
        fill_values(rows.exact, rows.exact, kernel, single)
        return single
    inputs = inputs + rows.centre
    with np.errstate(over="ignore", invalid="ignore"):
        values = inputs @ inputs.T
        if "gamma" in row.parameters:
            values *= kernel.gamma
        if "coef0" in row.parameters:
            values += kernel.coef0
        row.transform(values, kernel.degree)
        single = values.astype(np.float32)
    if not np.isfinite(single).all():
        raise ValueError(f"values of the {kernel.name} kernel overflow float32: scale the inputs")
    return single
