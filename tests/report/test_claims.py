"""Claims on made-up records whose answer is known: every relation, and what is compared."""

from dataclasses import replace

import numpy as np
import pytest
from made_up_records import CLAIMED, claimed, errors, make_study, record

from ensvm.records.record import Conditions
from ensvm.report.claims import evaluate_claims

NOISE = np.random.default_rng(0).normal(size=10) / 100.0


@pytest.fixture
def study(tmp_path):
    """Return a function that makes a study of the claims (YAML) and records."""
    return lambda claims, records: claimed(tmp_path / "s", claims, records)


def only(findings):
    """Return the one comparison of the one claim."""
    (finding,) = findings
    (comparison,) = finding.comparisons
    return comparison


LESS = "- {id: 1, text: t, better: a, than: b, relation: less, rows: [german]}"


def test_less_finds_a_planted_effect_in_paired_percent(study):
    made = study(
        LESS, [*errors("german", "a", 0.25 + NOISE), *errors("german", "b", 0.28 + NOISE[::-1])]
    )
    found = only(evaluate_claims(made))
    assert found.verdict == "holds"
    assert found.effect == pytest.approx(-3.0)
    assert (found.better_mean, found.than_mean) == (
        pytest.approx(100 * (0.25 + NOISE.mean())),
        pytest.approx(100 * (0.28 + NOISE.mean())),
    )
    assert found.low < -3.0 < found.high < 0.0
    assert found.n == 10
    assert found.printed == pytest.approx(-5.5)


def test_no_effect_is_not_claimed(study):
    made = study(
        LESS, [*errors("german", "a", 0.25 + NOISE), *errors("german", "b", 0.25 + NOISE[::-1])]
    )
    assert only(evaluate_claims(made)).verdict == "cannot tell"


def test_pairing_sees_through_the_spread_between_realizations(study):
    spread = np.linspace(0.1, 0.4, 10)
    made = study(
        LESS, [*errors("german", "a", spread), *errors("german", "b", spread + 0.01 + NOISE / 10)]
    )
    assert only(evaluate_claims(made)).verdict == "holds"


def test_only_realizations_of_both_are_paired(study):
    made = study(
        LESS, [*errors("german", "a", [0.1, 0.2, 0.9]), *errors("german", "b", [0.2, 0.3])]
    )
    found = only(evaluate_claims(made))
    assert (found.n, found.effect, found.verdict) == (2, pytest.approx(-10.0), "holds")


@pytest.mark.parametrize(
    ("shift", "margin", "verdict"),
    [(0.0, 1.0, "holds"), (0.05, 1.0, "fails"), (0.01, 1.0, "cannot tell"), (0.05, 6.0, "holds")],
)
def test_at_most_has_its_margin_in_points(study, shift, margin, verdict):
    claim = (
        "- {id: 1, text: t, better: a, than: b, relation: at-most, "
        f"margin: {margin}, rows: [german]}}"
    )
    made = study(
        claim,
        [*errors("german", "a", 0.25 + shift + NOISE / 5), *errors("german", "b", [0.25] * 10)],
    )
    assert only(evaluate_claims(made)).verdict == verdict


def test_one_split_is_judged_by_its_test_points(study):
    claim = "- {id: 1, text: t, better: a, than: b, relation: less, rows: [german, titanic]}"
    made = study(
        claim,
        [
            *(
                record("german", 1, name, error=error, n_test=4000)
                for name, error in (("a", 0.03), ("b", 0.22))
            ),
            *(
                record("titanic", 1, name, error=error, n_test=20)
                for name, error in (("a", 0.10), ("b", 0.15))
            ),
        ],
    )
    (finding,) = evaluate_claims(made)
    far, near = finding.comparisons
    assert (far.verdict, far.n, far.effect) == ("holds", 1, pytest.approx(-19.0))
    assert far.low == pytest.approx(-20.4, abs=0.1)
    assert near.verdict == "cannot tell"
    assert finding.verdict == "cannot tell"


RATIO = (
    "- {id: 1, text: t, metric: train_seconds, pass: timing, better: a, than: b, "
    "relation: ratio, factor: 2, rows: [german]}"
)


@pytest.mark.parametrize(
    ("speedups", "verdict"),
    [
        ([3.0, 3.1, 2.9], "holds"),
        ([1.5, 1.4, 1.6], "fails"),
        ([1.5, 2.6, 2.1], "cannot tell"),
        ([2.0], "holds"),
        ([1.9], "cannot tell"),
        ([0.5], "fails"),
    ],
)
def test_ratio_of_seconds_of_the_timing_pass(study, speedups, verdict):
    lines = [
        line
        for number, speedup in enumerate(speedups, start=1)
        for line in (
            record("german", number, "a", run_pass="timing", seconds=number / 8),
            record("german", number, "b", run_pass="timing", seconds=speedup * number / 8),
            # seconds of the error pass are never looked at
            record("german", number, "a", seconds=1000.0),
            record("german", number, "b", seconds=1.0),
        )
    ]
    found = only(evaluate_claims(study(RATIO, lines)))
    assert found.verdict == verdict
    assert found.effect == pytest.approx(np.exp(np.log(speedups).mean()))
    assert (found.low is None) == (len(speedups) == 1)
    if found.low is not None:
        assert found.low <= found.effect <= found.high


def test_an_interval_of_ratios_may_be_infinite(study):
    lines = [record("german", number, "a", run_pass="timing", seconds=1.0) for number in (1, 2)]
    lines += [
        record("german", number, "b", run_pass="timing", seconds=10.0 ** (60 * number))
        for number in (1, 2)
    ]
    found = only(evaluate_claims(study(RATIO, lines)))
    assert (found.verdict, found.high) == ("cannot tell", np.inf)
    assert found.low < found.effect == pytest.approx(1e90)


def test_a_ratio_of_nothing_is_no_figure(study):
    lines = [record("german", 1, name, run_pass="timing", seconds=0.0) for name in "ab"]
    found = only(evaluate_claims(study(RATIO, lines)))
    assert (found.verdict, found.n) == (None, 0)
    assert "not positive" in found.reason


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
def test_a_value_against_its_limit(study, relation, limit, verdict):
    claim = (
        "- {id: 1, text: t, metric: n_iter_, better: a, "
        f"relation: {relation}, limit: {limit}, rows: [german]}}"
    )
    made = study(
        claim, [record("german", number, "a", n_iter_=9 + number) for number in range(1, 6)]
    )
    found = only(evaluate_claims(made))
    assert (found.verdict, found.effect, found.n) == (verdict, 12.0, 5)
    assert found.low < 12.0 < found.high
    assert (found.than, found.than_mean) == (None, None)


def test_a_curve_is_compared_where_the_better_one_ends(study):
    claim = (
        "- {id: 1, text: t, metric: path_, better: a, than: b, "
        "relation: curve-below, factor: 2, rows: [german]}"
    )
    lines = [
        line
        for number in (1, 2, 3)
        for line in (
            record("german", number, "a", curve=[8.0, 1.0, 0.5]),
            record("german", number, "b", curve=[8.0, 7.0, 3.0, 0.1]),
        )
    ]
    found = only(evaluate_claims(study(claim, lines)))
    assert (found.verdict, found.better_mean, found.than_mean, found.effect) == (
        "holds",
        0.5,
        3.0,
        pytest.approx(6.0),
    )


def test_a_curve_that_ended_stays_where_it_ended(study):
    claim = (
        "- {id: 1, text: t, metric: path_, better: a, than: b, "
        "relation: curve-below, rows: [german]}"
    )
    lines = [
        record("german", 1, "a", curve=[8.0, 4.0, 2.0]),
        record("german", 1, "b", curve=[8.0, 1.0]),
    ]
    found = only(evaluate_claims(study(claim, lines)))
    assert (found.than_mean, found.verdict) == (1.0, "fails")


@pytest.mark.parametrize(
    ("curve", "rises", "verdict"),
    [
        ([3.0, 2.0, 2.0, 1.0], 0.0, "holds"),
        ([3.0, 2.0, 2.5, 1.0], 1.0, "fails"),
        ([3.0, float("nan"), 1.0], 2.0, "fails"),
    ],
)
def test_a_curve_falls_when_it_never_rises(study, curve, rises, verdict):
    claim = "- {id: 1, text: t, metric: path_, better: a, relation: curve-falls, rows: [german]}"
    found = only(
        evaluate_claims(
            study(claim, [record("german", number, "a", curve=curve) for number in (1, 2)])
        )
    )
    assert (found.effect, found.unit, found.verdict) == (rises, "rises", verdict)


def test_rows_are_by_default_the_data_sets_with_all_the_algorithms(study):
    (finding,) = evaluate_claims(
        study("- {id: 1, text: t, better: a, than: b, relation: less}", [])
    )
    assert [comparison.row for comparison in finding.comparisons] == ["german", "titanic", "web2"]


def test_several_names_mean_each_of_them(study):
    claim = "- {id: 1, text: t, better: [a, b], than: [b, later], relation: less, rows: [german]}"
    (finding,) = evaluate_claims(study(claim, []))
    pairs = [(comparison.better, comparison.than) for comparison in finding.comparisons]
    assert pairs == [("a", "b"), ("a", "later"), ("b", "b"), ("b", "later")]


def test_algorithms_without_a_common_realization_are_not_compared(study):
    found = only(
        evaluate_claims(
            study(LESS, [record("german", 1, "a", error=0.1), record("german", 2, "b", error=0.2)])
        )
    )
    assert found.reason == "no realization has values of a and b"


@pytest.mark.parametrize(
    ("shift", "verdict"), [(0.0, "holds"), (0.02, "fails"), (-0.02, "fails"), (0.01, "cannot tell")]
)
def test_within_asks_for_both_sides(study, shift, verdict):
    claim = "- {id: 1, text: t, better: a, than: b, relation: within, margin: 1.0, rows: [german]}"
    small = NOISE / 10
    records = [
        *errors("german", "a", 0.25 + shift + small),
        *errors("german", "b", 0.25 + small[::-1]),
    ]
    assert only(evaluate_claims(study(claim, records))).verdict == verdict


def test_a_stage_is_an_entry_of_a_curve_and_a_curve_that_ended_stays(study):
    claim = (
        "- {id: 1, text: t, metric: path_, stage: 2, better: a, than: b, "
        "relation: less, rows: [german]}"
    )
    curves = {
        ("a", 1): [5.0, 1.0, 9.0],
        ("a", 2): [5.0, 2.0],
        ("b", 1): [7.0],
        ("b", 2): [0.0, 8.0],
    }
    records = [
        record("german", number, name, curve=curve) for (name, number), curve in curves.items()
    ]
    found = only(evaluate_claims(study(claim, records)))
    assert (found.better_mean, found.than_mean, found.verdict) == (1.5, 7.5, "holds")


def test_a_stage_of_a_whole_curve_or_of_no_curve_is_refused(study):
    for keys, message in (
        ("metric: path_, stage: 2, relation: curve-falls", "no `stage:`"),
        (
            "metric: error, stage: 2, relation: value-at-most, limit: 1",
            "'error' is not in the `record:` of a",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            study(f"- {{id: 1, text: t, better: a, {keys}}}", [])


GROWTH = (
    "- {id: 1, text: t, metric: size, better: a, "
    "relation: growth-at-most, over: german, limit: 0.5}"
)
SWEPT = "datasets: [{name: german, sweep: {split.n_train: [100, 200, 400]}}]"


@pytest.mark.parametrize(
    ("power", "verdict"), [(0.25, "holds"), (0.5, "holds"), (1.0, "fails"), (0.0, "holds")]
)
def test_growth_is_the_power_planted(tmp_path, power, verdict):
    text = CLAIMED.replace(CLAIMED.splitlines()[2], SWEPT).replace("published: p.csv\n", "")
    lines = [
        record(f"german-{m}", number, "a", size=number * 2**-40 * m**power)
        for m in (100, 200, 400)
        for number in (1, 2)
    ]
    found = only(evaluate_claims(make_study(tmp_path / "s", text + "  " + GROWTH + "\n", lines)))
    assert (found.row, found.better, found.n) == ("german", "a", 2)
    assert found.effect == pytest.approx(power, abs=1e-12)
    if power != 0.5:  # there rounding decides
        assert found.verdict == verdict


def test_growth_needs_all_members_and_positive_figures(tmp_path):
    text = (
        CLAIMED.replace(CLAIMED.splitlines()[2], SWEPT).replace("published: p.csv\n", "")
        + "  "
        + GROWTH
        + "\n"
    )
    lines = [record(f"german-{m}", 1, "a", size=m) for m in (100, 200)]
    assert only(evaluate_claims(make_study(tmp_path / "s", text, lines))).reason == "a: not run yet"
    zero = record("german-400", 1, "a", size=0)
    found = only(evaluate_claims(make_study(tmp_path / "t", text, [*lines, zero])))
    assert found.reason == "size is not positive everywhere, so its growth has no exponent"


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        (
            GROWTH.replace("over: german", "over: web2"),
            "unknown sweep of data sets 'web2'; accepted: german",
        ),
        (GROWTH.replace("over: german, ", ""), "the relation growth-at-most needs `over:`"),
        (GROWTH.replace("limit", "rows: [german], limit"), "give `over:` or `rows:`, not both"),
    ],
)
def test_wrong_keys_of_growth_are_refused(tmp_path, claim, message):
    text = CLAIMED.replace(CLAIMED.splitlines()[2], SWEPT).replace("published: p.csv\n", "")
    with pytest.raises(ValueError, match=message):
        make_study(tmp_path / "s", text + "  " + claim + "\n", [])


def test_growth_needs_positive_numbers(tmp_path):
    sizes = SWEPT.replace("split.n_train: [100, 200, 400]", "scaling: [none, zscore]")
    text = CLAIMED.replace(CLAIMED.splitlines()[2], sizes).replace("published: p.csv\n", "")
    with pytest.raises(ValueError, match="growth needs two positive numbers to grow with"):
        make_study(tmp_path / "s", text + "  " + GROWTH + "\n", [])


def test_rises_of_a_curve_of_errors_are_counted_not_percent(tmp_path):
    text = CLAIMED.replace("record: [path_]", "record: [staged_train_error]") + (
        "  - {id: 1, text: t, metric: staged_train_error, better: a, relation: curve-falls,\n"
        "     rows: [german]}\n"
    )
    lines = [record("german", number, "a") for number in (1, 2)]
    lines = [
        replace(line, curves={"staged_train_error": [0.3, 0.2, 0.25, 0.1, 0.2]}) for line in lines
    ]
    found = only(evaluate_claims(make_study(tmp_path / "s", text, lines)))
    assert (found.effect, found.better_mean, found.unit) == (2.0, 2.0, "rises")


def test_seconds_of_different_machines_are_not_compared(study):
    lines = [
        replace(
            record("german", 1, name, run_pass="timing", seconds=1.0),
            conditions=Conditions(host, 1, None, True),
        )
        for name, host in (("a", "one"), ("b", "other"))
    ]
    found = only(evaluate_claims(study(RATIO, lines)))
    assert found.verdict is None
    assert "different machines (one, other)" in found.reason


FOLDS = {"split": {"protocol": "kfold", "n_splits": 10, "stratified": False}}


def test_folds_are_not_taken_for_independent(study):
    lines = [*errors("german", "a", 0.25 + NOISE), *errors("german", "b", 0.26 + NOISE[::-1])]
    plain = only(evaluate_claims(study(LESS, lines)))
    folded = study(LESS, [replace(line, settings=FOLDS, time="2026-01-03") for line in lines])
    found = only(evaluate_claims(folded))
    assert (plain.overlap, found.overlap) == (0.0, pytest.approx(1 / 9))
    wider = np.sqrt((1 / 10 + 1 / 9) / (1 / 10))
    assert found.high - found.low == pytest.approx(wider * (plain.high - plain.low))
    assert found.p_holds > plain.p_holds


def test_the_rows_of_a_claim_are_adjusted_for_their_number(study):
    claim = "- {id: 1, text: t, better: a, than: b, relation: less, rows: [german, titanic]}"
    lines = [
        line
        for row, shift in (("german", 0.02), ("titanic", 0.005))
        for line in (*errors(row, "a", 0.25 + NOISE), *errors(row, "b", 0.25 + shift + NOISE[::-1]))
    ]
    (finding,) = evaluate_claims(study(claim, lines))
    strong, weak = finding.comparisons
    assert strong.p_holds_adjusted == pytest.approx(2 * strong.p_holds)
    assert weak.p_holds_adjusted == weak.p_holds
    assert (strong.verdict, strong.unadjusted) == ("holds", "holds")


def test_single_values_without_an_interval_are_not_counted_among_the_tests(study):
    claim = (
        "- {id: 1, text: t, metric: n_iter_, better: a, relation: value-at-most, limit: 12, "
        "rows: [german, titanic]}"
    )
    lines = [record("german", number, "a", n_iter_=8 + number % 3) for number in range(1, 9)]
    single = record("titanic", 1, "a", n_iter_=3)
    (finding,) = evaluate_claims(study(claim, [*lines, single]))
    tested, alone = finding.comparisons
    assert tested.p_holds_adjusted == tested.p_holds
    assert (alone.verdict, alone.p_holds, alone.p_holds_adjusted) == ("holds", None, None)


def test_one_realization_decides_a_claim_about_each(study):
    claim = (
        "- {id: 1, text: t, metric: n_iter_, better: a, relation: value-at-most, limit: 12, "
        "each: true, rows: [german]}"
    )
    lines = [record("german", number, "a", n_iter_=2) for number in range(1, 9)]
    kept = only(evaluate_claims(study(claim, lines)))
    assert (kept.verdict, kept.effect, kept.n) == ("holds", 2.0, 8)
    worst = record("german", 9, "a", n_iter_=13)
    found = only(evaluate_claims(study(claim, [*lines, worst])))
    assert (found.verdict, found.effect, found.low) == ("fails", 13.0, None)


def test_a_verdict_says_on_how_many_rows_it_rests(study):
    claim = "- {id: 1, text: t, better: a, than: b, relation: less, rows: [german, titanic]}"
    lines = [*errors("german", "a", [0.1, 0.11]), *errors("german", "b", [0.3, 0.31])]
    (none,) = evaluate_claims(study(claim, []))
    assert (none.verdict, none.qualified) == ("cannot tell", "")
    (some,) = evaluate_claims(study(claim, lines))
    assert (some.verdict, some.qualified) == ("holds", "on 1 of 2 rows; 1 without values")
    more = [*errors("titanic", "a", [0.1, 0.11]), *errors("titanic", "b", [0.3, 0.31])]
    (every,) = evaluate_claims(study(claim, [*lines, *more]))
    assert (every.verdict, every.qualified) == ("holds", "")


def printed(tmp_path, claim, published, table="- {id: 2, caption: E., columns: [a, b]}"):
    """Return the finding of a claim on a study without records, with these printed values."""
    text = CLAIMED.replace("- {id: 2, caption: Errors., columns: [a, b]}", table) + "  " + claim
    made = make_study(tmp_path / "s", text + "\n", [], "table,row,column,value,std\n" + published)
    (finding,) = evaluate_claims(made)
    return finding


@pytest.mark.parametrize(
    ("printed_values", "verdict"),
    [((17.3, 16.3), "holds"), ((17.31, 16.3), "fails"), ((0.3, 16.3), "holds")],
)
def test_of_printed_values_the_threshold_decides_exactly(tmp_path, printed_values, verdict):
    claim = "- {id: 1, text: t, better: a, than: b, relation: at-most, margin: 1, rows: [german]}"
    lines = "".join(
        f"2,german,{name},{value},\n" for name, value in zip("ab", printed_values, strict=True)
    )
    finding = printed(tmp_path, claim, lines)
    assert finding.printed_verdict == finding.comparisons[0].printed_verdict == verdict
    assert finding.verdict == "cannot tell"


def test_printed_accuracies_are_errors_the_other_way_round(tmp_path):
    finding = printed(
        tmp_path,
        "- {id: 1, text: t, better: a, than: b, relation: less, rows: [german]}",
        "2,german,a,93.5,\n2,german,b,91.0,\n",
        "- {id: 2, caption: E., metric: accuracy, columns: [a, b]}",
    )
    assert finding.comparisons[0].printed == -2.5
    assert finding.printed_counts == "holds on 1 of 1 row"


def test_a_row_may_be_printed_under_another_name(tmp_path):
    values = "2,titanic,a,10,\n2,titanic,b,20,\n"
    claim = "- {id: 1, text: t, better: a, than: b, relation: less, rows: [german]"
    assert printed(tmp_path, claim + "}", values).printed_verdict is None
    named = claim + ", printed_as: {german: titanic}}"
    assert printed(tmp_path, named, values).comparisons[0].printed == -10.0
    with pytest.raises(ValueError, match=r"printed_as: unknown data set 'titanc'"):
        printed(tmp_path, named.replace("titanic", "titanc"), values)


def test_a_printed_stage_is_compared_with_the_same_stage_alone(tmp_path):
    table = (
        "- {id: 2, caption: E., metric: path_, columns: "
        "[{name: first, algorithm: a, stage: 1}, {name: second, algorithm: a, stage: 2}]}"
    )
    claim = (
        "- {id: 1, text: t, metric: path_, stage: 2, better: a, relation: value-at-most, "
        "limit: 6, rows: [german]}"
    )
    values = "2,german,first,9,\n2,german,second,5,\n"
    assert printed(tmp_path, claim, values, table).comparisons[0].printed == 5.0


@pytest.mark.parametrize("wording", ["", "text: t, paraphrase: p, "])
def test_a_claim_is_a_sentence_or_a_paraphrase(study, wording):
    claim = f"- {{id: 1, {wording}better: a, than: b, relation: less, rows: [german]}}"
    with pytest.raises(ValueError, match=r"give either `text:`.* or `paraphrase:`"):
        study(claim, [])


def test_the_spread_over_orders_widens_the_interval_of_one_split(study):
    b = record("german", 1, "b", error=0.22, n_test=4000)
    a = record("german", 1, "a", error=0.2, n_test=4000)
    plain = only(evaluate_claims(study(LESS, [a, b])))
    orders = {"error": [0.1, 0.3] * 5}
    moved = study(LESS, [b, replace(a, by_order=orders, time="2026-01-03")])
    found = only(evaluate_claims(moved))
    half, before = ((one.high - one.low) / 2 for one in (found, plain))
    added = 1.959964 * 100 * np.std(orders["error"], ddof=1) / np.sqrt(10)
    assert half**2 == pytest.approx(before**2 + added**2, rel=1e-5)
    assert (plain.verdict, found.verdict) == ("holds", "cannot tell")
