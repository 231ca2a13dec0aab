"""Tests of ranks and of differences: laws, SciPy's results, and published examples.

The published values are those of J. Demšar, "Statistical comparisons of classifiers over multiple
data sets", Journal of Machine Learning Research 7 (2006).
"""

import math
from itertools import permutations, product

import numpy as np
import pytest
from scipy.stats import PermutationMethod, friedmanchisquare, rankdata, ttest_1samp, wilcoxon

from ensvm.report.statistical_tests import (
    critical_difference,
    friedman,
    groups,
    holm,
    mean_of,
    nemenyi_p,
    wilcoxon_p,
)

# Table 6: the area under the curve of C4.5, C4.5+m, C4.5+cf and C4.5+m+cf on 14 data sets. For
# voting, the last two are printed alike and ranked differently.
AREAS = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],  # adult (sample)
        [0.599, 0.591, 0.590, 0.569],  # breast cancer
        [0.954, 0.971, 0.968, 0.967],  # breast cancer wisconsin
        [0.628, 0.661, 0.654, 0.657],  # cmc
        [0.882, 0.888, 0.886, 0.898],  # ionosphere
        [0.936, 0.931, 0.916, 0.931],  # iris
        [0.661, 0.668, 0.609, 0.685],  # liver disorders
        [0.583, 0.583, 0.563, 0.625],  # lung cancer
        [0.775, 0.838, 0.866, 0.875],  # lymphography
        [1.000, 1.000, 1.000, 1.000],  # mushroom
        [0.940, 0.962, 0.965, 0.962],  # primary tumor
        [0.619, 0.666, 0.614, 0.669],  # rheum
        [0.972, 0.981, 0.9751, 0.975],  # voting
        [0.957, 0.978, 0.946, 0.970],  # wine
    ]
)


def random_ranks(seed, shape=(9, 4)):
    """Return ranks with many ties."""
    values = np.random.default_rng(seed).integers(0, 5, size=shape)
    return rankdata(values, axis=1)


@pytest.mark.parametrize("seed", range(5))
def test_friedmans_test_corrected_for_ties_is_scipys(seed):
    ranks = random_ranks(seed)
    expected = friedmanchisquare(*ranks.T)
    assert friedman(ranks)[:2] == pytest.approx(tuple(expected))


def test_iman_and_davenports_statistic_is_the_analysis_of_variance_of_the_ranks():
    ranks = random_ranks(1, (8, 5))
    n, k = ranks.shape
    between = n * ((ranks.mean(axis=0) - ranks.mean()) ** 2).sum()
    residual = ((ranks - ranks.mean(axis=0)) ** 2).sum()
    expected = between / (k - 1) / (residual / ((n - 1) * (k - 1)))
    assert friedman(ranks).iman_davenport_f == pytest.approx(expected)


def test_if_all_algorithms_tie_nothing_is_significant():
    ranks = np.full((6, 3), 2.0)
    assert friedman(ranks) == (0.0, 1.0, 0.0, 1.0)
    assert groups(ranks.mean(axis=0), critical_difference(6, 3, 0.05)) == [(0, 2)]


@pytest.mark.parametrize("row", [[1.0, 2.0], [1.0, 2.0, 3.0], [1.0, 2.5, 2.5]])
def test_if_all_data_sets_rank_alike_the_p_value_is_exact(row):
    n = 4
    test = friedman(np.tile(row, (n, 1)))
    orders = sorted(set(permutations(row)))
    alike = sum(len(set(rows)) == 1 for rows in product(orders, repeat=n))
    assert math.isinf(test.iman_davenport_f)
    assert test.iman_davenport_p == pytest.approx(alike / len(orders) ** n)


@pytest.mark.parametrize(("k", "alpha"), list(product((2, 4, 9), (0.01, 0.05, 0.2))))
def test_the_critical_difference_has_the_p_value_alpha(k, alpha):
    difference = critical_difference(12, k, alpha)
    assert nemenyi_p(difference, 12, k) == pytest.approx(alpha, rel=1e-6)
    assert nemenyi_p(-difference, 12, k) == nemenyi_p(difference, 12, k)
    assert nemenyi_p(0.0, 12, k) == 1.0


@pytest.mark.parametrize(
    ("difference", "expected"),
    [(0.3, []), (1.5, [(0, 2)]), (1.6, [(0, 2), (2, 3)]), (9.0, [(0, 3)])],
)
def test_no_group_contains_another(difference, expected):
    assert groups(np.array([1.0, 1.4, 2.0, 3.5]), difference) == expected


def test_the_published_example_of_friedman_and_nemenyi():
    ranks = rankdata(-AREAS, axis=1)
    average = np.sort(ranks.mean(axis=0))
    assert average == pytest.approx([1.964, 2.000, 2.893, 3.143], abs=5e-4)
    # Demšar does not correct for ties; dividing by the variance of untied ranks undoes it.
    n, k = ranks.shape
    test = friedman(ranks)
    chi2 = test.friedman_chi2 * ranks.var(ddof=0) / ((k**2 - 1) / 12)
    assert chi2 == pytest.approx(9.28, abs=5e-3)
    assert (n - 1) * chi2 / (n * (k - 1) - chi2) == pytest.approx(3.69, abs=5e-3)
    assert test.iman_davenport_p < 0.05  # the critical value of F(3, 39) is 2.85
    # At 5 % "the post-hoc test is not powerful enough"; at 10 % C4.5 is worse than two others, and
    # C4.5+cf belongs to both groups.
    for alpha, printed, expected in [(0.05, 1.25, [(0, 3)]), (0.1, 1.12, [(0, 2), (2, 3)])]:
        difference = critical_difference(*ranks.shape, alpha)
        assert difference == pytest.approx(printed, abs=5e-3)
        assert groups(average, difference) == expected


@pytest.mark.parametrize(
    ("alpha", "printed"),
    [
        (0.05, [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]),
        (0.10, [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]),
    ],
)
def test_the_published_critical_values(alpha, printed):
    """Table 5a, for 2 to 10 classifiers."""
    sizes = range(2, 11)
    values = [critical_difference(14, k, alpha) / math.sqrt(k * (k + 1) / 84) for k in sizes]
    assert values == pytest.approx(printed, abs=1e-3)  # 2.3437 is printed as 2.343


@pytest.mark.parametrize(
    "differences",
    [
        [1.0, 1.0, -1.0, 2.0, 2.0, -3.0, 4.0],
        [0.0, 0.0, 1.0, -2.0, 3.0, 4.0, 5.0],
        [0.0, 0.0, 0.0, 1.0, 1.0],
        [1.0, -1.0],
        np.random.default_rng(0).normal(0.4, 1.0, size=12),
    ],
)
def test_wilcoxons_test_counts_all_signs_as_scipys_does(differences):
    differences = np.array(differences)
    every_sign = PermutationMethod(n_resamples=np.inf)
    expected = wilcoxon(differences, zero_method="pratt", method=every_sign).pvalue
    assert wilcoxon_p(differences) == pytest.approx(expected)
    assert wilcoxon_p(-1000 * differences) == pytest.approx(expected)


def test_differences_that_differ_by_rounding_are_tied():
    rounded = np.array([0.3 - 0.2, 0.2 - 0.1, -(0.4 - 0.3), 0.2, 0.5])
    assert len(set(np.abs(rounded))) == 5
    assert wilcoxon_p(rounded) == wilcoxon_p(np.array([1.0, 1.0, -1.0, 2.0, 5.0]))


@pytest.mark.parametrize("n", [1, 5, 9])
def test_wilcoxons_p_value_is_smallest_if_all_differences_have_one_sign(n):
    assert wilcoxon_p(np.arange(1.0, n + 1)) == pytest.approx(2.0 ** (1 - n))
    assert wilcoxon_p(np.zeros(n)) == 1.0


@pytest.mark.parametrize(("shift", "alpha"), [(0.0, 0.05), (0.9, 0.05), (0.9, 0.2), (2.0, 0.01)])
def test_the_interval_of_a_mean_is_scipys_and_overlap_widens_it(shift, alpha):
    values = np.random.default_rng(1).normal(shift, 1.0, size=12)
    expected = ttest_1samp(values, 0.0).confidence_interval(1 - alpha)
    low, high = mean_of(values).interval(alpha)
    assert (low, high) == pytest.approx((expected.low, expected.high))
    # Nadeau and Bengio: the variance has the factor 1/n + overlap in place of 1/n.
    wider_low, wider_high = mean_of(values, 0.25).interval(alpha)
    assert wider_low + wider_high == pytest.approx(low + high)
    assert (wider_high - wider_low) / (high - low) == pytest.approx(math.sqrt(1 + 12 * 0.25))


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, None, 0.9]) == [1.0, None, 1.0]
    assert holm([]) == []
