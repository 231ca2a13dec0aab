"""What interval decides: laws of the judgement, and planted effects to find or not to claim."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from ensvm.report.claims.statistics import (
    judge_all,
    judge_most,
    judge_sample,
    judge_single_split,
)
from ensvm.study.relations import Bound

BELOW_ZERO = Bound(0.0, 0.0, strict=True)
AT_MOST_ONE = Bound(1.0, 0.0)
numbers = st.floats(-100, 100)


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


@pytest.mark.parametrize("shift", [-1.0, -0.5, 0.0, 0.5, 1.0])
def test_the_interval_is_that_of_the_paired_t_test(shift):
    better, than = np.random.default_rng(1).normal(size=(2, 12))
    evidence = judge_sample(better - than + shift, BELOW_ZERO)
    low, high = ttest_rel(better + shift, than).confidence_interval(0.95)
    assert (evidence.low, evidence.high) == (
        pytest.approx(low, rel=1e-12),
        pytest.approx(high, rel=1e-12),
    )
    assert evidence.n == 12


def test_no_effect_is_claimed_in_at_most_about_one_case_of_twenty():
    samples = np.random.default_rng(0).normal(size=(2000, 10))
    verdicts = [judge_sample(sample, BELOW_ZERO).verdict for sample in samples]
    assert 0.015 < verdicts.count("holds") / 2000 < 0.035
    assert 0.015 < verdicts.count("fails") / 2000 < 0.035


def test_a_planted_effect_is_found():
    noise = np.random.default_rng(0).normal(size=20)
    assert judge_sample(noise - 2.0, BELOW_ZERO).verdict == "holds"
    assert judge_sample(noise + 2.0, BELOW_ZERO).verdict == "fails"
    assert judge_sample(noise, AT_MOST_ONE).verdict == "holds"
    assert judge_sample(noise + 1.0, AT_MOST_ONE).verdict == "cannot tell"


def test_two_realizations_know_little():
    assert judge_sample([-1.0, -2.0], BELOW_ZERO).verdict == "cannot tell"


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
    assert (evidence.verdict, evidence.n, evidence.low, evidence.high) == (verdict, 1, None, None)


@pytest.mark.parametrize(
    ("speedup", "verdict"), [(2.0, "holds"), (3.0, "holds"), (1.5, "cannot tell"), (0.9, "fails")]
)
def test_a_single_ratio(speedup, verdict):
    assert judge_sample([-math.log(speedup)], Bound(-math.log(2.0), 0.0)).verdict == verdict


def test_no_effects_are_refused():
    with pytest.raises(ValueError, match="no effects"):
        judge_sample([], BELOW_ZERO)


def test_one_split_is_judged_by_the_binomial_interval():
    assert judge_single_split(0.034, 0.221, 4000, BELOW_ZERO).verdict == "holds"
    assert judge_single_split(0.221, 0.034, 4000, BELOW_ZERO).verdict == "fails"
    assert judge_single_split(0.100, 0.101, 4000, BELOW_ZERO).verdict == "cannot tell"
    assert judge_single_split(0.100, 0.101, 40000, Bound(0.01, 0.0)).verdict == "holds"
    evidence = judge_single_split(0.1, 0.3, 200, BELOW_ZERO)
    # Agresti & Caffo by hand: 21/202 and 61/202
    half = 1.959964 * math.sqrt((21 * 181 + 61 * 141) / 202**3)
    assert evidence.low == pytest.approx(-40 / 202 - half, abs=1e-6)
    assert evidence.high == pytest.approx(-40 / 202 + half, abs=1e-6)
    assert evidence.effect == pytest.approx(-0.2)


@given(st.integers(1, 5000), st.floats(0, 1), st.floats(0, 1))
def test_one_split_never_has_an_interval_of_no_width(n_test, better, than):
    evidence = judge_single_split(better, than, n_test, BELOW_ZERO)
    assert evidence.low < evidence.high
    assert evidence.n == 1


@pytest.mark.parametrize(
    ("verdicts", "verdict"),
    [
        (["holds", "holds"], "holds"),
        (["holds", "cannot tell"], "cannot tell"),
        (["holds", "cannot tell", "fails"], "fails"),
        ([], "cannot tell"),
    ],
)
def test_a_claim_holds_when_all_rows_do_and_fails_when_one_does(verdicts, verdict):
    assert judge_all(verdicts) == verdict


@pytest.mark.parametrize(
    ("holds", "fails", "neither", "verdict"),
    [
        (3, 2, 0, "holds"),
        (2, 2, 0, "fails"),
        (2, 1, 1, "cannot tell"),
        (2, 0, 2, "cannot tell"),
        (0, 0, 0, "cannot tell"),
    ],
)
def test_most_asks_for_more_than_half(holds, fails, neither, verdict):
    assert judge_most(["holds"] * holds + ["fails"] * fails + ["cannot tell"] * neither) == verdict
