"""Two algorithms over data sets, by signed ranks: Wilcoxon's test, and its Bayesian counterpart."""

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from ensvm.report.verdict import ROUNDING

# Differences of values in decimal fractions: what is equal but for a rounding is equal.
DECIMALS = 9
# Of the posterior's samples: the standard error of a probability is at most 0.0022.
SAMPLES = 50_000
PRIOR_STRENGTH = 0.5  # as in Benavoli et al. (2017): half an observation of no difference


def wilcoxon_p(differences: NDArray[np.float64]) -> float:
    """Return the two-sided p-value of Wilcoxon's signed-rank test, exact with ties and zeros too.

    Differences of zero are ranked and then left out (Pratt), which gives the p-value that Demšar's
    splitting of their ranks gives. The distribution is that over all signs of the differences,
    which SciPy's exact one is without ties alone; with few data sets a normal one would be wrong.

    Parameters
    ----------
    differences : ndarray of shape (n_data_sets,)
        The differences of two algorithms.

    Returns
    -------
    float
        The p-value; 1 where all differences are zero.

    References
    ----------
    Wilcoxon (1945), Individual comparisons by ranking methods, Biometrics Bulletin 1, 80-83.
    Pratt (1959), Remarks on zeros and ties in the Wilcoxon signed rank procedures, Journal of the
    American Statistical Association 54, 655-667.
    """
    largest = np.abs(differences).max(initial=0.0)
    if largest == 0.0:
        return 1.0
    told = np.round(differences / largest, DECIMALS)
    doubled = np.rint(2 * rankdata(np.abs(told))).astype(int)  # mean ranks are halves
    doubled[told == 0.0] = 0
    chances = np.zeros(doubled.sum() + 1)
    chances[0] = 1.0
    for rank in doubled[doubled > 0]:
        with_rank = np.roll(chances, rank)  # nothing comes round: the last `rank` are still 0
        chances = (chances + with_rank) / 2
    smaller = min(doubled[told > 0].sum(), doubled[told < 0].sum())
    return min(1.0, 2 * float(chances[: smaller + 1].sum()))


def smallest_p(n: int) -> float:
    """Return the smallest two-sided p-value that Wilcoxon's test can have with n data sets."""
    return float(2.0 ** (1 - n))


def practical_equivalence(
    differences: NDArray[np.float64], rope: float, rng: np.random.Generator
) -> tuple[float, float, float]:
    """Return the probabilities of the Bayesian signed-rank test.

    They are those of an algorithm being better by more than `rope` on most data sets, of the two
    being practically equivalent, and of its being worse by more than `rope`.

    Parameters
    ----------
    differences : ndarray of shape (n_data_sets,)
        By how much the algorithm is better, on each data set.
    rope : float
        The largest difference that does not matter in practice.
    rng : Generator
        Draws the weights of the data sets.

    Returns
    -------
    tuple of (float, float, float)
        The three probabilities.

    References
    ----------
    Benavoli, Mangili, Corani, Zaffalon & Ruggeri (2014), A Bayesian Wilcoxon signed-rank test
    based on the Dirichlet process, ICML 2014, 1026-1034.
    Benavoli, Corani, Demšar & Zaffalon (2017), Time for a change: a tutorial for comparing
    multiple classifiers through Bayesian analysis, Journal of Machine Learning Research 18.
    """
    z = np.concatenate([[0.0], differences])
    weights = rng.dirichlet([PRIOR_STRENGTH, *np.ones(len(differences))], size=SAMPLES)
    means = (z[:, None] + z) / 2
    above = (means > rope + ROUNDING).astype(float)
    below = (means < -rope - ROUNDING).astype(float)
    better = ((weights @ above) * weights).sum(axis=1)
    worse = ((weights @ below) * weights).sum(axis=1)
    most = np.argmax(np.column_stack([better, 1 - better - worse, worse]), axis=1)
    first, second, third = (np.bincount(most, minlength=3) / SAMPLES).tolist()
    return first, second, third
