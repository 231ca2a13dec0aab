"""Logarithmic axes: their ticks as plain text, their limits, and what has no place on them."""

from typing import TYPE_CHECKING

import numpy as np

from ensvm.counts import counted

if TYPE_CHECKING:
    from matplotlib.axis import Axis

LOG_AXIS = " (log scale)"  # the end of its label
# A logarithmic axis ends, and has ticks, at these multiples of powers of ten.
MANTISSAS = np.array([1.0, 2.0, 5.0, 10.0])
TENS_ONLY = 100.0  # if its end is so many times its start, only powers of ten have ticks
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def log_ticks(axis: "Axis", low: float, high: float) -> None:
    """Label 1, 2 and 5 times the powers of ten on a short axis, only the powers on a long one."""
    from matplotlib.ticker import LogLocator, NullFormatter

    axis.set_minor_formatter(NullFormatter())
    if high < TENS_ONLY * low:
        axis.set_major_locator(LogLocator(subs=tuple(MANTISSAS[:-1])))
        axis.set_major_formatter("{x:g}")
    else:  # matplotlib's own is math, which the texts of a figure are not
        axis.set_major_formatter(lambda x, _: f"10{f'{np.log10(x):.0f}'.translate(RAISED)}")


def log_limits(values: np.ndarray, *, with_room: bool = False) -> tuple[float, float]:
    """Return the numbers 1, 2 or 5 times a power of ten that enclose the positive values.

    No value is at an end itself, if they are to be drawn `with_room`, or if all are equal.
    """
    positive = values[(values > 0.0) & np.isfinite(values)]
    if not positive.size:
        return 1.0, 10.0
    low, high = positive.min(), positive.max()
    below, above = (10.0 ** np.floor(np.log10(value)) for value in (low, high))
    starts, ends = below * np.array([0.5, *MANTISSAS[:-1]]), above * MANTISSAS
    if with_room or low == high:
        low, high = starts[starts < low].max(initial=starts[0]), ends[ends > high].min()
    else:
        low, high = starts[starts <= low].max(initial=starts[0]), ends[ends >= high].min()
    return float(low), float(high)


def without_place(scale: str, values: np.ndarray, axis: str) -> str:
    """Return how many values a logarithmic axis cannot show; empty if it shows all."""
    count = int((values <= 0.0).sum()) if scale == "log" else 0
    what = counted(count, "value")
    return f"not shown: {what} of 0 or less on the logarithmic {axis} axis" if count else ""
