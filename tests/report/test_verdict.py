"""Verdicts: inside the margin, outside it, or not to be told."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_ind

from ensvm.report.verdict import Sample, single_split_verdict, verdict


def test_the_three_verdicts():
    published = Sample(24.0, None, 100)
    assert verdict(Sample(24.2, 2.0, 100), published, 1.0) == "reproduced"
    assert verdict(Sample(28.0, 2.0, 100), published, 1.0) == "differs"
    assert verdict(Sample(24.9, 2.0, 100), published, 1.0) == "cannot tell"
    assert verdict(Sample(24.2, 2.0, 5), published, 1.0) == "cannot tell"


@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_realizations_never_pass(n):
    assert verdict(Sample(24.0, None, n), Sample(24.0, None, 100), 1.0) == "cannot tell"


def test_the_interval_is_welchs():
    rng = np.random.default_rng(0)
    samples = rng.normal(12.0, 2.0, size=30), rng.normal(9.0, 1.0, size=12)
    ours, published = (
        Sample(float(values.mean()), float(values.std(ddof=1)), values.size) for values in samples
    )
    low, high = ttest_ind(*samples, equal_var=False).confidence_interval(0.95)
    assert 0.0 < low < high
    assert verdict(ours, published, high + 1e-9) == "reproduced"
    assert verdict(ours, published, high - 1e-9) == "cannot tell"
    assert verdict(ours, published, low + 1e-9) == "cannot tell"
    assert verdict(ours, published, low - 1e-9) == "differs"


def test_a_printed_spread_is_used():
    ours = Sample(24.5, 1.0, 100)
    assert verdict(ours, Sample(24.0, 1.0, 100), 1.0) == "reproduced"
    assert verdict(ours, Sample(24.0, 9.0, 100), 1.0) == "cannot tell"


@given(
    st.floats(0, 100),
    st.floats(0.01, 20),
    st.integers(2, 200),
    st.floats(0, 100),
    st.floats(0.1, 5),
    st.floats(-10, 10),
)
def test_only_the_difference_counts_and_its_sign_does_not(mean, std, n, printed, margin, shift):
    def place(a, b):
        return verdict(Sample(a, std, n), Sample(b, std, n), margin)

    assert place(mean, printed) == place(printed, mean)
    if abs(abs(mean - printed) - margin) > 1e-6:
        exact = verdict(Sample(mean, 0.0, n), Sample(printed, 0.0, n), margin)
        assert exact == ("reproduced" if abs(mean - printed) <= margin else "differs")


def test_one_split_can_contradict_but_never_confirm():
    assert single_split_verdict(0.07, 0.07, 4000, 0.01) == "cannot tell"
    assert single_split_verdict(0.034, 0.221, 4000, 0.01) == "differs"
    assert single_split_verdict(0.034, 0.221, 4, 0.01) == "cannot tell"
