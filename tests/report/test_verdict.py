"""Ours against printed: intervals, verdicts, and what each cell's values are a sample of."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up_records import errors, make_study, record
from scipy.stats import t, ttest_ind
from worked_verdicts import RESULTS, holm_family, worked, worked_claim

from ensvm.data.splits import KFoldSplit, split_rows
from ensvm.records.record import Record
from ensvm.report.evidence import evidence_of
from ensvm.report.query import Answer, Question, read_study
from ensvm.report.tables import build_table, stale_notes
from ensvm.report.verdict import (
    Sample,
    of_drawn_rows,
    of_draws,
    of_same_rows,
    of_samples,
    of_spread,
    of_two_rates,
    repetitions_of,
)
from ensvm.report.write import write_tables


@given(st.floats(-20, 20), st.floats(0, 20), st.floats(0.01, 5))
def test_the_verdict_is_the_place_and_the_length_of_the_interval(difference, std, margin):
    found = of_spread(difference, std, 1 / 10, 10, margin, "realizations")
    within = -margin <= found.low and found.high <= margin
    beyond = found.low > margin or found.high < -margin
    if min(abs(abs(end) - margin) for end in (found.low, found.high)) < 1e-6:
        return  # rounding decides
    long = found.high - found.low > 4 * margin + 1e-6
    assert (found.verdict == "reproduced") == within
    assert (found.verdict == "differs") == beyond  # whatever its length
    if not within and not beyond:
        expected = "compatible" if found.low <= 0 <= found.high else "close"
        assert found.verdict == ("cannot tell" if long else expected)


def test_a_single_value_without_a_spread_tells_nothing():
    found = of_samples(Sample(24.0, None, 1), Sample(24.0, None, 100), 1.0)
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


def test_of_one_unknown_split_the_interval_covers_one_more_split_and_the_naive_one_does_not():
    """Print is one split, each of its ten runs near that split's value."""
    rng = np.random.default_rng(5)
    predictive = naive = 0
    for _ in range(2000):
        ours, split = rng.normal(7.0, 1.0, size=30), rng.normal(7.0, 1.0)
        of_ours = Sample(float(ours.mean()), float(ours.std(ddof=1)), 30)
        found = of_samples(of_ours, Sample(split, None, 1), 0.5, "one split in print")
        predictive += found.low <= 0.0 <= found.high
        found = of_samples(of_ours, Sample(split, 0.14, 10), 0.5)
        naive += found.low <= 0.0 <= found.high
    assert 0.935 <= predictive / 2000 <= 0.965
    assert naive / 2000 < 0.5


@pytest.mark.parametrize("n", [5, 39])
def test_the_range_of_draws_covers_one_more_as_often_as_it_says(n):
    rng = np.random.default_rng(n)
    covered = 0
    for _ in range(2000):
        draws, printed = rng.lognormal(1.0, 0.3, size=n), float(rng.lognormal(1.0, 0.3))
        found = of_draws(draws, float(draws.mean()), printed, 1.0)
        covered += found.low <= 0.0 <= found.high
    assert covered / 2000 == pytest.approx((n - 1) / (n + 1), abs=0.03)


def test_of_drawn_rows_the_interval_covers_another_draw_and_that_of_one_draw_does_not():
    """The rows move a mean by 1, and the splits of the same rows by 0.1."""
    rng = np.random.default_rng(7)
    predictive = naive = 0
    for _ in range(2000):
        rows = rng.normal(12.0, 1.0, size=12)
        printed, *means = rows + rng.normal(0.0, 0.1, size=12)
        found = of_drawn_rows(np.array(means), printed, 1.0)
        predictive += found.low <= 0.0 <= found.high
        of_splits = Sample(means[0], 1.0, 100), Sample(printed, 1.0, 100)
        found = of_samples(*of_splits, 1.0)
        naive += found.low <= 0.0 <= found.high
    assert 0.935 <= predictive / 2000 <= 0.965
    assert naive / 2000 < 0.5


def test_rows_drawn_again_are_in_the_interval_of_a_table(tmp_path):
    config = CONFIG.replace("- german", "- {name: german, drawn_again: [one, two]}").replace(
        "algorithms: {",
        "  - {name: one, card: german}\n  - {name: two, card: german}\nalgorithms: {",
    )
    records = [
        of_algorithm(line, protocol="random")
        for row, value in (("german", 0.12), ("one", 0.10), ("two", 0.14))
        for line in errors(row, "a", [value] * 5)
    ]
    found = cell(tmp_path, records, "german", config)
    half = t.ppf(0.975, 2) * 2.0 * np.sqrt(4 / 3)
    assert (found.interval_of, found.difference) == ("other rows in print", pytest.approx(2.0))
    assert found.difference_high == pytest.approx(2.0 + half)


@given(st.lists(st.floats(0, 100), min_size=2, max_size=9), st.floats(0, 100), st.floats(0.1, 5))
def test_a_chosen_value_does_not_judge_where_print_is_a_draw(draws, printed, margin):
    one, other = (of_draws(np.array(draws), ours, printed, margin) for ours in (0.0, 100.0))
    assert (one.verdict, one.low, one.high) == (other.verdict, other.low, other.high)
    assert other.value - one.value == pytest.approx(100.0)


def test_a_column_of_draws_is_judged_by_those_of_the_algorithm_it_names(tmp_path):
    config = CONFIG.replace("columns: [a, b]", "columns: [{name: a, draws: b}]")
    drawn = [of_algorithm(x, "None") for x in errors("astro", "b", [0.09, 0.11])]
    [line] = errors("astro", "a", [0.20])
    for folder, lines, verdict, basis in (
        ("with", drawn, "reproduced", "random draw in print"),
        ("without", drawn[:1], "cannot tell", "none"),
    ):
        found = cell(tmp_path / folder, [of_algorithm(line), *lines], "astro", config)
        assert (found.verdict, found.interval_of) == (verdict, basis)


@given(st.floats(0, 100), st.floats(0, 100), st.floats(0.1, 5))
def test_without_sampling_error_it_is_reproduced_or_differs(mean, printed, margin):
    found = of_same_rows(mean, printed, margin)
    assert found.low == found.high == found.value
    assert of_same_rows(printed, mean, margin).verdict == found.verdict
    if abs(abs(mean - printed) - margin) > 1e-6:
        assert found.verdict == ("reproduced" if abs(mean - printed) <= margin else "differs")


def test_a_difference_as_large_as_the_margin_is_within_it_whatever_the_last_bit():
    assert 16.1 - 15.1 > 1.0  # as floating point has it
    assert of_same_rows(16.1, 15.1, 1.0).verdict == "reproduced"


def test_two_rates_have_the_binomial_interval():
    assert of_two_rates(7.0, 7.0, 40_000, 1.0).verdict == "reproduced"
    assert of_two_rates(7.0, 7.0, 2000, 1.0).verdict == "compatible"
    assert of_two_rates(7.0, 7.0, 400, 1.0).verdict == "cannot tell"
    assert of_two_rates(3.4, 22.1, 4000, 1.0).verdict == "differs"
    assert of_two_rates(3.4, 22.1, 4, 1.0).verdict == "cannot tell"
    found = of_two_rates(10.0, 12.0, 1000, 1.0)
    half = 1.959964 * 100 * np.sqrt((0.1 * 0.9 + 0.12 * 0.88) / 1000)
    assert (found.low, found.high) == (pytest.approx(-2.0 - half), pytest.approx(-2.0 + half))


@pytest.mark.parametrize("rate", [0.03, 0.2])
def test_the_interval_of_two_rates_covers_equal_rates_as_often_as_it_says(rate):
    rng = np.random.default_rng(11)
    errors_of = 100 * rng.binomial(2000, rate, size=(2000, 2)) / 2000
    found = [of_two_rates(ours, printed, 2000, 1.0) for ours, printed in errors_of]
    covered = sum(one.low <= 0.0 <= one.high for one in found)
    assert 0.935 <= covered / 2000 <= 0.965


QUESTION = Question("german", "a", "error")


def folds(values, k, left_out=(), protocol="kfold"):
    """Return the answer of these errors, one a realization, in percent."""
    split = {"protocol": protocol, "n_splits": k}
    records = {
        made.realization: replace(made, settings={"split": split})
        for made in errors("german", "a", values)
        if made.realization not in left_out
    }
    found = {number: made.metrics["error"] for number, made in records.items()}
    return Answer(QUESTION, found, records=records)


rates = st.floats(0.0, 1.0)


@given(st.integers(2, 5), st.integers(2, 5), st.data())
def test_the_sample_has_the_mean_and_the_number_of_the_repetitions(k, repetitions, data):
    values = data.draw(st.lists(rates, min_size=k * repetitions, max_size=k * repetitions))
    found, share = repetitions_of(folds(values, k))
    assert found.size == repetitions
    assert share == pytest.approx(1 + 1 / repetitions)
    assert found.mean() == pytest.approx(100 * np.mean(values))


def test_a_repetition_is_what_tests_each_row_once():
    split = KFoldSplit(protocol="kfold", n_splits=4)
    y = np.repeat([-1, 1], 11)
    parts = [split_rows(split, "some", number, y, None)[1] for number in range(1, 13)]
    wrong = [len(part) / len(y) for part in parts]  # as if every prediction were wrong
    found, _ = repetitions_of(folds(wrong, 4))
    assert 4 * found == pytest.approx(100.0)


def test_incomplete_repetitions_are_left_out():
    values = np.random.default_rng(1).uniform(size=40)
    whole, _ = repetitions_of(folds(values, 10))
    part, _ = repetitions_of(folds(values, 10, left_out={13, 38}))
    assert part == pytest.approx(whole[[0, 2]])


@pytest.mark.parametrize("n", [7, 10, 13])
def test_fewer_than_two_repetitions_are_their_folds_with_the_shared_rows_counted(n):
    values = np.random.default_rng(2).uniform(size=n)
    found, share = repetitions_of(folds(values, 10))
    assert found == pytest.approx(100 * values)
    # a fold's test rows over its training rows
    train, test = split_rows(
        KFoldSplit(protocol="kfold", n_splits=10), "some", 1, np.zeros(200), None
    )
    shared = len(test) / len(train)
    assert share == pytest.approx(1 / n + 1 / 10 + 2 * shared)


def test_groups_left_out_one_by_one_are_the_folds_of_one_repetition():
    values = np.random.default_rng(4).uniform(size=7)
    left_out = folds(values, 7)
    for number, made in left_out.records.items():
        split = {"protocol": "leave-one-group-out", "realizations": 7}
        left_out.records[number] = replace(made, settings={"split": split})
    one, other = repetitions_of(left_out), repetitions_of(folds(values, 7))
    assert one[1] == other[1]
    assert one[0] == pytest.approx(other[0])


def test_more_repetitions_leave_the_printed_mean_as_uncertain_as_it_is():
    """The interval of a mean against one more value of the same kind: that of a prediction."""
    means = np.random.default_rng(3).normal(20.0, 2.0, size=8)
    found, share = repetitions_of(folds(np.repeat(means, 3) / 100, 3))
    pooled = ttest_ind(means, [15.0], equal_var=True)
    deviation = found.std(ddof=1) * np.sqrt(share)
    assert (means.mean() - 15.0) / deviation == pytest.approx(pooled.statistic)
    assert found.size - 1 == pooled.df


def test_other_splits_have_no_repetitions():
    assert repetitions_of(folds([0.1, 0.2], 10, protocol="random")) is None


CONFIG = """\
study: s
realizations: 20
published_realizations: 100
datasets:
  - {name: astro, same_rows: true}
  - german
  - {name: titanic, split: {protocol: kfold, n_splits: 5}}
algorithms: {a: {label: A, estimator: SVC}, b: {label: B, estimator: SVC}}
published: p.csv
tables:
  - id: 2
    caption: Errors.
    columns: [a, b]
    notes:
      - {explains: {a: [astro, german]}, text: because}
      - for all
"""
PRINTED = (
    "table,row,column,value,std\n2,astro,a,10.0,\n2,astro,b,10.0,\n"
    "2,german,a,10.0,\n2,german,b,10.0,\n2,titanic,a,10.0,\n"
)


def of_algorithm(line: Record, random_state="0", protocol="official", **more) -> Record:
    settings = {
        "algorithm": {"defaults": {"random_state": random_state}},
        "split": {"protocol": protocol, "n_train": 100, "n_test": 300, **more},
    }
    return replace(line, settings=settings)


def cell(tmp_path, records, row, config=CONFIG, printed=PRINTED):
    """Return the cell of a row and the algorithm a in the table."""
    study = make_study(tmp_path / "s", config, records, printed)
    cells = build_table(study, study.config.tables[0])
    return next(cell for cell in cells if (cell.row, cell.column) == (row, "a"))


@pytest.mark.parametrize(
    ("error", "verdict"), [(0.11, "reproduced"), (0.09, "reproduced"), (0.1101, "differs")]
)
def test_the_papers_own_rows_without_randomness_have_no_sampling_error(tmp_path, error, verdict):
    [line] = errors("astro", "a", [error])
    found = cell(tmp_path, [of_algorithm(line)], "astro")
    assert (found.verdict, found.interval_of) == (verdict, "same rows")
    assert found.difference == found.difference_low == found.difference_high


def test_the_papers_own_rows_with_randomness_are_a_sample_of_it(tmp_path):
    lines = errors("astro", "a", [0.100, 0.102, 0.104])
    found = cell(tmp_path, [of_algorithm(line, "None") for line in lines], "astro")
    assert (found.verdict, found.interval_of) == ("reproduced", "realizations")
    [line] = lines[:1]
    found = cell(tmp_path / "one", [of_algorithm(line, "None")], "astro")
    assert (found.verdict, found.interval_of) == ("cannot tell", "two rates")


def test_orders_of_one_split_are_the_sample_and_the_printed_value_one_of_them(tmp_path):
    values = np.linspace(0.05, 0.14, 10)
    [line] = errors("astro", "a", [values.mean()])
    line = replace(of_algorithm(line), by_order={"error": values.tolist()})
    found = cell(tmp_path, [line], "astro")
    spread = 100 * values.std(ddof=1)
    half = t.ppf(0.975, 9) * spread * np.sqrt(1.1)
    assert (found.orders, found.std_orders) == (10, pytest.approx(spread))
    assert found.interval_of == "orders"
    assert found.difference_high == pytest.approx(found.difference + half)
    assert half > 2.0
    assert found.verdict == "cannot tell"


@pytest.mark.parametrize("error", [0.10, 0.12, 0.30])
@pytest.mark.parametrize("bounds", [[0.0], [0.0, 0.0, 0.01], [0.0, 0.01], [0.01, 0.01]])
def test_what_rounding_decides_is_neither_a_success_nor_a_failure(tmp_path, bounds, error):
    lines = [
        replace(line, metrics={**line.metrics, "lower_bound_": bound})
        for line, bound in zip(errors("german", "a", [error] * len(bounds)), bounds, strict=True)
    ]
    config = CONFIG.replace("a: {label: A,", "a: {undetermined_at_zero: lower_bound_,")
    plain = cell(tmp_path / "plain", lines, "german")
    judged = cell(tmp_path / "judged", lines, "german", config)
    mostly = 2 * bounds.count(0.0) > len(bounds)
    assert judged == (replace(plain, verdict="undetermined") if mostly else plain)


@pytest.mark.parametrize(
    ("bounds", "verdict"), [([0.0], "undetermined"), ([], "undetermined"), ([1e-5], "differs")]
)
def test_another_algorithms_proof_says_whether_rounding_decides(tmp_path, bounds, verdict):
    lines = errors("astro", "a", [0.30], lower_bound_=0.0)
    for bound in bounds:
        lines += errors("astro", "exact", [0.25], lower_bound_=bound)
    config = CONFIG.replace(
        "a: {label: A,",
        "exact: {estimator: RhoSVC}, a: {label: A, undetermined_at_zero: lower_bound_ of exact,",
    )
    lines = [of_algorithm(line) for line in lines]
    assert cell(tmp_path, lines, "astro", config).verdict == verdict


def test_the_printed_mean_is_over_as_many_realizations_as_the_study_says(tmp_path):
    values = np.linspace(0.09, 0.13, 20)
    found = cell(tmp_path, [of_algorithm(x) for x in errors("german", "a", values)], "german")
    half = t.ppf(0.975, 19) * found.std * np.sqrt(1 / 20 + 1 / 100)
    assert found.interval_of == "realizations"
    assert found.difference_low == pytest.approx(found.difference - half)


def test_where_print_is_one_unknown_split_its_spread_does_not_count(tmp_path):
    values = np.linspace(0.09, 0.13, 20)
    lines = [of_algorithm(x) for x in errors("german", "a", values)]
    config = CONFIG.replace("- german", "- {name: german, published_split: one-unknown}")
    printed = PRINTED.replace("german,a,10.0,", "german,a,12.45,0.1")
    found = cell(tmp_path, lines, "german", config, printed)
    half = t.ppf(0.975, 19) * found.std * np.sqrt(1 + 1 / 20)
    assert found.interval_of == "one split in print"
    assert found.difference_low == pytest.approx(found.difference - half)
    study = read_study(tmp_path / "s")
    shown = evidence_of(study, study.config.tables[0], found).facts
    assert shown["our splits at or beyond print"] == f"{np.sum(values >= 0.1245)} of 20"


def test_a_printed_mean_of_realizations_has_one_order_each(tmp_path):
    rng = np.random.default_rng(0)
    values = 0.10 + 0.02 * rng.normal(size=(20, 1)) + 0.05 * rng.normal(size=(20, 10))
    lines = [
        replace(of_algorithm(line), by_order={"error": row.tolist()})
        for line, row in zip(errors("german", "a", values.mean(axis=1)), values, strict=True)
    ]
    found = cell(tmp_path, lines, "german")
    total = Sample(10.0, 100 * float(values.std(ddof=1)), 100)
    welch = of_samples(Sample(found.mean, found.std, 20), total, 1.0)
    assert found.std_orders == pytest.approx(100 * np.sqrt(values.var(axis=1, ddof=1).mean()))
    assert found.difference_high == pytest.approx(welch.high)


def test_repetitions_of_a_cross_validation_are_the_sample(tmp_path):
    values = np.repeat([0.10, 0.11, 0.12, 0.11], 5) + np.tile([-0.04, -0.02, 0.0, 0.02, 0.04], 4)
    lines = [
        of_algorithm(line, protocol="kfold", n_splits=5) for line in errors("titanic", "a", values)
    ]
    found = cell(tmp_path, lines, "titanic")
    means = 100 * values.reshape(4, 5).mean(axis=1)
    half = t.ppf(0.975, 3) * means.std(ddof=1) * np.sqrt(1 / 4 + 1)
    assert found.interval_of == "repetitions"
    assert found.difference_high == pytest.approx(found.difference + half)


def test_a_note_stands_with_the_cells_it_explains_and_only_those(tmp_path):
    lines = [of_algorithm(line) for line in errors("astro", "a", [0.3])]
    lines += [of_algorithm(line) for line in errors("german", "a", [0.1, 0.1])]
    study = make_study(tmp_path / "s", CONFIG, lines, PRINTED)
    [(text, _)] = write_tables(study, "md")
    assert "- ≠ A on astro: because" in text
    assert "- for all" in text
    stale = stale_notes(study.config, study.folder)
    assert len(stale) == 1
    assert "'differs' of a on german" in stale[0]
    assert "'reproduced'" in stale[0]


def test_the_legend_says_what_is_shown_and_nothing_else(tmp_path):
    lines = [of_algorithm(line) for line in errors("astro", "a", [0.10])]
    lines += [of_algorithm(line) for line in errors("german", "a", [0.1, 0.2])]
    lines += [replace(record("german", 1, "b", error=0.1, n_test=300), warnings=("slow",))]
    study = make_study(tmp_path / "s", CONFIG, lines, PRINTED)
    [(text, _)] = write_tables(study, "md")
    assert "astro: the paper's own training and test rows" in text
    assert "Welch" in text
    assert "cross-validation" not in text
    assert "orders" not in text
    assert "`ensvm status --warnings`" in text
    assert "reproduced" in text


@pytest.mark.slow
def test_committed_intervals_are_those_worked_out_by_hand():
    values = worked()
    for one in values:
        ends = one.committed.difference_low, one.committed.difference_high
        assert (one.low, one.high) == pytest.approx(ends, abs=1e-9), one.formula
    assert len({one.committed.interval_of for one in values}) == len(values)
    _, low, high, line = worked_claim()
    assert (low, high) == pytest.approx((line.low, line.high), abs=1e-9)
    committed = pd.read_csv(RESULTS / "nips99" / "claims.csv", index_col=["claim", "row"])
    for row, p_value, _, p_adjusted in holm_family():
        line = committed.loc["pbvm-better-than-bvm", row]
        assert (line.p_fails, line.p_fails_adjusted) == pytest.approx((p_value, p_adjusted))
