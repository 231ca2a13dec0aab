"""Ours against printed: the difference, its 95 % interval, and what both make of the margin."""

import math
from dataclasses import dataclass
from typing import Literal

from scipy.stats import norm, t

from ensvm.study.table_layout import Verdict

CONFIDENCE = 0.95

# A difference that equals the margin lies within it, whatever the last bit of a mean says.
ROUNDING = 1e-9

Basis = Literal["same rows", "realizations", "repetitions", "orders", "two rates", "none"]


@dataclass(frozen=True)
class Sample:
    """A mean, the spread and the number of what it is a mean of (`std` is None for one alone)."""

    mean: float
    std: float | None
    n: int


@dataclass(frozen=True)
class Difference:
    """Ours minus printed.

    Attributes
    ----------
    value : float
        The difference, in the unit of the table.
    low, high : float or None
        Its 95 % interval; None where there is nothing to compute one from.
    verdict : Verdict
        What the interval makes of the margin.
    basis : str
        What the interval is computed from; `same rows` where there is no sampling error.
    """

    value: float
    low: float | None
    high: float | None
    verdict: Verdict
    basis: Basis


def of_same_rows(ours: float, published: float, margin: float) -> Difference:
    """Compare two values of the same training and test rows, computed without randomness.

    There is no sampling error: they are reproduced or they differ.

    Parameters
    ----------
    ours, published : float
        The values.
    margin : float
        The largest difference at which they count as reproduced.

    Returns
    -------
    Difference
        With an interval of no width.
    """
    return _difference(ours - published, 0.0, margin, "same rows")


def of_samples(
    ours: Sample, published: Sample, margin: float, basis: Basis = "realizations"
) -> Difference:
    """Compare two means by Welch's interval.

    Parameters
    ----------
    ours, published : Sample
        The means; a published one without a printed spread is given ours.
    margin : float
        The margin of the verdict.
    basis : str, default 'realizations'
        What the samples are of.

    Returns
    -------
    Difference
        Without an interval where ours is no mean of at least two.
    """
    difference = ours.mean - published.mean
    if ours.n < 2 or ours.std is None:
        return Difference(difference, None, None, "cannot tell", "none")
    if published.std is None:  # no estimate of its own, so no freedom of its own
        return of_spread(difference, ours.std, 1 / ours.n + 1 / published.n, ours.n, margin, basis)
    ours_square, published_square = ours.std**2 / ours.n, published.std**2 / published.n
    square = ours_square + published_square
    freedom = 1.0
    if square > 0.0:
        freedom = square**2 / (
            ours_square**2 / (ours.n - 1) + published_square**2 / max(published.n - 1, 1)
        )
    return _difference(difference, _quantile(freedom) * math.sqrt(square), margin, basis)


def of_spread(
    difference: float, std: float, share: float, n: int, margin: float, basis: Basis
) -> Difference:
    """Judge a difference whose variance is a multiple of one that `n` values were drawn with.

    Parameters
    ----------
    difference : float
        Ours minus printed.
    std : float
        The standard deviation of the values.
    share : float
        The variance of the difference over that of the values: 1 / n + 1 / m for means of n and
        of m of them.
    n : int
        The number of values, at least 2.
    margin : float
        The margin of the verdict.
    basis : str
        What the values are.

    Returns
    -------
    Difference
        With the t interval of n - 1 degrees of freedom.
    """
    half = _quantile(n - 1) * std * math.sqrt(share)
    return _difference(difference, half, margin, basis)


def _quantile(freedom: float) -> float:
    return float(t.ppf((1 + CONFIDENCE) / 2, freedom))


def of_two_rates(error: float, published: float, n_test: int, margin: float) -> Difference:
    """Compare two error rates, each of one split with no spread of its own.

    Parameters
    ----------
    error, published : float
        The rates, as percentages.
    n_test : int
        The number of test rows of either.
    margin : float
        The margin of the verdict, in percentage points.

    Returns
    -------
    Difference
        With the binomial interval of two independent rates.
    """
    square = (error * (100.0 - error) + published * (100.0 - published)) / n_test
    half = float(norm.ppf((1 + CONFIDENCE) / 2)) * math.sqrt(max(square, 0.0))
    return _difference(error - published, half, margin, "two rates")


def _difference(value: float, half: float, margin: float, basis: Basis) -> Difference:
    margin += ROUNDING
    if abs(value) + half <= margin:
        verdict: Verdict = "reproduced"
    elif abs(value) - half > margin:
        verdict = "differs"
    else:
        verdict = "compatible" if abs(value) <= half else "close"
    return Difference(value, value - half, value + half, verdict, basis)
