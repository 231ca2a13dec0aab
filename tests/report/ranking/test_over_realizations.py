"""The corrected resampled t test on one data set: laws, other packages, what is not tested."""

import io
import math
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from made_up_records import errors, make_study, record
from scipy.stats import ttest_rel

from ensvm.report.ranking.over_realizations import compare_over_realizations, corrected_t
from ensvm.report.ranking.render import comparisons_to_markdown
from ensvm.report.ranking.selection import NotRanked
from ensvm.report.ranking.write import write_comparisons

CONFIG = """\
study: s
realizations: 10
datasets: [german, titanic]
algorithms:
  a: {label: "A, the first", estimator: RhoSVC}
  b: {estimator: RhoSVC}
  c: {estimator: RhoSVC}
  oracle: {estimator: SVMPathClassifier, stage: best-on-test}
tables:
  - {id: 1, caption: Errors., columns: [a, b, c, oracle]}
"""
RNG = np.random.default_rng(3)
VALUES = {name: RNG.normal(0.3, 0.02, size=10) for name in "abc"}
RANDOM = {"protocol": "random", "n_train": 700, "n_test": 300}
DISJOINT = {"protocol": "disjoint", "n_train": 700, "n_test": 300, "rows": 1000}


def lines(split, values=VALUES):
    """Return the records of algorithms whose realizations are those of a split."""
    return [
        replace(one, settings={"split": split})
        for name, of_name in values.items()
        for one in errors("german", name, of_name)
    ]


def compared(folder, records, row="german", **options):
    study = make_study(folder, CONFIG, records)
    return compare_over_realizations(study, study.config.tables[0], row, **options)


def test_of_independent_realizations_it_is_the_paired_t_test(tmp_path):
    for pair in compared(tmp_path, lines(DISJOINT)).pairs:
        expected = ttest_rel(VALUES[pair.first], VALUES[pair.second])
        interval = expected.confidence_interval(0.95)
        assert pair.overlap == 0.0
        assert (pair.t, pair.p) == pytest.approx((expected.statistic, expected.pvalue))
        assert (pair.low, pair.high) == pytest.approx((100 * interval.low, 100 * interval.high))


def test_shared_rows_widen_the_interval_by_what_nadeau_and_bengio_say(tmp_path):
    plain = compared(tmp_path / "one", lines(DISJOINT)).pairs
    corrected = compared(tmp_path / "two", lines(RANDOM)).pairs
    for before, after in zip(plain, corrected, strict=True):
        factor = math.sqrt((1 / 10 + 300 / 700) / (1 / 10))
        assert after.overlap == pytest.approx(300 / 700)
        assert after.difference == before.difference
        assert before.t / after.t == pytest.approx(factor)
        assert (after.high - after.low) / (before.high - before.low) == pytest.approx(factor)


def test_the_interval_excludes_0_where_the_p_value_is_below_alpha():
    for shift, alpha in [(0.0, 0.05), (0.9, 0.05), (0.9, 0.2), (2.0, 0.01)]:
        differences = np.random.default_rng(1).normal(shift, 1.0, size=12)
        low, high, _, p = corrected_t(differences, 0.25, alpha)
        assert (p < alpha) == (low > 0 or high < 0)


@pytest.mark.slow
def test_baycomp_finds_the_same():
    baycomp = pytest.importorskip(
        "baycomp", reason="baycomp is not installed: nothing to compare with"
    )
    one, two = VALUES["a"], VALUES["b"]  # two runs of five folds, say
    left, right = baycomp.CorrelatedTTest.probs(one, two, runs=2)
    *_, p = corrected_t(one - two, 1 / 4, 0.05)
    assert p == pytest.approx(2 * min(left, right))


def test_pairs_are_compared_over_the_realizations_that_both_have(tmp_path):
    fewer = VALUES | {"b": VALUES["b"][:4]}
    pairs = compared(tmp_path, lines(DISJOINT, fewer)).pairs
    assert [pair.n for pair in pairs] == [4, 10, 4]
    assert pairs[0].first_mean == pytest.approx(100 * VALUES["a"][:4].mean())
    assert pairs[0].t == pytest.approx(ttest_rel(VALUES["a"][:4], VALUES["b"][:4]).statistic)


def test_p_values_are_adjusted_for_the_number_of_pairs(tmp_path):
    pairs = compared(tmp_path, lines(RANDOM)).pairs
    smallest = min(pairs, key=lambda pair: pair.p)
    assert smallest.p_holm == pytest.approx(min(1.0, 3 * smallest.p))
    assert all(pair.p <= pair.p_holm <= 1.0 for pair in pairs)


def test_a_difference_without_spread_is_not_tested(tmp_path):
    found = compared(tmp_path, lines(RANDOM, VALUES | {"b": VALUES["a"] + 0.01}))
    assert found.pairs[0].p is None
    assert found.pairs[0].difference == pytest.approx(-1.0)
    assert "same in all realizations" in found.pairs[0].reason
    assert all(pair.p is not None for pair in found.pairs[1:])


def test_a_single_realization_is_not_tested(tmp_path):
    with pytest.raises(NotRanked, match="german: there is nothing to test: a single realization"):
        compared(tmp_path, lines(RANDOM, {name: VALUES[name][:1] for name in "abc"}))


def test_algorithms_that_share_no_realization_are_not_tested(tmp_path):
    records = lines(RANDOM, {"a": VALUES["a"][:5], "b": VALUES["b"][:5]})
    records += [
        replace(record("german", number, "c", error=0.1 * number), settings={"split": RANDOM})
        for number in (6, 7)
    ]
    found = compared(tmp_path, records)
    assert [pair.reason for pair in found.pairs] == ["", *["they share no realization"] * 2]


def test_what_is_left_out_is_said(tmp_path):
    records = [*lines(RANDOM), record("german", 11, "b", status="timeout", reason="too slow")]
    records += errors("german", "oracle", VALUES["a"])
    found = compared(tmp_path, records)
    assert set(found.labels) == {"a", "c"}
    told = "\n".join(found.chosen.left_out)
    assert re.search("oracle: .*test error", told)
    assert re.search("b: incomplete: .*too slow", told)


def test_a_data_set_that_the_table_lacks_is_refused(tmp_path):
    with pytest.raises(
        NotRanked, match=r"no data set 'germn'; accepted: german, titanic.*'german'"
    ):
        compared(tmp_path, lines(RANDOM), "germn")


def test_a_data_set_without_values_is_refused_with_the_reasons(tmp_path):
    with pytest.raises(NotRanked, match=r"no algorithms are left .*not run yet"):
        compared(tmp_path, lines(RANDOM), "titanic")


def test_the_files_hold_what_was_found(tmp_path):
    facts = [record("german", 1, "data", n_train=700, n_test=300)]
    study = make_study(tmp_path, CONFIG, lines(RANDOM) + facts)
    found = compare_over_realizations(study, study.config.tables[0], "german")
    text, paths = write_comparisons(study, found)
    assert [path.name for path in paths] == ["rank-1-on-german.csv", "rank-1-on-german.md"]
    assert paths[1].read_text() == text == comparisons_to_markdown(study, found)
    assert "n_train = 700, n_test = 300" in text
    assert "A, the first" in text
    data = pd.read_csv(io.BytesIO(paths[0].read_bytes()))
    assert data["p"].tolist() == pytest.approx([pair.p for pair in found.pairs])
    assert data["overlap"].unique().tolist() == pytest.approx([300 / 700])
