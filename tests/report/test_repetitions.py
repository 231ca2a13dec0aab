"""Repeated cross-validation: what is compared with the printed mean of one."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up_records import errors
from scipy.stats import ttest_ind

from ensvm.data.splits import KFoldSplit, split_rows
from ensvm.report.query import Answer
from ensvm.report.verdict import repetitions_of
from ensvm.study.metrics import unit_of


def folds(values, k, left_out=(), protocol="kfold"):
    """Return the answer of these errors, one a realization, in percent."""
    split = {"protocol": protocol, "n_splits": k}
    records = {
        made.realization: replace(made, settings={"split": split})
        for made in errors("german", "a", values)
        if made.realization not in left_out
    }
    found = {number: made.metrics["error"] for number, made in records.items()}
    return Answer(found, unit_of("error"), records=records)


rates = st.floats(0.0, 1.0)


@given(st.integers(2, 5), st.integers(2, 5), st.data())
def test_the_sample_has_the_mean_and_the_number_of_the_repetitions(k, repetitions, data):
    values = data.draw(st.lists(rates, min_size=k * repetitions, max_size=k * repetitions))
    found = repetitions_of(folds(values, k))
    assert found is not None
    assert found.values.size == repetitions == round(1 / found.ours)
    assert found.values.mean() == pytest.approx(100 * np.mean(values))


@given(st.integers(2, 5), st.randoms(use_true_random=False))
def test_the_order_of_the_folds_of_a_repetition_does_not_matter(k, random):
    values = np.random.default_rng(0).uniform(size=(3, k))
    shuffled = [random.sample(list(line), k) for line in values]
    one, other = (repetitions_of(folds(np.ravel(each), k)) for each in (values, shuffled))
    assert one is not None
    assert other is not None
    assert other.values == pytest.approx(one.values)


def test_a_repetition_is_what_tests_each_row_once():
    split = KFoldSplit(protocol="kfold", n_splits=4)
    y = np.repeat([-1, 1], 11)
    parts = [split_rows(split, "some", number, y, None)[1] for number in range(1, 13)]
    wrong = [len(part) / len(y) for part in parts]  # as if every prediction were wrong
    found = repetitions_of(folds(wrong, 4))
    assert found is not None
    assert 4 * found.values == pytest.approx(100.0)


def test_incomplete_repetitions_are_left_out():
    values = np.random.default_rng(1).uniform(size=40)
    whole = repetitions_of(folds(values, 10))
    part = repetitions_of(folds(values, 10, left_out={13, 38}))
    assert whole is not None
    assert part is not None
    assert part.values == pytest.approx(whole.values[[0, 2]])


@pytest.mark.parametrize("n", [7, 10, 13])
def test_fewer_than_two_repetitions_are_their_folds_with_the_shared_rows_counted(n):
    values = np.random.default_rng(2).uniform(size=n)
    found = repetitions_of(folds(values, 10))
    assert found is not None
    assert found.values == pytest.approx(100 * values)
    # a fold's test rows over its training rows
    train, test = split_rows(
        KFoldSplit(protocol="kfold", n_splits=10), "some", 1, np.zeros(200), None
    )
    shared = len(test) / len(train)
    assert (found.ours - 1 / n, found.printed - 1 / 10) == pytest.approx((shared, shared))


def test_groups_left_out_one_by_one_are_the_folds_of_one_repetition():
    values = np.random.default_rng(4).uniform(size=7)
    left_out = folds(values, 7)
    for number, record in left_out.records.items():
        split = {"protocol": "leave-one-group-out", "realizations": 7}
        left_out.records[number] = replace(record, settings={"split": split})
    one, other = repetitions_of(left_out), repetitions_of(folds(values, 7))
    assert one is not None
    assert other is not None
    assert (one.ours, one.printed) == (other.ours, other.printed)
    assert one.values == pytest.approx(other.values)


def test_more_repetitions_leave_the_printed_mean_as_uncertain_as_it_is():
    """The interval of a mean against one more value of the same kind: that of a prediction."""
    means = np.random.default_rng(3).normal(20.0, 2.0, size=8)
    found = repetitions_of(folds(np.repeat(means, 3) / 100, 3))
    assert found is not None
    pooled = ttest_ind(means, [15.0], equal_var=True)
    deviation = found.values.std(ddof=1) * np.sqrt(found.ours + found.printed)
    assert (means.mean() - 15.0) / deviation == pytest.approx(pooled.statistic)
    assert found.values.size - 1 == pooled.df


def test_other_splits_have_no_repetitions():
    assert repetitions_of(folds([0.1, 0.2], 10, protocol="random")) is None
    assert repetitions_of(Answer({}, unit_of("error"))) is None
    assert (
        repetitions_of(Answer({1: 0.1}, unit_of("error"), records={1: errors("a", "b", [0.1])[0]}))
        is None
    )
