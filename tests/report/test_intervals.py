"""One engine of uncertainty: signs, claims, underlined values and ranks have the same intervals."""

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up_records import claimed, errors, make_study, record, settings_of
from scipy.stats import t, ttest_1samp, ttest_rel

from ensvm.report.claim_tests import ONE_SIDED_LEVEL
from ensvm.report.claims import ClaimComparison, adjusted, evaluate_claims
from ensvm.report.documents.table_legend import more_values
from ensvm.report.evidence import evidence_of
from ensvm.report.intervals import Comparison
from ensvm.report.query import Query, ask
from ensvm.report.randomness import n_tested
from ensvm.report.ranking import compare_on_data_set
from ensvm.report.statistical_tests import (
    MeanEstimate,
    chance_below,
    difference_of_rates,
    holm,
    holm_levels,
    rate_of,
    ratio_of,
)
from ensvm.report.tables import build_table, underlined
from ensvm.report.verdict import repetitions_to_decide
from ensvm.report.write import write_tables
from ensvm.study.printed import Published

CONFIG = """\
study: s
realizations: 20
datasets:
  - {name: german, split: {protocol: SPLIT}}
algorithms: {a: {label: A, estimator: SVC}, b: {label: B, estimator: SVC}}
published: p.csv
tables:
  - {id: 2, caption: Errors., metric: METRIC, columns: [a, b], underline: {a: [b]}}
claims:
  - {id: c, text: t, metric: METRIC, left: a, right: b, relation: less, rows: [german]}
"""
ONE = {"protocol": "random", "n_train": 40, "n_test": 20}
FOLDS = {"protocol": "kfold", "n_splits": 10, "stratified": False}


def study_of(folder, values, printed="german,a,0", split=ONE, metric="error", n_test=20, more=""):
    """Return a study of the algorithms a and b with these values, one a realization."""
    lines = [
        replace(
            record("german", number, name, n_test=n_test, **{metric: float(value)}),
            settings=settings_of(split=split),
        )
        for name, of_name in values.items()
        for number, value in enumerate(of_name, start=1)
    ]
    written = ", ".join(f"{key}: {value}" for key, value in split.items()).lower()
    config = CONFIG.replace("SPLIT", written.removeprefix("protocol: "))
    config = config.replace("METRIC", metric) + more
    printed += "," * (3 - printed.count(","))
    return make_study(folder, config, lines, f"table,row,column,value,std\n2,{printed}\n")


def first_cell(study):
    return build_table(study, study.config.table("2"))[0]


@pytest.mark.parametrize(("ours", "theirs"), [(0, 0), (0, 3), (20, 20), (5, 7)])
def test_a_pair_of_rates_has_one_interval_wherever_it_stands(tmp_path, ours, theirs):
    """0 of 20 against 0 of 20 was ±0.05 in a table and ±12 in a claim."""
    rates = {"a": [ours / 20], "b": [theirs / 20]}
    study = study_of(tmp_path, rates, f"german,a,{5 * theirs}")
    cell, rounded = first_cell(study), 0.5
    found = difference_of_rates(5.0 * ours, 5.0 * theirs, 20, 100.0).interval(0.05)
    assert (cell.difference_low + rounded, cell.difference_high - rounded) == pytest.approx(found)
    assert found[1] - found[0] > 15.0
    ((judged,),) = [one.comparisons for one in evaluate_claims(study)]
    assert (judged.low, judged.high) == (judged.new_low, judged.new_high) == pytest.approx(found)
    (pair,) = compare_on_data_set(study, study.config.table("2"), "german").pairs.itertuples()
    sign = 1 if pair.first == "a" else -1
    assert sorted((sign * pair.low, sign * pair.high)) == pytest.approx(found)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_equal_rates_do_not_show_that_nothing_varies(tmp_path, n):
    study = study_of(tmp_path, {"a": [0.1] * n, "b": [0.1] * n}, "german,a,10")
    cell = first_cell(study)
    assert cell.interval_of == "test rows"
    assert cell.difference_high > 5.0
    ((judged,),) = [one.comparisons for one in evaluate_claims(study)]
    assert (judged.basis, judged.verdict) == ("test rows", "cannot tell")
    assert judged.low < 0.0 < judged.high


def test_on_the_papers_own_rows_equal_rates_show_that_orders_do_not_matter(tmp_path):
    config = DRAWN.replace("{name: german,", "{name: german, same_rows: true,")
    [line] = errors("german", "a", [0.1])
    line = replace(line, by_order={"error": [0.1] * 5})
    study = make_study(tmp_path, config, [line], "table,row,column,value,std\n2,german,a,10.0,\n")
    cell = first_cell(study)
    assert (cell.interval_of, cell.verdict) == ("one more of ours", "within the margin")


@pytest.mark.parametrize("k", [0, 1, 10, 20])
def test_a_single_rate_covers_its_chance_and_has_a_width(k):
    low, high = rate_of(k / 20, 20).interval(0.05)
    assert low < k / 20 < high or k in (0, 20)
    assert high - low > 0.1
    rng = np.random.default_rng(k)
    estimates = [rate_of(x / 20, 20).interval(0.05) for x in rng.binomial(20, 0.1, size=2000)]
    assert np.mean([low <= 0.1 <= high for low, high in estimates]) > 0.93


SIZES = np.array([20.0, 22, 24, 26, 28, 30, 32, 34, 36, 38])


@pytest.mark.parametrize(
    ("printed", "key", "m", "of_print"),
    [
        ("30", "", 10, None),  # one cross-validation of ten folds
        ("30", "published_realizations: 100\n", 100, None),
        ("30 ± 4", "", 10, 4.0),
    ],
)
def test_a_printed_mean_of_folds_is_not_one_fold(tmp_path, printed, key, m, of_print):
    """One cross-validation of ours leaves no repetition, and print is a mean of folds, too."""
    value, _, std = printed.partition(" ± ")
    sizes = {"a": SIZES, "b": SIZES}
    study = study_of(tmp_path, sizes, f"german,a,{value},{std}", FOLDS, "size", more=key)
    cell, s = first_cell(study), SIZES.std(ddof=1)
    squares = s**2 / 10, (of_print or s) ** 2 / m
    freedom = 9 if of_print is None else sum(squares) ** 2 / sum(q**2 / 9 for q in squares)
    half = t.ppf(0.975, freedom) * math.sqrt(sum(squares)) + 0.5
    assert cell.interval_of == "means"
    assert (cell.difference_low, cell.difference_high) == pytest.approx((-1 - half, -1 + half))


def test_a_printed_deviation_counts_in_repeated_cross_validations_too(tmp_path):
    folds = np.concatenate([SIZES, SIZES + 1, SIZES - 1])
    found = []
    for name, printed in (("with", "30,1"), ("wide", "30,8"), ("without", "30,")):
        sizes = {"a": folds, "b": folds}
        study = study_of(tmp_path / name, sizes, f"german,a,{printed}", FOLDS, "size")
        cell = first_cell(study)
        found.append(cell.difference_high - cell.difference_low)
    assert len({round(width, 6) for width in found}) == 3
    assert found[0] < found[1]


REPEATED = [np.roll([0.05, 0.15] * 5 + [0.1] * of, of)[:10] for of in range(5)]
# What ours and print are, as the rows of a table of a page have it: errors, metric, print, key.
OF_FOLDS = {
    ("two repetitions or more", "one repetition, without a deviation"): (REPEATED, "error", "12,"),
    ("two repetitions or more", "several repetitions, or a deviation"): (REPEATED, "error", "12,3"),
    ("one repetition, its error rate", "without a deviation"): (REPEATED[:1], "error", "12,"),
    ("one repetition", "with a deviation, or no error rate"): (REPEATED[:1], "error", "12,3"),
}


@pytest.mark.parametrize("case", OF_FOLDS)
def test_a_page_says_what_d_is_computed_from_in_a_cross_validation(tmp_path, case):
    page = Path(__file__).parents[2] / "docs/understand/signs-and-claims.md"
    lines = [line.strip("| ").split(" | ") for line in page.read_text().splitlines()]
    (said,) = [line[2].partition(":")[0] for line in lines if tuple(line[:2]) == case]
    values, metric, printed = OF_FOLDS[case]
    folds = np.concatenate(values)
    study = study_of(tmp_path, {"a": folds, "b": folds}, f"german,a,{printed}", FOLDS, metric)
    assert first_cell(study).interval_of == said


def test_what_decides_a_wide_interval_is_said_where_it_can_be_repeated(tmp_path):
    official = {"protocol": "official", "n_train": 40, "n_test": 20}
    decided = dict[str, str]()
    for name, split, errs in (
        ("drawn", ONE, [0.10]),
        ("drawn often", ONE, [0.05, 0.1, 0.15, 0.1]),
        ("given", official, [0.10]),
    ):
        study = study_of(tmp_path / name, {"a": errs, "b": errs}, "german,a,14.0", split)
        study = replace(
            study, config=study.config.model_copy(update={"published_realizations": 99})
        )
        table, cell = study.config.table("2"), first_cell(study)
        assert cell.why == "wide"
        decided[name] = evidence_of(study, table, cell).compared["to decide"]
    assert decided["drawn"].startswith("about ")
    assert decided["drawn often"].startswith("about ")
    assert "rows are given" in decided["given"]


def test_more_repetitions_are_not_said_to_be_useless_if_one_shows_nothing_of_them(tmp_path):
    wrong = np.tile([0.05, 0.15], 5)
    study = study_of(tmp_path, {"a": wrong, "b": wrong}, "german,a,12.0", FOLDS)
    table = study.config.table("2")
    cells = build_table(study, table)
    assert cells[0].why == "wide"
    assert "one cross-validation does not show how repetitions vary" in more_values(
        study, table, cells
    )
    assert "`repeats: 2`" in evidence_of(study, table, cells[0]).compared["to decide"]
    each_row = Comparison(100.0 * (np.arange(50) < 6), Published(12.0), n_test=50, n_folds=50)
    assert repetitions_to_decide(each_row, 1.0) is None
    spread = {"a": 2 * SIZES - 29}
    sizes = study_of(tmp_path / "sizes", spread, "german,a,29.0", FOLDS, "size")
    table = sizes.config.table("2")
    cells = build_table(sizes, table)
    (number,) = re.findall(
        r"would decide the .*: german: A (\d+)\.$", more_values(sizes, table, cells)
    )
    said = evidence_of(sizes, table, cells[0]).compared["to decide"]
    assert f"about {number} repetitions" in said


DRAWN = CONFIG.replace("SPLIT", "random, n_train: 40, n_test: 20").replace("METRIC", "error")
AGAIN = DRAWN.replace("{name: german,", "{name: german, drawn_again: [again],").replace(
    "algorithms:", "  - {name: again, card: german}\nalgorithms:", 1
)
DRAWS = DRAWN.replace("columns: [a, b]", "columns: [{name: a, draws: b}, b]")


@pytest.mark.parametrize(
    ("config", "split"), [(AGAIN, ONE), (DRAWS, ONE), (DRAWN, FOLDS), (DRAWN, ONE)]
)
def test_value_difference_and_interval_are_of_one_quantity(tmp_path, config, split):
    """With data or settings drawn again, with folds left over, and without either."""
    rng = np.random.default_rng(3)
    lines = [
        replace(one, settings=settings_of(split=split))
        for row, name, n in (("german", "a", 25), ("german", "b", 25), ("again", "a", 9))
        for one in errors(row, name, rng.uniform(0.2, 0.3, size=n))
    ]
    printed = "table,row,column,value,std\n2,german,a,24.0,\n"
    study = make_study(tmp_path, config, lines, printed)
    table = study.config.table("2")
    cell = first_cell(study)
    assert cell.difference == pytest.approx(cell.mean - 24.0)
    middle = (cell.difference_low + cell.difference_high) / 2
    assert middle == pytest.approx(cell.difference)
    shown = evidence_of(study, table, cell)
    assert f"{abs(cell.difference):.2g} points" in shown.sentence
    assert f"Ours {cell.mean:.4g} %" in shown.sentence
    frame = write_tables(study, "csv")
    assert f",{cell.mean!r}," in next(iter(frame))[0]


def correlated(tmp_path):
    """Return a study of two algorithms on ten folds, whose paired differences nearly decide."""
    b = np.random.default_rng(1).uniform(0.2, 0.3, size=10)
    a = b - 0.0098 + 0.02 * np.linspace(-1.0, 1.0, 10)
    return study_of(tmp_path, {"a": a, "b": b}, split=FOLDS), a, b


def test_folds_are_not_independent_where_values_are_underlined(tmp_path):
    study, a, b = correlated(tmp_path)
    table = study.config.table("2")
    assert ttest_rel(a, b, alternative="less").pvalue < 0.05
    corrected = t.cdf((a - b).mean() / ((a - b).std(ddof=1) * math.sqrt(1 / 10 + 1 / 9)), 9)
    assert corrected > 0.05
    assert underlined(study, table, build_table(study, table)) == set()
    (pair,) = compare_on_data_set(study, table, "german").pairs.itertuples()
    assert pair.p == pytest.approx(2 * corrected)
    ((judged,),) = [one.comparisons for one in evaluate_claims(study)]
    assert judged.new_p_holds == pytest.approx(corrected)


p_values = st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=6)


@given(p_values, st.booleans())
def test_an_interval_excludes_the_threshold_exactly_if_the_row_is_decided(p_holds, of_all):
    blank = ClaimComparison("c", 1, "less", "difference", "error", 0.0, "")
    rows = []
    for p in p_holds:
        distances = np.linspace(-9, 9, 20_001)
        below = np.array([chance_below(each, 9) for each in distances[::2000]])
        at = float(np.interp(p, below, distances[::2000]))
        estimate = MeanEstimate(at, 1.0, 9)
        p_low = chance_below(estimate.distance(0.0), 9)
        rows.append(replace(blank, p_holds=p_low, p_fails=1 - p_low, estimate=estimate))
    for one in adjusted(rows, of_all):
        assert (one.verdict == "holds") == (one.high < 0.0)
        assert (one.verdict == "fails") == (one.low > 0.0)


@given(st.lists(st.one_of(st.none(), st.floats(0.0, 1.0)), max_size=8))
def test_levels_say_what_holms_p_values_say(p_values):
    adjusted_p = holm(p_values)
    levels = holm_levels(p_values, ONE_SIDED_LEVEL)
    for p, p_holm, level in zip(p_values, adjusted_p, levels, strict=True):
        assert p is None or (p <= level) == (p_holm <= ONE_SIDED_LEVEL)


RATIO = (
    "- {id: 1, text: t, metric: n_errors, left: a, right: b, relation: at-least, of: ratio, "
    "factor: 2, rows: [german]}"
)


def ratio(folder, a, b, keys=RATIO):
    """Return the comparison of a ratio of these values."""
    lines = [
        record("german", number, name, n_errors=float(value))
        for name, values in (("a", a), ("b", b))
        for number, value in enumerate(values, start=1)
    ]
    ((judged,),) = [one.comparisons for one in evaluate_claims(claimed(folder, keys, lines))]
    return judged


def test_a_ratio_is_that_of_the_means_beside_it(tmp_path):
    rng = np.random.default_rng(5)
    a, b = rng.uniform(0.05, 0.1, size=8), rng.uniform(0.1, 0.4, size=8)
    found = ratio(tmp_path / "s", a, b)
    assert found.effect == pytest.approx(found.right_mean / found.left_mean)
    assert found.low < found.effect < found.high
    # Fieller: at its ends the mean of b - ratio * a is just not significantly different from 0
    for end in (found.low, found.high):
        assert ttest_1samp(b - end * a, 0.0).pvalue == pytest.approx(0.05, rel=1e-6)
    p = ttest_1samp(b - 2 * a, 0.0, alternative="greater").pvalue
    assert found.p_holds == pytest.approx(p)


@pytest.mark.parametrize("zero", ["a", "b"])
def test_one_realization_without_error_does_not_remove_a_ratio(tmp_path, zero):
    values = {"a": np.full(6, 0.1), "b": np.linspace(0.3, 0.5, 6)}
    values[zero][0] = 0.0
    found = ratio(tmp_path / "s", values["a"], values["b"])
    assert found.verdict is not None
    assert found.effect == pytest.approx(values["b"].mean() / values["a"].mean())
    nothing = ratio(tmp_path / "none", np.zeros(6), values["b"])
    assert (nothing.verdict, nothing.reason) == (
        None,
        "n_errors is not positive everywhere, so there is no ratio",
    )


def test_fiellers_interval_covers_the_ratio_and_is_open_if_the_divisor_may_be_0():
    rng = np.random.default_rng(0)
    inside = 0
    for _ in range(2000):
        common = rng.normal(scale=0.5, size=12)
        below, above = 2 + common + rng.normal(size=12), 6 + common + rng.normal(size=12)
        low, high = ratio_of(above, below).interval(0.05)
        inside += low <= 3.0 <= high
    assert inside / 2000 == pytest.approx(0.95, abs=0.015)
    low, high = ratio_of(np.array([5.0, 6.0, 7.0]), np.array([0.1, 2.0, 0.0])).interval(0.05)
    assert 0.0 <= low < 6.0 / 0.7 < high == math.inf


def test_rows_tested_are_counted_once(tmp_path):
    study = study_of(tmp_path, {"a": np.tile([0.1, 0.2], 20)}, split=FOLDS)
    result = ask(study, Query("german", "a", "error"))
    assert n_tested(result) == 10 * 20  # four repetitions of ten folds of 20 rows
    assert n_tested(result.over([1])) == 20
    assert n_tested(replace(result, query=replace(result.query, stage=3))) == 0


@pytest.mark.parametrize("n", [1, 9, 10, 11, 19, 20, 25, 39])
def test_no_more_rows_are_tested_than_there_are(tmp_path, n):
    """Of 19 realizations in folds of ten the last nine test the same rows again."""
    study = study_of(tmp_path, {"a": np.tile([0.1, 0.2], 20)}, split=FOLDS)
    result = ask(study, Query("german", "a", "error")).over(range(1, n + 1))
    assert n_tested(result) == 20 * min(n, 10)
    later = result.over(range(6, n + 1))  # both repetitions may lack folds
    assert n_tested(later) <= 20 * min(len(later.values), 10)


def test_the_legend_says_whose_degrees_of_freedom_welchs_are(tmp_path):
    study = study_of(tmp_path, {"a": SIZES}, "german,a,30", FOLDS, "size")
    text = next(iter(write_tables(study, "md")))[0]
    assert "ours stands for it, with our n − 1 degrees of freedom" in text
