"""Claims on made-up records whose answer is known: every relation, and what is compared."""

from dataclasses import replace

import numpy as np
import pytest
from made_up_records import CLAIMED, PRINTED, claimed, errors, make_study, record, settings_of
from scipy.stats import ttest_rel

from ensvm.report.claims import ClaimComparison, adjusted, evaluate_claims
from ensvm.report.randomness import draws
from ensvm.report.study_folder import read_study
from ensvm.report.write import write_claims

NOISE = np.random.default_rng(0).normal(size=10) / 100.0
LESS = "left: a, right: b, relation: less, rows: [german]"
BOTH_ROWS = "left: a, right: b, relation: less, rows: [german, titanic]"
SPLIT = settings_of(split={"protocol": "kfold", "n_splits": 10})


@pytest.fixture
def finding(tmp_path):
    """Return a function that tests a claim with these keys (YAML) on these records."""

    def test(keys, records):
        claim = f"- {{id: 1, {'' if 'text:' in keys else 'text: t, '}{keys}}}"
        (found,) = evaluate_claims(claimed(tmp_path / "s", claim, records))
        return found

    return test


@pytest.fixture
def compared(finding):
    """Return a function that does the same for a claim with a single comparison."""

    def test(keys, records):
        (comparison,) = finding(keys, records).comparisons
        return comparison

    return test


def both(a, b, row="german"):
    """Return the records of errors of the algorithms a and b."""
    return [*errors(row, "a", a), *errors(row, "b", b)]


def test_less_finds_a_planted_effect_in_paired_percent(compared):
    found = compared(LESS, both(0.25 + NOISE, 0.28 + NOISE[::-1]))
    means = 100 * (0.25 + NOISE.mean()), 100 * (0.28 + NOISE.mean())
    assert (found.left_mean, found.right_mean) == pytest.approx(means)
    assert (found.effect, found.printed) == pytest.approx((-3.0, -5.5))
    assert found.low < -3.0 < found.high < 0.0
    assert (found.verdict, found.n) == ("holds", 10)


SPREAD = np.linspace(0.1, 0.4, 10)


@pytest.mark.parametrize(
    ("a", "b", "n"),
    [
        (SPREAD, SPREAD + 0.01 + NOISE / 10, 10),  # pairing sees through the spread
        ([0.1, 0.2, 0.9], [0.2, 0.3], 2),  # only realizations of both are paired
    ],
)
def test_realizations_are_paired(compared, a, b, n):
    found = compared(LESS, both(a, b))
    assert (found.n, found.verdict) == (n, "holds")


@pytest.mark.parametrize(
    ("relation", "margin", "shift", "verdict"),
    [
        ("at-most", 1.0, 0.0, "holds"),
        ("at-most", 1.0, 0.05, "fails"),
        ("at-most", 1.0, 0.01, "cannot tell"),
        ("at-most", 6.0, 0.05, "holds"),
        ("within", 1.0, 0.0, "holds"),
        ("within", 1.0, 0.02, "fails"),
        ("within", 1.0, -0.02, "fails"),
        ("within", 1.0, 0.01, "cannot tell"),
    ],
)
def test_margins_are_in_percentage_points(compared, relation, margin, shift, verdict):
    keys = f"left: a, right: b, relation: {relation}, margin: {margin}, rows: [german]"
    small = NOISE / 10
    assert compared(keys, both(0.25 + shift + small, 0.25 + small[::-1])).verdict == verdict


def test_one_split_is_judged_by_its_test_points(finding):
    points = {("german", 4000): (0.03, 0.22), ("titanic", 20): (0.10, 0.15)}
    lines = [
        record(row, 1, name, error=error, n_test=n_test)
        for (row, n_test), of_both in points.items()
        for name, error in zip("ab", of_both, strict=True)
    ]
    found = finding(BOTH_ROWS, lines)
    far, near = found.comparisons
    assert (far.verdict, far.n, far.effect) == ("holds", 1, pytest.approx(-19.0))
    assert far.low == pytest.approx(-20.4, abs=0.1)
    assert near.verdict == found.verdict == "cannot tell"


def test_on_new_rows_the_spread_over_orders_widens_the_interval_of_one_split(compared):
    b = record("german", 1, "b", error=0.22, n_test=4000)
    a = record("german", 1, "a", error=0.2, n_test=4000)
    plain = compared(LESS, [a, b])
    orders = {"error": [0.1, 0.3] * 5}
    found = compared(LESS, [b, replace(a, by_order=orders, time="2026-01-03")])
    half, before = (found.new_high - found.new_low) / 2, (plain.high - plain.low) / 2
    added = 1.959964 * 100 * np.std(orders["error"], ddof=1) / np.sqrt(10)
    assert half**2 == pytest.approx(before**2 + added**2, rel=1e-5)
    assert (plain.basis, found.basis) == ("test rows", "orders")
    assert (plain.verdict, found.new_verdict) == ("holds", "cannot tell")


RATIO = (
    "metric: train_seconds, pass: timing, left: a, right: b, relation: at-least, of: ratio, "
    "factor: 2, rows: [german]"
)


def timed(*seconds, hosts=(None, None)):
    """Return records of the timing pass: pairs of seconds of a and b, one a realization."""
    return [
        record("german", number, name, run_pass="timing", seconds=value, host=host)
        for number, pair in enumerate(seconds, start=1)
        for name, value, host in zip("ab", pair, hosts, strict=True)
    ]


@pytest.mark.parametrize(
    ("speedups", "verdict"),
    [
        ([3.0, 3.1, 2.9, 3.0, 3.1], "holds"),
        ([1.5, 1.4, 1.6, 1.5, 1.4], "fails"),
        ([1.5, 2.6, 2.1, 1.5, 2.6], "cannot tell"),
    ],
)
def test_ratio_of_seconds_of_the_timing_pass(compared, speedups, verdict):
    lines = timed(*((n / 8, speedup * n / 8) for n, speedup in enumerate(speedups, start=1)))
    # The seconds of the error pass are never used.
    others = [record("german", 1, name, seconds=value) for name, value in (("a", 1e3), ("b", 1.0))]
    found = compared(RATIO, lines + others)
    assert found.verdict == verdict
    assert found.effect == pytest.approx(found.right_mean / found.left_mean)
    assert found.low <= found.effect <= found.high


@pytest.mark.parametrize(("ratio", "verdict"), [(2.0, "holds"), (1.2, "fails"), (5.0, "fails")])
def test_a_ratio_is_near_from_both_sides(compared, ratio, verdict):
    lines = timed(*((n / 8, noise * ratio * n / 8) for n, noise in enumerate([1, 1.01] * 3, 1)))
    assert compared(RATIO.replace("at-least", "within"), lines).verdict == verdict


RUNS = """\
study: s
realizations: 4
datasets: [german]
algorithms:
  a: {estimator: RhoSVC}
  b: {estimator: RhoSVC}
  runs_a: {estimator: RhoSVC, sweep: {params.max_iter: [1, 2, 3]}}
  runs_b: {estimator: RhoSVC, sweep: {params.max_iter: [1, 2, 3]}}
claims:
  - {id: c, text: t, left: a, right: b, relation: less, own_test: {a: runs_a, b: runs_b}}
"""


def test_the_paper_s_own_test_is_repeated_on_each_realization(tmp_path):
    rng = np.random.default_rng(5)
    shifts = [0.2, 0.0, -0.2]  # of b over a, on three splits; a fourth lacks a run
    lines = both(0.25 + NOISE[:3], 0.28 + NOISE[:3])
    expected = 0
    for number, shift in enumerate([*shifts, 0.2], start=1):
        a, b = 0.3 + rng.normal(scale=0.01, size=3), 0.3 + shift + rng.normal(scale=0.01, size=3)
        for run in (1, 2, 3):
            lines.append(record("german", number, f"runs_a-{run}", error=a[run - 1]))
            if number < 4 or run < 3:
                lines.append(record("german", number, f"runs_b-{run}", error=b[run - 1]))
        # Welch by hand: b - a over its standard error, against 2.92, the quantile of 2 degrees of
        # freedom, of which there are 2 to 4.
        error = np.sqrt((a.var(ddof=1) + b.var(ddof=1)) / 3)
        expected += number < 4 and (b.mean() - a.mean()) / error > 2.92
    [judged] = evaluate_claims(make_study(tmp_path / "s", RUNS, lines))
    assert expected == 1
    assert judged.comparisons[0].own_test == "1 of 3"


@pytest.mark.parametrize(
    ("keys", "records", "reason"),
    [
        (RATIO, timed(*[(1.0, 9.0)] * 4), "timed 4 times; a verdict needs 5 runs"),
        (RATIO, timed(*[(0.0, 0.0)] * 5), "not positive"),
        (RATIO, timed((1.0, 1.0), hosts=("one", "other")), "different machines (one, other)"),
        (
            LESS,
            [record("german", 1, "a", error=0.1), record("german", 2, "b", error=0.2)],
            "no realization has values of a and b",
        ),
    ],
)
def test_what_cannot_be_compared_has_a_reason_and_no_verdict(compared, keys, records, reason):
    found = compared(keys, records)
    assert (found.verdict, found.n) == (None, 0)
    assert reason in found.reason


@pytest.mark.parametrize(
    ("relation", "limit", "verdict"),
    [
        ("at-most", 20, "holds"),
        ("at-most", 12, "cannot tell"),
        ("at-most", 5, "fails"),
        ("at-least", 5, "holds"),
        ("at-least", 12, "cannot tell"),
        ("at-least", 20, "fails"),
    ],
)
def test_a_value_against_its_limit(compared, relation, limit, verdict):
    keys = f"metric: n_iter_, left: a, relation: {relation}, limit: {limit}, rows: [german]"
    found = compared(keys, [record("german", n, "a", n_iter_=9 + n) for n in range(1, 6)])
    assert (found.verdict, found.effect, found.n) == (verdict, 12.0, 5)
    assert found.low < 12.0 < found.high
    assert (found.right, found.right_mean) == (None, None)


def curves(**of_algorithms):
    """Return records of the curves of algorithms, one a realization."""
    return [
        record("german", number, name, curve=curve)
        for name, of_realizations in of_algorithms.items()
        for number, curve in enumerate(of_realizations, start=1)
    ]


BELOW = (
    "metric: path_, left: a, right: b, relation: at-least, of: ratio, stage: end, rows: [german]"
)


@pytest.mark.parametrize(
    ("keys", "a", "b", "expected"),
    [
        # compared where the better curve ends
        (f"{BELOW}, factor: 2", [8, 1, 0.5], [8, 7, 3, 0.1], (0.5, 3.0, "holds")),
        # a curve that is shorter repeats its last value
        (BELOW, [8, 4, 2], [8, 1], (2.0, 1.0, "fails")),
    ],
)
def test_a_curve_is_compared_where_the_better_one_ends(compared, keys, a, b, expected):
    found = compared(keys, curves(a=[a] * 3, b=[b] * 3))
    assert (found.left_mean, found.right_mean, found.verdict) == expected


def test_a_stage_is_an_entry_of_a_curve_and_a_curve_that_ended_stays(compared):
    lines = curves(a=[[5.0, 1.0, 9.0], [5.0, 2.0]], b=[[7.0], [0.0, 8.0]])
    found = compared(f"metric: path_, stage: 2, {LESS}", lines)
    assert (found.left_mean, found.right_mean, found.verdict) == (1.5, 7.5, "holds")


@pytest.mark.parametrize(
    ("of_a", "of_b", "expected"),
    [
        ({}, {"falls_": 2}, (0.5, 7.0)),  # what comes after b's second entry does not count
        ({}, {"falls_": 0}, (0.5, 3.0)),  # 0: it never fell
        ({}, {}, (0.5, 3.0)),
        ({"falls_": 2}, {"falls_": 3}, (1.0, 7.0)),  # the first curve ends there
    ],
)
def test_entries_of_a_curve_count_until_a_metric_says_so(compared, of_a, of_b, expected):
    lines = [
        replace(line, metrics=line.metrics | {"a": of_a, "b": of_b}[line.algorithm])
        for line in curves(a=[[8, 1, 0.5]] * 3, b=[[8, 7, 3, 0.1]] * 3)
    ]
    found = compared(f"{BELOW}, until: falls_", lines)
    assert (found.left_mean, found.right_mean) == expected
    third = compared(f"{BELOW.replace('end', '3')}, until: falls_", lines)
    assert third.right_mean == (7.0 if of_b == {"falls_": 2} else 3.0)


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        ("scope: 2", "holds"),  # two of four comparisons: a's with b
        ("scope: 2, scope_of: rows", "fails"),  # on no data set with both
        ("scope: 1, scope_of: rows", "fails"),
    ],
)
def test_a_scope_counts_comparisons_or_data_sets_on_which_all_hold(finding, scope, expected):
    lines = [
        line
        for row in ("german", "titanic")
        for name, error in (("a", 0.2), ("b", 0.3), ("later", 0.1))
        for line in errors(row, name, error + NOISE)
    ]
    found = finding(
        f"left: a, right: [b, later], relation: less, rows: [german, titanic], {scope}", lines
    )
    assert found.verdict == expected
    (test,) = found.tests
    rows = "fails on 2 of 2 rows"
    counts = "holds on 2, fails on 2 of 4 comparisons"
    assert test.counts == (rows if "rows" in scope.partition("scope_of")[2] else counts)


def test_all_comparisons_hold_on_one_data_set(finding):
    lines = [
        *both(0.2 + NOISE, 0.3 + NOISE[::-1]),
        *errors("german", "later", 0.4 + NOISE),
        *both(0.2 + NOISE, 0.3 + NOISE[::-1], row="titanic"),
        *errors("titanic", "later", 0.1 + NOISE),
    ]
    keys = "left: a, right: [b, later], relation: less, rows: [german, titanic], scope: {}"
    assert finding(f"{keys.format(1)}, scope_of: rows", lines).verdict == "holds"
    assert finding(f"{keys.format(2)}, scope_of: rows", lines).verdict == "fails"
    assert finding(keys.format(2), lines).verdict == "holds"  # comparisons, on any data set


def test_rows_and_pairs_of_a_claim(finding):
    by_default = finding("left: a, right: b, relation: less", [])
    assert [one.row for one in by_default.comparisons] == ["german", "titanic", "web2"]
    several = finding("left: [a, b], right: [b, later], relation: less, rows: [german]", [])
    pairs = [(one.left, one.right) for one in several.comparisons]
    assert pairs == [("a", "b"), ("a", "later"), ("b", "b"), ("b", "later")]


GROWTH = (
    "  - {id: 1, text: t, metric: size, left: a, relation: at-most, of: exponent, over: german, "
    "limit: 0.5}\n"
)
SWEPT = CLAIMED.replace(
    CLAIMED.splitlines()[2], "datasets: [{name: german, sweep: {split.n_train: [100, 200, 400]}}]"
).replace("published: p.csv\n", "")


@pytest.mark.parametrize(
    ("power", "verdict"), [(0.25, "holds"), (0.5, None), (1.0, "fails"), (0.0, "holds")]
)
def test_growth_is_the_power_planted(tmp_path, power, verdict):
    lines = [
        record(f"german-{m}", number, "a", size=number * 2**-40 * m**power)
        for m in (100, 200, 400)
        for number in (1, 2)
    ]
    (found,) = evaluate_claims(make_study(tmp_path / "s", SWEPT + GROWTH, lines))
    (one,) = found.comparisons
    assert (one.row, one.left, one.n) == ("german", "a", 2)
    assert one.effect == pytest.approx(power, abs=1e-12)
    assert one.verdict == verdict or verdict is None  # at the limit rounding decides
    assert "\n| german" in write_claims(read_study(tmp_path / "s"))[0]  # the name of the sweep


def test_growth_needs_all_members_and_positive_values(tmp_path):
    lines = [record(f"german-{m}", 1, "a", size=m) for m in (100, 200)]
    reasons = []
    for more in ([], [record("german-400", 1, "a", size=0)]):
        made = make_study(tmp_path / f"s{len(more)}", SWEPT + GROWTH, [*lines, *more])
        reasons += [one.reason for found in evaluate_claims(made) for one in found.comparisons]
    zero = "size is not positive everywhere, so its growth has no exponent"
    assert reasons == ["a: not run yet", zero]


@pytest.mark.parametrize(
    ("config", "old", "new", "message"),
    [
        (SWEPT + GROWTH, "over: german", "over: web2", "unknown sweep of data sets 'web2'"),
        (SWEPT + GROWTH, "over: german, ", "", "the relation at-most of a exponent needs `over:`"),
        (SWEPT + GROWTH, "limit", "rows: [german], limit", "give `over:` or `rows:`, not both"),
        (
            SWEPT + GROWTH,
            "split.n_train: [100, 200, 400]",
            "scaling: [none, zscore]",
            "an exponent needs a sweep over two or more positive numbers",
        ),
        (SWEPT + GROWTH, "text: t, ", "", r"give either `text:`.* or `paraphrase:`"),
        (SWEPT + GROWTH, "text: t", "text: t, paraphrase: p", r"give either `text:`.* or"),
        (RUNS, "relation: less", "relation: at-most", "`own_test:` is for the relation less"),
        (RUNS, "b: runs_b", "b: runs_c", "unknown sweep of algorithms 'runs_c'"),
        (RUNS, ", b: runs_b", "", "names a sweep for each algorithm .* a, b"),
        (RUNS, "right: b, relation: less", "stage: 2, relation: less, of: slope", "no `stage:`"),
        (RUNS, "relation: less", "until: n_iter_, relation: less", "it needs `stage:`"),
        (RUNS, "relation: less", "scope: 1, scope_of: rows, relation: less", "several names"),
        (RUNS, "relation: less", "scope: most, relation: less", "scope: 'most' is not accepted"),
        (RUNS, "relation: less", "stage: last, relation: less", "stage: 'last' is not accepted"),
        (RUNS, "relation: less", "of: quotient, relation: at-most", "unknown effect 'quotient'"),
        (RUNS, "relation: less", "relation: less, of: ratio", "cannot test a ratio; accepted: "),
        (RUNS, "relation: less", "stage: 2, relation: less", "is not in the `record:` of a"),
    ],
)
def test_wrong_keys_are_refused(tmp_path, config, old, new, message):
    assert old in config
    with pytest.raises(ValueError, match=message):
        make_study(tmp_path / "s", config.replace(old, new), [])


def test_realizations_are_those_rows_and_new_rows_are_a_second_line(finding):
    """Folds share rows: on new rows the interval is that of Nadeau and Bengio."""
    lines = both(0.25 + NOISE, 0.26 + NOISE[::-1])
    independent = finding(LESS, lines)
    plain = independent.comparisons[0]
    split = [replace(one, settings=SPLIT, settings_key="split", time="2026-01-03") for one in lines]
    judged = finding(LESS, split)
    found = judged.comparisons[0]
    assert (found.low, found.high, found.basis) == (plain.low, plain.high, "realizations")
    assert (plain.new_verdict, found.new_verdict) == ("holds", "cannot tell")
    assert independent.new_counts == ""  # it says nothing else
    wider = np.sqrt((1 / 10 + 1 / 9) / (1 / 10))
    assert found.new_high - found.new_low == pytest.approx(wider * (plain.high - plain.low))
    assert found.new_p_holds > plain.p_holds
    assert judged.counts == "holds on 1 of 1 row"
    assert judged.new_counts == "cannot tell on 1 of 1 row"
    assert (judged.verdict, judged.new_verdict) == ("holds", "cannot tell")
    assert independent.new_verdict == "holds"  # nothing else is said of new rows


def test_whole_repetitions_of_a_cross_validation_are_the_sample(compared):
    """Thirty folds of three are three repetitions; those of an incomplete one are left out."""
    rng = np.random.default_rng(2)
    a, b = rng.uniform(0.1, 0.5, size=(2, 32))
    lines = [replace(one, settings=SPLIT) for one in both(a, b)]
    found = compared(LESS, lines)
    means = 100 * (a - b)[:30].reshape(3, 10).mean(axis=1)
    half = 4.30265 * means.std(ddof=1) / np.sqrt(3)
    assert found.basis == "repetitions"
    assert (found.low, found.high) == pytest.approx((means.mean() - half, means.mean() + half))
    assert found.n == 30
    assert found.left_mean - found.right_mean == pytest.approx(found.effect)


@pytest.mark.parametrize("n", [11, 19])
def test_folds_of_a_second_repetition_that_is_incomplete_are_left_out(compared, n):
    a, b = np.random.default_rng(2).uniform(0.1, 0.5, size=(2, n))
    lines = [replace(one, settings=SPLIT) for one in both(a, b)]
    found, of_ten = compared(LESS, lines), compared(LESS, [*lines[:10], *lines[n : n + 10]])
    assert found.n == of_ten.n == 10
    assert (found.effect, found.low, found.high) == (of_ten.effect, of_ten.low, of_ten.high)


PAPERS_ROWS = CLAIMED.replace("[german,", "[{name: german, same_rows: true},")


def on_papers_rows(folder, records):
    """Return the comparison of the errors of a and b on a data set with the paper's rows."""
    claim = f"  - {{id: 1, text: t, {LESS}}}\n"
    study = make_study(folder, PAPERS_ROWS.replace("published: p.csv\n", "") + claim, records)
    (judged,) = evaluate_claims(study)
    return judged.comparisons[0]


def test_without_randomness_on_the_paper_s_rows_the_difference_decides(tmp_path):
    lines = [record("german", 1, name, error=e, n_test=20) for name, e in (("a", 0.1), ("b", 0.15))]
    assert not any(map(draws, lines))
    found = on_papers_rows(tmp_path, lines)
    assert (found.basis, found.verdict, found.new_verdict) == ("exact", "holds", "cannot tell")
    assert found.low == found.effect == found.high == -5.0


def test_orders_of_one_split_are_paired(tmp_path):
    a, b = ([0.10, 0.12, 0.11], [0.20, 0.21, 0.22])
    lines = [
        replace(
            record("german", 1, name, error=float(np.mean(values)), n_test=20),
            by_order={"error": values},
        )
        for name, values in (("a", a), ("b", b))
    ]
    found = on_papers_rows(tmp_path, lines)
    effects = 100 * (np.array(a) - np.array(b))
    half = 4.30265 * effects.std(ddof=1) / np.sqrt(3)
    assert (found.basis, found.n) == ("orders", 1)
    assert (found.low, found.high) == pytest.approx((effects.mean() - half, effects.mean() + half))


def test_the_interval_on_these_rows_is_students_of_the_paired_differences(compared):
    """For rows that stay the same; it covers the mean over all splits of them as often as said."""
    rng = np.random.default_rng(4)
    b = rng.uniform(0.2, 0.3, size=8)
    a = b + rng.normal(0.01, 0.02, size=8)
    found = compared(LESS, both(a, b))
    expected = ttest_rel(a, b).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((100 * expected.low, 100 * expected.high))


@pytest.mark.parametrize("scope", ["all", 2])
def test_the_rows_of_a_claim_are_adjusted_for_their_number(finding, scope):
    """At 0.03 and 0.001, both one-sided: alone both hold, together the weaker one does not."""
    wave = 0.01 * np.array([1, -1, 1, -1, 1, -1])
    lines = [*errors("german", "b", [0.3] * 6), *errors("titanic", "b", [0.3] * 6)]
    lines += errors("german", "a", 0.2875 + wave)  # t = 2.8, one-sided p = 0.019
    lines += errors("titanic", "a", 0.2875 + wave)
    one, other = finding(f"{BOTH_ROWS}, scope: {scope}", lines).comparisons
    assert one.p_holds == other.p_holds == pytest.approx(0.019, abs=0.001)
    assert (one.high < 0.0) == (scope == "all")  # as the verdict says
    assert one.verdict == other.verdict == ("holds" if scope == "all" else "cannot tell")


def test_that_all_rows_hold_is_seldom_wrong_and_that_some_row_fails_too():
    """At the bound of one row, the others far on the right side; and all rows at the bound."""
    rng = np.random.default_rng(6)
    wrong_holds = wrong_fails = 0
    blank = ClaimComparison("c", 1, "at-most", "difference", "error", 0.0, "")
    for _ in range(2000):
        p_values = [rng.uniform(), 1e-9, 1e-9]
        one = [replace(blank, p_holds=p, p_fails=1 - p) for p in p_values]
        wrong_holds += all(x.verdict == "holds" for x in adjusted(one, of_all=True))
        at_bound = [replace(blank, p_holds=1 - p, p_fails=p) for p in rng.uniform(size=3)]
        wrong_fails += any(x.verdict == "fails" for x in adjusted(at_bound, of_all=True))
    assert 0.015 <= wrong_holds / 2000 <= 0.035
    assert 0.015 <= wrong_fails / 2000 <= 0.035


LIMIT = "metric: n_iter_, left: a, relation: at-most, limit: 12"


def test_single_values_without_an_interval_are_not_counted_among_the_tests(finding):
    lines = [record("german", number, "a", n_iter_=8 + number % 3) for number in range(1, 9)]
    single = record("titanic", 1, "a", n_iter_=3)
    keys = f"{LIMIT}, scope: 2, rows: [german, titanic]"
    tested, alone = finding(keys, [*lines, single]).comparisons
    assert (tested.verdict, alone.verdict, alone.p_holds) == ("holds", "holds", None)


def test_one_realization_decides_a_claim_about_each(compared):
    keys = f"{LIMIT}, each: true, rows: [german]"
    lines = [record("german", number, "a", n_iter_=2) for number in range(1, 9)]
    kept = compared(keys, lines)
    assert (kept.verdict, kept.effect, kept.n) == ("holds", 2.0, 8)
    found = compared(keys, [*lines, record("german", 9, "a", n_iter_=13)])
    assert (found.verdict, found.effect, found.low) == ("fails", 13.0, None)


def test_the_counts_say_on_how_many_rows_a_verdict_rests(finding):
    few, more = (both([0.1, 0.11], [0.3, 0.31], row) for row in ("german", "titanic"))
    found = [finding(BOTH_ROWS, lines) for lines in ([], few, few + more)]
    assert [(one.verdict, one.counts) for one in found] == [
        ("cannot tell", "2 without values"),
        ("cannot tell", "holds on 1 of 2 rows; 1 without values"),
        ("holds", "holds on 2 of 2 rows"),
    ]


def test_rows_that_rounding_decides_are_not_judged(tmp_path):
    config = CLAIMED.replace("  a: {", "  a: {undetermined_at_zero: lower_bound_, ", 1)
    claim = f"  - {{id: 1, text: t, {BOTH_ROWS}}}\n"
    lines = [*both([0.1, 0.11], [0.3, 0.31], "german"), *both([0.1, 0.11], [0.3, 0.31], "titanic")]
    bounds = {"german": 0.0, "titanic": 0.5}
    lines = [
        replace(one, metrics={**one.metrics, "lower_bound_": bounds[one.dataset]}) for one in lines
    ]
    (judged,) = evaluate_claims(make_study(tmp_path / "s", config + claim, lines, PRINTED))
    german, titanic = judged.comparisons
    assert (german.verdict, german.reason) == (None, "rounding decides the predictions of a")
    assert titanic.verdict == "holds"
    assert judged.verdict == "cannot tell"


TESTS = """
- id: c
  text: t
  tests:
    - {left: a, right: b, relation: less, rows: [german]}
    - {left: a, right: b, relation: less, rows: [titanic]}
    - {left: b, right: a, relation: less, rows: [german], reading: the other way round}
"""


@pytest.mark.parametrize(
    ("german", "titanic", "verdict"),
    [(0.3, 0.3, "holds"), (0.3, 0.1, "fails"), (0.3, None, "cannot tell"), (0.1, 0.3, "fails")],
)
def test_a_claim_holds_if_all_tests_hold_and_is_counted_once(tmp_path, german, titanic, verdict):
    """Those of another reading are made, and do not decide."""
    lines = both([0.2, 0.2], [german] * 2)
    lines += [] if titanic is None else both([0.2, 0.2], [titanic] * 2, "titanic")
    (judged,) = evaluate_claims(claimed(tmp_path, TESTS, lines))
    assert judged.verdict == verdict
    assert [one.test for one in judged.comparisons] == [1, 2]
    assert judged.tests[2].verdict == ("fails" if german == 0.3 else "holds")


def test_a_variant_of_a_reading_does_not_decide(tmp_path):
    config = CLAIMED.replace(
        "claims:\n",
        "readings:\n  - {id: r, question: q, table: 2, columns: [a], rows: [german], default: d, "
        "conclusion: c, variants: [{name: x, label: l, instead: {a: b}}, "
        "{name: y, label: l, algorithm: {params.max_iter: 9}}]}\nclaims:\n",
    )
    for better, decides in (("a", True), ("a~y", False)):
        claim = f"  - {{id: c, text: t, left: {better}, right: b, relation: less, rows: [german]}}"
        lines = [*errors("german", better, [0.1, 0.1]), *errors("german", "b", [0.2, 0.2])]
        study = make_study(tmp_path / better, config + claim, lines, PRINTED)
        (judged,) = evaluate_claims(study)
        assert judged.tests[0].verdict == "holds"
        assert judged.verdict == ("holds" if decides else "cannot tell")
        assert bool(judged.comparisons) == decides


def printed(tmp_path, keys, published, table="- {id: 2, caption: E., columns: [a, b]}"):
    """Return the finding of a claim on a study without records, with these printed values."""
    text = CLAIMED.replace("- {id: 2, caption: Errors., columns: [a, b]}", table)
    text += f"  - {{id: 1, text: t, {keys}}}\n"
    lines = [line if line[0].isdigit() else f"2,{line}" for line in published.split()]
    values = "".join(f"{line},\n" for line in lines)
    made = make_study(tmp_path / "s", text, [], "table,row,column,value,std\n" + values)
    (found,) = evaluate_claims(made)
    return found


@pytest.mark.parametrize(
    ("a", "b", "verdict"),
    [
        ("17.2", "16.3", "holds"),
        ("17.3", "16.3", "cannot tell"),  # by their rounding 0.9 to 1.1
        ("17.4", "16.3", "fails"),
        ("17.30", "16.31", "holds"),
        ("17", "16.3", "cannot tell"),
        ("0.3", "16.3", "holds"),
    ],
)
def test_a_printed_value_stands_for_all_that_round_to_it(tmp_path, a, b, verdict):
    keys = "left: a, right: b, relation: at-most, margin: 1, rows: [german]"
    found = printed(tmp_path, keys, f"german,a,{a} german,b,{b}")
    assert found.printed_verdict == found.comparisons[0].printed_verdict == verdict
    assert found.verdict == "cannot tell"


@pytest.mark.parametrize(
    ("a", "b", "relation", "verdict"),
    [
        ("10", "21", "at-least, of: ratio, factor: 2", "cannot tell"),
        ("10", "22", "at-least, of: ratio, factor: 2", "holds"),
        ("10", "18", "at-least, of: ratio, factor: 2", "fails"),
        ("10.0", "20.0", "within, of: ratio, factor: 2", "holds"),
        ("11.2", "11.2", "less", "cannot tell"),
        ("11.1", "11.2", "less", "holds"),
    ],
)
def test_rounding_reaches_every_effect(tmp_path, a, b, relation, verdict):
    keys = f"left: a, right: b, relation: {relation}, rows: [german]"
    found = printed(tmp_path, keys, f"german,a,{a} german,b,{b}")
    assert found.printed_verdict == verdict


@pytest.mark.parametrize(
    ("a", "b", "relation", "verdict"),
    [
        ("11.2,0.0", "11.2,0.0", "less", "cannot tell"),
        ("11.1,0.0", "11.2,0.0", "less", "holds"),
        ("11.2,0.0", "11.2,0.0", "not-significant", None),
        ("11.1,0.1", "11.2,0.1", "less", "cannot tell"),  # significant without the rounding
        ("11.1,0.1", "11.2,0.1", "not-significant", "cannot tell"),
        ("11.10,0.10", "11.20,0.10", "less", "holds"),
        ("11.10,0.10", "11.20,0.10", "not-significant", "fails"),
        ("11.2,4.0", "11.2,4.0", "not-significant", "holds"),
        ("11.2,0.1", "11.2,0.1", "not-significant", "cannot tell"),
    ],
)
def test_printed_deviations_do_not_remove_the_rounding(tmp_path, a, b, relation, verdict):
    config = CLAIMED.replace("realizations: 10", "realizations: 10\npublished_realizations: 100")
    config += f"  - {{id: c, text: t, left: a, right: b, relation: {relation}, rows: [german]}}\n"
    values = f"table,row,column,value,std\n2,german,a,{a}\n2,german,b,{b}\n"
    (found,) = evaluate_claims(make_study(tmp_path, config, [], values))
    assert found.printed_verdict == verdict


@pytest.mark.parametrize(
    ("scope", "verdict"), [("all", "fails"), (1, "holds"), (2, "cannot tell"), (3, "fails")]
)
def test_so_many_printed_rows_must_hold(tmp_path, scope, verdict):
    keys = f"left: a, right: b, relation: less, scope: {scope}"
    values = "german,a,4.0 german,b,5.0 titanic,a,24.7 titanic,b,24.7 web2,a,6.0 web2,b,5.0"
    found = printed(tmp_path, keys, values)
    assert found.printed_verdict == verdict
    assert found.printed_counts == "holds on 1, fails on 1, cannot tell on 1 of 3 rows"


def test_all_printed_rows_count_whatever_runs(tmp_path):
    """On astro the study runs a alone, and print has both."""
    keys = "left: a, right: b, relation: less"
    found = printed(tmp_path, keys, "german,a,4.0 german,b,5.0 astro,a,6.0 astro,b,5.0")
    of_rows = {one.row: one.printed_verdict for one in found.comparisons}
    assert of_rows == {"german": "holds", "titanic": None, "web2": None, "astro": "fails"}
    assert found.printed_verdict == "fails"
    assert found.comparisons[-1].reason == "a: not run yet"
    off = printed(tmp_path, f"{keys}, printed: false", "german,a,4.0 german,b,5.0")
    assert off.printed_verdict is None


def test_two_tables_may_have_one_value_each(tmp_path):
    tables = "- {id: 2, caption: E., columns: [a]}\n  - {id: 4, caption: E., columns: [b]}"
    keys = "left: b, right: a, relation: within, margin: 1, rows: [german]"
    found = printed(tmp_path, keys, "2,german,a,3.0 4,german,b,3.9", tables)
    assert found.comparisons[0].printed == 0.9
    assert found.printed_verdict == "holds"
    both_in_one = tables.replace("[b]", "[a, b]")
    values = "2,german,a,3.0 4,german,a,9.9 4,german,b,3.9"
    found = printed(tmp_path, keys, values, both_in_one)
    assert found.comparisons[0].printed == -6.0


def test_printed_accuracies_are_errors_the_other_way_round(tmp_path):
    table = "- {id: 2, caption: E., metric: accuracy, columns: [a, b]}"
    found = printed(tmp_path, LESS, "german,a,93.5 german,b,91.0", table)
    assert found.comparisons[0].printed == -2.5
    assert found.printed_counts == "holds on 1 of 1 row"


def test_a_printed_stage_is_compared_with_the_same_stage_alone(tmp_path):
    table = (
        "- {id: 2, caption: E., metric: path_, columns: "
        "[{name: first, algorithm: a, stage: 1}, {name: second, algorithm: a, stage: 2}]}"
    )
    keys = "metric: path_, stage: 2, left: a, relation: at-most, limit: 6, rows: [german]"
    found = printed(tmp_path, keys, "german,first,9 german,second,5", table)
    assert found.comparisons[0].printed == 5.0


def test_a_value_without_randomness_stands_for_every_realization_of_the_other(tmp_path):
    # A single machine on the paper's rows is run once, the ensemble that draws ten times.
    drawn = errors("german", "b", [0.30, 0.31, 0.29, 0.30, 0.32])
    lines = errors("german", "a", [0.20]) + [replace(line, draws=True) for line in drawn]
    comparison = on_papers_rows(tmp_path, lines)
    assert (comparison.n, comparison.basis, comparison.verdict) == (5, "realizations", "holds")
    assert comparison.effect == pytest.approx(-10.4)
    assert comparison.low < -10.4 < comparison.high
