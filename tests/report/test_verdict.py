"""Ours against printed: the rule, the four bases of its interval, and what each cell rests on."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up_records import errors, invoke, make_study, record, settings_of
from scipy.stats import t, ttest_ind
from worked_verdicts import worked

from ensvm.data.splits import KFoldSplit, split_rows
from ensvm.records.record import Record
from ensvm.report.documents.document import verdict_counts
from ensvm.report.intervals import BASES, Comparison, Varied
from ensvm.report.query import Query, QueryResult
from ensvm.report.randomness import by_repetition
from ensvm.report.statistical_tests import MeanEstimate
from ensvm.report.tables import build_table, stale_notes
from ensvm.report.verdict import judge, repetitions_to_decide, verdict_on
from ensvm.report.write import write_tables
from ensvm.study.printed import Published, half_unit


@given(st.floats(-20, 20), st.floats(0, 20), st.floats(0.01, 5))
def test_the_verdict_is_where_the_interval_lies(centre, half, margin):
    low, high = centre - half, centre + half
    ends = [abs(abs(end) - many * margin) for end in (low, high) for many in (1, 3)]
    if min(ends) < 1e-6:
        return  # rounding decides
    found = verdict_on(low, high, margin)
    assert (found == "within the margin") == (-margin <= low and high <= margin)
    assert (found == "differs") == (low > margin or high < -margin)
    within_three = -3 * margin <= low and high <= 3 * margin
    assert (found == "cannot tell") == (
        found not in ("within the margin", "differs") and not within_three
    )
    assert verdict_on(-high, -low, margin) == found


def test_a_difference_as_large_as_the_margin_is_within_it_whatever_the_last_bit():
    assert 16.1 - 15.1 > 1.0  # as floating point has it
    assert verdict_on(16.1 - 15.1, 16.1 - 15.1, 1.0) == "within the margin"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("24.7", 0.05), ("468", 0.5), ("0.038", 0.0005), ("7.0", 0.05), ("-1.50", 0.005)],
)
def test_half_a_unit_of_the_last_printed_digit_is_that_of_the_text(text, expected):
    assert half_unit(text) == pytest.approx(expected)


@given(st.floats(0, 100), st.integers(0, 2), st.floats(0.01, 5))
def test_what_print_has_rounded_to_the_same_text_is_never_different(true, decimals, margin):
    text = f"{true:.{decimals}f}"
    printed = Published(float(text), None, half_unit(text))
    found = judge(Comparison(np.array([true]), printed, fixed=True), margin)
    assert found.low <= 1e-9
    assert found.high >= -1e-9
    assert found.verdict != "differs"
    assert found.high - found.low == pytest.approx(2 * half_unit(text))


@pytest.mark.parametrize(
    ("printed", "expected"), [("24.7", "differs"), ("25", "close"), ("24.60", "differs")]
)
def test_the_rounding_of_print_decides_between_different_and_close(printed, expected):
    """Ours is 25.75, the margin half a point: `25` may have been 25.4."""
    value = Published(float(printed), None, half_unit(printed))
    found = judge(Comparison(np.array([25.75]), value, fixed=True), 0.5)
    assert found.verdict == expected


def interval(values, printed, **more):
    """Return the deviation of some values from a printed one that is not rounded."""
    published = Published(printed, more.pop("std", None))
    return judge(Comparison(np.array(values, dtype=float), published, **more), 1.0)


def covered(draw, times=2000):
    """Return how often intervals contain 0, of deviations that `draw` makes from a generator."""
    rng = np.random.default_rng(5)
    found = [draw(rng) for _ in range(times)]
    return sum(one.low <= 0.0 <= one.high for one in found) / times


def test_an_exact_interval_has_no_width():
    found = interval([24.0], 25.0, fixed=True)
    assert (found.low, found.high, found.verdict) == (-1.0, -1.0, "within the margin")
    assert found.basis == "exact"


@pytest.mark.parametrize("n", [3, 30])
def test_one_more_of_ours_is_covered_as_often_as_the_interval_says(n):
    """Splits, repetitions, orders and draws: print is one of them, whatever spread it has."""

    def draw(rng):
        values = rng.normal(7.0, 1.0, size=n)
        return interval(values, rng.normal(7.0, 1.0), like_print=values, std=0.14, n_printed=10)

    assert covered(draw) == pytest.approx(0.95, abs=0.015)


@pytest.mark.parametrize("rate", [0.03, 0.2])
def test_rates_on_test_rows_are_covered_as_often_as_the_interval_says(rate):
    def draw(rng):
        ours, printed = 100 * rng.binomial(2000, rate, size=2) / 2000
        return interval([ours], printed, n_test=2000)

    assert covered(draw) == pytest.approx(0.95, abs=0.015)


@pytest.mark.parametrize("n_printed", [1, 10, 100])
@pytest.mark.parametrize("with_std", [True, False])
def test_means_are_covered_as_often_as_the_interval_says(n_printed, with_std):
    def draw(rng):
        runs = rng.normal(12.0, 2.0, size=n_printed)
        std = float(runs.std(ddof=1)) if with_std and n_printed > 1 else None
        ours = rng.normal(12.0, 2.0, size=20)
        return interval(ours, float(runs.mean()), std=std, n_printed=n_printed)

    assert covered(draw) == pytest.approx(0.95, abs=0.015)


def test_the_interval_of_means_is_welchs_if_both_spreads_are_known():
    rng = np.random.default_rng(0)
    ours, published = rng.normal(12.0, 2.0, size=30), rng.normal(9.0, 1.0, size=12)
    low, high = ttest_ind(ours, published, equal_var=False).confidence_interval(0.95)
    found = interval(ours, published.mean(), std=published.std(ddof=1), n_printed=12)
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))


@pytest.mark.parametrize("more", [{"n_printed": 100}, {"std": 1.0, "n_printed": 1000}])
def test_with_as_many_values_as_it_takes_verdicts_are_given(more):
    """Counted for made-up values whose mean and spread are exact, and then tried on drawn ones."""
    exact = 12.0 + 3.0 * np.array([-1.0, 0.0, 1.0])
    published = Published(12.4, more.pop("std", None))
    n = repetitions_to_decide(Comparison(exact, published, **more), 1.0)
    rng = np.random.default_rng(0)

    def decided(size):
        drawn = (Comparison(rng.normal(12, 3, size), published, **more) for _ in range(400))
        return np.mean([judge(one, 1.0).verdict != "cannot tell" for one in drawn])

    assert 5 < n < 50
    assert decided(n // 3) < 0.35 < decided(n) < 0.9 < decided(3 * n)


def test_a_single_rate_is_decided_by_repetitions_with_its_binomial_spread():
    once = Comparison(np.array([20.0]), Published(20.5, None), n_test=400, n_printed=30)
    n = repetitions_to_decide(once, 1.0)
    spread = np.sqrt(20 * 80 / 400)
    as_wide = [judge(replace(once, values=of, n_test=0), 1.0) for of in spread_out(20.0, spread, n)]
    assert [one.verdict == "cannot tell" for one in as_wide] == [True, False]


def spread_out(mean, spread, n):
    """Return n - 1 and n values with exactly this mean and standard deviation."""
    shapes = [np.arange(size, dtype=float) for size in (n - 1, n)]
    return [mean + spread * (of - of.mean()) / of.std(ddof=1) for of in shapes]


def test_values_do_not_decide_what_print_leaves_open():
    printed = Published(12.0, 5.0)
    ours = np.array([11.0, 12.0, 13.0])
    assert repetitions_to_decide(Comparison(ours, printed, n_printed=3), 1.0) is None
    assert (
        repetitions_to_decide(Comparison(ours, printed, like_print=12 + 5 * (ours - 12)), 1.0)
        is None
    )
    assert repetitions_to_decide(Comparison(ours[:1], printed), 1.0) is None
    each_row_left_out = 100.0 * (np.arange(50) < 6)
    once = Comparison(each_row_left_out, replace(printed, std=None), n_test=50)
    assert repetitions_to_decide(once, 1.0) is None


def test_a_single_value_without_test_rows_has_no_interval():
    found = interval([24.0], 24.0)
    assert (found.verdict, found.why, found.low) == ("cannot tell", "none", None)


def test_the_first_basis_that_applies_is_taken():
    values = np.array([1.0, 2.0])
    pair = Varied(1.5, MeanEstimate(1.5, 0.5), "")
    every = Comparison(values, Published(1.0), values, fixed=True, n_test=5, n_folds=2, paired=pair)
    assert [basis.name for basis in BASES if basis.applies(every)] == [
        basis.name for basis in BASES
    ]
    assert judge(every, 1.0).basis == "exact"
    assert judge(replace(every, fixed=False), 1.0).basis == "two columns"
    every = replace(every, fixed=False, paired=None)
    assert judge(every, 1.0).basis == "one more of ours"
    assert judge(replace(every, like_print=values[:1]), 1.0).basis == "test rows"
    assert judge(replace(every, like_print=None, n_test=0), 1.0).basis == "means"


QUESTION = Query("german", "a", "error")


def folds(values, k, left_out=(), protocol="kfold"):
    """Return the result of these errors, one a realization, in percent."""
    key = "n_splits" if protocol == "kfold" else "realizations"
    split = {"protocol": protocol, key: k}
    records = {
        made.realization: replace(made, settings=settings_of(split=split))
        for made in errors("german", "a", values)
        if made.realization not in left_out
    }
    found = {number: made.metrics["error"] for number, made in records.items()}
    return QueryResult(QUESTION, found, records=records)


def means_of(result):
    """Return the mean of each complete repetition, two or more."""
    return by_repetition(result, result.shown())


rates = st.floats(0.0, 1.0)


@given(st.integers(2, 5), st.integers(2, 5), st.data())
def test_the_repetitions_are_the_means_of_their_folds(k, repetitions, data):
    values = data.draw(st.lists(rates, min_size=k * repetitions, max_size=k * repetitions))
    found = means_of(folds(values, k))
    assert found.size == repetitions
    assert found.mean() == pytest.approx(100 * np.mean(values))


def test_a_repetition_is_what_tests_each_row_once():
    split = KFoldSplit(protocol="kfold", n_splits=4)
    y = np.repeat([-1, 1], 11)
    parts = [split_rows(split, "some", number, y, None)[1] for number in range(1, 13)]
    wrong = [len(part) / len(y) for part in parts]  # as if every prediction were wrong
    assert 4 * means_of(folds(wrong, 4)) == pytest.approx(100.0)


def test_incomplete_repetitions_are_left_out():
    values = np.random.default_rng(1).uniform(size=40)
    whole = means_of(folds(values, 10))
    part = means_of(folds(values, 10, left_out={13, 38}))
    assert part == pytest.approx(whole[[0, 2]])


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


def of_algorithm(line: Record, random_state=None, protocol="official", **more) -> Record:
    """Return a record with settings; by default the algorithm has no `random_state`."""
    states = {} if random_state is None else {"random_state": random_state}
    split = {"protocol": protocol, "n_train": 100, "n_test": 300, **more}
    settings = settings_of(algorithm={"estimator": "RhoSVC", "defaults": states}, split=split)
    return replace(line, settings=settings)


def cell(tmp_path, records, row, config=CONFIG, printed=PRINTED):
    """Return the cell of a row and the algorithm a in the table."""
    study = make_study(tmp_path / "s", config, records, printed)
    cells = build_table(study, study.config.tables[0])
    return next(cell for cell in cells if (cell.row, cell.column) == (row, "a"))


@pytest.mark.parametrize(
    ("error", "verdict"),
    [(0.109, "within the margin"), (0.091, "within the margin"), (0.1106, "differs")],
)
def test_the_papers_own_rows_without_randomness_have_no_sampling_error(tmp_path, error, verdict):
    [line] = errors("astro", "a", [error])
    found = cell(tmp_path, [of_algorithm(line)], "astro")
    assert (found.verdict, found.interval_of) == (verdict, "exact")
    assert found.difference_high - found.difference_low == pytest.approx(0.1)  # of "10.0"


@pytest.mark.parametrize("random_state", ["0", "None"])
def test_a_fixed_seed_is_one_random_draw(tmp_path, random_state):
    [line] = errors("astro", "a", [0.10])
    found = cell(tmp_path, [of_algorithm(line, random_state)], "astro")
    assert (found.verdict, found.why, found.interval_of) == ("cannot tell", "wide", "test rows")


@pytest.mark.parametrize(
    ("drawn", "key", "basis"),
    [
        (False, "", "exact"),
        (True, "", "test rows"),
        (True, "deterministic: true, ", "exact"),
        (False, "deterministic: false, ", "test rows"),
    ],
)
def test_what_the_run_found_out_counts_unless_the_config_says_otherwise(
    tmp_path, drawn, key, basis
):
    [line] = errors("astro", "a", [0.10])
    config = CONFIG.replace("a: {label: A,", f"a: {{{key}label: A,")
    found = cell(tmp_path, [replace(of_algorithm(line, "None"), draws=drawn)], "astro", config)
    assert found.interval_of == basis


def test_a_search_by_cross_validation_is_not_exact(tmp_path):
    [line] = errors("astro", "a", [0.10])
    searched = replace(of_algorithm(line, "None"), draws=False, stage={"C": 1.0})
    assert cell(tmp_path, [searched], "astro").interval_of == "test rows"


def test_what_the_first_realization_found_out_holds_for_all(tmp_path):
    first, *others = (of_algorithm(x, "None") for x in errors("astro", "a", [0.1, 0.1, 0.1]))
    found = cell(tmp_path, [replace(first, draws=False), *others], "astro")
    assert found.interval_of == "exact"


def test_the_papers_own_rows_with_randomness_are_a_sample_of_it(tmp_path):
    lines = errors("astro", "a", [0.100, 0.102, 0.104])
    found = cell(tmp_path, [of_algorithm(line, "None") for line in lines], "astro")
    assert (found.verdict, found.interval_of) == ("within the margin", "means")


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
    half = t.ppf(0.975, 2) * 2.0 * np.sqrt(4 / 3) + 0.05
    assert (found.interval_of, found.difference) == ("one more of ours", pytest.approx(2.0))
    assert found.difference_high == pytest.approx(2.0 + half)


def test_a_printed_random_draw_is_one_more_of_those_of_the_algorithm_that_draws(tmp_path):
    config = CONFIG.replace("columns: [a, b]", "columns: [{name: a, draws: b}]")
    drawn = [of_algorithm(x, "None") for x in errors("astro", "b", [0.099, 0.100, 0.101])]
    [line] = errors("astro", "a", [0.20])
    found = cell(tmp_path, [of_algorithm(line), *drawn], "astro", config)
    half = t.ppf(0.975, 2) * 0.1 * np.sqrt(4 / 3) + 0.05
    assert (found.verdict, found.interval_of) == ("within the margin", "one more of ours")
    assert (found.mean, found.n, found.difference) == pytest.approx((10.0, 3, 0.0))
    assert found.difference_high == pytest.approx(half)
    few = cell(tmp_path / "few", [of_algorithm(line), drawn[0]], "astro", config)
    assert few.interval_of == "test rows"


def test_orders_of_one_split_are_the_sample_and_the_printed_value_one_of_them(tmp_path):
    values = np.linspace(0.05, 0.14, 10)
    [line] = errors("astro", "a", [values.mean()])
    line = replace(of_algorithm(line), by_order={"error": values.tolist()})
    found = cell(tmp_path, [line], "astro")
    spread = 100 * values.std(ddof=1)
    half = t.ppf(0.975, 9) * spread * np.sqrt(1.1) + 0.05
    assert (found.orders, found.std_orders) == (10, pytest.approx(spread))
    assert found.interval_of == "one more of ours"
    assert found.difference_high == pytest.approx(found.difference + half)
    assert (found.verdict, found.why) == ("cannot tell", "wide")


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
    assert judged == (replace(plain, verdict="cannot tell", why="rounding") if mostly else plain)


@pytest.mark.parametrize(("bounds", "why"), [([0.0], "rounding"), ([], "rounding"), ([1e-5], "")])
def test_another_algorithms_proof_says_whether_rounding_decides(tmp_path, bounds, why):
    lines = errors("astro", "a", [0.30], lower_bound_=0.0)
    for bound in bounds:
        lines += errors("astro", "exact", [0.25], lower_bound_=bound)
    config = CONFIG.replace(
        "a: {label: A,",
        "exact: {estimator: RhoSVC}, "
        "a: {label: A, undetermined_at_zero: {number: lower_bound_, of: exact},",
    )
    lines = [of_algorithm(line) for line in lines]
    assert cell(tmp_path, lines, "astro", config).why == why


@pytest.mark.parametrize("error", [0.10, 0.30])
def test_a_row_that_print_ran_in_another_way_is_not_judged_and_the_table_says_why(tmp_path, error):
    config = CONFIG.replace("- german", "- {name: german, other_protocol: 300 rows to train}")
    found = cell(tmp_path, errors("german", "a", [error] * 3), "german", config)
    assert (found.verdict, found.why) == ("cannot tell", "protocol")
    study = make_study(tmp_path / "t", config, errors("german", "a", [error] * 3), PRINTED)
    [(text, _)] = write_tables(study, "md")
    assert "- ᵃ ? protocol: 300 rows to train" in text
    assert "| germanᵃ " in text
    assert "10.0 ? protocol</sub>" in text


def test_how_many_runs_print_averages_is_one_unless_the_study_says_so(tmp_path):
    values = np.linspace(0.09, 0.13, 20)
    lines = [of_algorithm(x) for x in errors("german", "a", values)]
    for name, line, m in (("some", "published_realizations: 100\n", 100), ("none", "", 1)):
        config = CONFIG.replace("published_realizations: 100\n", line)
        found = cell(tmp_path / name, lines, "german", config)
        half = t.ppf(0.975, 19) * found.std * np.sqrt(1 / 20 + 1 / m) + 0.05
        assert found.interval_of == "means"
        assert found.difference_low == pytest.approx(found.difference - half)


def test_if_print_is_one_unknown_split_its_spread_does_not_count(tmp_path):
    values = np.linspace(0.09, 0.13, 20)
    lines = [of_algorithm(x) for x in errors("german", "a", values)]
    config = CONFIG.replace("- german", "- {name: german, published_split: one-unknown}")
    printed = PRINTED.replace("german,a,10.0,", "german,a,12.45,0.1")
    found = cell(tmp_path, lines, "german", config, printed)
    half = t.ppf(0.975, 19) * found.std * np.sqrt(1 + 1 / 20) + 0.005
    assert found.interval_of == "one more of ours"
    assert found.difference_low == pytest.approx(found.difference - half)


def test_a_printed_mean_of_realizations_has_one_order_each(tmp_path):
    rng = np.random.default_rng(0)
    values = 0.10 + 0.02 * rng.normal(size=(20, 1)) + 0.05 * rng.normal(size=(20, 10))
    lines = [
        replace(of_algorithm(line), by_order={"error": row.tolist()})
        for line, row in zip(errors("german", "a", values.mean(axis=1)), values, strict=True)
    ]
    found = cell(tmp_path, lines, "german")
    of_print = (100 * values.std(ddof=1)) ** 2 / 100
    half = t.ppf(0.975, 19) * np.sqrt(found.std**2 / 20 + of_print) + 0.05
    assert found.std_orders == pytest.approx(100 * np.sqrt(values.var(axis=1, ddof=1).mean()))
    assert found.difference_high == pytest.approx(found.difference + half)


def test_whole_repetitions_of_a_cross_validation_are_the_sample(tmp_path):
    values = np.repeat([0.10, 0.11, 0.12, 0.11], 5) + np.tile([-0.04, -0.02, 0.0, 0.02, 0.04], 4)
    lines = [
        of_algorithm(line, protocol="kfold", n_splits=5) for line in errors("titanic", "a", values)
    ]
    found = cell(tmp_path, lines, "titanic")
    means = 100 * values.reshape(4, 5).mean(axis=1)
    # a hundred printed folds are twenty repetitions
    half = t.ppf(0.975, 3) * means.std(ddof=1) * np.sqrt(1 / 4 + 1 / 20) + 0.05
    assert found.interval_of == "means"
    assert found.difference_high == pytest.approx(found.difference + half)
    one_printed = CONFIG.replace("published_realizations: 100", "published_realizations: 5")
    found = cell(tmp_path / "one", lines, "titanic", one_printed)
    half = t.ppf(0.975, 3) * means.std(ddof=1) * np.sqrt(1 / 4 + 1) + 0.05
    assert found.interval_of == "one more of ours"
    assert found.difference_high == pytest.approx(found.difference + half)
    # A single repetition is one rate on all rows: five folds of 300.
    once = cell(tmp_path / "once", lines[:5], "titanic")
    rate = 100 * 151 / 1502  # Agresti and Caffo: one error and one right result more
    half = 1.959964 * np.sqrt(2 * rate * (100 - rate) / 1502) + 0.05
    assert once.interval_of == "test rows"
    assert once.difference_high == pytest.approx(half)


@pytest.mark.parametrize(
    ("values", "basis"), [([0.1, 0.1, 0.1], "exact"), ([0.1, 0.1, 0.11], "means")]
)
def test_errors_that_differ_on_the_same_rows_are_random(tmp_path, values, basis):
    """Another seed gave the first realization the same predictions by chance."""
    lines = [
        replace(
            of_algorithm(line, realizations=3),
            metrics={**line.metrics, "n_errors": round(1000 * value)},
            draws=False if line.realization == 1 else None,
        )
        for line, value in zip(errors("astro", "a", values), values, strict=True)
    ]
    assert cell(tmp_path, lines, "astro").interval_of == basis


@pytest.mark.parametrize(("n_test", "basis"), [(1, "exact"), (300, "test rows")])
def test_leaving_each_row_out_can_be_done_in_one_way_only(tmp_path, n_test, basis):
    config = CONFIG.replace("{name: titanic, split", "{name: titanic, same_rows: true, split")
    wrong = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    lines = [
        replace(one, metrics={**one.metrics, "n_test": n_test}, draws=False)
        for one in (
            of_algorithm(line, protocol="kfold", n_splits=10)
            for line in errors("titanic", "a", wrong)
        )
    ]
    assert cell(tmp_path, lines, "titanic", config).interval_of == basis


SIZES = CONFIG.replace("columns: [a, b]", "columns: [{name: a, metric: size}, b]\n    MARGIN")


@pytest.mark.parametrize(
    ("printed", "ours", "verdict"),
    [
        ("27.2", 20.3, "differs"),
        ("27.2", 24.5, "close"),
        ("318.0", 341.0, "within the margin"),
        ("12.0", 50.0, "differs"),
    ],
)
@pytest.mark.parametrize("place", ["table", "column"])
def test_the_margin_of_a_size_is_in_step_with_it(tmp_path, printed, ours, verdict, place):
    config = SIZES.replace("MARGIN", "relative_margin: 0.1" if place == "table" else "margin: 1.0")
    if place == "column":
        config = config.replace("metric: size}", "metric: size, relative_margin: 0.1}")
    [line] = errors("astro", "a", [0.1], size=ours)
    prints = PRINTED.replace("astro,a,10.0", f"astro,a,{printed}")
    assert cell(tmp_path, [of_algorithm(line)], "astro", config, prints).verdict == verdict


def test_the_margin_of_an_error_is_a_share_of_it_and_at_most_the_tables(tmp_path):
    config = CONFIG.replace("columns: [a, b]", "columns: [a, b]\n    relative_margin: 0.1")
    [line] = errors("astro", "a", [0.02])
    for printed, verdict in (("2.1", "within the margin"), ("2.9", "differs"), ("2.2", "close")):
        prints = PRINTED.replace("astro,a,10.0", f"astro,a,{printed}")
        found = cell(tmp_path / printed, [of_algorithm(line)], "astro", config, prints)
        assert found.verdict == verdict


CHOSEN = """\
assumptions:
  - {id: C, text: C is not printed., chosen_on: {table: 2, columns: [a], rows: [astro, german]}}
"""


def test_a_value_on_which_a_setting_was_chosen_bears_a_mark_and_is_counted_apart(tmp_path):
    lines = [of_algorithm(x) for name in "ab" for x in errors("astro", name, [0.1])]
    lines += errors("german", "a", [0.3, 0.3])
    study = make_study(tmp_path / "s", CONFIG + CHOSEN, lines, PRINTED)
    cells = build_table(study, study.config.tables[0])
    assert [(one.row, one.column) for one in cells if one.chosen] == [
        ("astro", "a"),
        ("german", "a"),
    ]
    assert verdict_counts(cells) == "2 = (1 †), 1 ≠ (1 †)"
    [(text, _)] = write_tables(study, "md")
    assert "10.0 = †</sub>" in text
    assert "2 printed without a value of ours." in text
    assert "† a setting was chosen on this value" in text


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("table: 2", "table: 3", "unknown table '3'; accepted: 2"),
        ("[a]", "[aa]", "unknown column of table 2 'aa'; accepted: a, b; did you mean 'a'?"),
        ("astro,", "nova,", "unknown row of table 2 'nova'; accepted: astro, german, titanic"),
    ],
)
def test_chosen_on_what_the_study_does_not_have_is_refused(tmp_path, old, new, message):
    path = tmp_path / "s.yaml"
    path.write_text(CONFIG.replace("published: p.csv\n", "") + CHOSEN.replace(old, new))
    refused = invoke("check", path)
    assert refused.exit_code == 2
    assert f"{path}, line 17" in refused.output.replace("\n", " ")
    assert message in " ".join(refused.output.split())


def test_a_table_that_is_not_judged_shows_print_without_a_sign(tmp_path):
    config = CONFIG.replace("columns: [a, b]", "columns: [a, b]\n    judged: false")
    [line] = errors("astro", "a", [0.1])
    study = make_study(tmp_path / "s", config, [of_algorithm(line)], PRINTED)
    [(text, _)] = write_tables(study, "md")
    assert "<sub>10.0</sub>" in text
    assert "95 %" not in text


FACTS = """\
study: s
datasets: [{name: german, drawn_again: [again]}, {name: again, card: german}]
algorithms: {a: {estimator: SVC}}
published: p.csv
tables:
  - {id: 1, caption: Data., of: data, rows: [german], columns: [dim, rows, classes],
     notes: [{text: Letters make columns., coded: {rows: [german]}}]}
"""


def test_facts_of_the_data_are_equal_or_not_whatever_rows_are_drawn_again(tmp_path):
    facts = record("german", 1, "data", dim=21, rows=287, classes=2)
    other = record("again", 1, "data", dim=20, rows=100, classes=2)
    printed = (
        "table,row,column,value,std\n1,german,dim,21,\n1,german,rows,60,\n1,german,classes,3,\n"
    )
    study = make_study(tmp_path / "s", FACTS, [facts, other], printed)
    cells = {one.column: one for one in build_table(study, study.config.tables[0])}
    verdicts = {name: one.verdict for name, one in cells.items()}
    assert verdicts == {"dim": "within the margin", "rows": None, "classes": "differs"}
    assert cells["dim"].difference_low is None
    [(text, _)] = write_tables(study, "md")
    assert "- ᵃ without a sign: Letters make columns." in text
    assert "287ᵃ" in text


def test_a_note_stands_with_the_cells_it_explains_and_only_those(tmp_path):
    lines = [of_algorithm(line) for line in errors("astro", "a", [0.3])]
    lines += [of_algorithm(line) for line in errors("german", "a", [0.1, 0.1001])]
    study = make_study(tmp_path / "s", CONFIG, lines, PRINTED)
    [(text, _)] = write_tables(study, "md")
    assert "- ᵃ ≠ because" in text
    assert "30.0ᵃ" in text
    assert "- for all" in text
    stale = stale_notes(study.config, study.folder)
    assert len(stale) == 1
    assert "'differs' of a on german" in stale[0]
    assert "'within the margin'" in stale[0]


def test_the_legend_says_what_is_shown_and_nothing_else(tmp_path):
    lines = [of_algorithm(line) for line in errors("astro", "a", [0.10])]
    lines += [of_algorithm(line) for line in errors("german", "a", [0.1, 0.2])]
    lines += [replace(record("german", 1, "b", error=0.1, n_test=300), warnings=("slow",))]
    study = make_study(tmp_path / "s", CONFIG, lines, PRINTED)
    [(text, _)] = write_tables(study, "md")
    assert "exact (" in text
    assert "Welch" in text
    assert "one more of ours" not in text
    assert "! fits gave warnings" in text
    assert "margin M, 10 % of the printed error, at most ±1: `=` if D lies within ±M" in text
    assert "*guess*" not in text
    assert "Here: 1 =, 2 ?; 2 printed without a value of ours." in text


@pytest.mark.slow
def test_committed_intervals_are_those_worked_out_by_hand():
    values = worked()
    for one in values:
        ends = one.committed.difference_low, one.committed.difference_high
        assert (one.low, one.high) == pytest.approx(ends, abs=1e-9)
    assert len({one.committed.interval_of for one in values}) == len(values)
