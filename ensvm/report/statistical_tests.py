"""Estimates with their uncertainty, Holm's adjustment, and the tests of average ranks.

References
----------
A. Agresti, B. Caffo, Simple and effective confidence intervals for proportions and differences of
proportions, The American Statistician 54 (2000).
E. C. Fieller, Some problems in interval estimation, Journal of the Royal Statistical Society B 16
(1954): the ratio of two means.
S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics
6 (1979).
C. Nadeau, Y. Bengio, Inference for the generalization error, Machine Learning 52 (2003): the
corrected resampled t test.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

NORMAL = math.inf  # degrees of freedom with which Student's distribution is the normal one
LEVEL = 0.05  # of all tests
CONFIDENCE = 1 - LEVEL  # of all intervals
EQUAL = 1e-12  # differences below this share of the largest value are rounding errors
SIGNIFICANT_DIGITS = 12  # that all processors agree on
# Agresti and Caffo add this many errors and correct answers to each of two rates, so that the
# interval has a width even for 0 errors and for errors only; for one rate it is twice as many.
PSEUDO_ERRORS = 1


def steady(value: float) -> float:
    """Return a number without its last digits, which processors round apart."""
    return float(f"{value:.{SIGNIFICANT_DIGITS}g}")


def quantile(p: float, freedom: float = NORMAL) -> float:
    """Return the number that Student's t with some degrees of freedom is below with chance p."""
    from scipy.special import ndtri, stdtrit  # scipy.stats takes half a second more to import

    return float(ndtri(p) if freedom == NORMAL else stdtrit(freedom, p))


def chance_below(x: float, freedom: float = NORMAL) -> float:
    """Return the chance that Student's t with some degrees of freedom is below x."""
    from scipy.special import ndtr, stdtr

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

    @property
    def is_exact(self) -> bool:
        """Whether nothing varies, so that the value is compared as a plain number."""
        return self.error == 0.0

    def interval(self, alpha: float) -> tuple[float, float]:
        """Return the interval of the true value at level 1 - alpha."""
        half = quantile(1 - alpha / 2, self.freedom) * self.error
        return self.value - half, self.value + half

    def distance(self, threshold: float) -> float:
        """Return how many standard errors the value lies above a threshold."""
        return (self.value - threshold) / self.error

    def moved(self, scale: float, offset: float) -> "MeanEstimate":
        """Return the estimate of the value times a positive scale, plus an offset."""
        return replace(self, value=scale * self.value + offset, error=scale * self.error)


@dataclass(frozen=True)
class RatioEstimate:
    """The ratio of two positive means, with Fieller's interval.

    `errors` are the standard errors of numerator and denominator, `covariance` is that of the two
    means. That the ratio lies below a threshold is tested as: the numerator minus the threshold
    times the denominator lies below 0. The value is the ratio times `scale`, plus `offset`.
    """

    numerator: float
    denominator: float
    errors: tuple[float, float]
    covariance: float
    freedom: float
    scale: float = 1.0
    offset: float = 0.0

    @property
    def value(self) -> float:
        """The ratio, scaled and moved."""
        return self.scale * self.numerator / self.denominator + self.offset

    @property
    def is_exact(self) -> bool:
        """Whether nothing varies, so that the value is compared as a plain number."""
        return self.errors == (0.0, 0.0)

    def moved(self, scale: float, offset: float) -> "RatioEstimate":
        """Return the estimate of the value times a positive scale, plus an offset."""
        return replace(self, scale=scale * self.scale, offset=scale * self.offset + offset)

    def interval(self, alpha: float) -> tuple[float, float]:
        """Return the interval of the value at level 1 - alpha.

        It has no upper end if the denominator may be 0.
        """
        low, high = self._ratios(alpha)
        return self.scale * low + self.offset, self.scale * high + self.offset

    def _ratios(self, alpha: float) -> tuple[float, float]:
        """Return the ratios at most `t` standard errors away, from 0 to infinity at most."""
        square = quantile(1 - alpha / 2, self.freedom) ** 2
        of_numerator, of_denominator = (error**2 for error in self.errors)
        a = self.denominator**2 - square * of_denominator
        b = self.numerator * self.denominator - square * self.covariance
        c = self.numerator**2 - square * of_numerator
        root = math.sqrt(max(b * b - a * c, 0.0))
        if a > 0.0:
            return max((b - root) / a, 0.0), (b + root) / a
        # What is left is the outside of an interval, or everything.
        largest = (b - root) / a if a < 0.0 and b * b > a * c and c > 0.0 else 0.0
        return max(largest, 0.0), math.inf

    def distance(self, threshold: float) -> float:
        """Return how many standard errors the value lies above a threshold."""
        threshold = (threshold - self.offset) / self.scale
        of_numerator, of_denominator = (error**2 for error in self.errors)
        variance = of_numerator + threshold * (threshold * of_denominator - 2 * self.covariance)
        above = self.numerator - threshold * self.denominator
        # Rounding may leave a variance of less than 0 if both vary in step.
        error = math.sqrt(max(variance, 0.0))
        return above / error if error > 0.0 else math.copysign(math.inf, above) if above else 0.0


Estimate: TypeAlias = MeanEstimate | RatioEstimate


def interval_of(estimate: Estimate | None) -> tuple[float, float] | tuple[None, None]:
    """Return the 95 % interval of an estimate; (None, None) without one.

    Infinite values have none.
    """
    if estimate is None or not math.isfinite(estimate.value):
        return None, None
    return estimate.interval(1 - CONFIDENCE)


class Sample(NamedTuple):
    """The mean, standard deviation (None for a single value) and number of some values."""

    mean: float
    std: float | None
    n: int


def sample(values: NDArray[np.float64]) -> Sample:
    """Return the mean, the standard deviation and the number of values."""
    with np.errstate(over="ignore", invalid="ignore"):  # infinite values have no spread
        std = float(values.std(ddof=1)) if values.size > 1 else None
        return Sample(float(values.mean()), std, values.size)


def is_constant(values: NDArray[np.float64], largest: float = 0.0) -> bool:
    """Return whether values, made of numbers as large as `largest`, are equal up to rounding."""
    return bool(np.ptp(values) <= EQUAL * max(largest, np.abs(values).max(initial=0.0)))


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


def ratio_of(
    numerators: NDArray[np.float64], denominators: NDArray[np.float64], overlap: float = 0.0
) -> RatioEstimate:
    """Return the ratio of the means of paired values, two or more; `overlap` as in `mean_of`."""
    above, below = mean_of(numerators, overlap), mean_of(denominators, overlap)
    factor = 1 / numerators.size + overlap
    covariance = 0.0
    if above.error and below.error:
        covariance = float(np.cov(numerators, denominators)[0, 1]) * factor
    errors = above.error, below.error
    return RatioEstimate(above.value, below.value, errors, covariance, above.freedom)


def difference_of_means(one: Sample, other: Sample) -> MeanEstimate:
    """Return the difference of two independent means, with Welch's degrees of freedom."""
    assert one.std is not None
    assert other.std is not None
    squares = one.std**2 / one.n, other.std**2 / other.n
    error = math.sqrt(sum(squares))
    if error == 0.0:
        return MeanEstimate(one.mean - other.mean, 0.0)
    of_each = sum(
        square**2 / (each.n - 1) for square, each in zip(squares, (one, other), strict=True)
    )
    return MeanEstimate(one.mean - other.mean, error, sum(squares) ** 2 / of_each)


def less_by_welch(one: Sample, other: Sample) -> bool:
    """Return whether a one-sided Welch test at 5 % finds the first mean less than the second.

    If no value differs from its mean, the means are compared as numbers.
    """
    if one.std is None or other.std is None:
        return False
    found = difference_of_means(one, other)
    if found.is_exact:
        return found.value < 0.0
    return chance_below(found.distance(0.0), found.freedom) < 1 - CONFIDENCE


def rate_of(rate: float, n: int, whole: float = 1.0) -> MeanEstimate:
    """Return an error rate on n rows, as Agresti and Coull (1998) estimate it; `whole` is 1."""
    return _shrunk(rate, n, 2 * PSEUDO_ERRORS, whole)


def difference_of_rates(
    one: float, other: float, n: int, whole: float = 1.0, variance: float = 0.0
) -> MeanEstimate:
    """Return the difference of two error rates on n rows, as Agresti and Caffo (2000) estimate it.

    The rates are taken for independent, and `whole` is the rate of errors only: 1 or 100. The
    interval is valid for few errors, and conservative if both classifiers predict the same rows.
    `variance` is added for causes other than the choice of rows.
    """
    first, second = (_shrunk(rate, n, PSEUDO_ERRORS, whole) for rate in (one, other))
    square = first.error**2 + second.error**2 + variance
    return MeanEstimate(first.value - second.value, math.sqrt(square))


def _shrunk(rate: float, n: int, more: int, whole: float) -> MeanEstimate:
    """Return a rate with so many more errors and as many correct answers."""
    share = (rate / whole * n + more) / (n + 2 * more)
    return MeanEstimate(whole * share, whole * math.sqrt(share * (1 - share) / (n + 2 * more)))


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


def holm_levels(p_values: Sequence[float | None], alpha: float) -> list[float]:
    """Return the level of each test at which its interval agrees with Holm's method at alpha.

    A test is significant by Holm's method exactly if its p-value is at most its level, so that an
    interval at this level excludes what the test rejects, and only that. Tests without a p-value
    have the level alpha.
    """
    levels = [alpha] * len(p_values)
    ordered = sorted((value, at) for at, value in enumerate(p_values) if value is not None)
    level = 0.0
    for step, (_, at) in enumerate(ordered):
        if step == 0 or ordered[step - 1][0] <= level:  # all before are significant
            level = alpha / (len(ordered) - step)
        levels[at] = level
    return levels


# Over data sets: average ranks.


def critical_difference(n: int, k: int, level: float) -> float:
    """Return the smallest significant difference of average ranks in Nemenyi's test.

    There are n data sets and k algorithms; `level` is the level for all pairs together.
    """
    from scipy.stats import studentized_range  # takes a second to import

    return float(studentized_range.ppf(1 - level, k, np.inf)) * _scale_of_ranks(n, k)


def nemenyi(ranks: "pd.DataFrame") -> "pd.DataFrame":
    """Return the p-value of Nemenyi's test for each pair of algorithms.

    `ranks` has a row for each data set and a column for each algorithm.
    """
    import pandas as pd
    from scipy.stats import studentized_range

    average = ranks.mean().to_numpy()
    differences = np.abs(np.subtract.outer(average, average))
    p_values = studentized_range.sf(
        differences / _scale_of_ranks(*ranks.shape), average.size, np.inf
    )
    return pd.DataFrame(p_values, index=ranks.columns, columns=ranks.columns)


def _scale_of_ranks(n: int, k: int) -> float:
    """Return what differences of average ranks are divided by for the studentized range."""
    return math.sqrt(k * (k + 1) / (12 * n))


def friedman_p(losses: "pd.DataFrame") -> float | None:
    """Return the p-value of Friedman's test that all algorithms rank alike."""
    from scipy.stats import friedmanchisquare

    if losses.shape[1] < 3:
        return None
    if (losses.nunique(axis=1) == 1).all():
        return 1.0
    return float(friedmanchisquare(*losses.to_numpy().T).pvalue)
