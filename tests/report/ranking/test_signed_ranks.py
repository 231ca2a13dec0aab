"""Signed-rank tests of two algorithms: exact by brute force, as in other packages, degenerate."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import rankdata, wilcoxon

from ensvm.report.ranking.signed_ranks import practical_equivalence, smallest_p, wilcoxon_p

CASES = {
    "neither ties nor zeros": [3.0, -1.0, 2.0, 7.0, 5.5, -0.5, 9.0],
    "ties": [1.0, 1.0, -1.0, 2.0, 2.0, -3.0, 4.0],
    "zeros": [0.0, 0.0, 1.0, -2.0, 3.0, 4.0, 5.0],
    "ties but for a rounding": [0.3 - 0.2, 0.2 - 0.1, -(0.4 - 0.3), 0.2, 0.5, 0.6],
    "one is zero": [0.0, 1.0, 2.0, 3.0, 4.0],
    "all of one sign": [1.0, 2.0, 3.0, 4.0, 5.0],
    "only one differs": [0.0, 0.0, 0.0, 0.0, 1.0],
}


def by_brute_force(differences):
    """Return Wilcoxon's p-value from all signs that the differences could have had."""
    ranks = rankdata(np.abs(np.round(differences, 9)))
    ranks = ranks[np.array(differences) != 0]
    signs = np.array(list(product([False, True], repeat=len(ranks))))
    sums = (signs * ranks).sum(axis=1)
    seen = ranks[np.array([one for one in differences if one != 0]) > 0].sum()
    smaller = min(seen, ranks.sum() - seen)
    return min(1.0, 2 * float((sums <= smaller + 1e-9).mean()))


@pytest.mark.parametrize("case", CASES)
def test_the_p_value_counts_all_signs(case):
    differences = np.array(CASES[case])
    assert wilcoxon_p(differences) == pytest.approx(by_brute_force(differences))
    assert wilcoxon_p(-1000 * differences) == pytest.approx(wilcoxon_p(differences))


@pytest.mark.parametrize("n", [5, 12, 30])
def test_without_ties_it_is_that_of_scipy(n):
    differences = np.random.default_rng(n).normal(0.4, 1.0, size=n)
    assert wilcoxon_p(differences) == pytest.approx(wilcoxon(differences, method="exact").pvalue)


def test_the_published_example():
    # Demšar's Table 2: C4.5 with and without pruning; R- is 12 there, and below the critical 21
    gains = [5, -8, 17, 33, 6, -5, 7, 0, 63, 0, 22, 47, 9, 21]
    differences = np.array(gains) / 1000
    assert wilcoxon(differences, zero_method="zsplit").statistic == 12
    assert wilcoxon_p(differences) == pytest.approx(by_brute_force(differences))
    assert wilcoxon_p(differences) < 0.05


def test_where_nothing_differs_the_p_value_is_1():
    assert wilcoxon_p(np.zeros(5)) == 1.0
    assert wilcoxon_p(np.array([1.0, -1.0])) == 1.0


@pytest.mark.parametrize("n", [1, 5, 9])
def test_no_p_value_is_smaller_than_the_smallest(n):
    assert wilcoxon_p(np.arange(1.0, n + 1)) == pytest.approx(smallest_p(n))


def probabilities(differences, rope):
    return practical_equivalence(np.array(differences), rope, np.random.default_rng(0))


def test_the_probabilities_add_up_and_turn_with_the_signs():
    differences = [1.5, 2.0, -0.3, 0.4, 3.0, -2.0]
    better, equivalent, worse = probabilities(differences, 0.5)
    assert better + equivalent + worse == pytest.approx(1.0)
    assert probabilities([-one for one in differences], 0.5) == (worse, equivalent, better)


def test_a_wider_region_is_more_probable():
    found = [probabilities([1.5, 2.0, -0.3, 0.4, 3.0], rope)[1] for rope in (0, 0.5, 1, 2, 4)]
    assert found == sorted(found)
    assert found[-1] == 1.0


@pytest.mark.parametrize(
    ("differences", "likeliest"), [([5.0] * 6, 0), ([0.01, -0.02, 0.0] * 2, 1), ([-5.0] * 6, 2)]
)
def test_what_is_clear_is_near_certain(differences, likeliest):
    assert probabilities(differences, 1.0)[likeliest] > 0.99


def test_a_difference_as_large_as_the_region_lies_within_it():
    assert probabilities([0.3 - 0.1] * 6, 0.2)[1] == 1.0


@pytest.mark.slow
def test_baycomp_finds_the_same():
    baycomp = pytest.importorskip(
        "baycomp", reason="baycomp is not installed: nothing to compare with"
    )
    # no mean of two lies at the end of the region: they count half of it there, we none
    differences = np.array([1.5, 2.0, -0.3, 0.45, 3.0, -2.0, 0.8, 1.2])
    theirs = baycomp.SignedRankTest.probs(differences, np.zeros(8), rope=0.52, random_state=0)
    assert probabilities(differences, 0.52) == pytest.approx(theirs, abs=0.01)
