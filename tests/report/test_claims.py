"""Claims on made-up records whose answer is known: every relation, and what is compared."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_up_records import CLAIMED, claimed, errors, make_study, record

from ensvm.report.claims import ClaimComparison, adjusted, evaluate_claims

NOISE = np.random.default_rng(0).normal(size=10) / 100.0
LESS = "better: a, than: b, relation: less, rows: [german]"
BOTH_ROWS = "better: a, than: b, relation: less, rows: [german, titanic]"
SPLIT = {"split": {"protocol": "kfold", "n_splits": 10, "stratified": False}}


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
    assert (found.better_mean, found.than_mean) == pytest.approx(means)
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
    keys = f"better: a, than: b, relation: {relation}, margin: {margin}, rows: [german]"
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


def test_the_spread_over_orders_widens_the_interval_of_one_split(compared):
    b = record("german", 1, "b", error=0.22, n_test=4000)
    a = record("german", 1, "a", error=0.2, n_test=4000)
    plain = compared(LESS, [a, b])
    orders = {"error": [0.1, 0.3] * 5}
    found = compared(LESS, [b, replace(a, by_order=orders, time="2026-01-03")])
    half, before = ((one.high - one.low) / 2 for one in (found, plain))
    added = 1.959964 * 100 * np.std(orders["error"], ddof=1) / np.sqrt(10)
    assert half**2 == pytest.approx(before**2 + added**2, rel=1e-5)
    assert (plain.verdict, found.verdict) == ("holds", "cannot tell")


RATIO = (
    "metric: train_seconds, pass: timing, better: a, than: b, relation: ratio, factor: 2, "
    "rows: [german]"
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
    assert found.effect == pytest.approx(np.exp(np.log(speedups).mean()))
    assert found.low <= found.effect <= found.high


@pytest.mark.parametrize(("ratio", "verdict"), [(2.0, "holds"), (1.2, "fails"), (5.0, "fails")])
def test_a_ratio_is_near_from_both_sides(compared, ratio, verdict):
    lines = timed(*((n / 8, noise * ratio * n / 8) for n, noise in enumerate([1, 1.01] * 3, 1)))
    assert compared(RATIO.replace("ratio,", "ratio-near,"), lines).verdict == verdict


@settings(max_examples=20)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_realizations_that_hold_by_themselves_are_counted(values):
    with TemporaryDirectory() as folder:
        claim = f"- {{id: 1, text: t, {LESS}}}"
        made = claimed(Path(folder) / "s", claim, both(values, [0.5] * len(values)))
        [judged] = evaluate_claims(made)
    assert judged.comparisons[0].n_holds == sum(value < 0.5 for value in values)


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
  - {id: c, text: t, better: a, than: b, relation: less, own_test: {a: runs_a, b: runs_b}}
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
        ("value-at-most", 20, "holds"),
        ("value-at-most", 12, "cannot tell"),
        ("value-at-most", 5, "fails"),
        ("value-at-least", 5, "holds"),
        ("value-at-least", 12, "cannot tell"),
        ("value-at-least", 20, "fails"),
    ],
)
def test_a_value_against_its_limit(compared, relation, limit, verdict):
    keys = f"metric: n_iter_, better: a, relation: {relation}, limit: {limit}, rows: [german]"
    found = compared(keys, [record("german", n, "a", n_iter_=9 + n) for n in range(1, 6)])
    assert (found.verdict, found.effect, found.n) == (verdict, 12.0, 5)
    assert found.low < 12.0 < found.high
    assert (found.than, found.than_mean) == (None, None)


def curves(**of_algorithms):
    """Return records of the curves of algorithms, one a realization."""
    return [
        record("german", number, name, curve=curve)
        for name, of_realizations in of_algorithms.items()
        for number, curve in enumerate(of_realizations, start=1)
    ]


BELOW = "metric: path_, better: a, than: b, relation: curve-below, rows: [german]"


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
    assert (found.better_mean, found.than_mean, found.verdict) == expected


@pytest.mark.parametrize(
    ("curve", "rises", "verdict"),
    [
        ([0.3, 0.2, 0.2, 0.1], 0.0, "holds"),
        ([0.3, 0.2, 0.25, 0.1], 1.0, "fails"),
        ([0.3, float("nan"), 0.1], 2.0, "fails"),
    ],
)
def test_a_curve_falls_when_it_never_rises(compared, curve, rises, verdict):
    """Rises are counted, even those of errors, which are shown in percent."""
    keys = "metric: staged_train_error, better: a, relation: curve-falls, rows: [german]"
    made = [replace(line, curves={"staged_train_error": curve}) for line in curves(a=[[]] * 2)]
    found = compared(keys, made)
    assert (found.effect, found.better_mean, found.unit) == (rises, rises, "rises")
    assert found.verdict == verdict


def test_a_stage_is_an_entry_of_a_curve_and_a_curve_that_ended_stays(compared):
    lines = curves(a=[[5.0, 1.0, 9.0], [5.0, 2.0]], b=[[7.0], [0.0, 8.0]])
    found = compared(f"metric: path_, stage: 2, {LESS}", lines)
    assert (found.better_mean, found.than_mean, found.verdict) == (1.5, 7.5, "holds")


def test_rows_and_pairs_of_a_claim(finding):
    by_default = finding("better: a, than: b, relation: less", [])
    assert [one.row for one in by_default.comparisons] == ["german", "titanic", "web2"]
    several = finding("better: [a, b], than: [b, later], relation: less, rows: [german]", [])
    pairs = [(one.better, one.than) for one in several.comparisons]
    assert pairs == [("a", "b"), ("a", "later"), ("b", "b"), ("b", "later")]


GROWTH = (
    "  - {id: 1, text: t, metric: size, better: a, relation: growth-at-most, over: german, "
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
    assert (one.row, one.better, one.n) == ("german", "a", 2)
    assert one.effect == pytest.approx(power, abs=1e-12)
    assert one.verdict == verdict or verdict is None  # at the limit rounding decides


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
        (SWEPT + GROWTH, "over: german, ", "", "the relation growth-at-most needs `over:`"),
        (SWEPT + GROWTH, "limit", "rows: [german], limit", "give `over:` or `rows:`, not both"),
        (
            SWEPT + GROWTH,
            "split.n_train: [100, 200, 400]",
            "scaling: [none, zscore]",
            "growth needs two positive numbers to grow with",
        ),
        (SWEPT + GROWTH, "text: t, ", "", r"give either `text:`.* or `paraphrase:`"),
        (SWEPT + GROWTH, "text: t", "text: t, paraphrase: p", r"give either `text:`.* or"),
        (RUNS, "relation: less", "relation: at-most", "`own_test:` is for the relation less"),
        (RUNS, "b: runs_b", "b: runs_c", "unknown sweep of algorithms 'runs_c'"),
        (RUNS, ", b: runs_b", "", "names a sweep for each algorithm .* a, b"),
        (RUNS, "than: b, relation: less", "stage: 2, relation: curve-falls", "no `stage:`"),
        (RUNS, "relation: less", "stage: 2, relation: less", "is not in the `record:` of a"),
    ],
)
def test_wrong_keys_are_refused(tmp_path, config, old, new, message):
    assert old in config
    with pytest.raises(ValueError, match=message):
        make_study(tmp_path / "s", config.replace(old, new), [])


def test_folds_are_not_taken_for_independent(compared):
    lines = both(0.25 + NOISE, 0.26 + NOISE[::-1])
    plain = compared(LESS, lines)
    found = compared(LESS, [replace(one, settings=SPLIT, time="2026-01-03") for one in lines])
    assert (plain.overlap, found.overlap) == (0.0, pytest.approx(1 / 9))
    wider = np.sqrt((1 / 10 + 1 / 9) / (1 / 10))
    assert found.high - found.low == pytest.approx(wider * (plain.high - plain.low))
    assert found.p_holds > plain.p_holds


@pytest.mark.parametrize("scope", ["all", "most"])
def test_the_rows_of_a_claim_are_adjusted_for_their_number(finding, scope):
    lines = [
        line
        for row, shift in (("german", 0.02), ("titanic", 0.005))
        for line in both(0.25 + NOISE, 0.25 + shift + NOISE[::-1], row)
    ]
    strong, weak = finding(f"{BOTH_ROWS}, scope: {scope}", lines).comparisons
    assert strong.p_holds_adjusted == pytest.approx((2 if scope == "most" else 1) * strong.p_holds)
    assert weak.p_fails_adjusted == min(1.0, 2 * weak.p_fails)
    assert weak.p_holds_adjusted == weak.p_holds
    assert (strong.verdict, strong.unadjusted) == ("holds", "holds")


def test_that_all_rows_hold_is_seldom_wrong_and_that_some_row_fails_too():
    """At the bound of one row, the others far on the right side; and all rows at the bound."""
    rng = np.random.default_rng(6)
    wrong_holds = wrong_fails = 0
    blank = ClaimComparison("c", "at-most", "error", "r", "a", "b", 0.0)
    for _ in range(2000):
        p_values = [rng.uniform(), 1e-9, 1e-9]
        one = [replace(blank, p_holds=p, p_fails=1 - p) for p in p_values]
        wrong_holds += all(x.verdict == "holds" for x in adjusted(one, "all"))
        at_bound = [replace(blank, p_holds=1 - p, p_fails=p) for p in rng.uniform(size=3)]
        wrong_fails += any(x.verdict == "fails" for x in adjusted(at_bound, "all"))
    assert 0.015 <= wrong_holds / 2000 <= 0.035
    assert 0.015 <= wrong_fails / 2000 <= 0.035


LIMIT = "metric: n_iter_, better: a, relation: value-at-most, limit: 12"


def test_single_values_without_an_interval_are_not_counted_among_the_tests(finding):
    lines = [record("german", number, "a", n_iter_=8 + number % 3) for number in range(1, 9)]
    single = record("titanic", 1, "a", n_iter_=3)
    tested, alone = finding(f"{LIMIT}, rows: [german, titanic]", [*lines, single]).comparisons
    assert tested.p_holds_adjusted == tested.p_holds
    assert (alone.verdict, alone.p_holds, alone.p_holds_adjusted) == ("holds", None, None)


def test_one_realization_decides_a_claim_about_each(compared):
    keys = f"{LIMIT}, each: true, rows: [german]"
    lines = [record("german", number, "a", n_iter_=2) for number in range(1, 9)]
    kept = compared(keys, lines)
    assert (kept.verdict, kept.effect, kept.n) == ("holds", 2.0, 8)
    found = compared(keys, [*lines, record("german", 9, "a", n_iter_=13)])
    assert (found.verdict, found.effect, found.low) == ("fails", 13.0, None)


def test_a_verdict_says_on_how_many_rows_it_rests(finding):
    few, more = (both([0.1, 0.11], [0.3, 0.31], row) for row in ("german", "titanic"))
    found = [finding(BOTH_ROWS, lines) for lines in ([], few, few + more)]
    assert [(one.verdict, one.qualified) for one in found] == [
        ("cannot tell", ""),
        ("holds", "on 1 of 2 rows; 1 without values"),
        ("holds", ""),
    ]


def printed(tmp_path, keys, published, table="- {id: 2, caption: E., columns: [a, b]}"):
    """Return the finding of a claim on a study without records, with these printed values."""
    text = CLAIMED.replace("- {id: 2, caption: Errors., columns: [a, b]}", table)
    text += f"  - {{id: 1, text: t, {keys}}}\n"
    values = "".join(f"2,{line},\n" for line in published.split())
    made = make_study(tmp_path / "s", text, [], "table,row,column,value,std\n" + values)
    (found,) = evaluate_claims(made)
    return found


@pytest.mark.parametrize(
    ("a", "b", "verdict"), [(17.3, 16.3, "holds"), (17.31, 16.3, "fails"), (0.3, 16.3, "holds")]
)
def test_of_printed_values_the_threshold_decides_exactly(tmp_path, a, b, verdict):
    keys = "better: a, than: b, relation: at-most, margin: 1, rows: [german]"
    found = printed(tmp_path, keys, f"german,a,{a} german,b,{b}")
    assert found.printed_verdict == found.comparisons[0].printed_verdict == verdict
    assert found.verdict == "cannot tell"


def test_printed_accuracies_are_errors_the_other_way_round(tmp_path):
    table = "- {id: 2, caption: E., metric: accuracy, columns: [a, b]}"
    found = printed(tmp_path, LESS, "german,a,93.5 german,b,91.0", table)
    assert found.comparisons[0].printed == -2.5
    assert found.printed_counts == "holds on 1 of 1 row"


def test_a_row_may_be_printed_under_another_name(tmp_path):
    values = "titanic,a,10 titanic,b,20"
    assert printed(tmp_path, LESS, values).printed_verdict is None
    named = LESS + ", printed_as: {german: titanic}"
    assert printed(tmp_path, named, values).comparisons[0].printed == -10.0


def test_a_printed_stage_is_compared_with_the_same_stage_alone(tmp_path):
    table = (
        "- {id: 2, caption: E., metric: path_, columns: "
        "[{name: first, algorithm: a, stage: 1}, {name: second, algorithm: a, stage: 2}]}"
    )
    keys = "metric: path_, stage: 2, better: a, relation: value-at-most, limit: 6, rows: [german]"
    found = printed(tmp_path, keys, "german,first,9 german,second,5", table)
    assert found.comparisons[0].printed == 5.0
