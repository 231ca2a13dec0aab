"""Statistical tests of differences: over realizations, over data sets, and over many pairs.

References
----------
J. Demšar, Statistical comparisons of classifiers over multiple data sets, Journal of Machine
Learning Research 7 (2006): the tests of Friedman, Iman and Davenport, Nemenyi and Wilcoxon.
W. J. Conover, Practical nonparametric statistics, 3rd edition (1999), section 5.8: ties.
S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics
6 (1979).
J. W. Pratt, Remarks on zeros and ties in the Wilcoxon signed rank procedures, Journal of the
American Statistical Association 54 (1959).
C. Nadeau, Y. Bengio, Inference for the generalization error, Machine Learning 52 (2003): the
corrected resampled t test.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2, f, rankdata, studentized_range, t

TIE_DECIMALS = 9  # differences are tied if, as fractions of the largest, they agree so far


_t = cache(t)  # a distribution with fixed degrees of freedom takes a millisecond to make


@dataclass(frozen=True)
class MeanEstimate:
    """An estimated value with its standard error.

    The deviation from the true value, divided by `error`, has the distribution `law`, one of
    scipy.stats with fixed parameters.
    """

    value: float
    error: float
    law: Any

    def interval(self, alpha: float) -> tuple[float, float]:
        """Return the interval of the true value at level 1 - alpha."""
        half = float(self.law.ppf(1 - alpha / 2)) * self.error
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
    return MeanEstimate(mean, spread * math.sqrt(1 / values.size + overlap), _t(values.size - 1))


class Friedman(NamedTuple):
    """Friedman's chi-squared test of equal average ranks, and Iman and Davenport's F test."""

    friedman_chi2: float
    friedman_p: float
    iman_davenport_f: float
    iman_davenport_p: float


def friedman(ranks: NDArray[np.float64]) -> Friedman:
    """Test whether all algorithms have the same average rank.

    `ranks` has shape (n_data_sets, n_algorithms); tied algorithms share the mean of their ranks.
    The statistic is corrected for ties. SciPy's `friedmanchisquare` computes the same, but rejects
    two algorithms and returns NaN if everything ties.
    """
    n, k = ranks.shape
    middle, largest = (k + 1) / 2, float(n * (k - 1))
    between = float(((ranks.mean(axis=0) - middle) ** 2).sum())
    if between == 0.0:
        return Friedman(0.0, 1.0, 0.0, 1.0)
    statistic = 12 * n / (k * (k + 1)) * between
    # Ties make the sum of squares of the ranks smaller than n k (k^2 - 1) / 12.
    statistic /= float(((ranks - middle) ** 2).sum()) * 12 / (n * k * (k**2 - 1))
    p = float(chi2.sf(statistic, k - 1))
    if math.isclose(statistic, largest, rel_tol=1e-12):
        # All data sets rank alike, so F is infinite. The p-value is exact: with these ties, a data
        # set can rank the algorithms in `orders` ways, all equally likely.
        ties = np.unique(ranks[0], return_counts=True)[1].tolist()
        orders = math.factorial(k) // math.prod(map(math.factorial, ties))
        return Friedman(largest, p, math.inf, float(orders) ** (1 - n))
    quotient = (n - 1) * statistic / (largest - statistic)
    return Friedman(statistic, p, quotient, float(f.sf(quotient, k - 1, (k - 1) * (n - 1))))


def critical_difference(n: int, k: int, alpha: float) -> float:
    """Return the smallest significant difference of average ranks in Nemenyi's test.

    There are n data sets and k algorithms; `alpha` is the level for all pairs together.
    """
    return float(studentized_range.ppf(1 - alpha, k, np.inf)) / math.sqrt(2) * _rank_error(n, k)


def nemenyi_p(difference: float, n: int, k: int) -> float:
    """Return the p-value of Nemenyi's test for a difference of two average ranks."""
    quotient = abs(difference) / _rank_error(n, k) * math.sqrt(2)
    return min(1.0, float(studentized_range.sf(quotient, k, np.inf)))


def _rank_error(n: int, k: int) -> float:
    """Return the standard error of a difference of average ranks if all algorithms are equal."""
    return math.sqrt(k * (k + 1) / (6 * n))


def groups(average_ranks: NDArray[np.float64], difference: float) -> list[tuple[int, int]]:
    """Return the largest groups of algorithms whose ranks differ less than the critical difference.

    The average ranks are in ascending order. A group is its first and last index; it has two
    members or more, and no group contains another.
    """
    largest: list[tuple[int, int]] = []
    for first, rank in enumerate(average_ranks):
        last = int(np.flatnonzero(average_ranks - rank < difference)[-1])
        if last > first and (not largest or last > largest[-1][1]):
            largest.append((first, last))
    return largest


def wilcoxon_p(differences: NDArray[np.float64]) -> float:
    """Return the two-sided p-value of Wilcoxon's signed-rank test, exact with ties and zeros.

    Zeros are ranked, then left out (Pratt). With ties or zeros SciPy's `wilcoxon` enumerates all
    signs, which takes seconds for 13 differences, and approximates the p-value of more.
    """
    largest = np.abs(differences).max(initial=0.0)
    if largest == 0.0:
        return 1.0
    rounded = np.round(differences / largest, TIE_DECIMALS)
    # Mean ranks are multiples of 1/2; doubled they are integers and can be indices.
    doubled = np.rint(2 * rankdata(np.abs(rounded))).astype(int)
    doubled[rounded == 0.0] = 0
    # The distribution of the sum of the positive ranks if each sign is a fair coin.
    chances = np.zeros(doubled.sum() + 1)
    chances[0] = 1.0
    for rank in doubled[doubled > 0]:
        chances = (chances + np.roll(chances, rank)) / 2  # the entries that wrap around are 0
    smaller = min(doubled[rounded > 0].sum(), doubled[rounded < 0].sum())
    return min(1.0, 2 * float(chances[: smaller + 1].sum()))


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
