"""Verdicts: what the 95 % interval of ours minus printed makes of the margin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t, ttest_ind

from ensvm.report.verdict import Sample, of_same_rows, of_samples, of_two_rates


def test_the_four_verdicts_are_places_of_the_interval():
    published = Sample(24.0, None, 100)  # with ours: an interval of ±0.56 about the difference
    for difference, expected in (
        (0.2, "reproduced"),
        (-0.4, "reproduced"),
        (0.5, "compatible"),
        (-0.5, "compatible"),
        (0.9, "close"),
        (-1.4, "close"),
        (1.6, "differs"),
        (-4.0, "differs"),
    ):
        found = of_samples(Sample(24.0 + difference, 2.0, 100), published, 1.0)
        assert found.verdict == expected, difference
        assert found.value == pytest.approx(difference)
        assert found.high - found.low == pytest.approx(2 * 0.5612, abs=1e-3)


@pytest.mark.parametrize("n", [0, 1])
def test_a_single_value_without_a_spread_tells_nothing(n):
    found = of_samples(Sample(24.0, None, n), Sample(24.0, None, 100), 1.0)
    assert (found.verdict, found.low, found.high) == ("cannot tell", None, None)


def test_the_interval_is_welchs_where_both_spreads_are_known():
    rng = np.random.default_rng(0)
    samples = rng.normal(12.0, 2.0, size=30), rng.normal(9.0, 1.0, size=12)
    ours, published = (
        Sample(float(values.mean()), float(values.std(ddof=1)), values.size) for values in samples
    )
    low, high = ttest_ind(*samples, equal_var=False).confidence_interval(0.95)
    assert 0.0 < low < high
    found = of_samples(ours, published, 1.0)
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))
    for margin, expected in (
        (high + 1e-6, "reproduced"),
        (high - 1e-6, "close"),
        (low + 1e-6, "close"),
        (low - 1e-6, "differs"),
    ):
        assert of_samples(ours, published, margin).verdict == expected


def test_one_printed_value_beside_ours_has_the_interval_of_a_prediction():
    """A single new draw lies within mean ± t s sqrt(1 + 1/n), the textbook's interval."""
    found = of_samples(Sample(20.0, 3.0, 10), Sample(18.0, None, 1), 1.0)
    half = t.ppf(0.975, 9) * 3.0 * np.sqrt(1 + 1 / 10)
    assert (found.low, found.high) == (pytest.approx(2.0 - half), pytest.approx(2.0 + half))


def test_the_intervals_cover_the_true_difference_as_often_as_they_say():
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(2000):
        ours, printed = rng.normal(5.0, 2.0, size=10), rng.normal(5.0, 2.0, size=1)
        sample = Sample(float(ours.mean()), float(ours.std(ddof=1)), 10)
        found = of_samples(sample, Sample(float(printed[0]), None, 1), 1.0)
        covered += found.low <= 0.0 <= found.high
    assert 0.935 <= covered / 2000 <= 0.965


def test_a_printed_spread_is_used():
    ours = Sample(24.5, 1.0, 100)
    assert of_samples(ours, Sample(24.0, 1.0, 100), 1.0).verdict == "reproduced"
    assert of_samples(ours, Sample(24.0, 9.0, 100), 1.0).verdict == "compatible"


@given(
    st.floats(0, 100),
    st.floats(0.01, 20),
    st.integers(2, 200),
    st.floats(0, 100),
    st.floats(0.1, 5),
)
def test_the_sign_of_the_difference_does_not_matter(mean, std, n, printed, margin):
    def verdict(a, b):
        return of_samples(Sample(a, std, n), Sample(b, std, n), margin).verdict

    assert verdict(mean, printed) == verdict(printed, mean)


@given(st.floats(0, 100), st.floats(0, 100), st.floats(0.1, 5))
def test_without_sampling_error_it_is_reproduced_or_differs(mean, printed, margin):
    found = of_same_rows(mean, printed, margin)
    assert found.low == found.high == found.value
    if abs(abs(mean - printed) - margin) > 1e-6:
        assert found.verdict == ("reproduced" if abs(mean - printed) <= margin else "differs")


def test_a_difference_as_large_as_the_margin_is_within_it_whatever_the_last_bit():
    assert 16.1 - 15.1 > 1.0  # as floating point has it
    assert of_same_rows(16.1, 15.1, 1.0).verdict == "reproduced"


def test_two_rates_have_the_binomial_interval():
    assert of_two_rates(7.0, 7.0, 40_000, 1.0).verdict == "reproduced"
    assert of_two_rates(7.0, 7.0, 400, 1.0).verdict == "compatible"
    assert of_two_rates(3.4, 22.1, 4000, 1.0).verdict == "differs"
    assert of_two_rates(3.4, 22.1, 4, 1.0).verdict == "compatible"
    found = of_two_rates(10.0, 12.0, 1000, 1.0)
    half = 1.959964 * 100 * np.sqrt((0.1 * 0.9 + 0.12 * 0.88) / 1000)
    assert (found.low, found.high) == (pytest.approx(-2.0 - half), pytest.approx(-2.0 + half))
