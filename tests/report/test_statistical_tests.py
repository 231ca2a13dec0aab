"""The interval of a mean is SciPy's; Holm's method by hand."""

import math

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from ensvm.report.statistical_tests import holm, mean_of


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
