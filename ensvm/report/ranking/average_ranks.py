"""Average ranks over data sets: Friedman's test, Iman and Davenport's, and Nemenyi's.

N data sets (rows) by k algorithms (columns), as in J. Demšar, "Statistical comparisons of
classifiers over multiple data sets", Journal of Machine Learning Research 7 (2006); R_j is the
average rank of algorithm j, chi2 his chi^2_F, f his F_F.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2, f, rankdata, studentized_range

from ensvm.study.metrics import Direction


@dataclass(frozen=True)
class Friedman:
    """Friedman's test of all algorithms being equal, with Iman and Davenport's statistic.

    Attributes
    ----------
    chi2, chi2_p : float
        Friedman's statistic, and its p-value by chi^2 with k - 1 degrees of freedom.
    f, f_p : float
        Iman and Davenport's, and its p-value by F with k - 1 and (k - 1)(N - 1) degrees of
        freedom. Infinite where all data sets rank the algorithms alike; the p-value is exact then.
    """

    chi2: float
    chi2_p: float
    f: float
    f_p: float


def ranks_of(values: NDArray[np.float64], better: Direction) -> NDArray[np.float64]:
    """Return the ranks of the algorithms on each data set, 1 the best; ties share their mean.

    Parameters
    ----------
    values : ndarray of shape (n_data_sets, n_algorithms)
        The values.
    better : 'min' or 'max'
        Whether the smaller or the larger values are the better ones.

    Returns
    -------
    ndarray of shape (n_data_sets, n_algorithms)
        The ranks.
    """
    signed = values if better == "min" else -values
    return np.asarray(rankdata(signed, axis=1), dtype=np.float64)


def friedman(ranks: NDArray[np.float64], *, corrected: bool) -> Friedman:
    """Test whether the algorithms have equal ranks on average.

    Parameters
    ----------
    ranks : ndarray of shape (n_data_sets, n_algorithms)
        The ranks on each data set.
    corrected : bool
        Whether to correct for ties, as scipy.stats.friedmanchisquare does. Demšar does not, which
        is conservative: ties make the ranks vary less than the formula has it.

    Returns
    -------
    Friedman
        The statistics; 0 with a p-value of 1 where everything ties.

    References
    ----------
    Iman & Davenport (1980), Approximations of the critical region of the Friedman statistic,
    Communications in Statistics A9, 571-595.
    Conover (1999), Practical nonparametric statistics, 3rd edition, 5.8: ties, and equal rankings.
    """
    n, k = ranks.shape
    most = n * (k - 1)  # chi2 where all data sets rank the algorithms alike, without ties
    average = ranks.mean(axis=0)
    statistic = 12 * n / (k * (k + 1)) * float(((average - (k + 1) / 2) ** 2).sum())
    spread = 1 - _ties(ranks) / (n * k * (k**2 - 1)) if corrected else 1.0
    if statistic == 0.0 or spread <= 0.0:
        return Friedman(0.0, 1.0, 0.0, 1.0)
    statistic /= spread
    p = float(chi2.sf(statistic, k - 1))
    if math.isclose(statistic, most, rel_tol=1e-12):
        return Friedman(float(most), p, math.inf, _chance_of_equal_rankings(ranks))
    quotient = (n - 1) * statistic / (most - statistic)
    return Friedman(statistic, p, quotient, float(f.sf(quotient, k - 1, (k - 1) * (n - 1))))


def _ties(ranks: NDArray[np.float64]) -> float:
    """Return the sum of t^3 - t over all groups of t tied algorithms of a data set."""
    counts = [np.unique(row, return_counts=True)[1] for row in ranks]
    return float(sum((count**3 - count).sum() for count in counts))


def _chance_of_equal_rankings(ranks: NDArray[np.float64]) -> float:
    """Return the chance that all data sets rank alike when any order is as likely as another."""
    counts = np.unique(ranks[0], return_counts=True)[1]
    orders = math.factorial(ranks.shape[1]) // math.prod(math.factorial(t) for t in counts)
    return float(orders) ** (1 - len(ranks))


def standard_error(n: int, k: int) -> float:
    """Return the standard error of the difference of two average ranks, all being equal."""
    return math.sqrt(k * (k + 1) / (6 * n))


def critical_difference(n: int, k: int, alpha: float) -> float:
    """Return the difference of average ranks at which Nemenyi's test tells two algorithms apart.

    Parameters
    ----------
    n, k : int
        The numbers of data sets and of algorithms.
    alpha : float
        The chance that any two equal ones are told apart.
    """
    quantile = float(studentized_range.ppf(1 - alpha, k, np.inf)) / math.sqrt(2)
    return quantile * standard_error(n, k)


def nemenyi_p(difference: float, n: int, k: int) -> float:
    """Return the p-value of Nemenyi's test for a difference of two average ranks."""
    quotient = abs(difference) / standard_error(n, k) * math.sqrt(2)
    return min(1.0, float(studentized_range.sf(quotient, k, np.inf)))


def groups(average: NDArray[np.float64], difference: float) -> list[tuple[int, int]]:
    """Return the largest groups of algorithms that are not told apart, best first.

    Parameters
    ----------
    average : ndarray of shape (n_algorithms,)
        The average ranks, in ascending order.
    difference : float
        The critical difference.

    Returns
    -------
    list of (int, int)
        The first and the last of each group of two or more that is in no other.
    """
    found: list[tuple[int, int]] = []
    for first in range(len(average)):
        last = int(np.flatnonzero(average - average[first] < difference)[-1])
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return found
