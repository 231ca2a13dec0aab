"""Statistical tests that compare algorithms over data sets, or on one data set.

References
----------
J. Demšar, Statistical comparisons of classifiers over multiple data sets, Journal of Machine
Learning Research 7 (2006): the tests of Friedman, Iman and Davenport, Nemenyi and Wilcoxon.
W. J. Conover, Practical nonparametric statistics, 3rd edition (1999), section 5.8: ties.
J. W. Pratt, Remarks on zeros and ties in the Wilcoxon signed rank procedures, Journal of the
American Statistical Association 54 (1959).
C. Nadeau, Y. Bengio, Inference for the generalization error, Machine Learning 52 (2003).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2, f, rankdata, studentized_range, t

TIE_DECIMALS = 9  # differences are tied if, as fractions of the largest, they agree so far


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


def corrected_t(
    differences: NDArray[np.float64], overlap: float, alpha: float
) -> tuple[float, float, float, float]:
    """Return interval (low, high), statistic and p-value of the corrected resampled t test.

    There must be two or more differences, not all equal. `overlap` is added to 1/n in the
    variance of the mean, see `ensvm.data.splits.overlap`; the interval is at level 1 - alpha.
    """
    n = len(differences)
    mean = float(differences.mean())
    error = float(differences.std(ddof=1)) * math.sqrt(1 / n + overlap)
    half = float(t(n - 1).ppf(1 - alpha / 2)) * error
    return mean - half, mean + half, mean / error, 2 * float(t(n - 1).sf(abs(mean / error)))
