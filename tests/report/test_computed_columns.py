"""Columns computed from two others: their definition, their interval, and what print says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up_records import errors, invoke, make_study, record
from scipy.stats import t, ttest_rel

from ensvm.errors import UserError
from ensvm.report.claims import judge_claim
from ensvm.report.documents.claim_document import claims_document, words_of_test
from ensvm.report.documents.table_document import table_document
from ensvm.report.evidence import evidence_in_tables, evidence_of
from ensvm.report.plots import boxes, scatters
from ensvm.report.plots.drawing import drawn_figure
from ensvm.report.render.media import MEDIA
from ensvm.report.tables import build_table, underlined
from ensvm.study.figure_kinds import axis_label
from ensvm.study.published_part import published_values
from ensvm.study.read_config import read_config
from ensvm.study.table_layout import ColumnConfig

CONFIG = """\
study: s
realizations: 5
published_realizations: 10
datasets: [german, {name: titanic, algorithms: [clean]}]
algorithms:
  clean: {label: Clean, estimator: SVC}
  noisy: {label: Noisy, estimator: SVC}
published: p.csv
tables:
  - id: 4
    caption: What noise does.
    columns:
      - clean
      - noisy
      - {name: rise, label: Rise, of: [noisy, clean], as: difference}
      - {name: times, of: [noisy, clean], as: ratio}
      - {name: percent, of: [noisy, clean], as: percent}
"""
PRINTED = "table,row,column,value,std\n4,german,rise,2.0,\n4,german,percent,20,\n"
CLEAN, NOISY = (0.10, 0.12, 0.11, 0.13, 0.12), (0.12, 0.13, 0.14, 0.15, 0.13)


def records(clean=CLEAN, noisy=NOISY):
    return [
        *errors("german", "clean", clean),
        *errors("german", "noisy", noisy),
        *errors("titanic", "clean", clean),
    ]


def cells_of(folder, lines, config=CONFIG, printed=PRINTED):
    study = make_study(folder, config, lines, printed)
    table = study.config.tables[-1]
    return study, table, {(one.row, one.column): one for one in build_table(study, table)}


@given(
    st.lists(
        st.tuples(st.integers(10, 90), st.integers(10, 90)), min_size=3, max_size=6, unique=True
    )
)
def test_a_computed_column_is_its_definition_over_the_realizations(tmp_path_factory, pairs):
    a, b = np.array(pairs, float).T
    lines = records(b / 100, a / 100)
    _, _, cells = cells_of(tmp_path_factory.mktemp("s"), lines)
    rise, times, percent = (cells["german", name] for name in ("rise", "times", "percent"))
    assert rise.mean == pytest.approx(np.mean(a - b))
    assert times.mean == pytest.approx(a.mean() / b.mean())
    assert percent.mean == pytest.approx(100 * (a.mean() / b.mean() - 1))
    assert {one.n for one in (rise, times, percent)} == {len(pairs)}
    if np.ptp(a - b):
        interval = ttest_rel(a, b).confidence_interval(0.95)
        assert (rise.low, rise.high) == pytest.approx(tuple(interval))
    # Fieller: a ratio is in the interval if the paired t test does not reject it
    for end in (times.low, times.high):
        if 0.0 < end < np.inf and np.std(a - end * b) > 1e-9:
            distance = (a - end * b).mean() / (np.std(a - end * b, ddof=1) / len(pairs) ** 0.5)
            assert abs(distance) == pytest.approx(t.ppf(0.975, len(pairs) - 1), rel=1e-6)
    assert percent.low == pytest.approx(100 * (times.low - 1))
    assert percent.high == pytest.approx(100 * (times.high - 1))


def test_it_is_judged_against_print_with_prints_share_of_the_spread(tmp_path):
    _, _, cells = cells_of(tmp_path / "s", records())
    rise, percent = cells["german", "rise"], cells["german", "percent"]
    differences = 100 * np.subtract(NOISY, CLEAN)
    half = t.ppf(0.975, 4) * differences.std(ddof=1) * np.sqrt(1 / 5 + 1 / 10) + 0.05
    assert rise.difference == pytest.approx(differences.mean() - 2.0)
    assert rise.difference_high == pytest.approx(rise.difference + half)
    assert rise.interval_of == percent.interval_of == "two columns"
    assert rise.verdict is not None
    assert percent.difference_low < percent.low - 20  # print varies, too
    assert percent.difference_high > percent.high - 20


def test_a_realization_without_error_leaves_the_ratio_of_the_means(tmp_path):
    _, _, cells = cells_of(tmp_path / "s", records(clean=(0.0, 0.1, 0.2)))
    cell = cells["german", "times"]
    assert cell.mean == pytest.approx(np.mean(NOISY[:3]) / 0.1)
    _, _, cells = cells_of(tmp_path / "t", records(clean=(0.0, 0.0, 0.0)))
    assert cells["german", "times"].mean is None
    assert "not positive everywhere" in cells["german", "times"].reason


def test_only_realizations_of_both_count_and_a_missing_one_is_named(tmp_path):
    lines = [one for one in records() if (one.algorithm, one.realization) != ("noisy", 2)]
    study, table, cells = cells_of(tmp_path / "s", lines)
    cell = cells["german", "rise"]
    both = [0, 2, 3, 4]
    assert cell.mean == pytest.approx(100 * np.mean(np.subtract(NOISY, CLEAN)[both]))
    assert (cell.n, cell.status) == (4, "incomplete")
    missing = cells["titanic", "rise"]
    assert missing.mean is None
    assert missing.reason.startswith("noisy: ")
    assert any("Rise" in text for text in table_document(study, table).missing)


def test_an_interval_without_end_is_infinite_in_the_evidence_as_in_tables(tmp_path):
    lines = records(clean=(0.0, 0.02, 0.0, 0.01, 0.0))  # may be 0: a ratio to it has no end
    study, table, cells = cells_of(tmp_path, lines, printed="table,row,column,value,std\n")
    assert cells["german", "times"].high == np.inf
    times = evidence_of(study, table, cells["german", "times"])
    assert " to ∞," in times.compared["ours"]
    assert "nan" not in times.compared["ours"]  # the spread of values of which some are infinite
    assert "∞" in MEDIA["md"].render(table_document(study, table))


def test_every_medium_and_the_evidence_show_it_with_its_interval(tmp_path):
    study, table, cells = cells_of(tmp_path / "s", records())
    cell, document = cells["german", "rise"], table_document(study, table)
    interval = f"{cell.low:.1f} to {cell.high:.1f}"
    for name, medium in MEDIA.items():
        if name not in ("csv", "terminal"):
            assert interval in str(medium.render(document)), name
    line = document.frame.set_index(["row", "column"]).loc["german", "rise"]
    assert (line["low"], line["high"]) == (cell.low, cell.high)
    assert "of both columns" in " ".join(document.legend)
    result = invoke("table", tmp_path / "s")
    assert interval in " ".join(result.output.split())
    titles = [one.title for one in evidence_in_tables(study, "german", "noisy")]
    assert "Table 4: german, Rise" in titles
    behind = next(
        one for one in evidence_in_tables(study, "german", "clean") if "Rise" in one.title
    )
    assert "--algorithms noisy --algorithms clean" in behind.facts["run this cell anew"]
    assert "percentage points" in behind.sentence


def test_a_printed_computed_value_needs_the_values_of_both_columns(tmp_path):
    study, _, _ = cells_of(tmp_path / "s", records(), printed=PRINTED.replace("german", "titanic"))
    needed = published_values(study.config, study.published)
    assert {("titanic", "noisy", "error"), ("titanic", "clean", "error")} <= needed.keys()


def test_a_speed_up_is_judged_though_seconds_are_not(tmp_path):
    config = CONFIG + (
        "  - {id: 5, caption: Seconds., of: timing, metric: train_seconds, rows: [german],\n"
        "     columns: [clean, noisy, {name: speedup, of: [noisy, clean], as: ratio}]}\n"
        "timing: {realizations: 5}\n"
    )
    lines = records() + [
        record("german", n, name, run_pass="timing", host="h", seconds=seconds * (1 + n / 100))
        for name, seconds in (("clean", 1.0), ("noisy", 3.0))
        for n in range(1, 6)
    ]
    printed = PRINTED + "5,german,speedup,3.0,\n5,german,clean,1.0,\n"
    _, _, cells = cells_of(tmp_path / "s", lines, config, printed)
    assert cells["german", "speedup"].mean == pytest.approx(3.0)
    assert cells["german", "speedup"].verdict == "within the margin"
    assert cells["german", "clean"].verdict is None


def test_a_computed_column_may_be_underlined(tmp_path):
    config = CONFIG.replace(
        "    columns:\n",
        "    best: min\n    underline: {rise: [worse]}\n    columns:\n"
        "      - worst\n      - {name: worse, of: [worst, clean], as: difference}\n",
    ).replace("published: p", "  worst: {estimator: SVC}\npublished: p")
    lines = records() + errors("german", "worst", np.add(NOISY, 0.2))
    study, table, cells = cells_of(tmp_path / "s", lines, config)
    of_row = [cell for (row, _), cell in cells.items() if row == "german"]
    assert underlined(study, table, of_row) == {"rise"}


COMPUTED = "{name: rise, label: Rise, of: [noisy, clean], as: difference}"


@pytest.mark.parametrize(
    ("slip", "message"),
    [
        ("{name: rise, of: [noisy, clean]}", r"has `of: \[ONE, OTHER\]` and `as:`"),
        ("{name: rise, as: ratio}", r"has `of: \[ONE, OTHER\]` and `as:`"),
        ("{name: rise, of: [noisy, cleen], as: ratio}", "'cleen'.*did you mean 'clean'"),
        ("{name: rise, of: [noisy], as: ratio}", "computed from two others, and named: noisy"),
        (
            "{name: rise, of: [noisy, noisy], as: ratio}",
            r"columns\[3\]\.of: the column or algorithm 'noisy' is given twice",
        ),
        ("{name: rise, of: [noisy, times], as: ratio}", "'times' is computed itself; accepted"),
        ("{name: rise, of: [noisy, clean], as: quotient}", "'quotient'.*difference, ratio"),
        ("{name: rise, of: [noisy, clean], as: ratio, metric: auc}", "leave out `metric:`"),
        (
            "{name: rise, of: [noisy, n], as: ratio}, {name: n, algorithm: clean, metric: size}",
            r"noisy \(%\) and n \(a plain number\) have different units",
        ),
    ],
)
def test_slips_are_refused_in_one_line(tmp_path, slip, message):
    columns = slip.replace("}, {", "}\n      - {")
    text = CONFIG.replace(COMPUTED, columns)
    (tmp_path / "s.yaml").write_text(text)
    with pytest.raises(UserError, match=message):
        read_config(tmp_path / "s.yaml")


def test_a_name_of_an_algorithm_is_not_that_of_a_computed_column(tmp_path):
    text = CONFIG.replace("name: rise", "name: other").replace(
        "published: p", "  other: {estimator: SVC}\npublished: p"
    )
    (tmp_path / "s.yaml").write_text(text)
    with pytest.raises(UserError, match="needs a name of its own"):
        read_config(tmp_path / "s.yaml")


def test_a_column_goes_with_one_of_those_that_it_is_computed_from():
    block = {"name": "rise", "of": ["noisy", "clean"], "as": "ratio"}
    assert ColumnConfig.without(block, {"column or algorithm": {"noisy"}}) is None
    assert ColumnConfig.without(block, {"column or algorithm": {"other"}}) == block


def test_what_it_is_computed_from_need_not_be_shown(tmp_path):
    """Breiman's Table 4 prints the rises alone."""
    _, _, expected = cells_of(tmp_path / "s", records())
    config = CONFIG.replace("      - clean\n      - noisy\n", "")
    study, table, cells = cells_of(tmp_path / "t", records(), config)
    assert study.config.rows_of(table) == ("german", "titanic")
    for name in ("rise", "times", "percent"):
        assert cells["german", name] == expected["german", name]
    asked = {name for each in study.config.asked() for name in each.algorithms}
    assert asked == {"noisy", "clean"}
    # another metric of the table is asked of both
    scored = make_study(
        tmp_path / "u", config.replace("id: 4", "id: 4\n    metric: auc"), [], PRINTED
    )
    assert scored.config.scored() == {"noisy": ("auc",), "clean": ("auc",)}


SWEPT = CONFIG.replace(
    "  noisy: {label: Noisy, estimator: SVC}\n",
    "  noisy: {label: 'C {value}', estimator: SVC, sweep: {params.C: [1, 2.5]}}\n"
    "  other: {estimator: SVC, sweep: {params.C: [1, 2.5]}}\n"
    "  third: {estimator: SVC, sweep: {params.C: [1, 3]}}\n",
)
OF_SWEEP = "{name: rise, label: 'Rise at {value:.1f}', of: [noisy, clean], as: difference}"


def test_of_a_sweep_there_is_a_column_for_each_member(tmp_path):
    config = SWEPT.replace(COMPUTED, OF_SWEEP).replace(
        "of: [noisy, clean], as: ratio", "of: [noisy, other], as: ratio"
    )
    study = make_study(tmp_path / "s", config.replace("published: p.csv\n", ""), [])
    columns = {one.name: one for one in study.config.tables[0].columns}
    assert columns["rise-2.5"].of_columns == ("noisy-2.5", "clean")
    assert study.config.column_label(columns["rise-2.5"]) == "Rise at 2.5"
    assert columns["times-1"].of_columns == ("noisy-1", "other-1")
    assert "percent-2.5" in columns
    assert "rise" not in columns


def test_sweeps_of_other_values_do_not_make_columns_together(tmp_path):
    text = SWEPT.replace(COMPUTED, OF_SWEEP.replace("clean", "third"))
    (tmp_path / "s.yaml").write_text(text)
    with pytest.raises(UserError, match=r"different values: noisy \(1, 2.5\) and third \(1, 3\)"):
        read_config(tmp_path / "s.yaml")


CLAIMS = """\
claims:
  - {id: rises, paraphrase: The error rises., tests: [
      {left: rise, table: 4, relation: at-least, limit: 1, rows: [german]},
      {left: percent, table: 4, relation: at-least, limit: 1, rows: [german]},
      {left: percent, right: percent-of-other, table: 4, relation: less, rows: [german]},
      {left: noisy, right: clean, of: percent, relation: at-least, limit: 1, rows: [german]}]}
"""
OTHER = (0.2, 0.26, 0.21, 0.33, 0.28)


def claimed(folder, config=CONFIG + CLAIMS):
    config = config.replace("published: p", "  other: {estimator: SVC}\npublished: p").replace(
        "claims:", "      - {name: percent-of-other, of: [other, clean], as: percent}\nclaims:"
    )
    lines = records() + errors("german", "other", OTHER)
    study = make_study(folder, config, lines, PRINTED)
    return study, judge_claim(study, study.config.claims[0])


def test_a_claim_has_the_value_and_the_interval_that_its_table_shows(tmp_path):
    study, judged = claimed(tmp_path / "s")
    cells = {(one.row, one.column): one for one in build_table(study, study.config.tables[0])}
    for number, name in enumerate(("rise", "percent")):
        (one,) = judged.tests[number].comparisons
        cell = cells["german", name]
        low, high = one.estimate.interval(0.05)
        assert (one.effect, low, high) == pytest.approx((cell.mean, cell.low, cell.high))
        assert one.printed == cell.published
    # the claim of the same effect of two algorithms is the same test
    (of_columns,), (of_algorithms,) = (judged.tests[at].comparisons for at in (1, 3))
    # `percent` is of the second side above the first
    assert of_algorithms.effect == pytest.approx(100 * (np.mean(CLEAN) / np.mean(NOISY) - 1))
    assert of_columns.verdict is not None


def test_two_ratios_are_compared_by_the_delta_method(tmp_path):
    _, judged = claimed(tmp_path / "s")
    (one,) = judged.tests[2].comparisons
    clean, noisy, other = (100 * np.array(values) for values in (CLEAN, NOISY, OTHER))

    def statistic(*means):
        return 100 * (means[1] / means[0]) - 100 * (means[2] / means[0])

    values = np.column_stack([clean, noisy, other])
    means = values.mean(axis=0)
    assert one.effect == pytest.approx(statistic(*means))
    slopes = [(statistic(*(means + 1e-5 * unit)) - statistic(*means)) / 1e-5 for unit in np.eye(3)]
    error = np.sqrt(slopes @ np.cov(values.T) @ slopes / len(values))
    low, high = one.estimate.interval(0.05)
    assert (high - low) / 2 == pytest.approx(t.ppf(0.975, 4) * error, rel=1e-4)


def test_a_claim_of_columns_is_told_in_words_and_needs_their_values(tmp_path):
    study, judged = claimed(tmp_path / "s", CONFIG + CLAIMS.replace("paraphrase", "text"))
    words = [words_of_test(study, one.test) for one in judged.tests]
    assert words[0] == "Value in table 4 of Rise at least 1 percentage point, on german"
    assert words[2] == "Value in table 4 of percent below that of percent-of-other, on german"
    assert ("german", "other", "error") in published_values(study.config, {})
    assert "percent-of-other" in claims_document(study).frame["right"].tolist()


@pytest.mark.parametrize(
    ("slip", "message"),
    [
        ("left: rise, relation: less, limit: 1", "column of table 4; add `table: 4` to the test"),
        ("left: rize, table: 4, relation: less, limit: 1", "'rize'.*did you mean 'rise'"),
        ("left: rise, table: 5, relation: less, limit: 1", "unknown table '5'; accepted: 4"),
        ("left: rise, right: times, table: 4, relation: less", r"rise \(percentage points\) and"),
        ("left: rise, table: 4, metric: auc, relation: less, limit: 1", "leave out `metric:`"),
        ("left: rise, table: 4, relation: less, limit: 101", "101 is not a value of error"),
        (
            "left: times, right: times, table: 4, of: ratio, relation: at-least",
            "times is computed itself; accepted: `of: difference`",
        ),
        (
            "left: sold, right: clean, table: 4, relation: less",
            r"left: the column 'sold' of table 4 is `unavailable:`, so it has no values",
        ),
    ],
)
def test_slips_of_claims_of_columns(tmp_path, slip, message):
    config = CONFIG + "      - {name: sold, unavailable: not published}\n"
    text = f"{config}claims:\n  - {{id: c, text: It rises., {slip}}}\n"
    (tmp_path / "s.yaml").write_text(text)
    with pytest.raises(UserError, match=message):
        read_config(tmp_path / "s.yaml")


FIGURES = """\
figures:
  - {id: bars, kind: bar, caption: Rises., table: 4, series: [percent]}
  - {id: boxes, kind: box, caption: Rises., table: 4, series: [rise]}
  - {id: pairs, kind: scatter, caption: Rises., table: 4, x: percent, y: percent-of-other}
"""


def test_figures_draw_what_the_table_shows_on_the_rows_of_the_table(tmp_path):
    study, _ = claimed(tmp_path / "s", CONFIG + CLAIMS + FIGURES)
    table = study.config.tables[0]
    cells = {(one.row, one.column): one for one in build_table(study, table)}
    bars, boxed, pairs = study.config.figures
    assert bars.rows == boxed.rows == pairs.rows == study.config.rows_of(table)
    (bar,), missing = boxes.read_panel(study, bars, bars.panels[0])
    assert np.mean([*bar.values.values()]) == pytest.approx(cells["german", "percent"].mean)
    assert bar.printed == 20.0
    assert missing[0].startswith("titanic, percent: ")
    (box,), _ = boxes.read_panel(study, boxed, boxed.panels[0])
    differences = 100 * np.subtract(NOISY, CLEAN)
    assert [*box.values.values()] == pytest.approx(differences)
    (point,), _ = scatters.read_panel(study, pairs, pairs.panels[0])
    shown = [cells["german", name].mean for name in ("percent", "percent-of-other")]
    assert (point.x, point.y) == pytest.approx(tuple(shown))
    assert axis_label(bars.metric) == "rise of the test error (%)"
    for figure in study.config.figures:
        shown_figure, files = drawn_figure(study, figure, [".svg"])
        assert files
        assert not shown_figure.frame.empty


@pytest.mark.parametrize(
    ("slip", "message"),
    [
        ("kind: bar, series: [rise]", "which data sets"),
        (
            "kind: bar, series: [rise], rows: [german]",
            "'rise' is a column of table 4; add `table: 4`",
        ),
        ("kind: bar, series: [rize], rows: [german]", "unknown algorithm 'rize'"),
        (
            "kind: bar, table: 4, series: [rise, clean]",
            "rise: computed columns of table 4; accepted",
        ),
        ("kind: bar, table: 4, series: [rise, times]", "rise, times: computed columns of table 4"),
        ("kind: scatter, table: 4, x: rise, y: cleen", "computed columns of table 4; accepted"),
        ("kind: bar, table: 5, series: [clean]", "unknown table '5'"),
    ],
)
def test_slips_of_figures_of_columns(tmp_path, slip, message):
    (tmp_path / "s.yaml").write_text(f"{CONFIG}figures: [{{id: 1, caption: c, {slip}}}]\n")
    with pytest.raises(UserError, match=message):
        read_config(tmp_path / "s.yaml")
