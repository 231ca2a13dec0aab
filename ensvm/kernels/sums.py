"""Kernel expansions, sum_i c_i k(x_i, x): their values and signs, without a kernel matrix.

Kernel values are made and summed in blocks that stay in a core's cache. The rows x_i are made ready
once, as bits (`ensvm.kernels.bit_rows`) or in the form of `ensvm.kernels.augmented_rows`.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.kernels.augmented_rows import augment, fill_values, kernel_factor
from ensvm.kernels.bit_rows import BitValues, bit_rows, bit_values
from ensvm.kernels.gram_matrix import dense_rows, slices
from ensvm.kernels.named_kernels import Kernel, kernel_row
from ensvm.kernels.threads import each

# Rows and columns of a block: its float64 values take 1 MiB, within a core's second cache.
BLOCK_ROWS = 512
BLOCK_COLUMNS = 256
# Rows prepared at once, so that the memory for copies does not grow with their number
READY_ROWS = 1 << 13
# From so many kernel values on (a millisecond's work) float32 decides the signs first.
WORTH_ASKING = 1 << 18
# If float32 leaves more than this share of the signs open, it is not used any more.
MOST_OPEN = 0.25


class KernelSums:
    """The sums sum_i c_i k(x_i, x) for any rows x.

    `rows` are the x_i, an array or sparse matrix of shape (k, d); `coefficients` the c_i, shape
    (k,), or (k, s) for several sums.
    """

    def __init__(self, rows: Any, coefficients: NDArray[np.float64], kernel: Kernel) -> None:
        self._rows = dense_rows(rows)
        self._kernel = kernel
        self._bit_rows = bit_rows(self._rows)
        self._coefficients = coefficients
        self._factors: dict[type[np.floating], NDArray[Any]] = {}

    def values(self, X: Any) -> NDArray[np.float64]:
        """Return the sums at each row of X, in float64, shape (n,) or (n, s)."""
        sums = np.empty((X.shape[0], *self._coefficients.shape[1:]))
        for ready in slices(X.shape[0], READY_ROWS):
            rows = dense_rows(X[ready])
            bits = self._bits(rows)
            sums[ready] = self._exact(rows) if bits is None else self._of_bits(bits)
        return sums

    def positive(self, X: Any, intercept: float) -> NDArray[np.bool_]:
        """Return whether one sum plus an intercept is positive at each row, as `values` would.

        If the kernel allows a bound of the rounding in float32, that is used first: it decides
        nearly all rows in half the time, and `values` decides the rest.
        """
        signs = np.empty(X.shape[0], dtype=bool)
        in_single = (
            kernel_row(self._kernel.name).relative_slope is not None
            and X.shape[0] * len(self._rows) >= WORTH_ASKING
        )
        for ready in slices(X.shape[0], READY_ROWS):
            rows = dense_rows(X[ready])
            if (bits := self._bits(rows)) is not None:
                signs[ready] = self._of_bits(bits) + intercept > 0.0
                continue
            undecided: Any = slice(None)
            if in_single:
                decision, bound = self._in_single(rows)
                decision += intercept
                signs[ready] = decision > 0.0
                # "not above" is true of nan, which float32 makes of what it cannot hold
                undecided = np.flatnonzero(~(np.abs(decision) > bound))
                in_single = undecided.size <= MOST_OPEN * len(rows)
            signs[ready][undecided] = self._exact(rows[undecided]) + intercept > 0.0
        return signs

    def _bits(self, rows: NDArray[Any]) -> BitValues | None:
        """Return the kernel values at rows of the two numbers of the x_i; None at others."""
        own = self._bit_rows
        return bit_values(None if own is None else own.alike(rows), own, self._kernel)

    def _of_bits(self, bits: BitValues) -> NDArray[np.float64]:
        def fill(block: NDArray[Any], these: slice, those: slice) -> None:
            """Write the kernel values of some rows and columns."""
            bits.fill(block, these.start, those.start)

        return _summed(fill, bits.shape[0], self._coefficients)

    def _exact(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        return self._sums(rows, np.float64, self._coefficients)

    def _in_single(self, rows: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the sums in float32 and a bound of the error of each."""
        coefficients = np.column_stack([self._coefficients, np.abs(self._coefficients)])
        with np.errstate(over="ignore", invalid="ignore"):
            sums = self._sums(rows, np.float32, coefficients)
            norms = np.einsum("ij,ij->i", rows - self._centre, rows - self._centre)
            terms = 2.0 * self._kernel.gamma * (norms + self._augmented[:, -1].max(initial=0.0))
            # d + 4 roundings of an argument, BLOCK_COLUMNS of a block's sum, a few of exp: each at
            # most eps of the sum of the terms' sizes.
            slope = kernel_row(self._kernel.name).relative_slope or 0.0
            roundings = slope * (rows.shape[1] + 4) * terms + BLOCK_COLUMNS + 8
            share = np.expm1(np.finfo(np.float32).eps * roundings)
            # A term that underflows is wrong by less than the least normal number.
            lost = np.finfo(np.float32).tiny * coefficients[:, 1].sum()
            bound = np.where(share < 0.5, share / (1.0 - share) * sums[:, 1] + lost, np.inf)
            return sums[:, 0], bound

    def _sums(
        self, rows: NDArray[Any], dtype: type[np.floating], coefficients: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        factor = self._factor(dtype)
        augmented = augment(rows, self._centre, dtype)

        def fill(block: NDArray[Any], these: slice, those: slice) -> None:
            """Write the kernel values of some rows and columns."""
            fill_values(augmented[these], factor[those], self._kernel, block)

        return _summed(fill, len(rows), coefficients.astype(dtype, copy=False))

    @cached_property
    def _centre(self) -> NDArray[np.float64]:
        return self._rows.mean(axis=0, dtype=np.float64)

    @cached_property
    def _augmented(self) -> NDArray[np.float64]:
        return augment(self._rows, self._centre, np.float64)

    def _factor(self, dtype: type[np.floating]) -> NDArray[Any]:
        if dtype not in self._factors:
            augmented = self._augmented
            if dtype is np.float32:
                with np.errstate(over="ignore", invalid="ignore"):
                    augmented = augment(augmented[:, :-2], np.zeros_like(self._centre), dtype)
            self._factors[dtype] = kernel_factor(augmented, self._centre, self._kernel)
        return self._factors[dtype]


def _summed(
    fill: Callable[[NDArray[Any], slice, slice], None], n: int, coefficients: NDArray[Any]
) -> NDArray[np.float64]:
    """Return the products of n rows of kernel values with coefficients, shape (k,) or (k, s).

    `fill` writes the values of some rows and columns into a block in the coefficients' precision.
    """
    sums = np.zeros((n, *coefficients.shape[1:]))

    def add(these: slice) -> None:
        """Add the kernel values of some rows, times the coefficients, to their sums."""
        length = these.stop - these.start
        values = np.empty(length * min(BLOCK_COLUMNS, len(coefficients)), coefficients.dtype)
        for those in slices(len(coefficients), BLOCK_COLUMNS):
            shape = length, those.stop - those.start
            block = values[: shape[0] * shape[1]].reshape(shape)
            fill(block, these, those)
            sums[these] += block @ coefficients[those]

    each(add, list(slices(n, BLOCK_ROWS)))
    return sums
