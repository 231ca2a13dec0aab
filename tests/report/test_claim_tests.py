"""What interval decides: laws of the judgement, and planted effects to find or not to claim."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from ensvm.report.claim_tests import (
    ONE_SIDED_LEVEL,
    judge_all,
    judge_each,
    judge_range,
    judge_rejection,
    judge_sample,
    judge_scope,
    judge_varied,
)
from ensvm.report.intervals import Varied
from ensvm.report.statistical_tests import (
    MeanEstimate,
    Sample,
    difference_of_rates,
    less_by_welch,
    sample,
)
from ensvm.study.relations import EFFECTS, RELATIONS, Bound

BELOW_ZERO = Bound(0.0, 0.0, strict=True)
AT_MOST_ONE = Bound(1.0, 0.0)
numbers = st.floats(-100, 100)


def judge_rates(one, other, n_test, *bounds):
    """Judge the difference of two error rates of one split."""
    return judge_varied(Varied(one - other, difference_of_rates(one, other, n_test), ""), *bounds)


def judge_exact(effect, *bounds):
    """Judge an effect that nothing varies."""
    return judge_varied(Varied(effect, MeanEstimate(effect, 0.0), ""), *bounds)


N = 2000  # samples; a share of 2.5 % has a standard error of 0.35 %


@given(st.lists(numbers, min_size=2, max_size=20), numbers)
def test_a_claim_and_its_contrary_never_both_hold_or_both_fail(effects, threshold):
    claim = judge_sample(effects, Bound(threshold, threshold)).verdict
    contrary = judge_sample(
        [-effect for effect in effects], Bound(-threshold, -threshold, strict=True)
    ).verdict
    assert {"holds": "fails", "fails": "holds", "cannot tell": "cannot tell"}[claim] == contrary


@given(st.lists(numbers, min_size=2, max_size=20), numbers, numbers)
def test_a_laxer_threshold_never_turns_holds_into_anything_else(effects, one, other):
    strict, lax = sorted((one, other))
    if judge_sample(effects, Bound(strict, strict)).verdict == "holds":
        assert judge_sample(effects, Bound(lax, lax)).verdict == "holds"


@pytest.mark.parametrize("shift", [-1.0, 0.0, 0.5])
def test_the_interval_and_the_p_values_are_those_of_the_paired_t_test(shift):
    better, than = np.random.default_rng(1).normal(size=(2, 12))
    better = better + shift
    found = judge_sample(better - than, BELOW_ZERO)
    interval = ttest_rel(better, than).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), rel=1e-12)
    assert found.p_holds == pytest.approx(ttest_rel(better, than, alternative="less").pvalue)
    assert found.p_fails == pytest.approx(ttest_rel(better, than, alternative="greater").pvalue)


@given(st.lists(numbers, min_size=2, max_size=20), numbers, st.floats(0, 2))
def test_the_p_values_decide_as_the_interval_does(effects, threshold, overlap):
    found = judge_sample(effects, Bound(threshold, threshold), overlap=overlap)
    assert 0.0 <= found.p_holds <= 1.0
    assert 0.0 <= found.p_fails <= 1.0
    # where rounding does not decide
    tiny = 1e-9 * (1.0 + abs(threshold) + found.high - found.low)
    if found.high < threshold - tiny:
        assert found.p_holds <= ONE_SIDED_LEVEL
    elif found.high > threshold + tiny:
        assert found.p_holds > ONE_SIDED_LEVEL
    if found.low > threshold + tiny:
        assert found.p_fails <= ONE_SIDED_LEVEL
    elif found.low < threshold - tiny:
        assert found.p_fails > ONE_SIDED_LEVEL


def test_within_holds_by_two_one_sided_tests_and_fails_by_either():
    effects = 0.3 + np.random.default_rng(0).normal(size=12)
    both = Bound(1.0, 0.0), Bound(-1.0, 0.0, above=True)
    sides = [judge_sample(effects, bound) for bound in both]
    found = judge_sample(effects, *both)
    assert found.p_holds == max(side.p_holds for side in sides)
    assert found.p_fails == min(side.p_fails for side in sides)


def test_realizations_that_share_rows_are_not_taken_for_independent():
    # ten realizations, each the mean of a part common to all and of one of its own
    draw = np.random.default_rng(0).normal
    overlap = 1 / 9
    share = overlap / (1 + overlap)
    samples = math.sqrt(share) * draw(size=(N, 1)) + math.sqrt(1 - share) * draw(size=(N, 10))
    naive = [judge_sample(sample, BELOW_ZERO).verdict for sample in samples]
    found = [judge_sample(sample, BELOW_ZERO, overlap=overlap).verdict for sample in samples]
    assert naive.count("holds") / N > 0.06
    assert 0.015 < found.count("holds") / N < 0.035


@pytest.mark.parametrize(
    ("value", "strict", "lax"),
    [(-0.1, "holds", "holds"), (0.0, "fails", "holds"), (0.1, "fails", "fails")],
)
@pytest.mark.parametrize("n", [2, 3, 7])
def test_equal_effects_are_exact(value, strict, lax, n):
    evidence = judge_sample([value] * n, BELOW_ZERO)
    assert evidence.low == evidence.effect == evidence.high == value
    assert evidence.verdict == strict
    assert judge_sample([value] * n, Bound(0.0, 0.0)).verdict == lax


@pytest.mark.parametrize(
    ("effect", "verdict"),
    [(-1.0, "holds"), (0.0, "holds"), (0.5, "cannot tell"), (1.0, "cannot tell"), (1.1, "fails")],
)
def test_a_single_value_decides_only_beyond_threshold_and_equality(effect, verdict):
    evidence = judge_sample([effect], AT_MOST_ONE)
    assert (evidence.verdict, evidence.low, evidence.high) == (verdict, None, None)


def test_one_split_is_judged_by_the_binomial_interval():
    assert judge_rates(0.034, 0.221, 4000, BELOW_ZERO).verdict == "holds"
    assert judge_rates(0.221, 0.034, 4000, BELOW_ZERO).verdict == "fails"
    assert judge_rates(0.100, 0.101, 4000, BELOW_ZERO).verdict == "cannot tell"
    assert judge_rates(0.100, 0.101, 40000, Bound(0.01, 0.0)).verdict == "holds"
    evidence = judge_rates(0.1, 0.3, 200, BELOW_ZERO)
    # Agresti & Caffo by hand: 21/202 and 61/202
    half = 1.959964 * math.sqrt((21 * 181 + 61 * 141) / 202**3)
    assert evidence.low == pytest.approx(-40 / 202 - half, abs=1e-6)
    assert evidence.high == pytest.approx(-40 / 202 + half, abs=1e-6)
    assert evidence.effect == pytest.approx(-0.2)


@given(st.integers(1, 5000), st.floats(0, 1), st.floats(0, 1))
def test_one_split_never_has_an_interval_of_no_width(n_test, better, than):
    evidence = judge_rates(better, than, n_test, BELOW_ZERO)
    assert evidence.low < evidence.high


@pytest.mark.parametrize("rate", [0.05, 0.3])
def test_the_interval_of_one_split_covers_as_often_as_it_says(rate):
    rng = np.random.default_rng(3)
    rates = rng.binomial(500, [rate, 2 * rate], size=(N, 2)) / 500
    found = [judge_rates(better, than, 500, BELOW_ZERO) for better, than in rates]
    covered = sum(one.low <= -rate <= one.high for one in found)
    assert covered / N == pytest.approx(0.95, abs=0.02)


def test_runs_on_one_split_say_nothing_of_other_splits():
    # ten runs of two methods that are equally good over splits, but not on each split
    rng = np.random.default_rng(0)
    n = 600  # such a test takes a millisecond
    runs = rng.normal(size=(n, 2, 10))
    alike = sum(less_by_welch(*map(sample, both)) for both in runs)
    assert alike / n == pytest.approx(0.05, abs=0.02)
    shifted = runs + rng.normal(size=(n, 2, 1))
    differing = sum(less_by_welch(*map(sample, both)) for both in shifted)
    assert differing / n > 0.2
    one, two = Sample(1.0, 0.0, 2), Sample(2.0, 0.0, 2)
    assert less_by_welch(one, two)
    assert not less_by_welch(two, two)


def test_without_any_difference_one_row_in_twenty_is_rejected():
    rng = np.random.default_rng(7)
    bound = RELATIONS["not-significant"].bounds(EFFECTS["difference"], 0.0)
    found = [judge_rejection(judge_sample(rng.normal(size=10), *bound)) for _ in range(1000)]
    rejected = sum(one.verdict == "fails" for one in found)
    assert rejected / 1000 == pytest.approx(0.05, abs=0.02)
    assert {one.p_holds for one in found} == {None}
    assert judge_rejection(judge_sample([1.0], *bound)).verdict == "cannot tell"


@pytest.mark.parametrize(
    ("effects", "worst", "verdict"),
    [([-1.0, -2.0], -1.0, "holds"), ([-1.0, 0.0], 0.0, "fails"), ([0.5, -9.0], 0.5, "fails")],
)
def test_each_realization_must_keep_to_the_bound(effects, worst, verdict):
    found = judge_each(effects, BELOW_ZERO)
    assert (found.effect, found.verdict) == (worst, verdict)
    assert found.low is found.high is found.p_holds is found.p_fails is None
    above = judge_each([-effect for effect in effects], Bound(0.0, 0.0, strict=True, above=True))
    assert (above.effect, above.verdict) == (-worst, verdict)


@given(
    st.lists(st.sampled_from(["holds", "fails", "cannot tell", None]), max_size=8),
    st.integers(1, 8),
)
def test_a_number_holds_if_so_many_do_and_fails_if_it_cannot_be_reached(verdicts, number):
    """What is not known may come out either way, so neither verdict can change."""
    found = judge_scope(verdicts, number)
    n_holds, n_fails = verdicts.count("holds"), verdicts.count("fails")
    assert (found == "holds") == (n_holds >= number)
    if number <= len(verdicts):
        assert (found == "fails") == (len(verdicts) - n_fails < number)
    else:
        assert found == "cannot tell"


@given(st.lists(st.sampled_from(["holds", "fails", "cannot tell"]), max_size=8))
def test_all_is_as_many_as_there_are(verdicts):
    if verdicts:
        assert judge_all(verdicts) == judge_scope(verdicts, len(verdicts))
    assert judge_all(verdicts) == judge_scope(verdicts, "all")
    # a sentence about all is open if it was tested on some
    on_some = judge_scope([*verdicts, None], "all")
    assert on_some == ("fails" if "fails" in verdicts else "cannot tell")
    assert judge_all([]) == "cannot tell"


@given(numbers, st.floats(0, 5), numbers, st.booleans())
def test_a_rounded_number_decides_only_if_all_that_round_to_it_agree(value, half, limit, above):
    low, high = value - half, value + half
    bound = Bound(limit, limit, above=above)
    inside = [low + share * (high - low) for share in (0.01, 0.5, 0.99)]
    verdicts = {"holds" if bound.kept_by(each) else "fails" for each in inside}
    found = judge_range(low, high, bound)
    if found != "cannot tell" and low < limit < high:
        raise AssertionError("a threshold inside decides nothing")
    if found != "cannot tell" and half > 1e-6:
        assert verdicts == {found}


def test_what_is_exact_has_no_width():
    found = judge_exact(-1.0, BELOW_ZERO)
    assert (found.low, found.effect, found.high, found.verdict) == (-1.0, -1.0, -1.0, "holds")
    single = judge_exact(0.5, AT_MOST_ONE)
    assert (single.verdict, single.low) == ("holds", 0.5)
    at_least_two = Bound(2.0, 1.0, above=True)
    assert judge_exact(2.0, at_least_two).verdict == judge_exact(2.0, Bound(2.0, 1.0)).verdict
    assert judge_exact(0.1 + 0.2, Bound(0.3, 0.0)).verdict == "holds"
