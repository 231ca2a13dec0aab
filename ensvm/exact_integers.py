"""Whole numbers that float64 does not tell apart: identifiers and hashes of 16 digits and more."""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

MOST_EXACT = 2.0**53
"""float64 tells all whole numbers apart below this size."""
_DIGITS = re.compile(r"([+-]?)0*(\d+)(\.0*)?")


class MergedIntegers(NamedTuple):
    """Two different whole numbers that are equal as float64."""

    row: int
    """Where the second one stands, from 0."""
    first: int
    second: int

    @property
    def problem(self) -> str:
        """What is wrong, for messages."""
        return (
            f"{self.first} and {self.second} are equal as floating-point numbers, which tell whole "
            "numbers apart up to 2^53"
        )


def merged_integers(
    values: Sequence[Any] | NDArray[Any], numbers: NDArray[Any]
) -> MergedIntegers | None:
    """Return the first two different whole numbers that are equal as float64; None if none are.

    `values` are integers or texts of digits, and `numbers` the same as floats, both of shape (n,).
    Other values and texts are not looked at.
    """
    large = np.flatnonzero(np.abs(numbers) >= MOST_EXACT)
    if not large.size or (isinstance(values, np.ndarray) and values.dtype.kind == "f"):
        return None
    firsts = dict[float, int]()
    for row, number in zip(large.tolist(), numbers[large].tolist(), strict=True):
        exact = _integer(values[row])
        if exact is not None and (first := firsts.setdefault(number, exact)) != exact:
            return MergedIntegers(row, first, exact)
    return None


def _integer(value: Any) -> int | None:
    """Return an integer, or what a text of digits stands for; None for other values."""
    if isinstance(value, int | np.integer | Decimal):
        return int(value) if value == int(value) else None
    match = _DIGITS.fullmatch(value) if isinstance(value, str) else None
    return None if match is None else int(match[1] + match[2])
