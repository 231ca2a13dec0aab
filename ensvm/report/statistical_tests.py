"""The mean of a few values with its standard error, and Holm's adjustment of p-values.

References
----------
S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics
6 (1979).
C. Nadeau, Y. Bengio, Inference for the generalization error, Machine Learning 52 (2003): the
corrected resampled t test.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtr, stdtrit  # scipy.stats takes half a second to import

NORMAL = math.inf  # degrees of freedom with which Student's distribution is the normal one
SIGNIFICANT_DIGITS = 12  # that all processors agree on


def steady(value: float) -> float:
    """Return a number without its last digits, which processors round apart."""
    return float(f"{value:.{SIGNIFICANT_DIGITS}g}")


def quantile(p: float, freedom: float = NORMAL) -> float:
    """Return the number that Student's t with some degrees of freedom is below with chance p."""
    return float(ndtri(p) if freedom == NORMAL else stdtrit(freedom, p))


def chance_below(x: float, freedom: float = NORMAL) -> float:
    """Return the chance that Student's t with some degrees of freedom is below x."""
    return float(ndtr(x) if freedom == NORMAL else stdtr(freedom, x))


@dataclass(frozen=True)
class MeanEstimate:
    """An estimated value with its standard error.

    The deviation from the true value, divided by `error`, has Student's distribution with
    `freedom` degrees of freedom.
    """

    value: float
    error: float
    freedom: float = NORMAL

    def interval(self, alpha: float) -> tuple[float, float]:
        """Return the interval of the true value at level 1 - alpha."""
        half = quantile(1 - alpha / 2, self.freedom) * self.error
        return self.value - half, self.value + half


def mean_of(values: NDArray[np.float64], overlap: float = 0.0) -> MeanEstimate:
    """Return the mean of two values or more as the t test estimates it.

    `overlap` is added to 1/n in the variance of the mean (see `ensvm.data.splits.overlap`), which
    makes it the corrected resampled t test. Equal values have no error.
    """
    # The mean of equal numbers may be wrong in its last bit, which would decide at a threshold.
    equal = np.ptp(values) == 0.0
    mean = float(values[0]) if equal else float(values.mean())
    spread = 0.0 if equal else float(values.std(ddof=1))
    return MeanEstimate(mean, spread * math.sqrt(1 / values.size + overlap), values.size - 1)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return p-values adjusted for their number by Holm's step-down method.

    None stays None and is not counted. If all adjusted p-values up to a level count as significant,
    the chance of a false one among them is at most that level, even if the tests are dependent.
    """
    adjusted: list[float | None] = [None] * len(p_values)
    ordered = sorted((value, at) for at, value in enumerate(p_values) if value is not None)
    largest = 0.0
    for step, (value, at) in enumerate(ordered):
        largest = max(largest, min(1.0, (len(ordered) - step) * value))
        adjusted[at] = largest
    return adjusted
