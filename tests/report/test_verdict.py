"""Verdicts: inside the margin, outside it, or not to be told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    # scipy.stats.ttest_ind_from_stats gives the same interval: here its half width is 0.5606
    ours, published = Sample(10.0, 2.0, 100), Sample(9.0, 2.0, 100)
    assert verdict(ours, published, 1.0 + 0.562) == "reproduced"
    assert verdict(ours, published, 1.0 + 0.553) == "cannot tell"
    assert verdict(ours, published, 1.0 - 0.562) == "differs"


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
